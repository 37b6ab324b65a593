"""Call functions of the family view. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_view_as_real = operator('view_as_real').table


def view_as_real(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_view_as_real[keys](self)


t_view_as_complex = operator('view_as_complex').table


def view_as_complex(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_view_as_complex[keys](self)


t_real = operator('real').table


def real(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_real[keys](self)


t_imag = operator('imag').table


def imag(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_imag[keys](self)


t__conj = operator('_conj').table


def _conj(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__conj[keys](self)


t_conj = operator('conj').table


def conj(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_conj[keys](self)


t__conj_physical = operator('_conj_physical').table


def _conj_physical(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__conj_physical[keys](self)


t_conj_physical = operator('conj_physical').table


def conj_physical(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_conj_physical[keys](self)


t_conj_physical_out = operator('conj_physical.out').table


def conj_physical_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_conj_physical_out[keys](self, out)


t_conj_physical_ = operator('conj_physical_').table


def conj_physical_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_conj_physical_[keys](self)


t_resolve_conj = operator('resolve_conj').table


def resolve_conj(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_resolve_conj[keys](self)


t_resolve_neg = operator('resolve_neg').table


def resolve_neg(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_resolve_neg[keys](self)


t__neg_view = operator('_neg_view').table


def _neg_view(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__neg_view[keys](self)


t_as_strided = operator('as_strided').table


def as_strided(self, size, stride, storage_offset=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_as_strided[keys](self, size, stride, storage_offset)


t_as_strided_ = operator('as_strided_').table


def as_strided_(self, size, stride, storage_offset=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_as_strided_[keys](self, size, stride, storage_offset)


t_atleast_1d = operator('atleast_1d').table


def atleast_1d(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_atleast_1d[keys](self)


t_atleast_1d_Sequence = operator('atleast_1d.Sequence').table


def atleast_1d_Sequence(tensors):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_atleast_1d_Sequence[keys](tensors)


t_atleast_2d = operator('atleast_2d').table


def atleast_2d(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_atleast_2d[keys](self)


t_atleast_2d_Sequence = operator('atleast_2d.Sequence').table


def atleast_2d_Sequence(tensors):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_atleast_2d_Sequence[keys](tensors)


t_atleast_3d = operator('atleast_3d').table


def atleast_3d(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_atleast_3d[keys](self)


t_atleast_3d_Sequence = operator('atleast_3d.Sequence').table


def atleast_3d_Sequence(tensors):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_atleast_3d_Sequence[keys](tensors)


t_broadcast_tensors = operator('broadcast_tensors').table


def broadcast_tensors(tensors):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_broadcast_tensors[keys](tensors)


t_broadcast_to = operator('broadcast_to').table


def broadcast_to(self, size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_broadcast_to[keys](self, size)


t_unsafe_chunk = operator('unsafe_chunk').table


def unsafe_chunk(self, chunks, dim=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unsafe_chunk[keys](self, chunks, dim)


t_chunk = operator('chunk').table


def chunk(self, chunks, dim=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_chunk[keys](self, chunks, dim)


t_tensor_split_sections = operator('tensor_split.sections').table


def tensor_split_sections(self, sections, dim=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_tensor_split_sections[keys](self, sections, dim)


t_tensor_split_indices = operator('tensor_split.indices').table


def tensor_split_indices(self, indices, dim=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_tensor_split_indices[keys](self, indices, dim)


t_tensor_split_tensor_indices_or_sections = operator('tensor_split.tensor_indices_or_sections').table


def tensor_split_tensor_indices_or_sections(self, tensor_indices_or_sections, dim=0):
    keys = self._keys | tensor_indices_or_sections._keys
    if state.active:
        keys = state.effective(keys)
    return t_tensor_split_tensor_indices_or_sections[keys](self, tensor_indices_or_sections, dim)


t_diag_embed = operator('diag_embed').table


def diag_embed(self, offset=0, dim1=-2, dim2=-1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_diag_embed[keys](self, offset, dim1, dim2)


t_diagflat = operator('diagflat').table


def diagflat(self, offset=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_diagflat[keys](self, offset)


t_diagonal = operator('diagonal').table


def diagonal(self, offset=0, dim1=0, dim2=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_diagonal[keys](self, offset, dim1, dim2)


t_linalg_diagonal = operator('linalg_diagonal').table


def linalg_diagonal(A, offset=0, dim1=-2, dim2=-1):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_diagonal[keys](A, offset, dim1, dim2)


t_expand = operator('expand').table


def expand(self, size, implicit=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_expand[keys](self, size, implicit)


t_expand_as = operator('expand_as').table


def expand_as(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_expand_as[keys](self, other)


t_flatten_using_ints = operator('flatten.using_ints').table


def flatten_using_ints(self, start_dim=0, end_dim=-1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_flatten_using_ints[keys](self, start_dim, end_dim)


t_unflatten_int = operator('unflatten.int').table


def unflatten_int(self, dim, sizes):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unflatten_int[keys](self, dim, sizes)


t_is_conj = operator('is_conj').table


def is_conj(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_is_conj[keys](self)


t_is_neg = operator('is_neg').table


def is_neg(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_is_neg[keys](self)


t_narrow_copy = operator('narrow_copy').table


def narrow_copy(self, dim, start, length):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_narrow_copy[keys](self, dim, start, length)


t_narrow_copy_out = operator('narrow_copy.out').table


def narrow_copy_out(self, dim, start, length, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_narrow_copy_out[keys](self, dim, start, length, out)


t_narrow = operator('narrow').table


def narrow(self, dim, start, length):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_narrow[keys](self, dim, start, length)


t_narrow_Tensor = operator('narrow.Tensor').table


def narrow_Tensor(self, dim, start, length):
    keys = self._keys | start._keys
    if state.active:
        keys = state.effective(keys)
    return t_narrow_Tensor[keys](self, dim, start, length)


t_permute = operator('permute').table


def permute(self, dims):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_permute[keys](self, dims)


t_movedim_intlist = operator('movedim.intlist').table


def movedim_intlist(self, source, destination):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_movedim_intlist[keys](self, source, destination)


t_movedim_int = operator('movedim.int').table


def movedim_int(self, source, destination):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_movedim_int[keys](self, source, destination)


t_moveaxis_intlist = operator('moveaxis.intlist').table


def moveaxis_intlist(self, source, destination):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_moveaxis_intlist[keys](self, source, destination)


t_moveaxis_int = operator('moveaxis.int').table


def moveaxis_int(self, source, destination):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_moveaxis_int[keys](self, source, destination)


t_numpy_T = operator('numpy_T').table


def numpy_T(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_numpy_T[keys](self)


t_matrix_H = operator('matrix_H').table


def matrix_H(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_matrix_H[keys](self)


t_mT = operator('mT').table


def mT(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_mT[keys](self)


t_mH = operator('mH').table


def mH(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_mH[keys](self)


t_adjoint = operator('adjoint').table


def adjoint(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_adjoint[keys](self)


t_ravel = operator('ravel').table


def ravel(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_ravel[keys](self)


t_repeat = operator('repeat').table


def repeat(self, repeats):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_repeat[keys](self, repeats)


t_repeat_interleave_Tensor = operator('repeat_interleave.Tensor').table


def repeat_interleave_Tensor(repeats, output_size=None):
    keys = repeats._keys
    if state.active:
        keys = state.effective(keys)
    return t_repeat_interleave_Tensor[keys](repeats, output_size)


t_repeat_interleave_self_Tensor = operator('repeat_interleave.self_Tensor').table


def repeat_interleave_self_Tensor(self, repeats, dim=None, output_size=None):
    keys = self._keys | repeats._keys
    if state.active:
        keys = state.effective(keys)
    return t_repeat_interleave_self_Tensor[keys](self, repeats, dim, output_size)


t_repeat_interleave_self_int = operator('repeat_interleave.self_int').table


def repeat_interleave_self_int(self, repeats, dim=None, output_size=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_repeat_interleave_self_int[keys](self, repeats, dim, output_size)


t_reshape = operator('reshape').table


def reshape(self, shape):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_reshape[keys](self, shape)


t__reshape_alias = operator('_reshape_alias').table


def _reshape_alias(self, size, stride):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__reshape_alias[keys](self, size, stride)


t_reshape_as = operator('reshape_as').table


def reshape_as(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_reshape_as[keys](self, other)


t_select_int = operator('select.int').table


def select_int(self, dim, index):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_select_int[keys](self, dim, index)


t_size_int = operator('size.int').table


def size_int(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_size_int[keys](self, dim)


t_sym_size_int = operator('sym_size.int').table


def sym_size_int(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sym_size_int[keys](self, dim)


t_sym_is_contiguous = operator('sym_is_contiguous').table


def sym_is_contiguous(self, memory_format=constants.contiguous_format):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sym_is_contiguous[keys](self, memory_format)


t_sym_numel = operator('sym_numel').table


def sym_numel(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sym_numel[keys](self)


t_sym_storage_offset = operator('sym_storage_offset').table


def sym_storage_offset(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sym_storage_offset[keys](self)


t_slice_Tensor = operator('slice.Tensor').table


def slice_Tensor(self, dim=0, start=None, end=None, step=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_slice_Tensor[keys](self, dim, start, end, step)


t_slice_inverse = operator('slice_inverse').table


def slice_inverse(self, src, dim=0, start=None, end=None, step=1):
    keys = self._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_slice_inverse[keys](self, src, dim, start, end, step)


t_slice_scatter = operator('slice_scatter').table


def slice_scatter(self, src, dim=0, start=None, end=None, step=1):
    keys = self._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_slice_scatter[keys](self, src, dim, start, end, step)


t_slice_scatter_out = operator('slice_scatter.out').table


def slice_scatter_out(self, src, dim=0, start=None, end=None, step=1, out=constants.REQUIRED):
    keys = self._keys | src._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_slice_scatter_out[keys](self, src, dim, start, end, step, out)


t_select_scatter = operator('select_scatter').table


def select_scatter(self, src, dim, index):
    keys = self._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_select_scatter[keys](self, src, dim, index)


t_diagonal_scatter = operator('diagonal_scatter').table


def diagonal_scatter(self, src, offset=0, dim1=0, dim2=1):
    keys = self._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_diagonal_scatter[keys](self, src, offset, dim1, dim2)


t_as_strided_scatter = operator('as_strided_scatter').table


def as_strided_scatter(self, src, size, stride, storage_offset=None):
    keys = self._keys | src._keys
    if state.active:
        keys = state.effective(keys)
    return t_as_strided_scatter[keys](self, src, size, stride, storage_offset)


t_unsafe_split_Tensor = operator('unsafe_split.Tensor').table


def unsafe_split_Tensor(self, split_size, dim=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unsafe_split_Tensor[keys](self, split_size, dim)


t_split_Tensor = operator('split.Tensor').table


def split_Tensor(self, split_size, dim=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_split_Tensor[keys](self, split_size, dim)


t_split_sizes = operator('split.sizes').table


def split_sizes(self, split_size, dim=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_split_sizes[keys](self, split_size, dim)


t_unsafe_split_with_sizes = operator('unsafe_split_with_sizes').table


def unsafe_split_with_sizes(self, split_sizes, dim=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unsafe_split_with_sizes[keys](self, split_sizes, dim)


t_split_with_sizes = operator('split_with_sizes').table


def split_with_sizes(self, split_sizes, dim=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_split_with_sizes[keys](self, split_sizes, dim)


t_hsplit_int = operator('hsplit.int').table


def hsplit_int(self, sections):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_hsplit_int[keys](self, sections)


t_hsplit_array = operator('hsplit.array').table


def hsplit_array(self, indices):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_hsplit_array[keys](self, indices)


t_vsplit_int = operator('vsplit.int').table


def vsplit_int(self, sections):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_vsplit_int[keys](self, sections)


t_vsplit_array = operator('vsplit.array').table


def vsplit_array(self, indices):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_vsplit_array[keys](self, indices)


t_dsplit_int = operator('dsplit.int').table


def dsplit_int(self, sections):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_dsplit_int[keys](self, sections)


t_dsplit_array = operator('dsplit.array').table


def dsplit_array(self, indices):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_dsplit_array[keys](self, indices)


t_squeeze = operator('squeeze').table


def squeeze(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_squeeze[keys](self)


t_squeeze_dim = operator('squeeze.dim').table


def squeeze_dim(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_squeeze_dim[keys](self, dim)


t_squeeze_dims = operator('squeeze.dims').table


def squeeze_dims(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_squeeze_dims[keys](self, dim)


t_squeeze_ = operator('squeeze_').table


def squeeze_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_squeeze_[keys](self)


t_squeeze__dim = operator('squeeze_.dim').table


def squeeze__dim(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_squeeze__dim[keys](self, dim)


t_squeeze__dims = operator('squeeze_.dims').table


def squeeze__dims(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_squeeze__dims[keys](self, dim)


t_stride_int = operator('stride.int').table


def stride_int(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_stride_int[keys](self, dim)


t_sym_stride_int = operator('sym_stride.int').table


def sym_stride_int(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sym_stride_int[keys](self, dim)


t_sum_to_size = operator('sum_to_size').table


def sum_to_size(self, size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sum_to_size[keys](self, size)


t_t = operator('t').table


def t(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_t[keys](self)


t_t_ = operator('t_').table


def t_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_t_[keys](self)


t_tile = operator('tile').table


def tile(self, dims):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_tile[keys](self, dims)


t_transpose_int = operator('transpose.int').table


def transpose_int(self, dim0, dim1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_transpose_int[keys](self, dim0, dim1)


t_transpose_ = operator('transpose_').table


def transpose_(self, dim0, dim1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_transpose_[keys](self, dim0, dim1)


t_flip = operator('flip').table


def flip(self, dims):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_flip[keys](self, dims)


t_fliplr = operator('fliplr').table


def fliplr(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fliplr[keys](self)


t_flipud = operator('flipud').table


def flipud(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_flipud[keys](self)


t_roll = operator('roll').table


def roll(self, shifts, dims=()):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_roll[keys](self, shifts, dims)


t_rot90 = operator('rot90').table


def rot90(self, k=1, dims=(0, 1)):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_rot90[keys](self, k, dims)


t__unsafe_view = operator('_unsafe_view').table


def _unsafe_view(self, size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__unsafe_view[keys](self, size)


t_unsqueeze = operator('unsqueeze').table


def unsqueeze(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unsqueeze[keys](self, dim)


t_unsqueeze_ = operator('unsqueeze_').table


def unsqueeze_(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unsqueeze_[keys](self, dim)


t_view_as = operator('view_as').table


def view_as(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_view_as[keys](self, other)


t_unbind_int = operator('unbind.int').table


def unbind_int(self, dim=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unbind_int[keys](self, dim)


t_meshgrid = operator('meshgrid').table


def meshgrid(tensors):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_meshgrid[keys](tensors)


t_meshgrid_indexing = operator('meshgrid.indexing').table


def meshgrid_indexing(tensors, indexing):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_meshgrid_indexing[keys](tensors, indexing)


t_cartesian_prod = operator('cartesian_prod').table


def cartesian_prod(tensors):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_cartesian_prod[keys](tensors)


t_combinations = operator('combinations').table


def combinations(self, r=2, with_replacement=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_combinations[keys](self, r, with_replacement)


t_view = operator('view').table


def view(self, size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_view[keys](self, size)


t_view_dtype = operator('view.dtype').table


def view_dtype(self, dtype):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_view_dtype[keys](self, dtype)


t_tril = operator('tril').table


def tril(self, diagonal=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_tril[keys](self, diagonal)


t_tril_ = operator('tril_').table


def tril_(self, diagonal=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_tril_[keys](self, diagonal)


t_tril_out = operator('tril.out').table


def tril_out(self, diagonal=0, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_tril_out[keys](self, diagonal, out)


t_triu = operator('triu').table


def triu(self, diagonal=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_triu[keys](self, diagonal)


t_triu_ = operator('triu_').table


def triu_(self, diagonal=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_triu_[keys](self, diagonal)


t_triu_out = operator('triu.out').table


def triu_out(self, diagonal=0, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_triu_out[keys](self, diagonal, out)


t_diag = operator('diag').table


def diag(self, diagonal=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_diag[keys](self, diagonal)


t_diag_out = operator('diag.out').table


def diag_out(self, diagonal=0, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_diag_out[keys](self, diagonal, out)


t_swapaxes = operator('swapaxes').table


def swapaxes(self, axis0, axis1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_swapaxes[keys](self, axis0, axis1)


t_swapaxes_ = operator('swapaxes_').table


def swapaxes_(self, axis0, axis1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_swapaxes_[keys](self, axis0, axis1)


t_swapdims = operator('swapdims').table


def swapdims(self, dim0, dim1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_swapdims[keys](self, dim0, dim1)


t_swapdims_ = operator('swapdims_').table


def swapdims_(self, dim0, dim1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_swapdims_[keys](self, dim0, dim1)


t_unfold = operator('unfold').table


def unfold(self, dimension, size, step):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unfold[keys](self, dimension, size, step)


t_view_as_real_copy = operator('view_as_real_copy').table


def view_as_real_copy(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_view_as_real_copy[keys](self)


t_view_as_real_copy_out = operator('view_as_real_copy.out').table


def view_as_real_copy_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_view_as_real_copy_out[keys](self, out)


t_view_as_complex_copy = operator('view_as_complex_copy').table


def view_as_complex_copy(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_view_as_complex_copy[keys](self)


t_view_as_complex_copy_out = operator('view_as_complex_copy.out').table


def view_as_complex_copy_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_view_as_complex_copy_out[keys](self, out)


t__conj_copy = operator('_conj_copy').table


def _conj_copy(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__conj_copy[keys](self)


t__conj_copy_out = operator('_conj_copy.out').table


def _conj_copy_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t__conj_copy_out[keys](self, out)


t__neg_view_copy = operator('_neg_view_copy').table


def _neg_view_copy(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__neg_view_copy[keys](self)


t__neg_view_copy_out = operator('_neg_view_copy.out').table


def _neg_view_copy_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t__neg_view_copy_out[keys](self, out)


t_as_strided_copy = operator('as_strided_copy').table


def as_strided_copy(self, size, stride, storage_offset=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_as_strided_copy[keys](self, size, stride, storage_offset)


t_as_strided_copy_out = operator('as_strided_copy.out').table


def as_strided_copy_out(self, size, stride, storage_offset=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_as_strided_copy_out[keys](self, size, stride, storage_offset, out)


t_diagonal_copy = operator('diagonal_copy').table


def diagonal_copy(self, offset=0, dim1=0, dim2=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_diagonal_copy[keys](self, offset, dim1, dim2)


t_diagonal_copy_out = operator('diagonal_copy.out').table


def diagonal_copy_out(self, offset=0, dim1=0, dim2=1, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_diagonal_copy_out[keys](self, offset, dim1, dim2, out)


t_expand_copy = operator('expand_copy').table


def expand_copy(self, size, implicit=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_expand_copy[keys](self, size, implicit)


t_expand_copy_out = operator('expand_copy.out').table


def expand_copy_out(self, size, implicit=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_expand_copy_out[keys](self, size, implicit, out)


t_permute_copy = operator('permute_copy').table


def permute_copy(self, dims):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_permute_copy[keys](self, dims)


t_permute_copy_out = operator('permute_copy.out').table


def permute_copy_out(self, dims, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_permute_copy_out[keys](self, dims, out)


t__reshape_alias_copy = operator('_reshape_alias_copy').table


def _reshape_alias_copy(self, size, stride):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__reshape_alias_copy[keys](self, size, stride)


t__reshape_alias_copy_out = operator('_reshape_alias_copy.out').table


def _reshape_alias_copy_out(self, size, stride, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t__reshape_alias_copy_out[keys](self, size, stride, out)


t_select_copy_int = operator('select_copy.int').table


def select_copy_int(self, dim, index):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_select_copy_int[keys](self, dim, index)


t_select_copy_int_out = operator('select_copy.int_out').table


def select_copy_int_out(self, dim, index, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_select_copy_int_out[keys](self, dim, index, out)


t_slice_copy_Tensor = operator('slice_copy.Tensor').table


def slice_copy_Tensor(self, dim=0, start=None, end=None, step=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_slice_copy_Tensor[keys](self, dim, start, end, step)


t_slice_copy_Tensor_out = operator('slice_copy.Tensor_out').table


def slice_copy_Tensor_out(self, dim=0, start=None, end=None, step=1, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_slice_copy_Tensor_out[keys](self, dim, start, end, step, out)


t_split_copy_Tensor = operator('split_copy.Tensor').table


def split_copy_Tensor(self, split_size, dim=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_split_copy_Tensor[keys](self, split_size, dim)


t_split_copy_Tensor_out = operator('split_copy.Tensor_out').table


def split_copy_Tensor_out(self, split_size, dim=0, out=constants.REQUIRED):
    keys = self._keys
    for item in out:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_split_copy_Tensor_out[keys](self, split_size, dim, out)


t_split_with_sizes_copy = operator('split_with_sizes_copy').table


def split_with_sizes_copy(self, split_sizes, dim=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_split_with_sizes_copy[keys](self, split_sizes, dim)


t_split_with_sizes_copy_out = operator('split_with_sizes_copy.out').table


def split_with_sizes_copy_out(self, split_sizes, dim=0, out=constants.REQUIRED):
    keys = self._keys
    for item in out:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_split_with_sizes_copy_out[keys](self, split_sizes, dim, out)


t_squeeze_copy = operator('squeeze_copy').table


def squeeze_copy(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_squeeze_copy[keys](self)


t_squeeze_copy_out = operator('squeeze_copy.out').table


def squeeze_copy_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_squeeze_copy_out[keys](self, out)


t_squeeze_copy_dim = operator('squeeze_copy.dim').table


def squeeze_copy_dim(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_squeeze_copy_dim[keys](self, dim)


t_squeeze_copy_dim_out = operator('squeeze_copy.dim_out').table


def squeeze_copy_dim_out(self, dim, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_squeeze_copy_dim_out[keys](self, dim, out)


t_squeeze_copy_dims = operator('squeeze_copy.dims').table


def squeeze_copy_dims(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_squeeze_copy_dims[keys](self, dim)


t_squeeze_copy_dims_out = operator('squeeze_copy.dims_out').table


def squeeze_copy_dims_out(self, dim, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_squeeze_copy_dims_out[keys](self, dim, out)


t_t_copy = operator('t_copy').table


def t_copy(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_t_copy[keys](self)


t_t_copy_out = operator('t_copy.out').table


def t_copy_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_t_copy_out[keys](self, out)


t_transpose_copy_int = operator('transpose_copy.int').table


def transpose_copy_int(self, dim0, dim1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_transpose_copy_int[keys](self, dim0, dim1)


t_transpose_copy_int_out = operator('transpose_copy.int_out').table


def transpose_copy_int_out(self, dim0, dim1, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_transpose_copy_int_out[keys](self, dim0, dim1, out)


t_unsqueeze_copy = operator('unsqueeze_copy').table


def unsqueeze_copy(self, dim):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unsqueeze_copy[keys](self, dim)


t_unsqueeze_copy_out = operator('unsqueeze_copy.out').table


def unsqueeze_copy_out(self, dim, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_unsqueeze_copy_out[keys](self, dim, out)


t_unbind_copy_int = operator('unbind_copy.int').table


def unbind_copy_int(self, dim=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unbind_copy_int[keys](self, dim)


t_unbind_copy_int_out = operator('unbind_copy.int_out').table


def unbind_copy_int_out(self, dim=0, out=constants.REQUIRED):
    keys = self._keys
    for item in out:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_unbind_copy_int_out[keys](self, dim, out)


t_view_copy = operator('view_copy').table


def view_copy(self, size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_view_copy[keys](self, size)


t_view_copy_out = operator('view_copy.out').table


def view_copy_out(self, size, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_view_copy_out[keys](self, size, out)


t_view_copy_dtype = operator('view_copy.dtype').table


def view_copy_dtype(self, dtype):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_view_copy_dtype[keys](self, dtype)


t_view_copy_dtype_out = operator('view_copy.dtype_out').table


def view_copy_dtype_out(self, dtype, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_view_copy_dtype_out[keys](self, dtype, out)


t_unfold_copy = operator('unfold_copy').table


def unfold_copy(self, dimension, size, step):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_unfold_copy[keys](self, dimension, size, step)


t_unfold_copy_out = operator('unfold_copy.out').table


def unfold_copy_out(self, dimension, size, step, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_unfold_copy_out[keys](self, dimension, size, step, out)
