"""Call functions of the family indexing. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_fill_diagonal_ = operator('fill_diagonal_').table


def fill_diagonal_(self, fill_value, wrap=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fill_diagonal_[keys](self, fill_value, wrap)


t_index_Tensor = operator('index.Tensor').table


def index_Tensor(self, indices):
    keys = self._keys
    for item in indices:
        if item is not None:
            keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_Tensor[keys](self, indices)


t_index_Tensor_out = operator('index.Tensor_out').table


def index_Tensor_out(self, indices, out):
    keys = self._keys | out._keys
    for item in indices:
        if item is not None:
            keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_Tensor_out[keys](self, indices, out)


t__unsafe_index_Tensor = operator('_unsafe_index.Tensor').table


def _unsafe_index_Tensor(self, indices):
    keys = self._keys
    for item in indices:
        if item is not None:
            keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t__unsafe_index_Tensor[keys](self, indices)


t_index_copy = operator('index_copy').table


def index_copy(self, dim, index, source):
    keys = self._keys | index._keys | source._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_copy[keys](self, dim, index, source)


t_index_copy_ = operator('index_copy_').table


def index_copy_(self, dim, index, source):
    keys = self._keys | index._keys | source._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_copy_[keys](self, dim, index, source)


t_index_copy_out = operator('index_copy.out').table


def index_copy_out(self, dim, index, source, out):
    keys = self._keys | index._keys | source._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_copy_out[keys](self, dim, index, source, out)


t_index_put = operator('index_put').table


def index_put(self, indices, values, accumulate=False):
    keys = self._keys | values._keys
    for item in indices:
        if item is not None:
            keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_put[keys](self, indices, values, accumulate)


t_index_put_ = operator('index_put_').table


def index_put_(self, indices, values, accumulate=False):
    keys = self._keys | values._keys
    for item in indices:
        if item is not None:
            keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_put_[keys](self, indices, values, accumulate)


t__unsafe_index_put = operator('_unsafe_index_put').table


def _unsafe_index_put(self, indices, values, accumulate=False):
    keys = self._keys | values._keys
    for item in indices:
        if item is not None:
            keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t__unsafe_index_put[keys](self, indices, values, accumulate)


t__index_put_impl_ = operator('_index_put_impl_').table


def _index_put_impl_(self, indices, values, accumulate=False, unsafe=False):
    keys = self._keys | values._keys
    for item in indices:
        if item is not None:
            keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t__index_put_impl_[keys](self, indices, values, accumulate, unsafe)


t_where_self = operator('where.self').table


def where_self(condition, self, other):
    keys = condition._keys | self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_where_self[keys](condition, self, other)


t_where_self_out = operator('where.self_out').table


def where_self_out(condition, self, other, out):
    keys = condition._keys | self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_where_self_out[keys](condition, self, other, out)


t_where_ScalarSelf = operator('where.ScalarSelf').table


def where_ScalarSelf(condition, self, other):
    keys = condition._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_where_ScalarSelf[keys](condition, self, other)


t_where_ScalarOther = operator('where.ScalarOther').table


def where_ScalarOther(condition, self, other):
    keys = condition._keys | self._keys
    if state.active:
        keys = state.effective(keys)
    return t_where_ScalarOther[keys](condition, self, other)


t_where_Scalar = operator('where.Scalar').table


def where_Scalar(condition, self, other):
    keys = condition._keys
    if state.active:
        keys = state.effective(keys)
    return t_where_Scalar[keys](condition, self, other)


t_where = operator('where').table


def where(condition):
    keys = condition._keys
    if state.active:
        keys = state.effective(keys)
    return t_where[keys](condition)


t_masked_fill_Scalar = operator('masked_fill.Scalar').table


def masked_fill_Scalar(self, mask, value):
    keys = self._keys | mask._keys
    if state.active:
        keys = state.effective(keys)
    return t_masked_fill_Scalar[keys](self, mask, value)


t_masked_fill__Scalar = operator('masked_fill_.Scalar').table


def masked_fill__Scalar(self, mask, value):
    keys = self._keys | mask._keys
    if state.active:
        keys = state.effective(keys)
    return t_masked_fill__Scalar[keys](self, mask, value)


t_masked_fill_Tensor = operator('masked_fill.Tensor').table


def masked_fill_Tensor(self, mask, value):
    keys = self._keys | mask._keys | value._keys
    if state.active:
        keys = state.effective(keys)
    return t_masked_fill_Tensor[keys](self, mask, value)


t_masked_fill__Tensor = operator('masked_fill_.Tensor').table


def masked_fill__Tensor(self, mask, value):
    keys = self._keys | mask._keys | value._keys
    if state.active:
        keys = state.effective(keys)
    return t_masked_fill__Tensor[keys](self, mask, value)


t_masked_scatter = operator('masked_scatter').table


def masked_scatter(self, mask, source):
    keys = self._keys | mask._keys | source._keys
    if state.active:
        keys = state.effective(keys)
    return t_masked_scatter[keys](self, mask, source)


t_masked_scatter_ = operator('masked_scatter_').table


def masked_scatter_(self, mask, source):
    keys = self._keys | mask._keys | source._keys
    if state.active:
        keys = state.effective(keys)
    return t_masked_scatter_[keys](self, mask, source)


t_put = operator('put').table


def put(self, index, source, accumulate=False):
    keys = self._keys | index._keys | source._keys
    if state.active:
        keys = state.effective(keys)
    return t_put[keys](self, index, source, accumulate)


t_put_ = operator('put_').table


def put_(self, index, source, accumulate=False):
    keys = self._keys | index._keys | source._keys
    if state.active:
        keys = state.effective(keys)
    return t_put_[keys](self, index, source, accumulate)


t_index_add = operator('index_add').table


def index_add(self, dim, index, source, alpha=1):
    keys = self._keys | index._keys | source._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_add[keys](self, dim, index, source, alpha)


t_index_add_ = operator('index_add_').table


def index_add_(self, dim, index, source, alpha=1):
    keys = self._keys | index._keys | source._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_add_[keys](self, dim, index, source, alpha)


t_index_add_out = operator('index_add.out').table


def index_add_out(self, dim, index, source, alpha=1, out=constants.REQUIRED):
    keys = self._keys | index._keys | source._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_add_out[keys](self, dim, index, source, alpha, out)


t_index_fill_int_Scalar = operator('index_fill.int_Scalar').table


def index_fill_int_Scalar(self, dim, index, value):
    keys = self._keys | index._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_fill_int_Scalar[keys](self, dim, index, value)


t_index_fill__int_Scalar = operator('index_fill_.int_Scalar').table


def index_fill__int_Scalar(self, dim, index, value):
    keys = self._keys | index._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_fill__int_Scalar[keys](self, dim, index, value)


t_index_fill_int_Tensor = operator('index_fill.int_Tensor').table


def index_fill_int_Tensor(self, dim, index, value):
    keys = self._keys | index._keys | value._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_fill_int_Tensor[keys](self, dim, index, value)


t_index_fill__int_Tensor = operator('index_fill_.int_Tensor').table


def index_fill__int_Tensor(self, dim, index, value):
    keys = self._keys | index._keys | value._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_fill__int_Tensor[keys](self, dim, index, value)


t_scatter_src = operator('scatter.src').table


def scatter_src(self, dim, index, src):
    keys = self._keys | index._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_src[keys](self, dim, index, src)


t_scatter__src = operator('scatter_.src').table


def scatter__src(self, dim, index, src):
    keys = self._keys | index._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter__src[keys](self, dim, index, src)


t_scatter_src_out = operator('scatter.src_out').table


def scatter_src_out(self, dim, index, src, out):
    keys = self._keys | index._keys | src._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_src_out[keys](self, dim, index, src, out)


t_scatter_value = operator('scatter.value').table


def scatter_value(self, dim, index, value):
    keys = self._keys | index._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_value[keys](self, dim, index, value)


t_scatter__value = operator('scatter_.value').table


def scatter__value(self, dim, index, value):
    keys = self._keys | index._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter__value[keys](self, dim, index, value)


t_scatter_value_out = operator('scatter.value_out').table


def scatter_value_out(self, dim, index, value, out):
    keys = self._keys | index._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_value_out[keys](self, dim, index, value, out)


t_scatter_reduce = operator('scatter.reduce').table


def scatter_reduce(self, dim, index, src, reduce):
    keys = self._keys | index._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_reduce[keys](self, dim, index, src, reduce)


t_scatter__reduce = operator('scatter_.reduce').table


def scatter__reduce(self, dim, index, src, reduce):
    keys = self._keys | index._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter__reduce[keys](self, dim, index, src, reduce)


t_scatter_reduce_out = operator('scatter.reduce_out').table


def scatter_reduce_out(self, dim, index, src, reduce, out):
    keys = self._keys | index._keys | src._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_reduce_out[keys](self, dim, index, src, reduce, out)


t_scatter_value_reduce = operator('scatter.value_reduce').table


def scatter_value_reduce(self, dim, index, value, reduce):
    keys = self._keys | index._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_value_reduce[keys](self, dim, index, value, reduce)


t_scatter__value_reduce = operator('scatter_.value_reduce').table


def scatter__value_reduce(self, dim, index, value, reduce):
    keys = self._keys | index._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter__value_reduce[keys](self, dim, index, value, reduce)


t_scatter_value_reduce_out = operator('scatter.value_reduce_out').table


def scatter_value_reduce_out(self, dim, index, value, reduce, out):
    keys = self._keys | index._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_value_reduce_out[keys](self, dim, index, value, reduce, out)


t_scatter_add = operator('scatter_add').table


def scatter_add(self, dim, index, src):
    keys = self._keys | index._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_add[keys](self, dim, index, src)


t_scatter_add_ = operator('scatter_add_').table


def scatter_add_(self, dim, index, src):
    keys = self._keys | index._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_add_[keys](self, dim, index, src)


t_scatter_add_out = operator('scatter_add.out').table


def scatter_add_out(self, dim, index, src, out):
    keys = self._keys | index._keys | src._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_add_out[keys](self, dim, index, src, out)


t_scatter_reduce_two = operator('scatter_reduce.two').table


def scatter_reduce_two(self, dim, index, src, reduce, include_self=True):
    keys = self._keys | index._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_reduce_two[keys](self, dim, index, src, reduce, include_self)


t_scatter_reduce__two = operator('scatter_reduce_.two').table


def scatter_reduce__two(self, dim, index, src, reduce, include_self=True):
    keys = self._keys | index._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_reduce__two[keys](self, dim, index, src, reduce, include_self)


t_scatter_reduce_two_out = operator('scatter_reduce.two_out').table


def scatter_reduce_two_out(self, dim, index, src, reduce, include_self=True, out=constants.REQUIRED):
    keys = self._keys | index._keys | src._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_scatter_reduce_two_out[keys](self, dim, index, src, reduce, include_self, out)


t_take = operator('take').table


def take(self, index):
    keys = self._keys | index._keys
    if state.active:
        keys = state.effective(keys)
    return t_take[keys](self, index)


t_take_out = operator('take.out').table


def take_out(self, index, out):
    keys = self._keys | index._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_take_out[keys](self, index, out)


t_take_along_dim = operator('take_along_dim').table


def take_along_dim(self, indices, dim=None):
    keys = self._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_take_along_dim[keys](self, indices, dim)


t_take_along_dim_out = operator('take_along_dim.out').table


def take_along_dim_out(self, indices, dim=None, out=constants.REQUIRED):
    keys = self._keys | indices._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_take_along_dim_out[keys](self, indices, dim, out)


t_index_select = operator('index_select').table


def index_select(self, dim, index):
    keys = self._keys | index._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_select[keys](self, dim, index)


t_index_select_out = operator('index_select.out').table


def index_select_out(self, dim, index, out):
    keys = self._keys | index._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_select_out[keys](self, dim, index, out)


t_masked_select = operator('masked_select').table


def masked_select(self, mask):
    keys = self._keys | mask._keys
    if state.active:
        keys = state.effective(keys)
    return t_masked_select[keys](self, mask)


t_masked_select_out = operator('masked_select.out').table


def masked_select_out(self, mask, out):
    keys = self._keys | mask._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_masked_select_out[keys](self, mask, out)


t_nonzero = operator('nonzero').table


def nonzero(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_nonzero[keys](self)


t_nonzero_out = operator('nonzero.out').table


def nonzero_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_nonzero_out[keys](self, out)


t_nonzero_static = operator('nonzero_static').table


def nonzero_static(self, size, fill_value=-1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_nonzero_static[keys](self, size, fill_value)


t_nonzero_static_out = operator('nonzero_static.out').table


def nonzero_static_out(self, size, fill_value=-1, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_nonzero_static_out[keys](self, size, fill_value, out)


t_nonzero_numpy = operator('nonzero_numpy').table


def nonzero_numpy(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_nonzero_numpy[keys](self)


t_argwhere = operator('argwhere').table


def argwhere(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_argwhere[keys](self)


t_gather = operator('gather').table


def gather(self, dim, index, sparse_grad=False):
    keys = self._keys | index._keys
    if state.active:
        keys = state.effective(keys)
    return t_gather[keys](self, dim, index, sparse_grad)


t_gather_out = operator('gather.out').table


def gather_out(self, dim, index, sparse_grad=False, out=constants.REQUIRED):
    keys = self._keys | index._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_gather_out[keys](self, dim, index, sparse_grad, out)


t_index_reduce = operator('index_reduce').table


def index_reduce(self, dim, index, source, reduce, include_self=True):
    keys = self._keys | index._keys | source._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_reduce[keys](self, dim, index, source, reduce, include_self)


t_index_reduce_ = operator('index_reduce_').table


def index_reduce_(self, dim, index, source, reduce, include_self=True):
    keys = self._keys | index._keys | source._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_reduce_[keys](self, dim, index, source, reduce, include_self)


t_index_reduce_out = operator('index_reduce.out').table


def index_reduce_out(self, dim, index, source, reduce, include_self=True, out=constants.REQUIRED):
    keys = self._keys | index._keys | source._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_index_reduce_out[keys](self, dim, index, source, reduce, include_self, out)


t__unsafe_masked_index = operator('_unsafe_masked_index').table


def _unsafe_masked_index(self, mask, indices, fill):
    keys = self._keys | mask._keys
    for item in indices:
        if item is not None:
            keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t__unsafe_masked_index[keys](self, mask, indices, fill)


t__unsafe_masked_index_put_accumulate = operator('_unsafe_masked_index_put_accumulate').table


def _unsafe_masked_index_put_accumulate(self, mask, indices, values):
    keys = self._keys | mask._keys | values._keys
    for item in indices:
        if item is not None:
            keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t__unsafe_masked_index_put_accumulate[keys](self, mask, indices, values)


t_embedding = operator('embedding').table


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    keys = weight._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_embedding[keys](weight, indices, padding_idx, scale_grad_by_freq, sparse)


t_embedding_renorm_ = operator('embedding_renorm_').table


def embedding_renorm_(self, indices, max_norm, norm_type):
    keys = self._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_embedding_renorm_[keys](self, indices, max_norm, norm_type)


t_one_hot = operator('one_hot').table


def one_hot(self, num_classes=-1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_one_hot[keys](self, num_classes)


t_im2col = operator('im2col').table


def im2col(self, kernel_size, dilation, padding, stride):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_im2col[keys](self, kernel_size, dilation, padding, stride)


t_im2col_out = operator('im2col.out').table


def im2col_out(self, kernel_size, dilation, padding, stride, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_im2col_out[keys](self, kernel_size, dilation, padding, stride, out)


t_col2im = operator('col2im').table


def col2im(self, output_size, kernel_size, dilation, padding, stride):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_col2im[keys](self, output_size, kernel_size, dilation, padding, stride)


t_col2im_out = operator('col2im.out').table


def col2im_out(self, output_size, kernel_size, dilation, padding, stride, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_col2im_out[keys](self, output_size, kernel_size, dilation, padding, stride, out)


t_segment_reduce = operator('segment_reduce').table


def segment_reduce(data, reduce, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    keys = data._keys
    if lengths is not None:
        keys |= lengths._keys
    if indices is not None:
        keys |= indices._keys
    if offsets is not None:
        keys |= offsets._keys
    if state.active:
        keys = state.effective(keys)
    return t_segment_reduce[keys](data, reduce, lengths, indices, offsets, axis, unsafe, initial)


t_embedding_bag = operator('embedding_bag').table


def embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False):
    keys = weight._keys | indices._keys | offsets._keys
    if per_sample_weights is not None:
        keys |= per_sample_weights._keys
    if state.active:
        keys = state.effective(keys)
    return t_embedding_bag[keys](weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset)


t_embedding_bag_padding_idx = operator('embedding_bag.padding_idx').table


def embedding_bag_padding_idx(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx):
    keys = weight._keys | indices._keys | offsets._keys
    if per_sample_weights is not None:
        keys |= per_sample_weights._keys
    if state.active:
        keys = state.effective(keys)
    return t_embedding_bag_padding_idx[keys](weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)
