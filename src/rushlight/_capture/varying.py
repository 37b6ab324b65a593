"""Which sizes and integers of a program a graph leaves open.

A size is a number of the graph the first time. Where a place of the program is captured again with another one,
it is a symbol from then on; programs say more of their tensors by marks (`torch._dynamo.mark_dynamic` and its kin).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight._dynamo import config
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.experimental._shape_contexts import (
    ConstraintViolationError,
    DimDynamic,
    RelaxedUnspecConstraint,
    StatelessSymbolicContext,
    StrictMinMaxConstraint,
)
from rushlight.fx.experimental.sym_node import constant_of
from rushlight.nn.parameter import Parameter
from rushlight.utils._sympy.value_ranges import ValueRanges

# Marks of tensors: the dimensions of which a program has said something.
DYNAMIC, MAYBE, STATIC, UNBACKED = (
    "_dynamo_dynamic_indices", "_dynamo_weak_dynamic_indices", "_dynamo_static_indices",
    "_dynamo_unbacked_indices",
)  # fmt: skip
RANGES = "_dynamo_dynamic_range"
_NONE: frozenset[int] = frozenset()
# What a history has in the place of a number that was not always the same.
_VARIES = object()


def marks(tensor: Tensor, kind: str) -> Any:
    """The dimensions of a tensor with a mark."""
    return tensor.__dict__.get(kind, _NONE) if hasattr(tensor, "__dict__") else _NONE


def is_marked_within(tensor: Tensor, known: tuple[Any, ...]) -> bool:
    """Whether a tensor has no marks besides those that a graph was made for."""
    own = getattr(tensor, "__dict__", None)
    if not own:
        return True
    return all(own.get(kind, _NONE) <= k for kind, k in zip((DYNAMIC, MAYBE, UNBACKED), known))


# How a tensor is marked whose place in memory graphs are for.
ADDRESS = "_dynamo_static_input_type"


def has_fixed_address(tensor: Tensor) -> bool:
    """Whether graphs hold only for the place of a tensor's memory."""
    return getattr(tensor, "__dict__", {}).get(ADDRESS) == "guarded"


class History:
    """The numbers that were seen where a segment begins, by their sources."""

    def __init__(self) -> None:
        self._seen: dict[str, list[Any]] = {}

    def varies(self, source: str, numbers: Sequence[Any]) -> list[bool]:
        """Which numbers are others than before; they are noted."""
        known = self._seen.get(source)
        if known is None or len(known) != len(numbers):
            self._seen[source] = list(numbers)
            return [False] * len(numbers)
        for k, number in enumerate(numbers):
            if known[k] is not _VARIES and known[k] != number:
                known[k] = _VARIES
        return [one is _VARIES for one in known]


class Variation:
    """Decides what is a symbol of a graph.

    Args:
        history: what was seen at its place
        dynamic: whether sizes are symbols from the start; if None, once they have varied
    """

    def __init__(self, history: History, dynamic: bool | None) -> None:
        self._history = history
        self.from_start = bool(dynamic) or (dynamic is None and not config.assume_static_by_default)
        self._automatic = dynamic is not False and config.automatic_dynamic_shapes
        # Dimensions that have to stay open: where they are, and their sizes.
        self._promised: list[tuple[str, int, Any]] = []

    def context(self, tensor: Tensor, source: str, is_fixed: bool) -> Any:
        """What the sizes of a tensor are; None if all are numbers.

        Args:
            tensor: the tensor
            source: where it is
            is_fixed: whether it belongs to a module
        """
        if isinstance(tensor, Parameter) and config.force_parameter_static_shapes:
            return None
        if is_fixed and config.force_nn_module_property_static_shapes:
            return None
        sizes = tensor._size_
        has_varied = self._history.varies(source, sizes)
        kinds, said = [], []
        for k, varied in enumerate(has_varied):
            kind, constraint = self._kind(tensor, k, varied)
            kinds.append(kind)
            said.append(constraint)
        if all(kind is DimDynamic.STATIC for kind in kinds):
            return None
        return StatelessSymbolicContext(dynamic_sizes=kinds, constraint_sizes=said)

    def _kind(self, tensor: Tensor, dim: int, varied: bool) -> tuple[DimDynamic, Any]:
        if dim in marks(tensor, UNBACKED):
            return DimDynamic.UNBACKED, None
        if dim in marks(tensor, DYNAMIC):
            for one in marks(tensor, RANGES):
                if one.dim == dim and (one.min is not None or one.max is not None):
                    least = 2 if one.min is None else one.min
                    most = "int_oo" if one.max is None else one.max
                    limits = ValueRanges(least, most)
                    return DimDynamic.DYNAMIC, StrictMinMaxConstraint(False, limits)
            return DimDynamic.DYNAMIC, RelaxedUnspecConstraint(False)
        if dim in marks(tensor, STATIC):
            return DimDynamic.STATIC, None
        if dim in marks(tensor, MAYBE):
            return DimDynamic.DYNAMIC, None
        if varied and self._automatic and config.automatic_dynamic_shapes_mark_as == "unbacked":
            return DimDynamic.UNBACKED, None
        if self.from_start or (varied and self._automatic):
            return DimDynamic.DUCK, None
        return DimDynamic.STATIC, None

    def is_open(self, number: int, source: str) -> bool:
        """Whether an integer of the program is a symbol."""
        (varied,) = self._history.varies(source, [number])
        if config.specialize_int or number in (0, 1):
            return False
        return self.from_start or (varied and self._automatic)

    def promise(self, tensor: Tensor, fake: Tensor, source: str) -> None:
        """Note which dimensions a program has said will vary."""
        self._promised += [
            (source, k, fake._size_[k])
            for k in sorted(marks(tensor, DYNAMIC))
            if k < len(fake._size_) and tensor._size_[k] not in (0, 1)
        ]

    def check(self) -> None:
        """Raise if a size that was said to vary has become a number."""
        if config.allow_ignore_mark_dynamic:
            return
        for source, dim, size in self._promised:
            found = constant_of(size)
            if found is not None:
                raise ConstraintViolationError(
                    f"Constraints violated ({source}.size()[{dim}])! You marked "
                    f"{source}.size()[{dim}] as dynamic but your code specialized it to be a "
                    f"constant ({found}). If you're using mark_dynamic, either remove it or use "
                    "maybe_mark_dynamic."
                )
