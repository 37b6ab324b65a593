"""Checkpoints whose saved tensors are recomputed, by a second call, when they are asked for."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.autograd.grad_mode import enable_grad
from rushlight.autograd.graph import saved_tensors_hooks
from rushlight.engine.autograd import backward, saved
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.utils._surroundings import Surroundings


class CheckpointError(RuntimeError):
    """The part of the computation did something else when it was run again."""


def noop_context_fn() -> tuple[Any, Any]:
    """Contexts for the first and the second run that do nothing."""
    return contextlib.nullcontext(), contextlib.nullcontext()


class _Done(Exception):
    """All that was saved in the first call has been recomputed."""


class _Holder:
    """Stands for a saved tensor."""

    __slots__ = ("__weakref__", "frame", "place")

    def __init__(self, frame: _Frame, place: int) -> None:
        self.frame = frame
        self.place = place


class _Frame:
    """One checkpoint: what its first call saved, and how to make that again.

    The arguments are kept as any node keeps them, so that an outer checkpoint makes them again too.
    """

    def __init__(self, run: Callable[..., Any], args: Sequence[Any], early_stop: bool) -> None:
        self.run = run
        self.early_stop = early_stop
        self.arguments = [keep(item) for item in args]
        self.holders: list[weakref.ref[_Holder]] = []
        self.facts: list[Any] = []
        # What a pass has recomputed: place -> tensor.
        self.made: weakref.WeakKeyDictionary[Any, dict[int, Any]] = weakref.WeakKeyDictionary()
        self.compare: Any = compare_facts
        self.is_complete = False
        self.log: _Log | None = None

    def pack(self, tensor: Any) -> _Holder:
        holder = _Holder(self, len(self.holders))
        self.holders.append(weakref.ref(holder))
        self.facts.append(facts_of(tensor))
        return holder

    def unpack(self, holder: _Holder) -> Any:
        passes = backward.running.passes
        key = passes[-1] if passes else self
        made = self.made.get(key)
        if made is None or holder.place not in made:
            made = self.made[key] = self.again()
        found = made.pop(holder.place)
        if not passes:
            del self.made[key]
        return found

    def again(self) -> dict[int, Any]:
        """Call the function once more and catch what it saves."""
        catch = _Catch(self)
        log = _Log() if self.log is not None else contextlib.nullcontext()
        args = [item() for item in self.arguments]
        hooks = saved_tensors_hooks(catch.pack, catch.unpack)
        with contextlib.suppress(_Done), log, hooks, enable_grad():
            self.run(*args)
        try:
            self.check(catch)
        except CheckpointError as error:
            if self.log is None:
                raise
            raise CheckpointError(f"{error}\n{self.log.beside(log)}") from None
        return catch.made

    def check(self, catch: _Catch) -> None:
        if not self.is_complete:
            return
        if len(self.holders) != catch.count:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self.holders)}\n"
                f"Number of tensors saved during recomputation: {catch.count}.\n{HINT}"
            )
        if not self.compare:
            return
        differences = [
            f"tensor at position {place}:\nsaved metadata: {self.facts[place]}\n"
            f"recomputed metadata: {facts}"
            for place, facts in catch.facts.items()
            if not self.compare(self.facts[place], facts)
        ]
        if differences:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different "
                "metadata than during the forward pass.\n" + "\n".join(differences) + f".\n{HINT}"
            )


HINT = "Pass debug=True to checkpoint to see the operators of both calls."


class _Catch:
    """The second call's hooks: they keep what the first call's holders stand for."""

    def __init__(self, frame: _Frame) -> None:
        self.frame = frame
        self.count = 0
        self.made: dict[int, Any] = {}
        self.facts: dict[int, Any] = {}

    def pack(self, tensor: Any) -> Any:
        frame, place = self.frame, self.count
        self.count += 1
        plain = tensor.detach()
        if place >= len(frame.holders):
            if frame.is_complete:
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than "
                    f"during the original forward pass.\n{HINT}"
                )
            return plain
        if frame.holders[place]() is not None:
            self.made[place] = plain
            self.facts[place] = facts_of(tensor)
        if frame.early_stop and frame.is_complete and self.count == len(frame.holders):
            raise _Done
        return plain

    @staticmethod
    def unpack(packed: Any) -> Any:
        return packed


def facts_of(tensor: Any) -> dict[str, Any]:
    """What must be the same of a tensor that is recomputed."""
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


def compare_facts(one: Any, other: Any) -> bool:
    """Whether a tensor recomputed is like the first."""
    return bool(one == other)


CHECKS: dict[str, Any] = {"default": compare_facts, "none": None}


def keep(item: Any) -> Callable[[], Any]:
    """A function that gives an argument back; a tensor is kept as nodes keep tensors."""
    if not isinstance(item, Tensor):
        return lambda: item
    kept: Any = saved.pair_of(item)
    if saved.hooks.active and state.thread.grad_enabled:
        (kept,) = saved.pack_all((kept,))
    node: Any = None
    return lambda: saved.unpack(kept, node)


class _Log(TorchDispatchMode):
    """Notes the operators that are called."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        self.lines.append(func.full_name)
        return func(*args, **(kwargs or {}))

    def beside(self, again: Any) -> str:
        return (
            "Operators of the first call:\n  " + "\n  ".join(self.lines) + "\n"
            "Operators of the second call:\n  " + "\n  ".join(again.lines)
        )


def without_reentry(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    preserve: bool,
    context_fn: Callable[[], tuple[Any, Any]],
    determinism_check: str,
    debug: bool,
    early_stop: bool,
) -> Any:
    """Call a function; saved tensors are recomputed, by another call, when they are asked for."""
    if determinism_check not in CHECKS:
        raise ValueError(
            f"determinism_check should be one of {list(CHECKS)}, but got {determinism_check}"
        )
    if debug and context_fn is not noop_context_fn:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    first, second = context_fn()
    if not state.thread.grad_enabled:
        with first:
            return function(*args, **kwargs)
    surroundings = Surroundings(preserve)
    names = list(kwargs)

    def again(*given: Any) -> Any:
        inner = given[: len(args)]
        named = dict(zip(names, given[len(args) :]))
        with surroundings.again(), second:
            return function(*inner, **named)

    frame = _Frame(again, (*args, *kwargs.values()), early_stop)
    frame.compare = CHECKS[determinism_check]
    log: Any = _Log() if debug else contextlib.nullcontext()
    frame.log = log if debug else None
    with log, saved_tensors_hooks(frame.pack, lambda holder: holder.frame.unpack(holder)), first:
        result = function(*args, **kwargs)
    frame.is_complete = True
    return result
