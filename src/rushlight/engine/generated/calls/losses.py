"""Call functions of the family losses. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_nll_loss_nd = operator('nll_loss_nd').table


def nll_loss_nd(self, target, weight=None, reduction=constants.Mean, ignore_index=-100):
    keys = self._keys | target._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_nll_loss_nd[keys](self, target, weight, reduction, ignore_index)


t_cross_entropy_loss = operator('cross_entropy_loss').table


def cross_entropy_loss(self, target, weight=None, reduction=constants.Mean, ignore_index=-100, label_smoothing=0.0):
    keys = self._keys | target._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_cross_entropy_loss[keys](self, target, weight, reduction, ignore_index, label_smoothing)
