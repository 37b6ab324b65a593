"""Dimensions by name: which sizes vary, between which numbers, and how they depend on each other."""

from __future__ import annotations

import enum
from typing import Any

from rushlight.engine.native.records import dataclass

__all__ = ["DerivedDim", "Dim", "DimHint", "DimHintType", "StaticDim", "dims"]

# What stands for "no limit" where sizes are told.
NO_LIMIT = "int_oo"
_MOST = (1 << 63) - 2
_LINEAR = "(Only increasing linear operations with integer coefficients are supported.)"


class DimHintType(enum.Enum):
    """Who decides whether a size varies."""

    AUTO = enum.auto()
    STATIC = enum.auto()
    DYNAMIC = enum.auto()


@dataclass
class DimHint:
    """What is said of a size that has no name.

    Args:
        type: who decides whether it varies
        min: the least that it is
        max: the most that it is
    """

    type: DimHintType
    min: int | None = None
    max: int | None = None
    _factory: bool | None = True

    @staticmethod
    def AUTO() -> DimHint:
        """The size varies if the program allows it."""
        return DimHint(DimHintType.AUTO)

    @staticmethod
    def DYNAMIC() -> DimHint:
        """The size varies, or export fails."""
        return DimHint(DimHintType.DYNAMIC)

    @staticmethod
    def STATIC() -> DimHint:
        """The size is always the same."""
        return DimHint(DimHintType.STATIC)

    def __call__(self, min: int | None = None, max: int | None = None) -> DimHint:
        """The same with limits."""
        if not self._factory:
            raise TypeError(f"'{type(self)}' object is not callable")
        for name, limit in (("min", min), ("max", max)):
            if limit is not None and limit < 0:
                raise AssertionError(f"{name} must be non-negative, got {limit}")
        if min is not None and max is not None and min > max:
            raise AssertionError(f"min must be <= max, got min={min}, max={max}")
        return DimHint(self.type, min=min, max=max, _factory=False)

    def __repr__(self) -> str:
        limits = [f"{n}={v}" for n, v in (("min", self.min), ("max", self.max)) if v is not None]
        return f"DimHint({', '.join([self.type.name, *limits])})"


def described(name: str, least: Any, most: Any) -> str:
    """The call that makes a dimension, as messages suggest it."""
    limits = [] if least in (None, 2) else [f"min={least}"]
    limits += [] if most in (None, NO_LIMIT) else [f"max={most}"]
    return f"Dim({', '.join([repr(name), *limits])})"


class Dim:
    """A size that varies, by name; sizes of one name are equal.

    Args:
        name: an identifier
        min: the least that it is
        max: the most that it is
    """

    AUTO = DimHint.AUTO()
    DYNAMIC = DimHint.DYNAMIC()
    STATIC = DimHint.STATIC()

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:
        if min is not None and max is not None and max <= min:
            raise AssertionError(f"Cannot create Dim with inconsistent min={min}, max={max}")
        if not name.isidentifier():
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        self.__name__ = name
        self._least = 0 if min is None else min
        self._most: Any = NO_LIMIT if max is None else max

    @property
    def min(self) -> Any:
        """The least that it is."""
        return self._least

    @property
    def max(self) -> Any:
        """The most that it is; `int_oo` without a limit."""
        return self._most

    # A dimension is factor * root + offset; the root of a dimension by name is itself.
    @property
    def root(self) -> Dim:
        """What it depends on."""
        return self

    factor, offset = 1, 0

    def fn(self, value: Any) -> Any:
        """The size, from that of the root."""
        return value * self.factor + self.offset

    def _derived(self, factor: int, offset: int) -> Dim:
        return DerivedDim(self.root, self.factor * factor, self.offset * factor + offset)

    def __add__(self, other: Any) -> Dim:
        if type(other) is not int:
            raise NotImplementedError(
                f"Attempted to add {other} to {self.__name__}, where an integer was expected. {_LINEAR}"
            )
        return self._derived(1, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dim:
        if type(other) is not int:
            raise NotImplementedError(
                f"Attempted to subtract {other} from {self.__name__}, where an integer was expected. {_LINEAR}"
            )
        return self._derived(1, -other)

    def __rsub__(self, other: Any) -> Dim:
        raise NotImplementedError(f"Attempted to negate {self.__name__}. {_LINEAR}")

    def __mul__(self, other: Any) -> Dim:
        if type(other) is not int or other <= 0:
            raise NotImplementedError(
                f"Attempted to multiply {other} with {self.__name__}, where a positive integer was "
                f"expected. {_LINEAR}"
            )
        return self._derived(other, 0)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return described(self.__name__, self.min, self.max)


class StaticDim(Dim):
    """A size that is always the same.

    Args:
        value: the size
    """

    def __init__(self, value: int) -> None:
        self.__name__ = str(value)
        self.value = self._least = self._most = value


class DerivedDim(Dim):
    """A size that follows from another one: factor times the root plus offset.

    Args:
        root: the other one, which has a name of its own
        factor: positive
        offset: any integer
    """

    def __init__(self, root: Dim, factor: int, offset: int) -> None:
        self._root, self.factor, self.offset = root, factor, offset
        self.__name__ = linear_text(root.__name__, factor, offset)

    @property
    def root(self) -> Dim:
        return self._root

    @property
    def min(self) -> Any:
        found = self.fn(self.root.min)
        if found < 0:
            raise AssertionError(
                f"Expected derived min value of {self.__name__} to be >= 0. Please specify an "
                f"appropriate min value for {self.root.__name__} (currently {self.root.min})."
            )
        return found

    @property
    def max(self) -> Any:
        if self.root.max == NO_LIMIT:
            return NO_LIMIT
        found = self.fn(self.root.max)
        if found > _MOST:
            raise AssertionError(
                f"Expected derived max value of {self.__name__} to be <= {_MOST}. Please specify an "
                f"appropriate max value for {self.root.__name__} (currently {self.root.max})."
            )
        return found

    def __repr__(self) -> str:
        return self.__name__


def linear_text(name: str, factor: int, offset: int) -> str:
    """``factor * name + offset`` as a person writes it."""
    text = name if factor == 1 else f"{factor}*{name}"
    return text if not offset else f"{text} {'+' if offset > 0 else '-'} {abs(offset)}"


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Several dimensions with the same limits."""
    return tuple(Dim(name, min=min, max=max) for name in names)
