"""Where values of a traced program come from, as expressions."""

from __future__ import annotations

import enum
from typing import Any

from rushlight._guards import ChainedSource, Source
from rushlight.engine.native.records import dataclass

__all__ = [
    "AttrSource",
    "ConstantSource",
    "GetItemSource",
    "GlobalSource",
    "LocalSource",
    "TensorProperty",
    "TensorPropertySource",
]


@dataclass(frozen=True)
class LocalSource(Source):
    """A local variable."""

    local_name: str
    is_input: bool = False
    dynamism: Any = None
    is_derefed_cell_contents: bool = False

    @property
    def name(self) -> str:
        return f"L[{self.local_name!r}]"


@dataclass(frozen=True)
class GlobalSource(Source):
    """A global variable."""

    global_name: str

    @property
    def name(self) -> str:
        return f"G[{self.global_name!r}]"


@dataclass(frozen=True)
class ConstantSource(Source):
    """Something that a name stands for."""

    source_name: str

    @property
    def name(self) -> str:
        return self.source_name


@dataclass(frozen=True)
class AttrSource(ChainedSource):
    """An attribute."""

    member: str

    @property
    def name(self) -> str:
        return f"{self.base.name}.{self.member}"


@dataclass(frozen=True)
class GetItemSource(ChainedSource):
    """An item."""

    index: Any
    index_is_slice: bool = False

    @property
    def name(self) -> str:
        return f"{self.base.name}[{self.index!r}]"


class TensorProperty(enum.Enum):
    """What decides where a tensor's elements lie."""

    SIZE = 0
    STRIDE = 1
    STORAGE_OFFSET = 2

    def method_name(self) -> str:
        """The method that tells."""
        return {0: "size", 1: "stride", 2: "storage_offset"}[self.value]


@dataclass(frozen=True)
class TensorPropertySource(ChainedSource):
    """A size, a stride or the offset of a tensor."""

    prop: TensorProperty
    idx: int | None = None

    @property
    def name(self) -> str:
        suffix = "" if self.idx is None else f"[{self.idx}]"
        return f"{self.base.name}.{self.prop.method_name()}(){suffix}"
