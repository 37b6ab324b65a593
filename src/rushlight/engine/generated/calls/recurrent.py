"""Call functions of the family recurrent. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t__recurrent_steps = operator('_recurrent_steps').table


def _recurrent_steps(given, hidden, cell, weight, bias, projection, sizes, mode, backwards, keeps):
    keys = given._keys | hidden._keys | weight._keys
    if cell is not None:
        keys |= cell._keys
    if bias is not None:
        keys |= bias._keys
    if projection is not None:
        keys |= projection._keys
    if state.active:
        keys = state.effective(keys)
    return t__recurrent_steps[keys](given, hidden, cell, weight, bias, projection, sizes, mode, backwards, keeps)


t__recurrent_steps_backward = operator('_recurrent_steps_backward').table


def _recurrent_steps_backward(d_outputs, d_hidden, d_cell, before, kept, weight, projection, batch, size, sizes, mode, backwards, to_first):
    keys = before._keys | kept._keys | weight._keys
    if d_outputs is not None:
        keys |= d_outputs._keys
    if d_hidden is not None:
        keys |= d_hidden._keys
    if d_cell is not None:
        keys |= d_cell._keys
    if projection is not None:
        keys |= projection._keys
    if state.active:
        keys = state.effective(keys)
    return t__recurrent_steps_backward[keys](d_outputs, d_hidden, d_cell, before, kept, weight, projection, batch, size, sizes, mode, backwards, to_first)
