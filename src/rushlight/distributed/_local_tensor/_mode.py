"""The mode under which one program is that of all ranks."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, Self, TypeVar, cast

import rushlight as torch
from rushlight.distributed._local_tensor._active import (
    enabled_local_tensor_mode,
    local_tensor_mode,
    simulated_rank,
    thread,
)
from rushlight.distributed._local_tensor._tensor import (
    LocalTensor,
    _is_foreign,
    combined,
    for_each_rank,
    tensors_in,
)
from rushlight.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing

__all__ = [
    "LocalTensorMode",
    "maybe_disable_local_tensor_mode",
    "maybe_run_for_local_tensor",
    "rank_map",
    "tensor_map",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")


class LocalTensorMode(TorchDispatchMode):
    """Within ``with LocalTensorMode(4):`` one program is that of four ranks.

    New tensors are `LocalTensor`\\ s, calls on these are made for each rank, collectives are between the ranks, and
    places in a `DeviceMesh` are integers that differ between ranks. The group of all processes is one of the fake
    backend, with as many ranks.

    Args:
        ranks: how many ranks there are, or which
    """

    def __init__(self, ranks: int | frozenset[int]) -> None:
        if not isinstance(ranks, (int, frozenset)):
            raise AssertionError(f"ranks must be an int or a frozenset, not {type(ranks).__name__}")
        self.ranks = frozenset(range(ranks)) if isinstance(ranks, int) else ranks
        self._disable = True
        self._random = _RandomStates()

    def __enter__(self) -> Self:
        thread.modes.append(self)
        self._disable = False
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        thread.modes.pop()
        self._disable = True
        super().__exit__(*error)

    @contextlib.contextmanager
    def disable(self) -> Iterator[None]:
        """Within the block new tensors are plain ones, and meshes those of this process."""
        before, self._disable = self._disable, True
        try:
            yield
        finally:
            self._disable = before

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        given = list(tensors_in((args, kwargs)))
        if any(map(_is_foreign, given)):
            return NotImplemented
        local = [x for x in given if isinstance(x, LocalTensor)]
        # What is done with plain tensors stays plain, as calls for one rank are such.
        if not local and (self._disable or given):
            return func(*args, **kwargs)
        for x in local:
            if not x._ranks <= self.ranks:
                raise AssertionError(
                    f"a LocalTensor of ranks {sorted(x._ranks)} in a LocalTensorMode of ranks {sorted(self.ranks)}"
                )
        if func.namespace == "_c10d_functional":
            return self._collective(func, args, kwargs)
        ranks = frozenset.intersection(self.ranks, *(x._ranks for x in local))
        return self._made(func, ranks, args, kwargs)

    def _collective(self, func: Any, args: Any, kwargs: Any) -> Any:
        """A functional collective: what it does on tensors with elements, which asks the group."""
        from rushlight.distributed._functional_collectives import kernel_of

        with _again(self):
            return kernel_of(func)(*args, **kwargs)

    def _made(self, func: Any, ranks: frozenset[int], args: Any, kwargs: Any) -> Any:
        """An operator's call, for each rank."""
        if "nondeterministic_seeded" in func.declared_tags:
            call = self._random.of(func)
        else:
            call = func
        found = for_each_rank(call, ranks, args, kwargs)
        result = combined(_filled(found, func, args, kwargs))
        return return_and_correct_aliasing(func, args, kwargs, result)

    # -- functions for each rank --
    def rank_map(self, cb: Callable[[int], torch.Tensor]) -> LocalTensor:
        """The tensor that has on each rank what a function gives for it.

        Args:
            cb: called with each rank
        """
        with self.disable():
            return LocalTensor({rank: cb(rank) for rank in sorted(self.ranks)})

    def tensor_map(
        self, tensor: LocalTensor, cb: Callable[[int, torch.Tensor], torch.Tensor | None]
    ) -> LocalTensor:
        """The tensor that has on each rank what a function makes of that rank's.

        Args:
            tensor: what each rank has
            cb: called with each rank and its tensor; ranks for which it gives None have no part in the result
        """
        with self.disable():
            found = {rank: cb(rank, x) for rank, x in sorted(tensor._local_tensors.items())}
            return LocalTensor({rank: x for rank, x in found.items() if x is not None})


