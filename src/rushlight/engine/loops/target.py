"""What a processor offers to generated loops: vector width, masks, fused multiply-add."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


class Target(NamedTuple):
    """The facts a printer needs. The processor's name never appears in generated text.

    ``masks``: loads and stores of single lanes are one instruction for every element size.
    ``fma``: without it ``fma`` is printed as a product and a sum, because the alternative is a
    call of the C library for each lane; functions that rely on one rounding lose some accuracy.
    ``half``: f16 converts in hardware.
    ``scales``: one instruction multiplies by a power of two, with one rounding.
    ``dots``: an instruction multiplies pairs of bf16 and adds both products to an f32.
    ``quads``: an instruction multiplies fours of bytes and adds all products to an i32.
    ``amx``: a unit of its own multiplies squares of bf16 with sums in f32.
    """

    vector_bytes: int = 16
    masks: bool = False
    fma: bool = True
    half: bool = False
    scales: bool = False
    dots: bool = False
    quads: bool = False
    amx: bool = False


def target_of(features: str) -> Target:
    """The target that a comma-separated list of LLVM feature flags describes."""
    flags = set(features.split(","))
    wide = {"+avx512f", "+avx512bw", "+avx512dq", "+avx512vl"} <= flags
    if "+sse2" in flags:
        return Target(
            vector_bytes=64 if wide else 32 if "+avx2" in flags else 16,
            masks=wide,
            fma="+fma" in flags,
            half="+f16c" in flags,
            scales=wide,
            dots=wide and "+avx512bf16" in flags,
            quads="+avx512vnni" in flags if wide else {"+avx2", "+avxvnni"} <= flags,
            amx=wide and {"+amx-tile", "+amx-bf16"} <= flags,
        )
    return Target(vector_bytes=16, half=True)


@cache
def host_target() -> Target:
    """The machine this process runs on."""
    from rushlight.engine.native import machine

    return target_of(machine.host()[1])
