"""Call functions of the family matrix. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_mm = operator('mm').table


def mm(self, mat2):
    keys = self._keys | mat2._keys
    if state.active:
        keys = state.effective(keys)
    return t_mm[keys](self, mat2)


t_mm_out = operator('mm.out').table


def mm_out(self, mat2, out):
    keys = self._keys | mat2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_mm_out[keys](self, mat2, out)


t_bmm = operator('bmm').table


def bmm(self, mat2):
    keys = self._keys | mat2._keys
    if state.active:
        keys = state.effective(keys)
    return t_bmm[keys](self, mat2)


t_bmm_out = operator('bmm.out').table


def bmm_out(self, mat2, out):
    keys = self._keys | mat2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bmm_out[keys](self, mat2, out)


t_addmm = operator('addmm').table


def addmm(self, mat1, mat2, beta=1, alpha=1):
    keys = self._keys | mat1._keys | mat2._keys
    if state.active:
        keys = state.effective(keys)
    return t_addmm[keys](self, mat1, mat2, beta, alpha)


t_addmm_ = operator('addmm_').table


def addmm_(self, mat1, mat2, beta=1, alpha=1):
    keys = self._keys | mat1._keys | mat2._keys
    if state.active:
        keys = state.effective(keys)
    return t_addmm_[keys](self, mat1, mat2, beta, alpha)


t_addmm_out = operator('addmm.out').table


def addmm_out(self, mat1, mat2, beta=1, alpha=1, out=constants.REQUIRED):
    keys = self._keys | mat1._keys | mat2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_addmm_out[keys](self, mat1, mat2, beta, alpha, out)


t_baddbmm = operator('baddbmm').table


def baddbmm(self, batch1, batch2, beta=1, alpha=1):
    keys = self._keys | batch1._keys | batch2._keys
    if state.active:
        keys = state.effective(keys)
    return t_baddbmm[keys](self, batch1, batch2, beta, alpha)


t_baddbmm_ = operator('baddbmm_').table


def baddbmm_(self, batch1, batch2, beta=1, alpha=1):
    keys = self._keys | batch1._keys | batch2._keys
    if state.active:
        keys = state.effective(keys)
    return t_baddbmm_[keys](self, batch1, batch2, beta, alpha)


t_baddbmm_out = operator('baddbmm.out').table


def baddbmm_out(self, batch1, batch2, beta=1, alpha=1, out=constants.REQUIRED):
    keys = self._keys | batch1._keys | batch2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_baddbmm_out[keys](self, batch1, batch2, beta, alpha, out)


t_addbmm = operator('addbmm').table


def addbmm(self, batch1, batch2, beta=1, alpha=1):
    keys = self._keys | batch1._keys | batch2._keys
    if state.active:
        keys = state.effective(keys)
    return t_addbmm[keys](self, batch1, batch2, beta, alpha)


t_addbmm_ = operator('addbmm_').table


def addbmm_(self, batch1, batch2, beta=1, alpha=1):
    keys = self._keys | batch1._keys | batch2._keys
    if state.active:
        keys = state.effective(keys)
    return t_addbmm_[keys](self, batch1, batch2, beta, alpha)


t_addbmm_out = operator('addbmm.out').table


def addbmm_out(self, batch1, batch2, beta=1, alpha=1, out=constants.REQUIRED):
    keys = self._keys | batch1._keys | batch2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_addbmm_out[keys](self, batch1, batch2, beta, alpha, out)


t_mv = operator('mv').table


def mv(self, vec):
    keys = self._keys | vec._keys
    if state.active:
        keys = state.effective(keys)
    return t_mv[keys](self, vec)


t_mv_out = operator('mv.out').table


def mv_out(self, vec, out):
    keys = self._keys | vec._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_mv_out[keys](self, vec, out)


t_addmv = operator('addmv').table


def addmv(self, mat, vec, beta=1, alpha=1):
    keys = self._keys | mat._keys | vec._keys
    if state.active:
        keys = state.effective(keys)
    return t_addmv[keys](self, mat, vec, beta, alpha)


t_addmv_ = operator('addmv_').table


def addmv_(self, mat, vec, beta=1, alpha=1):
    keys = self._keys | mat._keys | vec._keys
    if state.active:
        keys = state.effective(keys)
    return t_addmv_[keys](self, mat, vec, beta, alpha)


t_addmv_out = operator('addmv.out').table


def addmv_out(self, mat, vec, beta=1, alpha=1, out=constants.REQUIRED):
    keys = self._keys | mat._keys | vec._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_addmv_out[keys](self, mat, vec, beta, alpha, out)


t_dot = operator('dot').table


def dot(self, tensor):
    keys = self._keys | tensor._keys
    if state.active:
        keys = state.effective(keys)
    return t_dot[keys](self, tensor)


t_dot_out = operator('dot.out').table


def dot_out(self, tensor, out):
    keys = self._keys | tensor._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_dot_out[keys](self, tensor, out)


t_vdot = operator('vdot').table


def vdot(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_vdot[keys](self, other)


t_vdot_out = operator('vdot.out').table


def vdot_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_vdot_out[keys](self, other, out)


t_outer = operator('outer').table


def outer(self, vec2):
    keys = self._keys | vec2._keys
    if state.active:
        keys = state.effective(keys)
    return t_outer[keys](self, vec2)


t_outer_out = operator('outer.out').table


def outer_out(self, vec2, out):
    keys = self._keys | vec2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_outer_out[keys](self, vec2, out)


t_ger = operator('ger').table


def ger(self, vec2):
    keys = self._keys | vec2._keys
    if state.active:
        keys = state.effective(keys)
    return t_ger[keys](self, vec2)


t_ger_out = operator('ger.out').table


def ger_out(self, vec2, out):
    keys = self._keys | vec2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_ger_out[keys](self, vec2, out)


t_addr = operator('addr').table


def addr(self, vec1, vec2, beta=1, alpha=1):
    keys = self._keys | vec1._keys | vec2._keys
    if state.active:
        keys = state.effective(keys)
    return t_addr[keys](self, vec1, vec2, beta, alpha)


t_addr_ = operator('addr_').table


def addr_(self, vec1, vec2, beta=1, alpha=1):
    keys = self._keys | vec1._keys | vec2._keys
    if state.active:
        keys = state.effective(keys)
    return t_addr_[keys](self, vec1, vec2, beta, alpha)


t_addr_out = operator('addr.out').table


def addr_out(self, vec1, vec2, beta=1, alpha=1, out=constants.REQUIRED):
    keys = self._keys | vec1._keys | vec2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_addr_out[keys](self, vec1, vec2, beta, alpha, out)


t_matmul = operator('matmul').table


def matmul(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_matmul[keys](self, other)


t_matmul_out = operator('matmul.out').table


def matmul_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_matmul_out[keys](self, other, out)


t_linear = operator('linear').table


def linear(input, weight, bias=None):
    keys = input._keys | weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_linear[keys](input, weight, bias)


t_linear_out = operator('linear.out').table


def linear_out(input, weight, bias=None, out=constants.REQUIRED):
    keys = input._keys | weight._keys | out._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_linear_out[keys](input, weight, bias, out)


t_bilinear = operator('bilinear').table


def bilinear(input1, input2, weight, bias=None):
    keys = input1._keys | input2._keys | weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_bilinear[keys](input1, input2, weight, bias)


t_inner = operator('inner').table


def inner(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_inner[keys](self, other)


t_inner_out = operator('inner.out').table


def inner_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_inner_out[keys](self, other, out)


t_tensordot = operator('tensordot').table


def tensordot(self, other, dims_self, dims_other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_tensordot[keys](self, other, dims_self, dims_other)


t_tensordot_out = operator('tensordot.out').table


def tensordot_out(self, other, dims_self, dims_other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_tensordot_out[keys](self, other, dims_self, dims_other, out)


t_einsum = operator('einsum').table


def einsum(equation, tensors, path=None):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_einsum[keys](equation, tensors, path)


t_kron = operator('kron').table


def kron(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_kron[keys](self, other)


t_kron_out = operator('kron.out').table


def kron_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_kron_out[keys](self, other, out)


t_chain_matmul = operator('chain_matmul').table


def chain_matmul(matrices):
    keys = 0
    for item in matrices:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_chain_matmul[keys](matrices)


t_chain_matmul_out = operator('chain_matmul.out').table


def chain_matmul_out(matrices, out):
    keys = out._keys
    for item in matrices:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_chain_matmul_out[keys](matrices, out)


t_linalg_multi_dot = operator('linalg_multi_dot').table


def linalg_multi_dot(tensors):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_linalg_multi_dot[keys](tensors)


t_linalg_multi_dot_out = operator('linalg_multi_dot.out').table


def linalg_multi_dot_out(tensors, out):
    keys = out._keys
    for item in tensors:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_multi_dot_out[keys](tensors, out)


t_linalg_matrix_power = operator('linalg_matrix_power').table


def linalg_matrix_power(self, n):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_power[keys](self, n)


t_linalg_matrix_power_out = operator('linalg_matrix_power.out').table


def linalg_matrix_power_out(self, n, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_power_out[keys](self, n, out)


t_matrix_power = operator('matrix_power').table


def matrix_power(self, n):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_matrix_power[keys](self, n)


t_matrix_power_out = operator('matrix_power.out').table


def matrix_power_out(self, n, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_matrix_power_out[keys](self, n, out)


t_linalg_matmul = operator('linalg_matmul').table


def linalg_matmul(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matmul[keys](self, other)


t_linalg_matmul_out = operator('linalg_matmul.out').table


def linalg_matmul_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matmul_out[keys](self, other, out)


t_linalg_vecdot = operator('linalg_vecdot').table


def linalg_vecdot(x, y, dim=-1):
    keys = x._keys | y._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_vecdot[keys](x, y, dim)


t_linalg_vecdot_out = operator('linalg_vecdot.out').table


def linalg_vecdot_out(x, y, dim=-1, out=constants.REQUIRED):
    keys = x._keys | y._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_vecdot_out[keys](x, y, dim, out)


t_cdist = operator('cdist').table


def cdist(x1, x2, p=2.0, compute_mode=None):
    keys = x1._keys | x2._keys
    if state.active:
        keys = state.effective(keys)
    return t_cdist[keys](x1, x2, p, compute_mode)


t__matmul_batched = operator('_matmul_batched').table


def _matmul_batched(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t__matmul_batched[keys](self, other)


t__linear_planned = operator('_linear_planned').table


def _linear_planned(input, weight, bias=None):
    keys = input._keys | weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t__linear_planned[keys](input, weight, bias)


t_mm_dtype = operator('mm.dtype').table


def mm_dtype(self, mat2, out_dtype):
    keys = self._keys | mat2._keys
    if state.active:
        keys = state.effective(keys)
    return t_mm_dtype[keys](self, mat2, out_dtype)


t_mm_dtype_out = operator('mm.dtype_out').table


def mm_dtype_out(self, mat2, out_dtype, out):
    keys = self._keys | mat2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_mm_dtype_out[keys](self, mat2, out_dtype, out)


t_bmm_dtype = operator('bmm.dtype').table


def bmm_dtype(self, mat2, out_dtype):
    keys = self._keys | mat2._keys
    if state.active:
        keys = state.effective(keys)
    return t_bmm_dtype[keys](self, mat2, out_dtype)


t_bmm_dtype_out = operator('bmm.dtype_out').table


def bmm_dtype_out(self, mat2, out_dtype, out):
    keys = self._keys | mat2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bmm_dtype_out[keys](self, mat2, out_dtype, out)


t_addmm_dtype = operator('addmm.dtype').table


def addmm_dtype(self, mat1, mat2, out_dtype, beta=1, alpha=1):
    keys = self._keys | mat1._keys | mat2._keys
    if state.active:
        keys = state.effective(keys)
    return t_addmm_dtype[keys](self, mat1, mat2, out_dtype, beta, alpha)


t_addmm_dtype_out = operator('addmm.dtype_out').table


def addmm_dtype_out(self, mat1, mat2, out_dtype, beta=1, alpha=1, out=constants.REQUIRED):
    keys = self._keys | mat1._keys | mat2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_addmm_dtype_out[keys](self, mat1, mat2, out_dtype, beta, alpha, out)


t_baddbmm_dtype = operator('baddbmm.dtype').table


def baddbmm_dtype(self, batch1, batch2, out_dtype, beta=1, alpha=1):
    keys = self._keys | batch1._keys | batch2._keys
    if state.active:
        keys = state.effective(keys)
    return t_baddbmm_dtype[keys](self, batch1, batch2, out_dtype, beta, alpha)


t_baddbmm_dtype_out = operator('baddbmm.dtype_out').table


def baddbmm_dtype_out(self, batch1, batch2, out_dtype, beta=1, alpha=1, out=constants.REQUIRED):
    keys = self._keys | batch1._keys | batch2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_baddbmm_dtype_out[keys](self, batch1, batch2, out_dtype, beta, alpha, out)


t_trace = operator('trace').table


def trace(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_trace[keys](self)


t_trace_out = operator('trace.out').table


def trace_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_trace_out[keys](self, out)


t__scaled_mm = operator('_scaled_mm').table


def _scaled_mm(self, mat2, scale_a, scale_b, bias=None, scale_result=None, out_dtype=None, use_fast_accum=False):
    keys = self._keys | mat2._keys | scale_a._keys | scale_b._keys
    if bias is not None:
        keys |= bias._keys
    if scale_result is not None:
        keys |= scale_result._keys
    if state.active:
        keys = state.effective(keys)
    return t__scaled_mm[keys](self, mat2, scale_a, scale_b, bias, scale_result, out_dtype, use_fast_accum)


t__scaled_mm_out = operator('_scaled_mm.out').table


def _scaled_mm_out(self, mat2, scale_a, scale_b, bias=None, scale_result=None, out_dtype=None, use_fast_accum=False, out=constants.REQUIRED):
    keys = self._keys | mat2._keys | scale_a._keys | scale_b._keys | out._keys
    if bias is not None:
        keys |= bias._keys
    if scale_result is not None:
        keys |= scale_result._keys
    if state.active:
        keys = state.effective(keys)
    return t__scaled_mm_out[keys](self, mat2, scale_a, scale_b, bias, scale_result, out_dtype, use_fast_accum, out)


t__scaled_mm_v2 = operator('_scaled_mm_v2').table


def _scaled_mm_v2(self, mat2, scale_a, recipe_a, swizzle_a, scale_b, recipe_b, swizzle_b, bias, out_dtype, contraction_dim=(), use_fast_accum=False):
    keys = self._keys | mat2._keys
    for item in scale_a:
        keys |= item._keys
    for item in scale_b:
        keys |= item._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t__scaled_mm_v2[keys](self, mat2, scale_a, recipe_a, swizzle_a, scale_b, recipe_b, swizzle_b, bias, out_dtype, contraction_dim, use_fast_accum)


t__scaled_mm_v2_out = operator('_scaled_mm_v2.out').table


def _scaled_mm_v2_out(self, mat2, scale_a, recipe_a, swizzle_a, scale_b, recipe_b, swizzle_b, bias, out_dtype, contraction_dim=(), use_fast_accum=False, out=constants.REQUIRED):
    keys = self._keys | mat2._keys | out._keys
    for item in scale_a:
        keys |= item._keys
    for item in scale_b:
        keys |= item._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t__scaled_mm_v2_out[keys](self, mat2, scale_a, recipe_a, swizzle_a, scale_b, recipe_b, swizzle_b, bias, out_dtype, contraction_dim, use_fast_accum, out)
