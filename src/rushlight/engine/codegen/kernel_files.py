"""Writes which file of a family registers the kernels of which operators."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import textwrap
from collections.abc import Iterable
from types import ModuleType

from rushlight.engine.codegen.index import HEADER
from rushlight.engine.dispatch import registry

# Families whose files are loaded one by one, each when an operator of it is first asked for.
FAMILIES = (
    "attention", "creation", "distances", "fourier", "linalg", "losses", "matrix", "pointwise",
    "recurrent", "reduction", "resampling", "rows", "sampling", "searching",
)  # fmt: skip


def kernel_files_source(families: Iterable[str] = FAMILIES) -> str:
    """`PACKETS`: family -> file -> the packets whose kernels the file registers."""
    lines = [HEADER.format(what="Which file has an operator's kernels.") + "PACKETS = {"]
    for family in families:
        lines.append(f"    {family!r}: {{")
        for file, packets in _files_of(family).items():
            names = " ".join(packet.removeprefix("aten::") for packet in packets)
            lines += [f'        {file!r}: """', textwrap.fill(names, 110), '        """.split(),']
        lines.append("    },")
    return "\n".join([*lines, "}", ""])


def _files_of(family: str) -> dict[str, tuple[str, ...]]:
    package = importlib.import_module(f"rushlight.engine.ops.{family}")
    found = {}
    for file in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
        # The keys of devices load what is theirs.
        if file not in ("kernels", "samples") and not file.startswith("device_"):
            packets = _packets_of(importlib.import_module(f"{package.__name__}.{file}"))
            if packets:
                found[file] = packets
    return found


def _packets_of(module: ModuleType) -> tuple[str, ...]:
    """What a file puts off, told by running it once more."""
    spec = module.__spec__
    assert spec is not None and spec.loader is not None
    with registry.listening() as packets:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    return tuple(packets)
