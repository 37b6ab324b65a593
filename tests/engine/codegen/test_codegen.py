import ast
import inspect
import subprocess
import sys
from dataclasses import replace

import pytest

yaml = pytest.importorskip("yaml")

from rushlight.engine.codegen import outputs  # noqa: E402
from rushlight.engine.codegen.__main__ import PACKAGE, stale, write  # noqa: E402
from rushlight.engine.codegen.model import (  # noqa: E402
    OPS,
    YamlError,
    load,
    read_entries,
    read_entry,
    with_targets,
)
from rushlight.engine.dispatch.operator import Operator  # noqa: E402


def entry(text, **fields):
    return read_entry({"func": text, "line": 1, **fields}, "family", "file:1")


@pytest.fixture(scope="module")
def entries():
    return load()


def test_the_generated_files_are_up_to_date(entries):
    assert stale(outputs.everything(entries)) == []


def test_writing_makes_and_removes_files(tmp_path):
    (tmp_path / "engine/generated").mkdir(parents=True)
    (tmp_path / "engine/generated/old.py").write_text("")
    files = {"engine/generated/new.py": "x = 1\n"}
    assert write(files, tmp_path) == ["engine/generated/new.py", "engine/generated/old.py"]
    assert stale(files, tmp_path) == []


def test_every_entry_prints_back(entries):
    assert [e.text for e in entries if str(e.schema) != e.text] == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"func": "f(Tensor x) -> Tensor", "sort": 1}, "family/file:1: unknown field sort"),
        ({"func": "f(Tensor x) -> "}, "family/file:1: expected a type"),
        ({"func": "f() -> ()", "kind": "odd"}, "`kind` can only be `pointwise`"),
        ({"func": "f() -> ()", "variants": "macro"}, "variants are"),
        ({"func": "f() -> ()", "autocast": "int8"}, "`autocast` can only be `float32` or"),
        ({"kind": "pointwise"}, "no `func`"),
    ],
)
def test_errors_name_the_place(fields, message):
    with pytest.raises(YamlError, match=message):
        read_entry({"line": 1, **fields}, "family", "file:1")


def variants(text, **fields):
    return list(read_entries({"func": text, "line": 1, **fields}, "family", "file:1"))


def test_variants_follow_from_the_functional_entry():
    fields = {"inplace": "method", "out": "out, untagged", "tags": ["core", "pointwise"]}
    found = variants("f(Tensor self, *, Scalar alpha=1) -> Tensor", **fields, autocast="float32")
    assert [e.text for e in found] == [
        "f(Tensor self, *, Scalar alpha=1) -> Tensor",
        "f_(Tensor(a!) self, *, Scalar alpha=1) -> Tensor(a!)",
        "f.out(Tensor self, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
    ]
    assert [sorted(e.variants) for e in found] == [["function"], ["method"], ["function"]]
    assert [e.tags for e in found] == [("core", "pointwise"), ("pointwise",), ()]
    assert [e.autocast for e in found] == ["float32", "", ""]


def test_outputs_have_the_names_of_results():
    (_, out) = variants("f.d(Tensor x, int d) -> (Tensor values, Tensor indices)", out="d_out")
    assert out.text == (
        "f.d_out(Tensor x, int d, *, Tensor(a!) values, Tensor(b!) indices)"
        " -> (Tensor(a!) values, Tensor(b!) indices)"
    )
    options = "ScalarType? dtype=None, Layout? layout=None, Device? device=None"
    (_, out) = variants(f"f(int n, *, {options}, bool? pin_memory=None) -> Tensor", out="out")
    assert out.text == "f.out(int n, *, Tensor(a!) out) -> Tensor(a!)"


@pytest.mark.parametrize(
    ("text", "fields", "message"),
    [
        ("f(int x) -> Tensor", {"inplace": "method"}, "no variant follows from f"),
        ("f(Tensor self) -> int", {"out": "out"}, "no variant follows from f"),
        ("f(Tensor self) -> Tensor", {"inplace": "macro"}, "macro say nothing of a variant"),
    ],
)
def test_variants_that_do_not_follow(text, fields, message):
    with pytest.raises(YamlError, match=message):
        variants(text, **fields)


