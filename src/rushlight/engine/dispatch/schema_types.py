"""The types of schemas as objects, under PyTorch's names: what programs ask arguments for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from rushlight.engine.dispatch import schema


class Type:
    """A type. Those without parameters have one object each, which `get` gives."""

    text: str
    _one: ClassVar[dict[type, Type]] = {}

    def __init__(self, text: str = "") -> None:
        self.text = text or getattr(type(self), "text", "")

    @classmethod
    def get(cls) -> Self:
        """The object of a type without parameters."""
        return Type._one.setdefault(cls, cls())  # type: ignore[return-value]

    def kind(self) -> str:
        """The name of the kind of type."""
        return type(self).__name__

    @property
    def annotation_str(self) -> str:
        """The type as an annotation in Python."""
        return self.text

    def str(self) -> str:
        """The type as schemas write it."""
        return self.text

    def containedTypes(self) -> list[Type]:
        """The types that this one is made of."""
        return []

    def isSubtypeOf(self, other: Type) -> bool:
        """Whether each value of this type is one of the other."""
        if isinstance(other, AnyType) or self == other:
            return True
        if isinstance(other, OptionalType):
            inner = self.getElementType() if isinstance(self, OptionalType) else self
            return isinstance(self, NoneType) or inner.isSubtypeOf(other.getElementType())
        if isinstance(other, UnionType):
            return any(self.isSubtypeOf(each) for each in other.containedTypes())
        numbers = (IntType, FloatType, ComplexType)
        return isinstance(other, NumberType) and isinstance(self, numbers)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.annotation_str == self.annotation_str

    def __hash__(self) -> int:
        return hash((type(self), self.annotation_str))

    def __str__(self) -> Any:
        return self.annotation_str

    __repr__ = __str__


def _plain(name: str, text: str) -> type[Type]:
    doc = f"The type ``{text}`` of schemas."
    return type(name, (Type,), {"text": text, "__doc__": doc, "__module__": __name__})


TensorType = _plain("TensorType", "Tensor")
AnyType = _plain("AnyType", "Any")
BoolType = _plain("BoolType", "bool")
ComplexType = _plain("ComplexType", "complex")
DeviceObjType = _plain("DeviceObjType", "Device")
FloatType = _plain("FloatType", "float")
IntType = _plain("IntType", "int")
NoneType = _plain("NoneType", "NoneType")
NumberType = _plain("NumberType", "number")
StreamObjType = _plain("StreamObjType", "Stream")
StringType = _plain("StringType", "str")
SymBoolType = _plain("SymBoolType", "bool")
SymIntType = _plain("SymIntType", "int")
PyObjectType = _plain("PyObjectType", "PyObject")


class _Parametrised(Type):
    """A type over others."""

    label: ClassVar[str]

    def __init__(self, *inner: Type) -> None:
        self.inner = inner
        super().__init__(f"{self.label}[{', '.join(each.annotation_str for each in inner)}]")

    def containedTypes(self) -> list[Type]:
        """The types that this one is made of."""
        return list(self.inner)

    def getElementType(self) -> Type:
        """The type inside."""
        return self.inner[0]


class OptionalType(_Parametrised):
    """What may be None.

    Args:
        inner: the type otherwise
    """

    label = "Optional"

    @staticmethod
    def ofTensor() -> OptionalType:
        """A tensor or None."""
        return OptionalType(TensorType.get())


class ListType(_Parametrised):
    """A list.

    Args:
        inner: the type of its items
    """

    label = "List"

    @staticmethod
    def ofInts() -> ListType:
        """A list of integers."""
        return ListType(IntType.get())

    @staticmethod
    def ofFloats() -> ListType:
        """A list of floats."""
        return ListType(FloatType.get())

    @staticmethod
    def ofBools() -> ListType:
        """A list of truth values."""
        return ListType(BoolType.get())

    @staticmethod
    def ofStrings() -> ListType:
        """A list of texts."""
        return ListType(StringType.get())

    @staticmethod
    def ofComplexDoubles() -> ListType:
        """A list of complex numbers."""
        return ListType(ComplexType.get())

    @staticmethod
    def ofTensors() -> ListType:
        """A list of tensors."""
        return ListType(TensorType.get())


class DictType(_Parametrised):
    """A dictionary.

    Args:
        inner: the types of its keys and of its values
    """

    label = "Dict"

    def getKeyType(self) -> Type:
        """The type of the keys."""
        return self.inner[0]

    def getValueType(self) -> Type:
        """The type of the values."""
        return self.inner[1]


class FutureType(_Parametrised):
    """What will have a value.

    Args:
        inner: the type of the value
    """

    label = "Future"


class AwaitType(_Parametrised):
    """What waits for a value.

    Args:
        inner: the type of the value
    """

    label = "Await"


class RRefType(_Parametrised):
    """A reference to a value elsewhere.

    Args:
        inner: the type of the value
    """

    label = "RRef"


class TupleType(_Parametrised):
    """A tuple.

    Args:
        inner: the types of its items
    """

    label = "Tuple"

    def __init__(self, inner: Sequence[Type]) -> None:
        super().__init__(*inner)

    def elements(self) -> list[Type]:
        """The types of the items."""
        return list(self.inner)


class UnionType(_Parametrised):
    """One of several types.

    Args:
        inner: these
    """

    label = "Union"

    def __init__(self, inner: Sequence[Type]) -> None:
        super().__init__(*inner)


_BASE: dict[str, type[Type]] = {
    "Tensor": TensorType, "Any": AnyType, "bool": BoolType, "complex": ComplexType,
    "Device": DeviceObjType, "float": FloatType, "int": IntType, "Scalar": NumberType,
    "number": NumberType, "Stream": StreamObjType, "str": StringType, "SymBool": SymBoolType,
    "SymInt": SymIntType, "NoneType": NoneType, "PyObject": PyObjectType, "ScalarType": IntType,
    "Layout": IntType, "MemoryFormat": IntType,
}  # fmt: skip
# What a schema distinguishes of the integers.
_ENUMERATIONS = ("ScalarType", "Layout", "MemoryFormat")
_GENERIC: dict[str, type[_Parametrised]] = {
    "Dict": DictType, "Future": FutureType, "RRef": RRefType, "Await": AwaitType, "List": ListType,
    "Optional": OptionalType,
}  # fmt: skip
NAMES = (
    "AnyType", "AwaitType", "BoolType", "ComplexType", "DeviceObjType", "DictType", "FloatType",
    "FutureType", "IntType", "ListType", "NoneType", "NumberType", "OptionalType", "PyObjectType",
    "RRefType", "StreamObjType", "StringType", "SymBoolType", "SymIntType", "TensorType",
    "TupleType", "Type", "UnionType",
)  # fmt: skip


class _Named(Type):
    """A type that has only its name: ``Generator``, ``QScheme``."""

    def kind(self) -> str:
        """The name of the kind of type."""
        return f"{self.text}Type"


def of(node: schema.Type, real: bool = False) -> Type:
    """The type that a schema writes; a symbolic integer is an integer unless `real` is said."""
    if node.kind == "optional":
        return OptionalType(of(node.inner[0], real))
    if node.kind == "list":
        return ListType(of(node.inner[0], real))
    if node.kind == "tuple":
        return TupleType([of(each, real) for each in node.inner])
    if node.kind == "generic":
        inner = [of(each, real) for each in node.inner]
        if node.name in ("Tuple", "Union"):
            return (TupleType if node.name == "Tuple" else UnionType)(inner)
        return _GENERIC[node.name](*inner)
    if real and node.name in _ENUMERATIONS:
        return _Named(node.name)
    if not real and node.name == "SymInt":
        return IntType.get()
    found = _BASE.get(node.name)
    return _Named(node.name) if found is None else found.get()
