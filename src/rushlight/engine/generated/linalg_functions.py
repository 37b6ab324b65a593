"""Functions of the namespace linalg. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.dispatch.bindings import (
    MISSING, Device, Dtype, Layout, MemoryFormat, Resolver, constants, int_list, integers,
    named_result, number_types, plain, reflected, resolve, sequence_types,
)

from rushlight.engine.generated.calls.matrix import linalg_matmul as c_linalg_matmul, linalg_matrix_power as c_linalg_matrix_power, linalg_multi_dot as c_linalg_multi_dot, linalg_vecdot as c_linalg_vecdot
from rushlight.engine.generated.calls.reduction import linalg_matrix_norm as c_linalg_matrix_norm, linalg_matrix_norm_str_ord as c_linalg_matrix_norm_str_ord, linalg_norm as c_linalg_norm, linalg_norm_ord_str as c_linalg_norm_ord_str, linalg_vector_norm as c_linalg_vector_norm
from rushlight.engine.generated.calls.view import linalg_diagonal as c_linalg_diagonal

r_linalg_multi_dot = Resolver('linalg_multi_dot', ('linalg_multi_dot|linalg_multi_dot.out',), False)


def linalg_multi_dot(tensors=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))):
            return c_linalg_multi_dot(tensors)
    return resolve(r_linalg_multi_dot, (('tensors', tensors, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_linalg_multi_dot.public = linalg_multi_dot


r_linalg_matrix_power = Resolver('linalg_matrix_power', ('linalg_matrix_power|linalg_matrix_power.out',), False)


def linalg_matrix_power(input=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(n) is int:
            return c_linalg_matrix_power(input, n)
    return resolve(r_linalg_matrix_power, (('input', input, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_linalg_matrix_power.public = linalg_matrix_power


r_linalg_matmul = Resolver('linalg_matmul', ('linalg_matmul|linalg_matmul.out',), False)


def linalg_matmul(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_linalg_matmul(input, other)
    return resolve(r_linalg_matmul, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_linalg_matmul.public = linalg_matmul


r_linalg_vecdot = Resolver('linalg_vecdot', ('linalg_vecdot|linalg_vecdot.out',), False)


def linalg_vecdot(x=MISSING, y=MISSING, *extra, dim=-1, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(y) in plain and type(dim) is int:
            return c_linalg_vecdot(x, y, dim)
    return resolve(r_linalg_vecdot, (('x', x, MISSING), ('y', y, MISSING),), extra, (
        ('dim', dim, -1),
        ('out', out, None),
    ), others)

r_linalg_vecdot.public = linalg_vecdot


r_linalg_norm = Resolver('linalg_norm', ('linalg_norm|linalg_norm.out', 'linalg_norm.ord_str|linalg_norm.ord_str_out',), False)


def linalg_norm(input=MISSING, ord=MISSING, dim=None, keepdim=False, *extra, dtype=None, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (ord is MISSING or (ord is None or type(ord) in number_types)) and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_linalg_norm(input, (None if ord is MISSING else ord), (dim if dim is None else dim_), keepdim, dtype)
        if type(input) in plain and type(ord) is str and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_linalg_norm_ord_str(input, ord, (dim if dim is None else dim_), keepdim, dtype)
    return resolve(r_linalg_norm, (('input', input, MISSING), ('ord', ord, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('dtype', dtype, None),
        ('out', out, None),
    ), others)

r_linalg_norm.public = linalg_norm


r_linalg_vector_norm = Resolver('linalg_vector_norm', ('linalg_vector_norm|linalg_vector_norm.out',), False)


def linalg_vector_norm(input=MISSING, ord=2, dim=None, keepdim=False, *extra, dtype=None, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(ord) in number_types and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_linalg_vector_norm(input, ord, (dim if dim is None else dim_), keepdim, dtype)
    return resolve(r_linalg_vector_norm, (('input', input, MISSING), ('ord', ord, 2), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('dtype', dtype, None),
        ('out', out, None),
    ), others)

r_linalg_vector_norm.public = linalg_vector_norm


r_linalg_matrix_norm = Resolver('linalg_matrix_norm', ('linalg_matrix_norm|linalg_matrix_norm.out', 'linalg_matrix_norm.str_ord|linalg_matrix_norm.str_ord_out',), False)


def linalg_matrix_norm(input=MISSING, ord=MISSING, dim=(-2, -1), keepdim=False, *extra, dtype=None, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(ord) in number_types and (dim_ := int_list(dim)) is not None and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_linalg_matrix_norm(input, ord, dim_, keepdim, dtype)
        if type(input) in plain and (ord is MISSING or type(ord) is str) and (dim_ := int_list(dim)) is not None and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_linalg_matrix_norm_str_ord(input, ('fro' if ord is MISSING else ord), dim_, keepdim, dtype)
    return resolve(r_linalg_matrix_norm, (('input', input, MISSING), ('ord', ord, MISSING), ('dim', dim, (-2, -1)), ('keepdim', keepdim, False),), extra, (
        ('dtype', dtype, None),
        ('out', out, None),
    ), others)

r_linalg_matrix_norm.public = linalg_matrix_norm


r_linalg_diagonal = Resolver('linalg_diagonal', ('linalg_diagonal',), False)


def linalg_diagonal(A=MISSING, *extra, offset=0, dim1=-2, dim2=-1, **others):
    if not extra and not others:
        if type(A) in plain and type(offset) is int and type(dim1) is int and type(dim2) is int:
            return c_linalg_diagonal(A, offset, dim1, dim2)
    return resolve(r_linalg_diagonal, (('A', A, MISSING),), extra, (
        ('offset', offset, 0),
        ('dim1', dim1, -2),
        ('dim2', dim2, -1),
    ), others)

r_linalg_diagonal.public = linalg_diagonal



NAMES = ['linalg_multi_dot', 'linalg_matrix_power', 'linalg_matmul', 'linalg_vecdot', 'linalg_norm', 'linalg_vector_norm', 'linalg_matrix_norm', 'linalg_diagonal']
