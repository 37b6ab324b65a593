"""Modules that hold others: in a row, in a list, by name."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _position(index: Any, length: int) -> int:
    """An index into so many items, counted from the end if it is negative."""
    index = operator.index(index)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


class _Row(Module):
    """What `Sequential` and `ModuleList` have in common: modules named by their position."""

    def _key(self, index: Any) -> str:
        return list(self._modules)[_position(index, len(self))]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._part(list(self._modules.items())[index])
        return self._modules[self._key(index)]

    def _part(self, items: list[tuple[str, Any]]) -> Any:
        raise NotImplementedError

    def __setitem__(self, index: Any, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: Any) -> None:
        keys = list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]
        for key in keys:
            delattr(self, key)
        kept = list(self._modules.values())
        self._modules.clear()
        self._modules.update({str(i): module for i, module in enumerate(kept)})

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, module: Module) -> Any:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Put a module before a position."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        count = len(self)
        if not -count <= index <= count:
            raise IndexError(f"Index out of range: {index}")
        items = list(self._modules.values())
        items.insert(index, module)
        self._modules.clear()
        self._modules.update({str(i): item for i, item in enumerate(items)})
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"{type(self).__name__}.extend should be called with an iterable, but got "
                f"{type(modules).__name__}"
            )
        for module in list(modules):
            self.append(module)
        return self

    def pop(self, index: int | slice = -1) -> Any:
        """Take a module out and give it."""
        found = self[index]
        del self[index]
        return found


class Sequential(_Row):
    """Modules called one after the other, each on what the last one gave."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for index, module in enumerate(args):
                self.add_module(str(index), module)

    def _part(self, items: list[tuple[str, Any]]) -> Any:
        return type(self)(OrderedDict(items))

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)  # type: ignore[misc]
        return input

    def __add__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        for module in list(other):
            self.append(module)
        return self

    def __mul__(self, times: int) -> Sequential:
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return Sequential(*chain.from_iterable([list(self)] * times))

    __rmul__ = __mul__


class ModuleList(_Row):
    """A list of modules."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _part(self, items: list[tuple[str, Any]]) -> Any:
        return type(self)([module for _, module in items])

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)  # type: ignore[no-any-return]

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        """Neighbours that print alike are shown once, with how many there are."""
        texts = [repr(item) for item in self]
        if not texts:
            return self._get_name() + "()"
        runs: list[list[Any]] = []
        for index, text in enumerate(texts):
            if runs and runs[-1][2] == text:
                runs[-1][1] = index
            else:
                runs.append([index, index, text])
        lines = []
        for first, last, text in runs:
            where = f"({first})" if first == last else f"({first}-{last})"
            many = "" if first == last else f"{last - first + 1} x "
            lines.append(f"{where}: {many}{text}")
        inside = "\n".join("  " + line for line in "\n".join(lines).split("\n"))
        return f"{self._get_name()}(\n{inside}\n)"


class ModuleDict(Module):
    """Modules by name."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]  # type: ignore[return-value]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Drop all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Take a module out and give it."""
        return self._modules.pop(key)  # type: ignore[return-value]

    def keys(self) -> Iterable[str]:
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules from a mapping or from pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(modules).__name__}"
            )
        if isinstance(modules, (OrderedDict, ModuleDict, Mapping)):
            modules = list(modules.items())
        for index, pair in enumerate(modules):
            if not isinstance(pair, Iterable):
                raise TypeError(
                    f"ModuleDict update sequence element #{index} should be Iterable; is "
                    f"{type(pair).__name__}"
                )
            pair = list(pair)
            if len(pair) != 2:
                raise ValueError(
                    f"ModuleDict update sequence element #{index} has length {len(pair)}; 2 is "
                    "required"
                )
            self[pair[0]] = pair[1]


class ParameterList(Module):
    """A list of parameters; tensors that are put in become parameters."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size_ = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            made = type(self)()
            for place in range(*index.indices(len(self))):
                made.append(self[place])
            return made
        return getattr(self, str(_position(index, len(self))))

    def __setitem__(self, index: int, value: Any) -> None:
        place = _position(index, len(self))
        setattr(self, str(place), _as_parameter(value))

    def __len__(self) -> int:
        return self._size_

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __iadd__(self, values: Iterable[Any]) -> ParameterList:
        return self.extend(values)

    def append(self, value: Any) -> ParameterList:
        """Add a value at the end."""
        place = len(self)
        self._size_ += 1
        self[place] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add values at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got "
                f"{type(values).__name__}"
            )
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(f"  ({i}): {_described(value, 'dtype')}" for i, value in enumerate(self))


class ParameterDict(Module):
    """Parameters by name; tensors that are put in become parameters."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, str(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, str(key), _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, str(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def __or__(self, other: ParameterDict) -> ParameterDict:
        made = self.copy()
        made.update(other)
        return made

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self

    def copy(self) -> ParameterDict:
        """The same parameters in another one."""
        return ParameterDict(OrderedDict((k, self[k]) for k in self._keys))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value under a key, which is set if there is none."""
        if key not in self._keys:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Drop all values."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Take a value out and give it."""
        found = self[key]
        del self[key]
        return found

    def popitem(self) -> tuple[str, Any]:
        """Take the last value out and give it with its key."""
        key = next(reversed(list(self._keys)))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value under a key, or the default."""
        return self.get(key, default)

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """One value under several keys."""
        return ParameterDict(dict.fromkeys(keys, default))

    def keys(self) -> Iterable[str]:
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add values from a mapping or from pairs."""
        pairs = parameters.items() if hasattr(parameters, "items") else parameters
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            pairs = sorted(pairs)
        for key, value in pairs:
            self[key] = value

    def extra_repr(self) -> str:
        return "\n".join(f"  ({key}): {_described(value, 'type')}" for key, value in self.items())


def _as_parameter(value: Any) -> Any:
    is_plain = isinstance(value, Tensor) and not isinstance(value, Parameter)
    return Parameter(value) if is_plain else value


def _described(value: Any, names_by: str) -> str:
    """A line about an item; lists name tensors by their element type, dictionaries by their class."""
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(map(str, value._size_))
    type_name = value._dtype_ if names_by == "dtype" else value.type()  # type: ignore[attr-defined]
    return f"{kind} containing: [{type_name} of size {size}]"
