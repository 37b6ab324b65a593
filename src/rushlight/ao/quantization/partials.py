"""Classes with some of their arguments given, which configurations are made of."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


class _PartialWrapper:
    """A class, and arguments for it; called, it makes an object.

    Args:
        p: a `functools.partial` of the class
    """

    def __init__(self, p: Any) -> None:
        self.p = p
        self.callable_args: dict[str, Callable[[], Any]] = {}

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        made = {name: make() for name, make in self.callable_args.items() if name not in keywords}
        return self.p(*args, **{**made, **keywords})

    def __repr__(self) -> str:
        return self.p.__repr__() + self.callable_args.__repr__()

    def with_args(self, **kwargs: Any) -> _PartialWrapper:
        """The same with more arguments."""
        return _with_args(self, **kwargs)

    def with_callable_args(self, **kwargs: Any) -> _PartialWrapper:
        """The same with arguments that are made anew for each object."""
        result = _PartialWrapper(functools.partial(self))
        result.callable_args = {**self.callable_args, **kwargs}
        return result

    def _key(self) -> Any:
        p = self.p
        inner = p.func._key() if isinstance(p.func, _PartialWrapper) else p.func
        return inner, p.args, tuple(sorted(p.keywords.items(), key=lambda item: item[0]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _PartialWrapper) and other._key() == self._key()

    __hash__ = object.__hash__


def _with_args(cls_or_self: Any, **kwargs: Any) -> _PartialWrapper:
    return _PartialWrapper(functools.partial(cls_or_self, **kwargs))


def _with_callable_args(cls_or_self: Any, **kwargs: Any) -> _PartialWrapper:
    return _PartialWrapper(functools.partial(cls_or_self)).with_callable_args(**kwargs)
