"""Call functions of the family joining. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_cat = operator('cat').table


def cat(tensors, dim=0):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_cat[keys](tensors, dim)


t_cat_out = operator('cat.out').table


def cat_out(tensors, dim=0, out=constants.REQUIRED):
    keys = out._keys
    for item in tensors:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_cat_out[keys](tensors, dim, out)


t_concat = operator('concat').table


def concat(tensors, dim=0):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_concat[keys](tensors, dim)


t_concat_out = operator('concat.out').table


def concat_out(tensors, dim=0, out=constants.REQUIRED):
    keys = out._keys
    for item in tensors:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_concat_out[keys](tensors, dim, out)


t_concatenate = operator('concatenate').table


def concatenate(tensors, dim=0):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_concatenate[keys](tensors, dim)


t_concatenate_out = operator('concatenate.out').table


def concatenate_out(tensors, dim=0, out=constants.REQUIRED):
    keys = out._keys
    for item in tensors:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_concatenate_out[keys](tensors, dim, out)


t_block_diag = operator('block_diag').table


def block_diag(tensors):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_block_diag[keys](tensors)


t_row_stack = operator('row_stack').table


def row_stack(tensors):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_row_stack[keys](tensors)


t_row_stack_out = operator('row_stack.out').table


def row_stack_out(tensors, out):
    keys = out._keys
    for item in tensors:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_row_stack_out[keys](tensors, out)


t_stack = operator('stack').table


def stack(tensors, dim=0):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_stack[keys](tensors, dim)


t_stack_out = operator('stack.out').table


def stack_out(tensors, dim=0, out=constants.REQUIRED):
    keys = out._keys
    for item in tensors:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_stack_out[keys](tensors, dim, out)


t__stack = operator('_stack').table


def _stack(tensors, dim=0):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t__stack[keys](tensors, dim)


t__stack_out = operator('_stack.out').table


def _stack_out(tensors, dim=0, out=constants.REQUIRED):
    keys = out._keys
    for item in tensors:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t__stack_out[keys](tensors, dim, out)


t_hstack = operator('hstack').table


def hstack(tensors):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_hstack[keys](tensors)


t_hstack_out = operator('hstack.out').table


def hstack_out(tensors, out):
    keys = out._keys
    for item in tensors:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_hstack_out[keys](tensors, out)


t_vstack = operator('vstack').table


def vstack(tensors):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_vstack[keys](tensors)


t_vstack_out = operator('vstack.out').table


def vstack_out(tensors, out):
    keys = out._keys
    for item in tensors:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_vstack_out[keys](tensors, out)


t_dstack = operator('dstack').table


def dstack(tensors):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_dstack[keys](tensors)


t_dstack_out = operator('dstack.out').table


def dstack_out(tensors, out):
    keys = out._keys
    for item in tensors:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_dstack_out[keys](tensors, out)


t_column_stack = operator('column_stack').table


def column_stack(tensors):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_column_stack[keys](tensors)


t_column_stack_out = operator('column_stack.out').table


def column_stack_out(tensors, out):
    keys = out._keys
    for item in tensors:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t_column_stack_out[keys](tensors, out)


t__chunk_cat = operator('_chunk_cat').table


def _chunk_cat(tensors, dim, num_chunks):
    keys = 0
    for item in tensors:
        keys |= item._keys
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t__chunk_cat[keys](tensors, dim, num_chunks)


t__chunk_cat_out = operator('_chunk_cat.out').table


def _chunk_cat_out(tensors, dim, num_chunks, out):
    keys = out._keys
    for item in tensors:
        keys |= item._keys
    if state.active:
        keys = state.effective(keys)
    return t__chunk_cat_out[keys](tensors, dim, num_chunks, out)


t_constant_pad_nd = operator('constant_pad_nd').table


def constant_pad_nd(self, pad, value=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_constant_pad_nd[keys](self, pad, value)


t_constant_pad_nd_out = operator('constant_pad_nd.out').table


def constant_pad_nd_out(self, pad, value=0, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_constant_pad_nd_out[keys](self, pad, value, out)
