"""Call functions of the family searching. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t__unique = operator('_unique').table


def _unique(self, sorted=True, return_inverse=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__unique[keys](self, sorted, return_inverse)


t__unique2 = operator('_unique2').table


def _unique2(self, sorted=True, return_inverse=False, return_counts=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__unique2[keys](self, sorted, return_inverse, return_counts)


t_unique_dim = operator('unique_dim').table


def unique_dim(self, dim, sorted=True, return_inverse=False, return_counts=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unique_dim[keys](self, dim, sorted, return_inverse, return_counts)


t_unique_consecutive = operator('unique_consecutive').table


def unique_consecutive(self, return_inverse=False, return_counts=False, dim=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unique_consecutive[keys](self, return_inverse, return_counts, dim)


t_unique_dim_consecutive = operator('unique_dim_consecutive').table


def unique_dim_consecutive(self, dim, return_inverse=False, return_counts=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unique_dim_consecutive[keys](self, dim, return_inverse, return_counts)


t_searchsorted_Tensor = operator('searchsorted.Tensor').table


def searchsorted_Tensor(sorted_sequence, self, out_int32=False, right=False, side=None, sorter=None):
    keys = sorted_sequence._keys | self._keys
    if sorter is not None:
        keys |= sorter._keys
    if state.active:
        keys = state.effective(keys)
    return t_searchsorted_Tensor[keys](sorted_sequence, self, out_int32, right, side, sorter)


t_searchsorted_Tensor_out = operator('searchsorted.Tensor_out').table


def searchsorted_Tensor_out(sorted_sequence, self, out_int32=False, right=False, side=None, sorter=None, out=constants.REQUIRED):
    keys = sorted_sequence._keys | self._keys | out._keys
    if sorter is not None:
        keys |= sorter._keys
    if state.active:
        keys = state.effective(keys)
    return t_searchsorted_Tensor_out[keys](sorted_sequence, self, out_int32, right, side, sorter, out)


t_searchsorted_Scalar = operator('searchsorted.Scalar').table


def searchsorted_Scalar(sorted_sequence, self, out_int32=False, right=False, side=None, sorter=None):
    keys = sorted_sequence._keys
    if sorter is not None:
        keys |= sorter._keys
    if state.active:
        keys = state.effective(keys)
    return t_searchsorted_Scalar[keys](sorted_sequence, self, out_int32, right, side, sorter)


t_searchsorted_Scalar_out = operator('searchsorted.Scalar_out').table


def searchsorted_Scalar_out(sorted_sequence, self, out_int32=False, right=False, side=None, sorter=None, out=constants.REQUIRED):
    keys = sorted_sequence._keys | out._keys
    if sorter is not None:
        keys |= sorter._keys
    if state.active:
        keys = state.effective(keys)
    return t_searchsorted_Scalar_out[keys](sorted_sequence, self, out_int32, right, side, sorter, out)


t_bucketize_Tensor = operator('bucketize.Tensor').table


def bucketize_Tensor(self, boundaries, out_int32=False, right=False):
    keys = self._keys | boundaries._keys
    if state.active:
        keys = state.effective(keys)
    return t_bucketize_Tensor[keys](self, boundaries, out_int32, right)


t_bucketize_Tensor_out = operator('bucketize.Tensor_out').table


def bucketize_Tensor_out(self, boundaries, out_int32=False, right=False, out=constants.REQUIRED):
    keys = self._keys | boundaries._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bucketize_Tensor_out[keys](self, boundaries, out_int32, right, out)


t_bucketize_Scalar = operator('bucketize.Scalar').table


def bucketize_Scalar(self, boundaries, out_int32=False, right=False):
    keys = boundaries._keys
    if state.active:
        keys = state.effective(keys)
    return t_bucketize_Scalar[keys](self, boundaries, out_int32, right)


t_histc = operator('histc').table


def histc(self, bins=100, min=0, max=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_histc[keys](self, bins, min, max)


t_histc_out = operator('histc.out').table


def histc_out(self, bins=100, min=0, max=0, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_histc_out[keys](self, bins, min, max, out)


t_bincount = operator('bincount').table


def bincount(self, weights=None, minlength=0):
    keys = self._keys
    if weights is not None:
        keys |= weights._keys
    if state.active:
        keys = state.effective(keys)
    return t_bincount[keys](self, weights, minlength)


t_histogram_bins_tensor = operator('histogram.bins_tensor').table


def histogram_bins_tensor(self, bins, weight=None, density=False):
    keys = self._keys | bins._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_histogram_bins_tensor[keys](self, bins, weight, density)


t_histogram_bins_tensor_out = operator('histogram.bins_tensor_out').table


def histogram_bins_tensor_out(self, bins, weight=None, density=False, hist=constants.REQUIRED, bin_edges=constants.REQUIRED):
    keys = self._keys | bins._keys | hist._keys | bin_edges._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_histogram_bins_tensor_out[keys](self, bins, weight, density, hist, bin_edges)


t_histogram_bin_ct = operator('histogram.bin_ct').table


def histogram_bin_ct(self, bins=100, range=None, weight=None, density=False):
    keys = self._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_histogram_bin_ct[keys](self, bins, range, weight, density)


t_histogram_bin_ct_out = operator('histogram.bin_ct_out').table


def histogram_bin_ct_out(self, bins=100, range=None, weight=None, density=False, hist=constants.REQUIRED, bin_edges=constants.REQUIRED):
    keys = self._keys | hist._keys | bin_edges._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_histogram_bin_ct_out[keys](self, bins, range, weight, density, hist, bin_edges)


t__histogramdd_bin_edges = operator('_histogramdd_bin_edges').table


def _histogramdd_bin_edges(self, bins, range=None, weight=None, density=False):
    keys = self._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t__histogramdd_bin_edges[keys](self, bins, range, weight, density)


t__histogramdd_from_bin_cts = operator('_histogramdd_from_bin_cts').table


def _histogramdd_from_bin_cts(self, bins, range=None, weight=None, density=False):
    keys = self._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t__histogramdd_from_bin_cts[keys](self, bins, range, weight, density)


t__histogramdd_from_bin_tensors = operator('_histogramdd_from_bin_tensors').table


def _histogramdd_from_bin_tensors(self, bins, weight=None, density=False):
    keys = self._keys
    for item in bins:
        keys |= item._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t__histogramdd_from_bin_tensors[keys](self, bins, weight, density)


t_histogramdd = operator('histogramdd').table


def histogramdd(self, bins, range=None, weight=None, density=False):
    keys = self._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_histogramdd[keys](self, bins, range, weight, density)


t_histogramdd_int_bins = operator('histogramdd.int_bins').table


def histogramdd_int_bins(self, bins, range=None, weight=None, density=False):
    keys = self._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_histogramdd_int_bins[keys](self, bins, range, weight, density)


t_histogramdd_TensorList_bins = operator('histogramdd.TensorList_bins').table


def histogramdd_TensorList_bins(self, bins, range=None, weight=None, density=False):
    keys = self._keys
    for item in bins:
        keys |= item._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_histogramdd_TensorList_bins[keys](self, bins, range, weight, density)


t_cov = operator('cov').table


def cov(self, correction=1, fweights=None, aweights=None):
    keys = self._keys
    if fweights is not None:
        keys |= fweights._keys
    if aweights is not None:
        keys |= aweights._keys
    if state.active:
        keys = state.effective(keys)
    return t_cov[keys](self, correction, fweights, aweights)


t_corrcoef = operator('corrcoef').table


def corrcoef(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_corrcoef[keys](self)


t_gradient_scalarint = operator('gradient.scalarint').table


def gradient_scalarint(self, spacing=None, dim=None, edge_order=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_gradient_scalarint[keys](self, spacing, dim, edge_order)


t_gradient_scalararray = operator('gradient.scalararray').table


def gradient_scalararray(self, spacing, dim, edge_order=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_gradient_scalararray[keys](self, spacing, dim, edge_order)


t_gradient_array = operator('gradient.array').table


def gradient_array(self, dim, edge_order=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_gradient_array[keys](self, dim, edge_order)


t_gradient_scalarrayint = operator('gradient.scalarrayint').table


def gradient_scalarrayint(self, spacing, dim=None, edge_order=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_gradient_scalarrayint[keys](self, spacing, dim, edge_order)


t_gradient_scalarrayarray = operator('gradient.scalarrayarray').table


def gradient_scalarrayarray(self, spacing, dim, edge_order=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_gradient_scalarrayarray[keys](self, spacing, dim, edge_order)


t_gradient_tensorarrayint = operator('gradient.tensorarrayint').table


def gradient_tensorarrayint(self, spacing, dim=None, edge_order=1):
    keys = self._keys
    for item in spacing:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_gradient_tensorarrayint[keys](self, spacing, dim, edge_order)


t_gradient_tensorarray = operator('gradient.tensorarray').table


def gradient_tensorarray(self, spacing, dim, edge_order=1):
    keys = self._keys
    for item in spacing:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_gradient_tensorarray[keys](self, spacing, dim, edge_order)


t_tril_indices = operator('tril_indices').table


def tril_indices(row, col, offset=0, dtype=constants.long, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_tril_indices[keys](row, col, offset, dtype, layout, device, pin_memory)


t_triu_indices = operator('triu_indices').table


def triu_indices(row, col, offset=0, dtype=constants.long, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_triu_indices[keys](row, col, offset, dtype, layout, device, pin_memory)
