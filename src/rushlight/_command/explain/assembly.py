"""Assembly with the line of the IR that each instruction comes from.

LLVM says it itself: every instruction of the text is given a place of its own, as a compiler of a
language gives the lines of its programs, and the assembler's notes about places are read back.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rushlight.engine.native import machine

# Far above the numbers that kernels give to their own metadata.
_FIRST = 1000
_UNIT, _FILE, _VERSION, _KIND, _TYPE, _NONE = range(_FIRST, _FIRST + 6)
_HEADER = f"""\
!llvm.dbg.cu = !{{!{_UNIT}}}
!llvm.module.flags = !{{!{_VERSION}}}
!{_UNIT} = distinct !DICompileUnit(language: DW_LANG_C99, file: !{_FILE}, \
isOptimized: true, emissionKind: LineTablesOnly)
!{_FILE} = !DIFile(filename: "kernel", directory: "")
!{_VERSION} = !{{i32 2, !"Debug Info Version", i32 3}}
!{_TYPE} = !DISubroutineType(types: !{_NONE})
!{_NONE} = !{{}}
"""
_PLACE = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
_INSTRUCTION = re.compile(r"\s+(%[\w.]+ = )?[a-z]")
# What an assembler needs and a reader does not.
_NOISE = re.compile(r"\s*\.(cfi_|file|loc|globl|type|size|text|addrsig|ident)|\.L(tmp|func_)")
_DATA = re.compile(r'\s*\.section\s+"?\.debug')


class Line(NamedTuple):
    """A line of assembly, and the line of the IR that it comes from (from 0), if one does."""

    text: str
    source: int | None


def lines_of(ir: str, optimise: int) -> list[Line]:
    """The assembly of a kernel, line by line."""
    lines: list[Line] = []
    source: int | None = None
    for text in machine.assembly(_with_places(ir), optimise, ir).splitlines():
        place = _PLACE.match(text)
        if place:
            source = int(place[1]) - 1
            source = None if source < 0 else source
        elif _DATA.match(text):
            break
        elif text.strip() and not _NOISE.match(text):
            is_code = text.startswith("\t") and not text.lstrip().startswith(".")
            lines.append(Line(text.expandtabs(4), source if is_code else None))
    return lines


def _with_places(ir: str) -> str:
    """The same text, where each instruction says which line of the text it is."""
    lines = ir.splitlines()
    places: list[str] = []
    scope = 0
    for number, line in enumerate(lines):
        if line.startswith("define "):
            scope = _FIRST + 10 + len(places)
            name = re.search(r"@([\w.]+)", line)
            places.append(
                f'!{scope} = distinct !DISubprogram(name: "{name[1] if name else ""}", '
                f"scope: !{_FILE}, file: !{_FILE}, line: {number + 1}, type: !{_TYPE}, "
                f"scopeLine: {number + 1}, spFlags: DISPFlagDefinition, unit: !{_UNIT})"
            )
            lines[number] = f"{line[: line.rindex('{')]}!dbg !{scope} {{"
        elif line.startswith("}"):
            scope = 0
        elif scope and _INSTRUCTION.match(line) and not line.rstrip().endswith(("[", ",")):
            lines[number] = f"{line}, !dbg !{_FIRST + 10 + len(places)}"
            places.append(
                f"!{_FIRST + 10 + len(places)} = "
                f"!DILocation(line: {number + 1}, column: 0, scope: !{scope})"
            )
    return "\n".join([*lines, _HEADER, *places])
