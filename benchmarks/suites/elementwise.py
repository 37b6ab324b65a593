"""Large operators: what is left is the loop, memory and threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]

SMALL, LARGE = 1 << 20, 1 << 24


def workloads() -> dict[str, Callable[[Any], Callable[[], Any]]]:
    made: dict[str, Callable[[Any], Callable[[], Any]]] = {}

    def values(t: Any, size: tuple[int, ...], dtype: str, seed: int) -> Any:
        count = 1
        for n in size:
            count *= n
        base = t.arange(count, dtype=t.int64)
        mixed = (base * (7919 + seed)) % 1009
        if dtype == "int64":
            return mixed.reshape(size)
        if dtype == "bool":
            return (mixed % 2 == 0).reshape(size)
        return ((mixed.to(t.float32) - 504) / 101).to(getattr(t, dtype)).reshape(size)

    def add(
        title: str,
        function: Function,
        *sizes: tuple[int, ...],
        dtype: str = "float32",
        first: str = "",
    ) -> None:
        def make(t: Any) -> Callable[[], Any]:
            inputs = [
                values(t, size, first if first and k == 0 else dtype, k)
                for k, size in enumerate(sizes)
            ]
            return lambda: function(t, *inputs)

        made[title] = make

    for label, n in (("1M", SMALL), ("16M", LARGE)):
        one = (n,)
        side = 1 << (n.bit_length() - 1) // 2
        square = (side, n // side)
        add(f"add {label}", lambda t, a, b: a + b, one, one)
        add(f"mul scalar {label}", lambda t, a: a * 1.5, one)
        add(f"exp {label}", lambda t, a: t.exp(a), one)
        add(f"tanh {label}", lambda t, a: t.tanh(a), one)
        add(f"gelu {label}", lambda t, a: t.nn.functional.gelu(a), one)
        add(f"where {label}", lambda t, c, a, b: t.where(c, a, b), one, one, one, first="bool")
        add(f"add rows {label}", lambda t, a, b: a + b, square, square[1:])
        add(f"add transposed {label}", lambda t, a, b: a + b.t(), square, square[::-1])
        add(f"softmax {label}", lambda t, a: t.softmax(a, -1), square)
        add(f"sum {label}", lambda t, a: a.sum(), one)
        add(f"sum columns {label}", lambda t, a: a.sum(0), square)
        add(f"sum rows {label}", lambda t, a: a.sum(1), square)
        add(f"to bfloat16 {label}", lambda t, a: a.to(t.bfloat16), one)
        add(f"permute contiguous {label}", lambda t, a: a.t().contiguous(), square)
    one, square, cube = (SMALL,), (1024, 1024), (64, 128, 128)
    add("sub", lambda t, a, b: a - b, one, one)
    add("div", lambda t, a, b: a / b, one, one)
    add("log", lambda t, a: t.log(a), one)
    add("sin", lambda t, a: t.sin(a), one)
    add("pow 2.5", lambda t, a: a.pow(2.5), one)
    add("sqrt", lambda t, a: a.sqrt(), one)
    add("erf", lambda t, a: t.erf(a), one)
    add("sigmoid", lambda t, a: t.sigmoid(a), one)
    add("relu", lambda t, a: t.relu(a), one)
    add("silu", lambda t, a: t.nn.functional.silu(a), one)
    add("lerp", lambda t, a, b: t.lerp(a, b, 0.3), one, one)
    add("addcmul", lambda t, a, b, c: t.addcmul(a, b, c, value=0.5), one, one, one)
    add("clamp", lambda t, a: a.clamp(-1, 1), one)
    add("compare", lambda t, a, b: a > b, one, one)
    add("add float64", lambda t, a, b: a + b, one, one, dtype="float64")
    add("exp float64", lambda t, a: t.exp(a), one, dtype="float64")
    add("add int64", lambda t, a, b: a + b, one, one, dtype="int64")
    add("add bfloat16", lambda t, a, b: a + b, one, one, dtype="bfloat16")
    add("mul float16", lambda t, a, b: a * b, one, one, dtype="float16")
    add("gelu bfloat16", lambda t, a: t.nn.functional.gelu(a), one, dtype="bfloat16")
    add("layer_norm", lambda t, a: t.nn.functional.layer_norm(a, (1024,)), square)
    add("log_softmax", lambda t, a: t.log_softmax(a, -1), square)
    add("mean middle", lambda t, a: a.mean(1), cube)
    add("max rows", lambda t, a: a.amax(1), square)
    add("argmax rows", lambda t, a: a.argmax(1), square)
    add("var rows", lambda t, a: a.var(1), square)
    add("cumsum", lambda t, a: a.cumsum(-1), square)
    add("cat", lambda t, a, b: t.cat([a, b]), one, one)
    add("to float64", lambda t, a: a.to(t.float64), one)
    add("int64 to float32", lambda t, a: a.to(t.float32), one, dtype="int64")
    add("permute cube contiguous", lambda t, a: a.permute(2, 0, 1).contiguous(), cube)
    add("add in place", lambda t, a, b: a.add_(b), one, one)
    return made
