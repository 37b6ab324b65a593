"""Functions of the namespace torch. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.dispatch.bindings import (
    MISSING, Device, Dtype, Layout, MemoryFormat, Resolver, check_owner, check_whole, comparable,
    constants, int_list, integers, named_result, number_types, plain, reflected, resolve, sequence_types,
)

from rushlight.engine.calls import comparison as c_comparison
from rushlight.engine.calls import copy as c_copy
from rushlight.engine.calls import creation as c_creation
from rushlight.engine.calls import distances as c_distances
from rushlight.engine.calls import fourier as c_fourier
from rushlight.engine.calls import indexing as c_indexing
from rushlight.engine.calls import joining as c_joining
from rushlight.engine.calls import linalg as c_linalg
from rushlight.engine.calls import losses as c_losses
from rushlight.engine.calls import matrix as c_matrix
from rushlight.engine.calls import pointwise as c_pointwise
from rushlight.engine.calls import recurrent as c_recurrent
from rushlight.engine.calls import reduction as c_reduction
from rushlight.engine.calls import resampling as c_resampling
from rushlight.engine.calls import rows as c_rows
from rushlight.engine.calls import sampling as c_sampling
from rushlight.engine.calls import searching as c_searching
from rushlight.engine.calls import sorting as c_sorting
from rushlight.engine.calls import sparse as c_sparse
from rushlight.engine.calls import view as c_view
from rushlight.engine.calls import windows as c_windows

r_allclose = Resolver('allclose', ('allclose',), False)


def allclose(input=MISSING, other=MISSING, rtol=1e-05, atol=1e-08, equal_nan=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain and type(rtol) is float and type(atol) is float and type(equal_nan) is bool:
            return c_comparison.allclose(input, other, rtol, atol, equal_nan)
    return resolve(r_allclose, (('input', input, MISSING), ('other', other, MISSING), ('rtol', rtol, 1e-05), ('atol', atol, 1e-08), ('equal_nan', equal_nan, False),), extra, (
    ), others)

r_allclose.public = allclose


r_isclose = Resolver('isclose', ('isclose',), False)


def isclose(input=MISSING, other=MISSING, rtol=1e-05, atol=1e-08, equal_nan=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain and type(rtol) is float and type(atol) is float and type(equal_nan) is bool:
            return c_comparison.isclose(input, other, rtol, atol, equal_nan)
    return resolve(r_isclose, (('input', input, MISSING), ('other', other, MISSING), ('rtol', rtol, 1e-05), ('atol', atol, 1e-08), ('equal_nan', equal_nan, False),), extra, (
    ), others)

r_isclose.public = isclose


r_is_floating_point = Resolver('is_floating_point', ('is_floating_point',), False)


def is_floating_point(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_comparison.is_floating_point(input)
    return resolve(r_is_floating_point, (('input', input, MISSING),), extra, (
    ), others)

r_is_floating_point.public = is_floating_point


r_is_complex = Resolver('is_complex', ('is_complex',), False)


def is_complex(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_comparison.is_complex(input)
    return resolve(r_is_complex, (('input', input, MISSING),), extra, (
    ), others)

r_is_complex.public = is_complex


r_is_nonzero = Resolver('is_nonzero', ('is_nonzero',), False)


def is_nonzero(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_comparison.is_nonzero(input)
    return resolve(r_is_nonzero, (('input', input, MISSING),), extra, (
    ), others)

r_is_nonzero.public = is_nonzero


r_is_same_size = Resolver('is_same_size', ('is_same_size',), False)


def is_same_size(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_comparison.is_same_size(input, other)
    return resolve(r_is_same_size, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_is_same_size.public = is_same_size


r_is_signed = Resolver('is_signed', ('is_signed',), False)


def is_signed(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_comparison.is_signed(input)
    return resolve(r_is_signed, (('input', input, MISSING),), extra, (
    ), others)

r_is_signed.public = is_signed


r_is_inference = Resolver('is_inference', ('is_inference',), False)


def is_inference(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_comparison.is_inference(input)
    return resolve(r_is_inference, (('input', input, MISSING),), extra, (
    ), others)

r_is_inference.public = is_inference


r_result_type = Resolver('result_type', ('result_type.Tensor', 'result_type.Scalar_Tensor', 'result_type.Scalar', 'result_type.Scalar_Scalar',), False)


def result_type(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and type(args[1]) in plain:
            return c_comparison.result_type_Tensor(args[0], args[1])
        if n == 2 and type(args[0]) in number_types and type(args[1]) in plain:
            return c_comparison.result_type_Scalar_Tensor(args[0], args[1])
        if n == 2 and type(args[0]) in plain and type(args[1]) in number_types:
            return c_comparison.result_type_Scalar(args[0], args[1])
        if plain and n == 2 and type(args[0]) in number_types and type(args[1]) in number_types:
            return c_comparison.result_type_Scalar_Scalar(args[0], args[1])
    return r_result_type(args, kwargs)

r_result_type.public = result_type


r_can_cast = Resolver('can_cast', ('can_cast',), False)


def can_cast(from_=MISSING, to=MISSING, *extra, **others):
    if not extra and not others:
        if plain and type(from_) is Dtype and type(to) is Dtype:
            return c_comparison.can_cast(from_, to)
    return resolve(r_can_cast, (('from_', from_, MISSING), ('to', to, MISSING),), extra, (
    ), others)

r_can_cast.public = can_cast


r_promote_types = Resolver('promote_types', ('promote_types',), False)


def promote_types(type1=MISSING, type2=MISSING, *extra, **others):
    if not extra and not others:
        if plain and type(type1) is Dtype and type(type2) is Dtype:
            return c_comparison.promote_types(type1, type2)
    return resolve(r_promote_types, (('type1', type1, MISSING), ('type2', type2, MISSING),), extra, (
    ), others)

r_promote_types.public = promote_types


r_equal = Resolver('equal', ('equal',), False)


def equal(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_comparison.equal(input, other)
    return resolve(r_equal, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_equal.public = equal


r__has_same_storage_numel = Resolver('_has_same_storage_numel', ('_has_same_storage_numel',), False)


def _has_same_storage_numel(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_copy._has_same_storage_numel(input, other)
    return resolve(r__has_same_storage_numel, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r__has_same_storage_numel.public = _has_same_storage_numel


r__copy_from = Resolver('_copy_from', ('_copy_from',), False)


def _copy_from(input=MISSING, dst=MISSING, non_blocking=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dst) in plain and type(non_blocking) is bool:
            return c_copy._copy_from(input, dst, non_blocking)
    return resolve(r__copy_from, (('input', input, MISSING), ('dst', dst, MISSING), ('non_blocking', non_blocking, False),), extra, (
    ), others)

r__copy_from.public = _copy_from


r__copy_from_and_resize = Resolver('_copy_from_and_resize', ('_copy_from_and_resize',), False)


def _copy_from_and_resize(input=MISSING, dst=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dst) in plain:
            return c_copy._copy_from_and_resize(input, dst)
    return resolve(r__copy_from_and_resize, (('input', input, MISSING), ('dst', dst, MISSING),), extra, (
    ), others)

r__copy_from_and_resize.public = _copy_from_and_resize


r__resize_output_ = Resolver('_resize_output_', ('_resize_output_',), False)


def _resize_output_(input=MISSING, size=MISSING, device=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (size_ := int_list(size)) is not None and type(device) is Device:
            return c_copy._resize_output_(input, size_, device)
    return resolve(r__resize_output_, (('input', input, MISSING), ('size', size, MISSING), ('device', device, MISSING),), extra, (
    ), others)

r__resize_output_.public = _resize_output_


r_fill = Resolver('fill', ('fill.Tensor', 'fill.Scalar',), False)


def fill(input=MISSING, value=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(value) in plain:
            return c_copy.fill_Tensor(input, value)
        if type(input) in plain and type(value) in number_types:
            return c_copy.fill_Scalar(input, value)
    return resolve(r_fill, (('input', input, MISSING), ('value', value, MISSING),), extra, (
    ), others)

r_fill.public = fill


r_fill_ = Resolver('fill_', ('fill_.Tensor', 'fill_.Scalar',), False)


def fill_(input=MISSING, value=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(value) in plain:
            return c_copy.fill__Tensor(input, value)
        if type(input) in plain and type(value) in number_types:
            return c_copy.fill__Scalar(input, value)
    return resolve(r_fill_, (('input', input, MISSING), ('value', value, MISSING),), extra, (
    ), others)

r_fill_.public = fill_


r__pin_memory = Resolver('_pin_memory', ('_pin_memory',), False)


def _pin_memory(input=MISSING, device=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (device is None or type(device) is Device):
            return c_copy._pin_memory(input, device)
    return resolve(r__pin_memory, (('input', input, MISSING), ('device', device, None),), extra, (
    ), others)

r__pin_memory.public = _pin_memory


r_detach = Resolver('detach', ('detach',), False)


def detach(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_copy.detach(input)
    return resolve(r_detach, (('input', input, MISSING),), extra, (
    ), others)

r_detach.public = detach


r_detach_ = Resolver('detach_', ('detach_',), False)


def detach_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_copy.detach_(input)
    return resolve(r_detach_, (('input', input, MISSING),), extra, (
    ), others)

r_detach_.public = detach_


r_clone = Resolver('clone', ('clone',), False)


def clone(input=MISSING, *extra, memory_format=None, **others):
    if not extra and not others:
        if type(input) in plain and (memory_format is None or type(memory_format) is MemoryFormat):
            return c_copy.clone(input, memory_format)
    return resolve(r_clone, (('input', input, MISSING),), extra, (
        ('memory_format', memory_format, None),
    ), others)

r_clone.public = clone


r_resize_as_ = Resolver('resize_as_', ('resize_as_',), False)


def resize_as_(input=MISSING, the_template=MISSING, *extra, memory_format=None, **others):
    if not extra and not others:
        if type(input) in plain and type(the_template) in plain and (memory_format is None or type(memory_format) is MemoryFormat):
            return c_copy.resize_as_(input, the_template, memory_format)
    return resolve(r_resize_as_, (('input', input, MISSING), ('the_template', the_template, MISSING),), extra, (
        ('memory_format', memory_format, None),
    ), others)

r_resize_as_.public = resize_as_


r_zero_ = Resolver('zero_', ('zero_',), False)


def zero_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_copy.zero_(input)
    return resolve(r_zero_, (('input', input, MISSING),), extra, (
    ), others)

r_zero_.public = zero_


r__to_copy = Resolver('_to_copy', ('-_to_copy|_to_copy.out',), False)


def _to_copy(input=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None, out=None, requires_grad=False, **others):
    if not extra and not others and out is None and requires_grad is False:
        if type(input) in plain and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and type(non_blocking) is bool and (memory_format is None or type(memory_format) is MemoryFormat):
            return c_copy._to_copy(input, dtype, layout, device, pin_memory, non_blocking, memory_format)
    return resolve(r__to_copy, (('input', input, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('non_blocking', non_blocking, False),
        ('memory_format', memory_format, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r__to_copy.public = _to_copy


r_lift_fresh = Resolver('lift_fresh', ('lift_fresh',), False)


def lift_fresh(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_copy.lift_fresh(input)
    return resolve(r_lift_fresh, (('input', input, MISSING),), extra, (
    ), others)

r_lift_fresh.public = lift_fresh


r_lift_fresh_copy = Resolver('lift_fresh_copy', ('lift_fresh_copy|lift_fresh_copy.out',), False)


def lift_fresh_copy(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_copy.lift_fresh_copy(input)
    return resolve(r_lift_fresh_copy, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_lift_fresh_copy.public = lift_fresh_copy


r_detach_copy = Resolver('detach_copy', ('detach_copy|detach_copy.out',), False)


def detach_copy(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_copy.detach_copy(input)
    return resolve(r_detach_copy, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_detach_copy.public = detach_copy


r_alias_copy = Resolver('alias_copy', ('alias_copy|alias_copy.out',), False)


def alias_copy(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_copy.alias_copy(input)
    return resolve(r_alias_copy, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_alias_copy.public = alias_copy


r_arange = Resolver('arange', ('arange|arange.out', 'arange.start', 'arange.start_step|arange.start_out',), False)


def arange(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if plain and n == 1 and type(args[0]) in number_types:
            return c_creation.arange(args[0], None, None, None, None)
        if plain and n == 2 and type(args[0]) in number_types and type(args[1]) in number_types:
            return c_creation.arange_start(args[0], args[1], None, None, None, None)
        if plain and n == 2 and type(args[0]) in number_types and type(args[1]) in number_types:
            return c_creation.arange_start_step(args[0], args[1], 1, None, None, None, None)
        if plain and n == 3 and type(args[0]) in number_types and type(args[1]) in number_types and type(args[2]) in number_types:
            return c_creation.arange_start_step(args[0], args[1], args[2], None, None, None, None)
    return r_arange(args, kwargs)

r_arange.public = arange


r_complex = Resolver('complex', ('complex|complex.out',), False)


def complex(real=MISSING, imag=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(real) in plain and type(imag) in plain:
            return c_creation.complex(real, imag)
    return resolve(r_complex, (('real', real, MISSING), ('imag', imag, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_complex.public = complex


r_polar = Resolver('polar', ('polar|polar.out',), False)


def polar(abs=MISSING, angle=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(abs) in plain and type(angle) in plain:
            return c_creation.polar(abs, angle)
    return resolve(r_polar, (('abs', abs, MISSING), ('angle', angle, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_polar.public = polar


r_empty = Resolver('empty', ('empty.memory_format|empty.out',), False)


def empty(*args, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None, out=None, requires_grad=False, **others):
    if plain and not others and out is None and requires_grad is False and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (memory_format is None or type(memory_format) is MemoryFormat) and (integers_ := integers(args)) is not None:
        return c_creation.empty_memory_format(integers_, dtype, layout, device, pin_memory, memory_format)
    return resolve(r_empty, (), args, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('memory_format', memory_format, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_empty.public = empty


r_empty_permuted = Resolver('empty_permuted', ('empty_permuted',), False)


def empty_permuted(size=MISSING, physical_layout=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if plain and (size_ := int_list(size)) is not None and (physical_layout_ := int_list(physical_layout)) is not None and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.empty_permuted(size_, physical_layout_, dtype, layout, device, pin_memory)
    return resolve(r_empty_permuted, (('size', size, MISSING), ('physical_layout', physical_layout, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_empty_permuted.public = empty_permuted


r_empty_like = Resolver('empty_like', ('empty_like',), False)


def empty_like(input=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if type(input) in plain and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (memory_format is None or type(memory_format) is MemoryFormat):
            return c_creation.empty_like(input, dtype, layout, device, pin_memory, memory_format)
    return resolve(r_empty_like, (('input', input, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('memory_format', memory_format, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_empty_like.public = empty_like


r_empty_strided = Resolver('empty_strided', ('empty_strided',), False)


def empty_strided(size=MISSING, stride=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if plain and (size_ := int_list(size)) is not None and (stride_ := int_list(stride)) is not None and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.empty_strided(size_, stride_, dtype, layout, device, pin_memory)
    return resolve(r_empty_strided, (('size', size, MISSING), ('stride', stride, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_empty_strided.public = empty_strided


r_eye = Resolver('eye', ('eye|eye.out', 'eye.m|eye.m_out',), False)


def eye(n=MISSING, m=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, out=None, requires_grad=False, **others):
    if not extra and not others and out is None and requires_grad is False:
        if plain and m is MISSING and type(n) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.eye(n, dtype, layout, device, pin_memory)
        if plain and type(n) is int and type(m) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.eye_m(n, m, dtype, layout, device, pin_memory)
    return resolve(r_eye, (('n', n, MISSING), ('m', m, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_eye.public = eye


r_full = Resolver('full', ('full|full.out',), False)


def full(size=MISSING, fill_value=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, out=None, requires_grad=False, **others):
    if not extra and not others and out is None and requires_grad is False:
        if plain and (size_ := int_list(size)) is not None and type(fill_value) in number_types and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.full(size_, fill_value, dtype, layout, device, pin_memory)
    return resolve(r_full, (('size', size, MISSING), ('fill_value', fill_value, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_full.public = full


r_full_like = Resolver('full_like', ('full_like',), False)


def full_like(input=MISSING, fill_value=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if type(input) in plain and type(fill_value) in number_types and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (memory_format is None or type(memory_format) is MemoryFormat):
            return c_creation.full_like(input, fill_value, dtype, layout, device, pin_memory, memory_format)
    return resolve(r_full_like, (('input', input, MISSING), ('fill_value', fill_value, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('memory_format', memory_format, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_full_like.public = full_like


r_linspace = Resolver('linspace', ('linspace.Tensor_Tensor|linspace.Tensor_Tensor_out', 'linspace.Scalar_Tensor|linspace.Scalar_Tensor_out', 'linspace.Tensor_Scalar|linspace.Tensor_Scalar_out', 'linspace|linspace.out',), False)


def linspace(start=MISSING, end=MISSING, steps=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, out=None, requires_grad=False, **others):
    if not extra and not others and out is None and requires_grad is False:
        if type(start) in plain and type(end) in plain and type(steps) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.linspace_Tensor_Tensor(start, end, steps, dtype, layout, device, pin_memory)
        if type(start) in number_types and type(end) in plain and type(steps) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.linspace_Scalar_Tensor(start, end, steps, dtype, layout, device, pin_memory)
        if type(start) in plain and type(end) in number_types and type(steps) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.linspace_Tensor_Scalar(start, end, steps, dtype, layout, device, pin_memory)
        if plain and type(start) in number_types and type(end) in number_types and type(steps) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.linspace(start, end, steps, dtype, layout, device, pin_memory)
    return resolve(r_linspace, (('start', start, MISSING), ('end', end, MISSING), ('steps', steps, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_linspace.public = linspace


r_logspace = Resolver('logspace', ('logspace.Tensor_Tensor|logspace.Tensor_Tensor_out', 'logspace.Scalar_Tensor|logspace.Scalar_Tensor_out', 'logspace.Tensor_Scalar|logspace.Tensor_Scalar_out', 'logspace|logspace.out',), False)


def logspace(start=MISSING, end=MISSING, steps=MISSING, base=10.0, *extra, dtype=None, layout=None, device=None, pin_memory=None, out=None, requires_grad=False, **others):
    if not extra and not others and out is None and requires_grad is False:
        if type(start) in plain and type(end) in plain and type(steps) is int and type(base) is float and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.logspace_Tensor_Tensor(start, end, steps, base, dtype, layout, device, pin_memory)
        if type(start) in number_types and type(end) in plain and type(steps) is int and type(base) is float and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.logspace_Scalar_Tensor(start, end, steps, base, dtype, layout, device, pin_memory)
        if type(start) in plain and type(end) in number_types and type(steps) is int and type(base) is float and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.logspace_Tensor_Scalar(start, end, steps, base, dtype, layout, device, pin_memory)
        if plain and type(start) in number_types and type(end) in number_types and type(steps) is int and type(base) is float and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.logspace(start, end, steps, base, dtype, layout, device, pin_memory)
    return resolve(r_logspace, (('start', start, MISSING), ('end', end, MISSING), ('steps', steps, MISSING), ('base', base, 10.0),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_logspace.public = logspace


r_ones = Resolver('ones', ('ones|ones.out',), False)


def ones(*args, dtype=None, layout=None, device=None, pin_memory=None, out=None, requires_grad=False, **others):
    if plain and not others and out is None and requires_grad is False and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (integers_ := integers(args)) is not None:
        return c_creation.ones(integers_, dtype, layout, device, pin_memory)
    return resolve(r_ones, (), args, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_ones.public = ones


r_ones_like = Resolver('ones_like', ('ones_like',), False)


def ones_like(input=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if type(input) in plain and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (memory_format is None or type(memory_format) is MemoryFormat):
            return c_creation.ones_like(input, dtype, layout, device, pin_memory, memory_format)
    return resolve(r_ones_like, (('input', input, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('memory_format', memory_format, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_ones_like.public = ones_like


r_scalar_tensor = Resolver('scalar_tensor', ('scalar_tensor',), False)


def scalar_tensor(s=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if plain and type(s) in number_types and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.scalar_tensor(s, dtype, layout, device, pin_memory)
    return resolve(r_scalar_tensor, (('s', s, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_scalar_tensor.public = scalar_tensor


r_range = Resolver('range', ('range|range.out_', 'range.step|range.out',), False)


def range(start=MISSING, end=MISSING, step=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, out=None, requires_grad=False, **others):
    if not extra and not others and out is None and requires_grad is False:
        if plain and step is MISSING and type(start) in number_types and type(end) in number_types and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.range(start, end, dtype, layout, device, pin_memory)
        if plain and type(start) in number_types and type(end) in number_types and (step is MISSING or type(step) in number_types) and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.range_step(start, end, (1 if step is MISSING else step), dtype, layout, device, pin_memory)
    return resolve(r_range, (('start', start, MISSING), ('end', end, MISSING), ('step', step, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_range.public = range


r__efficientzerotensor = Resolver('_efficientzerotensor', ('_efficientzerotensor',), False)


def _efficientzerotensor(*args, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if plain and not others and requires_grad is False and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (integers_ := integers(args)) is not None:
        return c_creation._efficientzerotensor(integers_, dtype, layout, device, pin_memory)
    return resolve(r__efficientzerotensor, (), args, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r__efficientzerotensor.public = _efficientzerotensor


r_zeros = Resolver('zeros', ('zeros|zeros.out',), False)


def zeros(*args, dtype=None, layout=None, device=None, pin_memory=None, out=None, requires_grad=False, **others):
    if plain and not others and out is None and requires_grad is False and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (integers_ := integers(args)) is not None:
        return c_creation.zeros(integers_, dtype, layout, device, pin_memory)
    return resolve(r_zeros, (), args, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_zeros.public = zeros


r_zeros_like = Resolver('zeros_like', ('zeros_like',), False)


def zeros_like(input=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if type(input) in plain and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (memory_format is None or type(memory_format) is MemoryFormat):
            return c_creation.zeros_like(input, dtype, layout, device, pin_memory, memory_format)
    return resolve(r_zeros_like, (('input', input, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('memory_format', memory_format, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_zeros_like.public = zeros_like


r_tril_indices = Resolver('tril_indices', ('tril_indices',), False)


def tril_indices(row=MISSING, col=MISSING, offset=0, *extra, dtype=constants.long, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if plain and type(row) is int and type(col) is int and type(offset) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.tril_indices(row, col, offset, dtype, layout, device, pin_memory)
    return resolve(r_tril_indices, (('row', row, MISSING), ('col', col, MISSING), ('offset', offset, 0),), extra, (
        ('dtype', dtype, constants.long),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_tril_indices.public = tril_indices


r_triu_indices = Resolver('triu_indices', ('triu_indices',), False)


def triu_indices(row=MISSING, col=MISSING, offset=0, *extra, dtype=constants.long, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if plain and type(row) is int and type(col) is int and type(offset) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_creation.triu_indices(row, col, offset, dtype, layout, device, pin_memory)
    return resolve(r_triu_indices, (('row', row, MISSING), ('col', col, MISSING), ('offset', offset, 0),), extra, (
        ('dtype', dtype, constants.long),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_triu_indices.public = triu_indices


r_cdist = Resolver('cdist', ('cdist',), False)


def cdist(x1=MISSING, x2=MISSING, p=2.0, compute_mode=None, *extra, **others):
    if not extra and not others:
        if type(x1) in plain and type(x2) in plain and type(p) is float and (compute_mode is None or type(compute_mode) is int):
            return c_distances.cdist(x1, x2, p, compute_mode)
    return resolve(r_cdist, (('x1', x1, MISSING), ('x2', x2, MISSING), ('p', p, 2.0), ('compute_mode', compute_mode, None),), extra, (
    ), others)

r_cdist.public = cdist


r_pdist = Resolver('pdist', ('pdist',), False)


def pdist(input=MISSING, p=2.0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(p) is float:
            return c_distances.pdist(input, p)
    return resolve(r_pdist, (('input', input, MISSING), ('p', p, 2.0),), extra, (
    ), others)

r_pdist.public = pdist


r_pairwise_distance = Resolver('pairwise_distance', ('pairwise_distance',), False)


def pairwise_distance(x1=MISSING, x2=MISSING, p=2.0, eps=1e-06, keepdim=False, *extra, **others):
    if not extra and not others:
        if type(x1) in plain and type(x2) in plain and type(p) is float and type(eps) is float and type(keepdim) is bool:
            return c_distances.pairwise_distance(x1, x2, p, eps, keepdim)
    return resolve(r_pairwise_distance, (('x1', x1, MISSING), ('x2', x2, MISSING), ('p', p, 2.0), ('eps', eps, 1e-06), ('keepdim', keepdim, False),), extra, (
    ), others)

r_pairwise_distance.public = pairwise_distance


r_cosine_similarity = Resolver('cosine_similarity', ('cosine_similarity',), False)


def cosine_similarity(x1=MISSING, x2=MISSING, dim=1, eps=1e-08, *extra, **others):
    if not extra and not others:
        if type(x1) in plain and type(x2) in plain and type(dim) is int and type(eps) is float:
            return c_distances.cosine_similarity(x1, x2, dim, eps)
    return resolve(r_cosine_similarity, (('x1', x1, MISSING), ('x2', x2, MISSING), ('dim', dim, 1), ('eps', eps, 1e-08),), extra, (
    ), others)

r_cosine_similarity.public = cosine_similarity


r__fft_c2c = Resolver('_fft_c2c', ('_fft_c2c|_fft_c2c.out',), False)


def _fft_c2c(input=MISSING, dim=MISSING, normalization=MISSING, forward=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim_ := int_list(dim)) is not None and type(normalization) is int and type(forward) is bool:
            return c_fourier._fft_c2c(input, dim_, normalization, forward)
    return resolve(r__fft_c2c, (('input', input, MISSING), ('dim', dim, MISSING), ('normalization', normalization, MISSING), ('forward', forward, MISSING),), extra, (
        ('out', out, None),
    ), others)

r__fft_c2c.public = _fft_c2c


r__fft_r2c = Resolver('_fft_r2c', ('_fft_r2c|_fft_r2c.out',), False)


def _fft_r2c(input=MISSING, dim=MISSING, normalization=MISSING, onesided=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim_ := int_list(dim)) is not None and type(normalization) is int and type(onesided) is bool:
            return c_fourier._fft_r2c(input, dim_, normalization, onesided)
    return resolve(r__fft_r2c, (('input', input, MISSING), ('dim', dim, MISSING), ('normalization', normalization, MISSING), ('onesided', onesided, MISSING),), extra, (
        ('out', out, None),
    ), others)

r__fft_r2c.public = _fft_r2c


r__fft_c2r = Resolver('_fft_c2r', ('_fft_c2r|_fft_c2r.out',), False)


def _fft_c2r(input=MISSING, dim=MISSING, normalization=MISSING, last_dim_size=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim_ := int_list(dim)) is not None and type(normalization) is int and type(last_dim_size) is int:
            return c_fourier._fft_c2r(input, dim_, normalization, last_dim_size)
    return resolve(r__fft_c2r, (('input', input, MISSING), ('dim', dim, MISSING), ('normalization', normalization, MISSING), ('last_dim_size', last_dim_size, MISSING),), extra, (
        ('out', out, None),
    ), others)

r__fft_c2r.public = _fft_c2r


r_stft = Resolver('stft', ('stft.center', 'stft',), False)


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


r_istft = Resolver('istft', ('istft',), False)


def istft(input=MISSING, n_fft=MISSING, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None, return_complex=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(n_fft) is int and (hop_length is None or type(hop_length) is int) and (win_length is None or type(win_length) is int) and (window is None or type(window) in plain) and type(center) is bool and type(normalized) is bool and (onesided is None or type(onesided) is bool) and (length is None or type(length) is int) and type(return_complex) is bool:
            return c_fourier.istft(input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex)
    return resolve(r_istft, (('input', input, MISSING), ('n_fft', n_fft, MISSING), ('hop_length', hop_length, None), ('win_length', win_length, None), ('window', window, None), ('center', center, True), ('normalized', normalized, False), ('onesided', onesided, None), ('length', length, None), ('return_complex', return_complex, False),), extra, (
    ), others)

r_istft.public = istft


r_bartlett_window = Resolver('bartlett_window', ('bartlett_window', 'bartlett_window.periodic',), False)


def bartlett_window(window_length=MISSING, periodic=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if plain and periodic is MISSING and type(window_length) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.bartlett_window(window_length, dtype, layout, device, pin_memory)
        if plain and type(window_length) is int and type(periodic) is bool and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.bartlett_window_periodic(window_length, periodic, dtype, layout, device, pin_memory)
    return resolve(r_bartlett_window, (('window_length', window_length, MISSING), ('periodic', periodic, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_bartlett_window.public = bartlett_window


r_blackman_window = Resolver('blackman_window', ('blackman_window', 'blackman_window.periodic',), False)


def blackman_window(window_length=MISSING, periodic=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if plain and periodic is MISSING and type(window_length) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.blackman_window(window_length, dtype, layout, device, pin_memory)
        if plain and type(window_length) is int and type(periodic) is bool and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.blackman_window_periodic(window_length, periodic, dtype, layout, device, pin_memory)
    return resolve(r_blackman_window, (('window_length', window_length, MISSING), ('periodic', periodic, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_blackman_window.public = blackman_window


r_hann_window = Resolver('hann_window', ('hann_window', 'hann_window.periodic',), False)


def hann_window(window_length=MISSING, periodic=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if plain and periodic is MISSING and type(window_length) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.hann_window(window_length, dtype, layout, device, pin_memory)
        if plain and type(window_length) is int and type(periodic) is bool and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.hann_window_periodic(window_length, periodic, dtype, layout, device, pin_memory)
    return resolve(r_hann_window, (('window_length', window_length, MISSING), ('periodic', periodic, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_hann_window.public = hann_window


r_hamming_window = Resolver('hamming_window', ('hamming_window', 'hamming_window.periodic', 'hamming_window.periodic_alpha', 'hamming_window.periodic_alpha_beta',), False)


def hamming_window(window_length=MISSING, periodic=MISSING, alpha=MISSING, beta=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if plain and periodic is MISSING and alpha is MISSING and beta is MISSING and type(window_length) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.hamming_window(window_length, dtype, layout, device, pin_memory)
        if plain and alpha is MISSING and beta is MISSING and type(window_length) is int and type(periodic) is bool and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.hamming_window_periodic(window_length, periodic, dtype, layout, device, pin_memory)
        if plain and beta is MISSING and type(window_length) is int and type(periodic) is bool and type(alpha) is float and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.hamming_window_periodic_alpha(window_length, periodic, alpha, dtype, layout, device, pin_memory)
        if plain and type(window_length) is int and type(periodic) is bool and type(alpha) is float and type(beta) is float and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.hamming_window_periodic_alpha_beta(window_length, periodic, alpha, beta, dtype, layout, device, pin_memory)
    return resolve(r_hamming_window, (('window_length', window_length, MISSING), ('periodic', periodic, MISSING), ('alpha', alpha, MISSING), ('beta', beta, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_hamming_window.public = hamming_window


r_kaiser_window = Resolver('kaiser_window', ('kaiser_window', 'kaiser_window.periodic', 'kaiser_window.beta',), False)


def kaiser_window(window_length=MISSING, periodic=MISSING, beta=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if plain and periodic is MISSING and beta is MISSING and type(window_length) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.kaiser_window(window_length, dtype, layout, device, pin_memory)
        if plain and beta is MISSING and type(window_length) is int and type(periodic) is bool and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.kaiser_window_periodic(window_length, periodic, dtype, layout, device, pin_memory)
        if plain and type(window_length) is int and type(periodic) is bool and type(beta) is float and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.kaiser_window_beta(window_length, periodic, beta, dtype, layout, device, pin_memory)
    return resolve(r_kaiser_window, (('window_length', window_length, MISSING), ('periodic', periodic, MISSING), ('beta', beta, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_kaiser_window.public = kaiser_window


r_index = Resolver('index', ('index.Tensor|index.Tensor_out',), False)


def index(*args, **kwargs):
    return r_index(args, kwargs)

r_index.public = index


r__unsafe_index = Resolver('_unsafe_index', ('_unsafe_index.Tensor',), False)


def _unsafe_index(*args, **kwargs):
    return r__unsafe_index(args, kwargs)

r__unsafe_index.public = _unsafe_index


r_index_copy = Resolver('index_copy', ('index_copy|index_copy.out',), False)


def index_copy(input=MISSING, dim=MISSING, index=MISSING, source=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and type(index) in plain and type(source) in plain:
            return c_indexing.index_copy(input, dim, index, source)
    return resolve(r_index_copy, (('input', input, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('source', source, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_index_copy.public = index_copy


r_index_put = Resolver('index_put', ('index_put',), False)


def index_put(*args, **kwargs):
    return r_index_put(args, kwargs)

r_index_put.public = index_put


r_index_put_ = Resolver('index_put_', ('index_put_',), False)


def index_put_(*args, **kwargs):
    return r_index_put_(args, kwargs)

r_index_put_.public = index_put_


r__unsafe_index_put = Resolver('_unsafe_index_put', ('_unsafe_index_put',), False)


def _unsafe_index_put(*args, **kwargs):
    return r__unsafe_index_put(args, kwargs)

r__unsafe_index_put.public = _unsafe_index_put


r__index_put_impl_ = Resolver('_index_put_impl_', ('_index_put_impl_',), False)


def _index_put_impl_(*args, **kwargs):
    return r__index_put_impl_(args, kwargs)

r__index_put_impl_.public = _index_put_impl_


r_where = Resolver('where', ('where', 'where.self|where.self_out', 'where.ScalarSelf', 'where.ScalarOther', 'where.Scalar',), False)


def where(condition=MISSING, input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if input is MISSING and other is MISSING and type(condition) in plain:
            return c_indexing.where(condition)
        if type(condition) in plain and type(input) in plain and type(other) in plain:
            return c_indexing.where_self(condition, input, other)
        if type(condition) in plain and type(input) in number_types and type(other) in plain:
            return c_indexing.where_ScalarSelf(condition, input, other)
        if type(condition) in plain and type(input) in plain and type(other) in number_types:
            return c_indexing.where_ScalarOther(condition, input, other)
        if type(condition) in plain and type(input) in number_types and type(other) in number_types:
            return c_indexing.where_Scalar(condition, input, other)
    return resolve(r_where, (('condition', condition, MISSING), ('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_where.public = where


r_masked_fill = Resolver('masked_fill', ('masked_fill.Tensor', 'masked_fill.Scalar',), False)


def masked_fill(input=MISSING, mask=MISSING, value=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(mask) in plain and type(value) in plain:
            return c_indexing.masked_fill_Tensor(input, mask, value)
        if type(input) in plain and type(mask) in plain and type(value) in number_types:
            return c_indexing.masked_fill_Scalar(input, mask, value)
    return resolve(r_masked_fill, (('input', input, MISSING), ('mask', mask, MISSING), ('value', value, MISSING),), extra, (
    ), others)

r_masked_fill.public = masked_fill


r_masked_scatter = Resolver('masked_scatter', ('masked_scatter',), False)


def masked_scatter(input=MISSING, mask=MISSING, source=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(mask) in plain and type(source) in plain:
            return c_indexing.masked_scatter(input, mask, source)
    return resolve(r_masked_scatter, (('input', input, MISSING), ('mask', mask, MISSING), ('source', source, MISSING),), extra, (
    ), others)

r_masked_scatter.public = masked_scatter


r_put = Resolver('put', ('put',), False)


def put(input=MISSING, index=MISSING, source=MISSING, accumulate=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(index) in plain and type(source) in plain and type(accumulate) is bool:
            return c_indexing.put(input, index, source, accumulate)
    return resolve(r_put, (('input', input, MISSING), ('index', index, MISSING), ('source', source, MISSING), ('accumulate', accumulate, False),), extra, (
    ), others)

r_put.public = put


r_index_add = Resolver('index_add', ('index_add|index_add.out',), False)


def index_add(input=MISSING, dim=MISSING, index=MISSING, source=MISSING, *extra, alpha=1, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and type(index) in plain and type(source) in plain and type(alpha) in number_types:
            return c_indexing.index_add(input, dim, index, source, alpha)
    return resolve(r_index_add, (('input', input, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('source', source, MISSING),), extra, (
        ('alpha', alpha, 1),
        ('out', out, None),
    ), others)

r_index_add.public = index_add


r_index_fill = Resolver('index_fill', ('index_fill.int_Tensor', 'index_fill.int_Scalar',), False)


def index_fill(input=MISSING, dim=MISSING, index=MISSING, value=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim) is int and type(index) in plain and type(value) in plain:
            return c_indexing.index_fill_int_Tensor(input, dim, index, value)
        if type(input) in plain and type(dim) is int and type(index) in plain and type(value) in number_types:
            return c_indexing.index_fill_int_Scalar(input, dim, index, value)
    return resolve(r_index_fill, (('input', input, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('value', value, MISSING),), extra, (
    ), others)

r_index_fill.public = index_fill


r_scatter = Resolver('scatter', ('scatter.src|scatter.src_out', 'scatter.reduce|scatter.reduce_out', 'scatter.value|scatter.value_out', 'scatter.value_reduce|scatter.value_reduce_out',), False)


def scatter(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 4 and type(args[0]) in plain and type(args[1]) is int and type(args[2]) in plain and type(args[3]) in plain:
            return c_indexing.scatter_src(args[0], args[1], args[2], args[3])
        if n == 4 and type(args[0]) in plain and type(args[1]) is int and type(args[2]) in plain and type(args[3]) in number_types:
            return c_indexing.scatter_value(args[0], args[1], args[2], args[3])
    return r_scatter(args, kwargs)

r_scatter.public = scatter


r_scatter_add = Resolver('scatter_add', ('scatter_add|scatter_add.out',), False)


def scatter_add(input=MISSING, dim=MISSING, index=MISSING, src=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and type(index) in plain and type(src) in plain:
            return c_indexing.scatter_add(input, dim, index, src)
    return resolve(r_scatter_add, (('input', input, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('src', src, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_scatter_add.public = scatter_add


r_scatter_reduce = Resolver('scatter_reduce', ('scatter_reduce.two|scatter_reduce.two_out',), False)


def scatter_reduce(input=MISSING, dim=MISSING, index=MISSING, src=MISSING, reduce=MISSING, *extra, include_self=True, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and type(index) in plain and type(src) in plain and type(reduce) is str and type(include_self) is bool:
            return c_indexing.scatter_reduce_two(input, dim, index, src, reduce, include_self)
    return resolve(r_scatter_reduce, (('input', input, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('src', src, MISSING), ('reduce', reduce, MISSING),), extra, (
        ('include_self', include_self, True),
        ('out', out, None),
    ), others)

r_scatter_reduce.public = scatter_reduce


r_take = Resolver('take', ('take|take.out',), False)


def take(input=MISSING, index=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(index) in plain:
            return c_indexing.take(input, index)
    return resolve(r_take, (('input', input, MISSING), ('index', index, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_take.public = take


r_take_along_dim = Resolver('take_along_dim', ('take_along_dim|take_along_dim.out',), False)


def take_along_dim(input=MISSING, indices=MISSING, dim=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(indices) in plain and (dim is None or type(dim) is int):
            return c_indexing.take_along_dim(input, indices, dim)
    return resolve(r_take_along_dim, (('input', input, MISSING), ('indices', indices, MISSING), ('dim', dim, None),), extra, (
        ('out', out, None),
    ), others)

r_take_along_dim.public = take_along_dim


r_index_select = Resolver('index_select', ('index_select|index_select.out',), False)


def index_select(input=MISSING, dim=MISSING, index=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and type(index) in plain:
            return c_indexing.index_select(input, dim, index)
    return resolve(r_index_select, (('input', input, MISSING), ('dim', dim, MISSING), ('index', index, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_index_select.public = index_select


r_masked_select = Resolver('masked_select', ('masked_select|masked_select.out',), False)


def masked_select(input=MISSING, mask=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(mask) in plain:
            return c_indexing.masked_select(input, mask)
    return resolve(r_masked_select, (('input', input, MISSING), ('mask', mask, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_masked_select.public = masked_select


r_nonzero = Resolver('nonzero', ('nonzero|nonzero.out',), False)


def nonzero(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_indexing.nonzero(input)
    return resolve(r_nonzero, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_nonzero.public = nonzero


r_nonzero_static = Resolver('nonzero_static', ('nonzero_static|nonzero_static.out',), False)


def nonzero_static(input=MISSING, *extra, size=MISSING, fill_value=-1, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(size) is int and type(fill_value) is int:
            return c_indexing.nonzero_static(input, size, fill_value)
    return resolve(r_nonzero_static, (('input', input, MISSING),), extra, (
        ('size', size, MISSING),
        ('fill_value', fill_value, -1),
        ('out', out, None),
    ), others)

r_nonzero_static.public = nonzero_static


r_nonzero_numpy = Resolver('nonzero_numpy', ('nonzero_numpy',), False)


def nonzero_numpy(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_indexing.nonzero_numpy(input)
    return resolve(r_nonzero_numpy, (('input', input, MISSING),), extra, (
    ), others)

r_nonzero_numpy.public = nonzero_numpy


r_argwhere = Resolver('argwhere', ('argwhere',), False)


def argwhere(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_indexing.argwhere(input)
    return resolve(r_argwhere, (('input', input, MISSING),), extra, (
    ), others)

r_argwhere.public = argwhere


r_gather = Resolver('gather', ('gather|gather.out',), False)


def gather(input=MISSING, dim=MISSING, index=MISSING, *extra, sparse_grad=False, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and type(index) in plain and type(sparse_grad) is bool:
            return c_indexing.gather(input, dim, index, sparse_grad)
    return resolve(r_gather, (('input', input, MISSING), ('dim', dim, MISSING), ('index', index, MISSING),), extra, (
        ('sparse_grad', sparse_grad, False),
        ('out', out, None),
    ), others)

r_gather.public = gather


r_index_reduce = Resolver('index_reduce', ('index_reduce|index_reduce.out',), False)


def index_reduce(input=MISSING, dim=MISSING, index=MISSING, source=MISSING, reduce=MISSING, *extra, include_self=True, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and type(index) in plain and type(source) in plain and type(reduce) is str and type(include_self) is bool:
            return c_indexing.index_reduce(input, dim, index, source, reduce, include_self)
    return resolve(r_index_reduce, (('input', input, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('source', source, MISSING), ('reduce', reduce, MISSING),), extra, (
        ('include_self', include_self, True),
        ('out', out, None),
    ), others)

r_index_reduce.public = index_reduce


r__unsafe_masked_index = Resolver('_unsafe_masked_index', ('_unsafe_masked_index',), False)


def _unsafe_masked_index(*args, **kwargs):
    return r__unsafe_masked_index(args, kwargs)

r__unsafe_masked_index.public = _unsafe_masked_index


r__unsafe_masked_index_put_accumulate = Resolver('_unsafe_masked_index_put_accumulate', ('_unsafe_masked_index_put_accumulate',), False)


def _unsafe_masked_index_put_accumulate(*args, **kwargs):
    return r__unsafe_masked_index_put_accumulate(args, kwargs)

r__unsafe_masked_index_put_accumulate.public = _unsafe_masked_index_put_accumulate


r_embedding = Resolver('embedding', ('embedding',), False)


def embedding(weight=MISSING, indices=MISSING, padding_idx=-1, scale_grad_by_freq=False, sparse=False, *extra, **others):
    if not extra and not others:
        if type(weight) in plain and type(indices) in plain and type(padding_idx) is int and type(scale_grad_by_freq) is bool and type(sparse) is bool:
            return c_indexing.embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse)
    return resolve(r_embedding, (('weight', weight, MISSING), ('indices', indices, MISSING), ('padding_idx', padding_idx, -1), ('scale_grad_by_freq', scale_grad_by_freq, False), ('sparse', sparse, False),), extra, (
    ), others)

r_embedding.public = embedding


r_embedding_renorm_ = Resolver('embedding_renorm_', ('embedding_renorm_',), False)


def embedding_renorm_(input=MISSING, indices=MISSING, max_norm=MISSING, norm_type=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(indices) in plain and type(max_norm) is float and type(norm_type) is float:
            return c_indexing.embedding_renorm_(input, indices, max_norm, norm_type)
    return resolve(r_embedding_renorm_, (('input', input, MISSING), ('indices', indices, MISSING), ('max_norm', max_norm, MISSING), ('norm_type', norm_type, MISSING),), extra, (
    ), others)

r_embedding_renorm_.public = embedding_renorm_


r_segment_reduce = Resolver('segment_reduce', ('segment_reduce',), False)


def segment_reduce(data=MISSING, reduce=MISSING, *extra, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None, **others):
    if not extra and not others:
        if type(data) in plain and type(reduce) is str and (lengths is None or type(lengths) in plain) and (indices is None or type(indices) in plain) and (offsets is None or type(offsets) in plain) and type(axis) is int and type(unsafe) is bool and (initial is None or type(initial) in number_types):
            return c_indexing.segment_reduce(data, reduce, lengths, indices, offsets, axis, unsafe, initial)
    return resolve(r_segment_reduce, (('data', data, MISSING), ('reduce', reduce, MISSING),), extra, (
        ('lengths', lengths, None),
        ('indices', indices, None),
        ('offsets', offsets, None),
        ('axis', axis, 0),
        ('unsafe', unsafe, False),
        ('initial', initial, None),
    ), others)

r_segment_reduce.public = segment_reduce


r_embedding_bag = Resolver('embedding_bag', ('embedding_bag.padding_idx', 'embedding_bag',), False)


def embedding_bag(weight=MISSING, indices=MISSING, offsets=MISSING, scale_grad_by_freq=MISSING, mode=MISSING, sparse=MISSING, per_sample_weights=MISSING, include_last_offset=MISSING, padding_idx=MISSING, *extra, **others):
    if not extra and not others:
        if type(weight) in plain and type(indices) in plain and type(offsets) in plain and type(scale_grad_by_freq) is bool and type(mode) is int and type(sparse) is bool and (per_sample_weights is None or type(per_sample_weights) in plain) and type(include_last_offset) is bool and (padding_idx is None or type(padding_idx) is int):
            return c_indexing.embedding_bag_padding_idx(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)
        if padding_idx is MISSING and type(weight) in plain and type(indices) in plain and type(offsets) in plain and (scale_grad_by_freq is MISSING or type(scale_grad_by_freq) is bool) and (mode is MISSING or type(mode) is int) and (sparse is MISSING or type(sparse) is bool) and (per_sample_weights is MISSING or (per_sample_weights is None or type(per_sample_weights) in plain)) and (include_last_offset is MISSING or type(include_last_offset) is bool):
            return c_indexing.embedding_bag(weight, indices, offsets, (False if scale_grad_by_freq is MISSING else scale_grad_by_freq), (0 if mode is MISSING else mode), (False if sparse is MISSING else sparse), (None if per_sample_weights is MISSING else per_sample_weights), (False if include_last_offset is MISSING else include_last_offset))
    return resolve(r_embedding_bag, (('weight', weight, MISSING), ('indices', indices, MISSING), ('offsets', offsets, MISSING), ('scale_grad_by_freq', scale_grad_by_freq, MISSING), ('mode', mode, MISSING), ('sparse', sparse, MISSING), ('per_sample_weights', per_sample_weights, MISSING), ('include_last_offset', include_last_offset, MISSING), ('padding_idx', padding_idx, MISSING),), extra, (
    ), others)

r_embedding_bag.public = embedding_bag


r_cat = Resolver('cat', ('cat|cat.out',), False)


def cat(tensors=MISSING, dim=0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))) and type(dim) is int:
            return c_joining.cat(tensors, dim)
    return resolve(r_cat, (('tensors', tensors, MISSING), ('dim', dim, 0),), extra, (
        ('out', out, None),
    ), others)

r_cat.public = cat


r_concat = Resolver('concat', ('concat|concat.out',), False)


def concat(tensors=MISSING, dim=0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))) and type(dim) is int:
            return c_joining.concat(tensors, dim)
    return resolve(r_concat, (('tensors', tensors, MISSING), ('dim', dim, 0),), extra, (
        ('out', out, None),
    ), others)

r_concat.public = concat


r_concatenate = Resolver('concatenate', ('concatenate|concatenate.out',), False)


def concatenate(tensors=MISSING, dim=0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))) and type(dim) is int:
            return c_joining.concatenate(tensors, dim)
    return resolve(r_concatenate, (('tensors', tensors, MISSING), ('dim', dim, 0),), extra, (
        ('out', out, None),
    ), others)

r_concatenate.public = concatenate


r_block_diag = Resolver('block_diag', ('block_diag',), False)


def block_diag(tensors=MISSING, *extra, **others):
    if not extra and not others:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))):
            return c_joining.block_diag(tensors)
    return resolve(r_block_diag, (('tensors', tensors, MISSING),), extra, (
    ), others)

r_block_diag.public = block_diag


r_row_stack = Resolver('row_stack', ('row_stack|row_stack.out',), False)


def row_stack(tensors=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))):
            return c_joining.row_stack(tensors)
    return resolve(r_row_stack, (('tensors', tensors, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_row_stack.public = row_stack


r_stack = Resolver('stack', ('stack|stack.out',), False)


def stack(tensors=MISSING, dim=0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))) and type(dim) is int:
            return c_joining.stack(tensors, dim)
    return resolve(r_stack, (('tensors', tensors, MISSING), ('dim', dim, 0),), extra, (
        ('out', out, None),
    ), others)

r_stack.public = stack


r__stack = Resolver('_stack', ('_stack|_stack.out',), False)


def _stack(tensors=MISSING, dim=0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))) and type(dim) is int:
            return c_joining._stack(tensors, dim)
    return resolve(r__stack, (('tensors', tensors, MISSING), ('dim', dim, 0),), extra, (
        ('out', out, None),
    ), others)

r__stack.public = _stack


r_hstack = Resolver('hstack', ('hstack|hstack.out',), False)


def hstack(tensors=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))):
            return c_joining.hstack(tensors)
    return resolve(r_hstack, (('tensors', tensors, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_hstack.public = hstack


r_vstack = Resolver('vstack', ('vstack|vstack.out',), False)


def vstack(tensors=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))):
            return c_joining.vstack(tensors)
    return resolve(r_vstack, (('tensors', tensors, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_vstack.public = vstack


r_dstack = Resolver('dstack', ('dstack|dstack.out',), False)


def dstack(tensors=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))):
            return c_joining.dstack(tensors)
    return resolve(r_dstack, (('tensors', tensors, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_dstack.public = dstack


r_column_stack = Resolver('column_stack', ('column_stack|column_stack.out',), False)


def column_stack(tensors=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))):
            return c_joining.column_stack(tensors)
    return resolve(r_column_stack, (('tensors', tensors, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_column_stack.public = column_stack


r__chunk_cat = Resolver('_chunk_cat', ('_chunk_cat|_chunk_cat.out',), False)


def _chunk_cat(tensors=MISSING, dim=MISSING, num_chunks=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))) and type(dim) is int and type(num_chunks) is int:
            return c_joining._chunk_cat(tensors, dim, num_chunks)
    return resolve(r__chunk_cat, (('tensors', tensors, MISSING), ('dim', dim, MISSING), ('num_chunks', num_chunks, MISSING),), extra, (
        ('out', out, None),
    ), others)

r__chunk_cat.public = _chunk_cat


r_constant_pad_nd = Resolver('constant_pad_nd', ('constant_pad_nd|constant_pad_nd.out',), False)


def constant_pad_nd(input=MISSING, pad=MISSING, value=0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (pad_ := int_list(pad)) is not None and type(value) in number_types:
            return c_joining.constant_pad_nd(input, pad_, value)
    return resolve(r_constant_pad_nd, (('input', input, MISSING), ('pad', pad, MISSING), ('value', value, 0),), extra, (
        ('out', out, None),
    ), others)

r_constant_pad_nd.public = constant_pad_nd


r_cholesky_inverse = Resolver('cholesky_inverse', ('cholesky_inverse|cholesky_inverse.out',), False)


def cholesky_inverse(input=MISSING, upper=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(upper) is bool:
            return c_linalg.cholesky_inverse(input, upper)
    return resolve(r_cholesky_inverse, (('input', input, MISSING), ('upper', upper, False),), extra, (
        ('out', out, None),
    ), others)

r_cholesky_inverse.public = cholesky_inverse


r__cholesky_solve_helper = Resolver('_cholesky_solve_helper', ('_cholesky_solve_helper',), False)


def _cholesky_solve_helper(input=MISSING, A=MISSING, upper=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(A) in plain and type(upper) is bool:
            return c_linalg._cholesky_solve_helper(input, A, upper)
    return resolve(r__cholesky_solve_helper, (('input', input, MISSING), ('A', A, MISSING), ('upper', upper, MISSING),), extra, (
    ), others)

r__cholesky_solve_helper.public = _cholesky_solve_helper


r_lu_unpack = Resolver('lu_unpack', ('lu_unpack|lu_unpack.out',), False)


def lu_unpack(LU_data=MISSING, LU_pivots=MISSING, unpack_data=True, unpack_pivots=True, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(LU_data) in plain and type(LU_pivots) in plain and type(unpack_data) is bool and type(unpack_pivots) is bool:
            return named_result('lu_unpack', ('P', 'L', 'U'))(c_linalg.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots))
    return resolve(r_lu_unpack, (('LU_data', LU_data, MISSING), ('LU_pivots', LU_pivots, MISSING), ('unpack_data', unpack_data, True), ('unpack_pivots', unpack_pivots, True),), extra, (
        ('out', out, None),
    ), others)

r_lu_unpack.public = lu_unpack


r_geqrf = Resolver('geqrf', ('geqrf|geqrf.a',), False)


def geqrf(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return named_result('geqrf', ('a', 'tau'))(c_linalg.geqrf(input))
    return resolve(r_geqrf, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_geqrf.public = geqrf


r_ormqr = Resolver('ormqr', ('ormqr|ormqr.out',), False)


def ormqr(input=MISSING, input2=MISSING, input3=MISSING, left=True, transpose=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(input2) in plain and type(input3) in plain and type(left) is bool and type(transpose) is bool:
            return c_linalg.ormqr(input, input2, input3, left, transpose)
    return resolve(r_ormqr, (('input', input, MISSING), ('input2', input2, MISSING), ('input3', input3, MISSING), ('left', left, True), ('transpose', transpose, False),), extra, (
        ('out', out, None),
    ), others)

r_ormqr.public = ormqr


r__linalg_solve_ex = Resolver('_linalg_solve_ex', ('_linalg_solve_ex|_linalg_solve_ex.result',), False)


def _linalg_solve_ex(A=MISSING, B=MISSING, *extra, left=True, check_errors=False, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain and type(B) in plain and type(left) is bool and type(check_errors) is bool:
            return named_result('_linalg_solve_ex', ('result', 'LU', 'pivots', 'info'))(c_linalg._linalg_solve_ex(A, B, left, check_errors))
    return resolve(r__linalg_solve_ex, (('A', A, MISSING), ('B', B, MISSING),), extra, (
        ('left', left, True),
        ('check_errors', check_errors, False),
        ('out', out, None),
    ), others)

r__linalg_solve_ex.public = _linalg_solve_ex


r_triangular_solve = Resolver('triangular_solve', ('triangular_solve|triangular_solve.X',), False)


def triangular_solve(input=MISSING, A=MISSING, upper=True, transpose=False, unitriangular=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(A) in plain and type(upper) is bool and type(transpose) is bool and type(unitriangular) is bool:
            return named_result('triangular_solve', ('solution', 'cloned_coefficient'))(c_linalg.triangular_solve(input, A, upper, transpose, unitriangular))
    return resolve(r_triangular_solve, (('input', input, MISSING), ('A', A, MISSING), ('upper', upper, True), ('transpose', transpose, False), ('unitriangular', unitriangular, False),), extra, (
        ('out', out, None),
    ), others)

r_triangular_solve.public = triangular_solve


r__linalg_svd = Resolver('_linalg_svd', ('_linalg_svd|_linalg_svd.U',), False)


def _linalg_svd(A=MISSING, full_matrices=False, compute_uv=True, *extra, driver=None, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain and type(full_matrices) is bool and type(compute_uv) is bool and (driver is None or type(driver) is str):
            return named_result('_linalg_svd', ('U', 'S', 'Vh'))(c_linalg._linalg_svd(A, full_matrices, compute_uv, driver))
    return resolve(r__linalg_svd, (('A', A, MISSING), ('full_matrices', full_matrices, False), ('compute_uv', compute_uv, True),), extra, (
        ('driver', driver, None),
        ('out', out, None),
    ), others)

r__linalg_svd.public = _linalg_svd


r__linalg_eigh = Resolver('_linalg_eigh', ('_linalg_eigh|_linalg_eigh.eigenvalues',), False)


def _linalg_eigh(A=MISSING, UPLO='L', compute_v=True, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain and type(UPLO) is str and type(compute_v) is bool:
            return named_result('_linalg_eigh', ('eigenvalues', 'eigenvectors'))(c_linalg._linalg_eigh(A, UPLO, compute_v))
    return resolve(r__linalg_eigh, (('A', A, MISSING), ('UPLO', UPLO, 'L'), ('compute_v', compute_v, True),), extra, (
        ('out', out, None),
    ), others)

r__linalg_eigh.public = _linalg_eigh


r__linalg_eigvals = Resolver('_linalg_eigvals', ('_linalg_eigvals',), False)


def _linalg_eigvals(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_linalg._linalg_eigvals(input)
    return resolve(r__linalg_eigvals, (('input', input, MISSING),), extra, (
    ), others)

r__linalg_eigvals.public = _linalg_eigvals


r__linalg_det = Resolver('_linalg_det', ('_linalg_det|_linalg_det.result',), False)


def _linalg_det(A=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain:
            return named_result('_linalg_det', ('result', 'LU', 'pivots'))(c_linalg._linalg_det(A))
    return resolve(r__linalg_det, (('A', A, MISSING),), extra, (
        ('out', out, None),
    ), others)

r__linalg_det.public = _linalg_det


r__linalg_slogdet = Resolver('_linalg_slogdet', ('_linalg_slogdet|_linalg_slogdet.sign',), False)


def _linalg_slogdet(A=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain:
            return named_result('_linalg_slogdet', ('sign', 'logabsdet', 'LU', 'pivots'))(c_linalg._linalg_slogdet(A))
    return resolve(r__linalg_slogdet, (('A', A, MISSING),), extra, (
        ('out', out, None),
    ), others)

r__linalg_slogdet.public = _linalg_slogdet


r_cholesky = Resolver('cholesky', ('cholesky|cholesky.out',), False)


def cholesky(input=MISSING, upper=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(upper) is bool:
            return c_linalg.cholesky(input, upper)
    return resolve(r_cholesky, (('input', input, MISSING), ('upper', upper, False),), extra, (
        ('out', out, None),
    ), others)

r_cholesky.public = cholesky


r_cholesky_solve = Resolver('cholesky_solve', ('cholesky_solve|cholesky_solve.out',), False)


def cholesky_solve(input=MISSING, input2=MISSING, upper=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(input2) in plain and type(upper) is bool:
            return c_linalg.cholesky_solve(input, input2, upper)
    return resolve(r_cholesky_solve, (('input', input, MISSING), ('input2', input2, MISSING), ('upper', upper, False),), extra, (
        ('out', out, None),
    ), others)

r_cholesky_solve.public = cholesky_solve


r__lu_with_info = Resolver('_lu_with_info', ('_lu_with_info',), False)


def _lu_with_info(input=MISSING, pivot=True, check_errors=True, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(pivot) is bool and type(check_errors) is bool:
            return named_result('_lu_with_info', ('LU', 'pivots', 'info'))(c_linalg._lu_with_info(input, pivot, check_errors))
    return resolve(r__lu_with_info, (('input', input, MISSING), ('pivot', pivot, True), ('check_errors', check_errors, True),), extra, (
    ), others)

r__lu_with_info.public = _lu_with_info


r_lu_solve = Resolver('lu_solve', ('lu_solve|lu_solve.out',), False)


def lu_solve(input=MISSING, LU_data=MISSING, LU_pivots=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(LU_data) in plain and type(LU_pivots) in plain:
            return c_linalg.lu_solve(input, LU_data, LU_pivots)
    return resolve(r_lu_solve, (('input', input, MISSING), ('LU_data', LU_data, MISSING), ('LU_pivots', LU_pivots, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_lu_solve.public = lu_solve


r_orgqr = Resolver('orgqr', ('orgqr|orgqr.out',), False)


def orgqr(input=MISSING, input2=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(input2) in plain:
            return c_linalg.orgqr(input, input2)
    return resolve(r_orgqr, (('input', input, MISSING), ('input2', input2, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_orgqr.public = orgqr


r_qr = Resolver('qr', ('qr|qr.Q',), False)


def qr(input=MISSING, some=True, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(some) is bool:
            return named_result('qr', ('Q', 'R'))(c_linalg.qr(input, some))
    return resolve(r_qr, (('input', input, MISSING), ('some', some, True),), extra, (
        ('out', out, None),
    ), others)

r_qr.public = qr


r_inverse = Resolver('inverse', ('inverse|inverse.out',), False)


def inverse(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_linalg.inverse(input)
    return resolve(r_inverse, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_inverse.public = inverse


r_svd = Resolver('svd', ('svd|svd.U',), False)


def svd(input=MISSING, some=True, compute_uv=True, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(some) is bool and type(compute_uv) is bool:
            return named_result('svd', ('U', 'S', 'V'))(c_linalg.svd(input, some, compute_uv))
    return resolve(r_svd, (('input', input, MISSING), ('some', some, True), ('compute_uv', compute_uv, True),), extra, (
        ('out', out, None),
    ), others)

r_svd.public = svd


r_det = Resolver('det', ('det',), False)


def det(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_linalg.det(input)
    return resolve(r_det, (('input', input, MISSING),), extra, (
    ), others)

r_det.public = det


r_slogdet = Resolver('slogdet', ('slogdet|slogdet.out',), False)


def slogdet(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return named_result('slogdet', ('sign', 'logabsdet'))(c_linalg.slogdet(input))
    return resolve(r_slogdet, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_slogdet.public = slogdet


r_logdet = Resolver('logdet', ('logdet',), False)


def logdet(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_linalg.logdet(input)
    return resolve(r_logdet, (('input', input, MISSING),), extra, (
    ), others)

r_logdet.public = logdet


r_pinverse = Resolver('pinverse', ('pinverse',), False)


def pinverse(input=MISSING, rcond=1e-15, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(rcond) is float:
            return c_linalg.pinverse(input, rcond)
    return resolve(r_pinverse, (('input', input, MISSING), ('rcond', rcond, 1e-15),), extra, (
    ), others)

r_pinverse.public = pinverse


r_vander = Resolver('vander', ('vander',), False)


def vander(x=MISSING, N=None, increasing=False, *extra, **others):
    if not extra and not others:
        if type(x) in plain and (N is None or type(N) is int) and type(increasing) is bool:
            return c_linalg.vander(x, N, increasing)
    return resolve(r_vander, (('x', x, MISSING), ('N', N, None), ('increasing', increasing, False),), extra, (
    ), others)

r_vander.public = vander


r_matrix_exp = Resolver('matrix_exp', ('matrix_exp',), False)


def matrix_exp(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_linalg.matrix_exp(input)
    return resolve(r_matrix_exp, (('input', input, MISSING),), extra, (
    ), others)

r_matrix_exp.public = matrix_exp


r_cross = Resolver('cross', ('cross|cross.out',), False)


def cross(input=MISSING, other=MISSING, dim=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain and (dim is None or type(dim) is int):
            return c_linalg.cross(input, other, dim)
    return resolve(r_cross, (('input', input, MISSING), ('other', other, MISSING), ('dim', dim, None),), extra, (
        ('out', out, None),
    ), others)

r_cross.public = cross


r__linalg_check_errors = Resolver('_linalg_check_errors', ('_linalg_check_errors',), False)


def _linalg_check_errors(info=MISSING, api_name=MISSING, *extra, is_matrix=MISSING, **others):
    if not extra and not others:
        if type(info) in plain and type(api_name) is str and type(is_matrix) is bool:
            return c_linalg._linalg_check_errors(info, api_name, is_matrix)
    return resolve(r__linalg_check_errors, (('info', info, MISSING), ('api_name', api_name, MISSING),), extra, (
        ('is_matrix', is_matrix, MISSING),
    ), others)

r__linalg_check_errors.public = _linalg_check_errors


r_binary_cross_entropy_with_logits = Resolver('binary_cross_entropy_with_logits', ('binary_cross_entropy_with_logits',), False)


def binary_cross_entropy_with_logits(input=MISSING, target=MISSING, weight=None, pos_weight=None, reduction=constants.Mean, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(target) in plain and (weight is None or type(weight) in plain) and (pos_weight is None or type(pos_weight) in plain) and type(reduction) is int:
            return c_losses.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)
    return resolve(r_binary_cross_entropy_with_logits, (('input', input, MISSING), ('target', target, MISSING), ('weight', weight, None), ('pos_weight', pos_weight, None), ('reduction', reduction, constants.Mean),), extra, (
    ), others)

r_binary_cross_entropy_with_logits.public = binary_cross_entropy_with_logits


r_cosine_embedding_loss = Resolver('cosine_embedding_loss', ('cosine_embedding_loss',), False)


def cosine_embedding_loss(input1=MISSING, input2=MISSING, target=MISSING, margin=0.0, reduction=constants.Mean, *extra, **others):
    if not extra and not others:
        if type(input1) in plain and type(input2) in plain and type(target) in plain and type(margin) is float and type(reduction) is int:
            return c_losses.cosine_embedding_loss(input1, input2, target, margin, reduction)
    return resolve(r_cosine_embedding_loss, (('input1', input1, MISSING), ('input2', input2, MISSING), ('target', target, MISSING), ('margin', margin, 0.0), ('reduction', reduction, constants.Mean),), extra, (
    ), others)

r_cosine_embedding_loss.public = cosine_embedding_loss


r_hinge_embedding_loss = Resolver('hinge_embedding_loss', ('hinge_embedding_loss',), False)


def hinge_embedding_loss(input=MISSING, target=MISSING, margin=1.0, reduction=constants.Mean, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(target) in plain and type(margin) is float and type(reduction) is int:
            return c_losses.hinge_embedding_loss(input, target, margin, reduction)
    return resolve(r_hinge_embedding_loss, (('input', input, MISSING), ('target', target, MISSING), ('margin', margin, 1.0), ('reduction', reduction, constants.Mean),), extra, (
    ), others)

r_hinge_embedding_loss.public = hinge_embedding_loss


r_kl_div = Resolver('kl_div', ('kl_div',), False)


def kl_div(input=MISSING, target=MISSING, reduction=constants.Mean, *extra, log_target=False, **others):
    if not extra and not others:
        if type(input) in plain and type(target) in plain and type(reduction) is int and type(log_target) is bool:
            return c_losses.kl_div(input, target, reduction, log_target)
    return resolve(r_kl_div, (('input', input, MISSING), ('target', target, MISSING), ('reduction', reduction, constants.Mean),), extra, (
        ('log_target', log_target, False),
    ), others)

r_kl_div.public = kl_div


r_margin_ranking_loss = Resolver('margin_ranking_loss', ('margin_ranking_loss',), False)


def margin_ranking_loss(input1=MISSING, input2=MISSING, target=MISSING, margin=0.0, reduction=constants.Mean, *extra, **others):
    if not extra and not others:
        if type(input1) in plain and type(input2) in plain and type(target) in plain and type(margin) is float and type(reduction) is int:
            return c_losses.margin_ranking_loss(input1, input2, target, margin, reduction)
    return resolve(r_margin_ranking_loss, (('input1', input1, MISSING), ('input2', input2, MISSING), ('target', target, MISSING), ('margin', margin, 0.0), ('reduction', reduction, constants.Mean),), extra, (
    ), others)

r_margin_ranking_loss.public = margin_ranking_loss


r_poisson_nll_loss = Resolver('poisson_nll_loss', ('poisson_nll_loss',), False)


def poisson_nll_loss(input=MISSING, target=MISSING, log_input=MISSING, full=MISSING, eps=MISSING, reduction=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(target) in plain and type(log_input) is bool and type(full) is bool and type(eps) is float and type(reduction) is int:
            return c_losses.poisson_nll_loss(input, target, log_input, full, eps, reduction)
    return resolve(r_poisson_nll_loss, (('input', input, MISSING), ('target', target, MISSING), ('log_input', log_input, MISSING), ('full', full, MISSING), ('eps', eps, MISSING), ('reduction', reduction, MISSING),), extra, (
    ), others)

r_poisson_nll_loss.public = poisson_nll_loss


r_triplet_margin_loss = Resolver('triplet_margin_loss', ('triplet_margin_loss',), False)


def triplet_margin_loss(anchor=MISSING, positive=MISSING, negative=MISSING, margin=1.0, p=2.0, eps=1e-06, swap=False, reduction=constants.Mean, *extra, **others):
    if not extra and not others:
        if type(anchor) in plain and type(positive) in plain and type(negative) in plain and type(margin) is float and type(p) is float and type(eps) is float and type(swap) is bool and type(reduction) is int:
            return c_losses.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction)
    return resolve(r_triplet_margin_loss, (('anchor', anchor, MISSING), ('positive', positive, MISSING), ('negative', negative, MISSING), ('margin', margin, 1.0), ('p', p, 2.0), ('eps', eps, 1e-06), ('swap', swap, False), ('reduction', reduction, constants.Mean),), extra, (
    ), others)

r_triplet_margin_loss.public = triplet_margin_loss


r_ctc_loss = Resolver('ctc_loss', ('ctc_loss.IntList', 'ctc_loss.Tensor',), False)


def ctc_loss(log_probs=MISSING, targets=MISSING, input_lengths=MISSING, target_lengths=MISSING, blank=0, reduction=constants.Mean, zero_infinity=False, *extra, **others):
    if not extra and not others:
        if type(log_probs) in plain and type(targets) in plain and (input_lengths_ := int_list(input_lengths)) is not None and (target_lengths_ := int_list(target_lengths)) is not None and type(blank) is int and type(reduction) is int and type(zero_infinity) is bool:
            return c_losses.ctc_loss_IntList(log_probs, targets, input_lengths_, target_lengths_, blank, reduction, zero_infinity)
        if type(log_probs) in plain and type(targets) in plain and type(input_lengths) in plain and type(target_lengths) in plain and type(blank) is int and type(reduction) is int and type(zero_infinity) is bool:
            return c_losses.ctc_loss_Tensor(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)
    return resolve(r_ctc_loss, (('log_probs', log_probs, MISSING), ('targets', targets, MISSING), ('input_lengths', input_lengths, MISSING), ('target_lengths', target_lengths, MISSING), ('blank', blank, 0), ('reduction', reduction, constants.Mean), ('zero_infinity', zero_infinity, False),), extra, (
    ), others)

r_ctc_loss.public = ctc_loss


r__ctc_loss = Resolver('_ctc_loss', ('_ctc_loss', '_ctc_loss.Tensor',), False)


def _ctc_loss(log_probs=MISSING, targets=MISSING, input_lengths=MISSING, target_lengths=MISSING, blank=0, zero_infinity=False, *extra, **others):
    if not extra and not others:
        if type(log_probs) in plain and type(targets) in plain and (input_lengths_ := int_list(input_lengths)) is not None and (target_lengths_ := int_list(target_lengths)) is not None and type(blank) is int and type(zero_infinity) is bool:
            return c_losses._ctc_loss(log_probs, targets, input_lengths_, target_lengths_, blank, zero_infinity)
        if type(log_probs) in plain and type(targets) in plain and type(input_lengths) in plain and type(target_lengths) in plain and type(blank) is int and type(zero_infinity) is bool:
            return c_losses._ctc_loss_Tensor(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)
    return resolve(r__ctc_loss, (('log_probs', log_probs, MISSING), ('targets', targets, MISSING), ('input_lengths', input_lengths, MISSING), ('target_lengths', target_lengths, MISSING), ('blank', blank, 0), ('zero_infinity', zero_infinity, False),), extra, (
    ), others)

r__ctc_loss.public = _ctc_loss


r_mm = Resolver('mm', ('mm|mm.out', 'mm.dtype|mm.dtype_out',), False)


def mm(input=MISSING, mat2=MISSING, out_dtype=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if out_dtype is MISSING and type(input) in plain and type(mat2) in plain:
            return c_matrix.mm(input, mat2)
        if type(input) in plain and type(mat2) in plain and type(out_dtype) is Dtype:
            return c_matrix.mm_dtype(input, mat2, out_dtype)
    return resolve(r_mm, (('input', input, MISSING), ('mat2', mat2, MISSING), ('out_dtype', out_dtype, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_mm.public = mm


r_bmm = Resolver('bmm', ('bmm|bmm.out', 'bmm.dtype|bmm.dtype_out',), False)


def bmm(input=MISSING, mat2=MISSING, out_dtype=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if out_dtype is MISSING and type(input) in plain and type(mat2) in plain:
            return c_matrix.bmm(input, mat2)
        if type(input) in plain and type(mat2) in plain and type(out_dtype) is Dtype:
            return c_matrix.bmm_dtype(input, mat2, out_dtype)
    return resolve(r_bmm, (('input', input, MISSING), ('mat2', mat2, MISSING), ('out_dtype', out_dtype, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_bmm.public = bmm


r_addmm = Resolver('addmm', ('addmm|addmm.out', 'addmm.dtype|addmm.dtype_out', '-addmm|addmm.out(beta,self,alpha,mat1,mat2)', '-addmm|addmm.out(beta,self,mat1,mat2)',), False)


def addmm(input=MISSING, mat1=MISSING, mat2=MISSING, out_dtype=MISSING, *extra, beta=1, alpha=1, out=None, **others):
    if not extra and not others and out is None:
        if out_dtype is MISSING and type(input) in plain and type(mat1) in plain and type(mat2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.addmm(input, mat1, mat2, beta, alpha)
        if type(input) in plain and type(mat1) in plain and type(mat2) in plain and type(out_dtype) is Dtype and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.addmm_dtype(input, mat1, mat2, out_dtype, beta, alpha)
    return resolve(r_addmm, (('input', input, MISSING), ('mat1', mat1, MISSING), ('mat2', mat2, MISSING), ('out_dtype', out_dtype, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
        ('out', out, None),
    ), others)

r_addmm.public = addmm


r_baddbmm = Resolver('baddbmm', ('baddbmm|baddbmm.out', 'baddbmm.dtype|baddbmm.dtype_out', '-baddbmm|baddbmm.out(beta,self,alpha,batch1,batch2)', '-baddbmm|baddbmm.out(beta,self,batch1,batch2)',), False)


def baddbmm(input=MISSING, batch1=MISSING, batch2=MISSING, out_dtype=MISSING, *extra, beta=1, alpha=1, out=None, **others):
    if not extra and not others and out is None:
        if out_dtype is MISSING and type(input) in plain and type(batch1) in plain and type(batch2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.baddbmm(input, batch1, batch2, beta, alpha)
        if type(input) in plain and type(batch1) in plain and type(batch2) in plain and type(out_dtype) is Dtype and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.baddbmm_dtype(input, batch1, batch2, out_dtype, beta, alpha)
    return resolve(r_baddbmm, (('input', input, MISSING), ('batch1', batch1, MISSING), ('batch2', batch2, MISSING), ('out_dtype', out_dtype, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
        ('out', out, None),
    ), others)

r_baddbmm.public = baddbmm


r_addbmm = Resolver('addbmm', ('addbmm|addbmm.out', '-addbmm|addbmm.out(beta,self,alpha,batch1,batch2)', '-addbmm|addbmm.out(beta,self,batch1,batch2)',), False)


def addbmm(input=MISSING, batch1=MISSING, batch2=MISSING, *extra, beta=1, alpha=1, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(batch1) in plain and type(batch2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.addbmm(input, batch1, batch2, beta, alpha)
    return resolve(r_addbmm, (('input', input, MISSING), ('batch1', batch1, MISSING), ('batch2', batch2, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
        ('out', out, None),
    ), others)

r_addbmm.public = addbmm


r_mv = Resolver('mv', ('mv|mv.out',), False)


def mv(input=MISSING, vec=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(vec) in plain:
            return c_matrix.mv(input, vec)
    return resolve(r_mv, (('input', input, MISSING), ('vec', vec, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_mv.public = mv


r_addmv = Resolver('addmv', ('addmv|addmv.out', '-addmv|addmv.out(beta,self,alpha,mat,vec)', '-addmv|addmv.out(beta,self,mat,vec)',), False)


def addmv(input=MISSING, mat=MISSING, vec=MISSING, *extra, beta=1, alpha=1, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(mat) in plain and type(vec) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.addmv(input, mat, vec, beta, alpha)
    return resolve(r_addmv, (('input', input, MISSING), ('mat', mat, MISSING), ('vec', vec, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
        ('out', out, None),
    ), others)

r_addmv.public = addmv


r_dot = Resolver('dot', ('dot|dot.out',), False)


def dot(input=MISSING, tensor=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(tensor) in plain:
            return c_matrix.dot(input, tensor)
    return resolve(r_dot, (('input', input, MISSING), ('tensor', tensor, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_dot.public = dot


r_vdot = Resolver('vdot', ('vdot|vdot.out',), False)


def vdot(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_matrix.vdot(input, other)
    return resolve(r_vdot, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_vdot.public = vdot


r_outer = Resolver('outer', ('outer|outer.out',), False)


def outer(input=MISSING, vec2=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(vec2) in plain:
            return c_matrix.outer(input, vec2)
    return resolve(r_outer, (('input', input, MISSING), ('vec2', vec2, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_outer.public = outer


r_ger = Resolver('ger', ('ger|ger.out',), False)


def ger(input=MISSING, vec2=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(vec2) in plain:
            return c_matrix.ger(input, vec2)
    return resolve(r_ger, (('input', input, MISSING), ('vec2', vec2, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_ger.public = ger


r_addr = Resolver('addr', ('addr|addr.out', '-addr|addr.out(beta,self,alpha,vec1,vec2)', '-addr|addr.out(beta,self,vec1,vec2)',), False)


def addr(input=MISSING, vec1=MISSING, vec2=MISSING, *extra, beta=1, alpha=1, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(vec1) in plain and type(vec2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_matrix.addr(input, vec1, vec2, beta, alpha)
    return resolve(r_addr, (('input', input, MISSING), ('vec1', vec1, MISSING), ('vec2', vec2, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
        ('out', out, None),
    ), others)

r_addr.public = addr


r_matmul = Resolver('matmul', ('matmul|matmul.out',), False)


def matmul(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_matrix.matmul(input, other)
    return resolve(r_matmul, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_matmul.public = matmul


r_bilinear = Resolver('bilinear', ('bilinear',), False)


def bilinear(input1=MISSING, input2=MISSING, weight=MISSING, bias=None, *extra, **others):
    if not extra and not others:
        if type(input1) in plain and type(input2) in plain and type(weight) in plain and (bias is None or type(bias) in plain):
            return c_matrix.bilinear(input1, input2, weight, bias)
    return resolve(r_bilinear, (('input1', input1, MISSING), ('input2', input2, MISSING), ('weight', weight, MISSING), ('bias', bias, None),), extra, (
    ), others)

r_bilinear.public = bilinear


r_inner = Resolver('inner', ('inner|inner.out',), False)


def inner(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_matrix.inner(input, other)
    return resolve(r_inner, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_inner.public = inner


r_tensordot = Resolver('tensordot', ('tensordot|tensordot.out',), False)


def tensordot(input=MISSING, other=MISSING, dims_self=MISSING, dims_other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain and (dims_self_ := int_list(dims_self)) is not None and (dims_other_ := int_list(dims_other)) is not None:
            return c_matrix.tensordot(input, other, dims_self_, dims_other_)
    return resolve(r_tensordot, (('input', input, MISSING), ('other', other, MISSING), ('dims_self', dims_self, MISSING), ('dims_other', dims_other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_tensordot.public = tensordot


r_einsum = Resolver('einsum', ('einsum',), False)


def einsum(equation=MISSING, tensors=MISSING, *extra, path=None, **others):
    if not extra and not others:
        if plain and type(equation) is str and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))) and (path is None or (path_ := int_list(path)) is not None):
            return c_matrix.einsum(equation, tensors, (path if path is None else path_))
    return resolve(r_einsum, (('equation', equation, MISSING), ('tensors', tensors, MISSING),), extra, (
        ('path', path, None),
    ), others)

r_einsum.public = einsum


r_kron = Resolver('kron', ('kron|kron.out',), False)


def kron(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_matrix.kron(input, other)
    return resolve(r_kron, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_kron.public = kron


r_chain_matmul = Resolver('chain_matmul', ('chain_matmul|chain_matmul.out',), False)


def chain_matmul(matrices=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if plain and (type(matrices) in sequence_types and plain.issuperset(map(type, matrices))):
            return c_matrix.chain_matmul(matrices)
    return resolve(r_chain_matmul, (('matrices', matrices, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_chain_matmul.public = chain_matmul


r_matrix_power = Resolver('matrix_power', ('matrix_power|matrix_power.out',), False)


def matrix_power(input=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(n) is int:
            return c_matrix.matrix_power(input, n)
    return resolve(r_matrix_power, (('input', input, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_matrix_power.public = matrix_power


r__matmul_batched = Resolver('_matmul_batched', ('_matmul_batched',), False)


def _matmul_batched(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_matrix._matmul_batched(input, other)
    return resolve(r__matmul_batched, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r__matmul_batched.public = _matmul_batched


r__linear_planned = Resolver('_linear_planned', ('_linear_planned',), False)


def _linear_planned(input=MISSING, weight=MISSING, bias=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(weight) in plain and (bias is None or type(bias) in plain):
            return c_matrix._linear_planned(input, weight, bias)
    return resolve(r__linear_planned, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, None),), extra, (
    ), others)

r__linear_planned.public = _linear_planned


r_trace = Resolver('trace', ('trace|trace.out',), False)


def trace(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_matrix.trace(input)
    return resolve(r_trace, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_trace.public = trace


r__scaled_mm = Resolver('_scaled_mm', ('_scaled_mm|_scaled_mm.out',), False)


def _scaled_mm(input=MISSING, mat2=MISSING, scale_a=MISSING, scale_b=MISSING, bias=None, scale_result=None, out_dtype=None, use_fast_accum=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(mat2) in plain and type(scale_a) in plain and type(scale_b) in plain and (bias is None or type(bias) in plain) and (scale_result is None or type(scale_result) in plain) and (out_dtype is None or type(out_dtype) is Dtype) and type(use_fast_accum) is bool:
            return c_matrix._scaled_mm(input, mat2, scale_a, scale_b, bias, scale_result, out_dtype, use_fast_accum)
    return resolve(r__scaled_mm, (('input', input, MISSING), ('mat2', mat2, MISSING), ('scale_a', scale_a, MISSING), ('scale_b', scale_b, MISSING), ('bias', bias, None), ('scale_result', scale_result, None), ('out_dtype', out_dtype, None), ('use_fast_accum', use_fast_accum, False),), extra, (
        ('out', out, None),
    ), others)

r__scaled_mm.public = _scaled_mm


r__scaled_mm_v2 = Resolver('_scaled_mm_v2', ('_scaled_mm_v2|_scaled_mm_v2.out',), False)


def _scaled_mm_v2(input=MISSING, mat2=MISSING, scale_a=MISSING, recipe_a=MISSING, swizzle_a=MISSING, scale_b=MISSING, recipe_b=MISSING, swizzle_b=MISSING, bias=MISSING, out_dtype=MISSING, contraction_dim=(), use_fast_accum=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(mat2) in plain and (type(scale_a) in sequence_types and plain.issuperset(map(type, scale_a))) and (recipe_a_ := int_list(recipe_a)) is not None and (swizzle_a_ := int_list(swizzle_a)) is not None and (type(scale_b) in sequence_types and plain.issuperset(map(type, scale_b))) and (recipe_b_ := int_list(recipe_b)) is not None and (swizzle_b_ := int_list(swizzle_b)) is not None and (bias is None or type(bias) in plain) and (out_dtype is None or type(out_dtype) is Dtype) and (contraction_dim_ := int_list(contraction_dim)) is not None and type(use_fast_accum) is bool:
            return c_matrix._scaled_mm_v2(input, mat2, scale_a, recipe_a_, swizzle_a_, scale_b, recipe_b_, swizzle_b_, bias, out_dtype, contraction_dim_, use_fast_accum)
    return resolve(r__scaled_mm_v2, (('input', input, MISSING), ('mat2', mat2, MISSING), ('scale_a', scale_a, MISSING), ('recipe_a', recipe_a, MISSING), ('swizzle_a', swizzle_a, MISSING), ('scale_b', scale_b, MISSING), ('recipe_b', recipe_b, MISSING), ('swizzle_b', swizzle_b, MISSING), ('bias', bias, MISSING), ('out_dtype', out_dtype, MISSING), ('contraction_dim', contraction_dim, ()), ('use_fast_accum', use_fast_accum, False),), extra, (
        ('out', out, None),
    ), others)

r__scaled_mm_v2.public = _scaled_mm_v2


r_abs = Resolver('abs', ('abs|abs.out',), False)


def abs(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.abs(input)
    return resolve(r_abs, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_abs.public = abs


r_abs_ = Resolver('abs_', ('abs_',), False)


def abs_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.abs_(input)
    return resolve(r_abs_, (('input', input, MISSING),), extra, (
    ), others)

r_abs_.public = abs_


r_absolute = Resolver('absolute', ('absolute|absolute.out',), False)


def absolute(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.absolute(input)
    return resolve(r_absolute, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_absolute.public = absolute


r_angle = Resolver('angle', ('angle|angle.out',), False)


def angle(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.angle(input)
    return resolve(r_angle, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_angle.public = angle


r_sgn = Resolver('sgn', ('sgn|sgn.out',), False)


def sgn(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.sgn(input)
    return resolve(r_sgn, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_sgn.public = sgn


r_acos = Resolver('acos', ('acos|acos.out',), False)


def acos(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.acos(input)
    return resolve(r_acos, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_acos.public = acos


r_acos_ = Resolver('acos_', ('acos_',), False)


def acos_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.acos_(input)
    return resolve(r_acos_, (('input', input, MISSING),), extra, (
    ), others)

r_acos_.public = acos_


r_arccos = Resolver('arccos', ('arccos|arccos.out',), False)


def arccos(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.arccos(input)
    return resolve(r_arccos, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_arccos.public = arccos


r_arccos_ = Resolver('arccos_', ('arccos_',), False)


def arccos_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.arccos_(input)
    return resolve(r_arccos_, (('input', input, MISSING),), extra, (
    ), others)

r_arccos_.public = arccos_


r_add = Resolver('add', ('add.Tensor|add.out', '-add.Scalar', '-add.Tensor|add.out(self,alpha,other)',), False, True)


def add(input=MISSING, other=MISSING, *extra, alpha=1, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain and type(alpha) in number_types:
            return c_pointwise.add_Tensor(input, other, alpha)
        if type(input) in plain and type(other) in number_types and type(alpha) in number_types:
            return c_pointwise.add_Scalar(input, other, alpha)
    return resolve(r_add, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('alpha', alpha, 1),
        ('out', out, None),
    ), others)

r_add.public = add


r_acosh = Resolver('acosh', ('acosh|acosh.out',), False)


def acosh(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.acosh(input)
    return resolve(r_acosh, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_acosh.public = acosh


r_acosh_ = Resolver('acosh_', ('acosh_',), False)


def acosh_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.acosh_(input)
    return resolve(r_acosh_, (('input', input, MISSING),), extra, (
    ), others)

r_acosh_.public = acosh_


r_arccosh = Resolver('arccosh', ('arccosh|arccosh.out',), False)


def arccosh(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.arccosh(input)
    return resolve(r_arccosh, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_arccosh.public = arccosh


r_arccosh_ = Resolver('arccosh_', ('arccosh_',), False)


def arccosh_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.arccosh_(input)
    return resolve(r_arccosh_, (('input', input, MISSING),), extra, (
    ), others)

r_arccosh_.public = arccosh_


r_asinh = Resolver('asinh', ('asinh|asinh.out',), False)


def asinh(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.asinh(input)
    return resolve(r_asinh, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_asinh.public = asinh


r_asinh_ = Resolver('asinh_', ('asinh_',), False)


def asinh_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.asinh_(input)
    return resolve(r_asinh_, (('input', input, MISSING),), extra, (
    ), others)

r_asinh_.public = asinh_


r_arcsinh = Resolver('arcsinh', ('arcsinh|arcsinh.out',), False)


def arcsinh(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.arcsinh(input)
    return resolve(r_arcsinh, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_arcsinh.public = arcsinh


r_arcsinh_ = Resolver('arcsinh_', ('arcsinh_',), False)


def arcsinh_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.arcsinh_(input)
    return resolve(r_arcsinh_, (('input', input, MISSING),), extra, (
    ), others)

r_arcsinh_.public = arcsinh_


r_atanh = Resolver('atanh', ('atanh|atanh.out',), False)


def atanh(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.atanh(input)
    return resolve(r_atanh, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_atanh.public = atanh


r_atanh_ = Resolver('atanh_', ('atanh_',), False)


def atanh_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.atanh_(input)
    return resolve(r_atanh_, (('input', input, MISSING),), extra, (
    ), others)

r_atanh_.public = atanh_


r_arctanh = Resolver('arctanh', ('arctanh|arctanh.out',), False)


def arctanh(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.arctanh(input)
    return resolve(r_arctanh, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_arctanh.public = arctanh


r_arctanh_ = Resolver('arctanh_', ('arctanh_',), False)


def arctanh_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.arctanh_(input)
    return resolve(r_arctanh_, (('input', input, MISSING),), extra, (
    ), others)

r_arctanh_.public = arctanh_


r_asin = Resolver('asin', ('asin|asin.out',), False)


def asin(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.asin(input)
    return resolve(r_asin, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_asin.public = asin


r_asin_ = Resolver('asin_', ('asin_',), False)


def asin_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.asin_(input)
    return resolve(r_asin_, (('input', input, MISSING),), extra, (
    ), others)

r_asin_.public = asin_


r_arcsin = Resolver('arcsin', ('arcsin|arcsin.out',), False)


def arcsin(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.arcsin(input)
    return resolve(r_arcsin, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_arcsin.public = arcsin


r_arcsin_ = Resolver('arcsin_', ('arcsin_',), False)


def arcsin_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.arcsin_(input)
    return resolve(r_arcsin_, (('input', input, MISSING),), extra, (
    ), others)

r_arcsin_.public = arcsin_


r_atan = Resolver('atan', ('atan|atan.out',), False)


def atan(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.atan(input)
    return resolve(r_atan, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_atan.public = atan


r_atan_ = Resolver('atan_', ('atan_',), False)


def atan_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.atan_(input)
    return resolve(r_atan_, (('input', input, MISSING),), extra, (
    ), others)

r_atan_.public = atan_


r_arctan = Resolver('arctan', ('arctan|arctan.out',), False)


def arctan(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.arctan(input)
    return resolve(r_arctan, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_arctan.public = arctan


r_arctan_ = Resolver('arctan_', ('arctan_',), False)


def arctan_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.arctan_(input)
    return resolve(r_arctan_, (('input', input, MISSING),), extra, (
    ), others)

r_arctan_.public = arctan_


r_bitwise_not = Resolver('bitwise_not', ('bitwise_not|bitwise_not.out',), False)


def bitwise_not(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.bitwise_not(input)
    return resolve(r_bitwise_not, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_bitwise_not.public = bitwise_not


r_copysign = Resolver('copysign', ('copysign.Tensor|copysign.out', 'copysign.Scalar|copysign.Scalar_out',), False)


def copysign(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.copysign_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.copysign_Scalar(input, other)
    return resolve(r_copysign, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_copysign.public = copysign


r_logical_not = Resolver('logical_not', ('logical_not|logical_not.out',), False)


def logical_not(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.logical_not(input)
    return resolve(r_logical_not, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_logical_not.public = logical_not


r_logical_xor = Resolver('logical_xor', ('logical_xor|logical_xor.out',), False)


def logical_xor(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.logical_xor(input, other)
    return resolve(r_logical_xor, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_logical_xor.public = logical_xor


r_logical_and = Resolver('logical_and', ('logical_and|logical_and.out',), False)


def logical_and(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.logical_and(input, other)
    return resolve(r_logical_and, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_logical_and.public = logical_and


r_logical_or = Resolver('logical_or', ('logical_or|logical_or.out',), False)


def logical_or(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.logical_or(input, other)
    return resolve(r_logical_or, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_logical_or.public = logical_or


r_ceil = Resolver('ceil', ('ceil|ceil.out',), False)


def ceil(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.ceil(input)
    return resolve(r_ceil, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_ceil.public = ceil


r_ceil_ = Resolver('ceil_', ('ceil_',), False)


def ceil_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.ceil_(input)
    return resolve(r_ceil_, (('input', input, MISSING),), extra, (
    ), others)

r_ceil_.public = ceil_


r_clamp = Resolver('clamp', ('clamp.Tensor|clamp.Tensor_out', 'clamp|clamp.out',), False)


def clamp(input=MISSING, min=None, max=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (min is None or type(min) in plain) and (max is None or type(max) in plain):
            return c_pointwise.clamp_Tensor(input, min, max)
        if type(input) in plain and (min is None or type(min) in number_types) and (max is None or type(max) in number_types):
            return c_pointwise.clamp(input, min, max)
    return resolve(r_clamp, (('input', input, MISSING), ('min', min, None), ('max', max, None),), extra, (
        ('out', out, None),
    ), others)

r_clamp.public = clamp


r_clamp_ = Resolver('clamp_', ('clamp_.Tensor', 'clamp_',), False)


def clamp_(input=MISSING, min=None, max=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (min is None or type(min) in plain) and (max is None or type(max) in plain):
            return c_pointwise.clamp__Tensor(input, min, max)
        if type(input) in plain and (min is None or type(min) in number_types) and (max is None or type(max) in number_types):
            return c_pointwise.clamp_(input, min, max)
    return resolve(r_clamp_, (('input', input, MISSING), ('min', min, None), ('max', max, None),), extra, (
    ), others)

r_clamp_.public = clamp_


r_clamp_max = Resolver('clamp_max', ('clamp_max.Tensor|clamp_max.Tensor_out', 'clamp_max|clamp_max.out',), False)


def clamp_max(input=MISSING, max=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(max) in plain:
            return c_pointwise.clamp_max_Tensor(input, max)
        if type(input) in plain and type(max) in number_types:
            return c_pointwise.clamp_max(input, max)
    return resolve(r_clamp_max, (('input', input, MISSING), ('max', max, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_clamp_max.public = clamp_max


r_clamp_max_ = Resolver('clamp_max_', ('clamp_max_.Tensor', 'clamp_max_',), False)


def clamp_max_(input=MISSING, max=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(max) in plain:
            return c_pointwise.clamp_max__Tensor(input, max)
        if type(input) in plain and type(max) in number_types:
            return c_pointwise.clamp_max_(input, max)
    return resolve(r_clamp_max_, (('input', input, MISSING), ('max', max, MISSING),), extra, (
    ), others)

r_clamp_max_.public = clamp_max_


r_clamp_min = Resolver('clamp_min', ('clamp_min.Tensor|clamp_min.Tensor_out', 'clamp_min|clamp_min.out',), False)


def clamp_min(input=MISSING, min=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(min) in plain:
            return c_pointwise.clamp_min_Tensor(input, min)
        if type(input) in plain and type(min) in number_types:
            return c_pointwise.clamp_min(input, min)
    return resolve(r_clamp_min, (('input', input, MISSING), ('min', min, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_clamp_min.public = clamp_min


r_clamp_min_ = Resolver('clamp_min_', ('clamp_min_.Tensor', 'clamp_min_',), False)


def clamp_min_(input=MISSING, min=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(min) in plain:
            return c_pointwise.clamp_min__Tensor(input, min)
        if type(input) in plain and type(min) in number_types:
            return c_pointwise.clamp_min_(input, min)
    return resolve(r_clamp_min_, (('input', input, MISSING), ('min', min, MISSING),), extra, (
    ), others)

r_clamp_min_.public = clamp_min_


r_clip = Resolver('clip', ('clip.Tensor|clip.Tensor_out', 'clip|clip.out',), False)


def clip(input=MISSING, min=None, max=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (min is None or type(min) in plain) and (max is None or type(max) in plain):
            return c_pointwise.clip_Tensor(input, min, max)
        if type(input) in plain and (min is None or type(min) in number_types) and (max is None or type(max) in number_types):
            return c_pointwise.clip(input, min, max)
    return resolve(r_clip, (('input', input, MISSING), ('min', min, None), ('max', max, None),), extra, (
        ('out', out, None),
    ), others)

r_clip.public = clip


r_clip_ = Resolver('clip_', ('clip_.Tensor', 'clip_',), False)


def clip_(input=MISSING, min=None, max=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (min is None or type(min) in plain) and (max is None or type(max) in plain):
            return c_pointwise.clip__Tensor(input, min, max)
        if type(input) in plain and (min is None or type(min) in number_types) and (max is None or type(max) in number_types):
            return c_pointwise.clip_(input, min, max)
    return resolve(r_clip_, (('input', input, MISSING), ('min', min, None), ('max', max, None),), extra, (
    ), others)

r_clip_.public = clip_


r_cos = Resolver('cos', ('cos|cos.out',), False)


def cos(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.cos(input)
    return resolve(r_cos, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_cos.public = cos


r_cos_ = Resolver('cos_', ('cos_',), False)


def cos_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.cos_(input)
    return resolve(r_cos_, (('input', input, MISSING),), extra, (
    ), others)

r_cos_.public = cos_


r_cosh = Resolver('cosh', ('cosh|cosh.out',), False)


def cosh(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.cosh(input)
    return resolve(r_cosh, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_cosh.public = cosh


r_cosh_ = Resolver('cosh_', ('cosh_',), False)


def cosh_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.cosh_(input)
    return resolve(r_cosh_, (('input', input, MISSING),), extra, (
    ), others)

r_cosh_.public = cosh_


r_div = Resolver('div', ('div.Tensor|div.out', 'div.Tensor_mode|div.out_mode', 'div.Scalar_mode', '-div.Scalar',), False, True)


def div(input=MISSING, other=MISSING, *extra, rounding_mode=MISSING, out=None, **others):
    if not extra and not others and out is None:
        if rounding_mode is MISSING and type(input) in plain and type(other) in plain:
            return c_pointwise.div_Tensor(input, other)
        if type(input) in plain and type(other) in plain and (rounding_mode is None or type(rounding_mode) is str):
            return c_pointwise.div_Tensor_mode(input, other, rounding_mode)
        if type(input) in plain and type(other) in number_types and (rounding_mode is None or type(rounding_mode) is str):
            return c_pointwise.div_Scalar_mode(input, other, rounding_mode)
        if rounding_mode is MISSING and type(input) in plain and type(other) in number_types:
            return c_pointwise.div_Scalar(input, other)
    return resolve(r_div, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('rounding_mode', rounding_mode, MISSING),
        ('out', out, None),
    ), others)

r_div.public = div


r_divide = Resolver('divide', ('divide.Tensor|divide.out', 'divide.Tensor_mode|divide.out_mode', 'divide.Scalar', 'divide.Scalar_mode',), False, True)


def divide(input=MISSING, other=MISSING, *extra, rounding_mode=MISSING, out=None, **others):
    if not extra and not others and out is None:
        if rounding_mode is MISSING and type(input) in plain and type(other) in plain:
            return c_pointwise.divide_Tensor(input, other)
        if type(input) in plain and type(other) in plain and (rounding_mode is None or type(rounding_mode) is str):
            return c_pointwise.divide_Tensor_mode(input, other, rounding_mode)
        if rounding_mode is MISSING and type(input) in plain and type(other) in number_types:
            return c_pointwise.divide_Scalar(input, other)
        if type(input) in plain and type(other) in number_types and (rounding_mode is None or type(rounding_mode) is str):
            return c_pointwise.divide_Scalar_mode(input, other, rounding_mode)
    return resolve(r_divide, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('rounding_mode', rounding_mode, MISSING),
        ('out', out, None),
    ), others)

r_divide.public = divide


r_true_divide = Resolver('true_divide', ('true_divide.Tensor|true_divide.out', 'true_divide.Scalar',), False, True)


def true_divide(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.true_divide_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.true_divide_Scalar(input, other)
    return resolve(r_true_divide, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_true_divide.public = true_divide


r_erf = Resolver('erf', ('erf|erf.out',), False)


def erf(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.erf(input)
    return resolve(r_erf, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_erf.public = erf


r_erf_ = Resolver('erf_', ('erf_',), False)


def erf_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.erf_(input)
    return resolve(r_erf_, (('input', input, MISSING),), extra, (
    ), others)

r_erf_.public = erf_


r_erfc = Resolver('erfc', ('erfc|erfc.out',), False)


def erfc(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.erfc(input)
    return resolve(r_erfc, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_erfc.public = erfc


r_erfc_ = Resolver('erfc_', ('erfc_',), False)


def erfc_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.erfc_(input)
    return resolve(r_erfc_, (('input', input, MISSING),), extra, (
    ), others)

r_erfc_.public = erfc_


r_exp = Resolver('exp', ('exp|exp.out',), False)


def exp(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.exp(input)
    return resolve(r_exp, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_exp.public = exp


r_exp_ = Resolver('exp_', ('exp_',), False)


def exp_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.exp_(input)
    return resolve(r_exp_, (('input', input, MISSING),), extra, (
    ), others)

r_exp_.public = exp_


r_exp2 = Resolver('exp2', ('exp2|exp2.out',), False)


def exp2(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.exp2(input)
    return resolve(r_exp2, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_exp2.public = exp2


r_exp2_ = Resolver('exp2_', ('exp2_',), False)


def exp2_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.exp2_(input)
    return resolve(r_exp2_, (('input', input, MISSING),), extra, (
    ), others)

r_exp2_.public = exp2_


r_expm1 = Resolver('expm1', ('expm1|expm1.out',), False)


def expm1(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.expm1(input)
    return resolve(r_expm1, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_expm1.public = expm1


r_expm1_ = Resolver('expm1_', ('expm1_',), False)


def expm1_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.expm1_(input)
    return resolve(r_expm1_, (('input', input, MISSING),), extra, (
    ), others)

r_expm1_.public = expm1_


r_floor = Resolver('floor', ('floor|floor.out',), False)


def floor(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.floor(input)
    return resolve(r_floor, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_floor.public = floor


r_floor_ = Resolver('floor_', ('floor_',), False)


def floor_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.floor_(input)
    return resolve(r_floor_, (('input', input, MISSING),), extra, (
    ), others)

r_floor_.public = floor_


r_floor_divide = Resolver('floor_divide', ('floor_divide|floor_divide.out', 'floor_divide.Scalar',), False, True)


def floor_divide(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.floor_divide(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.floor_divide_Scalar(input, other)
    return resolve(r_floor_divide, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_floor_divide.public = floor_divide


r_frac = Resolver('frac', ('frac|frac.out',), False)


def frac(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.frac(input)
    return resolve(r_frac, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_frac.public = frac


r_frac_ = Resolver('frac_', ('frac_',), False)


def frac_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.frac_(input)
    return resolve(r_frac_, (('input', input, MISSING),), extra, (
    ), others)

r_frac_.public = frac_


r_gcd = Resolver('gcd', ('gcd|gcd.out',), False)


def gcd(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.gcd(input, other)
    return resolve(r_gcd, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_gcd.public = gcd


r_gcd_ = Resolver('gcd_', ('gcd_',), False)


def gcd_(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.gcd_(input, other)
    return resolve(r_gcd_, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_gcd_.public = gcd_


r_lcm = Resolver('lcm', ('lcm|lcm.out',), False)


def lcm(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.lcm(input, other)
    return resolve(r_lcm, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_lcm.public = lcm


r_lcm_ = Resolver('lcm_', ('lcm_',), False)


def lcm_(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.lcm_(input, other)
    return resolve(r_lcm_, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_lcm_.public = lcm_


r_isin = Resolver('isin', ('isin.Tensor_Tensor|isin.Tensor_Tensor_out', 'isin.Scalar_Tensor|isin.Scalar_Tensor_out', 'isin.Tensor_Scalar|isin.Tensor_Scalar_out',), False)


def isin(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and type(args[1]) in plain:
            return c_pointwise.isin_Tensor_Tensor(args[0], args[1], False, False)
        if n == 2 and type(args[0]) in number_types and type(args[1]) in plain:
            return c_pointwise.isin_Scalar_Tensor(args[0], args[1], False, False)
        if n == 2 and type(args[0]) in plain and type(args[1]) in number_types:
            return c_pointwise.isin_Tensor_Scalar(args[0], args[1], False, False)
    return r_isin(args, kwargs)

r_isin.public = isin


r_isnan = Resolver('isnan', ('isnan',), False)


def isnan(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.isnan(input)
    return resolve(r_isnan, (('input', input, MISSING),), extra, (
    ), others)

r_isnan.public = isnan


r_isreal = Resolver('isreal', ('isreal',), False)


def isreal(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.isreal(input)
    return resolve(r_isreal, (('input', input, MISSING),), extra, (
    ), others)

r_isreal.public = isreal


r_nan_to_num = Resolver('nan_to_num', ('nan_to_num|nan_to_num.out',), False)


def nan_to_num(input=MISSING, nan=None, posinf=None, neginf=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (nan is None or type(nan) is float) and (posinf is None or type(posinf) is float) and (neginf is None or type(neginf) is float):
            return c_pointwise.nan_to_num(input, nan, posinf, neginf)
    return resolve(r_nan_to_num, (('input', input, MISSING), ('nan', nan, None), ('posinf', posinf, None), ('neginf', neginf, None),), extra, (
        ('out', out, None),
    ), others)

r_nan_to_num.public = nan_to_num


r_nan_to_num_ = Resolver('nan_to_num_', ('nan_to_num_',), False)


def nan_to_num_(input=MISSING, nan=None, posinf=None, neginf=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (nan is None or type(nan) is float) and (posinf is None or type(posinf) is float) and (neginf is None or type(neginf) is float):
            return c_pointwise.nan_to_num_(input, nan, posinf, neginf)
    return resolve(r_nan_to_num_, (('input', input, MISSING), ('nan', nan, None), ('posinf', posinf, None), ('neginf', neginf, None),), extra, (
    ), others)

r_nan_to_num_.public = nan_to_num_


r_ldexp = Resolver('ldexp', ('ldexp.Tensor|ldexp.out',), False)


def ldexp(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.ldexp_Tensor(input, other)
    return resolve(r_ldexp, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_ldexp.public = ldexp


r_ldexp_ = Resolver('ldexp_', ('ldexp_',), False)


def ldexp_(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.ldexp_(input, other)
    return resolve(r_ldexp_, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_ldexp_.public = ldexp_


r_log = Resolver('log', ('log|log.out',), False)


def log(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.log(input)
    return resolve(r_log, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_log.public = log


r_log_ = Resolver('log_', ('log_',), False)


def log_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.log_(input)
    return resolve(r_log_, (('input', input, MISSING),), extra, (
    ), others)

r_log_.public = log_


r_log10 = Resolver('log10', ('log10|log10.out',), False)


def log10(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.log10(input)
    return resolve(r_log10, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_log10.public = log10


r_log10_ = Resolver('log10_', ('log10_',), False)


def log10_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.log10_(input)
    return resolve(r_log10_, (('input', input, MISSING),), extra, (
    ), others)

r_log10_.public = log10_


r_log1p = Resolver('log1p', ('log1p|log1p.out',), False)


def log1p(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.log1p(input)
    return resolve(r_log1p, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_log1p.public = log1p


r_log1p_ = Resolver('log1p_', ('log1p_',), False)


def log1p_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.log1p_(input)
    return resolve(r_log1p_, (('input', input, MISSING),), extra, (
    ), others)

r_log1p_.public = log1p_


r_log2 = Resolver('log2', ('log2|log2.out',), False)


def log2(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.log2(input)
    return resolve(r_log2, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_log2.public = log2


r_log2_ = Resolver('log2_', ('log2_',), False)


def log2_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.log2_(input)
    return resolve(r_log2_, (('input', input, MISSING),), extra, (
    ), others)

r_log2_.public = log2_


r_logaddexp = Resolver('logaddexp', ('logaddexp|logaddexp.out',), False)


def logaddexp(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.logaddexp(input, other)
    return resolve(r_logaddexp, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_logaddexp.public = logaddexp


r_logaddexp2 = Resolver('logaddexp2', ('logaddexp2|logaddexp2.out',), False)


def logaddexp2(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.logaddexp2(input, other)
    return resolve(r_logaddexp2, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_logaddexp2.public = logaddexp2


r_xlogy = Resolver('xlogy', ('xlogy.Tensor|xlogy.OutTensor', 'xlogy.Scalar_Self|xlogy.OutScalar_Self', 'xlogy.Scalar_Other|xlogy.OutScalar_Other',), False)


def xlogy(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.xlogy_Tensor(input, other)
        if type(input) in number_types and type(other) in plain:
            return c_pointwise.xlogy_Scalar_Self(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.xlogy_Scalar_Other(input, other)
    return resolve(r_xlogy, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_xlogy.public = xlogy


r_xlogy_ = Resolver('xlogy_', ('xlogy_.Tensor', 'xlogy_.Scalar_Other',), False)


def xlogy_(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.xlogy__Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.xlogy__Scalar_Other(input, other)
    return resolve(r_xlogy_, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r_xlogy_.public = xlogy_


r_mul = Resolver('mul', ('mul.Tensor|mul.out', '-mul.Scalar',), False, True)


def mul(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.mul_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.mul_Scalar(input, other)
    return resolve(r_mul, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_mul.public = mul


r_multiply = Resolver('multiply', ('multiply.Tensor|multiply.out', 'multiply.Scalar',), False, True)


def multiply(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.multiply_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.multiply_Scalar(input, other)
    return resolve(r_multiply, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_multiply.public = multiply


r_mvlgamma = Resolver('mvlgamma', ('mvlgamma|mvlgamma.out',), False)


def mvlgamma(input=MISSING, p=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(p) is int:
            return c_pointwise.mvlgamma(input, p)
    return resolve(r_mvlgamma, (('input', input, MISSING), ('p', p, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_mvlgamma.public = mvlgamma


r_rad2deg = Resolver('rad2deg', ('rad2deg|rad2deg.out',), False)


def rad2deg(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.rad2deg(input)
    return resolve(r_rad2deg, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_rad2deg.public = rad2deg


r_rad2deg_ = Resolver('rad2deg_', ('rad2deg_',), False)


def rad2deg_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.rad2deg_(input)
    return resolve(r_rad2deg_, (('input', input, MISSING),), extra, (
    ), others)

r_rad2deg_.public = rad2deg_


r_deg2rad = Resolver('deg2rad', ('deg2rad|deg2rad.out',), False)


def deg2rad(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.deg2rad(input)
    return resolve(r_deg2rad, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_deg2rad.public = deg2rad


r_deg2rad_ = Resolver('deg2rad_', ('deg2rad_',), False)


def deg2rad_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.deg2rad_(input)
    return resolve(r_deg2rad_, (('input', input, MISSING),), extra, (
    ), others)

r_deg2rad_.public = deg2rad_


r_reciprocal = Resolver('reciprocal', ('reciprocal|reciprocal.out',), False)


def reciprocal(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.reciprocal(input)
    return resolve(r_reciprocal, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_reciprocal.public = reciprocal


r_reciprocal_ = Resolver('reciprocal_', ('reciprocal_',), False)


def reciprocal_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.reciprocal_(input)
    return resolve(r_reciprocal_, (('input', input, MISSING),), extra, (
    ), others)

r_reciprocal_.public = reciprocal_


r_neg = Resolver('neg', ('neg|neg.out',), False)


def neg(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.neg(input)
    return resolve(r_neg, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_neg.public = neg


r_neg_ = Resolver('neg_', ('neg_',), False)


def neg_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.neg_(input)
    return resolve(r_neg_, (('input', input, MISSING),), extra, (
    ), others)

r_neg_.public = neg_


r_negative = Resolver('negative', ('negative|negative.out',), False)


def negative(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.negative(input)
    return resolve(r_negative, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_negative.public = negative


r_negative_ = Resolver('negative_', ('negative_',), False)


def negative_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.negative_(input)
    return resolve(r_negative_, (('input', input, MISSING),), extra, (
    ), others)

r_negative_.public = negative_


r_round = Resolver('round', ('round|round.out', 'round.decimals|round.decimals_out',), False)


def round(input=MISSING, *extra, decimals=MISSING, out=None, **others):
    if not extra and not others and out is None:
        if decimals is MISSING and type(input) in plain:
            return c_pointwise.round(input)
        if type(input) in plain and type(decimals) is int:
            return c_pointwise.round_decimals(input, decimals)
    return resolve(r_round, (('input', input, MISSING),), extra, (
        ('decimals', decimals, MISSING),
        ('out', out, None),
    ), others)

r_round.public = round


r_round_ = Resolver('round_', ('round_', 'round_.decimals',), False)


def round_(input=MISSING, *extra, decimals=MISSING, **others):
    if not extra and not others:
        if decimals is MISSING and type(input) in plain:
            return c_pointwise.round_(input)
        if type(input) in plain and type(decimals) is int:
            return c_pointwise.round__decimals(input, decimals)
    return resolve(r_round_, (('input', input, MISSING),), extra, (
        ('decimals', decimals, MISSING),
    ), others)

r_round_.public = round_


r_relu = Resolver('relu', ('relu',), False)


def relu(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.relu(input)
    return resolve(r_relu, (('input', input, MISSING),), extra, (
    ), others)

r_relu.public = relu


r_relu_ = Resolver('relu_', ('relu_',), False)


def relu_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.relu_(input)
    return resolve(r_relu_, (('input', input, MISSING),), extra, (
    ), others)

r_relu_.public = relu_


r_prelu = Resolver('prelu', ('prelu',), False)


def prelu(input=MISSING, weight=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(weight) in plain:
            return c_pointwise.prelu(input, weight)
    return resolve(r_prelu, (('input', input, MISSING), ('weight', weight, MISSING),), extra, (
    ), others)

r_prelu.public = prelu


r__prelu_kernel = Resolver('_prelu_kernel', ('_prelu_kernel',), False)


def _prelu_kernel(input=MISSING, weight=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(weight) in plain:
            return c_pointwise._prelu_kernel(input, weight)
    return resolve(r__prelu_kernel, (('input', input, MISSING), ('weight', weight, MISSING),), extra, (
    ), others)

r__prelu_kernel.public = _prelu_kernel


r_hardshrink = Resolver('hardshrink', ('hardshrink|hardshrink.out',), False)


def hardshrink(input=MISSING, lambd=0.5, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(lambd) in number_types:
            return c_pointwise.hardshrink(input, lambd)
    return resolve(r_hardshrink, (('input', input, MISSING), ('lambd', lambd, 0.5),), extra, (
        ('out', out, None),
    ), others)

r_hardshrink.public = hardshrink


r_rsqrt = Resolver('rsqrt', ('rsqrt|rsqrt.out',), False)


def rsqrt(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.rsqrt(input)
    return resolve(r_rsqrt, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_rsqrt.public = rsqrt


r_rsqrt_ = Resolver('rsqrt_', ('rsqrt_',), False)


def rsqrt_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.rsqrt_(input)
    return resolve(r_rsqrt_, (('input', input, MISSING),), extra, (
    ), others)

r_rsqrt_.public = rsqrt_


r_selu = Resolver('selu', ('selu',), False)


def selu(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.selu(input)
    return resolve(r_selu, (('input', input, MISSING),), extra, (
    ), others)

r_selu.public = selu


r_selu_ = Resolver('selu_', ('selu_',), False)


def selu_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.selu_(input)
    return resolve(r_selu_, (('input', input, MISSING),), extra, (
    ), others)

r_selu_.public = selu_


r_celu = Resolver('celu', ('celu',), False)


def celu(input=MISSING, alpha=1.0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(alpha) in number_types:
            return c_pointwise.celu(input, alpha)
    return resolve(r_celu, (('input', input, MISSING), ('alpha', alpha, 1.0),), extra, (
    ), others)

r_celu.public = celu


r_celu_ = Resolver('celu_', ('celu_',), False)


def celu_(input=MISSING, alpha=1.0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(alpha) in number_types:
            return c_pointwise.celu_(input, alpha)
    return resolve(r_celu_, (('input', input, MISSING), ('alpha', alpha, 1.0),), extra, (
    ), others)

r_celu_.public = celu_


r_sigmoid = Resolver('sigmoid', ('sigmoid|sigmoid.out',), False)


def sigmoid(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.sigmoid(input)
    return resolve(r_sigmoid, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_sigmoid.public = sigmoid


r_sigmoid_ = Resolver('sigmoid_', ('sigmoid_',), False)


def sigmoid_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.sigmoid_(input)
    return resolve(r_sigmoid_, (('input', input, MISSING),), extra, (
    ), others)

r_sigmoid_.public = sigmoid_


r_logit = Resolver('logit', ('logit|logit.out',), False)


def logit(input=MISSING, eps=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (eps is None or type(eps) is float):
            return c_pointwise.logit(input, eps)
    return resolve(r_logit, (('input', input, MISSING), ('eps', eps, None),), extra, (
        ('out', out, None),
    ), others)

r_logit.public = logit


r_logit_ = Resolver('logit_', ('logit_',), False)


def logit_(input=MISSING, eps=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (eps is None or type(eps) is float):
            return c_pointwise.logit_(input, eps)
    return resolve(r_logit_, (('input', input, MISSING), ('eps', eps, None),), extra, (
    ), others)

r_logit_.public = logit_


r_sin = Resolver('sin', ('sin|sin.out',), False)


def sin(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.sin(input)
    return resolve(r_sin, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_sin.public = sin


r_sin_ = Resolver('sin_', ('sin_',), False)


def sin_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.sin_(input)
    return resolve(r_sin_, (('input', input, MISSING),), extra, (
    ), others)

r_sin_.public = sin_


r_sinc = Resolver('sinc', ('sinc|sinc.out',), False)


def sinc(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.sinc(input)
    return resolve(r_sinc, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_sinc.public = sinc


r_sinc_ = Resolver('sinc_', ('sinc_',), False)


def sinc_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.sinc_(input)
    return resolve(r_sinc_, (('input', input, MISSING),), extra, (
    ), others)

r_sinc_.public = sinc_


r_sinh = Resolver('sinh', ('sinh|sinh.out',), False)


def sinh(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.sinh(input)
    return resolve(r_sinh, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_sinh.public = sinh


r_sinh_ = Resolver('sinh_', ('sinh_',), False)


def sinh_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.sinh_(input)
    return resolve(r_sinh_, (('input', input, MISSING),), extra, (
    ), others)

r_sinh_.public = sinh_


r_sqrt = Resolver('sqrt', ('sqrt|sqrt.out',), False)


def sqrt(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.sqrt(input)
    return resolve(r_sqrt, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_sqrt.public = sqrt


r_sqrt_ = Resolver('sqrt_', ('sqrt_',), False)


def sqrt_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.sqrt_(input)
    return resolve(r_sqrt_, (('input', input, MISSING),), extra, (
    ), others)

r_sqrt_.public = sqrt_


r_square = Resolver('square', ('square|square.out',), False)


def square(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.square(input)
    return resolve(r_square, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_square.public = square


r_square_ = Resolver('square_', ('square_',), False)


def square_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.square_(input)
    return resolve(r_square_, (('input', input, MISSING),), extra, (
    ), others)

r_square_.public = square_


r_tan = Resolver('tan', ('tan|tan.out',), False)


def tan(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.tan(input)
    return resolve(r_tan, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_tan.public = tan


r_tan_ = Resolver('tan_', ('tan_',), False)


def tan_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.tan_(input)
    return resolve(r_tan_, (('input', input, MISSING),), extra, (
    ), others)

r_tan_.public = tan_


r_tanh = Resolver('tanh', ('tanh|tanh.out',), False)


def tanh(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.tanh(input)
    return resolve(r_tanh, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_tanh.public = tanh


r_tanh_ = Resolver('tanh_', ('tanh_',), False)


def tanh_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.tanh_(input)
    return resolve(r_tanh_, (('input', input, MISSING),), extra, (
    ), others)

r_tanh_.public = tanh_


r_threshold = Resolver('threshold', ('threshold|threshold.out',), False)


def threshold(input=MISSING, threshold=MISSING, value=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(threshold) in number_types and type(value) in number_types:
            return c_pointwise.threshold(input, threshold, value)
    return resolve(r_threshold, (('input', input, MISSING), ('threshold', threshold, MISSING), ('value', value, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_threshold.public = threshold


r_threshold_ = Resolver('threshold_', ('threshold_',), False)


def threshold_(input=MISSING, threshold=MISSING, value=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(threshold) in number_types and type(value) in number_types:
            return c_pointwise.threshold_(input, threshold, value)
    return resolve(r_threshold_, (('input', input, MISSING), ('threshold', threshold, MISSING), ('value', value, MISSING),), extra, (
    ), others)

r_threshold_.public = threshold_


r_trunc = Resolver('trunc', ('trunc|trunc.out',), False)


def trunc(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.trunc(input)
    return resolve(r_trunc, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_trunc.public = trunc


r_trunc_ = Resolver('trunc_', ('trunc_',), False)


def trunc_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.trunc_(input)
    return resolve(r_trunc_, (('input', input, MISSING),), extra, (
    ), others)

r_trunc_.public = trunc_


r_fix = Resolver('fix', ('fix|fix.out',), False)


def fix(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.fix(input)
    return resolve(r_fix, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_fix.public = fix


r_fix_ = Resolver('fix_', ('fix_',), False)


def fix_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.fix_(input)
    return resolve(r_fix_, (('input', input, MISSING),), extra, (
    ), others)

r_fix_.public = fix_


r_frexp = Resolver('frexp', ('frexp.Tensor|frexp.Tensor_out',), False)


def frexp(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return named_result('frexp', ('mantissa', 'exponent'))(c_pointwise.frexp_Tensor(input))
    return resolve(r_frexp, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_frexp.public = frexp


r_positive = Resolver('positive', ('positive',), False)


def positive(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.positive(input)
    return resolve(r_positive, (('input', input, MISSING),), extra, (
    ), others)

r_positive.public = positive


r_sub = Resolver('sub', ('sub.Tensor|sub.out', '-sub.Scalar', '-sub.Tensor|sub.out(self,alpha,other)',), False, True)


def sub(input=MISSING, other=MISSING, *extra, alpha=1, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain and type(alpha) in number_types:
            return c_pointwise.sub_Tensor(input, other, alpha)
        if type(input) in plain and type(other) in number_types and type(alpha) in number_types:
            return c_pointwise.sub_Scalar(input, other, alpha)
    return resolve(r_sub, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('alpha', alpha, 1),
        ('out', out, None),
    ), others)

r_sub.public = sub


r_subtract = Resolver('subtract', ('subtract.Tensor|subtract.out', 'subtract.Scalar',), False, True)


def subtract(input=MISSING, other=MISSING, *extra, alpha=1, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain and type(alpha) in number_types:
            return c_pointwise.subtract_Tensor(input, other, alpha)
        if type(input) in plain and type(other) in number_types and type(alpha) in number_types:
            return c_pointwise.subtract_Scalar(input, other, alpha)
    return resolve(r_subtract, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('alpha', alpha, 1),
        ('out', out, None),
    ), others)

r_subtract.public = subtract


r_rsub = Resolver('rsub', ('rsub.Tensor', 'rsub.Scalar',), False)


def rsub(input=MISSING, other=MISSING, *extra, alpha=1, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain and type(alpha) in number_types:
            return c_pointwise.rsub_Tensor(input, other, alpha)
        if type(input) in plain and type(other) in number_types and type(alpha) in number_types:
            return c_pointwise.rsub_Scalar(input, other, alpha)
    return resolve(r_rsub, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('alpha', alpha, 1),
    ), others)

r_rsub.public = rsub


r_heaviside = Resolver('heaviside', ('heaviside|heaviside.out',), False)


def heaviside(input=MISSING, values=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(values) in plain:
            return c_pointwise.heaviside(input, values)
    return resolve(r_heaviside, (('input', input, MISSING), ('values', values, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_heaviside.public = heaviside


r_eq = Resolver('eq', ('eq.Tensor|eq.Tensor_out', 'eq.Scalar|eq.Scalar_out',), False)


def eq(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.eq_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.eq_Scalar(input, other)
    return resolve(r_eq, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_eq.public = eq


r_bitwise_and = Resolver('bitwise_and', ('bitwise_and.Tensor|bitwise_and.Tensor_out', 'bitwise_and.Scalar_Tensor', 'bitwise_and.Scalar|bitwise_and.Scalar_out',), False)


def bitwise_and(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.bitwise_and_Tensor(input, other)
        if type(input) in number_types and type(other) in plain:
            return c_pointwise.bitwise_and_Scalar_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.bitwise_and_Scalar(input, other)
    return resolve(r_bitwise_and, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_bitwise_and.public = bitwise_and


r___and__ = Resolver('__and__', ('__and__.Tensor', '__and__.Scalar',), False)


def __and__(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.__and___Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.__and___Scalar(input, other)
    return resolve(r___and__, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___and__.public = __and__


r_bitwise_or = Resolver('bitwise_or', ('bitwise_or.Tensor|bitwise_or.Tensor_out', 'bitwise_or.Scalar_Tensor', 'bitwise_or.Scalar|bitwise_or.Scalar_out',), False)


def bitwise_or(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.bitwise_or_Tensor(input, other)
        if type(input) in number_types and type(other) in plain:
            return c_pointwise.bitwise_or_Scalar_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.bitwise_or_Scalar(input, other)
    return resolve(r_bitwise_or, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_bitwise_or.public = bitwise_or


r___or__ = Resolver('__or__', ('__or__.Tensor', '__or__.Scalar',), False)


def __or__(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.__or___Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.__or___Scalar(input, other)
    return resolve(r___or__, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___or__.public = __or__


r_bitwise_xor = Resolver('bitwise_xor', ('bitwise_xor.Tensor|bitwise_xor.Tensor_out', 'bitwise_xor.Scalar_Tensor', 'bitwise_xor.Scalar|bitwise_xor.Scalar_out',), False)


def bitwise_xor(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.bitwise_xor_Tensor(input, other)
        if type(input) in number_types and type(other) in plain:
            return c_pointwise.bitwise_xor_Scalar_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.bitwise_xor_Scalar(input, other)
    return resolve(r_bitwise_xor, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_bitwise_xor.public = bitwise_xor


r___xor__ = Resolver('__xor__', ('__xor__.Tensor', '__xor__.Scalar',), False)


def __xor__(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.__xor___Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.__xor___Scalar(input, other)
    return resolve(r___xor__, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___xor__.public = __xor__


r___lshift__ = Resolver('__lshift__', ('__lshift__.Tensor', '__lshift__.Scalar',), False)


def __lshift__(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.__lshift___Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.__lshift___Scalar(input, other)
    return resolve(r___lshift__, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___lshift__.public = __lshift__


r_bitwise_left_shift = Resolver('bitwise_left_shift', ('bitwise_left_shift.Tensor|bitwise_left_shift.Tensor_out', 'bitwise_left_shift.Scalar_Tensor', 'bitwise_left_shift.Tensor_Scalar|bitwise_left_shift.Tensor_Scalar_out',), False)


def bitwise_left_shift(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.bitwise_left_shift_Tensor(input, other)
        if type(input) in number_types and type(other) in plain:
            return c_pointwise.bitwise_left_shift_Scalar_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.bitwise_left_shift_Tensor_Scalar(input, other)
    return resolve(r_bitwise_left_shift, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_bitwise_left_shift.public = bitwise_left_shift


r___rshift__ = Resolver('__rshift__', ('__rshift__.Tensor', '__rshift__.Scalar',), False)


def __rshift__(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.__rshift___Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.__rshift___Scalar(input, other)
    return resolve(r___rshift__, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r___rshift__.public = __rshift__


r_bitwise_right_shift = Resolver('bitwise_right_shift', ('bitwise_right_shift.Tensor|bitwise_right_shift.Tensor_out', 'bitwise_right_shift.Scalar_Tensor', 'bitwise_right_shift.Tensor_Scalar|bitwise_right_shift.Tensor_Scalar_out',), False)


def bitwise_right_shift(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.bitwise_right_shift_Tensor(input, other)
        if type(input) in number_types and type(other) in plain:
            return c_pointwise.bitwise_right_shift_Scalar_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.bitwise_right_shift_Tensor_Scalar(input, other)
    return resolve(r_bitwise_right_shift, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_bitwise_right_shift.public = bitwise_right_shift


r_digamma = Resolver('digamma', ('digamma|digamma.out',), False)


def digamma(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.digamma(input)
    return resolve(r_digamma, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_digamma.public = digamma


r_lerp = Resolver('lerp', ('lerp.Tensor|lerp.Tensor_out', 'lerp.Scalar|lerp.Scalar_out',), False)


def lerp(input=MISSING, end=MISSING, weight=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(end) in plain and type(weight) in plain:
            return c_pointwise.lerp_Tensor(input, end, weight)
        if type(input) in plain and type(end) in plain and type(weight) in number_types:
            return c_pointwise.lerp_Scalar(input, end, weight)
    return resolve(r_lerp, (('input', input, MISSING), ('end', end, MISSING), ('weight', weight, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_lerp.public = lerp


r_ne = Resolver('ne', ('ne.Tensor|ne.Tensor_out', 'ne.Scalar|ne.Scalar_out',), False)


def ne(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.ne_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.ne_Scalar(input, other)
    return resolve(r_ne, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_ne.public = ne


r_not_equal = Resolver('not_equal', ('not_equal.Tensor|not_equal.Tensor_out', 'not_equal.Scalar|not_equal.Scalar_out',), False)


def not_equal(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.not_equal_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.not_equal_Scalar(input, other)
    return resolve(r_not_equal, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_not_equal.public = not_equal


r_ge = Resolver('ge', ('ge.Tensor|ge.Tensor_out', 'ge.Scalar|ge.Scalar_out',), False)


def ge(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.ge_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.ge_Scalar(input, other)
    return resolve(r_ge, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_ge.public = ge


r_greater_equal = Resolver('greater_equal', ('greater_equal.Tensor|greater_equal.Tensor_out', 'greater_equal.Scalar|greater_equal.Scalar_out',), False)


def greater_equal(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.greater_equal_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.greater_equal_Scalar(input, other)
    return resolve(r_greater_equal, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_greater_equal.public = greater_equal


r_le = Resolver('le', ('le.Tensor|le.Tensor_out', 'le.Scalar|le.Scalar_out',), False)


def le(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.le_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.le_Scalar(input, other)
    return resolve(r_le, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_le.public = le


r_less_equal = Resolver('less_equal', ('less_equal.Tensor|less_equal.Tensor_out', 'less_equal.Scalar|less_equal.Scalar_out',), False)


def less_equal(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.less_equal_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.less_equal_Scalar(input, other)
    return resolve(r_less_equal, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_less_equal.public = less_equal


r_gt = Resolver('gt', ('gt.Tensor|gt.Tensor_out', 'gt.Scalar|gt.Scalar_out',), False)


def gt(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.gt_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.gt_Scalar(input, other)
    return resolve(r_gt, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_gt.public = gt


r_greater = Resolver('greater', ('greater.Tensor|greater.Tensor_out', 'greater.Scalar|greater.Scalar_out',), False)


def greater(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.greater_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.greater_Scalar(input, other)
    return resolve(r_greater, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_greater.public = greater


r_lt = Resolver('lt', ('lt.Tensor|lt.Tensor_out', 'lt.Scalar|lt.Scalar_out',), False)


def lt(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.lt_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.lt_Scalar(input, other)
    return resolve(r_lt, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_lt.public = lt


r_less = Resolver('less', ('less.Tensor|less.Tensor_out', 'less.Scalar|less.Scalar_out',), False)


def less(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.less_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.less_Scalar(input, other)
    return resolve(r_less, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_less.public = less


r_addcmul = Resolver('addcmul', ('addcmul|addcmul.out', '-addcmul|addcmul.out(self,value,tensor1,tensor2)',), False)


def addcmul(input=MISSING, tensor1=MISSING, tensor2=MISSING, *extra, value=1, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(tensor1) in plain and type(tensor2) in plain and type(value) in number_types:
            return c_pointwise.addcmul(input, tensor1, tensor2, value)
    return resolve(r_addcmul, (('input', input, MISSING), ('tensor1', tensor1, MISSING), ('tensor2', tensor2, MISSING),), extra, (
        ('value', value, 1),
        ('out', out, None),
    ), others)

r_addcmul.public = addcmul


r_addcdiv = Resolver('addcdiv', ('addcdiv|addcdiv.out', '-addcdiv|addcdiv.out(self,value,tensor1,tensor2)',), False)


def addcdiv(input=MISSING, tensor1=MISSING, tensor2=MISSING, *extra, value=1, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(tensor1) in plain and type(tensor2) in plain and type(value) in number_types:
            return c_pointwise.addcdiv(input, tensor1, tensor2, value)
    return resolve(r_addcdiv, (('input', input, MISSING), ('tensor1', tensor1, MISSING), ('tensor2', tensor2, MISSING),), extra, (
        ('value', value, 1),
        ('out', out, None),
    ), others)

r_addcdiv.public = addcdiv


r_lgamma = Resolver('lgamma', ('lgamma|lgamma.out',), False)


def lgamma(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.lgamma(input)
    return resolve(r_lgamma, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_lgamma.public = lgamma


r_polygamma = Resolver('polygamma', ('polygamma|polygamma.out',), False)


def polygamma(n=MISSING, input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(n) is int and type(input) in plain:
            return c_pointwise.polygamma(n, input)
    return resolve(r_polygamma, (('n', n, MISSING), ('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_polygamma.public = polygamma


r_erfinv = Resolver('erfinv', ('erfinv|erfinv.out',), False)


def erfinv(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.erfinv(input)
    return resolve(r_erfinv, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_erfinv.public = erfinv


r_i0 = Resolver('i0', ('i0|i0.out',), False)


def i0(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.i0(input)
    return resolve(r_i0, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_i0.public = i0


r_i0_ = Resolver('i0_', ('i0_',), False)


def i0_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.i0_(input)
    return resolve(r_i0_, (('input', input, MISSING),), extra, (
    ), others)

r_i0_.public = i0_


r_sign = Resolver('sign', ('sign|sign.out',), False)


def sign(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.sign(input)
    return resolve(r_sign, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_sign.public = sign


r_signbit = Resolver('signbit', ('signbit|signbit.out',), False)


def signbit(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.signbit(input)
    return resolve(r_signbit, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_signbit.public = signbit


r_atan2 = Resolver('atan2', ('atan2|atan2.out',), False)


def atan2(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.atan2(input, other)
    return resolve(r_atan2, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_atan2.public = atan2


r_arctan2 = Resolver('arctan2', ('arctan2|arctan2.out',), False)


def arctan2(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.arctan2(input, other)
    return resolve(r_arctan2, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_arctan2.public = arctan2


r_fmod = Resolver('fmod', ('fmod.Tensor|fmod.Tensor_out', 'fmod.Scalar|fmod.Scalar_out',), False)


def fmod(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.fmod_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.fmod_Scalar(input, other)
    return resolve(r_fmod, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_fmod.public = fmod


r_hypot = Resolver('hypot', ('hypot|hypot.out',), False)


def hypot(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.hypot(input, other)
    return resolve(r_hypot, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_hypot.public = hypot


r_igamma = Resolver('igamma', ('igamma|igamma.out',), False)


def igamma(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.igamma(input, other)
    return resolve(r_igamma, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_igamma.public = igamma


r_igammac = Resolver('igammac', ('igammac|igammac.out',), False)


def igammac(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.igammac(input, other)
    return resolve(r_igammac, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_igammac.public = igammac


r_nextafter = Resolver('nextafter', ('nextafter|nextafter.out',), False)


def nextafter(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.nextafter(input, other)
    return resolve(r_nextafter, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_nextafter.public = nextafter


r_remainder = Resolver('remainder', ('remainder.Tensor|remainder.Tensor_out', 'remainder.Scalar_Tensor', 'remainder.Scalar|remainder.Scalar_out',), False)


def remainder(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.remainder_Tensor(input, other)
        if type(input) in number_types and type(other) in plain:
            return c_pointwise.remainder_Scalar_Tensor(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.remainder_Scalar(input, other)
    return resolve(r_remainder, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_remainder.public = remainder


r_fmin = Resolver('fmin', ('fmin|fmin.out',), False)


def fmin(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.fmin(input, other)
    return resolve(r_fmin, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_fmin.public = fmin


r_fmax = Resolver('fmax', ('fmax|fmax.out',), False)


def fmax(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.fmax(input, other)
    return resolve(r_fmax, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_fmax.public = fmax


r_maximum = Resolver('maximum', ('maximum|maximum.out',), False)


def maximum(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.maximum(input, other)
    return resolve(r_maximum, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_maximum.public = maximum


r_minimum = Resolver('minimum', ('minimum|minimum.out',), False)


def minimum(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.minimum(input, other)
    return resolve(r_minimum, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_minimum.public = minimum


r_pow = Resolver('pow', ('pow.Tensor_Tensor|pow.Tensor_Tensor_out', 'pow.Scalar|pow.Scalar_out', 'pow.Tensor_Scalar|pow.Tensor_Scalar_out',), False)


def pow(input=MISSING, exponent=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(exponent) in plain:
            return c_pointwise.pow_Tensor_Tensor(input, exponent)
        if type(input) in number_types and type(exponent) in plain:
            return c_pointwise.pow_Scalar(input, exponent)
        if type(input) in plain and type(exponent) in number_types:
            return c_pointwise.pow_Tensor_Scalar(input, exponent)
    return resolve(r_pow, (('input', input, MISSING), ('exponent', exponent, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_pow.public = pow


r_float_power = Resolver('float_power', ('float_power.Tensor_Tensor|float_power.Tensor_Tensor_out', 'float_power.Scalar|float_power.Scalar_out', 'float_power.Tensor_Scalar|float_power.Tensor_Scalar_out',), False)


def float_power(input=MISSING, exponent=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(exponent) in plain:
            return c_pointwise.float_power_Tensor_Tensor(input, exponent)
        if type(input) in number_types and type(exponent) in plain:
            return c_pointwise.float_power_Scalar(input, exponent)
        if type(input) in plain and type(exponent) in number_types:
            return c_pointwise.float_power_Tensor_Scalar(input, exponent)
    return resolve(r_float_power, (('input', input, MISSING), ('exponent', exponent, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_float_power.public = float_power


r_elu_backward = Resolver('elu_backward', ('elu_backward',), False)


def elu_backward(grad_output=MISSING, alpha=MISSING, scale=MISSING, input_scale=MISSING, is_result=MISSING, self_or_result=MISSING, *extra, **others):
    if not extra and not others:
        if type(grad_output) in plain and type(alpha) in number_types and type(scale) in number_types and type(input_scale) in number_types and type(is_result) is bool and type(self_or_result) in plain:
            return c_pointwise.elu_backward(grad_output, alpha, scale, input_scale, is_result, self_or_result)
    return resolve(r_elu_backward, (('grad_output', grad_output, MISSING), ('alpha', alpha, MISSING), ('scale', scale, MISSING), ('input_scale', input_scale, MISSING), ('is_result', is_result, MISSING), ('self_or_result', self_or_result, MISSING),), extra, (
    ), others)

r_elu_backward.public = elu_backward


r_leaky_relu_backward = Resolver('leaky_relu_backward', ('leaky_relu_backward',), False)


def leaky_relu_backward(grad_output=MISSING, input=MISSING, negative_slope=MISSING, self_is_result=MISSING, *extra, **others):
    if not extra and not others:
        if type(grad_output) in plain and type(input) in plain and type(negative_slope) in number_types and type(self_is_result) is bool:
            return c_pointwise.leaky_relu_backward(grad_output, input, negative_slope, self_is_result)
    return resolve(r_leaky_relu_backward, (('grad_output', grad_output, MISSING), ('input', input, MISSING), ('negative_slope', negative_slope, MISSING), ('self_is_result', self_is_result, MISSING),), extra, (
    ), others)

r_leaky_relu_backward.public = leaky_relu_backward


r_isfinite = Resolver('isfinite', ('isfinite',), False)


def isfinite(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.isfinite(input)
    return resolve(r_isfinite, (('input', input, MISSING),), extra, (
    ), others)

r_isfinite.public = isfinite


r_isinf = Resolver('isinf', ('isinf',), False)


def isinf(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.isinf(input)
    return resolve(r_isinf, (('input', input, MISSING),), extra, (
    ), others)

r_isinf.public = isinf


r_isposinf = Resolver('isposinf', ('isposinf|isposinf.out',), False)


def isposinf(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.isposinf(input)
    return resolve(r_isposinf, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_isposinf.public = isposinf


r_isneginf = Resolver('isneginf', ('isneginf|isneginf.out',), False)


def isneginf(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.isneginf(input)
    return resolve(r_isneginf, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_isneginf.public = isneginf


r__pixel_place = Resolver('_pixel_place', ('_pixel_place',), False)


def _pixel_place(at=MISSING, n=MISSING, mode=MISSING, padding=MISSING, align_corners=MISSING, *extra, **others):
    if not extra and not others:
        if type(at) in plain and type(n) in number_types and type(mode) is int and type(padding) is int and type(align_corners) is bool:
            return c_pointwise._pixel_place(at, n, mode, padding, align_corners)
    return resolve(r__pixel_place, (('at', at, MISSING), ('n', n, MISSING), ('mode', mode, MISSING), ('padding', padding, MISSING), ('align_corners', align_corners, MISSING),), extra, (
    ), others)

r__pixel_place.public = _pixel_place


r__pixel_index = Resolver('_pixel_index', ('_pixel_index',), False)


def _pixel_index(place=MISSING, tap=MISSING, n=MISSING, mode=MISSING, padding=MISSING, align_corners=MISSING, *extra, **others):
    if not extra and not others:
        if type(place) in plain and type(tap) in plain and type(n) in number_types and type(mode) is int and type(padding) is int and type(align_corners) is bool:
            return c_pointwise._pixel_index(place, tap, n, mode, padding, align_corners)
    return resolve(r__pixel_index, (('place', place, MISSING), ('tap', tap, MISSING), ('n', n, MISSING), ('mode', mode, MISSING), ('padding', padding, MISSING), ('align_corners', align_corners, MISSING),), extra, (
    ), others)

r__pixel_index.public = _pixel_index


r__pixel_share = Resolver('_pixel_share', ('_pixel_share',), False)


def _pixel_share(place=MISSING, tap=MISSING, mode=MISSING, *extra, **others):
    if not extra and not others:
        if type(place) in plain and type(tap) in plain and type(mode) is int:
            return c_pointwise._pixel_share(place, tap, mode)
    return resolve(r__pixel_share, (('place', place, MISSING), ('tap', tap, MISSING), ('mode', mode, MISSING),), extra, (
    ), others)

r__pixel_share.public = _pixel_share


r__joined_index = Resolver('_joined_index', ('_joined_index',), False)


def _joined_index(row=MISSING, pixel=MISSING, n=MISSING, *extra, **others):
    if not extra and not others:
        if type(row) in plain and type(pixel) in plain and type(n) in number_types:
            return c_pointwise._joined_index(row, pixel, n)
    return resolve(r__joined_index, (('row', row, MISSING), ('pixel', pixel, MISSING), ('n', n, MISSING),), extra, (
    ), others)

r__joined_index.public = _joined_index


r__seen_share = Resolver('_seen_share', ('_seen_share',), False)


def _seen_share(pixel=MISSING, share=MISSING, index=MISSING, *extra, **others):
    if not extra and not others:
        if type(pixel) in plain and type(share) in plain and type(index) in plain:
            return c_pointwise._seen_share(pixel, share, index)
    return resolve(r__seen_share, (('pixel', pixel, MISSING), ('share', share, MISSING), ('index', index, MISSING),), extra, (
    ), others)

r__seen_share.public = _seen_share


r__recurrent_steps = Resolver('_recurrent_steps', ('_recurrent_steps',), False)


def _recurrent_steps(given=MISSING, hidden=MISSING, cell=MISSING, weight=MISSING, bias=MISSING, projection=MISSING, sizes=MISSING, mode=MISSING, backwards=MISSING, keeps=MISSING, *extra, **others):
    if not extra and not others:
        if type(given) in plain and type(hidden) in plain and (cell is None or type(cell) in plain) and type(weight) in plain and (bias is None or type(bias) in plain) and (projection is None or type(projection) in plain) and (sizes is None or (sizes_ := int_list(sizes)) is not None) and type(mode) is str and type(backwards) is bool and type(keeps) is bool:
            return c_recurrent._recurrent_steps(given, hidden, cell, weight, bias, projection, (sizes if sizes is None else sizes_), mode, backwards, keeps)
    return resolve(r__recurrent_steps, (('given', given, MISSING), ('hidden', hidden, MISSING), ('cell', cell, MISSING), ('weight', weight, MISSING), ('bias', bias, MISSING), ('projection', projection, MISSING), ('sizes', sizes, MISSING), ('mode', mode, MISSING), ('backwards', backwards, MISSING), ('keeps', keeps, MISSING),), extra, (
    ), others)

r__recurrent_steps.public = _recurrent_steps


r__recurrent_steps_backward = Resolver('_recurrent_steps_backward', ('_recurrent_steps_backward',), False)


def _recurrent_steps_backward(d_outputs=MISSING, d_hidden=MISSING, d_cell=MISSING, before=MISSING, kept=MISSING, weight=MISSING, projection=MISSING, batch=MISSING, size=MISSING, sizes=MISSING, mode=MISSING, backwards=MISSING, to_first=MISSING, *extra, **others):
    if not extra and not others:
        if (d_outputs is None or type(d_outputs) in plain) and (d_hidden is None or type(d_hidden) in plain) and (d_cell is None or type(d_cell) in plain) and type(before) in plain and type(kept) in plain and type(weight) in plain and (projection is None or type(projection) in plain) and type(batch) is int and (size_ := int_list(size)) is not None and (sizes is None or (sizes_ := int_list(sizes)) is not None) and type(mode) is str and type(backwards) is bool and type(to_first) is bool:
            return c_recurrent._recurrent_steps_backward(d_outputs, d_hidden, d_cell, before, kept, weight, projection, batch, size_, (sizes if sizes is None else sizes_), mode, backwards, to_first)
    return resolve(r__recurrent_steps_backward, (('d_outputs', d_outputs, MISSING), ('d_hidden', d_hidden, MISSING), ('d_cell', d_cell, MISSING), ('before', before, MISSING), ('kept', kept, MISSING), ('weight', weight, MISSING), ('projection', projection, MISSING), ('batch', batch, MISSING), ('size', size, MISSING), ('sizes', sizes, MISSING), ('mode', mode, MISSING), ('backwards', backwards, MISSING), ('to_first', to_first, MISSING),), extra, (
    ), others)

r__recurrent_steps_backward.public = _recurrent_steps_backward


r__is_all_true = Resolver('_is_all_true', ('_is_all_true',), False)


def _is_all_true(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_reduction._is_all_true(input)
    return resolve(r__is_all_true, (('input', input, MISSING),), extra, (
    ), others)

r__is_all_true.public = _is_all_true


r__is_any_true = Resolver('_is_any_true', ('_is_any_true',), False)


def _is_any_true(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_reduction._is_any_true(input)
    return resolve(r__is_any_true, (('input', input, MISSING),), extra, (
    ), others)

r__is_any_true.public = _is_any_true


r_all = Resolver('all', ('all|all.all_out', 'all.dims|all.dims_out', 'all.dim|all.out',), False)


def all(input=MISSING, dim=MISSING, keepdim=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if dim is MISSING and keepdim is MISSING and type(input) in plain:
            return c_reduction.all(input)
        if type(input) in plain and (dim is MISSING or (dim is None or (dim_ := int_list(dim)) is not None)) and (keepdim is MISSING or type(keepdim) is bool):
            return c_reduction.all_dims(input, (None if dim is MISSING else (dim if dim is None else dim_)), (False if keepdim is MISSING else keepdim))
        if type(input) in plain and type(dim) is int and (keepdim is MISSING or type(keepdim) is bool):
            return c_reduction.all_dim(input, dim, (False if keepdim is MISSING else keepdim))
    return resolve(r_all, (('input', input, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_all.public = all


r_any = Resolver('any', ('any|any.all_out', 'any.dims|any.dims_out', 'any.dim|any.out',), False)


def any(input=MISSING, dim=MISSING, keepdim=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if dim is MISSING and keepdim is MISSING and type(input) in plain:
            return c_reduction.any(input)
        if type(input) in plain and (dim is MISSING or (dim is None or (dim_ := int_list(dim)) is not None)) and (keepdim is MISSING or type(keepdim) is bool):
            return c_reduction.any_dims(input, (None if dim is MISSING else (dim if dim is None else dim_)), (False if keepdim is MISSING else keepdim))
        if type(input) in plain and type(dim) is int and (keepdim is MISSING or type(keepdim) is bool):
            return c_reduction.any_dim(input, dim, (False if keepdim is MISSING else keepdim))
    return resolve(r_any, (('input', input, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_any.public = any


r_argmax = Resolver('argmax', ('argmax|argmax.out',), False)


def argmax(input=MISSING, dim=None, keepdim=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim is None or type(dim) is int) and type(keepdim) is bool:
            return c_reduction.argmax(input, dim, keepdim)
    return resolve(r_argmax, (('input', input, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('out', out, None),
    ), others)

r_argmax.public = argmax


r_argmin = Resolver('argmin', ('argmin|argmin.out',), False)


def argmin(input=MISSING, dim=None, keepdim=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim is None or type(dim) is int) and type(keepdim) is bool:
            return c_reduction.argmin(input, dim, keepdim)
    return resolve(r_argmin, (('input', input, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('out', out, None),
    ), others)

r_argmin.public = argmin


r_count_nonzero = Resolver('count_nonzero', ('count_nonzero', 'count_nonzero.dim_IntList',), False)


def count_nonzero(input=MISSING, dim=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (dim is MISSING or (dim is None or type(dim) is int)):
            return c_reduction.count_nonzero(input, (None if dim is MISSING else dim))
        if type(input) in plain and (dim_ := int_list(dim)) is not None:
            return c_reduction.count_nonzero_dim_IntList(input, dim_)
    return resolve(r_count_nonzero, (('input', input, MISSING), ('dim', dim, MISSING),), extra, (
    ), others)

r_count_nonzero.public = count_nonzero


r_cummax = Resolver('cummax', ('cummax|cummax.out',), False)


def cummax(input=MISSING, dim=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int:
            return named_result('cummax', ('values', 'indices'))(c_reduction.cummax(input, dim))
    return resolve(r_cummax, (('input', input, MISSING), ('dim', dim, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_cummax.public = cummax


r__cummax_helper = Resolver('_cummax_helper', ('_cummax_helper',), False)


def _cummax_helper(input=MISSING, values=MISSING, indices=MISSING, dim=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(values) in plain and type(indices) in plain and type(dim) is int:
            return c_reduction._cummax_helper(input, values, indices, dim)
    return resolve(r__cummax_helper, (('input', input, MISSING), ('values', values, MISSING), ('indices', indices, MISSING), ('dim', dim, MISSING),), extra, (
    ), others)

r__cummax_helper.public = _cummax_helper


r_cummin = Resolver('cummin', ('cummin|cummin.out',), False)


def cummin(input=MISSING, dim=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int:
            return named_result('cummin', ('values', 'indices'))(c_reduction.cummin(input, dim))
    return resolve(r_cummin, (('input', input, MISSING), ('dim', dim, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_cummin.public = cummin


r__cummin_helper = Resolver('_cummin_helper', ('_cummin_helper',), False)


def _cummin_helper(input=MISSING, values=MISSING, indices=MISSING, dim=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(values) in plain and type(indices) in plain and type(dim) is int:
            return c_reduction._cummin_helper(input, values, indices, dim)
    return resolve(r__cummin_helper, (('input', input, MISSING), ('values', values, MISSING), ('indices', indices, MISSING), ('dim', dim, MISSING),), extra, (
    ), others)

r__cummin_helper.public = _cummin_helper


r_cumprod = Resolver('cumprod', ('cumprod|cumprod.out',), False)


def cumprod(input=MISSING, dim=MISSING, *extra, dtype=None, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and (dtype is None or type(dtype) is Dtype):
            return c_reduction.cumprod(input, dim, dtype)
    return resolve(r_cumprod, (('input', input, MISSING), ('dim', dim, MISSING),), extra, (
        ('dtype', dtype, None),
        ('out', out, None),
    ), others)

r_cumprod.public = cumprod


r_cumsum = Resolver('cumsum', ('cumsum|cumsum.out',), False)


def cumsum(input=MISSING, dim=MISSING, *extra, dtype=None, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and (dtype is None or type(dtype) is Dtype):
            return c_reduction.cumsum(input, dim, dtype)
    return resolve(r_cumsum, (('input', input, MISSING), ('dim', dim, MISSING),), extra, (
        ('dtype', dtype, None),
        ('out', out, None),
    ), others)

r_cumsum.public = cumsum


r_cumulative_trapezoid = Resolver('cumulative_trapezoid', ('cumulative_trapezoid.x', 'cumulative_trapezoid.dx',), False)


def cumulative_trapezoid(y=MISSING, x=MISSING, *extra, dim=-1, dx=MISSING, **others):
    if not extra and not others:
        if dx is MISSING and type(y) in plain and type(x) in plain and type(dim) is int:
            return c_reduction.cumulative_trapezoid_x(y, x, dim)
        if x is MISSING and type(y) in plain and (dx is MISSING or type(dx) in number_types) and type(dim) is int:
            return c_reduction.cumulative_trapezoid_dx(y, (1 if dx is MISSING else dx), dim)
    return resolve(r_cumulative_trapezoid, (('y', y, MISSING), ('x', x, MISSING),), extra, (
        ('dim', dim, -1),
        ('dx', dx, MISSING),
    ), others)

r_cumulative_trapezoid.public = cumulative_trapezoid


r_diff = Resolver('diff', ('diff|diff.out',), False)


def diff(input=MISSING, n=1, dim=-1, prepend=None, append=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(n) is int and type(dim) is int and (prepend is None or type(prepend) in plain) and (append is None or type(append) in plain):
            return c_reduction.diff(input, n, dim, prepend, append)
    return resolve(r_diff, (('input', input, MISSING), ('n', n, 1), ('dim', dim, -1), ('prepend', prepend, None), ('append', append, None),), extra, (
        ('out', out, None),
    ), others)

r_diff.public = diff


r__logcumsumexp = Resolver('_logcumsumexp', ('_logcumsumexp|_logcumsumexp.out',), False)


def _logcumsumexp(input=MISSING, dim=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int:
            return c_reduction._logcumsumexp(input, dim)
    return resolve(r__logcumsumexp, (('input', input, MISSING), ('dim', dim, MISSING),), extra, (
        ('out', out, None),
    ), others)

r__logcumsumexp.public = _logcumsumexp


r__linear_recurrence = Resolver('_linear_recurrence', ('_linear_recurrence',), False)


def _linear_recurrence(input=MISSING, decay=MISSING, dim=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(decay) in plain and type(dim) is int:
            return c_reduction._linear_recurrence(input, decay, dim)
    return resolve(r__linear_recurrence, (('input', input, MISSING), ('decay', decay, MISSING), ('dim', dim, MISSING),), extra, (
    ), others)

r__linear_recurrence.public = _linear_recurrence


r_logcumsumexp = Resolver('logcumsumexp', ('logcumsumexp|logcumsumexp.out',), False)


def logcumsumexp(input=MISSING, dim=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int:
            return c_reduction.logcumsumexp(input, dim)
    return resolve(r_logcumsumexp, (('input', input, MISSING), ('dim', dim, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_logcumsumexp.public = logcumsumexp


r_logsumexp = Resolver('logsumexp', ('logsumexp|logsumexp.out',), False)


def logsumexp(input=MISSING, dim=MISSING, keepdim=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool:
            return c_reduction.logsumexp(input, dim_, keepdim)
    return resolve(r_logsumexp, (('input', input, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, False),), extra, (
        ('out', out, None),
    ), others)

r_logsumexp.public = logsumexp


r_aminmax = Resolver('aminmax', ('aminmax|aminmax.out',), False)


def aminmax(input=MISSING, *extra, dim=None, keepdim=False, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim is None or type(dim) is int) and type(keepdim) is bool:
            return named_result('aminmax', ('min', 'max'))(c_reduction.aminmax(input, dim, keepdim))
    return resolve(r_aminmax, (('input', input, MISSING),), extra, (
        ('dim', dim, None),
        ('keepdim', keepdim, False),
        ('out', out, None),
    ), others)

r_aminmax.public = aminmax


r_max = Resolver('max', ('max|max.unary_out', 'max.other|max.out', 'max.dim|max.dim_max',), False)


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


r_amax = Resolver('amax', ('amax|amax.out',), False)


def amax(input=MISSING, dim=(), keepdim=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool:
            return c_reduction.amax(input, dim_, keepdim)
    return resolve(r_amax, (('input', input, MISSING), ('dim', dim, ()), ('keepdim', keepdim, False),), extra, (
        ('out', out, None),
    ), others)

r_amax.public = amax


r_mean = Resolver('mean', ('mean|mean.dtype_out', 'mean.dim|mean.out',), False)


def mean(input=MISSING, dim=MISSING, keepdim=MISSING, *extra, dtype=None, out=None, **others):
    if not extra and not others and out is None:
        if dim is MISSING and keepdim is MISSING and type(input) in plain and (dtype is None or type(dtype) is Dtype):
            return c_reduction.mean(input, dtype)
        if type(input) in plain and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and (keepdim is MISSING or type(keepdim) is bool) and (dtype is None or type(dtype) is Dtype):
            return c_reduction.mean_dim(input, (dim if dim is None else dim_), (False if keepdim is MISSING else keepdim), dtype)
    return resolve(r_mean, (('input', input, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
        ('dtype', dtype, None),
        ('out', out, None),
    ), others)

r_mean.public = mean


r_nanmean = Resolver('nanmean', ('nanmean|nanmean.out',), False)


def nanmean(input=MISSING, dim=None, keepdim=False, *extra, dtype=None, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_reduction.nanmean(input, (dim if dim is None else dim_), keepdim, dtype)
    return resolve(r_nanmean, (('input', input, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('dtype', dtype, None),
        ('out', out, None),
    ), others)

r_nanmean.public = nanmean


r_min = Resolver('min', ('min|min.unary_out', 'min.other|min.out', 'min.dim|min.dim_min',), False)


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


r_amin = Resolver('amin', ('amin|amin.out',), False)


def amin(input=MISSING, dim=(), keepdim=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool:
            return c_reduction.amin(input, dim_, keepdim)
    return resolve(r_amin, (('input', input, MISSING), ('dim', dim, ()), ('keepdim', keepdim, False),), extra, (
        ('out', out, None),
    ), others)

r_amin.public = amin


r_sum = Resolver('sum', ('sum', 'sum.dim_IntList|sum.IntList_out',), False)


def sum(input=MISSING, dim=MISSING, keepdim=MISSING, *extra, dtype=None, out=None, **others):
    if not extra and not others and out is None:
        if dim is MISSING and keepdim is MISSING and type(input) in plain and (dtype is None or type(dtype) is Dtype):
            return c_reduction.sum(input, dtype)
        if type(input) in plain and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and (keepdim is MISSING or type(keepdim) is bool) and (dtype is None or type(dtype) is Dtype):
            return c_reduction.sum_dim_IntList(input, (dim if dim is None else dim_), (False if keepdim is MISSING else keepdim), dtype)
    return resolve(r_sum, (('input', input, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
        ('dtype', dtype, None),
        ('out', out, None),
    ), others)

r_sum.public = sum


r_nansum = Resolver('nansum', ('nansum|nansum.out',), False)


def nansum(input=MISSING, dim=None, keepdim=False, *extra, dtype=None, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_reduction.nansum(input, (dim if dim is None else dim_), keepdim, dtype)
    return resolve(r_nansum, (('input', input, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('dtype', dtype, None),
        ('out', out, None),
    ), others)

r_nansum.public = nansum


r_std = Resolver('std', ('std.dim|std.out', 'std.correction|std.correction_out', 'std',), False)


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


r_std_mean = Resolver('std_mean', ('std_mean.dim', 'std_mean.correction', 'std_mean',), False)


def std_mean(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None):
            return c_reduction.std_mean_dim(args[0], (args[1] if args[1] is None else v1), True, False)
        if n == 3 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None) and type(args[2]) is bool:
            return c_reduction.std_mean_dim(args[0], (args[1] if args[1] is None else v1), args[2], False)
        if n == 4 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None) and type(args[2]) is bool and type(args[3]) is bool:
            return c_reduction.std_mean_dim(args[0], (args[1] if args[1] is None else v1), args[2], args[3])
        if n == 1 and type(args[0]) in plain:
            return c_reduction.std_mean_correction(args[0], None, None, False)
        if n == 2 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None):
            return c_reduction.std_mean_correction(args[0], (args[1] if args[1] is None else v1), None, False)
        if n == 1 and type(args[0]) in plain:
            return c_reduction.std_mean(args[0], True)
        if n == 2 and type(args[0]) in plain and type(args[1]) is bool:
            return c_reduction.std_mean(args[0], args[1])
    return r_std_mean(args, kwargs)

r_std_mean.public = std_mean


r_prod = Resolver('prod', ('prod', 'prod.dim_int|prod.int_out',), False)


def prod(input=MISSING, dim=MISSING, keepdim=MISSING, *extra, dtype=None, out=None, **others):
    if not extra and not others and out is None:
        if dim is MISSING and keepdim is MISSING and type(input) in plain and (dtype is None or type(dtype) is Dtype):
            return c_reduction.prod(input, dtype)
        if type(input) in plain and type(dim) is int and (keepdim is MISSING or type(keepdim) is bool) and (dtype is None or type(dtype) is Dtype):
            return c_reduction.prod_dim_int(input, dim, (False if keepdim is MISSING else keepdim), dtype)
    return resolve(r_prod, (('input', input, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
        ('dtype', dtype, None),
        ('out', out, None),
    ), others)

r_prod.public = prod


r_trapezoid = Resolver('trapezoid', ('trapezoid.x', 'trapezoid.dx',), False)


def trapezoid(y=MISSING, x=MISSING, *extra, dim=-1, dx=MISSING, **others):
    if not extra and not others:
        if dx is MISSING and type(y) in plain and type(x) in plain and type(dim) is int:
            return c_reduction.trapezoid_x(y, x, dim)
        if x is MISSING and type(y) in plain and (dx is MISSING or type(dx) in number_types) and type(dim) is int:
            return c_reduction.trapezoid_dx(y, (1 if dx is MISSING else dx), dim)
    return resolve(r_trapezoid, (('y', y, MISSING), ('x', x, MISSING),), extra, (
        ('dim', dim, -1),
        ('dx', dx, MISSING),
    ), others)

r_trapezoid.public = trapezoid


r_trapz = Resolver('trapz', ('trapz.dx', 'trapz.x',), False)


def trapz(y=MISSING, x=MISSING, *extra, dx=MISSING, dim=-1, **others):
    if not extra and not others:
        if x is MISSING and type(y) in plain and (dx is MISSING or type(dx) is float) and type(dim) is int:
            return c_reduction.trapz_dx(y, (1.0 if dx is MISSING else dx), dim)
        if dx is MISSING and type(y) in plain and type(x) in plain and type(dim) is int:
            return c_reduction.trapz_x(y, x, dim)
    return resolve(r_trapz, (('y', y, MISSING), ('x', x, MISSING),), extra, (
        ('dx', dx, MISSING),
        ('dim', dim, -1),
    ), others)

r_trapz.public = trapz


r_var = Resolver('var', ('var.dim|var.out', 'var.correction|var.correction_out', 'var',), False)


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


r_var_mean = Resolver('var_mean', ('var_mean.dim', 'var_mean.correction', 'var_mean',), False)


def var_mean(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None):
            return c_reduction.var_mean_dim(args[0], (args[1] if args[1] is None else v1), True, False)
        if n == 3 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None) and type(args[2]) is bool:
            return c_reduction.var_mean_dim(args[0], (args[1] if args[1] is None else v1), args[2], False)
        if n == 4 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None) and type(args[2]) is bool and type(args[3]) is bool:
            return c_reduction.var_mean_dim(args[0], (args[1] if args[1] is None else v1), args[2], args[3])
        if n == 1 and type(args[0]) in plain:
            return c_reduction.var_mean_correction(args[0], None, None, False)
        if n == 2 and type(args[0]) in plain and (args[1] is None or (v1 := (args[1],) if type(args[1]) is int else int_list(args[1])) is not None):
            return c_reduction.var_mean_correction(args[0], (args[1] if args[1] is None else v1), None, False)
        if n == 1 and type(args[0]) in plain:
            return c_reduction.var_mean(args[0], True)
        if n == 2 and type(args[0]) in plain and type(args[1]) is bool:
            return c_reduction.var_mean(args[0], args[1])
    return r_var_mean(args, kwargs)

r_var_mean.public = var_mean


r_native_norm = Resolver('native_norm', ('native_norm', 'native_norm.ScalarOpt_dim_dtype',), False)


def native_norm(input=MISSING, p=MISSING, dim=MISSING, keepdim=MISSING, dtype=MISSING, *extra, **others):
    if not extra and not others:
        if dim is MISSING and keepdim is MISSING and dtype is MISSING and type(input) in plain and (p is MISSING or type(p) in number_types):
            return c_reduction.native_norm(input, (2 if p is MISSING else p))
        if type(input) in plain and (p is None or type(p) in number_types) and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_reduction.native_norm_ScalarOpt_dim_dtype(input, p, dim_, keepdim, dtype)
    return resolve(r_native_norm, (('input', input, MISSING), ('p', p, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING), ('dtype', dtype, MISSING),), extra, (
    ), others)

r_native_norm.public = native_norm


r_norm = Resolver('norm', ('norm.Scalar', 'norm.ScalarOpt_dtype', 'norm.ScalarOpt_dim_dtype|norm.dtype_out', 'norm.ScalarOpt_dim|norm.out',), False)


def norm(input=MISSING, p=MISSING, dim=MISSING, keepdim=MISSING, *extra, dtype=MISSING, out=None, **others):
    if not extra and not others and out is None:
        if dim is MISSING and keepdim is MISSING and dtype is MISSING and type(input) in plain and (p is MISSING or type(p) in number_types):
            return c_reduction.norm_Scalar(input, (2 if p is MISSING else p))
        if dim is MISSING and keepdim is MISSING and type(input) in plain and (p is None or type(p) in number_types) and type(dtype) is Dtype:
            return c_reduction.norm_ScalarOpt_dtype(input, p, dtype)
        if type(input) in plain and (p is None or type(p) in number_types) and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool and type(dtype) is Dtype:
            return c_reduction.norm_ScalarOpt_dim_dtype(input, p, dim_, keepdim, dtype)
        if dtype is MISSING and type(input) in plain and (p is None or type(p) in number_types) and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and (keepdim is MISSING or type(keepdim) is bool):
            return c_reduction.norm_ScalarOpt_dim(input, p, dim_, (False if keepdim is MISSING else keepdim))
    return resolve(r_norm, (('input', input, MISSING), ('p', p, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
        ('dtype', dtype, MISSING),
        ('out', out, None),
    ), others)

r_norm.public = norm


r_frobenius_norm = Resolver('frobenius_norm', ('frobenius_norm.dim|frobenius_norm.out',), False)


def frobenius_norm(input=MISSING, dim=MISSING, keepdim=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool:
            return c_reduction.frobenius_norm_dim(input, dim_, keepdim)
    return resolve(r_frobenius_norm, (('input', input, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, False),), extra, (
        ('out', out, None),
    ), others)

r_frobenius_norm.public = frobenius_norm


r_nuclear_norm = Resolver('nuclear_norm', ('nuclear_norm.dim|nuclear_norm.dim_out', 'nuclear_norm|nuclear_norm.out',), False)


def nuclear_norm(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and (v1 := (args[1],) * 2 if type(args[1]) is int else int_list(args[1])) is not None:
            return c_reduction.nuclear_norm_dim(args[0], v1, False)
        if n == 3 and type(args[0]) in plain and (v1 := (args[1],) * 2 if type(args[1]) is int else int_list(args[1])) is not None and type(args[2]) is bool:
            return c_reduction.nuclear_norm_dim(args[0], v1, args[2])
        if n == 1 and type(args[0]) in plain:
            return c_reduction.nuclear_norm(args[0], False)
        if n == 2 and type(args[0]) in plain and type(args[1]) is bool:
            return c_reduction.nuclear_norm(args[0], args[1])
    return r_nuclear_norm(args, kwargs)

r_nuclear_norm.public = nuclear_norm


r_dist = Resolver('dist', ('dist',), False)


def dist(input=MISSING, other=MISSING, p=2, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain and type(p) in number_types:
            return c_reduction.dist(input, other, p)
    return resolve(r_dist, (('input', input, MISSING), ('other', other, MISSING), ('p', p, 2),), extra, (
    ), others)

r_dist.public = dist


r_renorm = Resolver('renorm', ('renorm|renorm.out',), False)


def renorm(input=MISSING, p=MISSING, dim=MISSING, maxnorm=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(p) in number_types and type(dim) is int and type(maxnorm) in number_types:
            return c_reduction.renorm(input, p, dim, maxnorm)
    return resolve(r_renorm, (('input', input, MISSING), ('p', p, MISSING), ('dim', dim, MISSING), ('maxnorm', maxnorm, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_renorm.public = renorm


r_hash_tensor = Resolver('hash_tensor', ('hash_tensor|hash_tensor.out',), False)


def hash_tensor(input=MISSING, dim=(), *extra, keepdim=False, mode=0, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool and type(mode) is int:
            return c_reduction.hash_tensor(input, dim_, keepdim, mode)
    return resolve(r_hash_tensor, (('input', input, MISSING), ('dim', dim, ()),), extra, (
        ('keepdim', keepdim, False),
        ('mode', mode, 0),
        ('out', out, None),
    ), others)

r_hash_tensor.public = hash_tensor


r_cov = Resolver('cov', ('cov',), False)


def cov(input=MISSING, *extra, correction=1, fweights=None, aweights=None, **others):
    if not extra and not others:
        if type(input) in plain and type(correction) is int and (fweights is None or type(fweights) in plain) and (aweights is None or type(aweights) in plain):
            return c_reduction.cov(input, correction, fweights, aweights)
    return resolve(r_cov, (('input', input, MISSING),), extra, (
        ('correction', correction, 1),
        ('fweights', fweights, None),
        ('aweights', aweights, None),
    ), others)

r_cov.public = cov


r_corrcoef = Resolver('corrcoef', ('corrcoef',), False)


def corrcoef(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_reduction.corrcoef(input)
    return resolve(r_corrcoef, (('input', input, MISSING),), extra, (
    ), others)

r_corrcoef.public = corrcoef


r_gradient = Resolver('gradient', ('gradient.array', 'gradient.scalararray', 'gradient.scalarint', 'gradient.scalarrayint', 'gradient.scalarrayarray', 'gradient.tensorarrayint', 'gradient.tensorarray',), False)


def gradient(input=MISSING, *extra, dim=MISSING, edge_order=1, spacing=MISSING, **others):
    if not extra and not others:
        if spacing is MISSING and type(input) in plain and (dim_ := int_list(dim)) is not None and type(edge_order) is int:
            return c_reduction.gradient_array(input, dim_, edge_order)
        if type(input) in plain and type(spacing) in number_types and (dim_ := int_list(dim)) is not None and type(edge_order) is int:
            return c_reduction.gradient_scalararray(input, spacing, dim_, edge_order)
        if type(input) in plain and (spacing is MISSING or (spacing is None or type(spacing) in number_types)) and (dim is MISSING or (dim is None or type(dim) is int)) and type(edge_order) is int:
            return c_reduction.gradient_scalarint(input, (None if spacing is MISSING else spacing), (None if dim is MISSING else dim), edge_order)
        if type(input) in plain and (type(spacing) in sequence_types and plain.issuperset(map(type, spacing))) and (dim is MISSING or (dim is None or type(dim) is int)) and type(edge_order) is int:
            return c_reduction.gradient_tensorarrayint(input, spacing, (None if dim is MISSING else dim), edge_order)
        if type(input) in plain and (type(spacing) in sequence_types and plain.issuperset(map(type, spacing))) and (dim_ := int_list(dim)) is not None and type(edge_order) is int:
            return c_reduction.gradient_tensorarray(input, spacing, dim_, edge_order)
    return resolve(r_gradient, (('input', input, MISSING),), extra, (
        ('dim', dim, MISSING),
        ('edge_order', edge_order, 1),
        ('spacing', spacing, MISSING),
    ), others)

r_gradient.public = gradient


r_affine_grid_generator = Resolver('affine_grid_generator', ('affine_grid_generator',), False)


def affine_grid_generator(theta=MISSING, size=MISSING, align_corners=MISSING, *extra, **others):
    if not extra and not others:
        if type(theta) in plain and (size_ := int_list(size)) is not None and type(align_corners) is bool:
            return c_resampling.affine_grid_generator(theta, size_, align_corners)
    return resolve(r_affine_grid_generator, (('theta', theta, MISSING), ('size', size, MISSING), ('align_corners', align_corners, MISSING),), extra, (
    ), others)

r_affine_grid_generator.public = affine_grid_generator


r_grid_sampler = Resolver('grid_sampler', ('grid_sampler',), False)


def grid_sampler(input=MISSING, grid=MISSING, interpolation_mode=MISSING, padding_mode=MISSING, align_corners=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(grid) in plain and type(interpolation_mode) is int and type(padding_mode) is int and type(align_corners) is bool:
            return c_resampling.grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)
    return resolve(r_grid_sampler, (('input', input, MISSING), ('grid', grid, MISSING), ('interpolation_mode', interpolation_mode, MISSING), ('padding_mode', padding_mode, MISSING), ('align_corners', align_corners, MISSING),), extra, (
    ), others)

r_grid_sampler.public = grid_sampler


r_grid_sampler_2d = Resolver('grid_sampler_2d', ('grid_sampler_2d',), False)


def grid_sampler_2d(input=MISSING, grid=MISSING, interpolation_mode=MISSING, padding_mode=MISSING, align_corners=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(grid) in plain and type(interpolation_mode) is int and type(padding_mode) is int and type(align_corners) is bool:
            return c_resampling.grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners)
    return resolve(r_grid_sampler_2d, (('input', input, MISSING), ('grid', grid, MISSING), ('interpolation_mode', interpolation_mode, MISSING), ('padding_mode', padding_mode, MISSING), ('align_corners', align_corners, MISSING),), extra, (
    ), others)

r_grid_sampler_2d.public = grid_sampler_2d


r_grid_sampler_3d = Resolver('grid_sampler_3d', ('grid_sampler_3d',), False)


def grid_sampler_3d(input=MISSING, grid=MISSING, interpolation_mode=MISSING, padding_mode=MISSING, align_corners=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(grid) in plain and type(interpolation_mode) is int and type(padding_mode) is int and type(align_corners) is bool:
            return c_resampling.grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners)
    return resolve(r_grid_sampler_3d, (('input', input, MISSING), ('grid', grid, MISSING), ('interpolation_mode', interpolation_mode, MISSING), ('padding_mode', padding_mode, MISSING), ('align_corners', align_corners, MISSING),), extra, (
    ), others)

r_grid_sampler_3d.public = grid_sampler_3d


r__weighted_neighbours = Resolver('_weighted_neighbours', ('_weighted_neighbours',), False)


def _weighted_neighbours(input=MISSING, dim=MISSING, places=MISSING, factors=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim) is int and type(places) in plain and type(factors) in plain:
            return c_resampling._weighted_neighbours(input, dim, places, factors)
    return resolve(r__weighted_neighbours, (('input', input, MISSING), ('dim', dim, MISSING), ('places', places, MISSING), ('factors', factors, MISSING),), extra, (
    ), others)

r__weighted_neighbours.public = _weighted_neighbours


r_batch_norm = Resolver('batch_norm', ('batch_norm',), False)


def batch_norm(input=MISSING, weight=MISSING, bias=MISSING, running_mean=MISSING, running_var=MISSING, training=MISSING, momentum=MISSING, eps=MISSING, cudnn_enabled=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (weight is None or type(weight) in plain) and (bias is None or type(bias) in plain) and (running_mean is None or type(running_mean) in plain) and (running_var is None or type(running_var) in plain) and type(training) is bool and type(momentum) is float and type(eps) is float and type(cudnn_enabled) is bool:
            return c_rows.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled)
    return resolve(r_batch_norm, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, MISSING), ('running_mean', running_mean, MISSING), ('running_var', running_var, MISSING), ('training', training, MISSING), ('momentum', momentum, MISSING), ('eps', eps, MISSING), ('cudnn_enabled', cudnn_enabled, MISSING),), extra, (
    ), others)

r_batch_norm.public = batch_norm


r__batch_norm_impl_index = Resolver('_batch_norm_impl_index', ('_batch_norm_impl_index',), False)


def _batch_norm_impl_index(input=MISSING, weight=MISSING, bias=MISSING, running_mean=MISSING, running_var=MISSING, training=MISSING, momentum=MISSING, eps=MISSING, cudnn_enabled=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (weight is None or type(weight) in plain) and (bias is None or type(bias) in plain) and (running_mean is None or type(running_mean) in plain) and (running_var is None or type(running_var) in plain) and type(training) is bool and type(momentum) is float and type(eps) is float and type(cudnn_enabled) is bool:
            return c_rows._batch_norm_impl_index(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled)
    return resolve(r__batch_norm_impl_index, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, MISSING), ('running_mean', running_mean, MISSING), ('running_var', running_var, MISSING), ('training', training, MISSING), ('momentum', momentum, MISSING), ('eps', eps, MISSING), ('cudnn_enabled', cudnn_enabled, MISSING),), extra, (
    ), others)

r__batch_norm_impl_index.public = _batch_norm_impl_index


r_group_norm = Resolver('group_norm', ('group_norm',), False)


def group_norm(input=MISSING, num_groups=MISSING, weight=None, bias=None, eps=1e-05, cudnn_enabled=True, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(num_groups) is int and (weight is None or type(weight) in plain) and (bias is None or type(bias) in plain) and type(eps) is float and type(cudnn_enabled) is bool:
            return c_rows.group_norm(input, num_groups, weight, bias, eps, cudnn_enabled)
    return resolve(r_group_norm, (('input', input, MISSING), ('num_groups', num_groups, MISSING), ('weight', weight, None), ('bias', bias, None), ('eps', eps, 1e-05), ('cudnn_enabled', cudnn_enabled, True),), extra, (
    ), others)

r_group_norm.public = group_norm


r_native_group_norm = Resolver('native_group_norm', ('native_group_norm',), False)


def native_group_norm(input=MISSING, weight=MISSING, bias=MISSING, N=MISSING, C=MISSING, HxW=MISSING, group=MISSING, eps=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (weight is None or type(weight) in plain) and (bias is None or type(bias) in plain) and type(N) is int and type(C) is int and type(HxW) is int and type(group) is int and type(eps) is float:
            return c_rows.native_group_norm(input, weight, bias, N, C, HxW, group, eps)
    return resolve(r_native_group_norm, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, MISSING), ('N', N, MISSING), ('C', C, MISSING), ('HxW', HxW, MISSING), ('group', group, MISSING), ('eps', eps, MISSING),), extra, (
    ), others)

r_native_group_norm.public = native_group_norm


r_instance_norm = Resolver('instance_norm', ('instance_norm',), False)


def instance_norm(input=MISSING, weight=MISSING, bias=MISSING, running_mean=MISSING, running_var=MISSING, use_input_stats=MISSING, momentum=MISSING, eps=MISSING, cudnn_enabled=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (weight is None or type(weight) in plain) and (bias is None or type(bias) in plain) and (running_mean is None or type(running_mean) in plain) and (running_var is None or type(running_var) in plain) and type(use_input_stats) is bool and type(momentum) is float and type(eps) is float and type(cudnn_enabled) is bool:
            return c_rows.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled)
    return resolve(r_instance_norm, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, MISSING), ('running_mean', running_mean, MISSING), ('running_var', running_var, MISSING), ('use_input_stats', use_input_stats, MISSING), ('momentum', momentum, MISSING), ('eps', eps, MISSING), ('cudnn_enabled', cudnn_enabled, MISSING),), extra, (
    ), others)

r_instance_norm.public = instance_norm


r_layer_norm = Resolver('layer_norm', ('layer_norm',), False)


def layer_norm(input=MISSING, normalized_shape=MISSING, weight=None, bias=None, eps=1e-05, cudnn_enable=True, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (normalized_shape_ := int_list(normalized_shape)) is not None and (weight is None or type(weight) in plain) and (bias is None or type(bias) in plain) and type(eps) is float and type(cudnn_enable) is bool:
            return c_rows.layer_norm(input, normalized_shape_, weight, bias, eps, cudnn_enable)
    return resolve(r_layer_norm, (('input', input, MISSING), ('normalized_shape', normalized_shape, MISSING), ('weight', weight, None), ('bias', bias, None), ('eps', eps, 1e-05), ('cudnn_enable', cudnn_enable, True),), extra, (
    ), others)

r_layer_norm.public = layer_norm


r_native_layer_norm = Resolver('native_layer_norm', ('native_layer_norm',), False)


def native_layer_norm(input=MISSING, normalized_shape=MISSING, weight=MISSING, bias=MISSING, eps=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (normalized_shape_ := int_list(normalized_shape)) is not None and (weight is None or type(weight) in plain) and (bias is None or type(bias) in plain) and type(eps) is float:
            return c_rows.native_layer_norm(input, normalized_shape_, weight, bias, eps)
    return resolve(r_native_layer_norm, (('input', input, MISSING), ('normalized_shape', normalized_shape, MISSING), ('weight', weight, MISSING), ('bias', bias, MISSING), ('eps', eps, MISSING),), extra, (
    ), others)

r_native_layer_norm.public = native_layer_norm


r_rms_norm = Resolver('rms_norm', ('rms_norm',), False)


def rms_norm(input=MISSING, normalized_shape=MISSING, weight=None, eps=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (normalized_shape_ := int_list(normalized_shape)) is not None and (weight is None or type(weight) in plain) and (eps is None or type(eps) is float):
            return c_rows.rms_norm(input, normalized_shape_, weight, eps)
    return resolve(r_rms_norm, (('input', input, MISSING), ('normalized_shape', normalized_shape, MISSING), ('weight', weight, None), ('eps', eps, None),), extra, (
    ), others)

r_rms_norm.public = rms_norm


r__fused_rms_norm = Resolver('_fused_rms_norm', ('_fused_rms_norm',), False)


def _fused_rms_norm(input=MISSING, normalized_shape=MISSING, weight=MISSING, eps=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (normalized_shape_ := int_list(normalized_shape)) is not None and (weight is None or type(weight) in plain) and (eps is None or type(eps) is float):
            return c_rows._fused_rms_norm(input, normalized_shape_, weight, eps)
    return resolve(r__fused_rms_norm, (('input', input, MISSING), ('normalized_shape', normalized_shape, MISSING), ('weight', weight, MISSING), ('eps', eps, MISSING),), extra, (
    ), others)

r__fused_rms_norm.public = _fused_rms_norm


r_log_softmax = Resolver('log_softmax', ('log_softmax.int|log_softmax.int_out',), False)


def log_softmax(input=MISSING, dim=MISSING, dtype=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and (dtype is None or type(dtype) is Dtype):
            return c_rows.log_softmax_int(input, dim, dtype)
    return resolve(r_log_softmax, (('input', input, MISSING), ('dim', dim, MISSING), ('dtype', dtype, None),), extra, (
        ('out', out, None),
    ), others)

r_log_softmax.public = log_softmax


r__log_softmax = Resolver('_log_softmax', ('_log_softmax|_log_softmax.out',), False)


def _log_softmax(input=MISSING, dim=MISSING, half_to_float=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and type(half_to_float) is bool:
            return c_rows._log_softmax(input, dim, half_to_float)
    return resolve(r__log_softmax, (('input', input, MISSING), ('dim', dim, MISSING), ('half_to_float', half_to_float, MISSING),), extra, (
        ('out', out, None),
    ), others)

r__log_softmax.public = _log_softmax


r__batch_norm_of_batch = Resolver('_batch_norm_of_batch', ('_batch_norm_of_batch',), False)


def _batch_norm_of_batch(input=MISSING, weight=MISSING, bias=MISSING, eps=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (weight is None or type(weight) in plain) and (bias is None or type(bias) in plain) and type(eps) is float:
            return c_rows._batch_norm_of_batch(input, weight, bias, eps)
    return resolve(r__batch_norm_of_batch, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, MISSING), ('eps', eps, MISSING),), extra, (
    ), others)

r__batch_norm_of_batch.public = _batch_norm_of_batch


r__move_statistics_ = Resolver('_move_statistics_', ('_move_statistics_',), False)


def _move_statistics_(mean=MISSING, variance=MISSING, found_mean=MISSING, found_variance=MISSING, share=MISSING, *extra, **others):
    if not extra and not others:
        if type(mean) in plain and type(variance) in plain and type(found_mean) in plain and type(found_variance) in plain and type(share) is float:
            return c_rows._move_statistics_(mean, variance, found_mean, found_variance, share)
    return resolve(r__move_statistics_, (('mean', mean, MISSING), ('variance', variance, MISSING), ('found_mean', found_mean, MISSING), ('found_variance', found_variance, MISSING), ('share', share, MISSING),), extra, (
    ), others)

r__move_statistics_.public = _move_statistics_


r_native_batch_norm = Resolver('native_batch_norm', ('native_batch_norm|native_batch_norm.out',), False)


def native_batch_norm(input=MISSING, weight=MISSING, bias=MISSING, running_mean=MISSING, running_var=MISSING, training=MISSING, momentum=MISSING, eps=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (weight is None or type(weight) in plain) and (bias is None or type(bias) in plain) and (running_mean is None or type(running_mean) in plain) and (running_var is None or type(running_var) in plain) and type(training) is bool and type(momentum) is float and type(eps) is float:
            return c_rows.native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
    return resolve(r_native_batch_norm, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, MISSING), ('running_mean', running_mean, MISSING), ('running_var', running_var, MISSING), ('training', training, MISSING), ('momentum', momentum, MISSING), ('eps', eps, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_native_batch_norm.public = native_batch_norm


r__native_batch_norm_legit = Resolver('_native_batch_norm_legit', ('_native_batch_norm_legit|_native_batch_norm_legit.out', '_native_batch_norm_legit.no_stats|_native_batch_norm_legit.no_stats_out',), False)


def _native_batch_norm_legit(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 8 and type(args[0]) in plain and (args[1] is None or type(args[1]) in plain) and (args[2] is None or type(args[2]) in plain) and type(args[3]) in plain and type(args[4]) in plain and type(args[5]) is bool and type(args[6]) is float and type(args[7]) is float:
            return c_rows._native_batch_norm_legit(args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7])
        if n == 6 and type(args[0]) in plain and (args[1] is None or type(args[1]) in plain) and (args[2] is None or type(args[2]) in plain) and type(args[3]) is bool and type(args[4]) is float and type(args[5]) is float:
            return c_rows._native_batch_norm_legit_no_stats(args[0], args[1], args[2], args[3], args[4], args[5])
    return r__native_batch_norm_legit(args, kwargs)

r__native_batch_norm_legit.public = _native_batch_norm_legit


r__native_batch_norm_legit_no_training = Resolver('_native_batch_norm_legit_no_training', ('_native_batch_norm_legit_no_training',), False)


def _native_batch_norm_legit_no_training(input=MISSING, weight=MISSING, bias=MISSING, running_mean=MISSING, running_var=MISSING, momentum=MISSING, eps=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (weight is None or type(weight) in plain) and (bias is None or type(bias) in plain) and type(running_mean) in plain and type(running_var) in plain and type(momentum) is float and type(eps) is float:
            return c_rows._native_batch_norm_legit_no_training(input, weight, bias, running_mean, running_var, momentum, eps)
    return resolve(r__native_batch_norm_legit_no_training, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, MISSING), ('running_mean', running_mean, MISSING), ('running_var', running_var, MISSING), ('momentum', momentum, MISSING), ('eps', eps, MISSING),), extra, (
    ), others)

r__native_batch_norm_legit_no_training.public = _native_batch_norm_legit_no_training


r_softmax = Resolver('softmax', ('softmax.int|softmax.int_out',), False)


def softmax(input=MISSING, dim=MISSING, dtype=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and (dtype is None or type(dtype) is Dtype):
            return c_rows.softmax_int(input, dim, dtype)
    return resolve(r_softmax, (('input', input, MISSING), ('dim', dim, MISSING), ('dtype', dtype, None),), extra, (
        ('out', out, None),
    ), others)

r_softmax.public = softmax


r__softmax = Resolver('_softmax', ('_softmax|_softmax.out',), False)


def _softmax(input=MISSING, dim=MISSING, half_to_float=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and type(half_to_float) is bool:
            return c_rows._softmax(input, dim, half_to_float)
    return resolve(r__softmax, (('input', input, MISSING), ('dim', dim, MISSING), ('half_to_float', half_to_float, MISSING),), extra, (
        ('out', out, None),
    ), others)

r__softmax.public = _softmax


r__softmax_backward_data = Resolver('_softmax_backward_data', ('_softmax_backward_data',), False)


def _softmax_backward_data(grad_output=MISSING, output=MISSING, dim=MISSING, input_dtype=MISSING, *extra, **others):
    if not extra and not others:
        if type(grad_output) in plain and type(output) in plain and type(dim) is int and type(input_dtype) is Dtype:
            return c_rows._softmax_backward_data(grad_output, output, dim, input_dtype)
    return resolve(r__softmax_backward_data, (('grad_output', grad_output, MISSING), ('output', output, MISSING), ('dim', dim, MISSING), ('input_dtype', input_dtype, MISSING),), extra, (
    ), others)

r__softmax_backward_data.public = _softmax_backward_data


r__log_softmax_backward_data = Resolver('_log_softmax_backward_data', ('_log_softmax_backward_data',), False)


def _log_softmax_backward_data(grad_output=MISSING, output=MISSING, dim=MISSING, input_dtype=MISSING, *extra, **others):
    if not extra and not others:
        if type(grad_output) in plain and type(output) in plain and type(dim) is int and type(input_dtype) is Dtype:
            return c_rows._log_softmax_backward_data(grad_output, output, dim, input_dtype)
    return resolve(r__log_softmax_backward_data, (('grad_output', grad_output, MISSING), ('output', output, MISSING), ('dim', dim, MISSING), ('input_dtype', input_dtype, MISSING),), extra, (
    ), others)

r__log_softmax_backward_data.public = _log_softmax_backward_data


r__layer_norm_input_gradient = Resolver('_layer_norm_input_gradient', ('_layer_norm_input_gradient',), False)


def _layer_norm_input_gradient(grad=MISSING, input=MISSING, mean=MISSING, rstd=MISSING, weight=MISSING, normalized_shape=MISSING, *extra, **others):
    if not extra and not others:
        if type(grad) in plain and type(input) in plain and type(mean) in plain and type(rstd) in plain and (weight is None or type(weight) in plain) and (normalized_shape_ := int_list(normalized_shape)) is not None:
            return c_rows._layer_norm_input_gradient(grad, input, mean, rstd, weight, normalized_shape_)
    return resolve(r__layer_norm_input_gradient, (('grad', grad, MISSING), ('input', input, MISSING), ('mean', mean, MISSING), ('rstd', rstd, MISSING), ('weight', weight, MISSING), ('normalized_shape', normalized_shape, MISSING),), extra, (
    ), others)

r__layer_norm_input_gradient.public = _layer_norm_input_gradient


r__safe_softmax = Resolver('_safe_softmax', ('_safe_softmax',), False)


def _safe_softmax(input=MISSING, dim=MISSING, dtype=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim) is int and (dtype is None or type(dtype) is Dtype):
            return c_rows._safe_softmax(input, dim, dtype)
    return resolve(r__safe_softmax, (('input', input, MISSING), ('dim', dim, MISSING), ('dtype', dtype, None),), extra, (
    ), others)

r__safe_softmax.public = _safe_softmax


r_rand = Resolver('rand', ('rand.generator|rand.generator_out', 'rand|rand.out',), False)


def rand(*args, dtype=None, layout=None, device=None, pin_memory=None, out=None, requires_grad=False, **others):
    if plain and not others and out is None and requires_grad is False and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (integers_ := integers(args)) is not None:
        return c_sampling.rand(integers_, dtype, layout, device, pin_memory)
    return resolve(r_rand, (), args, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_rand.public = rand


r_randn = Resolver('randn', ('randn.generator|randn.generator_out', 'randn|randn.out',), False)


def randn(*args, dtype=None, layout=None, device=None, pin_memory=None, out=None, requires_grad=False, **others):
    if plain and not others and out is None and requires_grad is False and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (integers_ := integers(args)) is not None:
        return c_sampling.randn(integers_, dtype, layout, device, pin_memory)
    return resolve(r_randn, (), args, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_randn.public = randn


r_randint = Resolver('randint', ('randint.generator|randint.generator_out', 'randint|randint.out', 'randint.low_generator|randint.low_generator_out', 'randint.low|randint.low_out',), False)


def randint(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if plain and n == 2 and type(args[0]) is int and (v1 := int_list(args[1])) is not None:
            return c_sampling.randint(args[0], v1, constants.long, None, None, None)
        if plain and n == 3 and type(args[0]) is int and type(args[1]) is int and (v2 := int_list(args[2])) is not None:
            return c_sampling.randint_low(args[0], args[1], v2, constants.long, None, None, None)
    return r_randint(args, kwargs)

r_randint.public = randint


r_randperm = Resolver('randperm', ('randperm.generator|randperm.generator_out', 'randperm|randperm.out',), False)


def randperm(n=MISSING, *extra, generator=MISSING, dtype=constants.long, layout=None, device=None, pin_memory=None, out=None, requires_grad=False, **others):
    if not extra and not others and out is None and requires_grad is False:
        if plain and type(n) is int and generator is None and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_sampling.randperm_generator(n, generator, dtype, layout, device, pin_memory)
        if plain and generator is MISSING and type(n) is int and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_sampling.randperm(n, dtype, layout, device, pin_memory)
    return resolve(r_randperm, (('n', n, MISSING),), extra, (
        ('generator', generator, MISSING),
        ('dtype', dtype, constants.long),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_randperm.public = randperm


r_rand_like = Resolver('rand_like', ('rand_like.generator', 'rand_like',), False)


def rand_like(input=MISSING, *extra, generator=MISSING, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if type(input) in plain and generator is None and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (memory_format is None or type(memory_format) is MemoryFormat):
            return c_sampling.rand_like_generator(input, generator, dtype, layout, device, pin_memory, memory_format)
        if generator is MISSING and type(input) in plain and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (memory_format is None or type(memory_format) is MemoryFormat):
            return c_sampling.rand_like(input, dtype, layout, device, pin_memory, memory_format)
    return resolve(r_rand_like, (('input', input, MISSING),), extra, (
        ('generator', generator, MISSING),
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('memory_format', memory_format, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_rand_like.public = rand_like


r_randn_like = Resolver('randn_like', ('randn_like.generator', 'randn_like',), False)


def randn_like(input=MISSING, *extra, generator=MISSING, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if type(input) in plain and generator is None and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (memory_format is None or type(memory_format) is MemoryFormat):
            return c_sampling.randn_like_generator(input, generator, dtype, layout, device, pin_memory, memory_format)
        if generator is MISSING and type(input) in plain and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (memory_format is None or type(memory_format) is MemoryFormat):
            return c_sampling.randn_like(input, dtype, layout, device, pin_memory, memory_format)
    return resolve(r_randn_like, (('input', input, MISSING),), extra, (
        ('generator', generator, MISSING),
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('memory_format', memory_format, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_randn_like.public = randn_like


r_randint_like = Resolver('randint_like', ('randint_like.low_generator_dtype', 'randint_like.low_dtype', 'randint_like.Tensor_generator', 'randint_like.Tensor', 'randint_like.generator', 'randint_like',), False)


def randint_like(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 3 and type(args[0]) in plain and type(args[1]) is int and type(args[2]) is int:
            return c_sampling.randint_like_low_dtype(args[0], args[1], args[2], None, None, None, None, None)
        if n == 2 and type(args[0]) in plain and type(args[1]) in plain:
            return c_sampling.randint_like_Tensor(args[0], args[1], None, None, None, None, None)
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return c_sampling.randint_like(args[0], args[1], None, None, None, None, None)
    return r_randint_like(args, kwargs)

r_randint_like.public = randint_like


r_normal = Resolver('normal', ('normal.Tensor_Tensor|normal.Tensor_Tensor_out', 'normal.Tensor_float|normal.Tensor_float_out', 'normal.float_Tensor|normal.float_Tensor_out', 'normal.float_float|normal.float_float_out',), False)


def normal(mean=MISSING, std=MISSING, size=MISSING, *extra, generator=None, dtype=MISSING, layout=MISSING, device=MISSING, pin_memory=MISSING, out=None, requires_grad=False, **others):
    if not extra and not others and out is None and requires_grad is False:
        if size is MISSING and dtype is MISSING and layout is MISSING and device is MISSING and pin_memory is MISSING and type(mean) in plain and type(std) in plain and generator is None:
            return c_sampling.normal_Tensor_Tensor(mean, std, generator)
        if size is MISSING and dtype is MISSING and layout is MISSING and device is MISSING and pin_memory is MISSING and type(mean) in plain and (std is MISSING or type(std) is float) and generator is None:
            return c_sampling.normal_Tensor_float(mean, (1.0 if std is MISSING else std), generator)
        if size is MISSING and dtype is MISSING and layout is MISSING and device is MISSING and pin_memory is MISSING and type(mean) is float and type(std) in plain and generator is None:
            return c_sampling.normal_float_Tensor(mean, std, generator)
        if plain and type(mean) is float and type(std) is float and (size_ := int_list(size)) is not None and generator is None and (dtype is MISSING or (dtype is None or type(dtype) is Dtype)) and (layout is MISSING or (layout is None or type(layout) is Layout)) and (device is MISSING or (device is None or type(device) is Device)) and (pin_memory is MISSING or (pin_memory is None or type(pin_memory) is bool)):
            return c_sampling.normal_float_float(mean, std, size_, generator, (None if dtype is MISSING else dtype), (None if layout is MISSING else layout), (None if device is MISSING else device), (None if pin_memory is MISSING else pin_memory))
    return resolve(r_normal, (('mean', mean, MISSING), ('std', std, MISSING), ('size', size, MISSING),), extra, (
        ('generator', generator, None),
        ('dtype', dtype, MISSING),
        ('layout', layout, MISSING),
        ('device', device, MISSING),
        ('pin_memory', pin_memory, MISSING),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_normal.public = normal


r_bernoulli = Resolver('bernoulli', ('bernoulli|bernoulli.out', 'bernoulli.p', '-bernoulli.Tensor',), False)


def bernoulli(input=MISSING, p=MISSING, *extra, generator=None, out=None, **others):
    if not extra and not others and out is None:
        if p is MISSING and type(input) in plain and generator is None:
            return c_sampling.bernoulli(input, generator)
        if type(input) in plain and type(p) is float and generator is None:
            return c_sampling.bernoulli_p(input, p, generator)
        if type(input) in plain and type(p) in plain and generator is None:
            return c_sampling.bernoulli_Tensor(input, p, generator)
    return resolve(r_bernoulli, (('input', input, MISSING), ('p', p, MISSING),), extra, (
        ('generator', generator, None),
        ('out', out, None),
    ), others)

r_bernoulli.public = bernoulli


r_multinomial = Resolver('multinomial', ('multinomial|multinomial.out',), False)


def multinomial(input=MISSING, num_samples=MISSING, replacement=False, *extra, generator=None, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(num_samples) is int and type(replacement) is bool and generator is None:
            return c_sampling.multinomial(input, num_samples, replacement, generator)
    return resolve(r_multinomial, (('input', input, MISSING), ('num_samples', num_samples, MISSING), ('replacement', replacement, False),), extra, (
        ('generator', generator, None),
        ('out', out, None),
    ), others)

r_multinomial.public = multinomial


r_poisson = Resolver('poisson', ('poisson',), False)


def poisson(input=MISSING, generator=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and generator is None:
            return c_sampling.poisson(input, generator)
    return resolve(r_poisson, (('input', input, MISSING), ('generator', generator, None),), extra, (
    ), others)

r_poisson.public = poisson


r_binomial = Resolver('binomial', ('binomial',), False)


def binomial(count=MISSING, prob=MISSING, generator=None, *extra, **others):
    if not extra and not others:
        if type(count) in plain and type(prob) in plain and generator is None:
            return c_sampling.binomial(count, prob, generator)
    return resolve(r_binomial, (('count', count, MISSING), ('prob', prob, MISSING), ('generator', generator, None),), extra, (
    ), others)

r_binomial.public = binomial


r__standard_gamma = Resolver('_standard_gamma', ('_standard_gamma',), False)


def _standard_gamma(input=MISSING, generator=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and generator is None:
            return c_sampling._standard_gamma(input, generator)
    return resolve(r__standard_gamma, (('input', input, MISSING), ('generator', generator, None),), extra, (
    ), others)

r__standard_gamma.public = _standard_gamma


r__standard_gamma_grad = Resolver('_standard_gamma_grad', ('_standard_gamma_grad',), False)


def _standard_gamma_grad(input=MISSING, output=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(output) in plain:
            return c_sampling._standard_gamma_grad(input, output)
    return resolve(r__standard_gamma_grad, (('input', input, MISSING), ('output', output, MISSING),), extra, (
    ), others)

r__standard_gamma_grad.public = _standard_gamma_grad


r__dirichlet_grad = Resolver('_dirichlet_grad', ('_dirichlet_grad',), False)


def _dirichlet_grad(x=MISSING, alpha=MISSING, total=MISSING, *extra, **others):
    if not extra and not others:
        if type(x) in plain and type(alpha) in plain and type(total) in plain:
            return c_sampling._dirichlet_grad(x, alpha, total)
    return resolve(r__dirichlet_grad, (('x', x, MISSING), ('alpha', alpha, MISSING), ('total', total, MISSING),), extra, (
    ), others)

r__dirichlet_grad.public = _dirichlet_grad


r__sample_dirichlet = Resolver('_sample_dirichlet', ('_sample_dirichlet',), False)


def _sample_dirichlet(input=MISSING, generator=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and generator is None:
            return c_sampling._sample_dirichlet(input, generator)
    return resolve(r__sample_dirichlet, (('input', input, MISSING), ('generator', generator, None),), extra, (
    ), others)

r__sample_dirichlet.public = _sample_dirichlet


r_dropout = Resolver('dropout', ('dropout',), False)


def dropout(input=MISSING, p=MISSING, train=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(p) is float and type(train) is bool:
            return c_sampling.dropout(input, p, train)
    return resolve(r_dropout, (('input', input, MISSING), ('p', p, MISSING), ('train', train, MISSING),), extra, (
    ), others)

r_dropout.public = dropout


r_dropout_ = Resolver('dropout_', ('dropout_',), False)


def dropout_(input=MISSING, p=MISSING, train=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(p) is float and type(train) is bool:
            return c_sampling.dropout_(input, p, train)
    return resolve(r_dropout_, (('input', input, MISSING), ('p', p, MISSING), ('train', train, MISSING),), extra, (
    ), others)

r_dropout_.public = dropout_


r_feature_dropout = Resolver('feature_dropout', ('feature_dropout',), False)


def feature_dropout(input=MISSING, p=MISSING, train=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(p) is float and type(train) is bool:
            return c_sampling.feature_dropout(input, p, train)
    return resolve(r_feature_dropout, (('input', input, MISSING), ('p', p, MISSING), ('train', train, MISSING),), extra, (
    ), others)

r_feature_dropout.public = feature_dropout


r_feature_dropout_ = Resolver('feature_dropout_', ('feature_dropout_',), False)


def feature_dropout_(input=MISSING, p=MISSING, train=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(p) is float and type(train) is bool:
            return c_sampling.feature_dropout_(input, p, train)
    return resolve(r_feature_dropout_, (('input', input, MISSING), ('p', p, MISSING), ('train', train, MISSING),), extra, (
    ), others)

r_feature_dropout_.public = feature_dropout_


r_alpha_dropout = Resolver('alpha_dropout', ('alpha_dropout',), False)


def alpha_dropout(input=MISSING, p=MISSING, train=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(p) is float and type(train) is bool:
            return c_sampling.alpha_dropout(input, p, train)
    return resolve(r_alpha_dropout, (('input', input, MISSING), ('p', p, MISSING), ('train', train, MISSING),), extra, (
    ), others)

r_alpha_dropout.public = alpha_dropout


r_alpha_dropout_ = Resolver('alpha_dropout_', ('alpha_dropout_',), False)


def alpha_dropout_(input=MISSING, p=MISSING, train=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(p) is float and type(train) is bool:
            return c_sampling.alpha_dropout_(input, p, train)
    return resolve(r_alpha_dropout_, (('input', input, MISSING), ('p', p, MISSING), ('train', train, MISSING),), extra, (
    ), others)

r_alpha_dropout_.public = alpha_dropout_


r_feature_alpha_dropout = Resolver('feature_alpha_dropout', ('feature_alpha_dropout',), False)


def feature_alpha_dropout(input=MISSING, p=MISSING, train=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(p) is float and type(train) is bool:
            return c_sampling.feature_alpha_dropout(input, p, train)
    return resolve(r_feature_alpha_dropout, (('input', input, MISSING), ('p', p, MISSING), ('train', train, MISSING),), extra, (
    ), others)

r_feature_alpha_dropout.public = feature_alpha_dropout


r_feature_alpha_dropout_ = Resolver('feature_alpha_dropout_', ('feature_alpha_dropout_',), False)


def feature_alpha_dropout_(input=MISSING, p=MISSING, train=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(p) is float and type(train) is bool:
            return c_sampling.feature_alpha_dropout_(input, p, train)
    return resolve(r_feature_alpha_dropout_, (('input', input, MISSING), ('p', p, MISSING), ('train', train, MISSING),), extra, (
    ), others)

r_feature_alpha_dropout_.public = feature_alpha_dropout_


r_native_dropout = Resolver('native_dropout', ('native_dropout',), False)


def native_dropout(input=MISSING, p=MISSING, train=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(p) is float and (train is None or type(train) is bool):
            return c_sampling.native_dropout(input, p, train)
    return resolve(r_native_dropout, (('input', input, MISSING), ('p', p, MISSING), ('train', train, MISSING),), extra, (
    ), others)

r_native_dropout.public = native_dropout


r__fused_dropout = Resolver('_fused_dropout', ('_fused_dropout',), False)


def _fused_dropout(input=MISSING, p=MISSING, generator=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(p) is float and generator is None:
            return c_sampling._fused_dropout(input, p, generator)
    return resolve(r__fused_dropout, (('input', input, MISSING), ('p', p, MISSING), ('generator', generator, None),), extra, (
    ), others)

r__fused_dropout.public = _fused_dropout


r_rrelu = Resolver('rrelu', ('rrelu',), False)


def rrelu(input=MISSING, lower=0.125, upper=0.3333333333333333, training=False, generator=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(lower) in number_types and type(upper) in number_types and type(training) is bool and generator is None:
            return c_sampling.rrelu(input, lower, upper, training, generator)
    return resolve(r_rrelu, (('input', input, MISSING), ('lower', lower, 0.125), ('upper', upper, 0.3333333333333333), ('training', training, False), ('generator', generator, None),), extra, (
    ), others)

r_rrelu.public = rrelu


r_rrelu_ = Resolver('rrelu_', ('rrelu_',), False)


def rrelu_(input=MISSING, lower=0.125, upper=0.3333333333333333, training=False, generator=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(lower) in number_types and type(upper) in number_types and type(training) is bool and generator is None:
            return c_sampling.rrelu_(input, lower, upper, training, generator)
    return resolve(r_rrelu_, (('input', input, MISSING), ('lower', lower, 0.125), ('upper', upper, 0.3333333333333333), ('training', training, False), ('generator', generator, None),), extra, (
    ), others)

r_rrelu_.public = rrelu_


r__unique = Resolver('_unique', ('_unique',), False)


def _unique(input=MISSING, sorted=True, return_inverse=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(sorted) is bool and type(return_inverse) is bool:
            return c_searching._unique(input, sorted, return_inverse)
    return resolve(r__unique, (('input', input, MISSING), ('sorted', sorted, True), ('return_inverse', return_inverse, False),), extra, (
    ), others)

r__unique.public = _unique


r__unique2 = Resolver('_unique2', ('_unique2',), False)


def _unique2(input=MISSING, sorted=True, return_inverse=False, return_counts=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(sorted) is bool and type(return_inverse) is bool and type(return_counts) is bool:
            return c_searching._unique2(input, sorted, return_inverse, return_counts)
    return resolve(r__unique2, (('input', input, MISSING), ('sorted', sorted, True), ('return_inverse', return_inverse, False), ('return_counts', return_counts, False),), extra, (
    ), others)

r__unique2.public = _unique2


r_unique_dim = Resolver('unique_dim', ('unique_dim',), False)


def unique_dim(input=MISSING, dim=MISSING, sorted=True, return_inverse=False, return_counts=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim) is int and type(sorted) is bool and type(return_inverse) is bool and type(return_counts) is bool:
            return c_searching.unique_dim(input, dim, sorted, return_inverse, return_counts)
    return resolve(r_unique_dim, (('input', input, MISSING), ('dim', dim, MISSING), ('sorted', sorted, True), ('return_inverse', return_inverse, False), ('return_counts', return_counts, False),), extra, (
    ), others)

r_unique_dim.public = unique_dim


r_unique_consecutive = Resolver('unique_consecutive', ('unique_consecutive',), False)


def unique_consecutive(input=MISSING, return_inverse=False, return_counts=False, dim=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(return_inverse) is bool and type(return_counts) is bool and (dim is None or type(dim) is int):
            return c_searching.unique_consecutive(input, return_inverse, return_counts, dim)
    return resolve(r_unique_consecutive, (('input', input, MISSING), ('return_inverse', return_inverse, False), ('return_counts', return_counts, False), ('dim', dim, None),), extra, (
    ), others)

r_unique_consecutive.public = unique_consecutive


r_unique_dim_consecutive = Resolver('unique_dim_consecutive', ('unique_dim_consecutive',), False)


def unique_dim_consecutive(input=MISSING, dim=MISSING, return_inverse=False, return_counts=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim) is int and type(return_inverse) is bool and type(return_counts) is bool:
            return c_searching.unique_dim_consecutive(input, dim, return_inverse, return_counts)
    return resolve(r_unique_dim_consecutive, (('input', input, MISSING), ('dim', dim, MISSING), ('return_inverse', return_inverse, False), ('return_counts', return_counts, False),), extra, (
    ), others)

r_unique_dim_consecutive.public = unique_dim_consecutive


r_searchsorted = Resolver('searchsorted', ('searchsorted.Tensor|searchsorted.Tensor_out', 'searchsorted.Scalar|searchsorted.Scalar_out',), False)


def searchsorted(sorted_sequence=MISSING, input=MISSING, *extra, out_int32=False, right=False, side=None, sorter=None, out=None, **others):
    if not extra and not others and out is None:
        if type(sorted_sequence) in plain and type(input) in plain and type(out_int32) is bool and type(right) is bool and (side is None or type(side) is str) and (sorter is None or type(sorter) in plain):
            return c_searching.searchsorted_Tensor(sorted_sequence, input, out_int32, right, side, sorter)
        if type(sorted_sequence) in plain and type(input) in number_types and type(out_int32) is bool and type(right) is bool and (side is None or type(side) is str) and (sorter is None or type(sorter) in plain):
            return c_searching.searchsorted_Scalar(sorted_sequence, input, out_int32, right, side, sorter)
    return resolve(r_searchsorted, (('sorted_sequence', sorted_sequence, MISSING), ('input', input, MISSING),), extra, (
        ('out_int32', out_int32, False),
        ('right', right, False),
        ('side', side, None),
        ('sorter', sorter, None),
        ('out', out, None),
    ), others)

r_searchsorted.public = searchsorted


r_bucketize = Resolver('bucketize', ('bucketize.Tensor|bucketize.Tensor_out', 'bucketize.Scalar',), False)


def bucketize(input=MISSING, boundaries=MISSING, *extra, out_int32=False, right=False, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(boundaries) in plain and type(out_int32) is bool and type(right) is bool:
            return c_searching.bucketize_Tensor(input, boundaries, out_int32, right)
        if type(input) in number_types and type(boundaries) in plain and type(out_int32) is bool and type(right) is bool:
            return c_searching.bucketize_Scalar(input, boundaries, out_int32, right)
    return resolve(r_bucketize, (('input', input, MISSING), ('boundaries', boundaries, MISSING),), extra, (
        ('out_int32', out_int32, False),
        ('right', right, False),
        ('out', out, None),
    ), others)

r_bucketize.public = bucketize


r_histc = Resolver('histc', ('histc|histc.out',), False)


def histc(input=MISSING, bins=100, min=0, max=0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(bins) is int and type(min) in number_types and type(max) in number_types:
            return c_searching.histc(input, bins, min, max)
    return resolve(r_histc, (('input', input, MISSING), ('bins', bins, 100), ('min', min, 0), ('max', max, 0),), extra, (
        ('out', out, None),
    ), others)

r_histc.public = histc


r_bincount = Resolver('bincount', ('bincount',), False)


def bincount(input=MISSING, weights=None, minlength=0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (weights is None or type(weights) in plain) and type(minlength) is int:
            return c_searching.bincount(input, weights, minlength)
    return resolve(r_bincount, (('input', input, MISSING), ('weights', weights, None), ('minlength', minlength, 0),), extra, (
    ), others)

r_bincount.public = bincount


r_histogram = Resolver('histogram', ('histogram.bins_tensor|histogram.bins_tensor_out', 'histogram.bin_ct|histogram.bin_ct_out',), False)


def histogram(input=MISSING, bins=MISSING, *extra, weight=None, density=False, range=MISSING, out=None, **others):
    if not extra and not others and out is None:
        if range is MISSING and type(input) in plain and type(bins) in plain and (weight is None or type(weight) in plain) and type(density) is bool:
            return named_result('histogram', ('hist', 'bin_edges'))(c_searching.histogram_bins_tensor(input, bins, weight, density))
    return resolve(r_histogram, (('input', input, MISSING), ('bins', bins, MISSING),), extra, (
        ('weight', weight, None),
        ('density', density, False),
        ('range', range, MISSING),
        ('out', out, None),
    ), others)

r_histogram.public = histogram


r__histogramdd_bin_edges = Resolver('_histogramdd_bin_edges', ('_histogramdd_bin_edges',), False)


def _histogramdd_bin_edges(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and (v1 := int_list(args[1])) is not None:
            return c_searching._histogramdd_bin_edges(args[0], v1, None, None, False)
    return r__histogramdd_bin_edges(args, kwargs)

r__histogramdd_bin_edges.public = _histogramdd_bin_edges


r__histogramdd_from_bin_cts = Resolver('_histogramdd_from_bin_cts', ('_histogramdd_from_bin_cts',), False)


def _histogramdd_from_bin_cts(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and (v1 := int_list(args[1])) is not None:
            return c_searching._histogramdd_from_bin_cts(args[0], v1, None, None, False)
    return r__histogramdd_from_bin_cts(args, kwargs)

r__histogramdd_from_bin_cts.public = _histogramdd_from_bin_cts


r__histogramdd_from_bin_tensors = Resolver('_histogramdd_from_bin_tensors', ('_histogramdd_from_bin_tensors',), False)


def _histogramdd_from_bin_tensors(input=MISSING, bins=MISSING, *extra, weight=None, density=False, **others):
    if not extra and not others:
        if type(input) in plain and (type(bins) in sequence_types and plain.issuperset(map(type, bins))) and (weight is None or type(weight) in plain) and type(density) is bool:
            return c_searching._histogramdd_from_bin_tensors(input, bins, weight, density)
    return resolve(r__histogramdd_from_bin_tensors, (('input', input, MISSING), ('bins', bins, MISSING),), extra, (
        ('weight', weight, None),
        ('density', density, False),
    ), others)

r__histogramdd_from_bin_tensors.public = _histogramdd_from_bin_tensors


r_histogramdd = Resolver('histogramdd', ('histogramdd.int_bins', 'histogramdd', 'histogramdd.TensorList_bins',), False)


def histogramdd(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return named_result('histogramdd', ('hist', 'bin_edges'))(c_searching.histogramdd_int_bins(args[0], args[1], None, None, False))
        if n == 2 and type(args[0]) in plain and (v1 := int_list(args[1])) is not None:
            return named_result('histogramdd', ('hist', 'bin_edges'))(c_searching.histogramdd(args[0], v1, None, None, False))
        if n == 2 and type(args[0]) in plain and (type(args[1]) in sequence_types and plain.issuperset(map(type, args[1]))):
            return named_result('histogramdd', ('hist', 'bin_edges'))(c_searching.histogramdd_TensorList_bins(args[0], args[1], None, None, False))
    return r_histogramdd(args, kwargs)

r_histogramdd.public = histogramdd


r_kthvalue = Resolver('kthvalue', ('kthvalue|kthvalue.values',), False)


def kthvalue(input=MISSING, k=MISSING, dim=-1, keepdim=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(k) is int and type(dim) is int and type(keepdim) is bool:
            return named_result('kthvalue', ('values', 'indices'))(c_sorting.kthvalue(input, k, dim, keepdim))
    return resolve(r_kthvalue, (('input', input, MISSING), ('k', k, MISSING), ('dim', dim, -1), ('keepdim', keepdim, False),), extra, (
        ('out', out, None),
    ), others)

r_kthvalue.public = kthvalue


r_median = Resolver('median', ('median', 'median.dim|median.dim_values',), False)


def median(input=MISSING, dim=MISSING, keepdim=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if dim is MISSING and keepdim is MISSING and type(input) in plain:
            return c_sorting.median(input)
        if type(input) in plain and type(dim) is int and (keepdim is MISSING or type(keepdim) is bool):
            return named_result('median', ('values', 'indices'))(c_sorting.median_dim(input, dim, (False if keepdim is MISSING else keepdim)))
    return resolve(r_median, (('input', input, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_median.public = median


r_nanmedian = Resolver('nanmedian', ('nanmedian', 'nanmedian.dim|nanmedian.dim_values',), False)


def nanmedian(input=MISSING, dim=MISSING, keepdim=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if dim is MISSING and keepdim is MISSING and type(input) in plain:
            return c_sorting.nanmedian(input)
        if type(input) in plain and type(dim) is int and (keepdim is MISSING or type(keepdim) is bool):
            return named_result('nanmedian', ('values', 'indices'))(c_sorting.nanmedian_dim(input, dim, (False if keepdim is MISSING else keepdim)))
    return resolve(r_nanmedian, (('input', input, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_nanmedian.public = nanmedian


r_mode = Resolver('mode', ('mode|mode.values',), False)


def mode(input=MISSING, dim=-1, keepdim=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and type(keepdim) is bool:
            return named_result('mode', ('values', 'indices'))(c_sorting.mode(input, dim, keepdim))
    return resolve(r_mode, (('input', input, MISSING), ('dim', dim, -1), ('keepdim', keepdim, False),), extra, (
        ('out', out, None),
    ), others)

r_mode.public = mode


r_quantile = Resolver('quantile', ('quantile|quantile.out', 'quantile.scalar|quantile.scalar_out',), False)


def quantile(input=MISSING, q=MISSING, dim=None, keepdim=False, *extra, interpolation='linear', out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(q) in plain and (dim is None or type(dim) is int) and type(keepdim) is bool and type(interpolation) is str:
            return c_sorting.quantile(input, q, dim, keepdim, interpolation)
        if type(input) in plain and type(q) is float and (dim is None or type(dim) is int) and type(keepdim) is bool and type(interpolation) is str:
            return c_sorting.quantile_scalar(input, q, dim, keepdim, interpolation)
    return resolve(r_quantile, (('input', input, MISSING), ('q', q, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('interpolation', interpolation, 'linear'),
        ('out', out, None),
    ), others)

r_quantile.public = quantile


r_nanquantile = Resolver('nanquantile', ('nanquantile|nanquantile.out', 'nanquantile.scalar|nanquantile.scalar_out',), False)


def nanquantile(input=MISSING, q=MISSING, dim=None, keepdim=False, *extra, interpolation='linear', out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(q) in plain and (dim is None or type(dim) is int) and type(keepdim) is bool and type(interpolation) is str:
            return c_sorting.nanquantile(input, q, dim, keepdim, interpolation)
        if type(input) in plain and type(q) is float and (dim is None or type(dim) is int) and type(keepdim) is bool and type(interpolation) is str:
            return c_sorting.nanquantile_scalar(input, q, dim, keepdim, interpolation)
    return resolve(r_nanquantile, (('input', input, MISSING), ('q', q, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('interpolation', interpolation, 'linear'),
        ('out', out, None),
    ), others)

r_nanquantile.public = nanquantile


r_sort = Resolver('sort', ('sort.stable|sort.values_stable', 'sort|sort.values',), False)


def sort(input=MISSING, *extra, stable=MISSING, dim=-1, descending=False, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (stable is None or type(stable) is bool) and type(dim) is int and type(descending) is bool:
            return named_result('sort', ('values', 'indices'))(c_sorting.sort_stable(input, stable, dim, descending))
        if stable is MISSING and type(input) in plain and type(dim) is int and type(descending) is bool:
            return named_result('sort', ('values', 'indices'))(c_sorting.sort(input, dim, descending))
    return resolve(r_sort, (('input', input, MISSING),), extra, (
        ('stable', stable, MISSING),
        ('dim', dim, -1),
        ('descending', descending, False),
        ('out', out, None),
    ), others)

r_sort.public = sort


r_msort = Resolver('msort', ('msort|msort.out',), False)


def msort(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_sorting.msort(input)
    return resolve(r_msort, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_msort.public = msort


r_argsort = Resolver('argsort', ('argsort.stable|argsort.stable_out', 'argsort',), False)


def argsort(input=MISSING, *extra, stable=MISSING, dim=-1, descending=False, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(stable) is bool and type(dim) is int and type(descending) is bool:
            return c_sorting.argsort_stable(input, stable, dim, descending)
        if stable is MISSING and type(input) in plain and type(dim) is int and type(descending) is bool:
            return c_sorting.argsort(input, dim, descending)
    return resolve(r_argsort, (('input', input, MISSING),), extra, (
        ('stable', stable, MISSING),
        ('dim', dim, -1),
        ('descending', descending, False),
        ('out', out, None),
    ), others)

r_argsort.public = argsort


r_topk = Resolver('topk', ('topk|topk.values',), False)


def topk(input=MISSING, k=MISSING, dim=-1, largest=True, sorted=True, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(k) is int and type(dim) is int and type(largest) is bool and type(sorted) is bool:
            return named_result('topk', ('values', 'indices'))(c_sorting.topk(input, k, dim, largest, sorted))
    return resolve(r_topk, (('input', input, MISSING), ('k', k, MISSING), ('dim', dim, -1), ('largest', largest, True), ('sorted', sorted, True),), extra, (
        ('out', out, None),
    ), others)

r_topk.public = topk


r__spdiags = Resolver('_spdiags', ('_spdiags',), False)


def _spdiags(diagonals=MISSING, offsets=MISSING, shape=MISSING, layout=None, *extra, **others):
    if not extra and not others:
        if type(diagonals) in plain and type(offsets) in plain and (shape_ := int_list(shape)) is not None and (layout is None or type(layout) is Layout):
            return c_sparse._spdiags(diagonals, offsets, shape_, layout)
    return resolve(r__spdiags, (('diagonals', diagonals, MISSING), ('offsets', offsets, MISSING), ('shape', shape, MISSING), ('layout', layout, None),), extra, (
    ), others)

r__spdiags.public = _spdiags


r__sparse_coo_tensor_unsafe = Resolver('_sparse_coo_tensor_unsafe', ('_sparse_coo_tensor_unsafe',), False)


def _sparse_coo_tensor_unsafe(indices=MISSING, values=MISSING, size=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, is_coalesced=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if type(indices) in plain and type(values) in plain and (size_ := int_list(size)) is not None and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (is_coalesced is None or type(is_coalesced) is bool):
            return c_sparse._sparse_coo_tensor_unsafe(indices, values, size_, dtype, layout, device, pin_memory, is_coalesced)
    return resolve(r__sparse_coo_tensor_unsafe, (('indices', indices, MISSING), ('values', values, MISSING), ('size', size, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('is_coalesced', is_coalesced, None),
        ('requires_grad', requires_grad, False),
    ), others)

r__sparse_coo_tensor_unsafe.public = _sparse_coo_tensor_unsafe


r__sparse_coo_tensor_with_dims = Resolver('_sparse_coo_tensor_with_dims', ('_sparse_coo_tensor_with_dims',), False)


def _sparse_coo_tensor_with_dims(sparse_dim=MISSING, dense_dim=MISSING, size=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if plain and type(sparse_dim) is int and type(dense_dim) is int and (size_ := int_list(size)) is not None and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_sparse._sparse_coo_tensor_with_dims(sparse_dim, dense_dim, size_, dtype, layout, device, pin_memory)
    return resolve(r__sparse_coo_tensor_with_dims, (('sparse_dim', sparse_dim, MISSING), ('dense_dim', dense_dim, MISSING), ('size', size, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, False),
        ('requires_grad', requires_grad, False),
    ), others)

r__sparse_coo_tensor_with_dims.public = _sparse_coo_tensor_with_dims


r__sparse_coo_tensor_with_dims_and_tensors = Resolver('_sparse_coo_tensor_with_dims_and_tensors', ('_sparse_coo_tensor_with_dims_and_tensors',), False)


def _sparse_coo_tensor_with_dims_and_tensors(sparse_dim=MISSING, dense_dim=MISSING, size=MISSING, indices=MISSING, values=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=False, is_coalesced=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if type(sparse_dim) is int and type(dense_dim) is int and (size_ := int_list(size)) is not None and type(indices) in plain and type(values) in plain and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool) and (is_coalesced is None or type(is_coalesced) is bool):
            return c_sparse._sparse_coo_tensor_with_dims_and_tensors(sparse_dim, dense_dim, size_, indices, values, dtype, layout, device, pin_memory, is_coalesced)
    return resolve(r__sparse_coo_tensor_with_dims_and_tensors, (('sparse_dim', sparse_dim, MISSING), ('dense_dim', dense_dim, MISSING), ('size', size, MISSING), ('indices', indices, MISSING), ('values', values, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, False),
        ('is_coalesced', is_coalesced, None),
        ('requires_grad', requires_grad, False),
    ), others)

r__sparse_coo_tensor_with_dims_and_tensors.public = _sparse_coo_tensor_with_dims_and_tensors


r__validate_sparse_coo_tensor_args = Resolver('_validate_sparse_coo_tensor_args', ('_validate_sparse_coo_tensor_args',), False)


def _validate_sparse_coo_tensor_args(indices=MISSING, values=MISSING, size=MISSING, is_coalesced=None, check_pinning=None, *extra, **others):
    if not extra and not others:
        if type(indices) in plain and type(values) in plain and (size_ := int_list(size)) is not None and (is_coalesced is None or type(is_coalesced) is bool) and (check_pinning is None or type(check_pinning) is bool):
            return c_sparse._validate_sparse_coo_tensor_args(indices, values, size_, is_coalesced, check_pinning)
    return resolve(r__validate_sparse_coo_tensor_args, (('indices', indices, MISSING), ('values', values, MISSING), ('size', size, MISSING), ('is_coalesced', is_coalesced, None), ('check_pinning', check_pinning, None),), extra, (
    ), others)

r__validate_sparse_coo_tensor_args.public = _validate_sparse_coo_tensor_args


r__coalesce = Resolver('_coalesce', ('_coalesce',), False)


def _coalesce(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_sparse._coalesce(input)
    return resolve(r__coalesce, (('input', input, MISSING),), extra, (
    ), others)

r__coalesce.public = _coalesce


r__sparse_sum = Resolver('_sparse_sum', ('_sparse_sum', '_sparse_sum.dtype', '_sparse_sum.dim', '_sparse_sum.dim_dtype',), False)


def _sparse_sum(input=MISSING, dim=MISSING, *extra, dtype=MISSING, **others):
    if not extra and not others:
        if dim is MISSING and dtype is MISSING and type(input) in plain:
            return c_sparse._sparse_sum(input)
        if dim is MISSING and type(input) in plain and type(dtype) is Dtype:
            return c_sparse._sparse_sum_dtype(input, dtype)
        if dtype is MISSING and type(input) in plain and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None:
            return c_sparse._sparse_sum_dim(input, dim_)
        if type(input) in plain and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(dtype) is Dtype:
            return c_sparse._sparse_sum_dim_dtype(input, dim_, dtype)
    return resolve(r__sparse_sum, (('input', input, MISSING), ('dim', dim, MISSING),), extra, (
        ('dtype', dtype, MISSING),
    ), others)

r__sparse_sum.public = _sparse_sum


r__sparse_csr_sum = Resolver('_sparse_csr_sum', ('_sparse_csr_sum.dim_dtype',), False)


def _sparse_csr_sum(input=MISSING, dim=MISSING, keepdim=False, *extra, dtype=None, **others):
    if not extra and not others:
        if type(input) in plain and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_sparse._sparse_csr_sum_dim_dtype(input, dim_, keepdim, dtype)
    return resolve(r__sparse_csr_sum, (('input', input, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, False),), extra, (
        ('dtype', dtype, None),
    ), others)

r__sparse_csr_sum.public = _sparse_csr_sum


r__sparse_csr_prod = Resolver('_sparse_csr_prod', ('_sparse_csr_prod.dim_dtype',), False)


def _sparse_csr_prod(input=MISSING, dim=MISSING, keepdim=False, *extra, dtype=None, **others):
    if not extra and not others:
        if type(input) in plain and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_sparse._sparse_csr_prod_dim_dtype(input, dim_, keepdim, dtype)
    return resolve(r__sparse_csr_prod, (('input', input, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, False),), extra, (
        ('dtype', dtype, None),
    ), others)

r__sparse_csr_prod.public = _sparse_csr_prod


r_embedding_sparse_backward = Resolver('embedding_sparse_backward', ('embedding_sparse_backward',), False)


def embedding_sparse_backward(grad=MISSING, indices=MISSING, num_weights=MISSING, padding_idx=MISSING, scale_grad_by_freq=MISSING, *extra, **others):
    if not extra and not others:
        if type(grad) in plain and type(indices) in plain and type(num_weights) is int and type(padding_idx) is int and type(scale_grad_by_freq) is bool:
            return c_sparse.embedding_sparse_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq)
    return resolve(r_embedding_sparse_backward, (('grad', grad, MISSING), ('indices', indices, MISSING), ('num_weights', num_weights, MISSING), ('padding_idx', padding_idx, MISSING), ('scale_grad_by_freq', scale_grad_by_freq, MISSING),), extra, (
    ), others)

r_embedding_sparse_backward.public = embedding_sparse_backward


r__gather_sparse_backward = Resolver('_gather_sparse_backward', ('_gather_sparse_backward',), False)


def _gather_sparse_backward(input=MISSING, dim=MISSING, index=MISSING, grad=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim) is int and type(index) in plain and type(grad) in plain:
            return c_sparse._gather_sparse_backward(input, dim, index, grad)
    return resolve(r__gather_sparse_backward, (('input', input, MISSING), ('dim', dim, MISSING), ('index', index, MISSING), ('grad', grad, MISSING),), extra, (
    ), others)

r__gather_sparse_backward.public = _gather_sparse_backward


r__sparse_mm = Resolver('_sparse_mm', ('_sparse_mm', '_sparse_mm.reduce',), False)


def _sparse_mm(sparse=MISSING, dense=MISSING, reduce=MISSING, *extra, **others):
    if not extra and not others:
        if reduce is MISSING and type(sparse) in plain and type(dense) in plain:
            return c_sparse._sparse_mm(sparse, dense)
        if type(sparse) in plain and type(dense) in plain and type(reduce) is str:
            return c_sparse._sparse_mm_reduce(sparse, dense, reduce)
    return resolve(r__sparse_mm, (('sparse', sparse, MISSING), ('dense', dense, MISSING), ('reduce', reduce, MISSING),), extra, (
    ), others)

r__sparse_mm.public = _sparse_mm


r__sparse_addmm = Resolver('_sparse_addmm', ('_sparse_addmm',), False)


def _sparse_addmm(input=MISSING, mat1=MISSING, mat2=MISSING, *extra, beta=1, alpha=1, **others):
    if not extra and not others:
        if type(input) in plain and type(mat1) in plain and type(mat2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_sparse._sparse_addmm(input, mat1, mat2, beta, alpha)
    return resolve(r__sparse_addmm, (('input', input, MISSING), ('mat1', mat1, MISSING), ('mat2', mat2, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
    ), others)

r__sparse_addmm.public = _sparse_addmm


r__sparse_sparse_matmul = Resolver('_sparse_sparse_matmul', ('_sparse_sparse_matmul',), False)


def _sparse_sparse_matmul(input=MISSING, other=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(other) in plain:
            return c_sparse._sparse_sparse_matmul(input, other)
    return resolve(r__sparse_sparse_matmul, (('input', input, MISSING), ('other', other, MISSING),), extra, (
    ), others)

r__sparse_sparse_matmul.public = _sparse_sparse_matmul


r_smm = Resolver('smm', ('smm',), False)


def smm(input=MISSING, mat2=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(mat2) in plain:
            return c_sparse.smm(input, mat2)
    return resolve(r_smm, (('input', input, MISSING), ('mat2', mat2, MISSING),), extra, (
    ), others)

r_smm.public = smm


r_sspaddmm = Resolver('sspaddmm', ('sspaddmm',), False)


def sspaddmm(input=MISSING, mat1=MISSING, mat2=MISSING, *extra, beta=1, alpha=1, **others):
    if not extra and not others:
        if type(input) in plain and type(mat1) in plain and type(mat2) in plain and type(beta) in number_types and type(alpha) in number_types:
            return c_sparse.sspaddmm(input, mat1, mat2, beta, alpha)
    return resolve(r_sspaddmm, (('input', input, MISSING), ('mat1', mat1, MISSING), ('mat2', mat2, MISSING),), extra, (
        ('beta', beta, 1),
        ('alpha', alpha, 1),
    ), others)

r_sspaddmm.public = sspaddmm


r_hspmm = Resolver('hspmm', ('hspmm',), False)


def hspmm(mat1=MISSING, mat2=MISSING, *extra, **others):
    if not extra and not others:
        if type(mat1) in plain and type(mat2) in plain:
            return c_sparse.hspmm(mat1, mat2)
    return resolve(r_hspmm, (('mat1', mat1, MISSING), ('mat2', mat2, MISSING),), extra, (
    ), others)

r_hspmm.public = hspmm


r__sparse_softmax = Resolver('_sparse_softmax', ('_sparse_softmax.int', '_sparse_softmax',), False)


def _sparse_softmax(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return c_sparse._sparse_softmax_int(args[0], args[1], None)
        if n == 3 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is Dtype):
            return c_sparse._sparse_softmax_int(args[0], args[1], args[2])
        if n == 3 and type(args[0]) in plain and type(args[1]) is int and type(args[2]) is bool:
            return c_sparse._sparse_softmax(args[0], args[1], args[2])
    return r__sparse_softmax(args, kwargs)

r__sparse_softmax.public = _sparse_softmax


r__sparse_softmax_backward_data = Resolver('_sparse_softmax_backward_data', ('_sparse_softmax_backward_data',), False)


def _sparse_softmax_backward_data(grad_output=MISSING, output=MISSING, dim=MISSING, input=MISSING, *extra, **others):
    if not extra and not others:
        if type(grad_output) in plain and type(output) in plain and type(dim) is int and type(input) in plain:
            return c_sparse._sparse_softmax_backward_data(grad_output, output, dim, input)
    return resolve(r__sparse_softmax_backward_data, (('grad_output', grad_output, MISSING), ('output', output, MISSING), ('dim', dim, MISSING), ('input', input, MISSING),), extra, (
    ), others)

r__sparse_softmax_backward_data.public = _sparse_softmax_backward_data


r__sparse_log_softmax = Resolver('_sparse_log_softmax', ('_sparse_log_softmax.int', '_sparse_log_softmax',), False)


def _sparse_log_softmax(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return c_sparse._sparse_log_softmax_int(args[0], args[1], None)
        if n == 3 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is Dtype):
            return c_sparse._sparse_log_softmax_int(args[0], args[1], args[2])
        if n == 3 and type(args[0]) in plain and type(args[1]) is int and type(args[2]) is bool:
            return c_sparse._sparse_log_softmax(args[0], args[1], args[2])
    return r__sparse_log_softmax(args, kwargs)

r__sparse_log_softmax.public = _sparse_log_softmax


r__sparse_log_softmax_backward_data = Resolver('_sparse_log_softmax_backward_data', ('_sparse_log_softmax_backward_data',), False)


def _sparse_log_softmax_backward_data(grad_output=MISSING, output=MISSING, dim=MISSING, input=MISSING, *extra, **others):
    if not extra and not others:
        if type(grad_output) in plain and type(output) in plain and type(dim) is int and type(input) in plain:
            return c_sparse._sparse_log_softmax_backward_data(grad_output, output, dim, input)
    return resolve(r__sparse_log_softmax_backward_data, (('grad_output', grad_output, MISSING), ('output', output, MISSING), ('dim', dim, MISSING), ('input', input, MISSING),), extra, (
    ), others)

r__sparse_log_softmax_backward_data.public = _sparse_log_softmax_backward_data


r_resize_as_sparse_ = Resolver('resize_as_sparse_', ('resize_as_sparse_',), False)


def resize_as_sparse_(input=MISSING, the_template=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(the_template) in plain:
            return c_sparse.resize_as_sparse_(input, the_template)
    return resolve(r_resize_as_sparse_, (('input', input, MISSING), ('the_template', the_template, MISSING),), extra, (
    ), others)

r_resize_as_sparse_.public = resize_as_sparse_


r__sparse_broadcast_to = Resolver('_sparse_broadcast_to', ('_sparse_broadcast_to',), False)


def _sparse_broadcast_to(input=MISSING, size=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (size_ := int_list(size)) is not None:
            return c_sparse._sparse_broadcast_to(input, size_)
    return resolve(r__sparse_broadcast_to, (('input', input, MISSING), ('size', size, MISSING),), extra, (
    ), others)

r__sparse_broadcast_to.public = _sparse_broadcast_to


r__sparse_compressed_tensor_unsafe = Resolver('_sparse_compressed_tensor_unsafe', ('_sparse_compressed_tensor_unsafe',), False)


def _sparse_compressed_tensor_unsafe(compressed_indices=MISSING, plain_indices=MISSING, values=MISSING, size=MISSING, *extra, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False, **others):
    if not extra and not others and requires_grad is False:
        if type(compressed_indices) in plain and type(plain_indices) in plain and type(values) in plain and (size_ := int_list(size)) is not None and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_sparse._sparse_compressed_tensor_unsafe(compressed_indices, plain_indices, values, size_, dtype, layout, device, pin_memory)
    return resolve(r__sparse_compressed_tensor_unsafe, (('compressed_indices', compressed_indices, MISSING), ('plain_indices', plain_indices, MISSING), ('values', values, MISSING), ('size', size, MISSING),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('requires_grad', requires_grad, False),
    ), others)

r__sparse_compressed_tensor_unsafe.public = _sparse_compressed_tensor_unsafe


r__validate_sparse_compressed_tensor_args = Resolver('_validate_sparse_compressed_tensor_args', ('_validate_sparse_compressed_tensor_args',), False)


def _validate_sparse_compressed_tensor_args(compressed_indices=MISSING, plain_indices=MISSING, values=MISSING, size=MISSING, layout=MISSING, check_pinning=None, *extra, **others):
    if not extra and not others:
        if type(compressed_indices) in plain and type(plain_indices) in plain and type(values) in plain and (size_ := int_list(size)) is not None and type(layout) is Layout and (check_pinning is None or type(check_pinning) is bool):
            return c_sparse._validate_sparse_compressed_tensor_args(compressed_indices, plain_indices, values, size_, layout, check_pinning)
    return resolve(r__validate_sparse_compressed_tensor_args, (('compressed_indices', compressed_indices, MISSING), ('plain_indices', plain_indices, MISSING), ('values', values, MISSING), ('size', size, MISSING), ('layout', layout, MISSING), ('check_pinning', check_pinning, None),), extra, (
    ), others)

r__validate_sparse_compressed_tensor_args.public = _validate_sparse_compressed_tensor_args


r__validate_compressed_sparse_indices = Resolver('_validate_compressed_sparse_indices', ('_validate_compressed_sparse_indices',), False)


def _validate_compressed_sparse_indices(is_crow=MISSING, compressed_idx=MISSING, plain_idx=MISSING, cdim=MISSING, dim=MISSING, nnz=MISSING, *extra, **others):
    if not extra and not others:
        if type(is_crow) is bool and type(compressed_idx) in plain and type(plain_idx) in plain and type(cdim) is int and type(dim) is int and type(nnz) is int:
            return c_sparse._validate_compressed_sparse_indices(is_crow, compressed_idx, plain_idx, cdim, dim, nnz)
    return resolve(r__validate_compressed_sparse_indices, (('is_crow', is_crow, MISSING), ('compressed_idx', compressed_idx, MISSING), ('plain_idx', plain_idx, MISSING), ('cdim', cdim, MISSING), ('dim', dim, MISSING), ('nnz', nnz, MISSING),), extra, (
    ), others)

r__validate_compressed_sparse_indices.public = _validate_compressed_sparse_indices


r__validate_sparse_csr_tensor_args = Resolver('_validate_sparse_csr_tensor_args', ('_validate_sparse_csr_tensor_args',), False)


def _validate_sparse_csr_tensor_args(crow_indices=MISSING, col_indices=MISSING, values=MISSING, size=MISSING, check_pinning=None, *extra, **others):
    if not extra and not others:
        if type(crow_indices) in plain and type(col_indices) in plain and type(values) in plain and (size_ := int_list(size)) is not None and (check_pinning is None or type(check_pinning) is bool):
            return c_sparse._validate_sparse_csr_tensor_args(crow_indices, col_indices, values, size_, check_pinning)
    return resolve(r__validate_sparse_csr_tensor_args, (('crow_indices', crow_indices, MISSING), ('col_indices', col_indices, MISSING), ('values', values, MISSING), ('size', size, MISSING), ('check_pinning', check_pinning, None),), extra, (
    ), others)

r__validate_sparse_csr_tensor_args.public = _validate_sparse_csr_tensor_args


r__validate_sparse_csc_tensor_args = Resolver('_validate_sparse_csc_tensor_args', ('_validate_sparse_csc_tensor_args',), False)


def _validate_sparse_csc_tensor_args(ccol_indices=MISSING, row_indices=MISSING, values=MISSING, size=MISSING, check_pinning=None, *extra, **others):
    if not extra and not others:
        if type(ccol_indices) in plain and type(row_indices) in plain and type(values) in plain and (size_ := int_list(size)) is not None and (check_pinning is None or type(check_pinning) is bool):
            return c_sparse._validate_sparse_csc_tensor_args(ccol_indices, row_indices, values, size_, check_pinning)
    return resolve(r__validate_sparse_csc_tensor_args, (('ccol_indices', ccol_indices, MISSING), ('row_indices', row_indices, MISSING), ('values', values, MISSING), ('size', size, MISSING), ('check_pinning', check_pinning, None),), extra, (
    ), others)

r__validate_sparse_csc_tensor_args.public = _validate_sparse_csc_tensor_args


r__validate_sparse_bsr_tensor_args = Resolver('_validate_sparse_bsr_tensor_args', ('_validate_sparse_bsr_tensor_args',), False)


def _validate_sparse_bsr_tensor_args(crow_indices=MISSING, col_indices=MISSING, values=MISSING, size=MISSING, check_pinning=None, *extra, **others):
    if not extra and not others:
        if type(crow_indices) in plain and type(col_indices) in plain and type(values) in plain and (size_ := int_list(size)) is not None and (check_pinning is None or type(check_pinning) is bool):
            return c_sparse._validate_sparse_bsr_tensor_args(crow_indices, col_indices, values, size_, check_pinning)
    return resolve(r__validate_sparse_bsr_tensor_args, (('crow_indices', crow_indices, MISSING), ('col_indices', col_indices, MISSING), ('values', values, MISSING), ('size', size, MISSING), ('check_pinning', check_pinning, None),), extra, (
    ), others)

r__validate_sparse_bsr_tensor_args.public = _validate_sparse_bsr_tensor_args


r__validate_sparse_bsc_tensor_args = Resolver('_validate_sparse_bsc_tensor_args', ('_validate_sparse_bsc_tensor_args',), False)


def _validate_sparse_bsc_tensor_args(ccol_indices=MISSING, row_indices=MISSING, values=MISSING, size=MISSING, check_pinning=None, *extra, **others):
    if not extra and not others:
        if type(ccol_indices) in plain and type(row_indices) in plain and type(values) in plain and (size_ := int_list(size)) is not None and (check_pinning is None or type(check_pinning) is bool):
            return c_sparse._validate_sparse_bsc_tensor_args(ccol_indices, row_indices, values, size_, check_pinning)
    return resolve(r__validate_sparse_bsc_tensor_args, (('ccol_indices', ccol_indices, MISSING), ('row_indices', row_indices, MISSING), ('values', values, MISSING), ('size', size, MISSING), ('check_pinning', check_pinning, None),), extra, (
    ), others)

r__validate_sparse_bsc_tensor_args.public = _validate_sparse_bsc_tensor_args


r_view_as_real = Resolver('view_as_real', ('view_as_real',), False)


def view_as_real(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.view_as_real(input)
    return resolve(r_view_as_real, (('input', input, MISSING),), extra, (
    ), others)

r_view_as_real.public = view_as_real


r_view_as_complex = Resolver('view_as_complex', ('view_as_complex',), False)


def view_as_complex(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.view_as_complex(input)
    return resolve(r_view_as_complex, (('input', input, MISSING),), extra, (
    ), others)

r_view_as_complex.public = view_as_complex


r__conj = Resolver('_conj', ('_conj',), False)


def _conj(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view._conj(input)
    return resolve(r__conj, (('input', input, MISSING),), extra, (
    ), others)

r__conj.public = _conj


r_conj = Resolver('conj', ('conj',), False)


def conj(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.conj(input)
    return resolve(r_conj, (('input', input, MISSING),), extra, (
    ), others)

r_conj.public = conj


r__conj_physical = Resolver('_conj_physical', ('_conj_physical',), False)


def _conj_physical(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view._conj_physical(input)
    return resolve(r__conj_physical, (('input', input, MISSING),), extra, (
    ), others)

r__conj_physical.public = _conj_physical


r_conj_physical = Resolver('conj_physical', ('conj_physical|conj_physical.out',), False)


def conj_physical(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_view.conj_physical(input)
    return resolve(r_conj_physical, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_conj_physical.public = conj_physical


r_conj_physical_ = Resolver('conj_physical_', ('conj_physical_',), False)


def conj_physical_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.conj_physical_(input)
    return resolve(r_conj_physical_, (('input', input, MISSING),), extra, (
    ), others)

r_conj_physical_.public = conj_physical_


r_resolve_conj = Resolver('resolve_conj', ('resolve_conj',), False)


def resolve_conj(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.resolve_conj(input)
    return resolve(r_resolve_conj, (('input', input, MISSING),), extra, (
    ), others)

r_resolve_conj.public = resolve_conj


r_resolve_neg = Resolver('resolve_neg', ('resolve_neg',), False)


def resolve_neg(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.resolve_neg(input)
    return resolve(r_resolve_neg, (('input', input, MISSING),), extra, (
    ), others)

r_resolve_neg.public = resolve_neg


r__neg_view = Resolver('_neg_view', ('_neg_view',), False)


def _neg_view(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view._neg_view(input)
    return resolve(r__neg_view, (('input', input, MISSING),), extra, (
    ), others)

r__neg_view.public = _neg_view


r_as_strided = Resolver('as_strided', ('as_strided',), False)


def as_strided(input=MISSING, size=MISSING, stride=MISSING, storage_offset=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (size_ := int_list(size)) is not None and (stride_ := int_list(stride)) is not None and (storage_offset is None or type(storage_offset) is int):
            return c_view.as_strided(input, size_, stride_, storage_offset)
    return resolve(r_as_strided, (('input', input, MISSING), ('size', size, MISSING), ('stride', stride, MISSING), ('storage_offset', storage_offset, None),), extra, (
    ), others)

r_as_strided.public = as_strided


r_as_strided_ = Resolver('as_strided_', ('as_strided_',), False)


def as_strided_(input=MISSING, size=MISSING, stride=MISSING, storage_offset=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (size_ := int_list(size)) is not None and (stride_ := int_list(stride)) is not None and (storage_offset is None or type(storage_offset) is int):
            return c_view.as_strided_(input, size_, stride_, storage_offset)
    return resolve(r_as_strided_, (('input', input, MISSING), ('size', size, MISSING), ('stride', stride, MISSING), ('storage_offset', storage_offset, None),), extra, (
    ), others)

r_as_strided_.public = as_strided_


r_atleast_1d = Resolver('atleast_1d', ('atleast_1d', 'atleast_1d.Sequence',), False)


def atleast_1d(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 1 and type(args[0]) in plain:
            return c_view.atleast_1d(args[0])
        if plain and n == 1 and (type(args[0]) in sequence_types and plain.issuperset(map(type, args[0]))):
            return c_view.atleast_1d_Sequence(args[0])
    return r_atleast_1d(args, kwargs)

r_atleast_1d.public = atleast_1d


r_atleast_2d = Resolver('atleast_2d', ('atleast_2d', 'atleast_2d.Sequence',), False)


def atleast_2d(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 1 and type(args[0]) in plain:
            return c_view.atleast_2d(args[0])
        if plain and n == 1 and (type(args[0]) in sequence_types and plain.issuperset(map(type, args[0]))):
            return c_view.atleast_2d_Sequence(args[0])
    return r_atleast_2d(args, kwargs)

r_atleast_2d.public = atleast_2d


r_atleast_3d = Resolver('atleast_3d', ('atleast_3d', 'atleast_3d.Sequence',), False)


def atleast_3d(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 1 and type(args[0]) in plain:
            return c_view.atleast_3d(args[0])
        if plain and n == 1 and (type(args[0]) in sequence_types and plain.issuperset(map(type, args[0]))):
            return c_view.atleast_3d_Sequence(args[0])
    return r_atleast_3d(args, kwargs)

r_atleast_3d.public = atleast_3d


r_broadcast_tensors = Resolver('broadcast_tensors', ('broadcast_tensors',), False)


def broadcast_tensors(tensors=MISSING, *extra, **others):
    if not extra and not others:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))):
            return c_view.broadcast_tensors(tensors)
    return resolve(r_broadcast_tensors, (('tensors', tensors, MISSING),), extra, (
    ), others)

r_broadcast_tensors.public = broadcast_tensors


r_broadcast_to = Resolver('broadcast_to', ('broadcast_to',), False)


def broadcast_to(input=MISSING, size=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (size_ := int_list(size)) is not None:
            return c_view.broadcast_to(input, size_)
    return resolve(r_broadcast_to, (('input', input, MISSING), ('size', size, MISSING),), extra, (
    ), others)

r_broadcast_to.public = broadcast_to


r_unsafe_chunk = Resolver('unsafe_chunk', ('unsafe_chunk',), False)


def unsafe_chunk(input=MISSING, chunks=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(chunks) is int and type(dim) is int:
            return c_view.unsafe_chunk(input, chunks, dim)
    return resolve(r_unsafe_chunk, (('input', input, MISSING), ('chunks', chunks, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_unsafe_chunk.public = unsafe_chunk


r_chunk = Resolver('chunk', ('chunk',), False)


def chunk(input=MISSING, chunks=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(chunks) is int and type(dim) is int:
            return c_view.chunk(input, chunks, dim)
    return resolve(r_chunk, (('input', input, MISSING), ('chunks', chunks, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_chunk.public = chunk


r_tensor_split = Resolver('tensor_split', ('tensor_split.indices', 'tensor_split.tensor_indices_or_sections', 'tensor_split.sections',), False)


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


r_diag_embed = Resolver('diag_embed', ('diag_embed',), False)


def diag_embed(input=MISSING, offset=0, dim1=-2, dim2=-1, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(offset) is int and type(dim1) is int and type(dim2) is int:
            return c_view.diag_embed(input, offset, dim1, dim2)
    return resolve(r_diag_embed, (('input', input, MISSING), ('offset', offset, 0), ('dim1', dim1, -2), ('dim2', dim2, -1),), extra, (
    ), others)

r_diag_embed.public = diag_embed


r_diagflat = Resolver('diagflat', ('diagflat',), False)


def diagflat(input=MISSING, offset=0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(offset) is int:
            return c_view.diagflat(input, offset)
    return resolve(r_diagflat, (('input', input, MISSING), ('offset', offset, 0),), extra, (
    ), others)

r_diagflat.public = diagflat


r_diagonal = Resolver('diagonal', ('diagonal',), False)


def diagonal(input=MISSING, offset=0, dim1=0, dim2=1, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(offset) is int and type(dim1) is int and type(dim2) is int:
            return c_view.diagonal(input, offset, dim1, dim2)
    return resolve(r_diagonal, (('input', input, MISSING), ('offset', offset, 0), ('dim1', dim1, 0), ('dim2', dim2, 1),), extra, (
    ), others)

r_diagonal.public = diagonal


r_flatten = Resolver('flatten', ('flatten.using_ints',), False)


def flatten(input=MISSING, start_dim=0, end_dim=-1, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(start_dim) is int and type(end_dim) is int:
            return c_view.flatten_using_ints(input, start_dim, end_dim)
    return resolve(r_flatten, (('input', input, MISSING), ('start_dim', start_dim, 0), ('end_dim', end_dim, -1),), extra, (
    ), others)

r_flatten.public = flatten


r_unflatten = Resolver('unflatten', ('unflatten.int',), False)


def unflatten(input=MISSING, dim=MISSING, sizes=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim) is int and (sizes_ := int_list(sizes)) is not None:
            return c_view.unflatten_int(input, dim, sizes_)
    return resolve(r_unflatten, (('input', input, MISSING), ('dim', dim, MISSING), ('sizes', sizes, MISSING),), extra, (
    ), others)

r_unflatten.public = unflatten


r_is_conj = Resolver('is_conj', ('is_conj',), False)


def is_conj(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.is_conj(input)
    return resolve(r_is_conj, (('input', input, MISSING),), extra, (
    ), others)

r_is_conj.public = is_conj


r_is_neg = Resolver('is_neg', ('is_neg',), False)


def is_neg(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.is_neg(input)
    return resolve(r_is_neg, (('input', input, MISSING),), extra, (
    ), others)

r_is_neg.public = is_neg


r_narrow_copy = Resolver('narrow_copy', ('narrow_copy|narrow_copy.out',), False)


def narrow_copy(input=MISSING, dim=MISSING, start=MISSING, length=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and type(start) is int and type(length) is int:
            return c_view.narrow_copy(input, dim, start, length)
    return resolve(r_narrow_copy, (('input', input, MISSING), ('dim', dim, MISSING), ('start', start, MISSING), ('length', length, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_narrow_copy.public = narrow_copy


r_narrow = Resolver('narrow', ('narrow.Tensor', 'narrow',), False)


def narrow(input=MISSING, dim=MISSING, start=MISSING, length=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim) is int and type(start) in plain and type(length) is int:
            return c_view.narrow_Tensor(input, dim, start, length)
        if type(input) in plain and type(dim) is int and type(start) is int and type(length) is int:
            return c_view.narrow(input, dim, start, length)
    return resolve(r_narrow, (('input', input, MISSING), ('dim', dim, MISSING), ('start', start, MISSING), ('length', length, MISSING),), extra, (
    ), others)

r_narrow.public = narrow


r_permute = Resolver('permute', ('permute',), False)


def permute(input=MISSING, dims=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (dims_ := int_list(dims)) is not None:
            return c_view.permute(input, dims_)
    return resolve(r_permute, (('input', input, MISSING), ('dims', dims, MISSING),), extra, (
    ), others)

r_permute.public = permute


r_movedim = Resolver('movedim', ('movedim.int', 'movedim.intlist',), False)


def movedim(input=MISSING, source=MISSING, destination=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(source) is int and type(destination) is int:
            return c_view.movedim_int(input, source, destination)
        if type(input) in plain and (source_ := int_list(source)) is not None and (destination_ := int_list(destination)) is not None:
            return c_view.movedim_intlist(input, source_, destination_)
    return resolve(r_movedim, (('input', input, MISSING), ('source', source, MISSING), ('destination', destination, MISSING),), extra, (
    ), others)

r_movedim.public = movedim


r_moveaxis = Resolver('moveaxis', ('moveaxis.int', 'moveaxis.intlist',), False)


def moveaxis(input=MISSING, source=MISSING, destination=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(source) is int and type(destination) is int:
            return c_view.moveaxis_int(input, source, destination)
        if type(input) in plain and (source_ := int_list(source)) is not None and (destination_ := int_list(destination)) is not None:
            return c_view.moveaxis_intlist(input, source_, destination_)
    return resolve(r_moveaxis, (('input', input, MISSING), ('source', source, MISSING), ('destination', destination, MISSING),), extra, (
    ), others)

r_moveaxis.public = moveaxis


r_adjoint = Resolver('adjoint', ('adjoint',), False)


def adjoint(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.adjoint(input)
    return resolve(r_adjoint, (('input', input, MISSING),), extra, (
    ), others)

r_adjoint.public = adjoint


r_ravel = Resolver('ravel', ('ravel',), False)


def ravel(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.ravel(input)
    return resolve(r_ravel, (('input', input, MISSING),), extra, (
    ), others)

r_ravel.public = ravel


r_repeat_interleave = Resolver('repeat_interleave', ('repeat_interleave.self_Tensor', 'repeat_interleave.Tensor', 'repeat_interleave.self_int',), False)


def repeat_interleave(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and type(args[1]) in plain:
            return c_view.repeat_interleave_self_Tensor(args[0], args[1], None, None)
        if n == 3 and type(args[0]) in plain and type(args[1]) in plain and (args[2] is None or type(args[2]) is int):
            return c_view.repeat_interleave_self_Tensor(args[0], args[1], args[2], None)
        if n == 1 and type(args[0]) in plain:
            return c_view.repeat_interleave_Tensor(args[0], None)
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return c_view.repeat_interleave_self_int(args[0], args[1], None, None)
        if n == 3 and type(args[0]) in plain and type(args[1]) is int and (args[2] is None or type(args[2]) is int):
            return c_view.repeat_interleave_self_int(args[0], args[1], args[2], None)
    return r_repeat_interleave(args, kwargs)

r_repeat_interleave.public = repeat_interleave


r_reshape = Resolver('reshape', ('reshape',), False)


def reshape(input=MISSING, shape=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (shape_ := int_list(shape)) is not None:
            return c_view.reshape(input, shape_)
    return resolve(r_reshape, (('input', input, MISSING), ('shape', shape, MISSING),), extra, (
    ), others)

r_reshape.public = reshape


r__reshape_alias = Resolver('_reshape_alias', ('_reshape_alias',), False)


def _reshape_alias(input=MISSING, size=MISSING, stride=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (size_ := int_list(size)) is not None and (stride_ := int_list(stride)) is not None:
            return c_view._reshape_alias(input, size_, stride_)
    return resolve(r__reshape_alias, (('input', input, MISSING), ('size', size, MISSING), ('stride', stride, MISSING),), extra, (
    ), others)

r__reshape_alias.public = _reshape_alias


r_select = Resolver('select', ('select.int',), False)


def select(input=MISSING, dim=MISSING, index=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim) is int and type(index) is int:
            return c_view.select_int(input, dim, index)
    return resolve(r_select, (('input', input, MISSING), ('dim', dim, MISSING), ('index', index, MISSING),), extra, (
    ), others)

r_select.public = select


r_slice_inverse = Resolver('slice_inverse', ('slice_inverse',), False)


def slice_inverse(input=MISSING, src=MISSING, dim=0, start=None, end=None, step=1, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(src) in plain and type(dim) is int and (start is None or type(start) is int) and (end is None or type(end) is int) and type(step) is int:
            return c_view.slice_inverse(input, src, dim, start, end, step)
    return resolve(r_slice_inverse, (('input', input, MISSING), ('src', src, MISSING), ('dim', dim, 0), ('start', start, None), ('end', end, None), ('step', step, 1),), extra, (
    ), others)

r_slice_inverse.public = slice_inverse


r_slice_scatter = Resolver('slice_scatter', ('slice_scatter|slice_scatter.out',), False)


def slice_scatter(input=MISSING, src=MISSING, dim=0, start=None, end=None, step=1, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(src) in plain and type(dim) is int and (start is None or type(start) is int) and (end is None or type(end) is int) and type(step) is int:
            return c_view.slice_scatter(input, src, dim, start, end, step)
    return resolve(r_slice_scatter, (('input', input, MISSING), ('src', src, MISSING), ('dim', dim, 0), ('start', start, None), ('end', end, None), ('step', step, 1),), extra, (
        ('out', out, None),
    ), others)

r_slice_scatter.public = slice_scatter


r_select_scatter = Resolver('select_scatter', ('select_scatter',), False)


def select_scatter(input=MISSING, src=MISSING, dim=MISSING, index=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(src) in plain and type(dim) is int and type(index) is int:
            return c_view.select_scatter(input, src, dim, index)
    return resolve(r_select_scatter, (('input', input, MISSING), ('src', src, MISSING), ('dim', dim, MISSING), ('index', index, MISSING),), extra, (
    ), others)

r_select_scatter.public = select_scatter


r_diagonal_scatter = Resolver('diagonal_scatter', ('diagonal_scatter',), False)


def diagonal_scatter(input=MISSING, src=MISSING, offset=0, dim1=0, dim2=1, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(src) in plain and type(offset) is int and type(dim1) is int and type(dim2) is int:
            return c_view.diagonal_scatter(input, src, offset, dim1, dim2)
    return resolve(r_diagonal_scatter, (('input', input, MISSING), ('src', src, MISSING), ('offset', offset, 0), ('dim1', dim1, 0), ('dim2', dim2, 1),), extra, (
    ), others)

r_diagonal_scatter.public = diagonal_scatter


r_as_strided_scatter = Resolver('as_strided_scatter', ('as_strided_scatter',), False)


def as_strided_scatter(input=MISSING, src=MISSING, size=MISSING, stride=MISSING, storage_offset=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(src) in plain and (size_ := int_list(size)) is not None and (stride_ := int_list(stride)) is not None and (storage_offset is None or type(storage_offset) is int):
            return c_view.as_strided_scatter(input, src, size_, stride_, storage_offset)
    return resolve(r_as_strided_scatter, (('input', input, MISSING), ('src', src, MISSING), ('size', size, MISSING), ('stride', stride, MISSING), ('storage_offset', storage_offset, None),), extra, (
    ), others)

r_as_strided_scatter.public = as_strided_scatter


r_unsafe_split = Resolver('unsafe_split', ('unsafe_split.Tensor',), False)


def unsafe_split(input=MISSING, split_size=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(split_size) is int and type(dim) is int:
            return c_view.unsafe_split_Tensor(input, split_size, dim)
    return resolve(r_unsafe_split, (('input', input, MISSING), ('split_size', split_size, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_unsafe_split.public = unsafe_split


r_split = Resolver('split', ('split.Tensor', 'split.sizes',), False)


def split(input=MISSING, split_size=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(split_size) is int and type(dim) is int:
            return c_view.split_Tensor(input, split_size, dim)
        if type(input) in plain and (split_size_ := int_list(split_size)) is not None and type(dim) is int:
            return c_view.split_sizes(input, split_size_, dim)
    return resolve(r_split, (('input', input, MISSING), ('split_size', split_size, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_split.public = split


r_unsafe_split_with_sizes = Resolver('unsafe_split_with_sizes', ('unsafe_split_with_sizes',), False)


def unsafe_split_with_sizes(input=MISSING, split_sizes=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (split_sizes_ := int_list(split_sizes)) is not None and type(dim) is int:
            return c_view.unsafe_split_with_sizes(input, split_sizes_, dim)
    return resolve(r_unsafe_split_with_sizes, (('input', input, MISSING), ('split_sizes', split_sizes, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_unsafe_split_with_sizes.public = unsafe_split_with_sizes


r_split_with_sizes = Resolver('split_with_sizes', ('split_with_sizes',), False)


def split_with_sizes(input=MISSING, split_sizes=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (split_sizes_ := int_list(split_sizes)) is not None and type(dim) is int:
            return c_view.split_with_sizes(input, split_sizes_, dim)
    return resolve(r_split_with_sizes, (('input', input, MISSING), ('split_sizes', split_sizes, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_split_with_sizes.public = split_with_sizes


r_hsplit = Resolver('hsplit', ('hsplit.int', 'hsplit.array',), False)


def hsplit(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return c_view.hsplit_int(args[0], args[1])
        if n == 2 and type(args[0]) in plain and (v1 := int_list(args[1])) is not None:
            return c_view.hsplit_array(args[0], v1)
    return r_hsplit(args, kwargs)

r_hsplit.public = hsplit


r_vsplit = Resolver('vsplit', ('vsplit.int', 'vsplit.array',), False)


def vsplit(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return c_view.vsplit_int(args[0], args[1])
        if n == 2 and type(args[0]) in plain and (v1 := int_list(args[1])) is not None:
            return c_view.vsplit_array(args[0], v1)
    return r_vsplit(args, kwargs)

r_vsplit.public = vsplit


r_dsplit = Resolver('dsplit', ('dsplit.int', 'dsplit.array',), False)


def dsplit(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and type(args[1]) is int:
            return c_view.dsplit_int(args[0], args[1])
        if n == 2 and type(args[0]) in plain and (v1 := int_list(args[1])) is not None:
            return c_view.dsplit_array(args[0], v1)
    return r_dsplit(args, kwargs)

r_dsplit.public = dsplit


r_squeeze = Resolver('squeeze', ('squeeze', 'squeeze.dim', 'squeeze.dims',), False)


def squeeze(input=MISSING, dim=MISSING, *extra, **others):
    if not extra and not others:
        if dim is MISSING and type(input) in plain:
            return c_view.squeeze(input)
        if type(input) in plain and type(dim) is int:
            return c_view.squeeze_dim(input, dim)
        if type(input) in plain and (dim_ := int_list(dim)) is not None:
            return c_view.squeeze_dims(input, dim_)
    return resolve(r_squeeze, (('input', input, MISSING), ('dim', dim, MISSING),), extra, (
    ), others)

r_squeeze.public = squeeze


r_t = Resolver('t', ('t',), False)


def t(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.t(input)
    return resolve(r_t, (('input', input, MISSING),), extra, (
    ), others)

r_t.public = t


r_tile = Resolver('tile', ('tile',), False)


def tile(input=MISSING, dims=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (dims_ := int_list(dims)) is not None:
            return c_view.tile(input, dims_)
    return resolve(r_tile, (('input', input, MISSING), ('dims', dims, MISSING),), extra, (
    ), others)

r_tile.public = tile


r_transpose = Resolver('transpose', ('transpose.int',), False)


def transpose(input=MISSING, dim0=MISSING, dim1=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim0) is int and type(dim1) is int:
            return c_view.transpose_int(input, dim0, dim1)
    return resolve(r_transpose, (('input', input, MISSING), ('dim0', dim0, MISSING), ('dim1', dim1, MISSING),), extra, (
    ), others)

r_transpose.public = transpose


r_flip = Resolver('flip', ('flip',), False)


def flip(input=MISSING, dims=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (dims_ := int_list(dims)) is not None:
            return c_view.flip(input, dims_)
    return resolve(r_flip, (('input', input, MISSING), ('dims', dims, MISSING),), extra, (
    ), others)

r_flip.public = flip


r_fliplr = Resolver('fliplr', ('fliplr',), False)


def fliplr(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.fliplr(input)
    return resolve(r_fliplr, (('input', input, MISSING),), extra, (
    ), others)

r_fliplr.public = fliplr


r_flipud = Resolver('flipud', ('flipud',), False)


def flipud(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.flipud(input)
    return resolve(r_flipud, (('input', input, MISSING),), extra, (
    ), others)

r_flipud.public = flipud


r_roll = Resolver('roll', ('roll',), False)


def roll(input=MISSING, shifts=MISSING, dims=(), *extra, **others):
    if not extra and not others:
        if type(input) in plain and (shifts_ := (shifts,) if type(shifts) is int else int_list(shifts)) is not None and (dims_ := (dims,) if type(dims) is int else int_list(dims)) is not None:
            return c_view.roll(input, shifts_, dims_)
    return resolve(r_roll, (('input', input, MISSING), ('shifts', shifts, MISSING), ('dims', dims, ()),), extra, (
    ), others)

r_roll.public = roll


r_rot90 = Resolver('rot90', ('rot90',), False)


def rot90(input=MISSING, k=1, dims=(0, 1), *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(k) is int and (dims_ := int_list(dims)) is not None:
            return c_view.rot90(input, k, dims_)
    return resolve(r_rot90, (('input', input, MISSING), ('k', k, 1), ('dims', dims, (0, 1)),), extra, (
    ), others)

r_rot90.public = rot90


r__unsafe_view = Resolver('_unsafe_view', ('_unsafe_view',), False)


def _unsafe_view(input=MISSING, size=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (size_ := int_list(size)) is not None:
            return c_view._unsafe_view(input, size_)
    return resolve(r__unsafe_view, (('input', input, MISSING), ('size', size, MISSING),), extra, (
    ), others)

r__unsafe_view.public = _unsafe_view


r_unsqueeze = Resolver('unsqueeze', ('unsqueeze',), False)


def unsqueeze(input=MISSING, dim=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim) is int:
            return c_view.unsqueeze(input, dim)
    return resolve(r_unsqueeze, (('input', input, MISSING), ('dim', dim, MISSING),), extra, (
    ), others)

r_unsqueeze.public = unsqueeze


r_unbind = Resolver('unbind', ('unbind.int',), False)


def unbind(input=MISSING, dim=0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim) is int:
            return c_view.unbind_int(input, dim)
    return resolve(r_unbind, (('input', input, MISSING), ('dim', dim, 0),), extra, (
    ), others)

r_unbind.public = unbind


r_meshgrid = Resolver('meshgrid', ('meshgrid', 'meshgrid.indexing',), False)


def meshgrid(tensors=MISSING, *extra, indexing=MISSING, **others):
    if not extra and not others:
        if plain and indexing is MISSING and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))):
            return c_view.meshgrid(tensors)
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))) and type(indexing) is str:
            return c_view.meshgrid_indexing(tensors, indexing)
    return resolve(r_meshgrid, (('tensors', tensors, MISSING),), extra, (
        ('indexing', indexing, MISSING),
    ), others)

r_meshgrid.public = meshgrid


r_cartesian_prod = Resolver('cartesian_prod', ('cartesian_prod',), False)


def cartesian_prod(tensors=MISSING, *extra, **others):
    if not extra and not others:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))):
            return c_view.cartesian_prod(tensors)
    return resolve(r_cartesian_prod, (('tensors', tensors, MISSING),), extra, (
    ), others)

r_cartesian_prod.public = cartesian_prod


r_combinations = Resolver('combinations', ('combinations',), False)


def combinations(input=MISSING, r=2, with_replacement=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(r) is int and type(with_replacement) is bool:
            return c_view.combinations(input, r, with_replacement)
    return resolve(r_combinations, (('input', input, MISSING), ('r', r, 2), ('with_replacement', with_replacement, False),), extra, (
    ), others)

r_combinations.public = combinations


r_tril = Resolver('tril', ('tril|tril.out',), False)


def tril(input=MISSING, diagonal=0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(diagonal) is int:
            return c_view.tril(input, diagonal)
    return resolve(r_tril, (('input', input, MISSING), ('diagonal', diagonal, 0),), extra, (
        ('out', out, None),
    ), others)

r_tril.public = tril


r_triu = Resolver('triu', ('triu|triu.out',), False)


def triu(input=MISSING, diagonal=0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(diagonal) is int:
            return c_view.triu(input, diagonal)
    return resolve(r_triu, (('input', input, MISSING), ('diagonal', diagonal, 0),), extra, (
        ('out', out, None),
    ), others)

r_triu.public = triu


r_diag = Resolver('diag', ('diag|diag.out',), False)


def diag(input=MISSING, diagonal=0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(diagonal) is int:
            return c_view.diag(input, diagonal)
    return resolve(r_diag, (('input', input, MISSING), ('diagonal', diagonal, 0),), extra, (
        ('out', out, None),
    ), others)

r_diag.public = diag


r_swapaxes = Resolver('swapaxes', ('swapaxes',), False)


def swapaxes(input=MISSING, axis0=MISSING, axis1=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(axis0) is int and type(axis1) is int:
            return c_view.swapaxes(input, axis0, axis1)
    return resolve(r_swapaxes, (('input', input, MISSING), ('axis0', axis0, MISSING), ('axis1', axis1, MISSING),), extra, (
    ), others)

r_swapaxes.public = swapaxes


r_swapdims = Resolver('swapdims', ('swapdims',), False)


def swapdims(input=MISSING, dim0=MISSING, dim1=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim0) is int and type(dim1) is int:
            return c_view.swapdims(input, dim0, dim1)
    return resolve(r_swapdims, (('input', input, MISSING), ('dim0', dim0, MISSING), ('dim1', dim1, MISSING),), extra, (
    ), others)

r_swapdims.public = swapdims


r_view_as_real_copy = Resolver('view_as_real_copy', ('view_as_real_copy|view_as_real_copy.out',), False)


def view_as_real_copy(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_view.view_as_real_copy(input)
    return resolve(r_view_as_real_copy, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_view_as_real_copy.public = view_as_real_copy


r_view_as_complex_copy = Resolver('view_as_complex_copy', ('view_as_complex_copy|view_as_complex_copy.out',), False)


def view_as_complex_copy(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_view.view_as_complex_copy(input)
    return resolve(r_view_as_complex_copy, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_view_as_complex_copy.public = view_as_complex_copy


r__conj_copy = Resolver('_conj_copy', ('_conj_copy|_conj_copy.out',), False)


def _conj_copy(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_view._conj_copy(input)
    return resolve(r__conj_copy, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r__conj_copy.public = _conj_copy


r__neg_view_copy = Resolver('_neg_view_copy', ('_neg_view_copy|_neg_view_copy.out',), False)


def _neg_view_copy(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_view._neg_view_copy(input)
    return resolve(r__neg_view_copy, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r__neg_view_copy.public = _neg_view_copy


r_as_strided_copy = Resolver('as_strided_copy', ('as_strided_copy|as_strided_copy.out',), False)


def as_strided_copy(input=MISSING, size=MISSING, stride=MISSING, storage_offset=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (size_ := int_list(size)) is not None and (stride_ := int_list(stride)) is not None and (storage_offset is None or type(storage_offset) is int):
            return c_view.as_strided_copy(input, size_, stride_, storage_offset)
    return resolve(r_as_strided_copy, (('input', input, MISSING), ('size', size, MISSING), ('stride', stride, MISSING), ('storage_offset', storage_offset, None),), extra, (
        ('out', out, None),
    ), others)

r_as_strided_copy.public = as_strided_copy


r_diagonal_copy = Resolver('diagonal_copy', ('diagonal_copy|diagonal_copy.out',), False)


def diagonal_copy(input=MISSING, offset=0, dim1=0, dim2=1, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(offset) is int and type(dim1) is int and type(dim2) is int:
            return c_view.diagonal_copy(input, offset, dim1, dim2)
    return resolve(r_diagonal_copy, (('input', input, MISSING), ('offset', offset, 0), ('dim1', dim1, 0), ('dim2', dim2, 1),), extra, (
        ('out', out, None),
    ), others)

r_diagonal_copy.public = diagonal_copy


r_expand_copy = Resolver('expand_copy', ('expand_copy|expand_copy.out',), False)


def expand_copy(input=MISSING, size=MISSING, *extra, implicit=False, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (size_ := int_list(size)) is not None and type(implicit) is bool:
            return c_view.expand_copy(input, size_, implicit)
    return resolve(r_expand_copy, (('input', input, MISSING), ('size', size, MISSING),), extra, (
        ('implicit', implicit, False),
        ('out', out, None),
    ), others)

r_expand_copy.public = expand_copy


r_permute_copy = Resolver('permute_copy', ('permute_copy|permute_copy.out',), False)


def permute_copy(input=MISSING, dims=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dims_ := int_list(dims)) is not None:
            return c_view.permute_copy(input, dims_)
    return resolve(r_permute_copy, (('input', input, MISSING), ('dims', dims, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_permute_copy.public = permute_copy


r__reshape_alias_copy = Resolver('_reshape_alias_copy', ('_reshape_alias_copy|_reshape_alias_copy.out',), False)


def _reshape_alias_copy(input=MISSING, size=MISSING, stride=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (size_ := int_list(size)) is not None and (stride_ := int_list(stride)) is not None:
            return c_view._reshape_alias_copy(input, size_, stride_)
    return resolve(r__reshape_alias_copy, (('input', input, MISSING), ('size', size, MISSING), ('stride', stride, MISSING),), extra, (
        ('out', out, None),
    ), others)

r__reshape_alias_copy.public = _reshape_alias_copy


r_select_copy = Resolver('select_copy', ('select_copy.int|select_copy.int_out',), False)


def select_copy(input=MISSING, dim=MISSING, index=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and type(index) is int:
            return c_view.select_copy_int(input, dim, index)
    return resolve(r_select_copy, (('input', input, MISSING), ('dim', dim, MISSING), ('index', index, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_select_copy.public = select_copy


r_slice_copy = Resolver('slice_copy', ('slice_copy.Tensor|slice_copy.Tensor_out',), False)


def slice_copy(input=MISSING, dim=0, start=None, end=None, step=1, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int and (start is None or type(start) is int) and (end is None or type(end) is int) and type(step) is int:
            return c_view.slice_copy_Tensor(input, dim, start, end, step)
    return resolve(r_slice_copy, (('input', input, MISSING), ('dim', dim, 0), ('start', start, None), ('end', end, None), ('step', step, 1),), extra, (
        ('out', out, None),
    ), others)

r_slice_copy.public = slice_copy


r_split_copy = Resolver('split_copy', ('split_copy.Tensor|split_copy.Tensor_out',), False)


def split_copy(input=MISSING, split_size=MISSING, dim=0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(split_size) is int and type(dim) is int:
            return c_view.split_copy_Tensor(input, split_size, dim)
    return resolve(r_split_copy, (('input', input, MISSING), ('split_size', split_size, MISSING), ('dim', dim, 0),), extra, (
        ('out', out, None),
    ), others)

r_split_copy.public = split_copy


r_split_with_sizes_copy = Resolver('split_with_sizes_copy', ('split_with_sizes_copy|split_with_sizes_copy.out',), False)


def split_with_sizes_copy(input=MISSING, split_sizes=MISSING, dim=0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (split_sizes_ := int_list(split_sizes)) is not None and type(dim) is int:
            return c_view.split_with_sizes_copy(input, split_sizes_, dim)
    return resolve(r_split_with_sizes_copy, (('input', input, MISSING), ('split_sizes', split_sizes, MISSING), ('dim', dim, 0),), extra, (
        ('out', out, None),
    ), others)

r_split_with_sizes_copy.public = split_with_sizes_copy


r_squeeze_copy = Resolver('squeeze_copy', ('squeeze_copy|squeeze_copy.out', 'squeeze_copy.dim|squeeze_copy.dim_out', 'squeeze_copy.dims|squeeze_copy.dims_out',), False)


def squeeze_copy(input=MISSING, dim=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if dim is MISSING and type(input) in plain:
            return c_view.squeeze_copy(input)
        if type(input) in plain and type(dim) is int:
            return c_view.squeeze_copy_dim(input, dim)
        if type(input) in plain and (dim_ := int_list(dim)) is not None:
            return c_view.squeeze_copy_dims(input, dim_)
    return resolve(r_squeeze_copy, (('input', input, MISSING), ('dim', dim, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_squeeze_copy.public = squeeze_copy


r_t_copy = Resolver('t_copy', ('t_copy|t_copy.out',), False)


def t_copy(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_view.t_copy(input)
    return resolve(r_t_copy, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_t_copy.public = t_copy


r_transpose_copy = Resolver('transpose_copy', ('transpose_copy.int|transpose_copy.int_out',), False)


def transpose_copy(input=MISSING, dim0=MISSING, dim1=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim0) is int and type(dim1) is int:
            return c_view.transpose_copy_int(input, dim0, dim1)
    return resolve(r_transpose_copy, (('input', input, MISSING), ('dim0', dim0, MISSING), ('dim1', dim1, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_transpose_copy.public = transpose_copy


r_unsqueeze_copy = Resolver('unsqueeze_copy', ('unsqueeze_copy|unsqueeze_copy.out',), False)


def unsqueeze_copy(input=MISSING, dim=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int:
            return c_view.unsqueeze_copy(input, dim)
    return resolve(r_unsqueeze_copy, (('input', input, MISSING), ('dim', dim, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_unsqueeze_copy.public = unsqueeze_copy


r_unbind_copy = Resolver('unbind_copy', ('unbind_copy.int|unbind_copy.int_out',), False)


def unbind_copy(input=MISSING, dim=0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int:
            return c_view.unbind_copy_int(input, dim)
    return resolve(r_unbind_copy, (('input', input, MISSING), ('dim', dim, 0),), extra, (
        ('out', out, None),
    ), others)

r_unbind_copy.public = unbind_copy


r_view_copy = Resolver('view_copy', ('view_copy.dtype|view_copy.dtype_out', 'view_copy|view_copy.out',), False)


def view_copy(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 2 and type(args[0]) in plain and type(args[1]) is Dtype:
            return c_view.view_copy_dtype(args[0], args[1])
        if n == 2 and type(args[0]) in plain and (v1 := int_list(args[1])) is not None:
            return c_view.view_copy(args[0], v1)
    return r_view_copy(args, kwargs)

r_view_copy.public = view_copy


r_unfold_copy = Resolver('unfold_copy', ('unfold_copy|unfold_copy.out',), False)


def unfold_copy(input=MISSING, dimension=MISSING, size=MISSING, step=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dimension) is int and type(size) is int and type(step) is int:
            return c_view.unfold_copy(input, dimension, size, step)
    return resolve(r_unfold_copy, (('input', input, MISSING), ('dimension', dimension, MISSING), ('size', size, MISSING), ('step', step, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_unfold_copy.public = unfold_copy


r_channel_shuffle = Resolver('channel_shuffle', ('channel_shuffle',), False)


def channel_shuffle(input=MISSING, groups=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(groups) is int:
            return c_view.channel_shuffle(input, groups)
    return resolve(r_channel_shuffle, (('input', input, MISSING), ('groups', groups, MISSING),), extra, (
    ), others)

r_channel_shuffle.public = channel_shuffle


r_native_channel_shuffle = Resolver('native_channel_shuffle', ('native_channel_shuffle',), False)


def native_channel_shuffle(input=MISSING, groups=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(groups) is int:
            return c_view.native_channel_shuffle(input, groups)
    return resolve(r_native_channel_shuffle, (('input', input, MISSING), ('groups', groups, MISSING),), extra, (
    ), others)

r_native_channel_shuffle.public = native_channel_shuffle


r_pixel_shuffle = Resolver('pixel_shuffle', ('pixel_shuffle',), False)


def pixel_shuffle(input=MISSING, upscale_factor=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(upscale_factor) is int:
            return c_view.pixel_shuffle(input, upscale_factor)
    return resolve(r_pixel_shuffle, (('input', input, MISSING), ('upscale_factor', upscale_factor, MISSING),), extra, (
    ), others)

r_pixel_shuffle.public = pixel_shuffle


r_pixel_unshuffle = Resolver('pixel_unshuffle', ('pixel_unshuffle',), False)


def pixel_unshuffle(input=MISSING, downscale_factor=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(downscale_factor) is int:
            return c_view.pixel_unshuffle(input, downscale_factor)
    return resolve(r_pixel_unshuffle, (('input', input, MISSING), ('downscale_factor', downscale_factor, MISSING),), extra, (
    ), others)

r_pixel_unshuffle.public = pixel_unshuffle


r_conv1d = Resolver('conv1d', ('conv1d', 'conv1d.padding',), False)


def conv1d(input=MISSING, weight=MISSING, bias=None, stride=(1,), padding=MISSING, dilation=(1,), groups=1, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(weight) in plain and (bias is None or type(bias) in plain) and (stride_ := (stride,) if type(stride) is int else int_list(stride)) is not None and (padding is MISSING or (padding_ := (padding,) if type(padding) is int else int_list(padding)) is not None) and (dilation_ := (dilation,) if type(dilation) is int else int_list(dilation)) is not None and type(groups) is int:
            return c_windows.conv1d(input, weight, bias, stride_, ((0,) if padding is MISSING else padding_), dilation_, groups)
        if type(input) in plain and type(weight) in plain and (bias is None or type(bias) in plain) and (stride_ := (stride,) if type(stride) is int else int_list(stride)) is not None and (padding is MISSING or type(padding) is str) and (dilation_ := (dilation,) if type(dilation) is int else int_list(dilation)) is not None and type(groups) is int:
            return c_windows.conv1d_padding(input, weight, bias, stride_, ('valid' if padding is MISSING else padding), dilation_, groups)
    return resolve(r_conv1d, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, None), ('stride', stride, (1,)), ('padding', padding, MISSING), ('dilation', dilation, (1,)), ('groups', groups, 1),), extra, (
    ), others)

r_conv1d.public = conv1d


r_conv2d = Resolver('conv2d', ('conv2d', 'conv2d.padding',), False)


def conv2d(input=MISSING, weight=MISSING, bias=None, stride=(1, 1), padding=MISSING, dilation=(1, 1), groups=1, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(weight) in plain and (bias is None or type(bias) in plain) and (stride_ := (stride,) * 2 if type(stride) is int else int_list(stride)) is not None and (padding is MISSING or (padding_ := (padding,) * 2 if type(padding) is int else int_list(padding)) is not None) and (dilation_ := (dilation,) * 2 if type(dilation) is int else int_list(dilation)) is not None and type(groups) is int:
            return c_windows.conv2d(input, weight, bias, stride_, ((0, 0) if padding is MISSING else padding_), dilation_, groups)
        if type(input) in plain and type(weight) in plain and (bias is None or type(bias) in plain) and (stride_ := (stride,) * 2 if type(stride) is int else int_list(stride)) is not None and (padding is MISSING or type(padding) is str) and (dilation_ := (dilation,) * 2 if type(dilation) is int else int_list(dilation)) is not None and type(groups) is int:
            return c_windows.conv2d_padding(input, weight, bias, stride_, ('valid' if padding is MISSING else padding), dilation_, groups)
    return resolve(r_conv2d, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, None), ('stride', stride, (1, 1)), ('padding', padding, MISSING), ('dilation', dilation, (1, 1)), ('groups', groups, 1),), extra, (
    ), others)

r_conv2d.public = conv2d


r_conv3d = Resolver('conv3d', ('conv3d', 'conv3d.padding',), False)


def conv3d(input=MISSING, weight=MISSING, bias=None, stride=(1, 1, 1), padding=MISSING, dilation=(1, 1, 1), groups=1, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(weight) in plain and (bias is None or type(bias) in plain) and (stride_ := (stride,) * 3 if type(stride) is int else int_list(stride)) is not None and (padding is MISSING or (padding_ := (padding,) * 3 if type(padding) is int else int_list(padding)) is not None) and (dilation_ := (dilation,) * 3 if type(dilation) is int else int_list(dilation)) is not None and type(groups) is int:
            return c_windows.conv3d(input, weight, bias, stride_, ((0, 0, 0) if padding is MISSING else padding_), dilation_, groups)
        if type(input) in plain and type(weight) in plain and (bias is None or type(bias) in plain) and (stride_ := (stride,) * 3 if type(stride) is int else int_list(stride)) is not None and (padding is MISSING or type(padding) is str) and (dilation_ := (dilation,) * 3 if type(dilation) is int else int_list(dilation)) is not None and type(groups) is int:
            return c_windows.conv3d_padding(input, weight, bias, stride_, ('valid' if padding is MISSING else padding), dilation_, groups)
    return resolve(r_conv3d, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, None), ('stride', stride, (1, 1, 1)), ('padding', padding, MISSING), ('dilation', dilation, (1, 1, 1)), ('groups', groups, 1),), extra, (
    ), others)

r_conv3d.public = conv3d


r_conv_transpose1d = Resolver('conv_transpose1d', ('conv_transpose1d',), False)


def conv_transpose1d(input=MISSING, weight=MISSING, bias=None, stride=(1,), padding=(0,), output_padding=(0,), groups=1, dilation=(1,), *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(weight) in plain and (bias is None or type(bias) in plain) and (stride_ := (stride,) if type(stride) is int else int_list(stride)) is not None and (padding_ := (padding,) if type(padding) is int else int_list(padding)) is not None and (output_padding_ := (output_padding,) if type(output_padding) is int else int_list(output_padding)) is not None and type(groups) is int and (dilation_ := (dilation,) if type(dilation) is int else int_list(dilation)) is not None:
            return c_windows.conv_transpose1d(input, weight, bias, stride_, padding_, output_padding_, groups, dilation_)
    return resolve(r_conv_transpose1d, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, None), ('stride', stride, (1,)), ('padding', padding, (0,)), ('output_padding', output_padding, (0,)), ('groups', groups, 1), ('dilation', dilation, (1,)),), extra, (
    ), others)

r_conv_transpose1d.public = conv_transpose1d


r_conv_transpose2d = Resolver('conv_transpose2d', ('conv_transpose2d.input',), False)


def conv_transpose2d(input=MISSING, weight=MISSING, bias=None, stride=(1, 1), padding=(0, 0), output_padding=(0, 0), groups=1, dilation=(1, 1), *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(weight) in plain and (bias is None or type(bias) in plain) and (stride_ := (stride,) * 2 if type(stride) is int else int_list(stride)) is not None and (padding_ := (padding,) * 2 if type(padding) is int else int_list(padding)) is not None and (output_padding_ := (output_padding,) * 2 if type(output_padding) is int else int_list(output_padding)) is not None and type(groups) is int and (dilation_ := (dilation,) * 2 if type(dilation) is int else int_list(dilation)) is not None:
            return c_windows.conv_transpose2d_input(input, weight, bias, stride_, padding_, output_padding_, groups, dilation_)
    return resolve(r_conv_transpose2d, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, None), ('stride', stride, (1, 1)), ('padding', padding, (0, 0)), ('output_padding', output_padding, (0, 0)), ('groups', groups, 1), ('dilation', dilation, (1, 1)),), extra, (
    ), others)

r_conv_transpose2d.public = conv_transpose2d


r_conv_transpose3d = Resolver('conv_transpose3d', ('conv_transpose3d.input',), False)


def conv_transpose3d(input=MISSING, weight=MISSING, bias=None, stride=(1, 1, 1), padding=(0, 0, 0), output_padding=(0, 0, 0), groups=1, dilation=(1, 1, 1), *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(weight) in plain and (bias is None or type(bias) in plain) and (stride_ := (stride,) * 3 if type(stride) is int else int_list(stride)) is not None and (padding_ := (padding,) * 3 if type(padding) is int else int_list(padding)) is not None and (output_padding_ := (output_padding,) * 3 if type(output_padding) is int else int_list(output_padding)) is not None and type(groups) is int and (dilation_ := (dilation,) * 3 if type(dilation) is int else int_list(dilation)) is not None:
            return c_windows.conv_transpose3d_input(input, weight, bias, stride_, padding_, output_padding_, groups, dilation_)
    return resolve(r_conv_transpose3d, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, None), ('stride', stride, (1, 1, 1)), ('padding', padding, (0, 0, 0)), ('output_padding', output_padding, (0, 0, 0)), ('groups', groups, 1), ('dilation', dilation, (1, 1, 1)),), extra, (
    ), others)

r_conv_transpose3d.public = conv_transpose3d


r_convolution = Resolver('convolution', ('convolution',), False)


def convolution(input=MISSING, weight=MISSING, bias=MISSING, stride=MISSING, padding=MISSING, dilation=MISSING, transposed=MISSING, output_padding=MISSING, groups=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(weight) in plain and (bias is None or type(bias) in plain) and (stride_ := int_list(stride)) is not None and (padding_ := int_list(padding)) is not None and (dilation_ := int_list(dilation)) is not None and type(transposed) is bool and (output_padding_ := int_list(output_padding)) is not None and type(groups) is int:
            return c_windows.convolution(input, weight, bias, stride_, padding_, dilation_, transposed, output_padding_, groups)
    return resolve(r_convolution, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, MISSING), ('stride', stride, MISSING), ('padding', padding, MISSING), ('dilation', dilation, MISSING), ('transposed', transposed, MISSING), ('output_padding', output_padding, MISSING), ('groups', groups, MISSING),), extra, (
    ), others)

r_convolution.public = convolution


r_conv_tbc = Resolver('conv_tbc', ('conv_tbc',), False)


def conv_tbc(input=MISSING, weight=MISSING, bias=MISSING, pad=0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(weight) in plain and type(bias) in plain and type(pad) is int:
            return c_windows.conv_tbc(input, weight, bias, pad)
    return resolve(r_conv_tbc, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, MISSING), ('pad', pad, 0),), extra, (
    ), others)

r_conv_tbc.public = conv_tbc


r_max_pool1d = Resolver('max_pool1d', ('max_pool1d',), False)


def max_pool1d(input=MISSING, kernel_size=MISSING, stride=(), padding=(0,), dilation=(1,), ceil_mode=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (kernel_size_ := (kernel_size,) if type(kernel_size) is int else int_list(kernel_size)) is not None and (stride_ := (stride,) if type(stride) is int else int_list(stride)) is not None and (padding_ := (padding,) if type(padding) is int else int_list(padding)) is not None and (dilation_ := (dilation,) if type(dilation) is int else int_list(dilation)) is not None and type(ceil_mode) is bool:
            return c_windows.max_pool1d(input, kernel_size_, stride_, padding_, dilation_, ceil_mode)
    return resolve(r_max_pool1d, (('input', input, MISSING), ('kernel_size', kernel_size, MISSING), ('stride', stride, ()), ('padding', padding, (0,)), ('dilation', dilation, (1,)), ('ceil_mode', ceil_mode, False),), extra, (
    ), others)

r_max_pool1d.public = max_pool1d


r_max_pool1d_with_indices = Resolver('max_pool1d_with_indices', ('max_pool1d_with_indices',), False)


def max_pool1d_with_indices(input=MISSING, kernel_size=MISSING, stride=(), padding=(0,), dilation=(1,), ceil_mode=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (kernel_size_ := (kernel_size,) if type(kernel_size) is int else int_list(kernel_size)) is not None and (stride_ := (stride,) if type(stride) is int else int_list(stride)) is not None and (padding_ := (padding,) if type(padding) is int else int_list(padding)) is not None and (dilation_ := (dilation,) if type(dilation) is int else int_list(dilation)) is not None and type(ceil_mode) is bool:
            return c_windows.max_pool1d_with_indices(input, kernel_size_, stride_, padding_, dilation_, ceil_mode)
    return resolve(r_max_pool1d_with_indices, (('input', input, MISSING), ('kernel_size', kernel_size, MISSING), ('stride', stride, ()), ('padding', padding, (0,)), ('dilation', dilation, (1,)), ('ceil_mode', ceil_mode, False),), extra, (
    ), others)

r_max_pool1d_with_indices.public = max_pool1d_with_indices


r_max_pool2d = Resolver('max_pool2d', ('max_pool2d',), False)


def max_pool2d(input=MISSING, kernel_size=MISSING, stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (kernel_size_ := (kernel_size,) * 2 if type(kernel_size) is int else int_list(kernel_size)) is not None and (stride_ := (stride,) * 2 if type(stride) is int else int_list(stride)) is not None and (padding_ := (padding,) * 2 if type(padding) is int else int_list(padding)) is not None and (dilation_ := (dilation,) * 2 if type(dilation) is int else int_list(dilation)) is not None and type(ceil_mode) is bool:
            return c_windows.max_pool2d(input, kernel_size_, stride_, padding_, dilation_, ceil_mode)
    return resolve(r_max_pool2d, (('input', input, MISSING), ('kernel_size', kernel_size, MISSING), ('stride', stride, ()), ('padding', padding, (0, 0)), ('dilation', dilation, (1, 1)), ('ceil_mode', ceil_mode, False),), extra, (
    ), others)

r_max_pool2d.public = max_pool2d


r_max_pool3d = Resolver('max_pool3d', ('max_pool3d',), False)


def max_pool3d(input=MISSING, kernel_size=MISSING, stride=(), padding=(0, 0, 0), dilation=(1, 1, 1), ceil_mode=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (kernel_size_ := (kernel_size,) * 3 if type(kernel_size) is int else int_list(kernel_size)) is not None and (stride_ := (stride,) * 3 if type(stride) is int else int_list(stride)) is not None and (padding_ := (padding,) * 3 if type(padding) is int else int_list(padding)) is not None and (dilation_ := (dilation,) * 3 if type(dilation) is int else int_list(dilation)) is not None and type(ceil_mode) is bool:
            return c_windows.max_pool3d(input, kernel_size_, stride_, padding_, dilation_, ceil_mode)
    return resolve(r_max_pool3d, (('input', input, MISSING), ('kernel_size', kernel_size, MISSING), ('stride', stride, ()), ('padding', padding, (0, 0, 0)), ('dilation', dilation, (1, 1, 1)), ('ceil_mode', ceil_mode, False),), extra, (
    ), others)

r_max_pool3d.public = max_pool3d


r_avg_pool1d = Resolver('avg_pool1d', ('avg_pool1d',), False)


def avg_pool1d(input=MISSING, kernel_size=MISSING, stride=(), padding=(0,), ceil_mode=False, count_include_pad=True, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (kernel_size_ := (kernel_size,) if type(kernel_size) is int else int_list(kernel_size)) is not None and (stride_ := (stride,) if type(stride) is int else int_list(stride)) is not None and (padding_ := (padding,) if type(padding) is int else int_list(padding)) is not None and type(ceil_mode) is bool and type(count_include_pad) is bool:
            return c_windows.avg_pool1d(input, kernel_size_, stride_, padding_, ceil_mode, count_include_pad)
    return resolve(r_avg_pool1d, (('input', input, MISSING), ('kernel_size', kernel_size, MISSING), ('stride', stride, ()), ('padding', padding, (0,)), ('ceil_mode', ceil_mode, False), ('count_include_pad', count_include_pad, True),), extra, (
    ), others)

r_avg_pool1d.public = avg_pool1d


r_adaptive_avg_pool1d = Resolver('adaptive_avg_pool1d', ('adaptive_avg_pool1d',), False)


def adaptive_avg_pool1d(input=MISSING, output_size=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (output_size_ := (output_size,) if type(output_size) is int else int_list(output_size)) is not None:
            return c_windows.adaptive_avg_pool1d(input, output_size_)
    return resolve(r_adaptive_avg_pool1d, (('input', input, MISSING), ('output_size', output_size, MISSING),), extra, (
    ), others)

r_adaptive_avg_pool1d.public = adaptive_avg_pool1d


r_adaptive_max_pool1d = Resolver('adaptive_max_pool1d', ('adaptive_max_pool1d',), False)


def adaptive_max_pool1d(input=MISSING, output_size=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (output_size_ := (output_size,) if type(output_size) is int else int_list(output_size)) is not None:
            return c_windows.adaptive_max_pool1d(input, output_size_)
    return resolve(r_adaptive_max_pool1d, (('input', input, MISSING), ('output_size', output_size, MISSING),), extra, (
    ), others)

r_adaptive_max_pool1d.public = adaptive_max_pool1d



NAMES = ['allclose', 'isclose', 'is_floating_point', 'is_complex', 'is_nonzero', 'is_same_size', 'is_signed', 'is_inference', 'result_type', 'can_cast', 'promote_types', 'equal', '_has_same_storage_numel', '_copy_from', '_copy_from_and_resize', '_resize_output_', 'fill', 'fill_', '_pin_memory', 'detach', 'detach_', 'clone', 'resize_as_', 'zero_', '_to_copy', 'lift_fresh', 'lift_fresh_copy', 'detach_copy', 'alias_copy', 'arange', 'complex', 'polar', 'empty', 'empty_permuted', 'empty_like', 'empty_strided', 'eye', 'full', 'full_like', 'linspace', 'logspace', 'ones', 'ones_like', 'scalar_tensor', 'range', '_efficientzerotensor', 'zeros', 'zeros_like', 'tril_indices', 'triu_indices', 'cdist', 'pdist', 'pairwise_distance', 'cosine_similarity', '_fft_c2c', '_fft_r2c', '_fft_c2r', 'stft', 'istft', 'bartlett_window', 'blackman_window', 'hann_window', 'hamming_window', 'kaiser_window', 'index', '_unsafe_index', 'index_copy', 'index_put', 'index_put_', '_unsafe_index_put', '_index_put_impl_', 'where', 'masked_fill', 'masked_scatter', 'put', 'index_add', 'index_fill', 'scatter', 'scatter_add', 'scatter_reduce', 'take', 'take_along_dim', 'index_select', 'masked_select', 'nonzero', 'nonzero_static', 'nonzero_numpy', 'argwhere', 'gather', 'index_reduce', '_unsafe_masked_index', '_unsafe_masked_index_put_accumulate', 'embedding', 'embedding_renorm_', 'segment_reduce', 'embedding_bag', 'cat', 'concat', 'concatenate', 'block_diag', 'row_stack', 'stack', '_stack', 'hstack', 'vstack', 'dstack', 'column_stack', '_chunk_cat', 'constant_pad_nd', 'cholesky_inverse', '_cholesky_solve_helper', 'lu_unpack', 'geqrf', 'ormqr', '_linalg_solve_ex', 'triangular_solve', '_linalg_svd', '_linalg_eigh', '_linalg_eigvals', '_linalg_det', '_linalg_slogdet', 'cholesky', 'cholesky_solve', '_lu_with_info', 'lu_solve', 'orgqr', 'qr', 'inverse', 'svd', 'det', 'slogdet', 'logdet', 'pinverse', 'vander', 'matrix_exp', 'cross', '_linalg_check_errors', 'binary_cross_entropy_with_logits', 'cosine_embedding_loss', 'hinge_embedding_loss', 'kl_div', 'margin_ranking_loss', 'poisson_nll_loss', 'triplet_margin_loss', 'ctc_loss', '_ctc_loss', 'mm', 'bmm', 'addmm', 'baddbmm', 'addbmm', 'mv', 'addmv', 'dot', 'vdot', 'outer', 'ger', 'addr', 'matmul', 'bilinear', 'inner', 'tensordot', 'einsum', 'kron', 'chain_matmul', 'matrix_power', '_matmul_batched', '_linear_planned', 'trace', '_scaled_mm', '_scaled_mm_v2', 'abs', 'abs_', 'absolute', 'angle', 'sgn', 'acos', 'acos_', 'arccos', 'arccos_', 'add', 'acosh', 'acosh_', 'arccosh', 'arccosh_', 'asinh', 'asinh_', 'arcsinh', 'arcsinh_', 'atanh', 'atanh_', 'arctanh', 'arctanh_', 'asin', 'asin_', 'arcsin', 'arcsin_', 'atan', 'atan_', 'arctan', 'arctan_', 'bitwise_not', 'copysign', 'logical_not', 'logical_xor', 'logical_and', 'logical_or', 'ceil', 'ceil_', 'clamp', 'clamp_', 'clamp_max', 'clamp_max_', 'clamp_min', 'clamp_min_', 'clip', 'clip_', 'cos', 'cos_', 'cosh', 'cosh_', 'div', 'divide', 'true_divide', 'erf', 'erf_', 'erfc', 'erfc_', 'exp', 'exp_', 'exp2', 'exp2_', 'expm1', 'expm1_', 'floor', 'floor_', 'floor_divide', 'frac', 'frac_', 'gcd', 'gcd_', 'lcm', 'lcm_', 'isin', 'isnan', 'isreal', 'nan_to_num', 'nan_to_num_', 'ldexp', 'ldexp_', 'log', 'log_', 'log10', 'log10_', 'log1p', 'log1p_', 'log2', 'log2_', 'logaddexp', 'logaddexp2', 'xlogy', 'xlogy_', 'mul', 'multiply', 'mvlgamma', 'rad2deg', 'rad2deg_', 'deg2rad', 'deg2rad_', 'reciprocal', 'reciprocal_', 'neg', 'neg_', 'negative', 'negative_', 'round', 'round_', 'relu', 'relu_', 'prelu', '_prelu_kernel', 'hardshrink', 'rsqrt', 'rsqrt_', 'selu', 'selu_', 'celu', 'celu_', 'sigmoid', 'sigmoid_', 'logit', 'logit_', 'sin', 'sin_', 'sinc', 'sinc_', 'sinh', 'sinh_', 'sqrt', 'sqrt_', 'square', 'square_', 'tan', 'tan_', 'tanh', 'tanh_', 'threshold', 'threshold_', 'trunc', 'trunc_', 'fix', 'fix_', 'frexp', 'positive', 'sub', 'subtract', 'rsub', 'heaviside', 'eq', 'bitwise_and', '__and__', 'bitwise_or', '__or__', 'bitwise_xor', '__xor__', '__lshift__', 'bitwise_left_shift', '__rshift__', 'bitwise_right_shift', 'digamma', 'lerp', 'ne', 'not_equal', 'ge', 'greater_equal', 'le', 'less_equal', 'gt', 'greater', 'lt', 'less', 'addcmul', 'addcdiv', 'lgamma', 'polygamma', 'erfinv', 'i0', 'i0_', 'sign', 'signbit', 'atan2', 'arctan2', 'fmod', 'hypot', 'igamma', 'igammac', 'nextafter', 'remainder', 'fmin', 'fmax', 'maximum', 'minimum', 'pow', 'float_power', 'elu_backward', 'leaky_relu_backward', 'isfinite', 'isinf', 'isposinf', 'isneginf', '_pixel_place', '_pixel_index', '_pixel_share', '_joined_index', '_seen_share', '_recurrent_steps', '_recurrent_steps_backward', '_is_all_true', '_is_any_true', 'all', 'any', 'argmax', 'argmin', 'count_nonzero', 'cummax', '_cummax_helper', 'cummin', '_cummin_helper', 'cumprod', 'cumsum', 'cumulative_trapezoid', 'diff', '_logcumsumexp', '_linear_recurrence', 'logcumsumexp', 'logsumexp', 'aminmax', 'max', 'amax', 'mean', 'nanmean', 'min', 'amin', 'sum', 'nansum', 'std', 'std_mean', 'prod', 'trapezoid', 'trapz', 'var', 'var_mean', 'native_norm', 'norm', 'frobenius_norm', 'nuclear_norm', 'dist', 'renorm', 'hash_tensor', 'cov', 'corrcoef', 'gradient', 'affine_grid_generator', 'grid_sampler', 'grid_sampler_2d', 'grid_sampler_3d', '_weighted_neighbours', 'batch_norm', '_batch_norm_impl_index', 'group_norm', 'native_group_norm', 'instance_norm', 'layer_norm', 'native_layer_norm', 'rms_norm', '_fused_rms_norm', 'log_softmax', '_log_softmax', '_batch_norm_of_batch', '_move_statistics_', 'native_batch_norm', '_native_batch_norm_legit', '_native_batch_norm_legit_no_training', 'softmax', '_softmax', '_softmax_backward_data', '_log_softmax_backward_data', '_layer_norm_input_gradient', '_safe_softmax', 'rand', 'randn', 'randint', 'randperm', 'rand_like', 'randn_like', 'randint_like', 'normal', 'bernoulli', 'multinomial', 'poisson', 'binomial', '_standard_gamma', '_standard_gamma_grad', '_dirichlet_grad', '_sample_dirichlet', 'dropout', 'dropout_', 'feature_dropout', 'feature_dropout_', 'alpha_dropout', 'alpha_dropout_', 'feature_alpha_dropout', 'feature_alpha_dropout_', 'native_dropout', '_fused_dropout', 'rrelu', 'rrelu_', '_unique', '_unique2', 'unique_dim', 'unique_consecutive', 'unique_dim_consecutive', 'searchsorted', 'bucketize', 'histc', 'bincount', 'histogram', '_histogramdd_bin_edges', '_histogramdd_from_bin_cts', '_histogramdd_from_bin_tensors', 'histogramdd', 'kthvalue', 'median', 'nanmedian', 'mode', 'quantile', 'nanquantile', 'sort', 'msort', 'argsort', 'topk', '_spdiags', '_sparse_coo_tensor_unsafe', '_sparse_coo_tensor_with_dims', '_sparse_coo_tensor_with_dims_and_tensors', '_validate_sparse_coo_tensor_args', '_coalesce', '_sparse_sum', '_sparse_csr_sum', '_sparse_csr_prod', 'embedding_sparse_backward', '_gather_sparse_backward', '_sparse_mm', '_sparse_addmm', '_sparse_sparse_matmul', 'smm', 'sspaddmm', 'hspmm', '_sparse_softmax', '_sparse_softmax_backward_data', '_sparse_log_softmax', '_sparse_log_softmax_backward_data', 'resize_as_sparse_', '_sparse_broadcast_to', '_sparse_compressed_tensor_unsafe', '_validate_sparse_compressed_tensor_args', '_validate_compressed_sparse_indices', '_validate_sparse_csr_tensor_args', '_validate_sparse_csc_tensor_args', '_validate_sparse_bsr_tensor_args', '_validate_sparse_bsc_tensor_args', 'view_as_real', 'view_as_complex', '_conj', 'conj', '_conj_physical', 'conj_physical', 'conj_physical_', 'resolve_conj', 'resolve_neg', '_neg_view', 'as_strided', 'as_strided_', 'atleast_1d', 'atleast_2d', 'atleast_3d', 'broadcast_tensors', 'broadcast_to', 'unsafe_chunk', 'chunk', 'tensor_split', 'diag_embed', 'diagflat', 'diagonal', 'flatten', 'unflatten', 'is_conj', 'is_neg', 'narrow_copy', 'narrow', 'permute', 'movedim', 'moveaxis', 'adjoint', 'ravel', 'repeat_interleave', 'reshape', '_reshape_alias', 'select', 'slice_inverse', 'slice_scatter', 'select_scatter', 'diagonal_scatter', 'as_strided_scatter', 'unsafe_split', 'split', 'unsafe_split_with_sizes', 'split_with_sizes', 'hsplit', 'vsplit', 'dsplit', 'squeeze', 't', 'tile', 'transpose', 'flip', 'fliplr', 'flipud', 'roll', 'rot90', '_unsafe_view', 'unsqueeze', 'unbind', 'meshgrid', 'cartesian_prod', 'combinations', 'tril', 'triu', 'diag', 'swapaxes', 'swapdims', 'view_as_real_copy', 'view_as_complex_copy', '_conj_copy', '_neg_view_copy', 'as_strided_copy', 'diagonal_copy', 'expand_copy', 'permute_copy', '_reshape_alias_copy', 'select_copy', 'slice_copy', 'split_copy', 'split_with_sizes_copy', 'squeeze_copy', 't_copy', 'transpose_copy', 'unsqueeze_copy', 'unbind_copy', 'view_copy', 'unfold_copy', 'channel_shuffle', 'native_channel_shuffle', 'pixel_shuffle', 'pixel_unshuffle', 'conv1d', 'conv2d', 'conv3d', 'conv_transpose1d', 'conv_transpose2d', 'conv_transpose3d', 'convolution', 'conv_tbc', 'max_pool1d', 'max_pool1d_with_indices', 'max_pool2d', 'max_pool3d', 'avg_pool1d', 'adaptive_avg_pool1d', 'adaptive_max_pool1d']
