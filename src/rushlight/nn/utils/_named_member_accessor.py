"""Tensors and modules within a module, by their dotted names: read, set, deleted, exchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.nn.modules.module import Module

__all__ = ["NamedMemberAccessor", "set_tensor", "swap_submodule", "swap_tensor"]

# Stands for a tensor that is not there.
_MISSING: Any = object()


def _check_module(module: Any) -> None:
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")


def _check_tensor(tensor: Any, what: str = "") -> None:
    if tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"{what}{tensor} is not an instance of torch.Tensor")


def _check_name(name: str, what: str) -> None:
    if "." in name:
        raise KeyError(f'{what} name can\'t contain "."')
    if name == "":
        raise KeyError(f'{what} name can\'t be empty string ""')


def _table(module: Any, name: str) -> Any:
    """The parameters or the buffers, if one of them is of this name."""
    for table in (module._parameters, module._buffers):
        if name in table:
            return table
    return None


def set_tensor(module: Module, name: str, tensor: Any) -> None:
    """Give a parameter, a buffer or another attribute of a module a new value."""
    _check_module(module)
    _check_tensor(tensor)
    _check_name(name, "tensor")
    table = _table(module, name)
    if table is None:
        setattr(module, name, tensor)
    else:
        table[name] = tensor


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Any:
    """Give a parameter, a buffer or another attribute a new value; the old one.

    Args:
        allow_missing: there need not be such an attribute
    """
    _check_module(module)
    if tensor is not _MISSING:
        _check_tensor(tensor)
    _check_name(name, "tensor")
    table = _table(module, name)
    if table is None:
        return _swap_attribute(module, name, tensor, allow_missing)
    before = table[name]
    if tensor is _MISSING:
        del table[name]
    else:
        table[name] = tensor
    return before


def _swap_attribute(module: Any, name: str, tensor: Any, allow_missing: bool) -> Any:
    before = getattr(module, name, _MISSING)
    if before is not _MISSING:
        _check_tensor(before, f"attribute `{name}`: ")
    elif not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif before is not _MISSING:
        delattr(module, name)
    return before


def swap_submodule(module: Module, name: str, submodule: Module) -> Module:
    """Put another module in the place of a submodule; the one that was there."""
    _check_module(module)
    _check_module(submodule)
    _check_name(name, "submodule")
    if name not in module._modules:
        raise KeyError(f"submodule {name} does not exist")
    before = module._modules[name]
    if not isinstance(before, Module):
        raise TypeError(f"{name} attribute is not an instance of torch.nn.Module")
    module._modules[name] = submodule
    return before


class NamedMemberAccessor:
    """Tensors and modules within a module, by their dotted names. Found modules are remembered.

    Args:
        module: the module
    """

    def __init__(self, module: Module) -> None:
        self.module = module
        self.memo: dict[str, Module] = {}

    def get_submodule(self, name: str) -> Module:
        """The module of a dotted name; the module itself for an empty one."""
        if not name:
            return self.module
        if name not in self.memo:
            prefix, _, last = name.rpartition(".")
            owner = self.get_submodule(prefix)
            found = getattr(owner, last, _MISSING)
            if found is _MISSING:
                raise AttributeError(f"{owner._get_name()} has no attribute `{last}`")
            if not isinstance(found, Module):
                raise TypeError(
                    f"submodule `{name}`: {found} is not an instance of torch.nn.Module"
                )
            self.memo[name] = found
        return self.memo[name]

    def _owner(self, name: str) -> tuple[Module, str]:
        prefix, _, last = name.rpartition(".")
        return self.get_submodule(prefix), last

    def swap_submodule(self, path: str, value: Module) -> Module:
        """Put another module in the place of one; the one that was there."""
        owner, last = self._owner(path)
        before = swap_submodule(owner, last, value)
        # What was found within the old one is not there any more.
        kept = self.memo.items()
        self.memo = {k: m for k, m in kept if k != path and not k.startswith(path + ".")}
        return before

    def get_tensor(self, name: str) -> Tensor:
        """The tensor of a dotted name."""
        owner, last = self._owner(name)
        found = getattr(owner, last, _MISSING)
        if found is _MISSING:
            raise AttributeError(f"{owner._get_name()} has no attribute `{last}`")
        _check_tensor(found)
        return found  # type: ignore[no-any-return]

    def set_tensor(self, name: str, value: Any) -> None:
        """Give the tensor of a dotted name a new value."""
        owner, last = self._owner(name)
        set_tensor(owner, last, value)

    def del_tensor(self, name: str) -> None:
        """Take the tensor of a dotted name away."""
        owner, last = self._owner(name)
        if not hasattr(owner, last):
            raise AttributeError(f"{owner._get_name()} has no attribute `{last}`")
        delattr(owner, last)

    def swap_tensor(self, name: str, value: Any, allow_missing: bool = False) -> Any:
        """Give the tensor of a dotted name a new value; the old one."""
        owner, last = self._owner(name)
        return swap_tensor(owner, last, value, allow_missing)

    def get_tensors(self, names: Iterable[str]) -> list[Tensor]:
        """The tensors of several names."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names: Iterable[str], values: Iterable[Any]) -> None:
        """Give the tensors of several names new values."""
        for name, value in _pairs(names, values):
            self.set_tensor(name, value)

    def set_tensors_dict(self, named_tensors: Mapping[str, Any]) -> None:
        """Give tensors new values, by name."""
        for name, value in named_tensors.items():
            self.set_tensor(name, value)

    def del_tensors(self, names: Iterable[str]) -> None:
        """Take the tensors of several names away."""
        for name in names:
            self.del_tensor(name)

    def swap_tensors(
        self, names: Iterable[str], values: Iterable[Any], allow_missing: bool = False
    ) -> list[Any]:
        """Give the tensors of several names new values; the old ones."""
        pairs = _pairs(names, values)
        return [self.swap_tensor(name, value, allow_missing) for name, value in pairs]

    def swap_tensors_dict(
        self, named_tensors: Mapping[str, Any], allow_missing: bool = False
    ) -> tuple[dict[str, Any], list[str]]:
        """Give tensors new values, by name: the old ones, and the names that were not there.

        All of them change, or none.
        """
        before: dict[str, Any] = {}
        try:
            for name, value in named_tensors.items():
                before[name] = self.swap_tensor(name, value, allow_missing=True)
            missing = [name for name, old in before.items() if old is _MISSING]
            if missing and not allow_missing:
                raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        except Exception:
            for name, old in before.items():
                self.swap_tensor(name, old, allow_missing=True)
            raise
        return before, missing

    def check_keys(self, keys: Iterable[str]) -> tuple[list[str], list[str]]:
        """The names of tensors that are not among some names, and the names that no tensor has."""
        given = set(keys)
        own = {name for name, _ in self.named_tensors(remove_duplicate=False)}
        return sorted(own - given), sorted(given - own)

    def named_parameters(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """All parameters."""
        return iter(self.module.named_parameters(remove_duplicate=remove_duplicate))

    def named_buffers(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """All buffers."""
        return iter(self.module.named_buffers(remove_duplicate=remove_duplicate))

    def named_tensors(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """All parameters, then all buffers."""
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """All modules within."""
        return iter(self.module.named_modules(remove_duplicate=remove_duplicate))


def _pairs(names: Iterable[str], values: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    names, values = list(names), list(values)
    if len(names) != len(values):
        raise AssertionError(
            f"expected as many names as values, got {len(names)} and {len(values)}"
        )
    return zip(names, values)