@contextlib.contextmanager
def _again(mode: LocalTensorMode) -> Iterator[None]:
    """Within the block a mode that is answering a call, and so is off, sees calls."""
    with LocalTensorMode(mode.ranks) as inner:
        inner._random = mode._random
        yield


class _RandomStates:
    """The states of the ranks' generators, which are the process's own one as long as all are equal."""

    def __init__(self) -> None:
        self.states: dict[int, torch.Tensor] = {}
        # The process's, as the last call has left it: who seeds it afterwards seeds all ranks.
        self.left: torch.Tensor | None = None

    def of(self, func: Any) -> Callable[..., Any]:
        """A function that draws numbers, called with the state of the rank that it is called for."""
        start = torch.get_rng_state()
        if self.left is None or not self.left.equal(start):
            self.states.clear()

        def call(*args: Any, **kwargs: Any) -> Any:
            rank = simulated_rank()
            assert rank is not None
            torch.set_rng_state(self.states.get(rank, start))
            result = func(*args, **kwargs)
            self.left = self.states[rank] = torch.get_rng_state()
            return result

        return call


def _filled(found: dict[int, Any], func: Any, args: Any, kwargs: Any) -> dict[int, Any]:
    """Lists of pieces as long on all ranks: where a dimension gives fewer, empty pieces are added."""
    lengths = {len(x) for x in found.values() if isinstance(x, (list, tuple))}
    names = [argument.name for argument in func.schema.arguments]
    if len(lengths) < 2 or "dim" not in names:
        return found
    place = names.index("dim")
    dim = args[place] if place < len(args) else kwargs.get("dim", 0)

    def filled(pieces: Any) -> list[Any]:
        empty = [pieces[-1].narrow(dim, 0, 0)] * (max(lengths) - len(pieces))
        return [*pieces, *empty]

    return {rank: filled(pieces) for rank, pieces in found.items()}


def maybe_run_for_local_tensor(func: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function be called for each rank by itself where ranks are simulated.

    Then it gets that rank's tensors and integers, places in meshes are that rank's, and the result is one for all:
    tensors become a `LocalTensor`, integers that differ a `torch.SymInt`. So it may do what differs between ranks. It
    must have no effects, and call no collectives.

    Args:
        func: the function
    """

    @functools.wraps(func)
    def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        mode = enabled_local_tensor_mode() if thread.modes else None
        if mode is None:
            return func(*args, **kwargs)
        with mode.disable():
            return cast("_R", combined(for_each_rank(func, mode.ranks, args, kwargs)))

    return wrapper


def rank_map(cb: Callable[[int], torch.Tensor]) -> torch.Tensor:
    """What a function makes of this process's rank, or for each simulated rank.

    Args:
        cb: called with a rank
    """
    mode = enabled_local_tensor_mode()
    return cb(torch.distributed.get_rank()) if mode is None else mode.rank_map(cb)


def tensor_map(
    tensor: torch.Tensor, cb: Callable[[int, torch.Tensor], torch.Tensor | None]
) -> torch.Tensor:
    """What a function makes of this process's rank and a tensor, or for each simulated rank.

    Args:
        tensor: this process's, or a `LocalTensor`
        cb: called with a rank and its tensor
    """
    mode = enabled_local_tensor_mode()
    if mode is not None:
        if not isinstance(tensor, LocalTensor):
            raise AssertionError(f"Expected LocalTensor, got {type(tensor)}")
        return mode.tensor_map(tensor, cb)
    made = cb(torch.distributed.get_rank(), tensor)
    if made is None:
        raise AssertionError("callback returned None")
    return made


def maybe_disable_local_tensor_mode() -> contextlib.AbstractContextManager[None]:
    """Within the block new tensors are plain ones, if there is a mode."""
    mode = local_tensor_mode()
    return contextlib.nullcontext() if mode is None else mode.disable()
