"""From real tensors to the fakes that stand for them."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import rushlight
from rushlight._dynamo.source import ConstantSource
from rushlight._subclasses import real_tensors, twins
from rushlight._subclasses.fake_errors import UnsupportedFakeTensorException
from rushlight._subclasses.fakes import FakeTensor, is_fake, unset_fake_temporarily
from rushlight.engine.core import keys, objects, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.size import intern, intern_strides, numel
from rushlight.engine.core.symbolic import has_symbols
from rushlight.engine.core.tensor import Tensor
from rushlight.utils.weak import WeakIdKeyDictionary

if TYPE_CHECKING:
    from rushlight._subclasses.fake_tensor import FakeTensorMode


class FakeTensorConverter:
    """Makes fakes of real tensors, the same one for the same tensor, with storages shared as theirs are.

    Args:
        copy_data: whether copies of the tensors go along
        export: accepted
    """

    def __init__(self, *, copy_data: bool = False, export: bool = False) -> None:
        self.copy_data = copy_data
        self._copies: Any = WeakIdKeyDictionary()
        self.export = export
        self.tensor_memo: Any = WeakIdKeyDictionary()
        self._storages: Any = WeakIdKeyDictionary()
        # How many tensors came from nowhere that anybody said.
        self.arg_cnt = 0
        # Fakes whose elements are known, by the storages of these.
        self.constant_storage_mapping: dict[int, list[Any]] = {}

    def set_tensor_memo(self, t: Tensor, v: Any) -> None:
        """Let a fake stand for a tensor."""
        # Weakly: a fake knows its mode, which knows the memo.
        self.tensor_memo[t] = weakref.ref(v)

    def add_constant_storage_mapping(self, fake: FakeTensor) -> None:
        """Note that a fake's elements are known for as long as nobody writes to them."""
        assert fake.constant is not None
        known = self.constant_storage_mapping.setdefault(id(fake.constant._storage_), [])
        known.append(weakref.ref(fake))

    def invalidate_constant_aliases(self, constant: Tensor) -> None:
        """Forget the elements of all fakes that share a known tensor's."""
        for one in self.constant_storage_mapping.pop(id(constant._storage_), []):
            fake = one()
            if fake is not None:
                fake.constant = None

    def from_real_tensor(
        self,
        fake_mode: FakeTensorMode,
        t: Tensor,
        make_constant: bool = False,
        shape_env: Any = None,
        *,
        source: Any = None,
        symbolic_context: Any = None,
        trace: bool = True,
    ) -> Any:
        """The fake of a tensor."""
        if not make_constant:
            known_one = self.tensor_memo.get(t)
            found = None if known_one is None else known_one()
            if found is not None:
                return found
        made = self._made(fake_mode, t, shape_env, source, symbolic_context)
        if self.copy_data and isinstance(made, FakeTensor) and not is_fake(t):
            with unset_fake_temporarily():
                made.__dict__["_real_tensor"] = real_tensors.copy_of(t, self._copies)
        if make_constant:
            made.constant = t
            self.add_constant_storage_mapping(made)
        else:
            self.set_tensor_memo(t, made)
        return made

    def from_meta_and_device(
        self, fake_mode: FakeTensorMode, t: Tensor, device: Any, *unused: Any
    ) -> FakeTensor:
        """The fake before a meta tensor."""
        known_one = self.tensor_memo.get(t)
        found = None if known_one is None else known_one()
        if found is None:
            found = FakeTensor(fake_mode, t, device)
            self.set_tensor_memo(t, found)
        return found

    def _made(self, mode: FakeTensorMode, t: Any, shape_env: Any, source: Any, context: Any) -> Any:
        from rushlight.utils._python_dispatch import is_traceable_wrapper_subclass

        if t._keys_ & keys.WRAPPED:
            return self._of_wrapper(mode, t, shape_env, source, context)
        if is_traceable_wrapper_subclass(t):
            names, facts = t.__tensor_flatten__()
            parts = {
                name: self.from_real_tensor(mode, getattr(t, name), False, shape_env)
                for name in names
            }
            with mode:
                made = type(t).__tensor_unflatten__(parts, facts, t.size(), t.stride())
            return _with_gradient(made, t, mode)
        if t.is_quantized:
            raise UnsupportedFakeTensorException("quant nyi in meta tensors")
        device = t.fake_device if isinstance(t, FakeTensor) else t._storage_.device
        if t._base is not None and not isinstance(t, FakeTensor):
            base = self.from_real_tensor(mode, t._base, False, shape_env)
        else:
            base = None
        with contextlib.nullcontext() if mode.shape_env is None else mode.shape_env.planning():
            twin = self._twin(t, shape_env, source, context)
            made = FakeTensor(mode, twin, device)
        if base is not None and isinstance(base, FakeTensor):
            made._base, made._counter_ = base, base._counter_
        if getattr(t, "_is_param", False) or isinstance(t, rushlight.nn.Parameter):
            made._is_param = True  # type: ignore[attr-defined]
        return _with_gradient(made, t, mode)

    def _twin(self, t: Any, shape_env: Any, source: Any, context: Any) -> Tensor:
        """A meta tensor with the geometry of a real one, over the storage that stands for its own."""
        if t._keys_ & keys.SPARSE_LAYOUTS:
            raise UnsupportedFakeTensorException(f"{t.layout} layout in meta converter")
        meta = self._storages.get(t._storage_)
        if meta is None:
            meta = self._storages[t._storage_] = twins.new_storage(t._storage_._nbytes)
        size, stride, offset = t._size_, t._stride_, t._offset_
        made: Any = object.__new__(Tensor)
        made._storage_, made._dtype_ = meta, t._dtype_
        made._keys_ = keys.META | t._keys_ & twins.READING
        made._base = made._autograd_ = made._counter_ = None
        if shape_env is None and not has_symbols((*size, *stride, offset)):
            made._size_, made._stride_, made._offset_ = size, stride, offset
            made._numel_, made._flags_ = t._numel_, t._flags_ & ~objects.WRAPPED_NUMBER
            return made  # type: ignore[no-any-return]
        if shape_env is not None:
            if source is None:
                source = ConstantSource(f"__meta_utils_unknown_tensor{self.arg_cnt}")
                self.arg_cnt += 1
            size, stride, offset = shape_env.create_symbolic_sizes_strides_storage_offset(
                t, source, symbolic_context=context
            )
        made._size_, made._stride_ = intern(size), intern_strides(stride)
        made._offset_, made._numel_ = offset, numel(size)
        made._flags_ = tensors.flags_for(t._dtype_, size, stride)
        return made  # type: ignore[no-any-return]

    def _of_wrapper(
        self, mode: FakeTensorMode, t: Any, shape_env: Any, source: Any, context: Any
    ) -> Any:
        """The same wrapping around the fake of what is wrapped."""
        from rushlight.engine.core import wrapped

        meaning = wrapped.meaning_of(t)
        inner = self.from_real_tensor(mode, meaning.value, False, shape_env)
        return wrapped.wrap(inner, meaning.layer, meaning.dim)


@contextlib.contextmanager
def _recording() -> Iterator[None]:
    """A block in which histories are recorded, also within what a mode answers."""
    before, state.thread.excluded = state.thread.excluded, 0
    try:
        with rushlight.enable_grad():
            yield
    finally:
        state.thread.excluded = before


def _copied(made: Any) -> Any:
    """A copy with the same strides, which need not be dense."""
    copy = made.clone()
    copy._storage_ = made._storage_
    tensors.set_geometry(copy, made._size_, made._stride_, made._offset_)
    return copy


def _with_gradient(made: Any, t: Any, mode: FakeTensorMode) -> Any:
    """A fake that wants a gradient, has one and has a history as a tensor does."""
    if t.requires_grad and not made.requires_grad:
        made.requires_grad_()
        if not t.is_leaf:
            parameter = getattr(made, "_is_param", False)
            with _recording(), mode:
                made = made.view_as(made) if t._base is not None else _copied(made)
            if parameter:
                made._is_param = True
    grad = t.grad if t.is_leaf else None
    if grad is not None and made.is_leaf and made.grad is None:
        made.grad = mode.from_tensor(grad)
    return made
