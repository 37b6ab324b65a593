"""Call functions of the family recurrent. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t__lstm_steps = operator('_lstm_steps').table


def _lstm_steps(given, hidden, cell, weight, backwards):
    keys = given._keys | hidden._keys | cell._keys | weight._keys
    if state.active:
        keys = state.effective(keys)
    return t__lstm_steps[keys](given, hidden, cell, weight, backwards)


t__lstm_steps_backward = operator('_lstm_steps_backward').table


def _lstm_steps_backward(d_hidden, d_cells, cell, weight, cells, gates, backwards):
    keys = cell._keys | weight._keys | cells._keys | gates._keys
    if d_hidden is not None:
        keys |= d_hidden._keys
    if d_cells is not None:
        keys |= d_cells._keys
    if state.active:
        keys = state.effective(keys)
    return t__lstm_steps_backward[keys](d_hidden, d_cells, cell, weight, cells, gates, backwards)
