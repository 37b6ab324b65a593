"""Methods of tensors. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.dispatch.bindings import (
    MISSING, Device, Dtype, Layout, MemoryFormat, Resolver, check_owner, check_whole, comparable,
    constants, int_list, integers, named_result, number_types, plain, reflected, resolve, sequence_types,
)
from rushlight.engine.generated import functions
from rushlight.engine.calls import comparison as c_comparison
from rushlight.engine.calls import copy as c_copy
from rushlight.engine.calls import creation as c_creation
from rushlight.engine.calls import fourier as c_fourier
from rushlight.engine.calls import indexing as c_indexing
from rushlight.engine.calls import linalg as c_linalg
from rushlight.engine.calls import matrix as c_matrix
from rushlight.engine.calls import pointwise as c_pointwise
from rushlight.engine.calls import reduction as c_reduction
from rushlight.engine.calls import rows as c_rows
from rushlight.engine.calls import sampling as c_sampling
from rushlight.engine.calls import searching as c_searching
from rushlight.engine.calls import sorting as c_sorting
from rushlight.engine.calls import sparse as c_sparse
from rushlight.engine.calls import view as c_view

r_allclose = Resolver('allclose', ('allclose',), True)


def allclose(self=MISSING, other=MISSING, rtol=1e-05, atol=1e-08, equal_nan=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain and type(rtol) is float and type(atol) is float and type(equal_nan) is bool:
            return c_comparison.allclose(self, other, rtol, atol, equal_nan)
    return resolve(r_allclose, (('self', self, MISSING), ('other', other, MISSING), ('rtol', rtol, 1e-05), ('atol', atol, 1e-08), ('equal_nan', equal_nan, False),), extra, (
    ), others)

r_allclose.public = allclose


r_isclose = Resolver('isclose', ('isclose',), True)


def isclose(self=MISSING, other=MISSING, rtol=1e-05, atol=1e-08, equal_nan=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain and type(rtol) is float and type(atol) is float and type(equal_nan) is bool:
            return c_comparison.isclose(self, other, rtol, atol, equal_nan)
    return resolve(r_isclose, (('self', self, MISSING), ('other', other, MISSING), ('rtol', rtol, 1e-05), ('atol', atol, 1e-08), ('equal_nan', equal_nan, False),), extra, (
    ), others)

r_isclose.public = isclose


r_is_floating_point = Resolver('is_floating_point', ('is_floating_point',), True)


def is_floating_point(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_comparison.is_floating_point(self)
    return resolve(r_is_floating_point, (('self', self, MISSING),), extra, (
    ), others)

r_is_floating_point.public = is_floating_point


r_is_complex = Resolver('is_complex', ('is_complex',), True)


def is_complex(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_comparison.is_complex(self)
    return resolve(r_is_complex, (('self', self, MISSING),), extra, (
    ), others)

r_is_complex.public = is_complex


r_is_nonzero = Resolver('is_nonzero', ('is_nonzero',), True)


def is_nonzero(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_comparison.is_nonzero(self)
    return resolve(r_is_nonzero, (('self', self, MISSING),), extra, (
    ), others)

r_is_nonzero.public = is_nonzero


r_is_same_size = Resolver('is_same_size', ('is_same_size',), True)


def is_same_size(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_comparison.is_same_size(self, other)
    return resolve(r_is_same_size, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_is_same_size.public = is_same_size


r_is_signed = Resolver('is_signed', ('is_signed',), True)


def is_signed(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_comparison.is_signed(self)
    return resolve(r_is_signed, (('self', self, MISSING),), extra, (
    ), others)

r_is_signed.public = is_signed


r_is_inference = Resolver('is_inference', ('is_inference',), True)


def is_inference(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_comparison.is_inference(self)
    return resolve(r_is_inference, (('self', self, MISSING),), extra, (
    ), others)

r_is_inference.public = is_inference


r_equal = Resolver('equal', ('equal',), True)


def equal(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_comparison.equal(self, other)
    return resolve(r_equal, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_equal.public = equal


r__lazy_clone = Resolver('_lazy_clone', ('_lazy_clone',), True)


def _lazy_clone(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_copy._lazy_clone(self)
    return resolve(r__lazy_clone, (('self', self, MISSING),), extra, (
    ), others)

r__lazy_clone.public = _lazy_clone


r_resize_ = Resolver('resize_', ('resize_',), True)


def resize_(self, *args, memory_format=None, **others):
    if not others and type(self) in plain and (memory_format is None or type(memory_format) is MemoryFormat) and (integers_ := integers(args)) is not None:
        return c_copy.resize_(self, integers_, memory_format)
    return resolve(r_resize_, (), (self, *args), (
        ('memory_format', memory_format, None),
    ), others)

r_resize_.public = resize_


r_fill_ = Resolver('fill_', ('fill_.Tensor', 'fill_.Scalar',), True)


def fill_(self=MISSING, value=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(value) in plain:
            return c_copy.fill__Tensor(self, value)
        if type(self) in plain and type(value) in number_types:
            return c_copy.fill__Scalar(self, value)
    return resolve(r_fill_, (('self', self, MISSING), ('value', value, MISSING),), extra, (
    ), others)

r_fill_.public = fill_


r_is_pinned = Resolver('is_pinned', ('is_pinned',), True)


def is_pinned(self=MISSING, device=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (device is None or type(device) is Device):
            return c_copy.is_pinned(self, device)
    return resolve(r_is_pinned, (('self', self, MISSING), ('device', device, None),), extra, (
    ), others)

r_is_pinned.public = is_pinned


r_pin_memory = Resolver('pin_memory', ('pin_memory',), True)


def pin_memory(self=MISSING, device=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (device is None or type(device) is Device):
            return c_copy.pin_memory(self, device)
    return resolve(r_pin_memory, (('self', self, MISSING), ('device', device, None),), extra, (
    ), others)

r_pin_memory.public = pin_memory


r_detach = Resolver('detach', ('detach',), True)


def detach(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_copy.detach(self)
    return resolve(r_detach, (('self', self, MISSING),), extra, (
    ), others)

r_detach.public = detach


r_detach_ = Resolver('detach_', ('detach_',), True)


def detach_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_copy.detach_(self)
    return resolve(r_detach_, (('self', self, MISSING),), extra, (
    ), others)

r_detach_.public = detach_


r_type_as = Resolver('type_as', ('type_as',), True)


def type_as(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_copy.type_as(self, other)
    return resolve(r_type_as, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_type_as.public = type_as


r_clone = Resolver('clone', ('clone',), True)


def clone(self=MISSING, *extra, memory_format=None, **others):
    if not extra and not others:
        if type(self) in plain and (memory_format is None or type(memory_format) is MemoryFormat):
            return c_copy.clone(self, memory_format)
    return resolve(r_clone, (('self', self, MISSING),), extra, (
        ('memory_format', memory_format, None),
    ), others)

r_clone.public = clone


r_resize_as_ = Resolver('resize_as_', ('resize_as_',), True)


def resize_as_(self=MISSING, the_template=MISSING, *extra, memory_format=None, **others):
    if not extra and not others:
        if type(self) in plain and type(the_template) in plain and (memory_format is None or type(memory_format) is MemoryFormat):
            return c_copy.resize_as_(self, the_template, memory_format)
    return resolve(r_resize_as_, (('self', self, MISSING), ('the_template', the_template, MISSING),), extra, (
        ('memory_format', memory_format, None),
    ), others)

r_resize_as_.public = resize_as_


r_zero_ = Resolver('zero_', ('zero_',), True)


def zero_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_copy.zero_(self)
    return resolve(r_zero_, (('self', self, MISSING),), extra, (
    ), others)

r_zero_.public = zero_


r_set_ = Resolver('set_', ('set_', 'set_.source_Storage', 'set_.source_Storage_storage_offset', 'set_.source_Tensor', 'set_.source_Tensor_storage_offset',), True)


def set_(self=MISSING, source=MISSING, storage_offset=MISSING, size=MISSING, stride=MISSING, *extra, **others):
    if not extra and not others:
        if source is MISSING and storage_offset is MISSING and size is MISSING and stride is MISSING and type(self) in plain:
            return c_copy.set_(self)
        if storage_offset is MISSING and size is MISSING and stride is MISSING and type(self) in plain and type(source) in plain:
            return c_copy.set__source_Tensor(self, source)
        if type(self) in plain and type(source) in plain and type(storage_offset) is int and (size_ := int_list(size)) is not None and (stride is MISSING or (stride_ := int_list(stride)) is not None):
            return c_copy.set__source_Tensor_storage_offset(self, source, storage_offset, size_, (() if stride is MISSING else stride_))
    return resolve(r_set_, (('self', self, MISSING), ('source', source, MISSING), ('storage_offset', storage_offset, MISSING), ('size', size, MISSING), ('stride', stride, MISSING),), extra, (
    ), others)

r_set_.public = set_


r_is_set_to = Resolver('is_set_to', ('is_set_to',), True)


def is_set_to(self=MISSING, tensor=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(tensor) in plain:
            return c_copy.is_set_to(self, tensor)
    return resolve(r_is_set_to, (('self', self, MISSING), ('tensor', tensor, MISSING),), extra, (
    ), others)

r_is_set_to.public = is_set_to


r_new_empty = Resolver('new_empty', ('new_empty',), True)


def new_empty(self, *args, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not others and requires_grad is False and type(self) in plain and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (integers_ := integers(args)) is not None:
        return c_creation.new_empty(self, integers_, dtype, layout, device, pin_memory)
    return resolve(r_new_empty, (), (self, *args), (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_new_empty.public = new_empty


r_new_empty_strided = Resolver('new_empty_strided', ('new_empty_strided',), True)


def new_empty_strided(self=MISSING, size=MISSING, stride=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if type(self) in plain and (size_ := int_list(size)) is not None and (stride_ := int_list(stride)) is not None and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.new_empty_strided(self, size_, stride_, dtype, layout, device, pin_memory)
    return resolve(r_new_empty_strided, (('self', self, MISSING), ('size', size, MISSING), ('stride', stride, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_new_empty_strided.public = new_empty_strided


r_new_full = Resolver('new_full', ('new_full',), True)


def new_full(self=MISSING, size=MISSING, fill_value=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if type(self) in plain and (size_ := int_list(size)) is not None and type(fill_value) in number_types and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.new_full(self, size_, fill_value, dtype, layout, device, pin_memory)
    return resolve(r_new_full, (('self', self, MISSING), ('size', size, MISSING), ('fill_value', fill_value, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_new_full.public = new_full


r_new_zeros = Resolver('new_zeros', ('new_zeros',), True)


def new_zeros(self, *args, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not others and requires_grad is False and type(self) in plain and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (integers_ := integers(args)) is not None:
        return c_creation.new_zeros(self, integers_, dtype, layout, device, pin_memory)
    return resolve(r_new_zeros, (), (self, *args), (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_new_zeros.public = new_zeros


r_new_ones = Resolver('new_ones', ('new_ones',), True)


def new_ones(self, *args, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not others and requires_grad is False and type(self) in plain and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (integers_ := integers(args)) is not None:
        return c_creation.new_ones(self, integers_, dtype, layout, device, pin_memory)
    return resolve(r_new_ones, (), (self, *args), (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_new_ones.public = new_ones


r_stft = Resolver('stft', ('stft.center', 'stft',), True)


def stft(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return c_fourier.stft_center(args[0], args[1], None, None, None, True, 'reflect', False, None, None, None)
        if n == 3 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int):
            return c_fourier.stft_center(args[0], args[1], args[2], None, None, True, 'reflect', False, None, None, None)
        if n == 4 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int):
            return c_fourier.stft_center(args[0], args[1], args[2], args[3], None, True, 'reflect', False, None, None, None)
        if n == 5 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int) and (args[4] is None or type(args[4]) in plain):
            return c_fourier.stft_center(args[0], args[1], args[2], args[3], args[4], True, 'reflect', False, None, None, None)
        if n == 6 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int) and (args[4] is None or type(args[4]) in plain) and type(args[5]) is bool:
            return c_fourier.stft_center(args[0], args[1], args[2], args[3], args[4], args[5], 'reflect', False, None, None, None)
        if n == 7 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int) and (args[4] is None or type(args[4]) in plain) and type(args[5]) is bool and type(args[6]) is str:
            return c_fourier.stft_center(args[0], args[1], args[2], args[3], args[4], args[5], args[6], False, None, None, None)
        if n == 8 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int) and (args[4] is None or type(args[4]) in plain) and type(args[5]) is bool and type(args[6]) is str and type(args[7]) is bool:
            return c_fourier.stft_center(args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7], None, None, None)
        if n == 9 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int) and (args[4] is None or type(args[4]) in plain) and type(args[5]) is bool and type(args[6]) is str and type(args[7]) is bool and (args[8] is None or type(args[8]) is bool):
            return c_fourier.stft_center(args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7], args[8], None, None)
        if n == 10 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int) and (args[4] is None or type(args[4]) in plain) and type(args[5]) is bool and type(args[6]) is str and type(args[7]) is bool and (args[8] is None or type(args[8]) is bool) and (args[9] is None or type(args[9]) is bool):
            return c_fourier.stft_center(args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7], args[8], args[9], None)
        if n == 11 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int) and (args[4] is None or type(args[4]) in plain) and type(args[5]) is bool and type(args[6]) is str and type(args[7]) is bool and (args[8] is None or type(args[8]) is bool) and (args[9] is None or type(args[9]) is bool) and (args[10] is None or type(args[10]) is bool):
            return c_fourier.stft_center(args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7], args[8], args[9], args[10])
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return c_fourier.stft(args[0], args[1], None, None, None, False, None, None, None)
        if n == 3 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int):
            return c_fourier.stft(args[0], args[1], args[2], None, None, False, None, None, None)
        if n == 4 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int):
            return c_fourier.stft(args[0], args[1], args[2], args[3], None, False, None, None, None)
        if n == 5 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int) and (args[4] is None or type(args[4]) in plain):
            return c_fourier.stft(args[0], args[1], args[2], args[3], args[4], False, None, None, None)
        if n == 6 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int) and (args[4] is None or type(args[4]) in plain) and type(args[5]) is bool:
            return c_fourier.stft(args[0], args[1], args[2], args[3], args[4], args[5], None, None, None)
        if n == 7 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int) and (args[4] is None or type(args[4]) in plain) and type(args[5]) is bool and (args[6] is None or type(args[6]) is bool):
            return c_fourier.stft(args[0], args[1], args[2], args[3], args[4], args[5], args[6], None, None)
        if n == 8 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int) and (args[4] is None or type(args[4]) in plain) and type(args[5]) is bool and (args[6] is None or type(args[6]) is bool) and (args[7] is None or type(args[7]) is bool):
            return c_fourier.stft(args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7], None)
        if n == 9 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int) and (args[3] is None or type(args[3]) is int) and (args[4] is None or type(args[4]) in plain) and type(args[5]) is bool and (args[6] is None or type(args[6]) is bool) and (args[7] is None or type(args[7]) is bool) and (args[8] is None or type(args[8]) is bool):
            return c_fourier.stft(args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7], args[8])
    return r_stft(args, kwargs)

r_stft.public = stft


r_istft = Resolver('istft', ('istft',), True)


def istft(self=MISSING, n_fft=MISSING, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None, return_complex=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(n_fft) is int and (hop_length is None or type(hop_length) is int) and (win_length is None or type(win_length) is int) and (window is None or type(window) in plain) and type(center) is bool and type(normalized) is bool and (onesided is None or type(onesided) is bool) and (length is None or type(length) is int) and type(return_complex) is bool:
            return c_fourier.istft(self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex)
    return resolve(r_istft, (('self', self, MISSING), ('n_fft', n_fft, MISSING), ('hop_length', hop_length, None), ('win_length', win_length, None), ('window', window, None), ('center', center, True), ('normalized', normalized, False), ('onesided', onesided, None), ('length', length, None), ('return_complex', return_complex, False),), extra, (
    ), others)

r_istft.public = istft


r_fill_diagonal_ = Resolver('fill_diagonal_', ('fill_diagonal_',), True)


def fill_diagonal_(self=MISSING, fill_value=MISSING, wrap=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(fill_value) in number_types and type(wrap) is bool:
            return c_indexing.fill_diagonal_(self, fill_value, wrap)
    return resolve(r_fill_diagonal_, (('self', self, MISSING), ('fill_value', fill_value, MISSING), ('wrap', wrap, False),), extra, (
    ), others)

r_fill_diagonal_.public = fill_diagonal_


r_index = Resolver('index', ('index.Tensor',), True)


def index(*args, **kwargs):
    return r_index(args, kwargs)

r_index.public = index


r_index_copy = Resolver('index_copy', ('index_copy',), True)


def index_copy(self=MISSING, dim=MISSING, index=MISSING, source=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain and type(source) in plain:
            return c_indexing.index_copy(self, dim, index, source)
    return resolve(r_index_copy, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('source', source, MISSING),), extra, (
    ), others)

r_index_copy.public = index_copy


r_index_copy_ = Resolver('index_copy_', ('index_copy_',), True)


def index_copy_(self=MISSING, dim=MISSING, index=MISSING, source=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain and type(source) in plain:
            return c_indexing.index_copy_(self, dim, index, source)
    return resolve(r_index_copy_, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('source', source, MISSING),), extra, (
    ), others)

r_index_copy_.public = index_copy_


r_index_put = Resolver('index_put', ('index_put',), True)


def index_put(*args, **kwargs):
    return r_index_put(args, kwargs)

r_index_put.public = index_put


r_index_put_ = Resolver('index_put_', ('index_put_',), True)


def index_put_(*args, **kwargs):
    return r_index_put_(args, kwargs)

r_index_put_.public = index_put_


r_where = Resolver('where', ('where.self', 'where.ScalarOther',), True)


def where(self=MISSING, condition=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(condition) in plain and type(self) in plain and type(other) in plain:
            return c_indexing.where_self(condition, self, other)
        if type(condition) in plain and type(self) in plain and type(other) in number_types:
            return c_indexing.where_ScalarOther(condition, self, other)
    return resolve(r_where, (('self', self, MISSING), ('condition', condition, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_where.public = where


r_masked_fill = Resolver('masked_fill', ('masked_fill.Tensor', 'masked_fill.Scalar',), True)


def masked_fill(self=MISSING, mask=MISSING, value=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(mask) in plain and type(value) in plain:
            return c_indexing.masked_fill_Tensor(self, mask, value)
        if type(self) in plain and type(mask) in plain and type(value) in number_types:
            return c_indexing.masked_fill_Scalar(self, mask, value)
    return resolve(r_masked_fill, (('self', self, MISSING), ('mask', mask, MISSING), ('value', value, MISSING),), extra, (
    ), others)

r_masked_fill.public = masked_fill


r_masked_fill_ = Resolver('masked_fill_', ('masked_fill_.Tensor', 'masked_fill_.Scalar',), True)


def masked_fill_(self=MISSING, mask=MISSING, value=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(mask) in plain and type(value) in plain:
            return c_indexing.masked_fill__Tensor(self, mask, value)
        if type(self) in plain and type(mask) in plain and type(value) in number_types:
            return c_indexing.masked_fill__Scalar(self, mask, value)
    return resolve(r_masked_fill_, (('self', self, MISSING), ('mask', mask, MISSING), ('value', value, MISSING),), extra, (
    ), others)

r_masked_fill_.public = masked_fill_


r_masked_scatter = Resolver('masked_scatter', ('masked_scatter',), True)


def masked_scatter(self=MISSING, mask=MISSING, source=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(mask) in plain and type(source) in plain:
            return c_indexing.masked_scatter(self, mask, source)
    return resolve(r_masked_scatter, (('self', self, MISSING), ('mask', mask, MISSING), ('source', source, MISSING),), extra, (
    ), others)

r_masked_scatter.public = masked_scatter


r_masked_scatter_ = Resolver('masked_scatter_', ('masked_scatter_',), True)


def masked_scatter_(self=MISSING, mask=MISSING, source=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(mask) in plain and type(source) in plain:
            return c_indexing.masked_scatter_(self, mask, source)
    return resolve(r_masked_scatter_, (('self', self, MISSING), ('mask', mask, MISSING), ('source', source, MISSING),), extra, (
    ), others)

r_masked_scatter_.public = masked_scatter_


r_put = Resolver('put', ('put',), True)


def put(self=MISSING, index=MISSING, source=MISSING, accumulate=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(index) in plain and type(source) in plain and type(accumulate) is bool:
            return c_indexing.put(self, index, source, accumulate)
    return resolve(r_put, (('self', self, MISSING), ('index', index, MISSING), ('source', source, MISSING), ('accumulate', accumulate, False),), extra, (
    ), others)

r_put.public = put


r_put_ = Resolver('put_', ('put_',), True)


def put_(self=MISSING, index=MISSING, source=MISSING, accumulate=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(index) in plain and type(source) in plain and type(accumulate) is bool:
            return c_indexing.put_(self, index, source, accumulate)
    return resolve(r_put_, (('self', self, MISSING), ('index', index, MISSING), ('source', source, MISSING), ('accumulate', accumulate, False),), extra, (
    ), others)

r_put_.public = put_


r_index_add = Resolver('index_add', ('index_add',), True)


def index_add(self=MISSING, dim=MISSING, index=MISSING, source=MISSING, *extra, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain and type(source) in plain and type(alpha) in number_types:
            return c_indexing.index_add(self, dim, index, source, alpha)
    return resolve(r_index_add, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('source', source, MISSING),), extra, (
        ('alpha', alpha, 1),
    ), others)

r_index_add.public = index_add


r_index_add_ = Resolver('index_add_', ('index_add_',), True)


def index_add_(self=MISSING, dim=MISSING, index=MISSING, source=MISSING, *extra, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain and type(source) in plain and type(alpha) in number_types:
            return c_indexing.index_add_(self, dim, index, source, alpha)
    return resolve(r_index_add_, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('source', source, MISSING),), extra, (
        ('alpha', alpha, 1),
    ), others)

r_index_add_.public = index_add_


r_index_fill = Resolver('index_fill', ('index_fill.int_Tensor', 'index_fill.int_Scalar',), True)


def index_fill(self=MISSING, dim=MISSING, index=MISSING, value=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain and type(value) in plain:
            return c_indexing.index_fill_int_Tensor(self, dim, index, value)
        if type(self) in plain and type(dim) is int and type(index) in plain and type(value) in number_types:
            return c_indexing.index_fill_int_Scalar(self, dim, index, value)
    return resolve(r_index_fill, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('value', value, MISSING),), extra, (
    ), others)

r_index_fill.public = index_fill


r_index_fill_ = Resolver('index_fill_', ('index_fill_.int_Tensor', 'index_fill_.int_Scalar',), True)


def index_fill_(self=MISSING, dim=MISSING, index=MISSING, value=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain and type(value) in plain:
            return c_indexing.index_fill__int_Tensor(self, dim, index, value)
        if type(self) in plain and type(dim) is int and type(index) in plain and type(value) in number_types:
            return c_indexing.index_fill__int_Scalar(self, dim, index, value)
    return resolve(r_index_fill_, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('value', value, MISSING),), extra, (
    ), others)

r_index_fill_.public = index_fill_


r_scatter = Resolver('scatter', ('scatter.src', 'scatter.reduce', 'scatter.value', 'scatter.value_reduce',), True)


def scatter(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 4 and type(args[0]) in plain and type(args[1]) is int and type(args[2]) in plain and type(args[3]) in plain:
            return c_indexing.scatter_src(args[0], args[1], args[2], args[3])
        if n == 4 and type(args[0]) in plain and type(args[1]) is int and type(args[2]) in plain and type(args[3]) in number_types:
            return c_indexing.scatter_value(args[0], args[1], args[2], args[3])
    return r_scatter(args, kwargs)

r_scatter.public = scatter


r_scatter_ = Resolver('scatter_', ('scatter_.src', 'scatter_.reduce', 'scatter_.value', 'scatter_.value_reduce',), True)


def scatter_(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 4 and type(args[0]) in plain and type(args[1]) is int and type(args[2]) in plain and type(args[3]) in plain:
            return c_indexing.scatter__src(args[0], args[1], args[2], args[3])
        if n == 4 and type(args[0]) in plain and type(args[1]) is int and type(args[2]) in plain and type(args[3]) in number_types:
            return c_indexing.scatter__value(args[0], args[1], args[2], args[3])
    return r_scatter_(args, kwargs)

r_scatter_.public = scatter_


r_scatter_add = Resolver('scatter_add', ('scatter_add',), True)


def scatter_add(self=MISSING, dim=MISSING, index=MISSING, src=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain and type(src) in plain:
            return c_indexing.scatter_add(self, dim, index, src)
    return resolve(r_scatter_add, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('src', src, MISSING),), extra, (
    ), others)

r_scatter_add.public = scatter_add


r_scatter_add_ = Resolver('scatter_add_', ('scatter_add_',), True)


def scatter_add_(self=MISSING, dim=MISSING, index=MISSING, src=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain and type(src) in plain:
            return c_indexing.scatter_add_(self, dim, index, src)
    return resolve(r_scatter_add_, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('src', src, MISSING),), extra, (
    ), others)

r_scatter_add_.public = scatter_add_


r_scatter_reduce = Resolver('scatter_reduce', ('scatter_reduce.two',), True)


def scatter_reduce(self=MISSING, dim=MISSING, index=MISSING, src=MISSING, reduce=MISSING, *extra, include_self=True, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain and type(src) in plain and type(reduce) is str and type(include_self) is bool:
            return c_indexing.scatter_reduce_two(self, dim, index, src, reduce, include_self)
    return resolve(r_scatter_reduce, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('src', src, MISSING), ('reduce', reduce, MISSING),), extra, (
        ('include_self', include_self, True),
    ), others)

r_scatter_reduce.public = scatter_reduce


r_scatter_reduce_ = Resolver('scatter_reduce_', ('scatter_reduce_.two',), True)


def scatter_reduce_(self=MISSING, dim=MISSING, index=MISSING, src=MISSING, reduce=MISSING, *extra, include_self=True, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain and type(src) in plain and type(reduce) is str and type(include_self) is bool:
            return c_indexing.scatter_reduce__two(self, dim, index, src, reduce, include_self)
    return resolve(r_scatter_reduce_, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('src', src, MISSING), ('reduce', reduce, MISSING),), extra, (
        ('include_self', include_self, True),
    ), others)

r_scatter_reduce_.public = scatter_reduce_


r_take = Resolver('take', ('take',), True)


def take(self=MISSING, index=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(index) in plain:
            return c_indexing.take(self, index)
    return resolve(r_take, (('self', self, MISSING), ('index', index, MISSING),), extra, (
    ), others)

r_take.public = take


r_take_along_dim = Resolver('take_along_dim', ('take_along_dim',), True)


def take_along_dim(self=MISSING, indices=MISSING, dim=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(indices) in plain and (dim is None or type(dim) is int):
            return c_indexing.take_along_dim(self, indices, dim)
    return resolve(r_take_along_dim, (('self', self, MISSING), ('indices', indices, MISSING), ('dim', dim, None),), extra, (
    ), others)

r_take_along_dim.public = take_along_dim


r_index_select = Resolver('index_select', ('index_select',), True)


def index_select(self=MISSING, dim=MISSING, index=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain:
            return c_indexing.index_select(self, dim, index)
    return resolve(r_index_select, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING),), extra, (
    ), others)

r_index_select.public = index_select


r_masked_select = Resolver('masked_select', ('masked_select',), True)


def masked_select(self=MISSING, mask=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(mask) in plain:
            return c_indexing.masked_select(self, mask)
    return resolve(r_masked_select, (('self', self, MISSING), ('mask', mask, MISSING),), extra, (
    ), others)

r_masked_select.public = masked_select


r_nonzero = Resolver('nonzero', ('nonzero',), True)


def nonzero(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_indexing.nonzero(self)
    return resolve(r_nonzero, (('self', self, MISSING),), extra, (
    ), others)

r_nonzero.public = nonzero


r_nonzero_static = Resolver('nonzero_static', ('nonzero_static',), True)


def nonzero_static(self=MISSING, *extra, size=MISSING, fill_value=-1, **others):
    if not extra and not others:
        if type(self) in plain and type(size) is int and type(fill_value) is int:
            return c_indexing.nonzero_static(self, size, fill_value)
    return resolve(r_nonzero_static, (('self', self, MISSING),), extra, (
        ('size', size, MISSING),
        ('fill_value', fill_value, -1),
    ), others)

r_nonzero_static.public = nonzero_static


r_nonzero_numpy = Resolver('nonzero_numpy', ('nonzero_numpy',), True)


def nonzero_numpy(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_indexing.nonzero_numpy(self)
    return resolve(r_nonzero_numpy, (('self', self, MISSING),), extra, (
    ), others)

r_nonzero_numpy.public = nonzero_numpy


r_argwhere = Resolver('argwhere', ('argwhere',), True)


def argwhere(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_indexing.argwhere(self)
    return resolve(r_argwhere, (('self', self, MISSING),), extra, (
    ), others)

r_argwhere.public = argwhere


r_gather = Resolver('gather', ('gather',), True)


def gather(self=MISSING, dim=MISSING, index=MISSING, *extra, sparse_grad=False, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain and type(sparse_grad) is bool:
            return c_indexing.gather(self, dim, index, sparse_grad)
    return resolve(r_gather, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING),), extra, (
        ('sparse_grad', sparse_grad, False),
    ), others)

r_gather.public = gather


r_index_reduce = Resolver('index_reduce', ('index_reduce',), True)


def index_reduce(self=MISSING, dim=MISSING, index=MISSING, source=MISSING, reduce=MISSING, *extra, include_self=True, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain and type(source) in plain and type(reduce) is str and type(include_self) is bool:
            return c_indexing.index_reduce(self, dim, index, source, reduce, include_self)
    return resolve(r_index_reduce, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('source', source, MISSING), ('reduce', reduce, MISSING),), extra, (
        ('include_self', include_self, True),
    ), others)

r_index_reduce.public = index_reduce


r_index_reduce_ = Resolver('index_reduce_', ('index_reduce_',), True)


def index_reduce_(self=MISSING, dim=MISSING, index=MISSING, source=MISSING, reduce=MISSING, *extra, include_self=True, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) in plain and type(source) in plain and type(reduce) is str and type(include_self) is bool:
            return c_indexing.index_reduce_(self, dim, index, source, reduce, include_self)
    return resolve(r_index_reduce_, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('source', source, MISSING), ('reduce', reduce, MISSING),), extra, (
        ('include_self', include_self, True),
    ), others)

r_index_reduce_.public = index_reduce_


r_cholesky_inverse = Resolver('cholesky_inverse', ('cholesky_inverse',), True)


def cholesky_inverse(self=MISSING, upper=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(upper) is bool:
            return c_linalg.cholesky_inverse(self, upper)
    return resolve(r_cholesky_inverse, (('self', self, MISSING), ('upper', upper, False),), extra, (
    ), others)

r_cholesky_inverse.public = cholesky_inverse


r_geqrf = Resolver('geqrf', ('geqrf',), True)


def geqrf(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return named_result('geqrf', ('a', 'tau'))(c_linalg.geqrf(self))
    return resolve(r_geqrf, (('self', self, MISSING),), extra, (
    ), others)

r_geqrf.public = geqrf


r_ormqr = Resolver('ormqr', ('ormqr',), True)


def ormqr(self=MISSING, input2=MISSING, input3=MISSING, left=True, transpose=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(input2) in plain and type(input3) in plain and type(left) is bool and type(transpose) is bool:
            return c_linalg.ormqr(self, input2, input3, left, transpose)
    return resolve(r_ormqr, (('self', self, MISSING), ('input2', input2, MISSING), ('input3', input3, MISSING), ('left', left, True), ('transpose', transpose, False),), extra, (
    ), others)

r_ormqr.public = ormqr


r_triangular_solve = Resolver('triangular_solve', ('triangular_solve',), True)


def triangular_solve(self=MISSING, A=MISSING, upper=True, transpose=False, unitriangular=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(A) in plain and type(upper) is bool and type(transpose) is bool and type(unitriangular) is bool:
            return named_result('triangular_solve', ('solution', 'cloned_coefficient'))(c_linalg.triangular_solve(self, A, upper, transpose, unitriangular))
    return resolve(r_triangular_solve, (('self', self, MISSING), ('A', A, MISSING), ('upper', upper, True), ('transpose', transpose, False), ('unitriangular', unitriangular, False),), extra, (
    ), others)

r_triangular_solve.public = triangular_solve


r_cholesky = Resolver('cholesky', ('cholesky',), True)


def cholesky(self=MISSING, upper=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(upper) is bool:
            return c_linalg.cholesky(self, upper)
    return resolve(r_cholesky, (('self', self, MISSING), ('upper', upper, False),), extra, (
    ), others)

r_cholesky.public = cholesky


r_cholesky_solve = Resolver('cholesky_solve', ('cholesky_solve',), True)


def cholesky_solve(self=MISSING, input2=MISSING, upper=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(input2) in plain and type(upper) is bool:
            return c_linalg.cholesky_solve(self, input2, upper)
    return resolve(r_cholesky_solve, (('self', self, MISSING), ('input2', input2, MISSING), ('upper', upper, False),), extra, (
    ), others)

r_cholesky_solve.public = cholesky_solve


r_lu_solve = Resolver('lu_solve', ('lu_solve',), True)


def lu_solve(self=MISSING, LU_data=MISSING, LU_pivots=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(LU_data) in plain and type(LU_pivots) in plain:
            return c_linalg.lu_solve(self, LU_data, LU_pivots)
    return resolve(r_lu_solve, (('self', self, MISSING), ('LU_data', LU_data, MISSING), ('LU_pivots', LU_pivots, MISSING),), extra, (
    ), others)

r_lu_solve.public = lu_solve


r_orgqr = Resolver('orgqr', ('orgqr',), True)


def orgqr(self=MISSING, input2=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(input2) in plain:
            return c_linalg.orgqr(self, input2)
    return resolve(r_orgqr, (('self', self, MISSING), ('input2', input2, MISSING),), extra, (
    ), others)

r_orgqr.public = orgqr


r_qr = Resolver('qr', ('qr',), True)


def qr(self=MISSING, some=True, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(some) is bool:
            return named_result('qr', ('Q', 'R'))(c_linalg.qr(self, some))
    return resolve(r_qr, (('self', self, MISSING), ('some', some, True),), extra, (
    ), others)

r_qr.public = qr


r_inverse = Resolver('inverse', ('inverse',), True)


def inverse(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_linalg.inverse(self)
    return resolve(r_inverse, (('self', self, MISSING),), extra, (
    ), others)

r_inverse.public = inverse


r_svd = Resolver('svd', ('svd',), True)


def svd(self=MISSING, some=True, compute_uv=True, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(some) is bool and type(compute_uv) is bool:
            return named_result('svd', ('U', 'S', 'V'))(c_linalg.svd(self, some, compute_uv))
    return resolve(r_svd, (('self', self, MISSING), ('some', some, True), ('compute_uv', compute_uv, True),), extra, (
    ), others)

r_svd.public = svd


r_det = Resolver('det', ('det',), True)


def det(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_linalg.det(self)
    return resolve(r_det, (('self', self, MISSING),), extra, (
    ), others)

r_det.public = det


r_slogdet = Resolver('slogdet', ('slogdet',), True)


def slogdet(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return named_result('slogdet', ('sign', 'logabsdet'))(c_linalg.slogdet(self))
    return resolve(r_slogdet, (('self', self, MISSING),), extra, (
    ), others)

r_slogdet.public = slogdet


r_logdet = Resolver('logdet', ('logdet',), True)


def logdet(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_linalg.logdet(self)
    return resolve(r_logdet, (('self', self, MISSING),), extra, (
    ), others)

r_logdet.public = logdet


r_pinverse = Resolver('pinverse', ('pinverse',), True)


def pinverse(self=MISSING, rcond=1e-15, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(rcond) is float:
            return c_linalg.pinverse(self, rcond)
    return resolve(r_pinverse, (('self', self, MISSING), ('rcond', rcond, 1e-15),), extra, (
    ), others)

r_pinverse.public = pinverse


r_matrix_exp = Resolver('matrix_exp', ('matrix_exp',), True)


def matrix_exp(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_linalg.matrix_exp(self)
    return resolve(r_matrix_exp, (('self', self, MISSING),), extra, (
    ), others)

r_matrix_exp.public = matrix_exp


r_cross = Resolver('cross', ('cross',), True)


def cross(self=MISSING, other=MISSING, dim=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain and (dim is None or type(dim) is int):
            return c_linalg.cross(self, other, dim)
    return resolve(r_cross, (('self', self, MISSING), ('other', other, MISSING), ('dim', dim, None),), extra, (
    ), others)

r_cross.public = cross


r_mm = Resolver('mm', ('mm',), True)


def mm(self=MISSING, mat2=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(mat2) in plain:
            return c_matrix.mm(self, mat2)
    return resolve(r_mm, (('self', self, MISSING), ('mat2', mat2, MISSING),), extra, (
    ), others)

r_mm.public = mm


r_bmm = Resolver('bmm', ('bmm',), True)


def bmm(self=MISSING, mat2=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(mat2) in plain:
            return c_matrix.bmm(self, mat2)
    return resolve(r_bmm, (('self', self, MISSING), ('mat2', mat2, MISSING),), extra, (
    ), others)

r_bmm.public = bmm


r_addmm = Resolver('addmm', ('addmm', '-addmm|(beta,self,alpha,mat1,mat2)', '-addmm|(beta,self,mat1,mat2)',), True)


def addmm(self=MISSING, mat1=MISSING, mat2=MISSING, *extra, beta=1, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(mat1) in plain and type(mat2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.addmm(self, mat1, mat2, beta, alpha)
    return resolve(r_addmm, (('self', self, MISSING), ('mat1', mat1, MISSING), ('mat2', mat2, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
    ), others)

r_addmm.public = addmm


r_addmm_ = Resolver('addmm_', ('addmm_', '-addmm_|(beta,self,alpha,mat1,mat2)', '-addmm_|(beta,self,mat1,mat2)',), True)


def addmm_(self=MISSING, mat1=MISSING, mat2=MISSING, *extra, beta=1, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(mat1) in plain and type(mat2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.addmm_(self, mat1, mat2, beta, alpha)
    return resolve(r_addmm_, (('self', self, MISSING), ('mat1', mat1, MISSING), ('mat2', mat2, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
    ), others)

r_addmm_.public = addmm_


r_baddbmm = Resolver('baddbmm', ('baddbmm', '-baddbmm|(beta,self,alpha,batch1,batch2)', '-baddbmm|(beta,self,batch1,batch2)',), True)


def baddbmm(self=MISSING, batch1=MISSING, batch2=MISSING, *extra, beta=1, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(batch1) in plain and type(batch2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.baddbmm(self, batch1, batch2, beta, alpha)
    return resolve(r_baddbmm, (('self', self, MISSING), ('batch1', batch1, MISSING), ('batch2', batch2, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
    ), others)

r_baddbmm.public = baddbmm


r_baddbmm_ = Resolver('baddbmm_', ('baddbmm_', '-baddbmm_|(beta,self,alpha,batch1,batch2)', '-baddbmm_|(beta,self,batch1,batch2)',), True)


def baddbmm_(self=MISSING, batch1=MISSING, batch2=MISSING, *extra, beta=1, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(batch1) in plain and type(batch2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.baddbmm_(self, batch1, batch2, beta, alpha)
    return resolve(r_baddbmm_, (('self', self, MISSING), ('batch1', batch1, MISSING), ('batch2', batch2, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
    ), others)

r_baddbmm_.public = baddbmm_


r_addbmm = Resolver('addbmm', ('addbmm', '-addbmm|(beta,self,alpha,batch1,batch2)', '-addbmm|(beta,self,batch1,batch2)',), True)


def addbmm(self=MISSING, batch1=MISSING, batch2=MISSING, *extra, beta=1, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(batch1) in plain and type(batch2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.addbmm(self, batch1, batch2, beta, alpha)
    return resolve(r_addbmm, (('self', self, MISSING), ('batch1', batch1, MISSING), ('batch2', batch2, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
    ), others)

r_addbmm.public = addbmm


r_addbmm_ = Resolver('addbmm_', ('addbmm_', '-addbmm_|(beta,self,alpha,batch1,batch2)', '-addbmm_|(beta,self,batch1,batch2)',), True)


def addbmm_(self=MISSING, batch1=MISSING, batch2=MISSING, *extra, beta=1, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(batch1) in plain and type(batch2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.addbmm_(self, batch1, batch2, beta, alpha)
    return resolve(r_addbmm_, (('self', self, MISSING), ('batch1', batch1, MISSING), ('batch2', batch2, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
    ), others)

r_addbmm_.public = addbmm_


r_mv = Resolver('mv', ('mv',), True)


def mv(self=MISSING, vec=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(vec) in plain:
            return c_matrix.mv(self, vec)
    return resolve(r_mv, (('self', self, MISSING), ('vec', vec, MISSING),), extra, (
    ), others)

r_mv.public = mv


r_addmv = Resolver('addmv', ('addmv', '-addmv|(beta,self,alpha,mat,vec)', '-addmv|(beta,self,mat,vec)',), True)


def addmv(self=MISSING, mat=MISSING, vec=MISSING, *extra, beta=1, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(mat) in plain and type(vec) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.addmv(self, mat, vec, beta, alpha)
    return resolve(r_addmv, (('self', self, MISSING), ('mat', mat, MISSING), ('vec', vec, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
    ), others)

r_addmv.public = addmv


r_addmv_ = Resolver('addmv_', ('addmv_', '-addmv_|(beta,self,alpha,mat,vec)', '-addmv_|(beta,self,mat,vec)',), True)


def addmv_(self=MISSING, mat=MISSING, vec=MISSING, *extra, beta=1, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(mat) in plain and type(vec) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.addmv_(self, mat, vec, beta, alpha)
    return resolve(r_addmv_, (('self', self, MISSING), ('mat', mat, MISSING), ('vec', vec, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
    ), others)

r_addmv_.public = addmv_


r_dot = Resolver('dot', ('dot',), True)


def dot(self=MISSING, tensor=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(tensor) in plain:
            return c_matrix.dot(self, tensor)
    return resolve(r_dot, (('self', self, MISSING), ('tensor', tensor, MISSING),), extra, (
    ), others)

r_dot.public = dot


r_vdot = Resolver('vdot', ('vdot',), True)


def vdot(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_matrix.vdot(self, other)
    return resolve(r_vdot, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_vdot.public = vdot


r_outer = Resolver('outer', ('outer',), True)


def outer(self=MISSING, vec2=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(vec2) in plain:
            return c_matrix.outer(self, vec2)
    return resolve(r_outer, (('self', self, MISSING), ('vec2', vec2, MISSING),), extra, (
    ), others)

r_outer.public = outer


r_ger = Resolver('ger', ('ger',), True)


def ger(self=MISSING, vec2=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(vec2) in plain:
            return c_matrix.ger(self, vec2)
    return resolve(r_ger, (('self', self, MISSING), ('vec2', vec2, MISSING),), extra, (
    ), others)

r_ger.public = ger


r_addr = Resolver('addr', ('addr', '-addr|(beta,self,alpha,vec1,vec2)', '-addr|(beta,self,vec1,vec2)',), True)


def addr(self=MISSING, vec1=MISSING, vec2=MISSING, *extra, beta=1, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(vec1) in plain and type(vec2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.addr(self, vec1, vec2, beta, alpha)
    return resolve(r_addr, (('self', self, MISSING), ('vec1', vec1, MISSING), ('vec2', vec2, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
    ), others)

r_addr.public = addr


r_addr_ = Resolver('addr_', ('addr_', '-addr_|(beta,self,alpha,vec1,vec2)', '-addr_|(beta,self,vec1,vec2)',), True)


def addr_(self=MISSING, vec1=MISSING, vec2=MISSING, *extra, beta=1, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(vec1) in plain and type(vec2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.addr_(self, vec1, vec2, beta, alpha)
    return resolve(r_addr_, (('self', self, MISSING), ('vec1', vec1, MISSING), ('vec2', vec2, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
    ), others)

r_addr_.public = addr_


r_matmul = Resolver('matmul', ('matmul',), True)


def matmul(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_matrix.matmul(self, other)
    return resolve(r_matmul, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_matmul.public = matmul


r_inner = Resolver('inner', ('inner',), True)


def inner(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_matrix.inner(self, other)
    return resolve(r_inner, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_inner.public = inner


r_kron = Resolver('kron', ('kron',), True)


def kron(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_matrix.kron(self, other)
    return resolve(r_kron, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_kron.public = kron


r_matrix_power = Resolver('matrix_power', ('matrix_power',), True)


def matrix_power(self=MISSING, n=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(n) is int:
            return c_matrix.matrix_power(self, n)
    return resolve(r_matrix_power, (('self', self, MISSING), ('n', n, MISSING),), extra, (
    ), others)

r_matrix_power.public = matrix_power


r_trace = Resolver('trace', ('trace',), True)


def trace(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_matrix.trace(self)
    return resolve(r_trace, (('self', self, MISSING),), extra, (
    ), others)

r_trace.public = trace


r_abs = Resolver('abs', ('abs',), True)


def abs(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.abs(self)
    return resolve(r_abs, (('self', self, MISSING),), extra, (
    ), others)

r_abs.public = abs


r_abs_ = Resolver('abs_', ('abs_',), True)


def abs_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.abs_(self)
    return resolve(r_abs_, (('self', self, MISSING),), extra, (
    ), others)

r_abs_.public = abs_


r_absolute = Resolver('absolute', ('absolute',), True)


def absolute(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.absolute(self)
    return resolve(r_absolute, (('self', self, MISSING),), extra, (
    ), others)

r_absolute.public = absolute


r_absolute_ = Resolver('absolute_', ('absolute_',), True)


def absolute_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.absolute_(self)
    return resolve(r_absolute_, (('self', self, MISSING),), extra, (
    ), others)

r_absolute_.public = absolute_


r_angle = Resolver('angle', ('angle',), True)


def angle(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.angle(self)
    return resolve(r_angle, (('self', self, MISSING),), extra, (
    ), others)

r_angle.public = angle


r_sgn = Resolver('sgn', ('sgn',), True)


def sgn(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sgn(self)
    return resolve(r_sgn, (('self', self, MISSING),), extra, (
    ), others)

r_sgn.public = sgn


r_sgn_ = Resolver('sgn_', ('sgn_',), True)


def sgn_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sgn_(self)
    return resolve(r_sgn_, (('self', self, MISSING),), extra, (
    ), others)

r_sgn_.public = sgn_


r_acos = Resolver('acos', ('acos',), True)


def acos(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.acos(self)
    return resolve(r_acos, (('self', self, MISSING),), extra, (
    ), others)

r_acos.public = acos


r_acos_ = Resolver('acos_', ('acos_',), True)


def acos_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.acos_(self)
    return resolve(r_acos_, (('self', self, MISSING),), extra, (
    ), others)

r_acos_.public = acos_


r_arccos = Resolver('arccos', ('arccos',), True)


def arccos(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.arccos(self)
    return resolve(r_arccos, (('self', self, MISSING),), extra, (
    ), others)

r_arccos.public = arccos


r_arccos_ = Resolver('arccos_', ('arccos_',), True)


def arccos_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.arccos_(self)
    return resolve(r_arccos_, (('self', self, MISSING),), extra, (
    ), others)

r_arccos_.public = arccos_


r_add = Resolver('add', ('add.Tensor', '-add.Scalar', '-add.Tensor|(self,alpha,other)',), True, True)


def add(self=MISSING, other=MISSING, *extra, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain and type(alpha) in number_types:
            return c_pointwise.add_Tensor(self, other, alpha)
        if type(self) in plain and type(other) in number_types and type(alpha) in number_types:
            return c_pointwise.add_Scalar(self, other, alpha)
    return resolve(r_add, (('self', self, MISSING), ('other', other, MISSING),), extra, (
        ('alpha', alpha, 1),
    ), others)

r_add.public = add


r_add_ = Resolver('add_', ('add_.Tensor', '-add_.Scalar', '-add_.Tensor|(self,alpha,other)',), True, True)


def add_(self=MISSING, other=MISSING, *extra, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain and type(alpha) in number_types:
            return c_pointwise.add__Tensor(self, other, alpha)
        if type(self) in plain and type(other) in number_types and type(alpha) in number_types:
            return c_pointwise.add__Scalar(self, other, alpha)
    return resolve(r_add_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
        ('alpha', alpha, 1),
    ), others)

r_add_.public = add_


r_acosh = Resolver('acosh', ('acosh',), True)


def acosh(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.acosh(self)
    return resolve(r_acosh, (('self', self, MISSING),), extra, (
    ), others)

r_acosh.public = acosh


r_acosh_ = Resolver('acosh_', ('acosh_',), True)


def acosh_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.acosh_(self)
    return resolve(r_acosh_, (('self', self, MISSING),), extra, (
    ), others)

r_acosh_.public = acosh_


r_arccosh = Resolver('arccosh', ('arccosh',), True)


def arccosh(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.arccosh(self)
    return resolve(r_arccosh, (('self', self, MISSING),), extra, (
    ), others)

r_arccosh.public = arccosh


r_arccosh_ = Resolver('arccosh_', ('arccosh_',), True)


def arccosh_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.arccosh_(self)
    return resolve(r_arccosh_, (('self', self, MISSING),), extra, (
    ), others)

r_arccosh_.public = arccosh_


r_asinh = Resolver('asinh', ('asinh',), True)


def asinh(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.asinh(self)
    return resolve(r_asinh, (('self', self, MISSING),), extra, (
    ), others)

r_asinh.public = asinh


r_asinh_ = Resolver('asinh_', ('asinh_',), True)


def asinh_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.asinh_(self)
    return resolve(r_asinh_, (('self', self, MISSING),), extra, (
    ), others)

r_asinh_.public = asinh_


r_arcsinh = Resolver('arcsinh', ('arcsinh',), True)


def arcsinh(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.arcsinh(self)
    return resolve(r_arcsinh, (('self', self, MISSING),), extra, (
    ), others)

r_arcsinh.public = arcsinh


r_arcsinh_ = Resolver('arcsinh_', ('arcsinh_',), True)


def arcsinh_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.arcsinh_(self)
    return resolve(r_arcsinh_, (('self', self, MISSING),), extra, (
    ), others)

r_arcsinh_.public = arcsinh_


r_atanh = Resolver('atanh', ('atanh',), True)


def atanh(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.atanh(self)
    return resolve(r_atanh, (('self', self, MISSING),), extra, (
    ), others)

r_atanh.public = atanh


r_atanh_ = Resolver('atanh_', ('atanh_',), True)


def atanh_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.atanh_(self)
    return resolve(r_atanh_, (('self', self, MISSING),), extra, (
    ), others)

r_atanh_.public = atanh_


r_arctanh = Resolver('arctanh', ('arctanh',), True)


def arctanh(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.arctanh(self)
    return resolve(r_arctanh, (('self', self, MISSING),), extra, (
    ), others)

r_arctanh.public = arctanh


r_arctanh_ = Resolver('arctanh_', ('arctanh_',), True)


def arctanh_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.arctanh_(self)
    return resolve(r_arctanh_, (('self', self, MISSING),), extra, (
    ), others)

r_arctanh_.public = arctanh_


r_asin = Resolver('asin', ('asin',), True)


def asin(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.asin(self)
    return resolve(r_asin, (('self', self, MISSING),), extra, (
    ), others)

r_asin.public = asin


r_asin_ = Resolver('asin_', ('asin_',), True)


def asin_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.asin_(self)
    return resolve(r_asin_, (('self', self, MISSING),), extra, (
    ), others)

r_asin_.public = asin_


r_arcsin = Resolver('arcsin', ('arcsin',), True)


def arcsin(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.arcsin(self)
    return resolve(r_arcsin, (('self', self, MISSING),), extra, (
    ), others)

r_arcsin.public = arcsin


r_arcsin_ = Resolver('arcsin_', ('arcsin_',), True)


def arcsin_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.arcsin_(self)
    return resolve(r_arcsin_, (('self', self, MISSING),), extra, (
    ), others)

r_arcsin_.public = arcsin_


r_atan = Resolver('atan', ('atan',), True)


def atan(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.atan(self)
    return resolve(r_atan, (('self', self, MISSING),), extra, (
    ), others)

r_atan.public = atan


r_atan_ = Resolver('atan_', ('atan_',), True)


def atan_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.atan_(self)
    return resolve(r_atan_, (('self', self, MISSING),), extra, (
    ), others)

r_atan_.public = atan_


r_arctan = Resolver('arctan', ('arctan',), True)


def arctan(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.arctan(self)
    return resolve(r_arctan, (('self', self, MISSING),), extra, (
    ), others)

r_arctan.public = arctan


r_arctan_ = Resolver('arctan_', ('arctan_',), True)


def arctan_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.arctan_(self)
    return resolve(r_arctan_, (('self', self, MISSING),), extra, (
    ), others)

r_arctan_.public = arctan_


r_bitwise_not = Resolver('bitwise_not', ('bitwise_not',), True)


def bitwise_not(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.bitwise_not(self)
    return resolve(r_bitwise_not, (('self', self, MISSING),), extra, (
    ), others)

r_bitwise_not.public = bitwise_not


r_bitwise_not_ = Resolver('bitwise_not_', ('bitwise_not_',), True)


def bitwise_not_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.bitwise_not_(self)
    return resolve(r_bitwise_not_, (('self', self, MISSING),), extra, (
    ), others)

r_bitwise_not_.public = bitwise_not_


r_copysign = Resolver('copysign', ('copysign.Tensor', 'copysign.Scalar',), True)


def copysign(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.copysign_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.copysign_Scalar(self, other)
    return resolve(r_copysign, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_copysign.public = copysign


r_copysign_ = Resolver('copysign_', ('copysign_.Tensor', 'copysign_.Scalar',), True)


def copysign_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.copysign__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.copysign__Scalar(self, other)
    return resolve(r_copysign_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_copysign_.public = copysign_


r_logical_not = Resolver('logical_not', ('logical_not',), True)


def logical_not(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.logical_not(self)
    return resolve(r_logical_not, (('self', self, MISSING),), extra, (
    ), others)

r_logical_not.public = logical_not


r_logical_not_ = Resolver('logical_not_', ('logical_not_',), True)


def logical_not_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.logical_not_(self)
    return resolve(r_logical_not_, (('self', self, MISSING),), extra, (
    ), others)

r_logical_not_.public = logical_not_


r_logical_xor = Resolver('logical_xor', ('logical_xor',), True)


def logical_xor(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.logical_xor(self, other)
    return resolve(r_logical_xor, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_logical_xor.public = logical_xor


r_logical_xor_ = Resolver('logical_xor_', ('logical_xor_',), True)


def logical_xor_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.logical_xor_(self, other)
    return resolve(r_logical_xor_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_logical_xor_.public = logical_xor_


r_logical_and = Resolver('logical_and', ('logical_and',), True)


def logical_and(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.logical_and(self, other)
    return resolve(r_logical_and, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_logical_and.public = logical_and


r_logical_and_ = Resolver('logical_and_', ('logical_and_',), True)


def logical_and_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.logical_and_(self, other)
    return resolve(r_logical_and_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_logical_and_.public = logical_and_


r_logical_or = Resolver('logical_or', ('logical_or',), True)


def logical_or(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.logical_or(self, other)
    return resolve(r_logical_or, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_logical_or.public = logical_or


r_logical_or_ = Resolver('logical_or_', ('logical_or_',), True)


def logical_or_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.logical_or_(self, other)
    return resolve(r_logical_or_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_logical_or_.public = logical_or_


r_ceil = Resolver('ceil', ('ceil',), True)


def ceil(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.ceil(self)
    return resolve(r_ceil, (('self', self, MISSING),), extra, (
    ), others)

r_ceil.public = ceil


r_ceil_ = Resolver('ceil_', ('ceil_',), True)


def ceil_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.ceil_(self)
    return resolve(r_ceil_, (('self', self, MISSING),), extra, (
    ), others)

r_ceil_.public = ceil_


r_clamp = Resolver('clamp', ('clamp.Tensor', 'clamp',), True)


def clamp(self=MISSING, min=None, max=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (min is None or type(min) in plain) and (max is None or type(max) in plain):
            return c_pointwise.clamp_Tensor(self, min, max)
        if type(self) in plain and (min is None or type(min) in number_types) and (max is None or type(max) in number_types):
            return c_pointwise.clamp(self, min, max)
    return resolve(r_clamp, (('self', self, MISSING), ('min', min, None), ('max', max, None),), extra, (
    ), others)

r_clamp.public = clamp


r_clamp_ = Resolver('clamp_', ('clamp_.Tensor', 'clamp_',), True)


def clamp_(self=MISSING, min=None, max=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (min is None or type(min) in plain) and (max is None or type(max) in plain):
            return c_pointwise.clamp__Tensor(self, min, max)
        if type(self) in plain and (min is None or type(min) in number_types) and (max is None or type(max) in number_types):
            return c_pointwise.clamp_(self, min, max)
    return resolve(r_clamp_, (('self', self, MISSING), ('min', min, None), ('max', max, None),), extra, (
    ), others)

r_clamp_.public = clamp_


r_clamp_max = Resolver('clamp_max', ('clamp_max.Tensor', 'clamp_max',), True)


def clamp_max(self=MISSING, max=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(max) in plain:
            return c_pointwise.clamp_max_Tensor(self, max)
        if type(self) in plain and type(max) in number_types:
            return c_pointwise.clamp_max(self, max)
    return resolve(r_clamp_max, (('self', self, MISSING), ('max', max, MISSING),), extra, (
    ), others)

r_clamp_max.public = clamp_max


r_clamp_max_ = Resolver('clamp_max_', ('clamp_max_.Tensor', 'clamp_max_',), True)


def clamp_max_(self=MISSING, max=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(max) in plain:
            return c_pointwise.clamp_max__Tensor(self, max)
        if type(self) in plain and type(max) in number_types:
            return c_pointwise.clamp_max_(self, max)
    return resolve(r_clamp_max_, (('self', self, MISSING), ('max', max, MISSING),), extra, (
    ), others)

r_clamp_max_.public = clamp_max_


r_clamp_min = Resolver('clamp_min', ('clamp_min.Tensor', 'clamp_min',), True)


def clamp_min(self=MISSING, min=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(min) in plain:
            return c_pointwise.clamp_min_Tensor(self, min)
        if type(self) in plain and type(min) in number_types:
            return c_pointwise.clamp_min(self, min)
    return resolve(r_clamp_min, (('self', self, MISSING), ('min', min, MISSING),), extra, (
    ), others)

r_clamp_min.public = clamp_min


r_clamp_min_ = Resolver('clamp_min_', ('clamp_min_.Tensor', 'clamp_min_',), True)


def clamp_min_(self=MISSING, min=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(min) in plain:
            return c_pointwise.clamp_min__Tensor(self, min)
        if type(self) in plain and type(min) in number_types:
            return c_pointwise.clamp_min_(self, min)
    return resolve(r_clamp_min_, (('self', self, MISSING), ('min', min, MISSING),), extra, (
    ), others)

r_clamp_min_.public = clamp_min_


r_clip = Resolver('clip', ('clip.Tensor', 'clip',), True)


def clip(self=MISSING, min=None, max=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (min is None or type(min) in plain) and (max is None or type(max) in plain):
            return c_pointwise.clip_Tensor(self, min, max)
        if type(self) in plain and (min is None or type(min) in number_types) and (max is None or type(max) in number_types):
            return c_pointwise.clip(self, min, max)
    return resolve(r_clip, (('self', self, MISSING), ('min', min, None), ('max', max, None),), extra, (
    ), others)

r_clip.public = clip


r_clip_ = Resolver('clip_', ('clip_.Tensor', 'clip_',), True)


def clip_(self=MISSING, min=None, max=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (min is None or type(min) in plain) and (max is None or type(max) in plain):
            return c_pointwise.clip__Tensor(self, min, max)
        if type(self) in plain and (min is None or type(min) in number_types) and (max is None or type(max) in number_types):
            return c_pointwise.clip_(self, min, max)
    return resolve(r_clip_, (('self', self, MISSING), ('min', min, None), ('max', max, None),), extra, (
    ), others)

r_clip_.public = clip_


r_cos = Resolver('cos', ('cos',), True)


def cos(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.cos(self)
    return resolve(r_cos, (('self', self, MISSING),), extra, (
    ), others)

r_cos.public = cos


r_cos_ = Resolver('cos_', ('cos_',), True)


def cos_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.cos_(self)
    return resolve(r_cos_, (('self', self, MISSING),), extra, (
    ), others)

r_cos_.public = cos_


r_cosh = Resolver('cosh', ('cosh',), True)


def cosh(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.cosh(self)
    return resolve(r_cosh, (('self', self, MISSING),), extra, (
    ), others)

r_cosh.public = cosh


r_cosh_ = Resolver('cosh_', ('cosh_',), True)


def cosh_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.cosh_(self)
    return resolve(r_cosh_, (('self', self, MISSING),), extra, (
    ), others)

r_cosh_.public = cosh_


r_div = Resolver('div', ('div.Tensor', 'div.Tensor_mode', 'div.Scalar_mode', '-div.Scalar',), True, True)


def div(self=MISSING, other=MISSING, *extra, rounding_mode=MISSING, **others):
    if not extra and not others:
        if rounding_mode is MISSING and type(self) in plain and type(other) in plain:
            return c_pointwise.div_Tensor(self, other)
        if type(self) in plain and type(other) in plain and (rounding_mode is None or type(rounding_mode) is str):
            return c_pointwise.div_Tensor_mode(self, other, rounding_mode)
        if type(self) in plain and type(other) in number_types and (rounding_mode is None or type(rounding_mode) is str):
            return c_pointwise.div_Scalar_mode(self, other, rounding_mode)
        if rounding_mode is MISSING and type(self) in plain and type(other) in number_types:
            return c_pointwise.div_Scalar(self, other)
    return resolve(r_div, (('self', self, MISSING), ('other', other, MISSING),), extra, (
        ('rounding_mode', rounding_mode, MISSING),
    ), others)

r_div.public = div


r_div_ = Resolver('div_', ('div_.Tensor', 'div_.Tensor_mode', 'div_.Scalar_mode', '-div_.Scalar',), True, True)


def div_(self=MISSING, other=MISSING, *extra, rounding_mode=MISSING, **others):
    if not extra and not others:
        if rounding_mode is MISSING and type(self) in plain and type(other) in plain:
            return c_pointwise.div__Tensor(self, other)
        if type(self) in plain and type(other) in plain and (rounding_mode is None or type(rounding_mode) is str):
            return c_pointwise.div__Tensor_mode(self, other, rounding_mode)
        if type(self) in plain and type(other) in number_types and (rounding_mode is None or type(rounding_mode) is str):
            return c_pointwise.div__Scalar_mode(self, other, rounding_mode)
        if rounding_mode is MISSING and type(self) in plain and type(other) in number_types:
            return c_pointwise.div__Scalar(self, other)
    return resolve(r_div_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
        ('rounding_mode', rounding_mode, MISSING),
    ), others)

r_div_.public = div_


r_divide = Resolver('divide', ('divide.Tensor', 'divide.Tensor_mode', 'divide.Scalar', 'divide.Scalar_mode',), True, True)


def divide(self=MISSING, other=MISSING, *extra, rounding_mode=MISSING, **others):
    if not extra and not others:
        if rounding_mode is MISSING and type(self) in plain and type(other) in plain:
            return c_pointwise.divide_Tensor(self, other)
        if type(self) in plain and type(other) in plain and (rounding_mode is None or type(rounding_mode) is str):
            return c_pointwise.divide_Tensor_mode(self, other, rounding_mode)
        if rounding_mode is MISSING and type(self) in plain and type(other) in number_types:
            return c_pointwise.divide_Scalar(self, other)
        if type(self) in plain and type(other) in number_types and (rounding_mode is None or type(rounding_mode) is str):
            return c_pointwise.divide_Scalar_mode(self, other, rounding_mode)
    return resolve(r_divide, (('self', self, MISSING), ('other', other, MISSING),), extra, (
        ('rounding_mode', rounding_mode, MISSING),
    ), others)

r_divide.public = divide


r_divide_ = Resolver('divide_', ('divide_.Tensor', 'divide_.Tensor_mode', 'divide_.Scalar', 'divide_.Scalar_mode',), True, True)


def divide_(self=MISSING, other=MISSING, *extra, rounding_mode=MISSING, **others):
    if not extra and not others:
        if rounding_mode is MISSING and type(self) in plain and type(other) in plain:
            return c_pointwise.divide__Tensor(self, other)
        if type(self) in plain and type(other) in plain and (rounding_mode is None or type(rounding_mode) is str):
            return c_pointwise.divide__Tensor_mode(self, other, rounding_mode)
        if rounding_mode is MISSING and type(self) in plain and type(other) in number_types:
            return c_pointwise.divide__Scalar(self, other)
        if type(self) in plain and type(other) in number_types and (rounding_mode is None or type(rounding_mode) is str):
            return c_pointwise.divide__Scalar_mode(self, other, rounding_mode)
    return resolve(r_divide_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
        ('rounding_mode', rounding_mode, MISSING),
    ), others)

r_divide_.public = divide_


r_true_divide = Resolver('true_divide', ('true_divide.Tensor', 'true_divide.Scalar',), True, True)


def true_divide(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.true_divide_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.true_divide_Scalar(self, other)
    return resolve(r_true_divide, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_true_divide.public = true_divide


r_true_divide_ = Resolver('true_divide_', ('true_divide_.Tensor', 'true_divide_.Scalar',), True, True)


def true_divide_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.true_divide__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.true_divide__Scalar(self, other)
    return resolve(r_true_divide_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_true_divide_.public = true_divide_


r_erf = Resolver('erf', ('erf',), True)


def erf(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.erf(self)
    return resolve(r_erf, (('self', self, MISSING),), extra, (
    ), others)

r_erf.public = erf


r_erf_ = Resolver('erf_', ('erf_',), True)


def erf_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.erf_(self)
    return resolve(r_erf_, (('self', self, MISSING),), extra, (
    ), others)

r_erf_.public = erf_


r_erfc = Resolver('erfc', ('erfc',), True)


def erfc(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.erfc(self)
    return resolve(r_erfc, (('self', self, MISSING),), extra, (
    ), others)

r_erfc.public = erfc


r_erfc_ = Resolver('erfc_', ('erfc_',), True)


def erfc_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.erfc_(self)
    return resolve(r_erfc_, (('self', self, MISSING),), extra, (
    ), others)

r_erfc_.public = erfc_


r_exp = Resolver('exp', ('exp',), True)


def exp(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.exp(self)
    return resolve(r_exp, (('self', self, MISSING),), extra, (
    ), others)

r_exp.public = exp


r_exp_ = Resolver('exp_', ('exp_',), True)


def exp_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.exp_(self)
    return resolve(r_exp_, (('self', self, MISSING),), extra, (
    ), others)

r_exp_.public = exp_


r_exp2 = Resolver('exp2', ('exp2',), True)


def exp2(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.exp2(self)
    return resolve(r_exp2, (('self', self, MISSING),), extra, (
    ), others)

r_exp2.public = exp2


r_exp2_ = Resolver('exp2_', ('exp2_',), True)


def exp2_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.exp2_(self)
    return resolve(r_exp2_, (('self', self, MISSING),), extra, (
    ), others)

r_exp2_.public = exp2_


r_expm1 = Resolver('expm1', ('expm1',), True)


def expm1(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.expm1(self)
    return resolve(r_expm1, (('self', self, MISSING),), extra, (
    ), others)

r_expm1.public = expm1


r_expm1_ = Resolver('expm1_', ('expm1_',), True)


def expm1_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.expm1_(self)
    return resolve(r_expm1_, (('self', self, MISSING),), extra, (
    ), others)

r_expm1_.public = expm1_


r_floor = Resolver('floor', ('floor',), True)


def floor(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.floor(self)
    return resolve(r_floor, (('self', self, MISSING),), extra, (
    ), others)

r_floor.public = floor


r_floor_ = Resolver('floor_', ('floor_',), True)


def floor_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.floor_(self)
    return resolve(r_floor_, (('self', self, MISSING),), extra, (
    ), others)

r_floor_.public = floor_


r_floor_divide = Resolver('floor_divide', ('floor_divide', 'floor_divide.Scalar',), True, True)


def floor_divide(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.floor_divide(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.floor_divide_Scalar(self, other)
    return resolve(r_floor_divide, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_floor_divide.public = floor_divide


r_floor_divide_ = Resolver('floor_divide_', ('floor_divide_.Tensor', 'floor_divide_.Scalar',), True, True)


def floor_divide_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.floor_divide__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.floor_divide__Scalar(self, other)
    return resolve(r_floor_divide_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_floor_divide_.public = floor_divide_


r_frac = Resolver('frac', ('frac',), True)


def frac(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.frac(self)
    return resolve(r_frac, (('self', self, MISSING),), extra, (
    ), others)

r_frac.public = frac


r_frac_ = Resolver('frac_', ('frac_',), True)


def frac_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.frac_(self)
    return resolve(r_frac_, (('self', self, MISSING),), extra, (
    ), others)

r_frac_.public = frac_


r_gcd = Resolver('gcd', ('gcd',), True)


def gcd(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.gcd(self, other)
    return resolve(r_gcd, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_gcd.public = gcd


r_gcd_ = Resolver('gcd_', ('gcd_',), True)


def gcd_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.gcd_(self, other)
    return resolve(r_gcd_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_gcd_.public = gcd_


r_lcm = Resolver('lcm', ('lcm',), True)


def lcm(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.lcm(self, other)
    return resolve(r_lcm, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_lcm.public = lcm


r_lcm_ = Resolver('lcm_', ('lcm_',), True)


def lcm_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.lcm_(self, other)
    return resolve(r_lcm_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_lcm_.public = lcm_


r_isnan = Resolver('isnan', ('isnan',), True)


def isnan(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.isnan(self)
    return resolve(r_isnan, (('self', self, MISSING),), extra, (
    ), others)

r_isnan.public = isnan


r_isreal = Resolver('isreal', ('isreal',), True)


def isreal(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.isreal(self)
    return resolve(r_isreal, (('self', self, MISSING),), extra, (
    ), others)

r_isreal.public = isreal


r_nan_to_num = Resolver('nan_to_num', ('nan_to_num',), True)


def nan_to_num(self=MISSING, nan=None, posinf=None, neginf=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (nan is None or type(nan) is float) and (posinf is None or type(posinf) is float) and (neginf is None or type(neginf) is float):
            return c_pointwise.nan_to_num(self, nan, posinf, neginf)
    return resolve(r_nan_to_num, (('self', self, MISSING), ('nan', nan, None), ('posinf', posinf, None), ('neginf', neginf, None),), extra, (
    ), others)

r_nan_to_num.public = nan_to_num


r_nan_to_num_ = Resolver('nan_to_num_', ('nan_to_num_',), True)


def nan_to_num_(self=MISSING, nan=None, posinf=None, neginf=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (nan is None or type(nan) is float) and (posinf is None or type(posinf) is float) and (neginf is None or type(neginf) is float):
            return c_pointwise.nan_to_num_(self, nan, posinf, neginf)
    return resolve(r_nan_to_num_, (('self', self, MISSING), ('nan', nan, None), ('posinf', posinf, None), ('neginf', neginf, None),), extra, (
    ), others)

r_nan_to_num_.public = nan_to_num_


r_ldexp = Resolver('ldexp', ('ldexp.Tensor',), True)


def ldexp(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.ldexp_Tensor(self, other)
    return resolve(r_ldexp, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_ldexp.public = ldexp


r_ldexp_ = Resolver('ldexp_', ('ldexp_',), True)


def ldexp_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.ldexp_(self, other)
    return resolve(r_ldexp_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_ldexp_.public = ldexp_


r_log = Resolver('log', ('log',), True)


def log(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.log(self)
    return resolve(r_log, (('self', self, MISSING),), extra, (
    ), others)

r_log.public = log


r_log_ = Resolver('log_', ('log_',), True)


def log_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.log_(self)
    return resolve(r_log_, (('self', self, MISSING),), extra, (
    ), others)

r_log_.public = log_


r_log10 = Resolver('log10', ('log10',), True)


def log10(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.log10(self)
    return resolve(r_log10, (('self', self, MISSING),), extra, (
    ), others)

r_log10.public = log10


r_log10_ = Resolver('log10_', ('log10_',), True)


def log10_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.log10_(self)
    return resolve(r_log10_, (('self', self, MISSING),), extra, (
    ), others)

r_log10_.public = log10_


r_log1p = Resolver('log1p', ('log1p',), True)


def log1p(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.log1p(self)
    return resolve(r_log1p, (('self', self, MISSING),), extra, (
    ), others)

r_log1p.public = log1p


r_log1p_ = Resolver('log1p_', ('log1p_',), True)


def log1p_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.log1p_(self)
    return resolve(r_log1p_, (('self', self, MISSING),), extra, (
    ), others)

r_log1p_.public = log1p_


r_log2 = Resolver('log2', ('log2',), True)


def log2(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.log2(self)
    return resolve(r_log2, (('self', self, MISSING),), extra, (
    ), others)

r_log2.public = log2


r_log2_ = Resolver('log2_', ('log2_',), True)


def log2_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.log2_(self)
    return resolve(r_log2_, (('self', self, MISSING),), extra, (
    ), others)

r_log2_.public = log2_


r_logaddexp = Resolver('logaddexp', ('logaddexp',), True)


def logaddexp(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.logaddexp(self, other)
    return resolve(r_logaddexp, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_logaddexp.public = logaddexp


r_logaddexp2 = Resolver('logaddexp2', ('logaddexp2',), True)


def logaddexp2(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.logaddexp2(self, other)
    return resolve(r_logaddexp2, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_logaddexp2.public = logaddexp2


r_xlogy = Resolver('xlogy', ('xlogy.Tensor', 'xlogy.Scalar_Other',), True)


def xlogy(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.xlogy_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.xlogy_Scalar_Other(self, other)
    return resolve(r_xlogy, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_xlogy.public = xlogy


r_xlogy_ = Resolver('xlogy_', ('xlogy_.Tensor', 'xlogy_.Scalar_Other',), True)


def xlogy_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.xlogy__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.xlogy__Scalar_Other(self, other)
    return resolve(r_xlogy_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_xlogy_.public = xlogy_


r_mul = Resolver('mul', ('mul.Tensor', '-mul.Scalar',), True, True)


def mul(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.mul_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.mul_Scalar(self, other)
    return resolve(r_mul, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_mul.public = mul


r_mul_ = Resolver('mul_', ('mul_.Tensor', '-mul_.Scalar',), True, True)


def mul_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.mul__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.mul__Scalar(self, other)
    return resolve(r_mul_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_mul_.public = mul_


r_multiply = Resolver('multiply', ('multiply.Tensor', 'multiply.Scalar',), True, True)


def multiply(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.multiply_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.multiply_Scalar(self, other)
    return resolve(r_multiply, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_multiply.public = multiply


r_multiply_ = Resolver('multiply_', ('multiply_.Tensor', 'multiply_.Scalar',), True, True)


def multiply_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.multiply__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.multiply__Scalar(self, other)
    return resolve(r_multiply_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_multiply_.public = multiply_


r_mvlgamma = Resolver('mvlgamma', ('mvlgamma',), True)


def mvlgamma(self=MISSING, p=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(p) is int:
            return c_pointwise.mvlgamma(self, p)
    return resolve(r_mvlgamma, (('self', self, MISSING), ('p', p, MISSING),), extra, (
    ), others)

r_mvlgamma.public = mvlgamma


r_mvlgamma_ = Resolver('mvlgamma_', ('mvlgamma_',), True)


def mvlgamma_(self=MISSING, p=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(p) is int:
            return c_pointwise.mvlgamma_(self, p)
    return resolve(r_mvlgamma_, (('self', self, MISSING), ('p', p, MISSING),), extra, (
    ), others)

r_mvlgamma_.public = mvlgamma_


r_rad2deg = Resolver('rad2deg', ('rad2deg',), True)


def rad2deg(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.rad2deg(self)
    return resolve(r_rad2deg, (('self', self, MISSING),), extra, (
    ), others)

r_rad2deg.public = rad2deg


r_rad2deg_ = Resolver('rad2deg_', ('rad2deg_',), True)


def rad2deg_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.rad2deg_(self)
    return resolve(r_rad2deg_, (('self', self, MISSING),), extra, (
    ), others)

r_rad2deg_.public = rad2deg_


r_deg2rad = Resolver('deg2rad', ('deg2rad',), True)


def deg2rad(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.deg2rad(self)
    return resolve(r_deg2rad, (('self', self, MISSING),), extra, (
    ), others)

r_deg2rad.public = deg2rad


r_deg2rad_ = Resolver('deg2rad_', ('deg2rad_',), True)


def deg2rad_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.deg2rad_(self)
    return resolve(r_deg2rad_, (('self', self, MISSING),), extra, (
    ), others)

r_deg2rad_.public = deg2rad_


r_reciprocal = Resolver('reciprocal', ('reciprocal',), True)


def reciprocal(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.reciprocal(self)
    return resolve(r_reciprocal, (('self', self, MISSING),), extra, (
    ), others)

r_reciprocal.public = reciprocal


r_reciprocal_ = Resolver('reciprocal_', ('reciprocal_',), True)


def reciprocal_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.reciprocal_(self)
    return resolve(r_reciprocal_, (('self', self, MISSING),), extra, (
    ), others)

r_reciprocal_.public = reciprocal_


r_neg = Resolver('neg', ('neg',), True)


def neg(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.neg(self)
    return resolve(r_neg, (('self', self, MISSING),), extra, (
    ), others)

r_neg.public = neg


r_neg_ = Resolver('neg_', ('neg_',), True)


def neg_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.neg_(self)
    return resolve(r_neg_, (('self', self, MISSING),), extra, (
    ), others)

r_neg_.public = neg_


r_negative = Resolver('negative', ('negative',), True)


def negative(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.negative(self)
    return resolve(r_negative, (('self', self, MISSING),), extra, (
    ), others)

r_negative.public = negative


r_negative_ = Resolver('negative_', ('negative_',), True)


def negative_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.negative_(self)
    return resolve(r_negative_, (('self', self, MISSING),), extra, (
    ), others)

r_negative_.public = negative_


r_round = Resolver('round', ('round', 'round.decimals',), True)


def round(self=MISSING, *extra, decimals=MISSING, **others):
    if not extra and not others:
        if decimals is MISSING and type(self) in plain:
            return c_pointwise.round(self)
        if type(self) in plain and type(decimals) is int:
            return c_pointwise.round_decimals(self, decimals)
    return resolve(r_round, (('self', self, MISSING),), extra, (
        ('decimals', decimals, MISSING),
    ), others)

r_round.public = round


r_round_ = Resolver('round_', ('round_', 'round_.decimals',), True)


def round_(self=MISSING, *extra, decimals=MISSING, **others):
    if not extra and not others:
        if decimals is MISSING and type(self) in plain:
            return c_pointwise.round_(self)
        if type(self) in plain and type(decimals) is int:
            return c_pointwise.round__decimals(self, decimals)
    return resolve(r_round_, (('self', self, MISSING),), extra, (
        ('decimals', decimals, MISSING),
    ), others)

r_round_.public = round_


r_relu = Resolver('relu', ('relu',), True)


def relu(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.relu(self)
    return resolve(r_relu, (('self', self, MISSING),), extra, (
    ), others)

r_relu.public = relu


r_relu_ = Resolver('relu_', ('relu_',), True)


def relu_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.relu_(self)
    return resolve(r_relu_, (('self', self, MISSING),), extra, (
    ), others)

r_relu_.public = relu_


r_prelu = Resolver('prelu', ('prelu',), True)


def prelu(self=MISSING, weight=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(weight) in plain:
            return c_pointwise.prelu(self, weight)
    return resolve(r_prelu, (('self', self, MISSING), ('weight', weight, MISSING),), extra, (
    ), others)

r_prelu.public = prelu


r_hardshrink = Resolver('hardshrink', ('hardshrink',), True)


def hardshrink(self=MISSING, lambd=0.5, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(lambd) in number_types:
            return c_pointwise.hardshrink(self, lambd)
    return resolve(r_hardshrink, (('self', self, MISSING), ('lambd', lambd, 0.5),), extra, (
    ), others)

r_hardshrink.public = hardshrink


r_rsqrt = Resolver('rsqrt', ('rsqrt',), True)


def rsqrt(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.rsqrt(self)
    return resolve(r_rsqrt, (('self', self, MISSING),), extra, (
    ), others)

r_rsqrt.public = rsqrt


r_rsqrt_ = Resolver('rsqrt_', ('rsqrt_',), True)


def rsqrt_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.rsqrt_(self)
    return resolve(r_rsqrt_, (('self', self, MISSING),), extra, (
    ), others)

r_rsqrt_.public = rsqrt_


r_sigmoid = Resolver('sigmoid', ('sigmoid',), True)


def sigmoid(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sigmoid(self)
    return resolve(r_sigmoid, (('self', self, MISSING),), extra, (
    ), others)

r_sigmoid.public = sigmoid


r_sigmoid_ = Resolver('sigmoid_', ('sigmoid_',), True)


def sigmoid_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sigmoid_(self)
    return resolve(r_sigmoid_, (('self', self, MISSING),), extra, (
    ), others)

r_sigmoid_.public = sigmoid_


r_logit = Resolver('logit', ('logit',), True)


def logit(self=MISSING, eps=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (eps is None or type(eps) is float):
            return c_pointwise.logit(self, eps)
    return resolve(r_logit, (('self', self, MISSING), ('eps', eps, None),), extra, (
    ), others)

r_logit.public = logit


r_logit_ = Resolver('logit_', ('logit_',), True)


def logit_(self=MISSING, eps=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (eps is None or type(eps) is float):
            return c_pointwise.logit_(self, eps)
    return resolve(r_logit_, (('self', self, MISSING), ('eps', eps, None),), extra, (
    ), others)

r_logit_.public = logit_


r_sin = Resolver('sin', ('sin',), True)


def sin(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sin(self)
    return resolve(r_sin, (('self', self, MISSING),), extra, (
    ), others)

r_sin.public = sin


r_sin_ = Resolver('sin_', ('sin_',), True)


def sin_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sin_(self)
    return resolve(r_sin_, (('self', self, MISSING),), extra, (
    ), others)

r_sin_.public = sin_


r_sinc = Resolver('sinc', ('sinc',), True)


def sinc(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sinc(self)
    return resolve(r_sinc, (('self', self, MISSING),), extra, (
    ), others)

r_sinc.public = sinc


r_sinc_ = Resolver('sinc_', ('sinc_',), True)


def sinc_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sinc_(self)
    return resolve(r_sinc_, (('self', self, MISSING),), extra, (
    ), others)

r_sinc_.public = sinc_


r_sinh = Resolver('sinh', ('sinh',), True)


def sinh(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sinh(self)
    return resolve(r_sinh, (('self', self, MISSING),), extra, (
    ), others)

r_sinh.public = sinh


r_sinh_ = Resolver('sinh_', ('sinh_',), True)


def sinh_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sinh_(self)
    return resolve(r_sinh_, (('self', self, MISSING),), extra, (
    ), others)

r_sinh_.public = sinh_


r_sqrt = Resolver('sqrt', ('sqrt',), True)


def sqrt(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sqrt(self)
    return resolve(r_sqrt, (('self', self, MISSING),), extra, (
    ), others)

r_sqrt.public = sqrt


r_sqrt_ = Resolver('sqrt_', ('sqrt_',), True)


def sqrt_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sqrt_(self)
    return resolve(r_sqrt_, (('self', self, MISSING),), extra, (
    ), others)

r_sqrt_.public = sqrt_


r_square = Resolver('square', ('square',), True)


def square(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.square(self)
    return resolve(r_square, (('self', self, MISSING),), extra, (
    ), others)

r_square.public = square


r_square_ = Resolver('square_', ('square_',), True)


def square_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.square_(self)
    return resolve(r_square_, (('self', self, MISSING),), extra, (
    ), others)

r_square_.public = square_


r_tan = Resolver('tan', ('tan',), True)


def tan(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.tan(self)
    return resolve(r_tan, (('self', self, MISSING),), extra, (
    ), others)

r_tan.public = tan


r_tan_ = Resolver('tan_', ('tan_',), True)


def tan_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.tan_(self)
    return resolve(r_tan_, (('self', self, MISSING),), extra, (
    ), others)

r_tan_.public = tan_


r_tanh = Resolver('tanh', ('tanh',), True)


def tanh(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.tanh(self)
    return resolve(r_tanh, (('self', self, MISSING),), extra, (
    ), others)

r_tanh.public = tanh


r_tanh_ = Resolver('tanh_', ('tanh_',), True)


def tanh_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.tanh_(self)
    return resolve(r_tanh_, (('self', self, MISSING),), extra, (
    ), others)

r_tanh_.public = tanh_


r_trunc = Resolver('trunc', ('trunc',), True)


def trunc(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.trunc(self)
    return resolve(r_trunc, (('self', self, MISSING),), extra, (
    ), others)

r_trunc.public = trunc


r_trunc_ = Resolver('trunc_', ('trunc_',), True)


def trunc_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.trunc_(self)
    return resolve(r_trunc_, (('self', self, MISSING),), extra, (
    ), others)

r_trunc_.public = trunc_


r_fix = Resolver('fix', ('fix',), True)


def fix(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.fix(self)
    return resolve(r_fix, (('self', self, MISSING),), extra, (
    ), others)

r_fix.public = fix


r_fix_ = Resolver('fix_', ('fix_',), True)


def fix_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.fix_(self)
    return resolve(r_fix_, (('self', self, MISSING),), extra, (
    ), others)

r_fix_.public = fix_


r_frexp = Resolver('frexp', ('frexp.Tensor',), True)


def frexp(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return named_result('frexp', ('mantissa', 'exponent'))(c_pointwise.frexp_Tensor(self))
    return resolve(r_frexp, (('self', self, MISSING),), extra, (
    ), others)

r_frexp.public = frexp


r_positive = Resolver('positive', ('positive',), True)


def positive(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.positive(self)
    return resolve(r_positive, (('self', self, MISSING),), extra, (
    ), others)

r_positive.public = positive


r_sub = Resolver('sub', ('sub.Tensor', '-sub.Scalar', '-sub.Tensor|(self,alpha,other)',), True, True)


def sub(self=MISSING, other=MISSING, *extra, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain and type(alpha) in number_types:
            return c_pointwise.sub_Tensor(self, other, alpha)
        if type(self) in plain and type(other) in number_types and type(alpha) in number_types:
            return c_pointwise.sub_Scalar(self, other, alpha)
    return resolve(r_sub, (('self', self, MISSING), ('other', other, MISSING),), extra, (
        ('alpha', alpha, 1),
    ), others)

r_sub.public = sub


r_sub_ = Resolver('sub_', ('sub_.Tensor', '-sub_.Scalar', '-sub_.Tensor|(self,alpha,other)',), True, True)


def sub_(self=MISSING, other=MISSING, *extra, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain and type(alpha) in number_types:
            return c_pointwise.sub__Tensor(self, other, alpha)
        if type(self) in plain and type(other) in number_types and type(alpha) in number_types:
            return c_pointwise.sub__Scalar(self, other, alpha)
    return resolve(r_sub_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
        ('alpha', alpha, 1),
    ), others)

r_sub_.public = sub_


r_subtract = Resolver('subtract', ('subtract.Tensor', 'subtract.Scalar',), True, True)


def subtract(self=MISSING, other=MISSING, *extra, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain and type(alpha) in number_types:
            return c_pointwise.subtract_Tensor(self, other, alpha)
        if type(self) in plain and type(other) in number_types and type(alpha) in number_types:
            return c_pointwise.subtract_Scalar(self, other, alpha)
    return resolve(r_subtract, (('self', self, MISSING), ('other', other, MISSING),), extra, (
        ('alpha', alpha, 1),
    ), others)

r_subtract.public = subtract


r_subtract_ = Resolver('subtract_', ('subtract_.Tensor', 'subtract_.Scalar',), True, True)


def subtract_(self=MISSING, other=MISSING, *extra, alpha=1, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain and type(alpha) in number_types:
            return c_pointwise.subtract__Tensor(self, other, alpha)
        if type(self) in plain and type(other) in number_types and type(alpha) in number_types:
            return c_pointwise.subtract__Scalar(self, other, alpha)
    return resolve(r_subtract_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
        ('alpha', alpha, 1),
    ), others)

r_subtract_.public = subtract_


r_heaviside = Resolver('heaviside', ('heaviside',), True)


def heaviside(self=MISSING, values=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(values) in plain:
            return c_pointwise.heaviside(self, values)
    return resolve(r_heaviside, (('self', self, MISSING), ('values', values, MISSING),), extra, (
    ), others)

r_heaviside.public = heaviside


r_heaviside_ = Resolver('heaviside_', ('heaviside_',), True)


def heaviside_(self=MISSING, values=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(values) in plain:
            return c_pointwise.heaviside_(self, values)
    return resolve(r_heaviside_, (('self', self, MISSING), ('values', values, MISSING),), extra, (
    ), others)

r_heaviside_.public = heaviside_


r_eq = Resolver('eq', ('eq.Tensor', 'eq.Scalar',), True)


def eq(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.eq_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.eq_Scalar(self, other)
    return resolve(r_eq, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_eq.public = eq


r_eq_ = Resolver('eq_', ('eq_.Tensor', 'eq_.Scalar',), True)


def eq_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.eq__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.eq__Scalar(self, other)
    return resolve(r_eq_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_eq_.public = eq_


r_bitwise_and = Resolver('bitwise_and', ('bitwise_and.Tensor', 'bitwise_and.Scalar',), True)


def bitwise_and(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.bitwise_and_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.bitwise_and_Scalar(self, other)
    return resolve(r_bitwise_and, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_bitwise_and.public = bitwise_and


r_bitwise_and_ = Resolver('bitwise_and_', ('bitwise_and_.Tensor', 'bitwise_and_.Scalar',), True)


def bitwise_and_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.bitwise_and__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.bitwise_and__Scalar(self, other)
    return resolve(r_bitwise_and_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_bitwise_and_.public = bitwise_and_


r___and__ = Resolver('__and__', ('__and__.Tensor', '__and__.Scalar',), True)


def __and__(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.__and___Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.__and___Scalar(self, other)
    check_owner('__and__', self)
    return reflected(resolve, r___and__, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___and__.public = __and__


r___iand__ = Resolver('__iand__', ('__iand__.Tensor', '__iand__.Scalar',), True)


def __iand__(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.__iand___Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.__iand___Scalar(self, other)
    check_owner('__iand__', self)
    return reflected(resolve, r___iand__, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___iand__.public = __iand__


r_bitwise_or = Resolver('bitwise_or', ('bitwise_or.Tensor', 'bitwise_or.Scalar',), True)


def bitwise_or(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.bitwise_or_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.bitwise_or_Scalar(self, other)
    return resolve(r_bitwise_or, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_bitwise_or.public = bitwise_or


r_bitwise_or_ = Resolver('bitwise_or_', ('bitwise_or_.Tensor', 'bitwise_or_.Scalar',), True)


def bitwise_or_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.bitwise_or__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.bitwise_or__Scalar(self, other)
    return resolve(r_bitwise_or_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_bitwise_or_.public = bitwise_or_


r___or__ = Resolver('__or__', ('__or__.Tensor', '__or__.Scalar',), True)


def __or__(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.__or___Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.__or___Scalar(self, other)
    check_owner('__or__', self)
    return reflected(resolve, r___or__, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___or__.public = __or__


r___ior__ = Resolver('__ior__', ('__ior__.Tensor', '__ior__.Scalar',), True)


def __ior__(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.__ior___Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.__ior___Scalar(self, other)
    check_owner('__ior__', self)
    return reflected(resolve, r___ior__, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___ior__.public = __ior__


r_bitwise_xor = Resolver('bitwise_xor', ('bitwise_xor.Tensor', 'bitwise_xor.Scalar',), True)


def bitwise_xor(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.bitwise_xor_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.bitwise_xor_Scalar(self, other)
    return resolve(r_bitwise_xor, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_bitwise_xor.public = bitwise_xor


r_bitwise_xor_ = Resolver('bitwise_xor_', ('bitwise_xor_.Tensor', 'bitwise_xor_.Scalar',), True)


def bitwise_xor_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.bitwise_xor__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.bitwise_xor__Scalar(self, other)
    return resolve(r_bitwise_xor_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_bitwise_xor_.public = bitwise_xor_


r___xor__ = Resolver('__xor__', ('__xor__.Tensor', '__xor__.Scalar',), True)


def __xor__(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.__xor___Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.__xor___Scalar(self, other)
    check_owner('__xor__', self)
    return reflected(resolve, r___xor__, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___xor__.public = __xor__


r___ixor__ = Resolver('__ixor__', ('__ixor__.Tensor', '__ixor__.Scalar',), True)


def __ixor__(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.__ixor___Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.__ixor___Scalar(self, other)
    check_owner('__ixor__', self)
    return reflected(resolve, r___ixor__, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___ixor__.public = __ixor__


r___lshift__ = Resolver('__lshift__', ('__lshift__.Tensor', '__lshift__.Scalar',), True)


def __lshift__(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.__lshift___Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.__lshift___Scalar(self, other)
    check_owner('__lshift__', self)
    return reflected(resolve, r___lshift__, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___lshift__.public = __lshift__


r___ilshift__ = Resolver('__ilshift__', ('__ilshift__.Tensor', '__ilshift__.Scalar',), True)


def __ilshift__(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.__ilshift___Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.__ilshift___Scalar(self, other)
    check_owner('__ilshift__', self)
    return reflected(resolve, r___ilshift__, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___ilshift__.public = __ilshift__


r_bitwise_left_shift = Resolver('bitwise_left_shift', ('bitwise_left_shift.Tensor', 'bitwise_left_shift.Tensor_Scalar',), True)


def bitwise_left_shift(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.bitwise_left_shift_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.bitwise_left_shift_Tensor_Scalar(self, other)
    return resolve(r_bitwise_left_shift, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_bitwise_left_shift.public = bitwise_left_shift


r_bitwise_left_shift_ = Resolver('bitwise_left_shift_', ('bitwise_left_shift_.Tensor', 'bitwise_left_shift_.Tensor_Scalar',), True)


def bitwise_left_shift_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.bitwise_left_shift__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.bitwise_left_shift__Tensor_Scalar(self, other)
    return resolve(r_bitwise_left_shift_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_bitwise_left_shift_.public = bitwise_left_shift_


r___rshift__ = Resolver('__rshift__', ('__rshift__.Tensor', '__rshift__.Scalar',), True)


def __rshift__(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.__rshift___Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.__rshift___Scalar(self, other)
    check_owner('__rshift__', self)
    return reflected(resolve, r___rshift__, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___rshift__.public = __rshift__


r___irshift__ = Resolver('__irshift__', ('__irshift__.Tensor', '__irshift__.Scalar',), True)


def __irshift__(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.__irshift___Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.__irshift___Scalar(self, other)
    check_owner('__irshift__', self)
    return reflected(resolve, r___irshift__, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___irshift__.public = __irshift__


r_bitwise_right_shift = Resolver('bitwise_right_shift', ('bitwise_right_shift.Tensor', 'bitwise_right_shift.Tensor_Scalar',), True)


def bitwise_right_shift(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.bitwise_right_shift_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.bitwise_right_shift_Tensor_Scalar(self, other)
    return resolve(r_bitwise_right_shift, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_bitwise_right_shift.public = bitwise_right_shift


r_bitwise_right_shift_ = Resolver('bitwise_right_shift_', ('bitwise_right_shift_.Tensor', 'bitwise_right_shift_.Tensor_Scalar',), True)


def bitwise_right_shift_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.bitwise_right_shift__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.bitwise_right_shift__Tensor_Scalar(self, other)
    return resolve(r_bitwise_right_shift_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_bitwise_right_shift_.public = bitwise_right_shift_


r_digamma = Resolver('digamma', ('digamma',), True)


def digamma(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.digamma(self)
    return resolve(r_digamma, (('self', self, MISSING),), extra, (
    ), others)

r_digamma.public = digamma


r_digamma_ = Resolver('digamma_', ('digamma_',), True)


def digamma_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.digamma_(self)
    return resolve(r_digamma_, (('self', self, MISSING),), extra, (
    ), others)

r_digamma_.public = digamma_


r_lerp = Resolver('lerp', ('lerp.Tensor', 'lerp.Scalar',), True)


def lerp(self=MISSING, end=MISSING, weight=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(end) in plain and type(weight) in plain:
            return c_pointwise.lerp_Tensor(self, end, weight)
        if type(self) in plain and type(end) in plain and type(weight) in number_types:
            return c_pointwise.lerp_Scalar(self, end, weight)
    return resolve(r_lerp, (('self', self, MISSING), ('end', end, MISSING), ('weight', weight, MISSING),), extra, (
    ), others)

r_lerp.public = lerp


r_lerp_ = Resolver('lerp_', ('lerp_.Tensor', 'lerp_.Scalar',), True)


def lerp_(self=MISSING, end=MISSING, weight=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(end) in plain and type(weight) in plain:
            return c_pointwise.lerp__Tensor(self, end, weight)
        if type(self) in plain and type(end) in plain and type(weight) in number_types:
            return c_pointwise.lerp__Scalar(self, end, weight)
    return resolve(r_lerp_, (('self', self, MISSING), ('end', end, MISSING), ('weight', weight, MISSING),), extra, (
    ), others)

r_lerp_.public = lerp_


r_ne = Resolver('ne', ('ne.Tensor', 'ne.Scalar',), True)


def ne(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.ne_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.ne_Scalar(self, other)
    return resolve(r_ne, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_ne.public = ne


r_ne_ = Resolver('ne_', ('ne_.Tensor', 'ne_.Scalar',), True)


def ne_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.ne__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.ne__Scalar(self, other)
    return resolve(r_ne_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_ne_.public = ne_


r_not_equal = Resolver('not_equal', ('not_equal.Tensor', 'not_equal.Scalar',), True)


def not_equal(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.not_equal_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.not_equal_Scalar(self, other)
    return resolve(r_not_equal, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_not_equal.public = not_equal


r_not_equal_ = Resolver('not_equal_', ('not_equal_.Tensor', 'not_equal_.Scalar',), True)


def not_equal_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.not_equal__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.not_equal__Scalar(self, other)
    return resolve(r_not_equal_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_not_equal_.public = not_equal_


r_ge = Resolver('ge', ('ge.Tensor', 'ge.Scalar',), True)


def ge(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.ge_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.ge_Scalar(self, other)
    return resolve(r_ge, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_ge.public = ge


r_ge_ = Resolver('ge_', ('ge_.Tensor', 'ge_.Scalar',), True)


def ge_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.ge__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.ge__Scalar(self, other)
    return resolve(r_ge_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_ge_.public = ge_


r_greater_equal = Resolver('greater_equal', ('greater_equal.Tensor', 'greater_equal.Scalar',), True)


def greater_equal(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.greater_equal_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.greater_equal_Scalar(self, other)
    return resolve(r_greater_equal, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_greater_equal.public = greater_equal


r_greater_equal_ = Resolver('greater_equal_', ('greater_equal_.Tensor', 'greater_equal_.Scalar',), True)


def greater_equal_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.greater_equal__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.greater_equal__Scalar(self, other)
    return resolve(r_greater_equal_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_greater_equal_.public = greater_equal_


r_le = Resolver('le', ('le.Tensor', 'le.Scalar',), True)


def le(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.le_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.le_Scalar(self, other)
    return resolve(r_le, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_le.public = le


r_le_ = Resolver('le_', ('le_.Tensor', 'le_.Scalar',), True)


def le_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.le__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.le__Scalar(self, other)
    return resolve(r_le_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_le_.public = le_


r_less_equal = Resolver('less_equal', ('less_equal.Tensor', 'less_equal.Scalar',), True)


def less_equal(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.less_equal_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.less_equal_Scalar(self, other)
    return resolve(r_less_equal, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_less_equal.public = less_equal


r_less_equal_ = Resolver('less_equal_', ('less_equal_.Tensor', 'less_equal_.Scalar',), True)


def less_equal_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.less_equal__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.less_equal__Scalar(self, other)
    return resolve(r_less_equal_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_less_equal_.public = less_equal_


r_gt = Resolver('gt', ('gt.Tensor', 'gt.Scalar',), True)


def gt(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.gt_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.gt_Scalar(self, other)
    return resolve(r_gt, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_gt.public = gt


r_gt_ = Resolver('gt_', ('gt_.Tensor', 'gt_.Scalar',), True)


def gt_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.gt__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.gt__Scalar(self, other)
    return resolve(r_gt_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_gt_.public = gt_


r_greater = Resolver('greater', ('greater.Tensor', 'greater.Scalar',), True)


def greater(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.greater_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.greater_Scalar(self, other)
    return resolve(r_greater, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_greater.public = greater


r_greater_ = Resolver('greater_', ('greater_.Tensor', 'greater_.Scalar',), True)


def greater_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.greater__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.greater__Scalar(self, other)
    return resolve(r_greater_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_greater_.public = greater_


r_lt = Resolver('lt', ('lt.Tensor', 'lt.Scalar',), True)


def lt(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.lt_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.lt_Scalar(self, other)
    return resolve(r_lt, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_lt.public = lt


r_lt_ = Resolver('lt_', ('lt_.Tensor', 'lt_.Scalar',), True)


def lt_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.lt__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.lt__Scalar(self, other)
    return resolve(r_lt_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_lt_.public = lt_


r_less = Resolver('less', ('less.Tensor', 'less.Scalar',), True)


def less(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.less_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.less_Scalar(self, other)
    return resolve(r_less, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_less.public = less


r_less_ = Resolver('less_', ('less_.Tensor', 'less_.Scalar',), True)


def less_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.less__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.less__Scalar(self, other)
    return resolve(r_less_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_less_.public = less_


r_addcmul = Resolver('addcmul', ('addcmul', '-addcmul|(self,value,tensor1,tensor2)',), True)


def addcmul(self=MISSING, tensor1=MISSING, tensor2=MISSING, *extra, value=1, **others):
    if not extra and not others:
        if type(self) in plain and type(tensor1) in plain and type(tensor2) in plain and type(value) in number_types:
            return c_pointwise.addcmul(self, tensor1, tensor2, value)
    return resolve(r_addcmul, (('self', self, MISSING), ('tensor1', tensor1, MISSING), ('tensor2', tensor2, MISSING),), extra, (
        ('value', value, 1),
    ), others)

r_addcmul.public = addcmul


r_addcmul_ = Resolver('addcmul_', ('addcmul_', '-addcmul_|(self,value,tensor1,tensor2)',), True)


def addcmul_(self=MISSING, tensor1=MISSING, tensor2=MISSING, *extra, value=1, **others):
    if not extra and not others:
        if type(self) in plain and type(tensor1) in plain and type(tensor2) in plain and type(value) in number_types:
            return c_pointwise.addcmul_(self, tensor1, tensor2, value)
    return resolve(r_addcmul_, (('self', self, MISSING), ('tensor1', tensor1, MISSING), ('tensor2', tensor2, MISSING),), extra, (
        ('value', value, 1),
    ), others)

r_addcmul_.public = addcmul_


r_addcdiv = Resolver('addcdiv', ('addcdiv', '-addcdiv|(self,value,tensor1,tensor2)',), True)


def addcdiv(self=MISSING, tensor1=MISSING, tensor2=MISSING, *extra, value=1, **others):
    if not extra and not others:
        if type(self) in plain and type(tensor1) in plain and type(tensor2) in plain and type(value) in number_types:
            return c_pointwise.addcdiv(self, tensor1, tensor2, value)
    return resolve(r_addcdiv, (('self', self, MISSING), ('tensor1', tensor1, MISSING), ('tensor2', tensor2, MISSING),), extra, (
        ('value', value, 1),
    ), others)

r_addcdiv.public = addcdiv


r_addcdiv_ = Resolver('addcdiv_', ('addcdiv_', '-addcdiv_|(self,value,tensor1,tensor2)',), True)


def addcdiv_(self=MISSING, tensor1=MISSING, tensor2=MISSING, *extra, value=1, **others):
    if not extra and not others:
        if type(self) in plain and type(tensor1) in plain and type(tensor2) in plain and type(value) in number_types:
            return c_pointwise.addcdiv_(self, tensor1, tensor2, value)
    return resolve(r_addcdiv_, (('self', self, MISSING), ('tensor1', tensor1, MISSING), ('tensor2', tensor2, MISSING),), extra, (
        ('value', value, 1),
    ), others)

r_addcdiv_.public = addcdiv_


r_lgamma = Resolver('lgamma', ('lgamma',), True)


def lgamma(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.lgamma(self)
    return resolve(r_lgamma, (('self', self, MISSING),), extra, (
    ), others)

r_lgamma.public = lgamma


r_lgamma_ = Resolver('lgamma_', ('lgamma_',), True)


def lgamma_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.lgamma_(self)
    return resolve(r_lgamma_, (('self', self, MISSING),), extra, (
    ), others)

r_lgamma_.public = lgamma_


r_polygamma = Resolver('polygamma', ('polygamma',), True)


def polygamma(self=MISSING, n=MISSING, *extra, **others):
    if not extra and not others:
        if type(n) is int and type(self) in plain:
            return c_pointwise.polygamma(n, self)
    return resolve(r_polygamma, (('self', self, MISSING), ('n', n, MISSING),), extra, (
    ), others)

r_polygamma.public = polygamma


r_polygamma_ = Resolver('polygamma_', ('polygamma_',), True)


def polygamma_(self=MISSING, n=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(n) is int:
            return c_pointwise.polygamma_(self, n)
    return resolve(r_polygamma_, (('self', self, MISSING), ('n', n, MISSING),), extra, (
    ), others)

r_polygamma_.public = polygamma_


r_erfinv = Resolver('erfinv', ('erfinv',), True)


def erfinv(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.erfinv(self)
    return resolve(r_erfinv, (('self', self, MISSING),), extra, (
    ), others)

r_erfinv.public = erfinv


r_erfinv_ = Resolver('erfinv_', ('erfinv_',), True)


def erfinv_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.erfinv_(self)
    return resolve(r_erfinv_, (('self', self, MISSING),), extra, (
    ), others)

r_erfinv_.public = erfinv_


r_i0 = Resolver('i0', ('i0',), True)


def i0(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.i0(self)
    return resolve(r_i0, (('self', self, MISSING),), extra, (
    ), others)

r_i0.public = i0


r_i0_ = Resolver('i0_', ('i0_',), True)


def i0_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.i0_(self)
    return resolve(r_i0_, (('self', self, MISSING),), extra, (
    ), others)

r_i0_.public = i0_


r_sign = Resolver('sign', ('sign',), True)


def sign(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sign(self)
    return resolve(r_sign, (('self', self, MISSING),), extra, (
    ), others)

r_sign.public = sign


r_sign_ = Resolver('sign_', ('sign_',), True)


def sign_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.sign_(self)
    return resolve(r_sign_, (('self', self, MISSING),), extra, (
    ), others)

r_sign_.public = sign_


r_signbit = Resolver('signbit', ('signbit',), True)


def signbit(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.signbit(self)
    return resolve(r_signbit, (('self', self, MISSING),), extra, (
    ), others)

r_signbit.public = signbit


r_atan2 = Resolver('atan2', ('atan2',), True)


def atan2(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.atan2(self, other)
    return resolve(r_atan2, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_atan2.public = atan2


r_atan2_ = Resolver('atan2_', ('atan2_',), True)


def atan2_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.atan2_(self, other)
    return resolve(r_atan2_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_atan2_.public = atan2_


r_arctan2 = Resolver('arctan2', ('arctan2',), True)


def arctan2(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.arctan2(self, other)
    return resolve(r_arctan2, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_arctan2.public = arctan2


r_arctan2_ = Resolver('arctan2_', ('arctan2_',), True)


def arctan2_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.arctan2_(self, other)
    return resolve(r_arctan2_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_arctan2_.public = arctan2_


r_fmod = Resolver('fmod', ('fmod.Tensor', 'fmod.Scalar',), True)


def fmod(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.fmod_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.fmod_Scalar(self, other)
    return resolve(r_fmod, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_fmod.public = fmod


r_fmod_ = Resolver('fmod_', ('fmod_.Tensor', 'fmod_.Scalar',), True)


def fmod_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.fmod__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.fmod__Scalar(self, other)
    return resolve(r_fmod_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_fmod_.public = fmod_


r_hypot = Resolver('hypot', ('hypot',), True)


def hypot(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.hypot(self, other)
    return resolve(r_hypot, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_hypot.public = hypot


r_hypot_ = Resolver('hypot_', ('hypot_',), True)


def hypot_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.hypot_(self, other)
    return resolve(r_hypot_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_hypot_.public = hypot_


r_igamma = Resolver('igamma', ('igamma',), True)


def igamma(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.igamma(self, other)
    return resolve(r_igamma, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_igamma.public = igamma


r_igamma_ = Resolver('igamma_', ('igamma_',), True)


def igamma_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.igamma_(self, other)
    return resolve(r_igamma_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_igamma_.public = igamma_


r_igammac = Resolver('igammac', ('igammac',), True)


def igammac(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.igammac(self, other)
    return resolve(r_igammac, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_igammac.public = igammac


r_igammac_ = Resolver('igammac_', ('igammac_',), True)


def igammac_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.igammac_(self, other)
    return resolve(r_igammac_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_igammac_.public = igammac_


r_nextafter = Resolver('nextafter', ('nextafter',), True)


def nextafter(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.nextafter(self, other)
    return resolve(r_nextafter, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_nextafter.public = nextafter


r_nextafter_ = Resolver('nextafter_', ('nextafter_',), True)


def nextafter_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.nextafter_(self, other)
    return resolve(r_nextafter_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_nextafter_.public = nextafter_


r_remainder = Resolver('remainder', ('remainder.Tensor', 'remainder.Scalar',), True)


def remainder(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.remainder_Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.remainder_Scalar(self, other)
    return resolve(r_remainder, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_remainder.public = remainder


r_remainder_ = Resolver('remainder_', ('remainder_.Tensor', 'remainder_.Scalar',), True)


def remainder_(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.remainder__Tensor(self, other)
        if type(self) in plain and type(other) in number_types:
            return c_pointwise.remainder__Scalar(self, other)
    return resolve(r_remainder_, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_remainder_.public = remainder_


r_fmin = Resolver('fmin', ('fmin',), True)


def fmin(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.fmin(self, other)
    return resolve(r_fmin, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_fmin.public = fmin


r_fmax = Resolver('fmax', ('fmax',), True)


def fmax(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.fmax(self, other)
    return resolve(r_fmax, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_fmax.public = fmax


r_maximum = Resolver('maximum', ('maximum',), True)


def maximum(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.maximum(self, other)
    return resolve(r_maximum, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_maximum.public = maximum


r_minimum = Resolver('minimum', ('minimum',), True)


def minimum(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_pointwise.minimum(self, other)
    return resolve(r_minimum, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_minimum.public = minimum


r_pow = Resolver('pow', ('pow.Tensor_Tensor', 'pow.Tensor_Scalar',), True)


def pow(self=MISSING, exponent=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(exponent) in plain:
            return c_pointwise.pow_Tensor_Tensor(self, exponent)
        if type(self) in plain and type(exponent) in number_types:
            return c_pointwise.pow_Tensor_Scalar(self, exponent)
    return resolve(r_pow, (('self', self, MISSING), ('exponent', exponent, MISSING),), extra, (
    ), others)

r_pow.public = pow


r_pow_ = Resolver('pow_', ('pow_.Tensor', 'pow_.Scalar',), True)


def pow_(self=MISSING, exponent=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(exponent) in plain:
            return c_pointwise.pow__Tensor(self, exponent)
        if type(self) in plain and type(exponent) in number_types:
            return c_pointwise.pow__Scalar(self, exponent)
    return resolve(r_pow_, (('self', self, MISSING), ('exponent', exponent, MISSING),), extra, (
    ), others)

r_pow_.public = pow_


r_float_power = Resolver('float_power', ('float_power.Tensor_Tensor', 'float_power.Tensor_Scalar',), True)


def float_power(self=MISSING, exponent=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(exponent) in plain:
            return c_pointwise.float_power_Tensor_Tensor(self, exponent)
        if type(self) in plain and type(exponent) in number_types:
            return c_pointwise.float_power_Tensor_Scalar(self, exponent)
    return resolve(r_float_power, (('self', self, MISSING), ('exponent', exponent, MISSING),), extra, (
    ), others)

r_float_power.public = float_power


r_float_power_ = Resolver('float_power_', ('float_power_.Tensor', 'float_power_.Scalar',), True)


def float_power_(self=MISSING, exponent=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(exponent) in plain:
            return c_pointwise.float_power__Tensor(self, exponent)
        if type(self) in plain and type(exponent) in number_types:
            return c_pointwise.float_power__Scalar(self, exponent)
    return resolve(r_float_power_, (('self', self, MISSING), ('exponent', exponent, MISSING),), extra, (
    ), others)

r_float_power_.public = float_power_


r_isfinite = Resolver('isfinite', ('isfinite',), True)


def isfinite(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.isfinite(self)
    return resolve(r_isfinite, (('self', self, MISSING),), extra, (
    ), others)

r_isfinite.public = isfinite


r_isinf = Resolver('isinf', ('isinf',), True)


def isinf(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.isinf(self)
    return resolve(r_isinf, (('self', self, MISSING),), extra, (
    ), others)

r_isinf.public = isinf


r_isposinf = Resolver('isposinf', ('isposinf',), True)


def isposinf(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.isposinf(self)
    return resolve(r_isposinf, (('self', self, MISSING),), extra, (
    ), others)

r_isposinf.public = isposinf


r_isneginf = Resolver('isneginf', ('isneginf',), True)


def isneginf(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_pointwise.isneginf(self)
    return resolve(r_isneginf, (('self', self, MISSING),), extra, (
    ), others)

r_isneginf.public = isneginf


r__is_all_true = Resolver('_is_all_true', ('_is_all_true',), True)


def _is_all_true(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_reduction._is_all_true(self)
    return resolve(r__is_all_true, (('self', self, MISSING),), extra, (
    ), others)

r__is_all_true.public = _is_all_true


r__is_any_true = Resolver('_is_any_true', ('_is_any_true',), True)


def _is_any_true(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_reduction._is_any_true(self)
    return resolve(r__is_any_true, (('self', self, MISSING),), extra, (
    ), others)

r__is_any_true.public = _is_any_true


r_all = Resolver('all', ('all', 'all.dims', 'all.dim',), True)


def all(self=MISSING, dim=MISSING, keepdim=MISSING, *extra, **others):
    if not extra and not others:
        if dim is MISSING and keepdim is MISSING and type(self) in plain:
            return c_reduction.all(self)
        if type(self) in plain and (dim is MISSING or (dim is None or (dim_ := int_list(dim)) is not None)) and (keepdim is MISSING or type(keepdim) is bool):
            return c_reduction.all_dims(self, (None if dim is MISSING else (dim if dim is None else dim_)), (False if keepdim is MISSING else keepdim))
        if type(self) in plain and type(dim) is int and (keepdim is MISSING or type(keepdim) is bool):
            return c_reduction.all_dim(self, dim, (False if keepdim is MISSING else keepdim))
    return resolve(r_all, (('self', self, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
    ), others)

r_all.public = all


r_any = Resolver('any', ('any', 'any.dims', 'any.dim',), True)


def any(self=MISSING, dim=MISSING, keepdim=MISSING, *extra, **others):
    if not extra and not others:
        if dim is MISSING and keepdim is MISSING and type(self) in plain:
            return c_reduction.any(self)
        if type(self) in plain and (dim is MISSING or (dim is None or (dim_ := int_list(dim)) is not None)) and (keepdim is MISSING or type(keepdim) is bool):
            return c_reduction.any_dims(self, (None if dim is MISSING else (dim if dim is None else dim_)), (False if keepdim is MISSING else keepdim))
        if type(self) in plain and type(dim) is int and (keepdim is MISSING or type(keepdim) is bool):
            return c_reduction.any_dim(self, dim, (False if keepdim is MISSING else keepdim))
    return resolve(r_any, (('self', self, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
    ), others)

r_any.public = any


r_argmax = Resolver('argmax', ('argmax',), True)


def argmax(self=MISSING, dim=None, keepdim=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (dim is None or type(dim) is int) and type(keepdim) is bool:
            return c_reduction.argmax(self, dim, keepdim)
    return resolve(r_argmax, (('self', self, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
    ), others)

r_argmax.public = argmax


r_argmin = Resolver('argmin', ('argmin',), True)


def argmin(self=MISSING, dim=None, keepdim=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (dim is None or type(dim) is int) and type(keepdim) is bool:
            return c_reduction.argmin(self, dim, keepdim)
    return resolve(r_argmin, (('self', self, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
    ), others)

r_argmin.public = argmin


r_count_nonzero = Resolver('count_nonzero', ('count_nonzero', 'count_nonzero.dim_IntList',), True)


def count_nonzero(self, *args, **others):
    if not others and type(self) in plain and (integers_ := integers(args)) is not None:
        return c_reduction.count_nonzero_dim_IntList(self, integers_)
    return resolve(r_count_nonzero, (), (self, *args), (
    ), others)

r_count_nonzero.public = count_nonzero


r_cummax = Resolver('cummax', ('cummax',), True)


def cummax(self=MISSING, dim=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int:
            return named_result('cummax', ('values', 'indices'))(c_reduction.cummax(self, dim))
    return resolve(r_cummax, (('self', self, MISSING), ('dim', dim, MISSING),), extra, (
    ), others)

r_cummax.public = cummax


r_cummin = Resolver('cummin', ('cummin',), True)


def cummin(self=MISSING, dim=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int:
            return named_result('cummin', ('values', 'indices'))(c_reduction.cummin(self, dim))
    return resolve(r_cummin, (('self', self, MISSING), ('dim', dim, MISSING),), extra, (
    ), others)

r_cummin.public = cummin


r_cumprod = Resolver('cumprod', ('cumprod',), True)


def cumprod(self=MISSING, dim=MISSING, *extra, dtype=None, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and (dtype is None or type(dtype) is Dtype):
            return c_reduction.cumprod(self, dim, dtype)
    return resolve(r_cumprod, (('self', self, MISSING), ('dim', dim, MISSING),), extra, (
        ('dtype', dtype, None),
    ), others)

r_cumprod.public = cumprod


r_cumprod_ = Resolver('cumprod_', ('cumprod_',), True)


def cumprod_(self=MISSING, dim=MISSING, *extra, dtype=None, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and (dtype is None or type(dtype) is Dtype):
            return c_reduction.cumprod_(self, dim, dtype)
    return resolve(r_cumprod_, (('self', self, MISSING), ('dim', dim, MISSING),), extra, (
        ('dtype', dtype, None),
    ), others)

r_cumprod_.public = cumprod_


r_cumsum = Resolver('cumsum', ('cumsum',), True)


def cumsum(self=MISSING, dim=MISSING, *extra, dtype=None, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and (dtype is None or type(dtype) is Dtype):
            return c_reduction.cumsum(self, dim, dtype)
    return resolve(r_cumsum, (('self', self, MISSING), ('dim', dim, MISSING),), extra, (
        ('dtype', dtype, None),
    ), others)

r_cumsum.public = cumsum


r_cumsum_ = Resolver('cumsum_', ('cumsum_',), True)


def cumsum_(self=MISSING, dim=MISSING, *extra, dtype=None, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and (dtype is None or type(dtype) is Dtype):
            return c_reduction.cumsum_(self, dim, dtype)
    return resolve(r_cumsum_, (('self', self, MISSING), ('dim', dim, MISSING),), extra, (
        ('dtype', dtype, None),
    ), others)

r_cumsum_.public = cumsum_


r_diff = Resolver('diff', ('diff',), True)


def diff(self=MISSING, n=1, dim=-1, prepend=None, append=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(n) is int and type(dim) is int and (prepend is None or type(prepend) in plain) and (append is None or type(append) in plain):
            return c_reduction.diff(self, n, dim, prepend, append)
    return resolve(r_diff, (('self', self, MISSING), ('n', n, 1), ('dim', dim, -1), ('prepend', prepend, None), ('append', append, None),), extra, (
    ), others)

r_diff.public = diff


r_logcumsumexp = Resolver('logcumsumexp', ('logcumsumexp',), True)


def logcumsumexp(self=MISSING, dim=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int:
            return c_reduction.logcumsumexp(self, dim)
    return resolve(r_logcumsumexp, (('self', self, MISSING), ('dim', dim, MISSING),), extra, (
    ), others)

r_logcumsumexp.public = logcumsumexp


r_logsumexp = Resolver('logsumexp', ('logsumexp',), True)


def logsumexp(self=MISSING, dim=MISSING, keepdim=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool:
            return c_reduction.logsumexp(self, dim_, keepdim)
    return resolve(r_logsumexp, (('self', self, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, False),), extra, (
    ), others)

r_logsumexp.public = logsumexp


r_aminmax = Resolver('aminmax', ('aminmax',), True)


def aminmax(self=MISSING, *extra, dim=None, keepdim=False, **others):
    if not extra and not others:
        if type(self) in plain and (dim is None or type(dim) is int) and type(keepdim) is bool:
            return named_result('aminmax', ('min', 'max'))(c_reduction.aminmax(self, dim, keepdim))
    return resolve(r_aminmax, (('self', self, MISSING),), extra, (
        ('dim', dim, None),
        ('keepdim', keepdim, False),
    ), others)

r_aminmax.public = aminmax


r_max = Resolver('max', ('max', 'max.other', 'max.dim',), True)


def max(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 1 and type(args[0]) in plain:
            return c_reduction.max(args[0])
        if n == 2 and type(args[0]) in plain and type(args[1]) in plain:
            return c_reduction.max_other(args[0], args[1])
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return named_result('max', ('values', 'indices'))(c_reduction.max_dim(args[0], args[1], False))
        if n == 3 and type(args[0]) in plain and type(args[1]) is int and type(args[2]) is bool:
            return named_result('max', ('values', 'indices'))(c_reduction.max_dim(args[0], args[1], args[2]))
    return r_max(args, kwargs)

r_max.public = max


r_amax = Resolver('amax', ('amax',), True)


def amax(self=MISSING, dim=(), keepdim=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool:
            return c_reduction.amax(self, dim_, keepdim)
    return resolve(r_amax, (('self', self, MISSING), ('dim', dim, ()), ('keepdim', keepdim, False),), extra, (
    ), others)

r_amax.public = amax


r_mean = Resolver('mean', ('mean', 'mean.dim',), True)


def mean(self=MISSING, dim=MISSING, keepdim=MISSING, *extra, dtype=None, **others):
    if not extra and not others:
        if dim is MISSING and keepdim is MISSING and type(self) in plain and (dtype is None or type(dtype) is Dtype):
            return c_reduction.mean(self, dtype)
        if type(self) in plain and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and (keepdim is MISSING or type(keepdim) is bool) and (dtype is None or type(dtype) is Dtype):
            return c_reduction.mean_dim(self, (dim if dim is None else dim_), (False if keepdim is MISSING else keepdim), dtype)
    return resolve(r_mean, (('self', self, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
        ('dtype', dtype, None),
    ), others)

r_mean.public = mean


r_nanmean = Resolver('nanmean', ('nanmean',), True)


def nanmean(self=MISSING, dim=None, keepdim=False, *extra, dtype=None, **others):
    if not extra and not others:
        if type(self) in plain and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_reduction.nanmean(self, (dim if dim is None else dim_), keepdim, dtype)
    return resolve(r_nanmean, (('self', self, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('dtype', dtype, None),
    ), others)

r_nanmean.public = nanmean


r_min = Resolver('min', ('min', 'min.other', 'min.dim',), True)


def min(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 1 and type(args[0]) in plain:
            return c_reduction.min(args[0])
        if n == 2 and type(args[0]) in plain and type(args[1]) in plain:
            return c_reduction.min_other(args[0], args[1])
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return named_result('min', ('values', 'indices'))(c_reduction.min_dim(args[0], args[1], False))
        if n == 3 and type(args[0]) in plain and type(args[1]) is int and type(args[2]) is bool:
            return named_result('min', ('values', 'indices'))(c_reduction.min_dim(args[0], args[1], args[2]))
    return r_min(args, kwargs)

r_min.public = min


r_amin = Resolver('amin', ('amin',), True)


def amin(self=MISSING, dim=(), keepdim=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool:
            return c_reduction.amin(self, dim_, keepdim)
    return resolve(r_amin, (('self', self, MISSING), ('dim', dim, ()), ('keepdim', keepdim, False),), extra, (
    ), others)

r_amin.public = amin


r_sum = Resolver('sum', ('sum', 'sum.dim_IntList',), True)


def sum(self=MISSING, dim=MISSING, keepdim=MISSING, *extra, dtype=None, **others):
    if not extra and not others:
        if dim is MISSING and keepdim is MISSING and type(self) in plain and (dtype is None or type(dtype) is Dtype):
            return c_reduction.sum(self, dtype)
        if type(self) in plain and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and (keepdim is MISSING or type(keepdim) is bool) and (dtype is None or type(dtype) is Dtype):
            return c_reduction.sum_dim_IntList(self, (dim if dim is None else dim_), (False if keepdim is MISSING else keepdim), dtype)
    return resolve(r_sum, (('self', self, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
        ('dtype', dtype, None),
    ), others)

r_sum.public = sum


r_nansum = Resolver('nansum', ('nansum',), True)


def nansum(self=MISSING, dim=None, keepdim=False, *extra, dtype=None, **others):
    if not extra and not others:
        if type(self) in plain and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_reduction.nansum(self, (dim if dim is None else dim_), keepdim, dtype)
    return resolve(r_nansum, (('self', self, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('dtype', dtype, None),
    ), others)

r_nansum.public = nansum


r_std = Resolver('std', ('std.dim', 'std.correction', 'std',), True)


def std(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None):
            return c_reduction.std_dim(args[0], (args[1] if args[1] is None else v1), True, False)
        if n == 3 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None) and type(args[2]) is bool:
            return c_reduction.std_dim(args[0], (args[1] if args[1] is None else v1), args[2], False)
        if n == 4 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None) and type(args[2]) is bool and type(args[3]) is bool:
            return c_reduction.std_dim(args[0], (args[1] if args[1] is None else v1), args[2], args[3])
        if n == 1 and type(args[0]) in plain:
            return c_reduction.std_correction(args[0], None, None, False)
        if n == 2 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None):
            return c_reduction.std_correction(args[0], (args[1] if args[1] is None else v1), None, False)
        if n == 1 and type(args[0]) in plain:
            return c_reduction.std(args[0], True)
        if n == 2 and type(args[0]) in plain and type(args[1]) is bool:
            return c_reduction.std(args[0], args[1])
    return r_std(args, kwargs)

r_std.public = std


r_prod = Resolver('prod', ('prod', 'prod.dim_int',), True)


def prod(self=MISSING, dim=MISSING, keepdim=MISSING, *extra, dtype=None, **others):
    if not extra and not others:
        if dim is MISSING and keepdim is MISSING and type(self) in plain and (dtype is None or type(dtype) is Dtype):
            return c_reduction.prod(self, dtype)
        if type(self) in plain and type(dim) is int and (keepdim is MISSING or type(keepdim) is bool) and (dtype is None or type(dtype) is Dtype):
            return c_reduction.prod_dim_int(self, dim, (False if keepdim is MISSING else keepdim), dtype)
    return resolve(r_prod, (('self', self, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
        ('dtype', dtype, None),
    ), others)

r_prod.public = prod


r_var = Resolver('var', ('var.dim', 'var.correction', 'var',), True)


def var(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None):
            return c_reduction.var_dim(args[0], (args[1] if args[1] is None else v1), True, False)
        if n == 3 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None) and type(args[2]) is bool:
            return c_reduction.var_dim(args[0], (args[1] if args[1] is None else v1), args[2], False)
        if n == 4 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None) and type(args[2]) is bool and type(args[3]) is bool:
            return c_reduction.var_dim(args[0], (args[1] if args[1] is None else v1), args[2], args[3])
        if n == 1 and type(args[0]) in plain:
            return c_reduction.var_correction(args[0], None, None, False)
        if n == 2 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None):
            return c_reduction.var_correction(args[0], (args[1] if args[1] is None else v1), None, False)
        if n == 1 and type(args[0]) in plain:
            return c_reduction.var(args[0], True)
        if n == 2 and type(args[0]) in plain and type(args[1]) is bool:
            return c_reduction.var(args[0], args[1])
    return r_var(args, kwargs)

r_var.public = var


r_norm = Resolver('norm', ('norm.Scalar', 'norm.ScalarOpt_dtype', 'norm.ScalarOpt_dim_dtype', 'norm.ScalarOpt_dim',), True)


def norm(self=MISSING, p=MISSING, dim=MISSING, keepdim=MISSING, *extra, dtype=MISSING, **others):
    if not extra and not others:
        if dim is MISSING and keepdim is MISSING and dtype is MISSING and type(self) in plain and (p is MISSING or type(p) in number_types):
            return c_reduction.norm_Scalar(self, (2 if p is MISSING else p))
        if dim is MISSING and keepdim is MISSING and type(self) in plain and (p is None or type(p) in number_types) and type(dtype) is Dtype:
            return c_reduction.norm_ScalarOpt_dtype(self, p, dtype)
        if type(self) in plain and (p is None or type(p) in number_types) and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool and type(dtype) is Dtype:
            return c_reduction.norm_ScalarOpt_dim_dtype(self, p, dim_, keepdim, dtype)
        if dtype is MISSING and type(self) in plain and (p is None or type(p) in number_types) and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and (keepdim is MISSING or type(keepdim) is bool):
            return c_reduction.norm_ScalarOpt_dim(self, p, dim_, (False if keepdim is MISSING else keepdim))
    return resolve(r_norm, (('self', self, MISSING), ('p', p, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
        ('dtype', dtype, MISSING),
    ), others)

r_norm.public = norm


r_dist = Resolver('dist', ('dist',), True)


def dist(self=MISSING, other=MISSING, p=2, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain and type(p) in number_types:
            return c_reduction.dist(self, other, p)
    return resolve(r_dist, (('self', self, MISSING), ('other', other, MISSING), ('p', p, 2),), extra, (
    ), others)

r_dist.public = dist


r_renorm = Resolver('renorm', ('renorm',), True)


def renorm(self=MISSING, p=MISSING, dim=MISSING, maxnorm=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(p) in number_types and type(dim) is int and type(maxnorm) in number_types:
            return c_reduction.renorm(self, p, dim, maxnorm)
    return resolve(r_renorm, (('self', self, MISSING), ('p', p, MISSING), ('dim', dim, MISSING), ('maxnorm', maxnorm, MISSING),), extra, (
    ), others)

r_renorm.public = renorm


r_renorm_ = Resolver('renorm_', ('renorm_',), True)


def renorm_(self=MISSING, p=MISSING, dim=MISSING, maxnorm=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(p) in number_types and type(dim) is int and type(maxnorm) in number_types:
            return c_reduction.renorm_(self, p, dim, maxnorm)
    return resolve(r_renorm_, (('self', self, MISSING), ('p', p, MISSING), ('dim', dim, MISSING), ('maxnorm', maxnorm, MISSING),), extra, (
    ), others)

r_renorm_.public = renorm_


r_hash_tensor = Resolver('hash_tensor', ('hash_tensor',), True)


def hash_tensor(self, *args, keepdim=False, mode=0, **others):
    if not others and type(self) in plain and type(keepdim) is bool and type(mode) is int and (integers_ := integers(args)) is not None:
        return c_reduction.hash_tensor(self, integers_, keepdim, mode)
    return resolve(r_hash_tensor, (), (self, *args), (
        ('keepdim', keepdim, False),
        ('mode', mode, 0),
    ), others)

r_hash_tensor.public = hash_tensor


r_cov = Resolver('cov', ('cov',), True)


def cov(self=MISSING, *extra, correction=1, fweights=None, aweights=None, **others):
    if not extra and not others:
        if type(self) in plain and type(correction) is int and (fweights is None or type(fweights) in plain) and (aweights is None or type(aweights) in plain):
            return c_reduction.cov(self, correction, fweights, aweights)
    return resolve(r_cov, (('self', self, MISSING),), extra, (
        ('correction', correction, 1),
        ('fweights', fweights, None),
        ('aweights', aweights, None),
    ), others)

r_cov.public = cov


r_corrcoef = Resolver('corrcoef', ('corrcoef',), True)


def corrcoef(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_reduction.corrcoef(self)
    return resolve(r_corrcoef, (('self', self, MISSING),), extra, (
    ), others)

r_corrcoef.public = corrcoef


r_log_softmax = Resolver('log_softmax', ('log_softmax.int',), True)


def log_softmax(self=MISSING, dim=MISSING, dtype=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and (dtype is None or type(dtype) is Dtype):
            return c_rows.log_softmax_int(self, dim, dtype)
    return resolve(r_log_softmax, (('self', self, MISSING), ('dim', dim, MISSING), ('dtype', dtype, None),), extra, (
    ), others)

r_log_softmax.public = log_softmax


r_softmax = Resolver('softmax', ('softmax.int',), True)


def softmax(self=MISSING, dim=MISSING, dtype=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and (dtype is None or type(dtype) is Dtype):
            return c_rows.softmax_int(self, dim, dtype)
    return resolve(r_softmax, (('self', self, MISSING), ('dim', dim, MISSING), ('dtype', dtype, None),), extra, (
    ), others)

r_softmax.public = softmax


r_normal_ = Resolver('normal_', ('normal_',), True)


def normal_(self=MISSING, mean=0.0, std=1.0, *extra, generator=None, **others):
    if not extra and not others:
        if type(self) in plain and type(mean) is float and type(std) is float and generator is None:
            return c_sampling.normal_(self, mean, std, generator)
    return resolve(r_normal_, (('self', self, MISSING), ('mean', mean, 0.0), ('std', std, 1.0),), extra, (
        ('generator', generator, None),
    ), others)

r_normal_.public = normal_


r_uniform_ = Resolver('uniform_', ('uniform_',), True)


def uniform_(self=MISSING, from_=0.0, to=1.0, *extra, generator=None, **others):
    if not extra and not others:
        if type(self) in plain and type(from_) is float and type(to) is float and generator is None:
            return c_sampling.uniform_(self, from_, to, generator)
    return resolve(r_uniform_, (('self', self, MISSING), ('from_', from_, 0.0), ('to', to, 1.0),), extra, (
        ('generator', generator, None),
    ), others)

r_uniform_.public = uniform_


r_log_normal_ = Resolver('log_normal_', ('log_normal_',), True)


def log_normal_(self=MISSING, mean=1.0, std=2.0, *extra, generator=None, **others):
    if not extra and not others:
        if type(self) in plain and type(mean) is float and type(std) is float and generator is None:
            return c_sampling.log_normal_(self, mean, std, generator)
    return resolve(r_log_normal_, (('self', self, MISSING), ('mean', mean, 1.0), ('std', std, 2.0),), extra, (
        ('generator', generator, None),
    ), others)

r_log_normal_.public = log_normal_


r_cauchy_ = Resolver('cauchy_', ('cauchy_',), True)


def cauchy_(self=MISSING, median=0.0, sigma=1.0, *extra, generator=None, **others):
    if not extra and not others:
        if type(self) in plain and type(median) is float and type(sigma) is float and generator is None:
            return c_sampling.cauchy_(self, median, sigma, generator)
    return resolve(r_cauchy_, (('self', self, MISSING), ('median', median, 0.0), ('sigma', sigma, 1.0),), extra, (
        ('generator', generator, None),
    ), others)

r_cauchy_.public = cauchy_


r_exponential_ = Resolver('exponential_', ('exponential_',), True)


def exponential_(self=MISSING, lambd=1.0, *extra, generator=None, **others):
    if not extra and not others:
        if type(self) in plain and type(lambd) is float and generator is None:
            return c_sampling.exponential_(self, lambd, generator)
    return resolve(r_exponential_, (('self', self, MISSING), ('lambd', lambd, 1.0),), extra, (
        ('generator', generator, None),
    ), others)

r_exponential_.public = exponential_


r_geometric_ = Resolver('geometric_', ('geometric_',), True)


def geometric_(self=MISSING, p=MISSING, *extra, generator=None, **others):
    if not extra and not others:
        if type(self) in plain and type(p) is float and generator is None:
            return c_sampling.geometric_(self, p, generator)
    return resolve(r_geometric_, (('self', self, MISSING), ('p', p, MISSING),), extra, (
        ('generator', generator, None),
    ), others)

r_geometric_.public = geometric_


r_random_ = Resolver('random_', ('random_', 'random_.from', 'random_.to',), True)


def random_(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 1 and type(args[0]) in plain:
            return c_sampling.random_(args[0], None)
        if n == 3 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int):
            return c_sampling.random__from(args[0], args[1], args[2], None)
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return c_sampling.random__to(args[0], args[1], None)
    return r_random_(args, kwargs)

r_random_.public = random_


r_bernoulli = Resolver('bernoulli', ('bernoulli', 'bernoulli.p',), True)


def bernoulli(self=MISSING, p=MISSING, *extra, generator=None, **others):
    if not extra and not others:
        if p is MISSING and type(self) in plain and generator is None:
            return c_sampling.bernoulli(self, generator)
        if type(self) in plain and type(p) is float and generator is None:
            return c_sampling.bernoulli_p(self, p, generator)
    return resolve(r_bernoulli, (('self', self, MISSING), ('p', p, MISSING),), extra, (
        ('generator', generator, None),
    ), others)

r_bernoulli.public = bernoulli


r_bernoulli_ = Resolver('bernoulli_', ('bernoulli_.Tensor', 'bernoulli_.float',), True)


def bernoulli_(self=MISSING, p=MISSING, *extra, generator=None, **others):
    if not extra and not others:
        if type(self) in plain and type(p) in plain and generator is None:
            return c_sampling.bernoulli__Tensor(self, p, generator)
        if type(self) in plain and (p is MISSING or type(p) is float) and generator is None:
            return c_sampling.bernoulli__float(self, (0.5 if p is MISSING else p), generator)
    return resolve(r_bernoulli_, (('self', self, MISSING), ('p', p, MISSING),), extra, (
        ('generator', generator, None),
    ), others)

r_bernoulli_.public = bernoulli_


r_multinomial = Resolver('multinomial', ('multinomial',), True)


def multinomial(self=MISSING, num_samples=MISSING, replacement=False, *extra, generator=None, **others):
    if not extra and not others:
        if type(self) in plain and type(num_samples) is int and type(replacement) is bool and generator is None:
            return c_sampling.multinomial(self, num_samples, replacement, generator)
    return resolve(r_multinomial, (('self', self, MISSING), ('num_samples', num_samples, MISSING), ('replacement', replacement, False),), extra, (
        ('generator', generator, None),
    ), others)

r_multinomial.public = multinomial


r_histc = Resolver('histc', ('histc',), True)


def histc(self=MISSING, bins=100, min=0, max=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(bins) is int and type(min) in number_types and type(max) in number_types:
            return c_searching.histc(self, bins, min, max)
    return resolve(r_histc, (('self', self, MISSING), ('bins', bins, 100), ('min', min, 0), ('max', max, 0),), extra, (
    ), others)

r_histc.public = histc


r_bincount = Resolver('bincount', ('bincount',), True)


def bincount(self=MISSING, weights=None, minlength=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (weights is None or type(weights) in plain) and type(minlength) is int:
            return c_searching.bincount(self, weights, minlength)
    return resolve(r_bincount, (('self', self, MISSING), ('weights', weights, None), ('minlength', minlength, 0),), extra, (
    ), others)

r_bincount.public = bincount


r_histogram = Resolver('histogram', ('histogram.bins_tensor', 'histogram.bin_ct',), True)


def histogram(self=MISSING, bins=MISSING, *extra, weight=None, density=False, range=MISSING, **others):
    if not extra and not others:
        if range is MISSING and type(self) in plain and type(bins) in plain and (weight is None or type(weight) in plain) and type(density) is bool:
            return named_result('histogram', ('hist', 'bin_edges'))(c_searching.histogram_bins_tensor(self, bins, weight, density))
    return resolve(r_histogram, (('self', self, MISSING), ('bins', bins, MISSING),), extra, (
        ('weight', weight, None),
        ('density', density, False),
        ('range', range, MISSING),
    ), others)

r_histogram.public = histogram


r_kthvalue = Resolver('kthvalue', ('kthvalue',), True)


def kthvalue(self=MISSING, k=MISSING, dim=-1, keepdim=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(k) is int and type(dim) is int and type(keepdim) is bool:
            return named_result('kthvalue', ('values', 'indices'))(c_sorting.kthvalue(self, k, dim, keepdim))
    return resolve(r_kthvalue, (('self', self, MISSING), ('k', k, MISSING), ('dim', dim, -1), ('keepdim', keepdim, False),), extra, (
    ), others)

r_kthvalue.public = kthvalue


r_median = Resolver('median', ('median', 'median.dim',), True)


def median(self=MISSING, dim=MISSING, keepdim=MISSING, *extra, **others):
    if not extra and not others:
        if dim is MISSING and keepdim is MISSING and type(self) in plain:
            return c_sorting.median(self)
        if type(self) in plain and type(dim) is int and (keepdim is MISSING or type(keepdim) is bool):
            return named_result('median', ('values', 'indices'))(c_sorting.median_dim(self, dim, (False if keepdim is MISSING else keepdim)))
    return resolve(r_median, (('self', self, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
    ), others)

r_median.public = median


r_nanmedian = Resolver('nanmedian', ('nanmedian', 'nanmedian.dim',), True)


def nanmedian(self=MISSING, dim=MISSING, keepdim=MISSING, *extra, **others):
    if not extra and not others:
        if dim is MISSING and keepdim is MISSING and type(self) in plain:
            return c_sorting.nanmedian(self)
        if type(self) in plain and type(dim) is int and (keepdim is MISSING or type(keepdim) is bool):
            return named_result('nanmedian', ('values', 'indices'))(c_sorting.nanmedian_dim(self, dim, (False if keepdim is MISSING else keepdim)))
    return resolve(r_nanmedian, (('self', self, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
    ), others)

r_nanmedian.public = nanmedian


r_mode = Resolver('mode', ('mode',), True)


def mode(self=MISSING, dim=-1, keepdim=False, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(keepdim) is bool:
            return named_result('mode', ('values', 'indices'))(c_sorting.mode(self, dim, keepdim))
    return resolve(r_mode, (('self', self, MISSING), ('dim', dim, -1), ('keepdim', keepdim, False),), extra, (
    ), others)

r_mode.public = mode


r_quantile = Resolver('quantile', ('quantile', 'quantile.scalar',), True)


def quantile(self=MISSING, q=MISSING, dim=None, keepdim=False, *extra, interpolation='linear', **others):
    if not extra and not others:
        if type(self) in plain and type(q) in plain and (dim is None or type(dim) is int) and type(keepdim) is bool and type(interpolation) is str:
            return c_sorting.quantile(self, q, dim, keepdim, interpolation)
        if type(self) in plain and type(q) is float and (dim is None or type(dim) is int) and type(keepdim) is bool and type(interpolation) is str:
            return c_sorting.quantile_scalar(self, q, dim, keepdim, interpolation)
    return resolve(r_quantile, (('self', self, MISSING), ('q', q, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('interpolation', interpolation, 'linear'),
    ), others)

r_quantile.public = quantile


r_nanquantile = Resolver('nanquantile', ('nanquantile', 'nanquantile.scalar',), True)


def nanquantile(self=MISSING, q=MISSING, dim=None, keepdim=False, *extra, interpolation='linear', **others):
    if not extra and not others:
        if type(self) in plain and type(q) in plain and (dim is None or type(dim) is int) and type(keepdim) is bool and type(interpolation) is str:
            return c_sorting.nanquantile(self, q, dim, keepdim, interpolation)
        if type(self) in plain and type(q) is float and (dim is None or type(dim) is int) and type(keepdim) is bool and type(interpolation) is str:
            return c_sorting.nanquantile_scalar(self, q, dim, keepdim, interpolation)
    return resolve(r_nanquantile, (('self', self, MISSING), ('q', q, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('interpolation', interpolation, 'linear'),
    ), others)

r_nanquantile.public = nanquantile


r_sort = Resolver('sort', ('sort.stable', 'sort',), True)


def sort(self=MISSING, *extra, stable=MISSING, dim=-1, descending=False, **others):
    if not extra and not others:
        if type(self) in plain and (stable is None or type(stable) is bool) and type(dim) is int and type(descending) is bool:
            return named_result('sort', ('values', 'indices'))(c_sorting.sort_stable(self, stable, dim, descending))
        if stable is MISSING and type(self) in plain and type(dim) is int and type(descending) is bool:
            return named_result('sort', ('values', 'indices'))(c_sorting.sort(self, dim, descending))
    return resolve(r_sort, (('self', self, MISSING),), extra, (
        ('stable', stable, MISSING),
        ('dim', dim, -1),
        ('descending', descending, False),
    ), others)

r_sort.public = sort


r_msort = Resolver('msort', ('msort',), True)


def msort(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sorting.msort(self)
    return resolve(r_msort, (('self', self, MISSING),), extra, (
    ), others)

r_msort.public = msort


r_argsort = Resolver('argsort', ('argsort.stable', 'argsort',), True)


def argsort(self=MISSING, *extra, stable=MISSING, dim=-1, descending=False, **others):
    if not extra and not others:
        if type(self) in plain and type(stable) is bool and type(dim) is int and type(descending) is bool:
            return c_sorting.argsort_stable(self, stable, dim, descending)
        if stable is MISSING and type(self) in plain and type(dim) is int and type(descending) is bool:
            return c_sorting.argsort(self, dim, descending)
    return resolve(r_argsort, (('self', self, MISSING),), extra, (
        ('stable', stable, MISSING),
        ('dim', dim, -1),
        ('descending', descending, False),
    ), others)

r_argsort.public = argsort


r_topk = Resolver('topk', ('topk',), True)


def topk(self=MISSING, k=MISSING, dim=-1, largest=True, sorted=True, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(k) is int and type(dim) is int and type(largest) is bool and type(sorted) is bool:
            return named_result('topk', ('values', 'indices'))(c_sorting.topk(self, k, dim, largest, sorted))
    return resolve(r_topk, (('self', self, MISSING), ('k', k, MISSING), ('dim', dim, -1), ('largest', largest, True), ('sorted', sorted, True),), extra, (
    ), others)

r_topk.public = topk


r_sparse_dim = Resolver('sparse_dim', ('sparse_dim',), True)


def sparse_dim(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse.sparse_dim(self)
    return resolve(r_sparse_dim, (('self', self, MISSING),), extra, (
    ), others)

r_sparse_dim.public = sparse_dim


r_dense_dim = Resolver('dense_dim', ('dense_dim',), True)


def dense_dim(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse.dense_dim(self)
    return resolve(r_dense_dim, (('self', self, MISSING),), extra, (
    ), others)

r_dense_dim.public = dense_dim


r__dimI = Resolver('_dimI', ('_dimI',), True)


def _dimI(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse._dimI(self)
    return resolve(r__dimI, (('self', self, MISSING),), extra, (
    ), others)

r__dimI.public = _dimI


r__dimV = Resolver('_dimV', ('_dimV',), True)


def _dimV(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse._dimV(self)
    return resolve(r__dimV, (('self', self, MISSING),), extra, (
    ), others)

r__dimV.public = _dimV


r__nnz = Resolver('_nnz', ('_nnz',), True)


def _nnz(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse._nnz(self)
    return resolve(r__nnz, (('self', self, MISSING),), extra, (
    ), others)

r__nnz.public = _nnz


r_indices = Resolver('indices', ('indices',), True)


def indices(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse.indices(self)
    return resolve(r_indices, (('self', self, MISSING),), extra, (
    ), others)

r_indices.public = indices


r_values = Resolver('values', ('values',), True)


def values(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse.values(self)
    return resolve(r_values, (('self', self, MISSING),), extra, (
    ), others)

r_values.public = values


r__indices = Resolver('_indices', ('_indices',), True)


def _indices(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse._indices(self)
    return resolve(r__indices, (('self', self, MISSING),), extra, (
    ), others)

r__indices.public = _indices


r__values = Resolver('_values', ('_values',), True)


def _values(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse._values(self)
    return resolve(r__values, (('self', self, MISSING),), extra, (
    ), others)

r__values.public = _values


r_is_coalesced = Resolver('is_coalesced', ('is_coalesced',), True)


def is_coalesced(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse.is_coalesced(self)
    return resolve(r_is_coalesced, (('self', self, MISSING),), extra, (
    ), others)

r_is_coalesced.public = is_coalesced


r__coalesced_ = Resolver('_coalesced_', ('_coalesced_',), True)


def _coalesced_(self=MISSING, coalesced=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(coalesced) is bool:
            return c_sparse._coalesced_(self, coalesced)
    return resolve(r__coalesced_, (('self', self, MISSING), ('coalesced', coalesced, MISSING),), extra, (
    ), others)

r__coalesced_.public = _coalesced_


r_coalesce = Resolver('coalesce', ('coalesce',), True)


def coalesce(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse.coalesce(self)
    return resolve(r_coalesce, (('self', self, MISSING),), extra, (
    ), others)

r_coalesce.public = coalesce


r_to_dense = Resolver('to_dense', ('to_dense',), True)


def to_dense(self=MISSING, dtype=None, *extra, masked_grad=None, **others):
    if not extra and not others:
        if type(self) in plain and (dtype is None or type(dtype) is Dtype) and (masked_grad is None or type(masked_grad) is bool):
            return c_sparse.to_dense(self, dtype, masked_grad)
    return resolve(r_to_dense, (('self', self, MISSING), ('dtype', dtype, None),), extra, (
        ('masked_grad', masked_grad, None),
    ), others)

r_to_dense.public = to_dense


r__to_dense = Resolver('_to_dense', ('_to_dense',), True)


def _to_dense(self=MISSING, dtype=None, masked_grad=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (dtype is None or type(dtype) is Dtype) and (masked_grad is None or type(masked_grad) is bool):
            return c_sparse._to_dense(self, dtype, masked_grad)
    return resolve(r__to_dense, (('self', self, MISSING), ('dtype', dtype, None), ('masked_grad', masked_grad, None),), extra, (
    ), others)

r__to_dense.public = _to_dense


r_to_sparse = Resolver('to_sparse', ('to_sparse', 'to_sparse.sparse_dim',), True)


def to_sparse(self=MISSING, sparse_dim=MISSING, *extra, layout=MISSING, blocksize=MISSING, dense_dim=MISSING, **others):
    if not extra and not others:
        if sparse_dim is MISSING and type(self) in plain and (layout is MISSING or (layout is None or type(layout) is Layout)) and (blocksize is MISSING or (blocksize is None or (blocksize_ := (blocksize,) * 2 if type(blocksize) is int else int_list(blocksize)) is not None)) and (dense_dim is MISSING or (dense_dim is None or type(dense_dim) is int)):
            return c_sparse.to_sparse(self, (None if layout is MISSING else layout), (None if blocksize is MISSING else (blocksize if blocksize is None else blocksize_)), (None if dense_dim is MISSING else dense_dim))
        if layout is MISSING and blocksize is MISSING and dense_dim is MISSING and type(self) in plain and type(sparse_dim) is int:
            return c_sparse.to_sparse_sparse_dim(self, sparse_dim)
    return resolve(r_to_sparse, (('self', self, MISSING), ('sparse_dim', sparse_dim, MISSING),), extra, (
        ('layout', layout, MISSING),
        ('blocksize', blocksize, MISSING),
        ('dense_dim', dense_dim, MISSING),
    ), others)

r_to_sparse.public = to_sparse


r__to_sparse = Resolver('_to_sparse', ('_to_sparse', '_to_sparse.sparse_dim',), True)


def _to_sparse(self=MISSING, sparse_dim=MISSING, *extra, layout=MISSING, blocksize=MISSING, dense_dim=MISSING, **others):
    if not extra and not others:
        if sparse_dim is MISSING and type(self) in plain and (layout is MISSING or (layout is None or type(layout) is Layout)) and (blocksize is MISSING or (blocksize is None or (blocksize_ := (blocksize,) * 2 if type(blocksize) is int else int_list(blocksize)) is not None)) and (dense_dim is MISSING or (dense_dim is None or type(dense_dim) is int)):
            return c_sparse._to_sparse(self, (None if layout is MISSING else layout), (None if blocksize is MISSING else (blocksize if blocksize is None else blocksize_)), (None if dense_dim is MISSING else dense_dim))
        if layout is MISSING and blocksize is MISSING and dense_dim is MISSING and type(self) in plain and type(sparse_dim) is int:
            return c_sparse._to_sparse_sparse_dim(self, sparse_dim)
    return resolve(r__to_sparse, (('self', self, MISSING), ('sparse_dim', sparse_dim, MISSING),), extra, (
        ('layout', layout, MISSING),
        ('blocksize', blocksize, MISSING),
        ('dense_dim', dense_dim, MISSING),
    ), others)

r__to_sparse.public = _to_sparse


r_sparse_mask = Resolver('sparse_mask', ('sparse_mask',), True)


def sparse_mask(self=MISSING, mask=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(mask) in plain:
            return c_sparse.sparse_mask(self, mask)
    return resolve(r_sparse_mask, (('self', self, MISSING), ('mask', mask, MISSING),), extra, (
    ), others)

r_sparse_mask.public = sparse_mask


r_sparse_resize_and_clear_ = Resolver('sparse_resize_and_clear_', ('sparse_resize_and_clear_',), True)


def sparse_resize_and_clear_(self=MISSING, size=MISSING, sparse_dim=MISSING, dense_dim=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (size_ := int_list(size)) is not None and type(sparse_dim) is int and type(dense_dim) is int:
            return c_sparse.sparse_resize_and_clear_(self, size_, sparse_dim, dense_dim)
    return resolve(r_sparse_resize_and_clear_, (('self', self, MISSING), ('size', size, MISSING), ('sparse_dim', sparse_dim, MISSING), ('dense_dim', dense_dim, MISSING),), extra, (
    ), others)

r_sparse_resize_and_clear_.public = sparse_resize_and_clear_


r_crow_indices = Resolver('crow_indices', ('crow_indices',), True)


def crow_indices(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse.crow_indices(self)
    return resolve(r_crow_indices, (('self', self, MISSING),), extra, (
    ), others)

r_crow_indices.public = crow_indices


r_col_indices = Resolver('col_indices', ('col_indices',), True)


def col_indices(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse.col_indices(self)
    return resolve(r_col_indices, (('self', self, MISSING),), extra, (
    ), others)

r_col_indices.public = col_indices


r_ccol_indices = Resolver('ccol_indices', ('ccol_indices',), True)


def ccol_indices(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse.ccol_indices(self)
    return resolve(r_ccol_indices, (('self', self, MISSING),), extra, (
    ), others)

r_ccol_indices.public = ccol_indices


r_row_indices = Resolver('row_indices', ('row_indices',), True)


def row_indices(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_sparse.row_indices(self)
    return resolve(r_row_indices, (('self', self, MISSING),), extra, (
    ), others)

r_row_indices.public = row_indices


r_to_sparse_csr = Resolver('to_sparse_csr', ('to_sparse_csr',), True)


def to_sparse_csr(self=MISSING, dense_dim=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (dense_dim is None or type(dense_dim) is int):
            return c_sparse.to_sparse_csr(self, dense_dim)
    return resolve(r_to_sparse_csr, (('self', self, MISSING), ('dense_dim', dense_dim, None),), extra, (
    ), others)

r_to_sparse_csr.public = to_sparse_csr


r__to_sparse_csr = Resolver('_to_sparse_csr', ('_to_sparse_csr',), True)


def _to_sparse_csr(self=MISSING, dense_dim=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (dense_dim is None or type(dense_dim) is int):
            return c_sparse._to_sparse_csr(self, dense_dim)
    return resolve(r__to_sparse_csr, (('self', self, MISSING), ('dense_dim', dense_dim, None),), extra, (
    ), others)

r__to_sparse_csr.public = _to_sparse_csr


r_to_sparse_csc = Resolver('to_sparse_csc', ('to_sparse_csc',), True)


def to_sparse_csc(self=MISSING, dense_dim=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (dense_dim is None or type(dense_dim) is int):
            return c_sparse.to_sparse_csc(self, dense_dim)
    return resolve(r_to_sparse_csc, (('self', self, MISSING), ('dense_dim', dense_dim, None),), extra, (
    ), others)

r_to_sparse_csc.public = to_sparse_csc


r__to_sparse_csc = Resolver('_to_sparse_csc', ('_to_sparse_csc',), True)


def _to_sparse_csc(self=MISSING, dense_dim=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (dense_dim is None or type(dense_dim) is int):
            return c_sparse._to_sparse_csc(self, dense_dim)
    return resolve(r__to_sparse_csc, (('self', self, MISSING), ('dense_dim', dense_dim, None),), extra, (
    ), others)

r__to_sparse_csc.public = _to_sparse_csc


r__conj = Resolver('_conj', ('_conj',), True)


def _conj(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view._conj(self)
    return resolve(r__conj, (('self', self, MISSING),), extra, (
    ), others)

r__conj.public = _conj


r_conj = Resolver('conj', ('conj',), True)


def conj(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view.conj(self)
    return resolve(r_conj, (('self', self, MISSING),), extra, (
    ), others)

r_conj.public = conj


r__conj_physical = Resolver('_conj_physical', ('_conj_physical',), True)


def _conj_physical(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view._conj_physical(self)
    return resolve(r__conj_physical, (('self', self, MISSING),), extra, (
    ), others)

r__conj_physical.public = _conj_physical


r_conj_physical = Resolver('conj_physical', ('conj_physical',), True)


def conj_physical(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view.conj_physical(self)
    return resolve(r_conj_physical, (('self', self, MISSING),), extra, (
    ), others)

r_conj_physical.public = conj_physical


r_conj_physical_ = Resolver('conj_physical_', ('conj_physical_',), True)


def conj_physical_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view.conj_physical_(self)
    return resolve(r_conj_physical_, (('self', self, MISSING),), extra, (
    ), others)

r_conj_physical_.public = conj_physical_


r_resolve_conj = Resolver('resolve_conj', ('resolve_conj',), True)


def resolve_conj(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view.resolve_conj(self)
    return resolve(r_resolve_conj, (('self', self, MISSING),), extra, (
    ), others)

r_resolve_conj.public = resolve_conj


r_resolve_neg = Resolver('resolve_neg', ('resolve_neg',), True)


def resolve_neg(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view.resolve_neg(self)
    return resolve(r_resolve_neg, (('self', self, MISSING),), extra, (
    ), others)

r_resolve_neg.public = resolve_neg


r__neg_view = Resolver('_neg_view', ('_neg_view',), True)


def _neg_view(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view._neg_view(self)
    return resolve(r__neg_view, (('self', self, MISSING),), extra, (
    ), others)

r__neg_view.public = _neg_view


r_as_strided = Resolver('as_strided', ('as_strided',), True)


def as_strided(self=MISSING, size=MISSING, stride=MISSING, storage_offset=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (size_ := int_list(size)) is not None and (stride_ := int_list(stride)) is not None and (storage_offset is None or type(storage_offset) is int):
            return c_view.as_strided(self, size_, stride_, storage_offset)
    return resolve(r_as_strided, (('self', self, MISSING), ('size', size, MISSING), ('stride', stride, MISSING), ('storage_offset', storage_offset, None),), extra, (
    ), others)

r_as_strided.public = as_strided


r_as_strided_ = Resolver('as_strided_', ('as_strided_',), True)


def as_strided_(self=MISSING, size=MISSING, stride=MISSING, storage_offset=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (size_ := int_list(size)) is not None and (stride_ := int_list(stride)) is not None and (storage_offset is None or type(storage_offset) is int):
            return c_view.as_strided_(self, size_, stride_, storage_offset)
    return resolve(r_as_strided_, (('self', self, MISSING), ('size', size, MISSING), ('stride', stride, MISSING), ('storage_offset', storage_offset, None),), extra, (
    ), others)

r_as_strided_.public = as_strided_


r_broadcast_to = Resolver('broadcast_to', ('broadcast_to',), True)


def broadcast_to(self, *args, **others):
    if not others and type(self) in plain and (integers_ := integers(args)) is not None:
        return c_view.broadcast_to(self, integers_)
    return resolve(r_broadcast_to, (), (self, *args), (
    ), others)

r_broadcast_to.public = broadcast_to


r_unsafe_chunk = Resolver('unsafe_chunk', ('unsafe_chunk',), True)


def unsafe_chunk(self=MISSING, chunks=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(chunks) is int and type(dim) is int:
            return c_view.unsafe_chunk(self, chunks, dim)
    return resolve(r_unsafe_chunk, (('self', self, MISSING), ('chunks', chunks, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_unsafe_chunk.public = unsafe_chunk


r_chunk = Resolver('chunk', ('chunk',), True)


def chunk(self=MISSING, chunks=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(chunks) is int and type(dim) is int:
            return c_view.chunk(self, chunks, dim)
    return resolve(r_chunk, (('self', self, MISSING), ('chunks', chunks, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_chunk.public = chunk


r_tensor_split = Resolver('tensor_split', ('tensor_split.indices', 'tensor_split.tensor_indices_or_sections', 'tensor_split.sections',), True)


def tensor_split(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and (v1 := int_list(args[1])) is not None:
            return c_view.tensor_split_indices(args[0], v1, 0)
        if n == 3 and type(args[0]) in plain and (v1 := int_list(args[1])) is not None and type(args[2]) is int:
            return c_view.tensor_split_indices(args[0], v1, args[2])
        if n == 2 and type(args[0]) in plain and type(args[1]) in plain:
            return c_view.tensor_split_tensor_indices_or_sections(args[0], args[1], 0)
        if n == 3 and type(args[0]) in plain and type(args[1]) in plain and type(args[2]) is int:
            return c_view.tensor_split_tensor_indices_or_sections(args[0], args[1], args[2])
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return c_view.tensor_split_sections(args[0], args[1], 0)
        if n == 3 and type(args[0]) in plain and type(args[1]) is int and type(args[2]) is int:
            return c_view.tensor_split_sections(args[0], args[1], args[2])
    return r_tensor_split(args, kwargs)

r_tensor_split.public = tensor_split


r_diag_embed = Resolver('diag_embed', ('diag_embed',), True)


def diag_embed(self=MISSING, offset=0, dim1=-2, dim2=-1, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(offset) is int and type(dim1) is int and type(dim2) is int:
            return c_view.diag_embed(self, offset, dim1, dim2)
    return resolve(r_diag_embed, (('self', self, MISSING), ('offset', offset, 0), ('dim1', dim1, -2), ('dim2', dim2, -1),), extra, (
    ), others)

r_diag_embed.public = diag_embed


r_diagflat = Resolver('diagflat', ('diagflat',), True)


def diagflat(self=MISSING, offset=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(offset) is int:
            return c_view.diagflat(self, offset)
    return resolve(r_diagflat, (('self', self, MISSING), ('offset', offset, 0),), extra, (
    ), others)

r_diagflat.public = diagflat


r_diagonal = Resolver('diagonal', ('diagonal',), True)


def diagonal(self=MISSING, offset=0, dim1=0, dim2=1, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(offset) is int and type(dim1) is int and type(dim2) is int:
            return c_view.diagonal(self, offset, dim1, dim2)
    return resolve(r_diagonal, (('self', self, MISSING), ('offset', offset, 0), ('dim1', dim1, 0), ('dim2', dim2, 1),), extra, (
    ), others)

r_diagonal.public = diagonal


r_expand = Resolver('expand', ('expand',), True)


def expand(self, *args, implicit=False, **others):
    if not others and type(self) in plain and type(implicit) is bool and (integers_ := integers(args)) is not None:
        return c_view.expand(self, integers_, implicit)
    return resolve(r_expand, (), (self, *args), (
        ('implicit', implicit, False),
    ), others)

r_expand.public = expand


r_expand_as = Resolver('expand_as', ('expand_as',), True)


def expand_as(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_view.expand_as(self, other)
    return resolve(r_expand_as, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_expand_as.public = expand_as


r_flatten = Resolver('flatten', ('flatten.using_ints',), True)


def flatten(self=MISSING, start_dim=0, end_dim=-1, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(start_dim) is int and type(end_dim) is int:
            return c_view.flatten_using_ints(self, start_dim, end_dim)
    return resolve(r_flatten, (('self', self, MISSING), ('start_dim', start_dim, 0), ('end_dim', end_dim, -1),), extra, (
    ), others)

r_flatten.public = flatten


r_unflatten = Resolver('unflatten', ('unflatten.int',), True)


def unflatten(self=MISSING, dim=MISSING, sizes=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and (sizes_ := int_list(sizes)) is not None:
            return c_view.unflatten_int(self, dim, sizes_)
    return resolve(r_unflatten, (('self', self, MISSING), ('dim', dim, MISSING), ('sizes', sizes, MISSING),), extra, (
    ), others)

r_unflatten.public = unflatten


r_is_conj = Resolver('is_conj', ('is_conj',), True)


def is_conj(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view.is_conj(self)
    return resolve(r_is_conj, (('self', self, MISSING),), extra, (
    ), others)

r_is_conj.public = is_conj


r_is_neg = Resolver('is_neg', ('is_neg',), True)


def is_neg(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view.is_neg(self)
    return resolve(r_is_neg, (('self', self, MISSING),), extra, (
    ), others)

r_is_neg.public = is_neg


r_narrow_copy = Resolver('narrow_copy', ('narrow_copy',), True)


def narrow_copy(self=MISSING, dim=MISSING, start=MISSING, length=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(start) is int and type(length) is int:
            return c_view.narrow_copy(self, dim, start, length)
    return resolve(r_narrow_copy, (('self', self, MISSING), ('dim', dim, MISSING), ('start', start, MISSING), ('length', length, MISSING),), extra, (
    ), others)

r_narrow_copy.public = narrow_copy


r_narrow = Resolver('narrow', ('narrow.Tensor', 'narrow',), True)


def narrow(self=MISSING, dim=MISSING, start=MISSING, length=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(start) in plain and type(length) is int:
            return c_view.narrow_Tensor(self, dim, start, length)
        if type(self) in plain and type(dim) is int and type(start) is int and type(length) is int:
            return c_view.narrow(self, dim, start, length)
    return resolve(r_narrow, (('self', self, MISSING), ('dim', dim, MISSING), ('start', start, MISSING), ('length', length, MISSING),), extra, (
    ), others)

r_narrow.public = narrow


r_permute = Resolver('permute', ('permute',), True)


def permute(self, *args, **others):
    if not others and type(self) in plain and (integers_ := integers(args)) is not None:
        return c_view.permute(self, integers_)
    return resolve(r_permute, (), (self, *args), (
    ), others)

r_permute.public = permute


r_movedim = Resolver('movedim', ('movedim.int', 'movedim.intlist',), True)


def movedim(self=MISSING, source=MISSING, destination=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(source) is int and type(destination) is int:
            return c_view.movedim_int(self, source, destination)
        if type(self) in plain and (source_ := int_list(source)) is not None and (destination_ := int_list(destination)) is not None:
            return c_view.movedim_intlist(self, source_, destination_)
    return resolve(r_movedim, (('self', self, MISSING), ('source', source, MISSING), ('destination', destination, MISSING),), extra, (
    ), others)

r_movedim.public = movedim


r_moveaxis = Resolver('moveaxis', ('moveaxis.int', 'moveaxis.intlist',), True)


def moveaxis(self=MISSING, source=MISSING, destination=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(source) is int and type(destination) is int:
            return c_view.moveaxis_int(self, source, destination)
        if type(self) in plain and (source_ := int_list(source)) is not None and (destination_ := int_list(destination)) is not None:
            return c_view.moveaxis_intlist(self, source_, destination_)
    return resolve(r_moveaxis, (('self', self, MISSING), ('source', source, MISSING), ('destination', destination, MISSING),), extra, (
    ), others)

r_moveaxis.public = moveaxis


r_adjoint = Resolver('adjoint', ('adjoint',), True)


def adjoint(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view.adjoint(self)
    return resolve(r_adjoint, (('self', self, MISSING),), extra, (
    ), others)

r_adjoint.public = adjoint


r_ravel = Resolver('ravel', ('ravel',), True)


def ravel(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view.ravel(self)
    return resolve(r_ravel, (('self', self, MISSING),), extra, (
    ), others)

r_ravel.public = ravel


r_repeat = Resolver('repeat', ('repeat',), True)


def repeat(self, *args, **others):
    if not others and type(self) in plain and (integers_ := integers(args)) is not None:
        return c_view.repeat(self, integers_)
    return resolve(r_repeat, (), (self, *args), (
    ), others)

r_repeat.public = repeat


r_repeat_interleave = Resolver('repeat_interleave', ('repeat_interleave.self_Tensor', 'repeat_interleave.self_int',), True)


def repeat_interleave(self=MISSING, repeats=MISSING, dim=None, *extra, output_size=None, **others):
    if not extra and not others:
        if type(self) in plain and type(repeats) in plain and (dim is None or type(dim) is int) and (output_size is None or type(output_size) is int):
            return c_view.repeat_interleave_self_Tensor(self, repeats, dim, output_size)
        if type(self) in plain and type(repeats) is int and (dim is None or type(dim) is int) and (output_size is None or type(output_size) is int):
            return c_view.repeat_interleave_self_int(self, repeats, dim, output_size)
    return resolve(r_repeat_interleave, (('self', self, MISSING), ('repeats', repeats, MISSING), ('dim', dim, None),), extra, (
        ('output_size', output_size, None),
    ), others)

r_repeat_interleave.public = repeat_interleave


r_reshape = Resolver('reshape', ('reshape',), True)


def reshape(self, *args, **others):
    if not others and type(self) in plain and (integers_ := integers(args)) is not None:
        return c_view.reshape(self, integers_)
    return resolve(r_reshape, (), (self, *args), (
    ), others)

r_reshape.public = reshape


r__reshape_alias = Resolver('_reshape_alias', ('_reshape_alias',), True)


def _reshape_alias(self=MISSING, size=MISSING, stride=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (size_ := int_list(size)) is not None and (stride_ := int_list(stride)) is not None:
            return c_view._reshape_alias(self, size_, stride_)
    return resolve(r__reshape_alias, (('self', self, MISSING), ('size', size, MISSING), ('stride', stride, MISSING),), extra, (
    ), others)

r__reshape_alias.public = _reshape_alias


r_reshape_as = Resolver('reshape_as', ('reshape_as',), True)


def reshape_as(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_view.reshape_as(self, other)
    return resolve(r_reshape_as, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_reshape_as.public = reshape_as


r_select = Resolver('select', ('select.int',), True)


def select(self=MISSING, dim=MISSING, index=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int and type(index) is int:
            return c_view.select_int(self, dim, index)
    return resolve(r_select, (('self', self, MISSING), ('dim', dim, MISSING), ('index', index, MISSING),), extra, (
    ), others)

r_select.public = select


r_slice_inverse = Resolver('slice_inverse', ('slice_inverse',), True)


def slice_inverse(self=MISSING, src=MISSING, dim=0, start=None, end=None, step=1, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(src) in plain and type(dim) is int and (start is None or type(start) is int) and (end is None or type(end) is int) and type(step) is int:
            return c_view.slice_inverse(self, src, dim, start, end, step)
    return resolve(r_slice_inverse, (('self', self, MISSING), ('src', src, MISSING), ('dim', dim, 0), ('start', start, None), ('end', end, None), ('step', step, 1),), extra, (
    ), others)

r_slice_inverse.public = slice_inverse


r_slice_scatter = Resolver('slice_scatter', ('slice_scatter',), True)


def slice_scatter(self=MISSING, src=MISSING, dim=0, start=None, end=None, step=1, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(src) in plain and type(dim) is int and (start is None or type(start) is int) and (end is None or type(end) is int) and type(step) is int:
            return c_view.slice_scatter(self, src, dim, start, end, step)
    return resolve(r_slice_scatter, (('self', self, MISSING), ('src', src, MISSING), ('dim', dim, 0), ('start', start, None), ('end', end, None), ('step', step, 1),), extra, (
    ), others)

r_slice_scatter.public = slice_scatter


r_select_scatter = Resolver('select_scatter', ('select_scatter',), True)


def select_scatter(self=MISSING, src=MISSING, dim=MISSING, index=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(src) in plain and type(dim) is int and type(index) is int:
            return c_view.select_scatter(self, src, dim, index)
    return resolve(r_select_scatter, (('self', self, MISSING), ('src', src, MISSING), ('dim', dim, MISSING), ('index', index, MISSING),), extra, (
    ), others)

r_select_scatter.public = select_scatter


r_diagonal_scatter = Resolver('diagonal_scatter', ('diagonal_scatter',), True)


def diagonal_scatter(self=MISSING, src=MISSING, offset=0, dim1=0, dim2=1, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(src) in plain and type(offset) is int and type(dim1) is int and type(dim2) is int:
            return c_view.diagonal_scatter(self, src, offset, dim1, dim2)
    return resolve(r_diagonal_scatter, (('self', self, MISSING), ('src', src, MISSING), ('offset', offset, 0), ('dim1', dim1, 0), ('dim2', dim2, 1),), extra, (
    ), others)

r_diagonal_scatter.public = diagonal_scatter


r_as_strided_scatter = Resolver('as_strided_scatter', ('as_strided_scatter',), True)


def as_strided_scatter(self=MISSING, src=MISSING, size=MISSING, stride=MISSING, storage_offset=None, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(src) in plain and (size_ := int_list(size)) is not None and (stride_ := int_list(stride)) is not None and (storage_offset is None or type(storage_offset) is int):
            return c_view.as_strided_scatter(self, src, size_, stride_, storage_offset)
    return resolve(r_as_strided_scatter, (('self', self, MISSING), ('src', src, MISSING), ('size', size, MISSING), ('stride', stride, MISSING), ('storage_offset', storage_offset, None),), extra, (
    ), others)

r_as_strided_scatter.public = as_strided_scatter


r_unsafe_split = Resolver('unsafe_split', ('unsafe_split.Tensor',), True)


def unsafe_split(self=MISSING, split_size=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(split_size) is int and type(dim) is int:
            return c_view.unsafe_split_Tensor(self, split_size, dim)
    return resolve(r_unsafe_split, (('self', self, MISSING), ('split_size', split_size, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_unsafe_split.public = unsafe_split


r_split = Resolver('split', ('split.Tensor', 'split.sizes',), True)


def split(self=MISSING, split_size=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(split_size) is int and type(dim) is int:
            return c_view.split_Tensor(self, split_size, dim)
        if type(self) in plain and (split_size_ := int_list(split_size)) is not None and type(dim) is int:
            return c_view.split_sizes(self, split_size_, dim)
    return resolve(r_split, (('self', self, MISSING), ('split_size', split_size, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_split.public = split


r_unsafe_split_with_sizes = Resolver('unsafe_split_with_sizes', ('unsafe_split_with_sizes',), True)


def unsafe_split_with_sizes(self=MISSING, split_sizes=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (split_sizes_ := int_list(split_sizes)) is not None and type(dim) is int:
            return c_view.unsafe_split_with_sizes(self, split_sizes_, dim)
    return resolve(r_unsafe_split_with_sizes, (('self', self, MISSING), ('split_sizes', split_sizes, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_unsafe_split_with_sizes.public = unsafe_split_with_sizes


r_split_with_sizes = Resolver('split_with_sizes', ('split_with_sizes',), True)


def split_with_sizes(self=MISSING, split_sizes=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and (split_sizes_ := int_list(split_sizes)) is not None and type(dim) is int:
            return c_view.split_with_sizes(self, split_sizes_, dim)
    return resolve(r_split_with_sizes, (('self', self, MISSING), ('split_sizes', split_sizes, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_split_with_sizes.public = split_with_sizes


r_hsplit = Resolver('hsplit', ('hsplit.int', 'hsplit.array',), True)


def hsplit(self, *args, **others):
    if not others and type(self) in plain and not (len(args) == 1 and type(args[0]) is int) and (integers_ := integers(args)) is not None:
        return c_view.hsplit_array(self, integers_)
    return resolve(r_hsplit, (), (self, *args), (
    ), others)

r_hsplit.public = hsplit


r_vsplit = Resolver('vsplit', ('vsplit.int', 'vsplit.array',), True)


def vsplit(self, *args, **others):
    if not others and type(self) in plain and not (len(args) == 1 and type(args[0]) is int) and (integers_ := integers(args)) is not None:
        return c_view.vsplit_array(self, integers_)
    return resolve(r_vsplit, (), (self, *args), (
    ), others)

r_vsplit.public = vsplit


r_dsplit = Resolver('dsplit', ('dsplit.int', 'dsplit.array',), True)


def dsplit(self, *args, **others):
    if not others and type(self) in plain and not (len(args) == 1 and type(args[0]) is int) and (integers_ := integers(args)) is not None:
        return c_view.dsplit_array(self, integers_)
    return resolve(r_dsplit, (), (self, *args), (
    ), others)

r_dsplit.public = dsplit


r_squeeze = Resolver('squeeze', ('squeeze', 'squeeze.dim', 'squeeze.dims',), True)


def squeeze(self, *args, **others):
    if not others and type(self) in plain and not (len(args) == 1 and type(args[0]) is int) and (integers_ := integers(args)) is not None:
        return c_view.squeeze_dims(self, integers_)
    return resolve(r_squeeze, (), (self, *args), (
    ), others)

r_squeeze.public = squeeze


r_squeeze_ = Resolver('squeeze_', ('squeeze_', 'squeeze_.dim', 'squeeze_.dims',), True)


def squeeze_(self, *args, **others):
    if not others and type(self) in plain and not (len(args) == 1 and type(args[0]) is int) and (integers_ := integers(args)) is not None:
        return c_view.squeeze__dims(self, integers_)
    return resolve(r_squeeze_, (), (self, *args), (
    ), others)

r_squeeze_.public = squeeze_


r_sum_to_size = Resolver('sum_to_size', ('sum_to_size',), True)


def sum_to_size(self, *args, **others):
    if not others and type(self) in plain and (integers_ := integers(args)) is not None:
        return c_view.sum_to_size(self, integers_)
    return resolve(r_sum_to_size, (), (self, *args), (
    ), others)

r_sum_to_size.public = sum_to_size


r_t = Resolver('t', ('t',), True)


def t(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view.t(self)
    return resolve(r_t, (('self', self, MISSING),), extra, (
    ), others)

r_t.public = t


r_t_ = Resolver('t_', ('t_',), True)


def t_(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view.t_(self)
    return resolve(r_t_, (('self', self, MISSING),), extra, (
    ), others)

r_t_.public = t_


r_tile = Resolver('tile', ('tile',), True)


def tile(self, *args, **others):
    if not others and type(self) in plain and (integers_ := integers(args)) is not None:
        return c_view.tile(self, integers_)
    return resolve(r_tile, (), (self, *args), (
    ), others)

r_tile.public = tile


r_transpose = Resolver('transpose', ('transpose.int',), True)


def transpose(self=MISSING, dim0=MISSING, dim1=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim0) is int and type(dim1) is int:
            return c_view.transpose_int(self, dim0, dim1)
    return resolve(r_transpose, (('self', self, MISSING), ('dim0', dim0, MISSING), ('dim1', dim1, MISSING),), extra, (
    ), others)

r_transpose.public = transpose


r_transpose_ = Resolver('transpose_', ('transpose_',), True)


def transpose_(self=MISSING, dim0=MISSING, dim1=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim0) is int and type(dim1) is int:
            return c_view.transpose_(self, dim0, dim1)
    return resolve(r_transpose_, (('self', self, MISSING), ('dim0', dim0, MISSING), ('dim1', dim1, MISSING),), extra, (
    ), others)

r_transpose_.public = transpose_


r_flip = Resolver('flip', ('flip',), True)


def flip(self, *args, **others):
    if not others and type(self) in plain and (integers_ := integers(args)) is not None:
        return c_view.flip(self, integers_)
    return resolve(r_flip, (), (self, *args), (
    ), others)

r_flip.public = flip


r_fliplr = Resolver('fliplr', ('fliplr',), True)


def fliplr(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view.fliplr(self)
    return resolve(r_fliplr, (('self', self, MISSING),), extra, (
    ), others)

r_fliplr.public = fliplr


r_flipud = Resolver('flipud', ('flipud',), True)


def flipud(self=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain:
            return c_view.flipud(self)
    return resolve(r_flipud, (('self', self, MISSING),), extra, (
    ), others)

r_flipud.public = flipud


r_roll = Resolver('roll', ('roll',), True)


def roll(self=MISSING, shifts=MISSING, dims=(), *extra, **others):
    if not extra and not others:
        if type(self) in plain and (shifts_ := (shifts,) if type(shifts) is int else int_list(shifts)) is not None and (dims_ := (dims,) if type(dims) is int else int_list(dims)) is not None:
            return c_view.roll(self, shifts_, dims_)
    return resolve(r_roll, (('self', self, MISSING), ('shifts', shifts, MISSING), ('dims', dims, ()),), extra, (
    ), others)

r_roll.public = roll


r_rot90 = Resolver('rot90', ('rot90',), True)


def rot90(self=MISSING, k=1, dims=(0, 1), *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(k) is int and (dims_ := int_list(dims)) is not None:
            return c_view.rot90(self, k, dims_)
    return resolve(r_rot90, (('self', self, MISSING), ('k', k, 1), ('dims', dims, (0, 1)),), extra, (
    ), others)

r_rot90.public = rot90


r_unsqueeze = Resolver('unsqueeze', ('unsqueeze',), True)


def unsqueeze(self=MISSING, dim=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int:
            return c_view.unsqueeze(self, dim)
    return resolve(r_unsqueeze, (('self', self, MISSING), ('dim', dim, MISSING),), extra, (
    ), others)

r_unsqueeze.public = unsqueeze


r_unsqueeze_ = Resolver('unsqueeze_', ('unsqueeze_',), True)


def unsqueeze_(self=MISSING, dim=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int:
            return c_view.unsqueeze_(self, dim)
    return resolve(r_unsqueeze_, (('self', self, MISSING), ('dim', dim, MISSING),), extra, (
    ), others)

r_unsqueeze_.public = unsqueeze_


r_view_as = Resolver('view_as', ('view_as',), True)


def view_as(self=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(other) in plain:
            return c_view.view_as(self, other)
    return resolve(r_view_as, (('self', self, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_view_as.public = view_as


r_unbind = Resolver('unbind', ('unbind.int',), True)


def unbind(self=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim) is int:
            return c_view.unbind_int(self, dim)
    return resolve(r_unbind, (('self', self, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_unbind.public = unbind


r_view = Resolver('view', ('view.dtype', 'view',), True)


def view(self, *args, **others):
    if not others and type(self) in plain and (integers_ := integers(args)) is not None:
        return c_view.view(self, integers_)
    return resolve(r_view, (), (self, *args), (
    ), others)

r_view.public = view


r_tril = Resolver('tril', ('tril',), True)


def tril(self=MISSING, diagonal=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(diagonal) is int:
            return c_view.tril(self, diagonal)
    return resolve(r_tril, (('self', self, MISSING), ('diagonal', diagonal, 0),), extra, (
    ), others)

r_tril.public = tril


r_tril_ = Resolver('tril_', ('tril_',), True)


def tril_(self=MISSING, diagonal=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(diagonal) is int:
            return c_view.tril_(self, diagonal)
    return resolve(r_tril_, (('self', self, MISSING), ('diagonal', diagonal, 0),), extra, (
    ), others)

r_tril_.public = tril_


r_triu = Resolver('triu', ('triu',), True)


def triu(self=MISSING, diagonal=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(diagonal) is int:
            return c_view.triu(self, diagonal)
    return resolve(r_triu, (('self', self, MISSING), ('diagonal', diagonal, 0),), extra, (
    ), others)

r_triu.public = triu


r_triu_ = Resolver('triu_', ('triu_',), True)


def triu_(self=MISSING, diagonal=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(diagonal) is int:
            return c_view.triu_(self, diagonal)
    return resolve(r_triu_, (('self', self, MISSING), ('diagonal', diagonal, 0),), extra, (
    ), others)

r_triu_.public = triu_


r_diag = Resolver('diag', ('diag',), True)


def diag(self=MISSING, diagonal=0, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(diagonal) is int:
            return c_view.diag(self, diagonal)
    return resolve(r_diag, (('self', self, MISSING), ('diagonal', diagonal, 0),), extra, (
    ), others)

r_diag.public = diag


r_swapaxes = Resolver('swapaxes', ('swapaxes',), True)


def swapaxes(self=MISSING, axis0=MISSING, axis1=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(axis0) is int and type(axis1) is int:
            return c_view.swapaxes(self, axis0, axis1)
    return resolve(r_swapaxes, (('self', self, MISSING), ('axis0', axis0, MISSING), ('axis1', axis1, MISSING),), extra, (
    ), others)

r_swapaxes.public = swapaxes


r_swapaxes_ = Resolver('swapaxes_', ('swapaxes_',), True)


def swapaxes_(self=MISSING, axis0=MISSING, axis1=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(axis0) is int and type(axis1) is int:
            return c_view.swapaxes_(self, axis0, axis1)
    return resolve(r_swapaxes_, (('self', self, MISSING), ('axis0', axis0, MISSING), ('axis1', axis1, MISSING),), extra, (
    ), others)

r_swapaxes_.public = swapaxes_


r_swapdims = Resolver('swapdims', ('swapdims',), True)


def swapdims(self=MISSING, dim0=MISSING, dim1=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim0) is int and type(dim1) is int:
            return c_view.swapdims(self, dim0, dim1)
    return resolve(r_swapdims, (('self', self, MISSING), ('dim0', dim0, MISSING), ('dim1', dim1, MISSING),), extra, (
    ), others)

r_swapdims.public = swapdims


r_swapdims_ = Resolver('swapdims_', ('swapdims_',), True)


def swapdims_(self=MISSING, dim0=MISSING, dim1=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dim0) is int and type(dim1) is int:
            return c_view.swapdims_(self, dim0, dim1)
    return resolve(r_swapdims_, (('self', self, MISSING), ('dim0', dim0, MISSING), ('dim1', dim1, MISSING),), extra, (
    ), others)

r_swapdims_.public = swapdims_


r_unfold = Resolver('unfold', ('unfold',), True)


def unfold(self=MISSING, dimension=MISSING, size=MISSING, step=MISSING, *extra, **others):
    if not extra and not others:
        if type(self) in plain and type(dimension) is int and type(size) is int and type(step) is int:
            return c_view.unfold(self, dimension, size, step)
    return resolve(r_unfold, (('self', self, MISSING), ('dimension', dimension, MISSING), ('size', size, MISSING), ('step', step, MISSING),), extra, (
    ), others)

r_unfold.public = unfold



def __add__(self, other):
    check_owner('__add__', self)
    return reflected(add, self, other)


def __radd__(self, other):
    check_owner('__radd__', self)
    return reflected(add, self, other)


def __iadd__(self, other):
    check_owner('__iadd__', self)
    return reflected(add_, self, other)


def __sub__(self, other):
    check_owner('__sub__', self)
    return reflected(sub, self, other)


def __rsub__(self, other):
    return reflected(functions.rsub, self, other)


def __isub__(self, other):
    check_owner('__isub__', self)
    return reflected(sub_, self, other)


def __mul__(self, other):
    check_owner('__mul__', self)
    return reflected(mul, self, other)


def __rmul__(self, other):
    check_owner('__rmul__', self)
    return reflected(mul, self, other)


def __imul__(self, other):
    check_owner('__imul__', self)
    return reflected(mul_, self, other)


def __truediv__(self, other):
    check_owner('__truediv__', self)
    return reflected(div, self, other)


def __itruediv__(self, other):
    check_owner('__itruediv__', self)
    return reflected(div_, self, other)


def __div__(self, other):
    check_owner('__div__', self)
    return reflected(div, self, other)


def __idiv__(self, other):
    check_owner('__idiv__', self)
    return reflected(div_, self, other)


def __floordiv__(self, other):
    check_owner('__floordiv__', self)
    return reflected(floor_divide, self, other)


def __ifloordiv__(self, other):
    check_owner('__ifloordiv__', self)
    return reflected(floor_divide_, self, other)


def __mod__(self, other):
    check_owner('__mod__', self)
    return reflected(remainder, self, other)


def __imod__(self, other):
    check_owner('__imod__', self)
    return reflected(remainder_, self, other)


def __pow__(self, other):
    check_owner('__pow__', self)
    return reflected(pow, self, other)


def __ipow__(self, other):
    check_owner('__ipow__', self)
    return reflected(pow_, self, other)


def __matmul__(self, other):
    check_owner('__matmul__', self)
    return reflected(matmul, self, other)


def __eq__(self, other):
    check_owner('__eq__', self)
    return reflected(eq, self, comparable(self, other))


def __ne__(self, other):
    check_owner('__ne__', self)
    return reflected(ne, self, other)


def __lt__(self, other):
    check_owner('__lt__', self)
    return reflected(lt, self, other)


def __le__(self, other):
    check_owner('__le__', self)
    return reflected(le, self, other)


def __gt__(self, other):
    check_owner('__gt__', self)
    return reflected(gt, self, other)


def __ge__(self, other):
    check_owner('__ge__', self)
    return reflected(ge, self, other)


def __neg__(self):
    return neg(self)


def __pos__(self):
    return positive(self)


def __abs__(self):
    return abs(self)


def __invert__(self):
    check_whole(self)
    return bitwise_not(self)


def __rpow__(self, other):
    return reflected(functions.pow, other, self)


def __rmatmul__(self, other):
    return reflected(functions.matmul, other, self)


def __rmod__(self, other):
    return reflected(functions.remainder, other, self)


def __rfloordiv__(self, other):
    return reflected(functions.floor_divide, other, self)


def __rand__(self, other):
    check_owner('__rand__', self)
    return reflected(functions.bitwise_and, other, self)


def __ror__(self, other):
    check_owner('__ror__', self)
    return reflected(functions.bitwise_or, other, self)


def __rxor__(self, other):
    check_owner('__rxor__', self)
    return reflected(functions.bitwise_xor, other, self)


def __rlshift__(self, other):
    return reflected(functions.bitwise_left_shift, other, self)


def __rrshift__(self, other):
    return reflected(functions.bitwise_right_shift, other, self)


def __rtruediv__(self, other):
    return self.reciprocal() * other


def __rdiv__(self, other):
    return self.reciprocal() * other


NAMES = ['allclose', 'isclose', 'is_floating_point', 'is_complex', 'is_nonzero', 'is_same_size', 'is_signed', 'is_inference', 'equal', '_lazy_clone', 'resize_', 'fill_', 'is_pinned', 'pin_memory', 'detach', 'detach_', 'type_as', 'clone', 'resize_as_', 'zero_', 'set_', 'is_set_to', 'new_empty', 'new_empty_strided', 'new_full', 'new_zeros', 'new_ones', 'stft', 'istft', 'fill_diagonal_', 'index', 'index_copy', 'index_copy_', 'index_put', 'index_put_', 'where', 'masked_fill', 'masked_fill_', 'masked_scatter', 'masked_scatter_', 'put', 'put_', 'index_add', 'index_add_', 'index_fill', 'index_fill_', 'scatter', 'scatter_', 'scatter_add', 'scatter_add_', 'scatter_reduce', 'scatter_reduce_', 'take', 'take_along_dim', 'index_select', 'masked_select', 'nonzero', 'nonzero_static', 'nonzero_numpy', 'argwhere', 'gather', 'index_reduce', 'index_reduce_', 'cholesky_inverse', 'geqrf', 'ormqr', 'triangular_solve', 'cholesky', 'cholesky_solve', 'lu_solve', 'orgqr', 'qr', 'inverse', 'svd', 'det', 'slogdet', 'logdet', 'pinverse', 'matrix_exp', 'cross', 'mm', 'bmm', 'addmm', 'addmm_', 'baddbmm', 'baddbmm_', 'addbmm', 'addbmm_', 'mv', 'addmv', 'addmv_', 'dot', 'vdot', 'outer', 'ger', 'addr', 'addr_', 'matmul', 'inner', 'kron', 'matrix_power', 'trace', 'abs', 'abs_', 'absolute', 'absolute_', 'angle', 'sgn', 'sgn_', 'acos', 'acos_', 'arccos', 'arccos_', 'add', 'add_', 'acosh', 'acosh_', 'arccosh', 'arccosh_', 'asinh', 'asinh_', 'arcsinh', 'arcsinh_', 'atanh', 'atanh_', 'arctanh', 'arctanh_', 'asin', 'asin_', 'arcsin', 'arcsin_', 'atan', 'atan_', 'arctan', 'arctan_', 'bitwise_not', 'bitwise_not_', 'copysign', 'copysign_', 'logical_not', 'logical_not_', 'logical_xor', 'logical_xor_', 'logical_and', 'logical_and_', 'logical_or', 'logical_or_', 'ceil', 'ceil_', 'clamp', 'clamp_', 'clamp_max', 'clamp_max_', 'clamp_min', 'clamp_min_', 'clip', 'clip_', 'cos', 'cos_', 'cosh', 'cosh_', 'div', 'div_', 'divide', 'divide_', 'true_divide', 'true_divide_', 'erf', 'erf_', 'erfc', 'erfc_', 'exp', 'exp_', 'exp2', 'exp2_', 'expm1', 'expm1_', 'floor', 'floor_', 'floor_divide', 'floor_divide_', 'frac', 'frac_', 'gcd', 'gcd_', 'lcm', 'lcm_', 'isnan', 'isreal', 'nan_to_num', 'nan_to_num_', 'ldexp', 'ldexp_', 'log', 'log_', 'log10', 'log10_', 'log1p', 'log1p_', 'log2', 'log2_', 'logaddexp', 'logaddexp2', 'xlogy', 'xlogy_', 'mul', 'mul_', 'multiply', 'multiply_', 'mvlgamma', 'mvlgamma_', 'rad2deg', 'rad2deg_', 'deg2rad', 'deg2rad_', 'reciprocal', 'reciprocal_', 'neg', 'neg_', 'negative', 'negative_', 'round', 'round_', 'relu', 'relu_', 'prelu', 'hardshrink', 'rsqrt', 'rsqrt_', 'sigmoid', 'sigmoid_', 'logit', 'logit_', 'sin', 'sin_', 'sinc', 'sinc_', 'sinh', 'sinh_', 'sqrt', 'sqrt_', 'square', 'square_', 'tan', 'tan_', 'tanh', 'tanh_', 'trunc', 'trunc_', 'fix', 'fix_', 'frexp', 'positive', 'sub', 'sub_', 'subtract', 'subtract_', 'heaviside', 'heaviside_', 'eq', 'eq_', 'bitwise_and', 'bitwise_and_', '__and__', '__iand__', 'bitwise_or', 'bitwise_or_', '__or__', '__ior__', 'bitwise_xor', 'bitwise_xor_', '__xor__', '__ixor__', '__lshift__', '__ilshift__', 'bitwise_left_shift', 'bitwise_left_shift_', '__rshift__', '__irshift__', 'bitwise_right_shift', 'bitwise_right_shift_', 'digamma', 'digamma_', 'lerp', 'lerp_', 'ne', 'ne_', 'not_equal', 'not_equal_', 'ge', 'ge_', 'greater_equal', 'greater_equal_', 'le', 'le_', 'less_equal', 'less_equal_', 'gt', 'gt_', 'greater', 'greater_', 'lt', 'lt_', 'less', 'less_', 'addcmul', 'addcmul_', 'addcdiv', 'addcdiv_', 'lgamma', 'lgamma_', 'polygamma', 'polygamma_', 'erfinv', 'erfinv_', 'i0', 'i0_', 'sign', 'sign_', 'signbit', 'atan2', 'atan2_', 'arctan2', 'arctan2_', 'fmod', 'fmod_', 'hypot', 'hypot_', 'igamma', 'igamma_', 'igammac', 'igammac_', 'nextafter', 'nextafter_', 'remainder', 'remainder_', 'fmin', 'fmax', 'maximum', 'minimum', 'pow', 'pow_', 'float_power', 'float_power_', 'isfinite', 'isinf', 'isposinf', 'isneginf', '_is_all_true', '_is_any_true', 'all', 'any', 'argmax', 'argmin', 'count_nonzero', 'cummax', 'cummin', 'cumprod', 'cumprod_', 'cumsum', 'cumsum_', 'diff', 'logcumsumexp', 'logsumexp', 'aminmax', 'max', 'amax', 'mean', 'nanmean', 'min', 'amin', 'sum', 'nansum', 'std', 'prod', 'var', 'norm', 'dist', 'renorm', 'renorm_', 'hash_tensor', 'cov', 'corrcoef', 'log_softmax', 'softmax', 'normal_', 'uniform_', 'log_normal_', 'cauchy_', 'exponential_', 'geometric_', 'random_', 'bernoulli', 'bernoulli_', 'multinomial', 'histc', 'bincount', 'histogram', 'kthvalue', 'median', 'nanmedian', 'mode', 'quantile', 'nanquantile', 'sort', 'msort', 'argsort', 'topk', 'sparse_dim', 'dense_dim', '_dimI', '_dimV', '_nnz', 'indices', 'values', '_indices', '_values', 'is_coalesced', '_coalesced_', 'coalesce', 'to_dense', '_to_dense', 'to_sparse', '_to_sparse', 'sparse_mask', 'sparse_resize_and_clear_', 'crow_indices', 'col_indices', 'ccol_indices', 'row_indices', 'to_sparse_csr', '_to_sparse_csr', 'to_sparse_csc', '_to_sparse_csc', '_conj', 'conj', '_conj_physical', 'conj_physical', 'conj_physical_', 'resolve_conj', 'resolve_neg', '_neg_view', 'as_strided', 'as_strided_', 'broadcast_to', 'unsafe_chunk', 'chunk', 'tensor_split', 'diag_embed', 'diagflat', 'diagonal', 'expand', 'expand_as', 'flatten', 'unflatten', 'is_conj', 'is_neg', 'narrow_copy', 'narrow', 'permute', 'movedim', 'moveaxis', 'adjoint', 'ravel', 'repeat', 'repeat_interleave', 'reshape', '_reshape_alias', 'reshape_as', 'select', 'slice_inverse', 'slice_scatter', 'select_scatter', 'diagonal_scatter', 'as_strided_scatter', 'unsafe_split', 'split', 'unsafe_split_with_sizes', 'split_with_sizes', 'hsplit', 'vsplit', 'dsplit', 'squeeze', 'squeeze_', 'sum_to_size', 't', 't_', 'tile', 'transpose', 'transpose_', 'flip', 'fliplr', 'flipud', 'roll', 'rot90', 'unsqueeze', 'unsqueeze_', 'view_as', 'unbind', 'view', 'tril', 'tril_', 'triu', 'triu_', 'diag', 'swapaxes', 'swapaxes_', 'swapdims', 'swapdims_', 'unfold']
SIGNS = ['__add__', '__radd__', '__iadd__', '__sub__', '__rsub__', '__isub__', '__mul__', '__rmul__', '__imul__', '__truediv__', '__itruediv__', '__div__', '__idiv__', '__floordiv__', '__ifloordiv__', '__mod__', '__imod__', '__pow__', '__ipow__', '__matmul__', '__eq__', '__ne__', '__lt__', '__le__', '__gt__', '__ge__', '__neg__', '__pos__', '__abs__', '__invert__', '__rpow__', '__rmatmul__', '__rmod__', '__rfloordiv__', '__rand__', '__ror__', '__rxor__', '__rlshift__', '__rrshift__', '__rtruediv__', '__rdiv__']
