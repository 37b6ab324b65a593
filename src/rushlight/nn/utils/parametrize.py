"""Tensors of a module that are computed from others each time they are looked at."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import rushlight
from rushlight.engine.core.tensor import Tensor
from rushlight.nn.modules.container import ModuleDict, ModuleList
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization",
    "remove_parametrizations", "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]  # fmt: skip


class _Cache:
    """Values that were computed inside of `cached` blocks."""

    depth = 0
    values: dict[tuple[int, str], Any] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Within the block, parametrized tensors are computed once only."""
    _Cache.depth += 1
    try:
        yield
    finally:
        _Cache.depth -= 1
        if not _Cache.depth:
            _Cache.values = {}


def _register(module: Module, name: str, tensor: Any) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _put(target: Any, value: Any) -> None:
    """Give a tensor the elements and the shape of another, keeping who it is."""
    with rushlight.no_grad():
        target.data = value.detach()


class ParametrizationList(ModuleList):
    """The steps from stored tensors to the one that is seen, and the stored ones.

    Args:
        modules: the steps, first to last
        original: the tensor that is parametrized
        unsafe: let steps change the type and the shape
    """

    original: Any

    def __init__(self, modules: Sequence[Module], original: Any, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        stored = self._first_stored(original)
        self.is_tensor = isinstance(stored, Tensor)
        self.ntensors = 1 if self.is_tensor else len(stored)
        if self.is_tensor:
            if stored.dtype != dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {dtype}\nright_inverse(original).dtype: {stored.dtype}"
                )
            if stored.device != original.device:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the device.\n"
                    f"original.device: {original.device}\n"
                    f"right_inverse(original).device: {stored.device}"
                )
            _put(original, stored)
            _register(self, "original", original)
        else:
            for i, part in enumerate(stored):
                if not isinstance(part, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple"
                        f"...). Got element {i} of the sequence with type {type(part).__name__}."
                    )
                part = Parameter(part, original.requires_grad) if isinstance(
                    original, Parameter
                ) else part  # fmt: skip
                _register(self, f"original{i}", part)
        if not unsafe:
            self._check(self(), shape, dtype)

    def _first_stored(self, original: Any) -> Any:
        """What is stored to begin with, as far as steps can be undone."""
        with rushlight.no_grad():
            stored = original
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    try:
                        stored = module.right_inverse(stored)  # type: ignore[operator]
                    except NotImplementedError:
                        continue
        if not isinstance(stored, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(stored).__name__}"
            )
        return stored

    def _check(self, found: Any, shape: Any, dtype: Any) -> None:
        if not isinstance(found, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(found).__name__}.")
        if found.dtype != dtype:  # type: ignore[attr-defined]
            raise ValueError(
                "Registering a parametrization may not change the dtype of the tensor, unless "
                f"`unsafe` flag is enabled.\nunparametrized dtype: {dtype}\nparametrized dtype: "
                f"{found.dtype}"  # type: ignore[attr-defined]
            )
        if found.shape != shape:  # type: ignore[attr-defined]
            raise ValueError(
                "Registering a parametrization may not change the shape of the tensor, unless "
                f"`unsafe` flag is enabled.\nunparametrized shape: {shape}\nparametrized shape: "
                f"{found.shape}"  # type: ignore[attr-defined]
            )

    def _originals(self) -> list[Any]:
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{i}") for i in range(self.ntensors)]

    def right_inverse(self, value: Any) -> None:
        """Store what gives this value."""
        with rushlight.no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                value = module.right_inverse(value)  # type: ignore[operator]
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(
                        f"`right_inverse` should return a tensor. Got {type(value).__name__}"
                    )
                value = [value]
            elif not isinstance(value, Sequence) or len(value) != self.ntensors:
                raise ValueError(
                    "'right_inverse' must return a sequence of "
                    f"{self.ntensors} tensors. Got {type(value).__name__}."
                )
            for original, part in zip(self._originals(), value):
                if part.dtype != original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {part.dtype} while "
                        f"`original` has dtype {original.dtype}"
                    )
                _put(original, part)

    def forward(self) -> Any:
        """The tensor that is seen."""
        first, *rest = list(self)
        value = first(*self._originals())
        for module in rest:
            value = module(value)
        return value


def _refuse_pickling(self: Any) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict()."
    )


