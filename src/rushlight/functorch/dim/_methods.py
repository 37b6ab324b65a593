"""All that tensors have, for tensors with first-class dimensions as well."""

from __future__ import annotations

import functools
from typing import Any

import rushlight as torch

# What belongs to the object itself, whatever tensors have.
_OWN = frozenset(
    (
        "__class__", "__new__", "__init__", "__dict__", "__weakref__", "__module__", "__doc__", "__slots__",
        "__getattribute__", "__getattr__", "__setattr__", "__delattr__", "__init_subclass__",
        "__subclasshook__", "__sizeof__", "__dir__", "__hash__", "__repr__", "__str__", "__format__",
        "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__annotations__",
        "__torch_function__", "__torch_dispatch__",
    )
)  # fmt: skip


def attach(owner: type) -> None:
    """Give a class the methods and properties of tensors that it does not have itself."""
    for name in dir(torch.Tensor):
        if name in _OWN or name in owner.__dict__:
            continue
        member = getattr(torch.Tensor, name)
        if callable(member):
            setattr(owner, name, _method(name, member))
        else:
            setattr(owner, name, _property(name, member))


def _method(name: str, member: Any) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self.__torch_function__(member, (type(self),), (self, *args), kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = member.__doc__
    return method


def _property(name: str, member: Any) -> Any:
    @functools.wraps(getattr)
    def read(x: Any) -> Any:
        return getattr(x, name)

    def get(self: Any) -> Any:
        return self.__torch_function__(read, (type(self),), (self,), {})

    return property(get, doc=member.__doc__)
