"""Call functions of the family reduction. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t__is_all_true = operator('_is_all_true').table


def _is_all_true(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__is_all_true[keys](self)


t__is_any_true = operator('_is_any_true').table


def _is_any_true(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__is_any_true[keys](self)


t_all_dim = operator('all.dim').table


def all_dim(self, dim, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_all_dim[keys](self, dim, keepdim)


t_all_out = operator('all.out').table


def all_out(self, dim, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_all_out[keys](self, dim, keepdim, out)


t_all_dims = operator('all.dims').table


def all_dims(self, dim=None, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_all_dims[keys](self, dim, keepdim)


t_all_dims_out = operator('all.dims_out').table


def all_dims_out(self, dim=None, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_all_dims_out[keys](self, dim, keepdim, out)


t_all = operator('all').table


def all(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_all[keys](self)


t_all_all_out = operator('all.all_out').table


def all_all_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_all_all_out[keys](self, out)


t_any_dim = operator('any.dim').table


def any_dim(self, dim, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_any_dim[keys](self, dim, keepdim)


t_any_out = operator('any.out').table


def any_out(self, dim, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_any_out[keys](self, dim, keepdim, out)


t_any_dims = operator('any.dims').table


def any_dims(self, dim=None, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_any_dims[keys](self, dim, keepdim)


t_any_dims_out = operator('any.dims_out').table


def any_dims_out(self, dim=None, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_any_dims_out[keys](self, dim, keepdim, out)


t_any = operator('any').table


def any(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_any[keys](self)


t_any_all_out = operator('any.all_out').table


def any_all_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_any_all_out[keys](self, out)


t_argmax = operator('argmax').table


def argmax(self, dim=None, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_argmax[keys](self, dim, keepdim)


t_argmax_out = operator('argmax.out').table


def argmax_out(self, dim=None, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_argmax_out[keys](self, dim, keepdim, out)


t_argmin = operator('argmin').table


def argmin(self, dim=None, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_argmin[keys](self, dim, keepdim)


t_argmin_out = operator('argmin.out').table


def argmin_out(self, dim=None, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_argmin_out[keys](self, dim, keepdim, out)


t_count_nonzero_dim_IntList = operator('count_nonzero.dim_IntList').table


def count_nonzero_dim_IntList(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_count_nonzero_dim_IntList[keys](self, dim)


t_count_nonzero = operator('count_nonzero').table


def count_nonzero(self, dim=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_count_nonzero[keys](self, dim)


t_cummax = operator('cummax').table


def cummax(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_cummax[keys](self, dim)


t_cummax_out = operator('cummax.out').table


def cummax_out(self, dim, values, indices):
    keys = self._keys | values._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_cummax_out[keys](self, dim, values, indices)


t__cummax_helper = operator('_cummax_helper').table


def _cummax_helper(self, values, indices, dim):
    keys = self._keys | values._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t__cummax_helper[keys](self, values, indices, dim)


t_cummin = operator('cummin').table


def cummin(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_cummin[keys](self, dim)


t_cummin_out = operator('cummin.out').table


def cummin_out(self, dim, values, indices):
    keys = self._keys | values._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_cummin_out[keys](self, dim, values, indices)


t__cummin_helper = operator('_cummin_helper').table


def _cummin_helper(self, values, indices, dim):
    keys = self._keys | values._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t__cummin_helper[keys](self, values, indices, dim)


t_cumprod = operator('cumprod').table


def cumprod(self, dim, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_cumprod[keys](self, dim, dtype)


t_cumprod_ = operator('cumprod_').table


def cumprod_(self, dim, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_cumprod_[keys](self, dim, dtype)


t_cumprod_out = operator('cumprod.out').table


def cumprod_out(self, dim, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_cumprod_out[keys](self, dim, dtype, out)


t_cumsum = operator('cumsum').table


def cumsum(self, dim, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_cumsum[keys](self, dim, dtype)


t_cumsum_ = operator('cumsum_').table


def cumsum_(self, dim, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_cumsum_[keys](self, dim, dtype)


t_cumsum_out = operator('cumsum.out').table


def cumsum_out(self, dim, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_cumsum_out[keys](self, dim, dtype, out)


t_cumulative_trapezoid_x = operator('cumulative_trapezoid.x').table


def cumulative_trapezoid_x(y, x, dim=-1):
    keys = y._keys | x._keys
    if state.active:
        keys = state.effective(keys)
    return t_cumulative_trapezoid_x[keys](y, x, dim)


t_cumulative_trapezoid_dx = operator('cumulative_trapezoid.dx').table


def cumulative_trapezoid_dx(y, dx=1, dim=-1):
    keys = y._keys
    if state.active:
        keys = state.effective(keys)
    return t_cumulative_trapezoid_dx[keys](y, dx, dim)


t_diff = operator('diff').table


def diff(self, n=1, dim=-1, prepend=None, append=None):
    keys = self._keys
    if prepend is not None:
        keys |= prepend._keys
    if append is not None:
        keys |= append._keys
    if state.active:
        keys = state.effective(keys)
    return t_diff[keys](self, n, dim, prepend, append)


t_diff_out = operator('diff.out').table


def diff_out(self, n=1, dim=-1, prepend=None, append=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if prepend is not None:
        keys |= prepend._keys
    if append is not None:
        keys |= append._keys
    if state.active:
        keys = state.effective(keys)
    return t_diff_out[keys](self, n, dim, prepend, append, out)


t_kthvalue = operator('kthvalue').table


def kthvalue(self, k, dim=-1, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_kthvalue[keys](self, k, dim, keepdim)


t_kthvalue_values = operator('kthvalue.values').table


def kthvalue_values(self, k, dim=-1, keepdim=False, values=constants.REQUIRED, indices=constants.REQUIRED):
    keys = self._keys | values._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_kthvalue_values[keys](self, k, dim, keepdim, values, indices)


t__logcumsumexp = operator('_logcumsumexp').table


def _logcumsumexp(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__logcumsumexp[keys](self, dim)


t__logcumsumexp_out = operator('_logcumsumexp.out').table


def _logcumsumexp_out(self, dim, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t__logcumsumexp_out[keys](self, dim, out)


t__linear_recurrence = operator('_linear_recurrence').table


def _linear_recurrence(self, decay, dim):
    keys = self._keys | decay._keys
    if state.active:
        keys = state.effective(keys)
    return t__linear_recurrence[keys](self, decay, dim)


t_logcumsumexp = operator('logcumsumexp').table


def logcumsumexp(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_logcumsumexp[keys](self, dim)


t_logcumsumexp_out = operator('logcumsumexp.out').table


def logcumsumexp_out(self, dim, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_logcumsumexp_out[keys](self, dim, out)


t_logsumexp = operator('logsumexp').table


def logsumexp(self, dim, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_logsumexp[keys](self, dim, keepdim)


t_logsumexp_out = operator('logsumexp.out').table


def logsumexp_out(self, dim, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_logsumexp_out[keys](self, dim, keepdim, out)


t_aminmax = operator('aminmax').table


def aminmax(self, dim=None, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_aminmax[keys](self, dim, keepdim)


t_aminmax_out = operator('aminmax.out').table


def aminmax_out(self, dim=None, keepdim=False, min=constants.REQUIRED, max=constants.REQUIRED):
    keys = self._keys | min._keys | max._keys
    if state.active:
        keys = state.effective(keys)
    return t_aminmax_out[keys](self, dim, keepdim, min, max)


t_max_dim = operator('max.dim').table


def max_dim(self, dim, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_dim[keys](self, dim, keepdim)


t_max_dim_max = operator('max.dim_max').table


def max_dim_max(self, dim, keepdim=False, max=constants.REQUIRED, max_values=constants.REQUIRED):
    keys = self._keys | max._keys | max_values._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_dim_max[keys](self, dim, keepdim, max, max_values)


t_max = operator('max').table


def max(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_max[keys](self)


t_max_unary_out = operator('max.unary_out').table


def max_unary_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_unary_out[keys](self, out)


t_max_other = operator('max.other').table


def max_other(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_other[keys](self, other)


t_max_out = operator('max.out').table


def max_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_out[keys](self, other, out)


t_amax = operator('amax').table


def amax(self, dim=(), keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_amax[keys](self, dim, keepdim)


t_amax_out = operator('amax.out').table


def amax_out(self, dim=(), keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_amax_out[keys](self, dim, keepdim, out)


t_mean = operator('mean').table


def mean(self, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_mean[keys](self, dtype)


t_mean_dtype_out = operator('mean.dtype_out').table


def mean_dtype_out(self, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_mean_dtype_out[keys](self, dtype, out)


t_mean_dim = operator('mean.dim').table


def mean_dim(self, dim, keepdim=False, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_mean_dim[keys](self, dim, keepdim, dtype)


t_mean_out = operator('mean.out').table


def mean_out(self, dim, keepdim=False, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_mean_out[keys](self, dim, keepdim, dtype, out)


t_nanmean = operator('nanmean').table


def nanmean(self, dim=None, keepdim=False, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_nanmean[keys](self, dim, keepdim, dtype)


t_nanmean_out = operator('nanmean.out').table


def nanmean_out(self, dim=None, keepdim=False, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_nanmean_out[keys](self, dim, keepdim, dtype, out)


t_median = operator('median').table


def median(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_median[keys](self)


t_median_dim = operator('median.dim').table


def median_dim(self, dim, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_median_dim[keys](self, dim, keepdim)


t_median_dim_values = operator('median.dim_values').table


def median_dim_values(self, dim, keepdim=False, values=constants.REQUIRED, indices=constants.REQUIRED):
    keys = self._keys | values._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_median_dim_values[keys](self, dim, keepdim, values, indices)


t_nanmedian = operator('nanmedian').table


def nanmedian(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_nanmedian[keys](self)


t_nanmedian_dim = operator('nanmedian.dim').table


def nanmedian_dim(self, dim, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_nanmedian_dim[keys](self, dim, keepdim)


t_nanmedian_dim_values = operator('nanmedian.dim_values').table


def nanmedian_dim_values(self, dim, keepdim=False, values=constants.REQUIRED, indices=constants.REQUIRED):
    keys = self._keys | values._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_nanmedian_dim_values[keys](self, dim, keepdim, values, indices)


t_min_dim = operator('min.dim').table


def min_dim(self, dim, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_min_dim[keys](self, dim, keepdim)


t_min_dim_min = operator('min.dim_min').table


def min_dim_min(self, dim, keepdim=False, min=constants.REQUIRED, min_indices=constants.REQUIRED):
    keys = self._keys | min._keys | min_indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_min_dim_min[keys](self, dim, keepdim, min, min_indices)


t_min = operator('min').table


def min(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_min[keys](self)


t_min_unary_out = operator('min.unary_out').table


def min_unary_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_min_unary_out[keys](self, out)


t_min_other = operator('min.other').table


def min_other(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_min_other[keys](self, other)


t_min_out = operator('min.out').table


def min_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_min_out[keys](self, other, out)


t_amin = operator('amin').table


def amin(self, dim=(), keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_amin[keys](self, dim, keepdim)


t_amin_out = operator('amin.out').table


def amin_out(self, dim=(), keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_amin_out[keys](self, dim, keepdim, out)


t_mode = operator('mode').table


def mode(self, dim=-1, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_mode[keys](self, dim, keepdim)


t_mode_values = operator('mode.values').table


def mode_values(self, dim=-1, keepdim=False, values=constants.REQUIRED, indices=constants.REQUIRED):
    keys = self._keys | values._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_mode_values[keys](self, dim, keepdim, values, indices)


t_sum = operator('sum').table


def sum(self, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sum[keys](self, dtype)


t_sum_dim_IntList = operator('sum.dim_IntList').table


def sum_dim_IntList(self, dim, keepdim=False, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sum_dim_IntList[keys](self, dim, keepdim, dtype)


t_sum_IntList_out = operator('sum.IntList_out').table


def sum_IntList_out(self, dim, keepdim=False, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_sum_IntList_out[keys](self, dim, keepdim, dtype, out)


t_nansum = operator('nansum').table


def nansum(self, dim=None, keepdim=False, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_nansum[keys](self, dim, keepdim, dtype)


t_nansum_out = operator('nansum.out').table


def nansum_out(self, dim=None, keepdim=False, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_nansum_out[keys](self, dim, keepdim, dtype, out)


t_std = operator('std').table


def std(self, unbiased=True):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_std[keys](self, unbiased)


t_std_dim = operator('std.dim').table


def std_dim(self, dim, unbiased=True, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_std_dim[keys](self, dim, unbiased, keepdim)


t_std_out = operator('std.out').table


def std_out(self, dim, unbiased=True, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_std_out[keys](self, dim, unbiased, keepdim, out)


t_std_correction = operator('std.correction').table


def std_correction(self, dim=None, correction=None, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_std_correction[keys](self, dim, correction, keepdim)


t_std_correction_out = operator('std.correction_out').table


def std_correction_out(self, dim=None, correction=None, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_std_correction_out[keys](self, dim, correction, keepdim, out)


t_std_mean = operator('std_mean').table


def std_mean(self, unbiased=True):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_std_mean[keys](self, unbiased)


t_std_mean_dim = operator('std_mean.dim').table


def std_mean_dim(self, dim, unbiased=True, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_std_mean_dim[keys](self, dim, unbiased, keepdim)


t_std_mean_correction = operator('std_mean.correction').table


def std_mean_correction(self, dim=None, correction=None, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_std_mean_correction[keys](self, dim, correction, keepdim)


t_prod = operator('prod').table


def prod(self, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_prod[keys](self, dtype)


t_prod_dim_int = operator('prod.dim_int').table


def prod_dim_int(self, dim, keepdim=False, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_prod_dim_int[keys](self, dim, keepdim, dtype)


t_prod_int_out = operator('prod.int_out').table


def prod_int_out(self, dim, keepdim=False, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_prod_int_out[keys](self, dim, keepdim, dtype, out)


t_trapezoid_x = operator('trapezoid.x').table


def trapezoid_x(y, x, dim=-1):
    keys = y._keys | x._keys
    if state.active:
        keys = state.effective(keys)
    return t_trapezoid_x[keys](y, x, dim)


t_trapezoid_dx = operator('trapezoid.dx').table


def trapezoid_dx(y, dx=1, dim=-1):
    keys = y._keys
    if state.active:
        keys = state.effective(keys)
    return t_trapezoid_dx[keys](y, dx, dim)


t_trapz_x = operator('trapz.x').table


def trapz_x(y, x, dim=-1):
    keys = y._keys | x._keys
    if state.active:
        keys = state.effective(keys)
    return t_trapz_x[keys](y, x, dim)


t_trapz_dx = operator('trapz.dx').table


def trapz_dx(y, dx=1.0, dim=-1):
    keys = y._keys
    if state.active:
        keys = state.effective(keys)
    return t_trapz_dx[keys](y, dx, dim)


t_var = operator('var').table


def var(self, unbiased=True):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_var[keys](self, unbiased)


t_var_dim = operator('var.dim').table


def var_dim(self, dim, unbiased=True, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_var_dim[keys](self, dim, unbiased, keepdim)


t_var_out = operator('var.out').table


def var_out(self, dim, unbiased=True, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_var_out[keys](self, dim, unbiased, keepdim, out)


t_var_correction = operator('var.correction').table


def var_correction(self, dim=None, correction=None, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_var_correction[keys](self, dim, correction, keepdim)


t_var_correction_out = operator('var.correction_out').table


def var_correction_out(self, dim=None, correction=None, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_var_correction_out[keys](self, dim, correction, keepdim, out)


t_var_mean = operator('var_mean').table


def var_mean(self, unbiased=True):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_var_mean[keys](self, unbiased)


t_var_mean_dim = operator('var_mean.dim').table


def var_mean_dim(self, dim, unbiased=True, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_var_mean_dim[keys](self, dim, unbiased, keepdim)


t_var_mean_correction = operator('var_mean.correction').table


def var_mean_correction(self, dim=None, correction=None, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_var_mean_correction[keys](self, dim, correction, keepdim)


t_native_norm = operator('native_norm').table


def native_norm(self, p=2):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_native_norm[keys](self, p)


t_native_norm_ScalarOpt_dim_dtype = operator('native_norm.ScalarOpt_dim_dtype').table


def native_norm_ScalarOpt_dim_dtype(self, p, dim, keepdim, dtype):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_native_norm_ScalarOpt_dim_dtype[keys](self, p, dim, keepdim, dtype)


t_norm_ScalarOpt_dtype = operator('norm.ScalarOpt_dtype').table


def norm_ScalarOpt_dtype(self, p, dtype):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_norm_ScalarOpt_dtype[keys](self, p, dtype)


t_norm_Scalar = operator('norm.Scalar').table


def norm_Scalar(self, p=2):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_norm_Scalar[keys](self, p)


t_norm_ScalarOpt_dim_dtype = operator('norm.ScalarOpt_dim_dtype').table


def norm_ScalarOpt_dim_dtype(self, p, dim, keepdim, dtype):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_norm_ScalarOpt_dim_dtype[keys](self, p, dim, keepdim, dtype)


t_norm_dtype_out = operator('norm.dtype_out').table


def norm_dtype_out(self, p, dim, keepdim, dtype, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_norm_dtype_out[keys](self, p, dim, keepdim, dtype, out)


t_norm_ScalarOpt_dim = operator('norm.ScalarOpt_dim').table


def norm_ScalarOpt_dim(self, p, dim, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_norm_ScalarOpt_dim[keys](self, p, dim, keepdim)


t_norm_out = operator('norm.out').table


def norm_out(self, p, dim, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_norm_out[keys](self, p, dim, keepdim, out)


t_frobenius_norm_dim = operator('frobenius_norm.dim').table


def frobenius_norm_dim(self, dim, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_frobenius_norm_dim[keys](self, dim, keepdim)


t_frobenius_norm_out = operator('frobenius_norm.out').table


def frobenius_norm_out(self, dim, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_frobenius_norm_out[keys](self, dim, keepdim, out)


t_nuclear_norm = operator('nuclear_norm').table


def nuclear_norm(self, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_nuclear_norm[keys](self, keepdim)


t_nuclear_norm_out = operator('nuclear_norm.out').table


def nuclear_norm_out(self, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_nuclear_norm_out[keys](self, keepdim, out)


t_nuclear_norm_dim = operator('nuclear_norm.dim').table


def nuclear_norm_dim(self, dim, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_nuclear_norm_dim[keys](self, dim, keepdim)


t_nuclear_norm_dim_out = operator('nuclear_norm.dim_out').table


def nuclear_norm_dim_out(self, dim, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_nuclear_norm_dim_out[keys](self, dim, keepdim, out)


t_dist = operator('dist').table


def dist(self, other, p=2):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_dist[keys](self, other, p)


t_quantile = operator('quantile').table


def quantile(self, q, dim=None, keepdim=False, interpolation='linear'):
    keys = self._keys | q._keys
    if state.active:
        keys = state.effective(keys)
    return t_quantile[keys](self, q, dim, keepdim, interpolation)


t_quantile_out = operator('quantile.out').table


def quantile_out(self, q, dim=None, keepdim=False, interpolation='linear', out=constants.REQUIRED):
    keys = self._keys | q._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_quantile_out[keys](self, q, dim, keepdim, interpolation, out)


t_quantile_scalar = operator('quantile.scalar').table


def quantile_scalar(self, q, dim=None, keepdim=False, interpolation='linear'):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_quantile_scalar[keys](self, q, dim, keepdim, interpolation)


t_quantile_scalar_out = operator('quantile.scalar_out').table


def quantile_scalar_out(self, q, dim=None, keepdim=False, interpolation='linear', out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_quantile_scalar_out[keys](self, q, dim, keepdim, interpolation, out)


t_nanquantile = operator('nanquantile').table


def nanquantile(self, q, dim=None, keepdim=False, interpolation='linear'):
    keys = self._keys | q._keys
    if state.active:
        keys = state.effective(keys)
    return t_nanquantile[keys](self, q, dim, keepdim, interpolation)


t_nanquantile_out = operator('nanquantile.out').table


def nanquantile_out(self, q, dim=None, keepdim=False, interpolation='linear', out=constants.REQUIRED):
    keys = self._keys | q._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_nanquantile_out[keys](self, q, dim, keepdim, interpolation, out)


t_nanquantile_scalar = operator('nanquantile.scalar').table


def nanquantile_scalar(self, q, dim=None, keepdim=False, interpolation='linear'):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_nanquantile_scalar[keys](self, q, dim, keepdim, interpolation)


t_nanquantile_scalar_out = operator('nanquantile.scalar_out').table


def nanquantile_scalar_out(self, q, dim=None, keepdim=False, interpolation='linear', out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_nanquantile_scalar_out[keys](self, q, dim, keepdim, interpolation, out)


t_sort = operator('sort').table


def sort(self, dim=-1, descending=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sort[keys](self, dim, descending)


t_sort_values = operator('sort.values').table


def sort_values(self, dim=-1, descending=False, values=constants.REQUIRED, indices=constants.REQUIRED):
    keys = self._keys | values._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_sort_values[keys](self, dim, descending, values, indices)


t_sort_stable = operator('sort.stable').table


def sort_stable(self, stable, dim=-1, descending=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sort_stable[keys](self, stable, dim, descending)


t_sort_values_stable = operator('sort.values_stable').table


def sort_values_stable(self, stable, dim=-1, descending=False, values=constants.REQUIRED, indices=constants.REQUIRED):
    keys = self._keys | values._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_sort_values_stable[keys](self, stable, dim, descending, values, indices)


t_msort = operator('msort').table


def msort(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_msort[keys](self)


t_msort_out = operator('msort.out').table


def msort_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_msort_out[keys](self, out)


t_argsort = operator('argsort').table


def argsort(self, dim=-1, descending=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_argsort[keys](self, dim, descending)


t_argsort_stable = operator('argsort.stable').table


def argsort_stable(self, stable, dim=-1, descending=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_argsort_stable[keys](self, stable, dim, descending)


t_argsort_stable_out = operator('argsort.stable_out').table


def argsort_stable_out(self, stable, dim=-1, descending=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_argsort_stable_out[keys](self, stable, dim, descending, out)


t_topk = operator('topk').table


def topk(self, k, dim=-1, largest=True, sorted=True):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_topk[keys](self, k, dim, largest, sorted)


t_topk_values = operator('topk.values').table


def topk_values(self, k, dim=-1, largest=True, sorted=True, values=constants.REQUIRED, indices=constants.REQUIRED):
    keys = self._keys | values._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_topk_values[keys](self, k, dim, largest, sorted, values, indices)


t_renorm = operator('renorm').table


def renorm(self, p, dim, maxnorm):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_renorm[keys](self, p, dim, maxnorm)


t_renorm_ = operator('renorm_').table


def renorm_(self, p, dim, maxnorm):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_renorm_[keys](self, p, dim, maxnorm)


t_renorm_out = operator('renorm.out').table


def renorm_out(self, p, dim, maxnorm, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_renorm_out[keys](self, p, dim, maxnorm, out)


t_special_logsumexp = operator('special_logsumexp').table


def special_logsumexp(self, dim, keepdim=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_logsumexp[keys](self, dim, keepdim)


t_special_logsumexp_out = operator('special_logsumexp.out').table


def special_logsumexp_out(self, dim, keepdim=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_logsumexp_out[keys](self, dim, keepdim, out)


t_linalg_norm = operator('linalg_norm').table


def linalg_norm(self, ord=None, dim=None, keepdim=False, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_norm[keys](self, ord, dim, keepdim, dtype)


t_linalg_norm_out = operator('linalg_norm.out').table


def linalg_norm_out(self, ord=None, dim=None, keepdim=False, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_norm_out[keys](self, ord, dim, keepdim, dtype, out)


t_linalg_norm_ord_str = operator('linalg_norm.ord_str').table


def linalg_norm_ord_str(self, ord, dim=None, keepdim=False, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_norm_ord_str[keys](self, ord, dim, keepdim, dtype)


t_linalg_norm_ord_str_out = operator('linalg_norm.ord_str_out').table


def linalg_norm_ord_str_out(self, ord, dim=None, keepdim=False, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_norm_ord_str_out[keys](self, ord, dim, keepdim, dtype, out)


t_linalg_vector_norm = operator('linalg_vector_norm').table


def linalg_vector_norm(self, ord=2, dim=None, keepdim=False, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_vector_norm[keys](self, ord, dim, keepdim, dtype)


t_linalg_vector_norm_out = operator('linalg_vector_norm.out').table


def linalg_vector_norm_out(self, ord=2, dim=None, keepdim=False, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_vector_norm_out[keys](self, ord, dim, keepdim, dtype, out)


t_linalg_matrix_norm = operator('linalg_matrix_norm').table


def linalg_matrix_norm(self, ord, dim=(-2, -1), keepdim=False, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_norm[keys](self, ord, dim, keepdim, dtype)


t_linalg_matrix_norm_out = operator('linalg_matrix_norm.out').table


def linalg_matrix_norm_out(self, ord, dim=(-2, -1), keepdim=False, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_norm_out[keys](self, ord, dim, keepdim, dtype, out)


t_linalg_matrix_norm_str_ord = operator('linalg_matrix_norm.str_ord').table


def linalg_matrix_norm_str_ord(self, ord='fro', dim=(-2, -1), keepdim=False, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_norm_str_ord[keys](self, ord, dim, keepdim, dtype)


t_linalg_matrix_norm_str_ord_out = operator('linalg_matrix_norm.str_ord_out').table


def linalg_matrix_norm_str_ord_out(self, ord='fro', dim=(-2, -1), keepdim=False, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_norm_str_ord_out[keys](self, ord, dim, keepdim, dtype, out)


t_hash_tensor = operator('hash_tensor').table


def hash_tensor(self, dim=(), keepdim=False, mode=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_hash_tensor[keys](self, dim, keepdim, mode)


t_hash_tensor_out = operator('hash_tensor.out').table


def hash_tensor_out(self, dim=(), keepdim=False, mode=0, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_hash_tensor_out[keys](self, dim, keepdim, mode, out)