def _deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    if id(self) in memo:
        return memo[id(self)]
    copied = self.__new__(type(self))
    memo[id(self)] = copied
    copied.__dict__ = copy.deepcopy(self.__dict__, memo)
    return copied


def _give_own_class(module: Module) -> None:
    """A class of its own for a module, for the properties."""
    cls = type(module)
    fields = {"__getstate__": _refuse_pickling, "__deepcopy__": _deepcopy}
    fields["__module__"] = __name__  # type: ignore[assignment]
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), fields)


def _give_property(module: Module, name: str) -> None:
    def get(self: Any) -> Any:
        steps = self.parametrizations[name]
        if not _Cache.depth:
            return steps()
        key = (id(self), name)
        if key not in _Cache.values:
            _Cache.values[key] = steps()
        return _Cache.values[key]

    def set(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, set))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Let a parameter or buffer be what the parametrization makes of a stored tensor.

    Args:
        module: whose tensor
        tensor_name: its name
        parametrization: from the stored tensor to the one that is seen; its ``right_inverse``, if
            there is one, goes back
        unsafe: let it change the type and the shape
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        steps = module.parametrizations[tensor_name]  # type: ignore[index]
        if not unsafe:
            _check_further(module, tensor_name, parametrization)
        steps.append(parametrization)
        steps.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        steps = ParametrizationList([parametrization], original, unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _give_own_class(module)
            module.parametrizations = ModuleDict()
        _give_property(module, tensor_name)
        module.parametrizations[tensor_name] = steps  # type: ignore[index, operator]
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with "
            f"name '{tensor_name}'"
        )
    return module


def _check_further(module: Module, name: str, parametrization: Module) -> None:
    """Raise unless one more step, and its inverse, keep the type and the shape of a tensor."""
    seen = getattr(module, name)
    found = parametrization(seen)
    if not isinstance(found, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(found).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(found, what) != getattr(seen, what):
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless the "
                f"`unsafe` flag is enabled.\nmodule.{name}.{what}: {getattr(seen, what)}\n"
                f"parametrization(module.{name}).{what}: {getattr(found, what)}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        stored: Any = parametrization.right_inverse(found)  # type: ignore[operator]
    except NotImplementedError:
        # There is no way back, and none is needed so far.
        return
    if not isinstance(stored, Tensor):
        raise ValueError(
            f"parametrization.right_inverse must return a tensor. Got: {type(stored).__name__}"
        )
    for what in ("dtype", "shape"):
        if getattr(stored, what) != getattr(seen, what):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as "
                f"module.{name}, unless the `unsafe` flag is enabled.\nmodule.{name}.{what}: "
                f"{getattr(seen, what)}\nreturned {what}: {getattr(stored, what)}"
            )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether the module has a parametrized tensor, or one of this name."""
    found = getattr(module, "parametrizations", None)
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Make a parametrized tensor an ordinary one.

    Args:
        module: whose tensor
        tensor_name: its name
        leave_parametrized: keep the value that was seen, not the stored one
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    steps: Any = module.parametrizations[tensor_name]  # type: ignore[index]
    if steps.is_tensor:
        tensor = steps.original
        if leave_parametrized:
            _put(tensor, getattr(module, tensor_name))
    elif leave_parametrized:
        seen = getattr(module, tensor_name)
        tensor = Parameter(seen.detach()) if seen.requires_grad else seen
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized "
            "in terms of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]  # type: ignore[operator, union-attr]
    _register(module, tensor_name, tensor)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class that the module had before it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Let a module have the parametrizations, and the parametrized tensors, of another."""
    if not is_parametrized(from_module):
        return to_module
    names = [tensor_name] if tensor_name is not None else list(from_module.parametrizations)  # type: ignore[arg-type]
    for name in names:
        if not is_parametrized(from_module, name):
            continue
        steps: Any = from_module.parametrizations[name]  # type: ignore[index]
        if not hasattr(to_module, name):
            _register(to_module, name, copy.deepcopy(getattr(from_module, name).detach()))
        for step in steps:
            register_parametrization(to_module, name, copy.deepcopy(step), unsafe=steps.unsafe)
        target: Any = to_module.parametrizations[name]  # type: ignore[index]
        for own, given in zip(target._originals(), steps._originals()):
            _put(own, given.clone())
    return to_module
