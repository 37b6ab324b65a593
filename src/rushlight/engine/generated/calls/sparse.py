"""Call functions of the family sparse. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_sparse_coo_tensor_size = operator('sparse_coo_tensor.size').table


def sparse_coo_tensor_size(size, dtype=None, layout=None, device=None, pin_memory=False):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_sparse_coo_tensor_size[keys](size, dtype, layout, device, pin_memory)


t_sparse_coo_tensor_indices = operator('sparse_coo_tensor.indices').table


def sparse_coo_tensor_indices(indices, values, dtype=None, layout=None, device=None, pin_memory=None, is_coalesced=None):
    keys = indices._keys | values._keys
    if state.active:
        keys = state.effective(keys)
    return t_sparse_coo_tensor_indices[keys](indices, values, dtype, layout, device, pin_memory, is_coalesced)


t_sparse_coo_tensor_indices_size = operator('sparse_coo_tensor.indices_size').table


def sparse_coo_tensor_indices_size(indices, values, size, dtype=None, layout=None, device=None, pin_memory=None, is_coalesced=None):
    keys = indices._keys | values._keys
    if state.active:
        keys = state.effective(keys)
    return t_sparse_coo_tensor_indices_size[keys](indices, values, size, dtype, layout, device, pin_memory, is_coalesced)


t__sparse_coo_tensor_unsafe = operator('_sparse_coo_tensor_unsafe').table


def _sparse_coo_tensor_unsafe(indices, values, size, dtype=None, layout=None, device=None, pin_memory=None, is_coalesced=None):
    keys = indices._keys | values._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_coo_tensor_unsafe[keys](indices, values, size, dtype, layout, device, pin_memory, is_coalesced)


t__sparse_coo_tensor_with_dims = operator('_sparse_coo_tensor_with_dims').table


def _sparse_coo_tensor_with_dims(sparse_dim, dense_dim, size, dtype=None, layout=None, device=None, pin_memory=False):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t__sparse_coo_tensor_with_dims[keys](sparse_dim, dense_dim, size, dtype, layout, device, pin_memory)


t__sparse_coo_tensor_with_dims_and_tensors = operator('_sparse_coo_tensor_with_dims_and_tensors').table


def _sparse_coo_tensor_with_dims_and_tensors(sparse_dim, dense_dim, size, indices, values, dtype=None, layout=None, device=None, pin_memory=False, is_coalesced=None):
    keys = indices._keys | values._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_coo_tensor_with_dims_and_tensors[keys](sparse_dim, dense_dim, size, indices, values, dtype, layout, device, pin_memory, is_coalesced)


t__validate_sparse_coo_tensor_args = operator('_validate_sparse_coo_tensor_args').table


def _validate_sparse_coo_tensor_args(indices, values, size, is_coalesced=None, check_pinning=None):
    keys = indices._keys | values._keys
    if state.active:
        keys = state.effective(keys)
    return t__validate_sparse_coo_tensor_args[keys](indices, values, size, is_coalesced, check_pinning)


t_sparse_dim = operator('sparse_dim').table


def sparse_dim(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sparse_dim[keys](self)


t_dense_dim = operator('dense_dim').table


def dense_dim(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_dense_dim[keys](self)


t__dimI = operator('_dimI').table


def _dimI(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__dimI[keys](self)


t__dimV = operator('_dimV').table


def _dimV(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__dimV[keys](self)


t__nnz = operator('_nnz').table


def _nnz(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__nnz[keys](self)


t_indices = operator('indices').table


def indices(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_indices[keys](self)


t_values = operator('values').table


def values(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_values[keys](self)


t__indices = operator('_indices').table


def _indices(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__indices[keys](self)


t__values = operator('_values').table


def _values(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__values[keys](self)


t_is_coalesced = operator('is_coalesced').table


def is_coalesced(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_is_coalesced[keys](self)


t__coalesced_ = operator('_coalesced_').table


def _coalesced_(self, coalesced):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__coalesced_[keys](self, coalesced)


t_coalesce = operator('coalesce').table


def coalesce(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_coalesce[keys](self)


t__coalesce = operator('_coalesce').table


def _coalesce(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__coalesce[keys](self)


t_to_dense = operator('to_dense').table


def to_dense(self, dtype=None, masked_grad=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_to_dense[keys](self, dtype, masked_grad)


t__to_dense = operator('_to_dense').table


def _to_dense(self, dtype=None, masked_grad=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__to_dense[keys](self, dtype, masked_grad)


t_to_sparse_sparse_dim = operator('to_sparse.sparse_dim').table


def to_sparse_sparse_dim(self, sparse_dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_to_sparse_sparse_dim[keys](self, sparse_dim)


t_to_sparse = operator('to_sparse').table


def to_sparse(self, layout=None, blocksize=None, dense_dim=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_to_sparse[keys](self, layout, blocksize, dense_dim)


t__to_sparse_sparse_dim = operator('_to_sparse.sparse_dim').table


def _to_sparse_sparse_dim(self, sparse_dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__to_sparse_sparse_dim[keys](self, sparse_dim)


t__to_sparse = operator('_to_sparse').table


def _to_sparse(self, layout=None, blocksize=None, dense_dim=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__to_sparse[keys](self, layout, blocksize, dense_dim)


t_sparse_mask = operator('sparse_mask').table


def sparse_mask(self, mask):
    keys = self._keys | mask._keys
    if state.active:
        keys = state.effective(keys)
    return t_sparse_mask[keys](self, mask)


t__sparse_sum = operator('_sparse_sum').table


def _sparse_sum(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_sum[keys](self)


t__sparse_sum_dtype = operator('_sparse_sum.dtype').table


def _sparse_sum_dtype(self, dtype):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_sum_dtype[keys](self, dtype)


t__sparse_sum_dim = operator('_sparse_sum.dim').table


def _sparse_sum_dim(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_sum_dim[keys](self, dim)


t__sparse_sum_dim_dtype = operator('_sparse_sum.dim_dtype').table


def _sparse_sum_dim_dtype(self, dim, dtype):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_sum_dim_dtype[keys](self, dim, dtype)


t_embedding_sparse_backward = operator('embedding_sparse_backward').table


def embedding_sparse_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq):
    keys = grad._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_embedding_sparse_backward[keys](grad, indices, num_weights, padding_idx, scale_grad_by_freq)


t__gather_sparse_backward = operator('_gather_sparse_backward').table


def _gather_sparse_backward(self, dim, index, grad):
    keys = self._keys | index._keys | grad._keys
    if state.active:
        keys = state.effective(keys)
    return t__gather_sparse_backward[keys](self, dim, index, grad)


t__sparse_mm = operator('_sparse_mm').table


def _sparse_mm(sparse, dense):
    keys = sparse._keys | dense._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_mm[keys](sparse, dense)


t__sparse_addmm = operator('_sparse_addmm').table


def _sparse_addmm(self, mat1, mat2, beta=1, alpha=1):
    keys = self._keys | mat1._keys | mat2._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_addmm[keys](self, mat1, mat2, beta, alpha)


t__sparse_sparse_matmul = operator('_sparse_sparse_matmul').table


def _sparse_sparse_matmul(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_sparse_matmul[keys](self, other)


t_hspmm = operator('hspmm').table


def hspmm(mat1, mat2):
    keys = mat1._keys | mat2._keys
    if state.active:
        keys = state.effective(keys)
    return t_hspmm[keys](mat1, mat2)


t__sparse_softmax_int = operator('_sparse_softmax.int').table


def _sparse_softmax_int(self, dim, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_softmax_int[keys](self, dim, dtype)


t__sparse_softmax = operator('_sparse_softmax').table


def _sparse_softmax(self, dim, half_to_float):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_softmax[keys](self, dim, half_to_float)


t__sparse_softmax_backward_data = operator('_sparse_softmax_backward_data').table


def _sparse_softmax_backward_data(grad_output, output, dim, self):
    keys = grad_output._keys | output._keys | self._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_softmax_backward_data[keys](grad_output, output, dim, self)


t__sparse_log_softmax_int = operator('_sparse_log_softmax.int').table


def _sparse_log_softmax_int(self, dim, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_log_softmax_int[keys](self, dim, dtype)


t__sparse_log_softmax = operator('_sparse_log_softmax').table


def _sparse_log_softmax(self, dim, half_to_float):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_log_softmax[keys](self, dim, half_to_float)


t__sparse_log_softmax_backward_data = operator('_sparse_log_softmax_backward_data').table


def _sparse_log_softmax_backward_data(grad_output, output, dim, self):
    keys = grad_output._keys | output._keys | self._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_log_softmax_backward_data[keys](grad_output, output, dim, self)


t_sparse_resize_and_clear_ = operator('sparse_resize_and_clear_').table


def sparse_resize_and_clear_(self, size, sparse_dim, dense_dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sparse_resize_and_clear_[keys](self, size, sparse_dim, dense_dim)


t_sparse_compressed_tensor_comp_plain_value_size = operator('sparse_compressed_tensor.comp_plain_value_size').table


def sparse_compressed_tensor_comp_plain_value_size(compressed_indices, plain_indices, values, size, dtype=None, layout=None, device=None, pin_memory=False):
    keys = compressed_indices._keys | plain_indices._keys | values._keys
    if state.active:
        keys = state.effective(keys)
    return t_sparse_compressed_tensor_comp_plain_value_size[keys](compressed_indices, plain_indices, values, size, dtype, layout, device, pin_memory)


t_sparse_compressed_tensor_comp_plain_value = operator('sparse_compressed_tensor.comp_plain_value').table


def sparse_compressed_tensor_comp_plain_value(compressed_indices, plain_indices, values, dtype=None, layout=None, device=None, pin_memory=False):
    keys = compressed_indices._keys | plain_indices._keys | values._keys
    if state.active:
        keys = state.effective(keys)
    return t_sparse_compressed_tensor_comp_plain_value[keys](compressed_indices, plain_indices, values, dtype, layout, device, pin_memory)


t__sparse_compressed_tensor_unsafe = operator('_sparse_compressed_tensor_unsafe').table


def _sparse_compressed_tensor_unsafe(compressed_indices, plain_indices, values, size, dtype=None, layout=None, device=None, pin_memory=None):
    keys = compressed_indices._keys | plain_indices._keys | values._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_compressed_tensor_unsafe[keys](compressed_indices, plain_indices, values, size, dtype, layout, device, pin_memory)


t__validate_sparse_compressed_tensor_args = operator('_validate_sparse_compressed_tensor_args').table


def _validate_sparse_compressed_tensor_args(compressed_indices, plain_indices, values, size, layout, check_pinning=None):
    keys = compressed_indices._keys | plain_indices._keys | values._keys
    if state.active:
        keys = state.effective(keys)
    return t__validate_sparse_compressed_tensor_args[keys](compressed_indices, plain_indices, values, size, layout, check_pinning)


t_crow_indices = operator('crow_indices').table


def crow_indices(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_crow_indices[keys](self)


t_col_indices = operator('col_indices').table


def col_indices(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_col_indices[keys](self)


t_ccol_indices = operator('ccol_indices').table


def ccol_indices(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_ccol_indices[keys](self)


t_row_indices = operator('row_indices').table


def row_indices(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_row_indices[keys](self)


t_to_sparse_csr = operator('to_sparse_csr').table


def to_sparse_csr(self, dense_dim=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_to_sparse_csr[keys](self, dense_dim)


t__to_sparse_csr = operator('_to_sparse_csr').table


def _to_sparse_csr(self, dense_dim=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__to_sparse_csr[keys](self, dense_dim)


t_to_sparse_csc = operator('to_sparse_csc').table


def to_sparse_csc(self, dense_dim=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_to_sparse_csc[keys](self, dense_dim)


t__to_sparse_csc = operator('_to_sparse_csc').table


def _to_sparse_csc(self, dense_dim=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__to_sparse_csc[keys](self, dense_dim)


t_sparse_sampled_addmm = operator('sparse_sampled_addmm').table


def sparse_sampled_addmm(self, mat1, mat2, beta=1, alpha=1):
    keys = self._keys | mat1._keys | mat2._keys
    if state.active:
        keys = state.effective(keys)
    return t_sparse_sampled_addmm[keys](self, mat1, mat2, beta, alpha)


t__sparse_mm_reduce = operator('_sparse_mm.reduce').table


def _sparse_mm_reduce(sparse, dense, reduce):
    keys = sparse._keys | dense._keys
    if state.active:
        keys = state.effective(keys)
    return t__sparse_mm_reduce[keys](sparse, dense, reduce)
