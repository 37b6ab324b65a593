"""Functionalization as a mode: below it no operator writes to anything.

A `FunctionalTensor` is a tensor with a class around a functional one, so that autograd, modes and
other classes see it as one more kind of data. `FunctionalTensorMode` hands calls on to the
functional tensors inside.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Self

from rushlight._functions import functional_tensors as functional
from rushlight._subclasses.fake_tensor import FakeTensor, mapped, maybe_get_fake_mode
from rushlight.engine.autograd import saved
from rushlight.engine.core import keys, wrapped
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.symbolic_fields import numel_field, offset_field
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.engine.dispatch.overrides_hook import disabled_torch_function
from rushlight.engine.transforms.functionalization import Functional, replayed
from rushlight.utils import _pytree as pytree

__all__ = [
    "BaseFunctionalizeAPI",
    "CppFunctionalizeAPI",
    "FunctionalTensor",
    "FunctionalTensorMode",
    "PythonFunctionalizeAPI",
    "disable_functional_mode",
    "dispatch_functionalize",
    "mb_unwrap_functional_tensor",
]


class FunctionalTensor(Tensor):
    """A tensor whose changes are followed and not made.

    Args:
        elem: a functional tensor
        mode: what follows its changes
    """

    elem: Tensor
    _numel_, _offset_ = numel_field, offset_field
    __torch_function__ = classmethod(disabled_torch_function)

    def __new__(cls, elem: Tensor, mode: Any = None) -> Self:
        if not functional._is_functional_tensor(elem):
            raise AssertionError("elem must be a functional tensor")
        fakes = maybe_get_fake_mode(elem)
        with contextlib.nullcontext() if fakes is None else fakes._symbols():
            made: Any = Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
                cls, elem.shape, elem.stride(), elem.storage_offset(), dtype=elem.dtype,  # type: ignore[attr-defined]
                device=elem.device,  # type: ignore[attr-defined]
            )  # fmt: skip
        made.elem = elem
        # Who has kept it for a gradient asks whether it is what it was.
        made._counter_ = elem._counter_
        # How elements are to be read is asked of a tensor before its class is.
        made._keys_ |= elem._keys_ & (keys.CONJUGATE | keys.NEGATIVE)
        return made  # type: ignore[no-any-return]

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(t not in (Tensor, FunctionalTensor) for t in types):
            return NotImplemented
        raise RuntimeError(
            "Attempting to use FunctionalTensor on its own. Instead, please use it with a "
            "corresponding FunctionalTensorMode()"
        )

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"FunctionalTensor({functional._from_functional_tensor(self.elem)!r})"

    @staticmethod
    def to_functional(x: Tensor) -> FunctionalTensor:
        """The functional tensor that stands for another one."""
        if isinstance(x, FunctionalTensor):
            raise AssertionError("x is a FunctionalTensor already")
        wrapped = functional._to_functional_tensor(x)
        made = FunctionalTensor(wrapped)
        functional._mirror_autograd_meta_to(x, made)
        return made

    @property
    def _has_no_elements(self) -> bool:
        """Whether nothing is known of the elements of what the tensor stands for."""
        return bool(getattr(wrapped.bottom_of(self.elem), "_has_no_elements", False))

    def tolist(self) -> Any:
        """The elements as lists, where somebody knows them."""
        if not self._size_:
            return self.item()  # type: ignore[attr-defined]
        return [part.tolist() for part in self.unbind(0)]  # type: ignore[attr-defined]

    def _follow(self) -> None:
        """Take over sizes and strides of what the tensor stands for."""
        elem = self.elem
        if self._size_ != elem._size_ or self._stride_ != elem._stride_:
            tensors.set_geometry(self, elem._size_, elem._stride_, elem._offset_)
        self._counter_ = elem._counter_

    def _take_data(self, data: Tensor) -> None:
        """Stand for what another tensor stands for; ``data`` was assigned."""
        if not isinstance(data, FunctionalTensor):
            raise TypeError("data of a FunctionalTensor has to be a FunctionalTensor")
        self.elem = saved.shadow(data.elem)
        self._follow()

    @property
    def _replay_(self) -> Callable[[Tensor], Tensor] | None:
        """What makes this view again of its base, which may lie elsewhere by then."""
        base = self._base
        if not isinstance(base, FunctionalTensor):
            return None
        start: Functional = base.elem._storage_._owner
        end: Functional = self.elem._storage_._owner
        count = len(start.steps)
        if start.cell is not end.cell or end.steps[:count] != start.steps:
            return None
        return lambda source: replayed(source, end.steps[count:])

    def from_functional(self) -> Tensor:
        """What the tensor stands for."""
        functional._sync(self.elem)
        return functional._from_functional_tensor(self.elem)


class FunctionalTensorMode(TorchDispatchMode):
    """Within its ``with`` block calls on functional tensors write to nothing below.

    Args:
        pre_dispatch: accepted
        export: accepted
    """

    rank = 2
    is_infra_mode = True

    def __init__(
        self, pre_dispatch: bool = False, export: bool = False, _allow_token_discovery: bool = False
    ) -> None:
        super().__init__()
        self.pre_dispatch, self.export = pre_dispatch, export
        self.is_on_stack = False
        self._entered: list[bool] = []

    def __enter__(self) -> Self:
        is_new = not any(isinstance(mode, FunctionalTensorMode) for mode in modes.stack())
        self._entered.append(is_new)
        return super().__enter__() if is_new else self

    def __exit__(self, *exception: object) -> None:
        if self._entered.pop():
            super().__exit__(*exception)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if any(not issubclass(t, (FunctionalTensor, FakeTensor)) for t in types if t is not Tensor):
            return NotImplemented
        outer: dict[int, FunctionalTensor] = {}

        def inner(x: Any) -> Any:
            if not isinstance(x, FunctionalTensor):
                return x
            outer[id(x.elem)] = x
            return x.elem

        args, kwargs = mapped(inner, tuple(args)), mapped(inner, kwargs)
        functional._enable_functionalization(reapply_views=True)
        try:
            found = func(*args, **kwargs)
        finally:
            functional._disable_functionalization()
        if func.schema.mutated:
            for x in outer.values():
                x._follow()

        def close(x: Any) -> Any:
            if id(x) in outer:
                return outer[id(x)]
            if not functional._is_functional_tensor(x):
                x = functional._to_functional_tensor(x)
            return FunctionalTensor(x)

        return mapped(close, found)


class disable_functional_mode:
    """A block in which no functional mode sees calls."""

    def __enter__(self) -> list[Any]:
        self.taken = [mode for mode in modes.stack() if isinstance(mode, FunctionalTensorMode)]
        for mode in self.taken:
            modes.remove(mode)
        return self.taken

    def __exit__(self, *exception: object) -> None:
        for mode in self.taken:
            modes.push(mode)


def mb_unwrap_functional_tensor(tensor: Tensor) -> Tensor:
    """What a tensor stands for, if it is functional."""
    if isinstance(tensor, FunctionalTensor):
        return functional._from_functional_tensor(tensor.elem)
    return tensor


def dispatch_functionalize(
    func: Callable[..., Any], mode: FunctionalTensorMode | None = None
) -> Callable[..., Any]:
    """A function that computes what another one does without writing to anything below.

    Args:
        func: takes and gives tensors, or trees of them
        mode: what follows changes
    """

    def inner(*args: Any, **kwargs: Any) -> Any:
        with mode or FunctionalTensorMode():
            given = pytree.tree_map_only(Tensor, FunctionalTensor.to_functional, (args, kwargs))
            found = func(*given[0], **given[1])
            return pytree.tree_map_only(Tensor, mb_unwrap_functional_tensor, found)

    return inner


class BaseFunctionalizeAPI:
    """What a rule for functionalization does to tensors, whichever way they are functional."""

    def wrap_tensors(self, args: Any) -> Any:
        """The same tree with functional tensors.

        Args:
            args: a tree of tensors
        """
        raise NotImplementedError

    def unwrap_tensors(self, args: Any) -> Any:
        """The same tree with what functional tensors stand for.

        Args:
            args: a tree of tensors
        """
        raise NotImplementedError

    def functionalize(self, inner_f: Callable[..., Any]) -> Callable[..., Any]:
        """A function that writes to nothing.

        Args:
            inner_f: takes and gives tensors, or trees of them
        """
        raise NotImplementedError

    def redispatch_to_next(self) -> contextlib.AbstractContextManager[Any]:
        """A block in which changes are made."""
        raise NotImplementedError

    def sync(self, tensor: Tensor) -> None:
        """Let a tensor stand for what views of the same base have made of it.

        Args:
            tensor: a functional tensor
        """
        functional._sync(tensor)


class PythonFunctionalizeAPI(BaseFunctionalizeAPI):
    """Tensors with a class, under a mode.

    Args:
        mode: what follows changes
    """

    def __init__(self, mode: FunctionalTensorMode | None = None) -> None:
        self.mode = mode or FunctionalTensorMode()

    def wrap_tensors(self, args: Any) -> Any:
        with self.mode:
            return pytree.tree_map_only(Tensor, FunctionalTensor.to_functional, args)

    def unwrap_tensors(self, args: Any) -> Any:
        return pytree.tree_map_only(Tensor, mb_unwrap_functional_tensor, args)

    def functionalize(self, inner_f: Callable[..., Any]) -> Callable[..., Any]:
        return dispatch_functionalize(inner_f, self.mode)

    def redispatch_to_next(self) -> contextlib.AbstractContextManager[Any]:
        return disable_functional_mode()

    def sync(self, tensor: Tensor) -> None:
        super().sync(tensor.elem if isinstance(tensor, FunctionalTensor) else tensor)


class CppFunctionalizeAPI(BaseFunctionalizeAPI):
    """Tensors of the thread's own layer (`torch._enable_functionalization`)."""

    def wrap_tensors(self, args: Any) -> Any:
        return pytree.tree_map_only(Tensor, functional._to_functional_tensor, args)

    def unwrap_tensors(self, args: Any) -> Any:
        return pytree.tree_map_only(Tensor, functional._from_functional_tensor, args)

    def functionalize(self, inner_f: Callable[..., Any]) -> Callable[..., Any]:
        from rushlight.func import functionalize

        return functionalize(inner_f)

    def redispatch_to_next(self) -> contextlib.AbstractContextManager[Any]:
        return functional._Off()
