"""How many floating-point operations a program makes, by operator and by module.

A multiplication and an addition count as two. What counts is what PyTorch counts on a CPU: products
of matrices and convolutions, and neither element-wise work nor attention that is one call. The
steps of recurrent layers count as the products that they are.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

import rushlight
from rushlight.engine.autograd import backward
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.utils._pytree import tree_map
from rushlight.utils.module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "flop_registry", "register_flop_formula"]

Shape = Sequence[int]

aten = rushlight.ops.aten

# From operators, without an overload, to functions of their arguments with shapes for tensors.
flop_registry: dict[Any, Callable[..., int]] = {}


def register_flop_formula(
    targets: Any, get_raw: bool = False
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator of functions that tell how many operations a call makes.

    Args:
        targets: an operator, or several
        get_raw: give the function tensors; otherwise their shapes, and the results' as
            ``out_shape``
    """

    def register(formula: Callable[..., int]) -> Callable[..., int]:
        found = formula if get_raw else _of_shapes(formula)
        for target in targets if isinstance(targets, list | tuple) else [targets]:
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = found
        return formula

    return register


def _shape(value: Any) -> Any:
    return value.shape if isinstance(value, Tensor) else value


def _of_shapes(formula: Callable[..., int]) -> Callable[..., int]:
    def counted(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
        args, kwargs, out_shape = tree_map(_shape, (args, kwargs, out_val))
        return formula(*args, out_shape=out_shape, **kwargs)

    counted._get_raw = True  # type: ignore[attr-defined]
    return counted


@register_flop_formula(aten.mm)
def mm_flop(a_shape: Shape, b_shape: Shape, *args: Any, **kwargs: Any) -> int:
    """What a product of matrices takes."""
    return 2 * a_shape[0] * a_shape[1] * b_shape[1]


@register_flop_formula(aten.addmm)
def addmm_flop(self_shape: Shape, a_shape: Shape, b_shape: Shape, **kwargs: Any) -> int:
    return mm_flop(a_shape, b_shape)


@register_flop_formula(aten.bmm)
def bmm_flop(a_shape: Shape, b_shape: Shape, **kwargs: Any) -> int:
    """What a batch of products takes."""
    return a_shape[0] * mm_flop(a_shape[1:], b_shape[1:])


@register_flop_formula(aten.baddbmm)
def baddbmm_flop(self_shape: Shape, a_shape: Shape, b_shape: Shape, **kwargs: Any) -> int:
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(
    x_shape: Shape, w_shape: Shape, out_shape: Shape, transposed: bool = False
) -> int:
    """What a convolution takes: one product of the weight for each place of a window."""
    places = math.prod((x_shape if transposed else out_shape)[2:])
    return 2 * x_shape[0] * places * math.prod(w_shape)


@register_flop_formula(aten.convolution)
def conv_flop(
    x_shape: Shape, w_shape: Shape, bias: Any, stride: Any, padding: Any, dilation: Any,
    transposed: bool, *args: Any, out_shape: Shape, **kwargs: Any,
) -> int:  # fmt: skip
    return conv_flop_count(x_shape, w_shape, out_shape, transposed)


# What counts as calls of PyTorch's operators: from the operator to (as which, how many).


def _weight_gradient(small: Tensor, large: Tensor, *args: Any, out_val: Tensor) -> tuple[Any, int]:
    places = math.prod(small.shape[2:])
    return aten.convolution_backward, 2 * small.shape[0] * places * out_val.numel()


def _recurrence(
    given: Tensor, hidden: Tensor, cell: Any, weight: Tensor, *args: Any, **kwargs: Any
) -> tuple[Any, int]:
    return aten._recurrent_steps, 2 * (given.numel() // given.shape[-1]) * weight.numel()


_COUNTED_AS: dict[Any, Callable[..., tuple[Any, int]]] = {
    aten._convolution_weight_gradient: _weight_gradient,
    aten._recurrent_steps: _recurrence,
}


class FlopCounterMode(modes.TorchDispatchMode):
    """Counts operations within its ``with`` block, and prints a table at its end.

    Args:
        mods: not used; modules are found when they are called
        depth: how deep in the tree of modules the table goes; without end if None
        display: whether to print the table
        custom_mapping: further formulas, from operators to functions as `register_flop_formula`
            takes
    """

    def __init__(
        self,
        mods: Any = None,
        depth: int | None = 2,
        display: bool = True,
        custom_mapping: dict[Any, Callable[..., int]] | None = None,
    ) -> None:
        self.depth = depth
        self.display = display
        self.mod_tracker = ModuleTracker()
        self.flop_counts: dict[str, dict[Any, int]] = _no_counts()
        own = custom_mapping or {}
        self.flop_registry = {
            **flop_registry,
            **{k: f if getattr(f, "_get_raw", False) else _of_shapes(f) for k, f in own.items()},
        }

    def __enter__(self) -> Self:
        self.flop_counts = _no_counts()
        self.mod_tracker.__enter__()
        return super().__enter__()

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        self.mod_tracker.__exit__(*exception)
        if self.display:
            print(self.get_table(self.depth))

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        counted_as, count = self._count(func.overloadpacket, args, kwargs, result)
        if count is not None:
            for name in self.mod_tracker.parents:
                self.flop_counts[name][counted_as] += count
        return result

    def _count(self, packet: Any, args: Any, kwargs: Any, result: Any) -> tuple[Any, int | None]:
        if packet in _COUNTED_AS:
            return _COUNTED_AS[packet](*args, **kwargs, out_val=result)
        formula = self.flop_registry.get(packet)
        if formula is None:
            return packet, None
        if packet is aten.convolution and backward.running.passes:
            packet = aten.convolution_backward
        return packet, formula(*args, **kwargs, out_val=result)

    def get_total_flops(self) -> int:
        """All that was counted."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """By module and operator."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The counts as text.

        Args:
            depth: how deep to go; as the counter was told if None
        """
        depth = self.depth if depth is None else depth
        deepest = math.inf if depth is None else depth
        total = self.get_total_flops()
        modules = sorted(name for name in self.flop_counts if name != "Global")
        whole = "Global" not in self.flop_counts or any(
            sum(self.flop_counts[name].values()) >= total for name in modules
        )
        shown = [name for name in modules if name.count(".") + 1 <= deepest]
        lines = [
            line
            for name in (shown if whole and shown else ["Global", *shown])
            for line in _lines(name, self.flop_counts[name], total)
        ]
        return _aligned(["Module", "FLOP", "% Total"], lines)


def _no_counts() -> dict[str, dict[Any, int]]:
    return defaultdict(lambda: defaultdict(int))


_UNITS = ["", "K", "M", "B", "T"]


def _amount(count: int, unit: str) -> str:
    return f"{count / 1000 ** _UNITS.index(unit):.3f}{unit}" if unit else str(count)


def _lines(name: str, counts: dict[Any, int], total: int) -> Iterable[list[str]]:
    # The largest unit that leaves the total two digits before the point.
    unit = _UNITS[max(0, min(len(_UNITS) - 1, (len(str(total)) - 2) // 3))]

    def share(count: int) -> str:
        return f"{count / total:.2%}" if total else "0%"

    whole = sum(counts.values())
    yield [name, _amount(whole, unit), share(whole)]
    for operator, count in counts.items():
        yield [f"- {operator}", _amount(count, unit), share(count)]


def _aligned(titles: list[str], lines: list[list[str]]) -> str:
    widths = [max(len(line[k]) for line in (titles, *lines)) for k in range(len(titles))]

    def row(cells: list[str]) -> str:
        first = cells[0].ljust(widths[0])
        return "  ".join([first, *(c.rjust(w) for c, w in zip(cells[1:], widths[1:]))])

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([row(titles), rule, *map(row, lines)])
