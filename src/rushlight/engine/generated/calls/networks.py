"""Call functions of the family networks. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_affine_grid_generator = operator('affine_grid_generator').table


def affine_grid_generator(theta, size, align_corners):
    keys = theta._keys
    if state.active:
        keys = state.effective(keys)
    return t_affine_grid_generator[keys](theta, size, align_corners)


t_grid_sampler = operator('grid_sampler').table


def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    keys = input._keys | grid._keys
    if state.active:
        keys = state.effective(keys)
    return t_grid_sampler[keys](input, grid, interpolation_mode, padding_mode, align_corners)


t_grid_sampler_2d = operator('grid_sampler_2d').table


def grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners):
    keys = input._keys | grid._keys
    if state.active:
        keys = state.effective(keys)
    return t_grid_sampler_2d[keys](input, grid, interpolation_mode, padding_mode, align_corners)


t_grid_sampler_3d = operator('grid_sampler_3d').table


def grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners):
    keys = input._keys | grid._keys
    if state.active:
        keys = state.effective(keys)
    return t_grid_sampler_3d[keys](input, grid, interpolation_mode, padding_mode, align_corners)


t_fractional_max_pool2d = operator('fractional_max_pool2d').table


def fractional_max_pool2d(self, kernel_size, output_size, random_samples):
    keys = self._keys | random_samples._keys
    if state.active:
        keys = state.effective(keys)
    return t_fractional_max_pool2d[keys](self, kernel_size, output_size, random_samples)


t_fractional_max_pool3d = operator('fractional_max_pool3d').table


def fractional_max_pool3d(self, kernel_size, output_size, random_samples):
    keys = self._keys | random_samples._keys
    if state.active:
        keys = state.effective(keys)
    return t_fractional_max_pool3d[keys](self, kernel_size, output_size, random_samples)


t_multilabel_margin_loss = operator('multilabel_margin_loss').table


def multilabel_margin_loss(self, target, reduction=constants.Mean):
    keys = self._keys | target._keys
    if state.active:
        keys = state.effective(keys)
    return t_multilabel_margin_loss[keys](self, target, reduction)


t_pdist = operator('pdist').table


def pdist(self, p=2.0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_pdist[keys](self, p)


t_ctc_loss_IntList = operator('ctc_loss.IntList').table


def ctc_loss_IntList(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=constants.Mean, zero_infinity=False):
    keys = log_probs._keys | targets._keys
    if state.active:
        keys = state.effective(keys)
    return t_ctc_loss_IntList[keys](log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)


t_ctc_loss_Tensor = operator('ctc_loss.Tensor').table


def ctc_loss_Tensor(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=constants.Mean, zero_infinity=False):
    keys = log_probs._keys | targets._keys | input_lengths._keys | target_lengths._keys
    if state.active:
        keys = state.effective(keys)
    return t_ctc_loss_Tensor[keys](log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)


t__ctc_loss = operator('_ctc_loss').table


def _ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, zero_infinity=False):
    keys = log_probs._keys | targets._keys
    if state.active:
        keys = state.effective(keys)
    return t__ctc_loss[keys](log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)


t__ctc_loss_Tensor = operator('_ctc_loss.Tensor').table


def _ctc_loss_Tensor(log_probs, targets, input_lengths, target_lengths, blank=0, zero_infinity=False):
    keys = log_probs._keys | targets._keys | input_lengths._keys | target_lengths._keys
    if state.active:
        keys = state.effective(keys)
    return t__ctc_loss_Tensor[keys](log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)


t__ctc_loss_backward = operator('_ctc_loss_backward').table


def _ctc_loss_backward(grad, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha, blank, zero_infinity=False):
    keys = grad._keys | log_probs._keys | targets._keys | neg_log_likelihood._keys | log_alpha._keys
    if state.active:
        keys = state.effective(keys)
    return t__ctc_loss_backward[keys](grad, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha, blank, zero_infinity)


t__upsample_bilinear2d_aa_vec = operator('_upsample_bilinear2d_aa.vec').table


def _upsample_bilinear2d_aa_vec(input, output_size, align_corners, scale_factors):
    keys = input._keys
    if state.active:
        keys = state.effective(keys)
    return t__upsample_bilinear2d_aa_vec[keys](input, output_size, align_corners, scale_factors)


t__upsample_bilinear2d_aa = operator('_upsample_bilinear2d_aa').table


def _upsample_bilinear2d_aa(self, output_size, align_corners, scales_h=None, scales_w=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__upsample_bilinear2d_aa[keys](self, output_size, align_corners, scales_h, scales_w)


t__upsample_bicubic2d_aa_vec = operator('_upsample_bicubic2d_aa.vec').table


def _upsample_bicubic2d_aa_vec(input, output_size, align_corners, scale_factors):
    keys = input._keys
    if state.active:
        keys = state.effective(keys)
    return t__upsample_bicubic2d_aa_vec[keys](input, output_size, align_corners, scale_factors)


t__upsample_bicubic2d_aa = operator('_upsample_bicubic2d_aa').table


def _upsample_bicubic2d_aa(self, output_size, align_corners, scales_h=None, scales_w=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__upsample_bicubic2d_aa[keys](self, output_size, align_corners, scales_h, scales_w)


t__weighted_neighbours = operator('_weighted_neighbours').table


def _weighted_neighbours(self, dim, places, factors):
    keys = self._keys | places._keys | factors._keys
    if state.active:
        keys = state.effective(keys)
    return t__weighted_neighbours[keys](self, dim, places, factors)
