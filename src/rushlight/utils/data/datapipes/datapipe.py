"""What all pipes have in common: methods that other pipes register, and one iterator at a time."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Generic, TypeVar

from rushlight.utils.data.dataset import Dataset, IterableDataset

__all__ = ["DataChunk", "IterDataPipe", "MapDataPipe", "functional_datapipe"]

_Sample = TypeVar("_Sample")


class DataChunk(list[_Sample], Generic[_Sample]):
    """A batch of samples as a list."""

    def as_str(self, indent: str = "") -> str:
        return indent + "[" + ", ".join(map(str, self)) + "]"

    def raw_iterator(self) -> Iterator[_Sample]:
        return list.__iter__(self)


class Batches:
    """What pipes of batches share: their settings and how many batches there are."""

    def __init__(
        self,
        datapipe: Any,
        batch_size: int,
        drop_last: bool = False,
        wrapper_class: Any = DataChunk,
    ) -> None:
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe = datapipe
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.wrapper_class = wrapper_class

    def __len__(self) -> int:
        whole, rest = divmod(len(self.datapipe), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


class _Pipe:
    """Methods that are pipes: `functional_datapipe` puts them into ``functions``."""

    functions: ClassVar[dict[str, Callable[..., Any]]]

    def __getattr__(self, name: str) -> Any:
        made = type(self).functions.get(name)
        if made is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        bound = functools.partial(made, self)
        functools.update_wrapper(bound, made, assigned=("__doc__",))
        return bound

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.functions})

    def __repr__(self) -> str:
        return type(self).__qualname__

    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None:
        """Give all pipes of this kind a method."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls,
        function_name: str,
        cls_to_register: Any,
        enable_df_api_tracing: bool = False,
    ) -> None:
        """Give all pipes of this kind a method that makes another pipe of them."""
        if function_name in cls.functions:
            raise Exception(
                f"Unable to add DataPipe function name {function_name} as it is already taken"
            )

        def make(source: Any, *args: Any, **kwargs: Any) -> Any:
            return cls_to_register(source, *args, **kwargs)

        make.__doc__ = cls_to_register.__doc__
        cls.functions[function_name] = make


def _one_at_a_time(iterate: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    """An ``__iter__`` whose older iterators end when a newer one is made."""

    @functools.wraps(iterate)
    def begin(self: Any) -> Iterator[Any]:
        if type(self).__iter__ is not begin:
            return iterate(self)
        self.reset()
        self._turn = self.__dict__.get("_turn", 0) + 1
        return _while_newest(self, self._turn, iterate(self))

    return begin


def _while_newest(pipe: Any, turn: int, samples: Iterator[Any]) -> Iterator[Any]:
    while True:
        if pipe._turn != turn:
            raise RuntimeError(
                "This iterator has been invalidated because another iterator has been created "
                f"from the same IterDataPipe: {pipe!r}\nThis may be caused by multiple references "
                "to the same IterDataPipe. We recommend using `.fork()` if that is necessary."
            )
        try:
            sample = next(samples)
        except StopIteration:
            return
        yield sample


class IterDataPipe(_Pipe, IterableDataset[_Sample]):
    """Samples one after another, made from those of another pipe.

    A subclass has ``__iter__``, and ``reset`` if it keeps something between samples.
    """

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__iter__" in vars(cls):
            cls.__iter__ = _one_at_a_time(vars(cls)["__iter__"])  # type: ignore[method-assign]

    def reset(self) -> None:
        """Forget what is kept; called before every pass."""


class MapDataPipe(_Pipe, Dataset[_Sample]):
    """Samples by index, made from those of another pipe. A subclass has ``__getitem__``."""

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}


_Class = TypeVar("_Class", bound=type)


def functional_datapipe(
    name: str, enable_df_api_tracing: bool = False
) -> Callable[[_Class], _Class]:
    """A decorator that makes a class of pipes a method of all pipes of its kind.

    Args:
        name: the method's name
        enable_df_api_tracing: taken for compatibility; there are no data frames
    """

    def register(cls: _Class) -> _Class:
        for kind in (IterDataPipe, MapDataPipe):
            if issubclass(cls, kind):
                kind.register_datapipe_as_function(name, cls, enable_df_api_tracing)
        return cls

    return register
