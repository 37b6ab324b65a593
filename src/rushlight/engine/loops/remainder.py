"""The exact floating-point remainder as a helper function in IR: a loop over all lanes at once."""

from __future__ import annotations

from rushlight.engine.loops.ir_text import llvm_type, splat, suffix, vector
from rushlight.engine.native.lowlevel import Text


def remainder_function(outer: Text, name: str, kind: str, lanes: int, fma: bool) -> str:
    """A helper function: while |a| >= |b|, a -= trunc(a / b * 2^-k) * 2^k * b, each step exact.

    ``k`` keeps the quotient within the significand, so the product and the difference are exact
    with fma; without it f32 is computed in f64, where the product always fits.
    """
    text = Text(outer)
    scalar = llvm_type(kind)
    whole = vector(lanes, scalar)
    bits = vector(lanes, "i1")
    short = suffix(kind, lanes)

    def one(v: float) -> str:
        return splat(kind, v, lanes)

    def call(op: str, *operands: str) -> str:
        return text.call(whole, f"llvm.{op}.{short}", *((whole, x) for x in operands))

    a, b = call("fabs", "%a"), call("fabs", "%b")
    # With the divisor scaled up so that quotients stay below 2 * limit, every one is exact.
    limit = {"f32": 2.0**22, "f64": 2.0**51}[kind]
    finite = text.let(f"fcmp olt {whole} {a}, {one(float('inf'))}")
    usable = text.let(f"fcmp ogt {whole} {b}, {one(0.0)}")
    defined = text.let(f"and {bits} {finite}, {usable}")

    def any_lane(mask: str) -> str:
        if lanes == 1:
            return mask
        return text.call("i1", f"llvm.vector.reduce.or.v{lanes}i1", (bits, mask))

    head, inside, after = (text.fresh(s) for s in ("head", "inside", "after"))
    text.jump(head)
    text.start(head)
    rest = "%rest"
    phi = len(text.lines)
    text.lines.append("")
    large = text.let(f"fcmp oge {whole} {rest}, {b}")
    active = text.let(f"and {bits} {large}, {defined}")
    text.branch(any_lane(active), inside, after)
    text.start(inside)
    scaled_stop = text.let(f"fmul {whole} {rest}, {one(1 / limit)}")
    integer = "i32" if kind == "f32" else "i64"
    ints = vector(lanes, integer)
    exponent_mask = {"f32": 0x7F800000, "f64": 0x7FF0000000000000}[kind]

    def splat_int(v: int) -> str:
        return f"{v}" if lanes == 1 else f"splat ({integer} {v})"

    # The divisor is scaled by the largest power of two not above rest / limit / b, and at least 1,
    # in two steps since that power itself may overflow.
    biggest = {"f32": 2.0**127, "f64": 2.0**1023}[kind]
    divisor = b
    for _ in range(2):
        ratio = text.let(f"fdiv {whole} {scaled_stop}, {divisor}")
        too_big = text.let(f"fcmp ogt {whole} {ratio}, {one(biggest)}")
        ratio = text.let(f"select {bits} {too_big}, {whole} {one(biggest)}, {whole} {ratio}")
        small = text.let(f"fcmp ult {whole} {ratio}, {one(1.0)}")
        ratio = text.let(f"select {bits} {small}, {whole} {one(1.0)}, {whole} {ratio}")
        raw = text.let(f"bitcast {whole} {ratio} to {ints}")
        power = text.let(f"and {ints} {raw}, {splat_int(exponent_mask)}")
        factor = text.let(f"bitcast {ints} {power} to {whole}")
        divisor = text.let(f"fmul {whole} {divisor}, {factor}")
    quotient = call("trunc", text.let(f"fdiv {whole} {rest}, {divisor}"))
    if fma:
        negative = text.let(f"fneg {whole} {quotient}")
        reduced = call("fma", negative, divisor, rest)
    elif kind == "f32":
        wide = vector(lanes, "double")
        q, d, r = (text.let(f"fpext {whole} {v} to {wide}") for v in (quotient, divisor, rest))
        product = text.let(f"fmul {wide} {q}, {d}")
        difference = text.let(f"fsub {wide} {r}, {product}")
        reduced = text.let(f"fptrunc {wide} {difference} to {whole}")
    else:
        product = text.let(f"fmul {whole} {quotient}, {divisor}")
        reduced = text.let(f"fsub {whole} {rest}, {product}")
    # The quotient may have been rounded up to the next integer: then one divisor goes back.
    below = text.let(f"fcmp olt {whole} {reduced}, {one(0.0)}")
    back = text.let(f"fadd {whole} {reduced}, {divisor}")
    fixed = text.let(f"select {bits} {below}, {whole} {back}, {whole} {reduced}")
    following = text.let(f"select {bits} {active}, {whole} {fixed}, {whole} {rest}")
    text.jump(head)
    text.lines[phi] = f"  {rest} = phi {whole} [ {a}, %entry ], [ {following}, %{inside} ]"
    text.start(after)
    nan = text.let(f"select {bits} {defined}, {whole} {rest}, {whole} {one(float('nan'))}")
    # A NaN divisor is not usable either, so every undefined case is NaN already.
    result = call("copysign", nan, "%a")
    body = "\n".join(text.lines)
    return (
        f"define internal {whole} @{name}({whole} %a, {whole} %b) noinline {{\nentry:\n{body}\n"
        f"  ret {whole} {result}\n}}"
    )
