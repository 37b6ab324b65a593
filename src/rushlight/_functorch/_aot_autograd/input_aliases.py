"""Arguments that are the same tensor, or share elements of which some are changed: made one argument.

Each pass gives a program of fewer arguments, which takes the others from these, and what calls it has to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight._functorch._aot_autograd.functional_utils import gen_alias_from_base
from rushlight._functorch._aot_autograd.schemas import InputAliasInfo
from rushlight._functorch._aot_autograd.utils import format_guard_bug_msg
from rushlight.engine.core.tensor import Tensor

__all__ = ["Duplicates", "SyntheticBases"]


class Duplicates:
    """Arguments of which each tensor is one.

    Args:
        args: those of the first call
    """

    def __init__(self, args: Sequence[Any]) -> None:
        seen: dict[int, int] = {}
        # The place of each argument among those that stay, and the places of these among all.
        self.places: list[int] = []
        self.kept: list[int] = []
        for index, arg in enumerate(args):
            if isinstance(arg, Tensor) and id(arg) in seen:
                self.places.append(seen[id(arg)])
                continue
            if isinstance(arg, Tensor):
                seen[id(arg)] = len(self.kept)
            self.places.append(len(self.kept))
            self.kept.append(index)

    @property
    def are_there(self) -> bool:
        return len(self.kept) < len(self.places)

    def without(self, args: Sequence[Any]) -> list[Any]:
        """The arguments that stay."""
        return [args[index] for index in self.kept]

    def inner(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """A program of the arguments that stay."""
        return lambda *args: fn(*(args[place] for place in self.places))

    def outer(
        self, compiled: Callable[[list[Any]], Any], number: int
    ) -> Callable[[list[Any]], Any]:
        """What calls it, the program of a number, with all arguments."""

        def run(args: list[Any]) -> Any:
            for index, place in enumerate(self.places):
                one, other = args[index], args[self.kept[place]]
                if isinstance(one, Tensor) and one is not other:
                    raise AssertionError(
                        format_guard_bug_msg(
                            number,
                            f"input {index} would be a duplicate of input {self.kept[place]}",
                        )
                    )
            given = self.without(args)
            args.clear()
            return compiled(given)

        return run


def _extent(tensor: Any) -> tuple[Any, Any]:
    """The first element of a tensor in its storage, and the one after its last, in bytes."""
    reach = sum((size - 1) * stride for size, stride in zip(tensor._size_, tensor._stride_))
    first = tensor._offset_
    return first * tensor.itemsize, (first + reach + 1) * tensor.itemsize


def _overlap(one: Any, other: Any) -> bool:
    if 0 in one._size_ or 0 in other._size_:
        return False
    (a, b), (c, d) = _extent(one), _extent(other)
    return bool(a < d and c < b)


class SyntheticBases:
    """Arguments that share elements, some of which are changed, given as the tensor that they are views of.

    Args:
        args: the arguments of the first call
        infos: what the program does to each
    """

    def __init__(self, args: Sequence[Any], infos: Sequence[InputAliasInfo]) -> None:
        # Groups of places of arguments that share elements.
        self.groups = [
            group
            for group in _groups(args)
            if len(group) > 1 and any(infos[index].mutates_data for index in group)
        ]
        merged = {index for group in self.groups for index in group}
        self.others = [index for index in range(len(args)) if index not in merged]
        self.count = len(args)
        # Those that are to be given other sizes and strides, too.
        self.turned = [index for index in sorted(merged) if infos[index].mutates_metadata]

    @property
    def are_there(self) -> bool:
        return bool(self.groups)

    def bases(self, args: Sequence[Any]) -> list[Any]:
        """The arguments of the program: bases, then those that share nothing."""
        made = []
        for group in self.groups:
            members = [args[index] for index in group]
            found = {id(x if x._base is None else x._base) for x in members}
            if len(found) == 1:
                made.append(members[0] if members[0]._base is None else members[0]._base)
                continue
            if any(x.requires_grad for x in members):
                raise RuntimeError(
                    "aot_autograd() does not yet handle differentiable arguments that share elements, some of "
                    "which are changed, and are no views of one tensor"
                )
            count = members[0].untyped_storage().nbytes() // members[0].itemsize
            made.append(members[0].detach().as_strided_((count,), (1,), 0))
        return [*made, *(args[index] for index in self.others)]

    def described(self, inputs: Sequence[Any]) -> list[Any]:
        """What the arguments of the program are, of what all arguments are."""
        # Programs that are only compiled need no words for their arguments.
        from rushlight._functorch._aot_autograd.descriptors import ViewBaseAOTInput

        bases = [ViewBaseAOTInput(inputs[group[0]]) for group in self.groups]
        return [*bases, *(inputs[index] for index in self.others)]

    def inner(self, fn: Callable[..., Any], like: Sequence[Any]) -> Callable[..., Any]:
        """A program of bases and other arguments.

        Args:
            fn: a program of all arguments
            like: tensors like its arguments
        """

        def run(*args: Any) -> Any:
            given: list[Any] = [None] * self.count
            for group, base in zip(self.groups, args):
                for index in group:
                    wants = like[index].requires_grad
                    given[index] = gen_alias_from_base(base, like[index], wants)
            for index, arg in zip(self.others, args[len(self.groups) :]):
                given[index] = arg
            outs = fn(*given)
            return [*outs, *(given[index] for index in self.turned)]

        return run

    def outer(
        self, compiled: Callable[[list[Any]], Any], number: int
    ) -> Callable[[list[Any]], Any]:
        """What calls it with all arguments."""

        def run(args: list[Any]) -> Any:
            outs = compiled(self.bases(args))
            if self.turned:
                outs = list(outs)
                for index, made in zip(self.turned, outs[-len(self.turned) :]):
                    args[index].as_strided_(made.size(), made.stride(), made.storage_offset())
                outs = outs[: -len(self.turned)]
            args.clear()
            return outs

        return run


def _groups(args: Sequence[Any]) -> list[list[int]]:
    """Places of arguments, those together that share elements."""
    groups: list[list[int]] = []
    for index, arg in enumerate(args):
        if (
            not isinstance(arg, Tensor)
            or not hasattr(arg, "_storage_")
            or arg.layout is not rushlight.strided
        ):  # type: ignore[attr-defined]
            continue
        touched = [
            group
            for group in groups
            if any(args[k]._storage_ is arg._storage_ and _overlap(args[k], arg) for k in group)
        ]
        joined = sorted([index, *(k for group in touched for k in group)])
        groups = [group for group in groups if group not in touched] + [joined]
    return groups
