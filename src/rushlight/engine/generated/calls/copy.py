"""Call functions of the family copy. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_set_data = operator('set_data').table


def set_data(self, new_data):
    keys = self._keys | new_data._keys
    if state.active:
        keys = state.effective(keys)
    return t_set_data[keys](self, new_data)


t_data = operator('data').table


def data(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_data[keys](self)


t_is_leaf = operator('is_leaf').table


def is_leaf(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_is_leaf[keys](self)


t_output_nr = operator('output_nr').table


def output_nr(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_output_nr[keys](self)


t__version = operator('_version').table


def _version(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__version[keys](self)


t_requires_grad_ = operator('requires_grad_').table


def requires_grad_(self, requires_grad=True):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_requires_grad_[keys](self, requires_grad)


t_retain_grad = operator('retain_grad').table


def retain_grad(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_retain_grad[keys](self)


t_retains_grad = operator('retains_grad').table


def retains_grad(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_retains_grad[keys](self)


t__has_same_storage_numel = operator('_has_same_storage_numel').table


def _has_same_storage_numel(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t__has_same_storage_numel[keys](self, other)


t__lazy_clone = operator('_lazy_clone').table


def _lazy_clone(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__lazy_clone[keys](self)


t_contiguous = operator('contiguous').table


def contiguous(self, memory_format=constants.contiguous_format):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_contiguous[keys](self, memory_format)


t_copy = operator('copy').table


def copy(self, src, non_blocking=False):
    keys = self._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_copy[keys](self, src, non_blocking)


t_copy_ = operator('copy_').table


def copy_(self, src, non_blocking=False):
    keys = self._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_copy_[keys](self, src, non_blocking)


t__copy_from = operator('_copy_from').table


def _copy_from(self, dst, non_blocking=False):
    keys = self._keys | dst._keys
    if state.active:
        keys = state.effective(keys)
    return t__copy_from[keys](self, dst, non_blocking)


t__copy_from_and_resize = operator('_copy_from_and_resize').table


def _copy_from_and_resize(self, dst):
    keys = self._keys | dst._keys
    if state.active:
        keys = state.effective(keys)
    return t__copy_from_and_resize[keys](self, dst)


t_resize_ = operator('resize_').table


def resize_(self, size, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_resize_[keys](self, size, memory_format)


t__resize_output_ = operator('_resize_output_').table


def _resize_output_(self, size, device):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__resize_output_[keys](self, size, device)


t_fill_Scalar = operator('fill.Scalar').table


def fill_Scalar(self, value):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fill_Scalar[keys](self, value)


t_fill__Scalar = operator('fill_.Scalar').table


def fill__Scalar(self, value):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fill__Scalar[keys](self, value)


t_fill_Tensor = operator('fill.Tensor').table


def fill_Tensor(self, value):
    keys = self._keys | value._keys
    if state.active:
        keys = state.effective(keys)
    return t_fill_Tensor[keys](self, value)


t_fill__Tensor = operator('fill_.Tensor').table


def fill__Tensor(self, value):
    keys = self._keys | value._keys
    if state.active:
        keys = state.effective(keys)
    return t_fill__Tensor[keys](self, value)


t_is_pinned = operator('is_pinned').table


def is_pinned(self, device=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_is_pinned[keys](self, device)


t_pin_memory = operator('pin_memory').table


def pin_memory(self, device=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_pin_memory[keys](self, device)


t__pin_memory = operator('_pin_memory').table


def _pin_memory(self, device=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__pin_memory[keys](self, device)


t_detach = operator('detach').table


def detach(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_detach[keys](self)


t_detach_ = operator('detach_').table


def detach_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_detach_[keys](self)


t_type_as = operator('type_as').table


def type_as(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_type_as[keys](self, other)


t_clone = operator('clone').table


def clone(self, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_clone[keys](self, memory_format)


t_resize_as_ = operator('resize_as_').table


def resize_as_(self, the_template, memory_format=None):
    keys = self._keys | the_template._keys
    if state.active:
        keys = state.effective(keys)
    return t_resize_as_[keys](self, the_template, memory_format)


t_zero_ = operator('zero_').table


def zero_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_zero_[keys](self)


t__to_copy = operator('_to_copy').table


def _to_copy(self, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__to_copy[keys](self, dtype, layout, device, pin_memory, non_blocking, memory_format)


t__to_copy_out = operator('_to_copy.out').table


def _to_copy_out(self, non_blocking=False, memory_format=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t__to_copy_out[keys](self, non_blocking, memory_format, out)


t_to_dtype_layout = operator('to.dtype_layout').table


def to_dtype_layout(self, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, copy=False, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_to_dtype_layout[keys](self, dtype, layout, device, pin_memory, non_blocking, copy, memory_format)


t_to_device = operator('to.device').table


def to_device(self, device, dtype, non_blocking=False, copy=False, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_to_device[keys](self, device, dtype, non_blocking, copy, memory_format)


t_to_dtype = operator('to.dtype').table


def to_dtype(self, dtype, non_blocking=False, copy=False, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_to_dtype[keys](self, dtype, non_blocking, copy, memory_format)


t_to_other = operator('to.other').table


def to_other(self, other, non_blocking=False, copy=False, memory_format=None):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_to_other[keys](self, other, non_blocking, copy, memory_format)


t_set__source_Storage = operator('set_.source_Storage').table


def set__source_Storage(self, source):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_set__source_Storage[keys](self, source)


t_set__source_Storage_storage_offset = operator('set_.source_Storage_storage_offset').table


def set__source_Storage_storage_offset(self, source, storage_offset, size, stride=()):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_set__source_Storage_storage_offset[keys](self, source, storage_offset, size, stride)


t_set__source_Tensor_storage_offset = operator('set_.source_Tensor_storage_offset').table


def set__source_Tensor_storage_offset(self, source, storage_offset, size, stride=()):
    keys = self._keys | source._keys
    if state.active:
        keys = state.effective(keys)
    return t_set__source_Tensor_storage_offset[keys](self, source, storage_offset, size, stride)


t_set__source_Tensor = operator('set_.source_Tensor').table


def set__source_Tensor(self, source):
    keys = self._keys | source._keys
    if state.active:
        keys = state.effective(keys)
    return t_set__source_Tensor[keys](self, source)


t_set_ = operator('set_').table


def set_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_set_[keys](self)


t_lift = operator('lift').table


def lift(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_lift[keys](self)


t_lift_fresh = operator('lift_fresh').table


def lift_fresh(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_lift_fresh[keys](self)


t_lift_fresh_copy = operator('lift_fresh_copy').table


def lift_fresh_copy(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_lift_fresh_copy[keys](self)


t_lift_fresh_copy_out = operator('lift_fresh_copy.out').table


def lift_fresh_copy_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_lift_fresh_copy_out[keys](self, out)


t_is_set_to = operator('is_set_to').table


def is_set_to(self, tensor):
    keys = self._keys | tensor._keys
    if state.active:
        keys = state.effective(keys)
    return t_is_set_to[keys](self, tensor)


t_alias = operator('alias').table


def alias(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_alias[keys](self)


t_detach_copy = operator('detach_copy').table


def detach_copy(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_detach_copy[keys](self)


t_detach_copy_out = operator('detach_copy.out').table


def detach_copy_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_detach_copy_out[keys](self, out)


t_alias_copy = operator('alias_copy').table


def alias_copy(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_alias_copy[keys](self)


t_alias_copy_out = operator('alias_copy.out').table


def alias_copy_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_alias_copy_out[keys](self, out)
