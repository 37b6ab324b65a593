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


t_nll_loss = operator('nll_loss').table


def nll_loss(self, target, weight=None, reduction=constants.Mean, ignore_index=-100):
    keys = self._keys | target._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_nll_loss[keys](self, target, weight, reduction, ignore_index)


t_nll_loss_forward = operator('nll_loss_forward').table


def nll_loss_forward(self, target, weight, reduction, ignore_index):
    keys = self._keys | target._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_nll_loss_forward[keys](self, target, weight, reduction, ignore_index)


t_nll_loss_backward = operator('nll_loss_backward').table


def nll_loss_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight):
    keys = grad_output._keys | self._keys | target._keys | total_weight._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_nll_loss_backward[keys](grad_output, self, target, weight, reduction, ignore_index, total_weight)


t_nll_loss2d = operator('nll_loss2d').table


def nll_loss2d(self, target, weight=None, reduction=constants.Mean, ignore_index=-100):
    keys = self._keys | target._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_nll_loss2d[keys](self, target, weight, reduction, ignore_index)


t_nll_loss2d_forward = operator('nll_loss2d_forward').table


def nll_loss2d_forward(self, target, weight, reduction, ignore_index):
    keys = self._keys | target._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_nll_loss2d_forward[keys](self, target, weight, reduction, ignore_index)


t_nll_loss2d_backward = operator('nll_loss2d_backward').table


def nll_loss2d_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight):
    keys = grad_output._keys | self._keys | target._keys | total_weight._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_nll_loss2d_backward[keys](grad_output, self, target, weight, reduction, ignore_index, total_weight)
