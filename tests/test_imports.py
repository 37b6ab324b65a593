"""Imports point down: a room may use the rooms below it, never those above."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "rushlight"
# From the bottom up. `calls` makes the call functions of `dispatch` that the operators use.
ORDER = [
    "native",
    "core",
    "cuda",
    "loops",
    "dispatch",
    "calls",
    "bindings",
    "generated",
    "ops",
    "autograd",
    "transforms",
    "keys",
    "codegen",
]


def room_of(module: str) -> str | None:
    """The engine's room that a module belongs to; None for the rooms upstairs."""
    parts = module.split(".")
    if parts[:2] != ["rushlight", "engine"]:
        return None
    return parts[2] if len(parts) > 2 else ""


def imports_of(path: Path) -> list[tuple[int, str]]:
    """Modules imported when a file is imported, and by its functions, with line numbers."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return [(line, name) for line, name in found if name.split(".")[0] == "rushlight"]


@pytest.mark.parametrize("room", ORDER)
def test_a_room_imports_only_what_is_below(room):
    allowed = set(ORDER[: ORDER.index(room) + 1])
    wrong = []
    for path in (SOURCE / "engine" / room).rglob("*.py"):
        for line, module in imports_of(path):
            target = room_of(module)
            if target is None:
                wrong.append(f"{path.relative_to(SOURCE)}:{line} imports {module} from upstairs")
            elif target and target not in allowed:
                wrong.append(f"{path.relative_to(SOURCE)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_the_import_reads_no_yaml_and_starts_no_compiler():
    import subprocess
    import sys

    code = (
        "import sys, rushlight; "
        "assert not {'yaml', 'llvmlite', 'numpy'} & set(sys.modules); "
        "assert 'multiprocessing' not in sys.modules and 'subprocess' not in sys.modules; "
        "assert not {'rushlight.engine.loops.llvm_text', 'rushlight.engine.loops.maths', "
        "'rushlight.engine.ops.kinds.planned'} & set(sys.modules); "
        "assert not any(m.startswith('rushlight.engine.ops.') and m.endswith('kernels') "
        "for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_call_loads_the_file_of_its_operator_only():
    import subprocess
    import sys

    code = (
        "import sys, rushlight as torch\n"
        "a = torch.ones(3)\n"
        "assert (a + a).tolist() == [2, 2, 2]\n"
        "def loaded(room):\n"
        "    start = f'rushlight.engine.{room}.'\n"
        "    return {m.removeprefix(start) for m in sys.modules if m.startswith(start)}\n"
        "assert loaded('ops.pointwise') == {'kernels', 'arithmetic'}, loaded('ops.pointwise')\n"
        "assert loaded('loops.maths') == set(), loaded('loops.maths')\n"
        "a.logical_not()\n"
        "assert 'logical' in loaded('ops.pointwise')\n"
        "assert 'losses' not in loaded('ops.pointwise')\n"
        "assert torch.absolute(-a).tolist() == [1, 1, 1]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_operators_that_call_others_are_found_first() -> None:
    """Kernels that are registered at once, when a file is loaded, are in the index of files, too."""
    for call in (
        "torch.ones(3).ldexp_(torch.ones(3))",
        "torch.nn.functional.selu_(torch.ones(3))",
        "torch.ones(3).polygamma_(1)",
        "torch.nn.functional.l1_loss(torch.ones(3), torch.zeros(3))",
    ):
        program = f"import rushlight as torch\n{call}"
        subprocess.run([sys.executable, "-c", program], check=True)


def _statements(tree: ast.Module, in_functions: bool) -> Iterator[ast.AST]:
    """What a module runs when it is imported; its functions' statements, too, if asked for."""
    for node in tree.body:
        if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            yield from ast.walk(node) if in_functions else [node]


def _module_graph(start: str, in_functions: bool) -> dict[str, set[str]]:
    """For each module below a package, those of the package that it imports."""
    paths = {}
    for path in SOURCE.rglob("*.py"):
        if "generated" not in path.parts:
            parts = ("rushlight", *path.relative_to(SOURCE).with_suffix("").parts)
            module = ".".join(parts).removesuffix(".__init__")
            if module.startswith(start):
                paths[module] = path
    graph = {}
    for module, path in paths.items():
        found = set()
        for node in _statements(ast.parse(path.read_text()), in_functions):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                inside = {f"{node.module}.{alias.name}" for alias in node.names}
                # what is no module is a name of the package
                found |= inside & paths.keys() or {node.module}
        # A module may take names from the package that it is in.
        graph[module] = {
            x for x in found & paths.keys() if x != module and not module.startswith(f"{x}.")
        }
    return graph


@pytest.mark.parametrize(
    ("start", "in_functions"), [("rushlight", False), ("rushlight.engine", True)]
)
def test_no_modules_import_each_other(start: str, in_functions: bool) -> None:
    """Imports make no circle: upstairs none when modules are imported, in the engine none at all."""
    graph = _module_graph(start, in_functions)
    while graph:
        leaves = {module for module, needed in graph.items() if not needed & graph.keys()}
        assert leaves, "a circle among " + ", ".join(sorted(graph))
        for module in leaves:
            del graph[module]


def test_a_process_that_finds_its_kernels_loads_nothing_that_only_compiling_needs(tmp_path) -> None:  # type: ignore[no-untyped-def]
    program = (
        "import sys, numpy\n"
        "before = set(sys.modules)\n"
        "import rushlight as torch\n"
        "a = torch.ones(3)\n"
        "assert (a + a).tolist() == [2, 2, 2]\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    surroundings = {**os.environ, "RUSHLIGHT_CACHE_DIR": str(tmp_path)}
    compiling, finding = (
        set(
            subprocess.run(
                [sys.executable, "-c", program], env=surroundings, check=True, capture_output=True,
                text=True,
            ).stdout.split()
        )
        for _ in range(2)
    )  # fmt: skip
    needed = {"llvmlite", "pathlib", "rushlight.engine.native.common_code"}
    assert needed <= compiling
    assert not finding & {*needed, "json", "hashlib", "secrets", "random", "hmac"}
