"""The public names of PyTorch against ours, as a table in the docs.

python tools/name_index.py             writes docs/name_index.md
python tools/name_index.py --record    writes the list of names again; needs PyTorch
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from rushlight._names.absent import is_absent

NAMES = Path(__file__).with_name("name_index.txt")
TABLE = Path(__file__).parents[1] / "docs" / "name_index.md"

# The area that owns a module: the longest prefix counts.
AREAS: dict[str, str] = {
    "": "operators and tensors",
    "Tensor": "operators and tensors",
    "special": "operators and tensors",
    "random": "operators and tensors",
    "functional": "operators and tensors",
    "masked": "operators and tensors",
    "linalg": "linear algebra and Fourier",
    "fft": "linear algebra and Fourier",
    "signal": "linear algebra and Fourier",
    "autograd": "autograd",
    "func": "autograd",
    "overrides": "dispatch and extension",
    "library": "dispatch and extension",
    "ops": "dispatch and extension",
    "types": "dispatch and extension",
    "storage": "dispatch and extension",
    "return_types": "dispatch and extension",
    "nn": "nn",
    "nn.parallel": "distributed",
    "nn.attention": "nn",
    "nn.quantized": "sparse and quantized",
    "nn.quantizable": "sparse and quantized",
    "nn.intrinsic": "sparse and quantized",
    "nn.qat": "sparse and quantized",
    "optim": "optim",
    "utils": "utilities",
    "utils.data": "data and saving",
    "serialization": "data and saving",
    "hub": "data and saving",
    "package": "data and saving",
    "distributions": "distributions",
    "distributed": "distributed",
    "multiprocessing": "distributed",
    "futures": "distributed",
    "cuda": "devices",
    "cpu": "devices",
    "xpu": "devices",
    "mps": "devices",
    "mtia": "devices",
    "accelerator": "devices",
    "backends": "devices",
    "amp": "devices",
    "jit": "graphs and compilation",
    "fx": "graphs and compilation",
    "compiler": "graphs and compilation",
    "export": "graphs and compilation",
    "onnx": "graphs and compilation",
    "monitor": "profiling and tests",
    "profiler": "profiling and tests",
    "testing": "profiling and tests",
    "sparse": "sparse and quantized",
    "quantization": "sparse and quantized",
    "ao": "sparse and quantized",
    "nested": "sparse and quantized",
}
# Parts of PyTorch for its own use, its tests, or other people's hardware and compilers.
LEFT_OUT = ("testing._", "utils.benchmark.examples", "utils.model_dump", "utils.bottleneck")


def area_of(module: str) -> str:
    """Whose a module is."""
    parts = module.split(".") if module else []
    for length in range(len(parts), 0, -1):
        found = AREAS.get(".".join(parts[:length]))
        if found is not None:
            return found
    return AREAS[""]


# -- the record --


def recorded() -> list[tuple[str, str]]:
    """Every (module, name) of the record; a module's name is relative to the top."""
    lines = NAMES.read_text(encoding="utf-8").splitlines()
    found = []
    for line in lines:
        module, _, names = line.partition(":")
        found += [(module, name) for name in names.split()]
    return found


def _public_names(holder: Any) -> list[str]:
    listed = getattr(holder, "__all__", None)
    if isinstance(holder, ModuleType) and listed is not None:
        return sorted({n for n in listed if not n.startswith("_")})
    return sorted(n for n in dir(holder) if not n.startswith("_") and _is_own(holder, n))


def _is_own(holder: Any, name: str) -> bool:
    """Whether a name without ``__all__`` belongs to the module, not to an import of it."""
    if not isinstance(holder, ModuleType):
        return True
    value = getattr(holder, name, None)
    home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return home is None or str(home).startswith("torch")


def _modules(torch: ModuleType) -> Iterable[tuple[str, ModuleType]]:
    """The public submodules that can be imported here."""
    for found in pkgutil.walk_packages(torch.__path__, "torch.", onerror=lambda name: None):
        name = found.name.removeprefix("torch.")
        if any(part.startswith("_") for part in name.split(".")) or name.startswith(LEFT_OUT):
            continue
        if name.split(".")[0] not in AREAS:
            continue
        try:
            yield name, importlib.import_module(found.name)
        except (ImportError, RuntimeError, AttributeError, OSError) as error:
            print(f"left out {name}: {error}", file=sys.stderr)


def record() -> None:
    """Write down PyTorch's names."""
    import torch  # the reference: the one package this tool alone needs

    warnings.simplefilter("ignore")
    # the top has a list of its own that is far from complete
    top = {n for n in dir(torch) if not n.startswith("_") and _is_own(torch, n)}
    lines = [f":{' '.join(sorted(top))}"]
    lines.append(f"Tensor:{' '.join(_public_names(torch.Tensor))}")
    for name, module in _modules(torch):
        names = _public_names(module)
        if names:
            lines.append(f"{name}:{' '.join(names)}")
    NAMES.write_text("\n".join(lines) + "\n", encoding="utf-8")


# -- the table --


def _holder(package: str, module: str) -> Any:
    """Our module or class of this name, or None."""
    found: Any = importlib.import_module(package)
    path = package
    for part in module.split(".") if module else []:
        path += f".{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(path)
            except ModuleNotFoundError:
                return None
    return found


def _has(package: str, module: str, name: str, holder: Any) -> bool:
    if holder is None:
        return False
    if hasattr(holder, name) and not is_absent(getattr(holder, name)):
        return True
    return (
        isinstance(holder, ModuleType)
        and _holder(package, f"{module}.{name}".strip(".")) is not None
    )


def compared(package: str = "rushlight") -> dict[str, tuple[list[str], list[str]]]:
    """The names that are there and those that are missing, by module."""
    result: dict[str, tuple[list[str], list[str]]] = {}
    holders: dict[str, Any] = {}
    for module, name in recorded():
        if module not in holders:
            holders[module] = _holder(package, module)
        there, missing = result.setdefault(module, ([], []))
        (there if _has(package, module, name, holders[module]) else missing).append(name)
    return result


def table(found: dict[str, tuple[list[str], list[str]]]) -> str:
    """The document."""
    by_area: dict[str, list[str]] = {}
    for module in found:
        by_area.setdefault(area_of(module), []).append(module)
    lines = [
        "# Index of names",
        "",
        "Every public name of PyTorch 2.13 against ours, by the area that owns it. Written by",
        "`python tools/name_index.py`; the names are recorded in `tools/name_index.txt`.",
        "",
        "| area | there | missing |",
        "|---|---:|---:|",
    ]
    for area, modules in sorted(by_area.items()):
        there, missing = (sum(len(found[m][k]) for m in modules) for k in (0, 1))
        lines.append(f"| {area} | {there} | {missing} |")
    for area, modules in sorted(by_area.items()):
        lines += ["", f"## {area[0].upper()}{area[1:]}"]
        for module in modules:
            lines += ["", *_section(module, *found[module])]
    return "\n".join(lines) + "\n"


def _section(module: str, there: list[str], missing: list[str]) -> list[str]:
    title = f"`torch.{module}`" if module else "`torch`"
    head = f"**{title}**: {len(there)} of {len(there) + len(missing)}"
    if not there:
        return [f"{head}; none is there yet."]
    if not missing:
        return [f"{head}."]
    return [f"{head}; missing: {', '.join(f'`{name}`' for name in missing)}"]


def main(arguments: list[str]) -> int:
    if arguments == ["--record"]:
        record()
        return 0
    TABLE.write_text(table(compared()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