def test_an_alias_calls_the_overload_with_its_types():
    names = ["f(Tensor self) -> Tensor", "f.two(Tensor self, Tensor x) -> Tensor"]
    (other,) = variants("g.like(Tensor self, Tensor y) -> Tensor", alias="f")
    found = with_targets([*(entry(text) for text in names), other])
    assert [e.alias for e in found] == ["", "", "f.two"]
    with pytest.raises(YamlError, match="f has no overload with the types of g"):
        with_targets([entry(names[0]), other])


def test_a_namespace_is_known_by_the_name():
    assert entry("linalg_f(Tensor self) -> Tensor").python_module == "linalg"
    assert entry("linear(Tensor self) -> Tensor").python_module == ""


def _raw_entries():
    for path in sorted(OPS.glob("*/native_functions.yaml")):
        for item in yaml.safe_load(path.read_text()):
            yield path.parent.name, {**item, "line": 0}


def test_every_field_of_every_entry_says_something():
    """An entry without any one of its fields is another."""
    idle = []
    for family, item in _raw_entries():
        said = list(read_entries(item, family, ""))
        for field in item.keys() - {"func", "line"}:
            rest = {key: value for key, value in item.items() if key != field}
            if list(read_entries(rest, family, "")) == said:
                idle.append(f"{family}: {item['func']}: {field}")
    assert idle == []


def test_every_field_reaches_the_generated_files(entries):
    """What no generated file tells nobody reads."""
    told = outputs.everything(entries)
    for field, nothing in {
        "alias": "", "variants": frozenset({"function"}), "tags": (), "python_module": "",
        "is_bound": True, "deprecated": (), "autocast": "", "sees_lazy_values": False,
        "takes_numbers": False, "derivative": None, "is_pointwise": False,
    }.items():  # fmt: skip
        blank = [replace(entry, **{field: nothing}) for entry in entries]
        assert outputs.everything(blank) != told, field


def test_everything_that_operators_are_made_from_is_read():
    """Each fact in the index is asked for by another file than the operators' own."""
    texts = [
        path.read_text()
        for path in (PACKAGE / "engine").rglob("*.py")
        if path.name != "operator.py" and path.parent.name not in ("generated", "codegen")
    ]
    for name in inspect.signature(Operator).parameters:
        assert any(f"op.{name}" in text for text in texts), name


def _operators_in(tree, names):
    """Lists, sets and dictionaries written out with names of operators, by line."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.List, ast.Set, ast.Tuple, ast.Dict)):
            items = node.keys if isinstance(node, ast.Dict) else node.elts
            words = [x.value for x in items if isinstance(x, ast.Constant)]
            found = [w for w in words if isinstance(w, str) and w in names]
            if len(found) > 2 and len(found) == len(words):
                yield node.lineno, found


@pytest.mark.parametrize("room", ["bindings", "dispatch", "keys", "codegen", "autograd"])
def test_generic_code_lists_no_operators(entries, room):
    """What only some operators do is a field of their entries; Python's own operators have names."""
    names = {e.schema.name for e in entries} | {e.schema.base_name for e in entries}
    found = {
        f"{path.name}:{line}": words
        for path in sorted((PACKAGE / "engine" / room).rglob("*.py"))
        if path.name != "signs.py"
        for line, words in _operators_in(ast.parse(path.read_text()), names)
    }
    # fields of templates, which are those of tensors
    fields = {line for line, words in found.items() if set(words) <= {"size", "stride", "numel"}}
    assert {line: found[line] for line in found.keys() - fields} == {}


def test_checking_from_the_command_line():
    command = [sys.executable, "-m", "rushlight.engine.codegen", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE.parent)
    assert (done.returncode, done.stdout.strip()) == (0, "up to date")


def test_files_of_kernels_are_told_by_what_they_put_off():
    from rushlight.engine.codegen.kernel_files import kernel_files_source
    from rushlight.engine.dispatch import registry

    before = {packet: len(steps) for packet, steps in registry.put_off.items()}
    names: dict = {}
    exec(kernel_files_source(["losses", "pointwise"]), names)
    assert "nll_loss" in names["PACKETS"]["losses"]["nll_loss"]
    files = names["PACKETS"]["pointwise"]
    assert "add" in files["arithmetic"] and "relu" in files["activation"]
    assert "kernels" not in files and "rules" not in files
    # running a file to hear what it says registers nothing
    for packet in before:
        assert len(registry.put_off.get(packet, ())) == before[packet]
