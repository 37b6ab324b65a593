"""Call functions of the family rows. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_batch_norm = operator('batch_norm').table


def batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled):
    keys = input._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if running_mean is not None:
        keys |= running_mean._keys
    if running_var is not None:
        keys |= running_var._keys
    if state.active:
        keys = state.effective(keys)
    return t_batch_norm[keys](input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled)


t__batch_norm_impl_index = operator('_batch_norm_impl_index').table


def _batch_norm_impl_index(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled):
    keys = input._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if running_mean is not None:
        keys |= running_mean._keys
    if running_var is not None:
        keys |= running_var._keys
    if state.active:
        keys = state.effective(keys)
    return t__batch_norm_impl_index[keys](input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled)


t_group_norm = operator('group_norm').table


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    keys = input._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_group_norm[keys](input, num_groups, weight, bias, eps, cudnn_enabled)


t_native_group_norm = operator('native_group_norm').table


def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    keys = input._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_native_group_norm[keys](input, weight, bias, N, C, HxW, group, eps)


t_instance_norm = operator('instance_norm').table


def instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled):
    keys = input._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if running_mean is not None:
        keys |= running_mean._keys
    if running_var is not None:
        keys |= running_var._keys
    if state.active:
        keys = state.effective(keys)
    return t_instance_norm[keys](input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled)


t_layer_norm = operator('layer_norm').table


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    keys = input._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_layer_norm[keys](input, normalized_shape, weight, bias, eps, cudnn_enable)


t_native_layer_norm = operator('native_layer_norm').table


def native_layer_norm(input, normalized_shape, weight, bias, eps):
    keys = input._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_native_layer_norm[keys](input, normalized_shape, weight, bias, eps)


t_rms_norm = operator('rms_norm').table


def rms_norm(input, normalized_shape, weight=None, eps=None):
    keys = input._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_rms_norm[keys](input, normalized_shape, weight, eps)


t__fused_rms_norm = operator('_fused_rms_norm').table


def _fused_rms_norm(input, normalized_shape, weight, eps):
    keys = input._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t__fused_rms_norm[keys](input, normalized_shape, weight, eps)


t_log_softmax_int = operator('log_softmax.int').table


def log_softmax_int(self, dim, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_log_softmax_int[keys](self, dim, dtype)


t_log_softmax_int_out = operator('log_softmax.int_out').table


def log_softmax_int_out(self, dim, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_log_softmax_int_out[keys](self, dim, dtype, out)


t__log_softmax = operator('_log_softmax').table


def _log_softmax(self, dim, half_to_float):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__log_softmax[keys](self, dim, half_to_float)


t__log_softmax_out = operator('_log_softmax.out').table


def _log_softmax_out(self, dim, half_to_float, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t__log_softmax_out[keys](self, dim, half_to_float, out)


t__batch_norm_of_batch = operator('_batch_norm_of_batch').table


def _batch_norm_of_batch(input, weight, bias, eps):
    keys = input._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t__batch_norm_of_batch[keys](input, weight, bias, eps)


t__move_statistics_ = operator('_move_statistics_').table


def _move_statistics_(mean, variance, found_mean, found_variance, share):
    keys = mean._keys | variance._keys | found_mean._keys | found_variance._keys
    if state.active:
        keys = state.effective(keys)
    return t__move_statistics_[keys](mean, variance, found_mean, found_variance, share)


t_native_batch_norm = operator('native_batch_norm').table


def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    keys = input._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if running_mean is not None:
        keys |= running_mean._keys
    if running_var is not None:
        keys |= running_var._keys
    if state.active:
        keys = state.effective(keys)
    return t_native_batch_norm[keys](input, weight, bias, running_mean, running_var, training, momentum, eps)


t_native_batch_norm_out = operator('native_batch_norm.out').table


def native_batch_norm_out(input, weight, bias, running_mean, running_var, training, momentum, eps, out, save_mean, save_invstd):
    keys = input._keys | out._keys | save_mean._keys | save_invstd._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if running_mean is not None:
        keys |= running_mean._keys
    if running_var is not None:
        keys |= running_var._keys
    if state.active:
        keys = state.effective(keys)
    return t_native_batch_norm_out[keys](input, weight, bias, running_mean, running_var, training, momentum, eps, out, save_mean, save_invstd)


t__native_batch_norm_legit = operator('_native_batch_norm_legit').table


def _native_batch_norm_legit(input, weight, bias, running_mean, running_var, training, momentum, eps):
    keys = input._keys | running_mean._keys | running_var._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t__native_batch_norm_legit[keys](input, weight, bias, running_mean, running_var, training, momentum, eps)


t__native_batch_norm_legit_out = operator('_native_batch_norm_legit.out').table


def _native_batch_norm_legit_out(input, weight, bias, running_mean, running_var, training, momentum, eps, out, save_mean, save_invstd):
    keys = input._keys | running_mean._keys | running_var._keys | out._keys | save_mean._keys | save_invstd._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t__native_batch_norm_legit_out[keys](input, weight, bias, running_mean, running_var, training, momentum, eps, out, save_mean, save_invstd)


t__native_batch_norm_legit_no_stats = operator('_native_batch_norm_legit.no_stats').table


def _native_batch_norm_legit_no_stats(input, weight, bias, training, momentum, eps):
    keys = input._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t__native_batch_norm_legit_no_stats[keys](input, weight, bias, training, momentum, eps)


t__native_batch_norm_legit_no_stats_out = operator('_native_batch_norm_legit.no_stats_out').table


def _native_batch_norm_legit_no_stats_out(input, weight, bias, training, momentum, eps, out, save_mean, save_invstd):
    keys = input._keys | out._keys | save_mean._keys | save_invstd._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t__native_batch_norm_legit_no_stats_out[keys](input, weight, bias, training, momentum, eps, out, save_mean, save_invstd)


t__native_batch_norm_legit_no_training = operator('_native_batch_norm_legit_no_training').table


def _native_batch_norm_legit_no_training(input, weight, bias, running_mean, running_var, momentum, eps):
    keys = input._keys | running_mean._keys | running_var._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t__native_batch_norm_legit_no_training[keys](input, weight, bias, running_mean, running_var, momentum, eps)


t__batch_norm_with_update = operator('_batch_norm_with_update').table


def _batch_norm_with_update(input, weight, bias, running_mean, running_var, momentum, eps):
    keys = input._keys | running_mean._keys | running_var._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t__batch_norm_with_update[keys](input, weight, bias, running_mean, running_var, momentum, eps)


t__batch_norm_with_update_out = operator('_batch_norm_with_update.out').table


def _batch_norm_with_update_out(input, weight, bias, running_mean, running_var, momentum, eps, out, save_mean, save_invstd, reserve):
    keys = input._keys | running_mean._keys | running_var._keys | out._keys | save_mean._keys | save_invstd._keys | reserve._keys
    if weight is not None:
        keys |= weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t__batch_norm_with_update_out[keys](input, weight, bias, running_mean, running_var, momentum, eps, out, save_mean, save_invstd, reserve)


t_pairwise_distance = operator('pairwise_distance').table


def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    keys = x1._keys | x2._keys
    if state.active:
        keys = state.effective(keys)
    return t_pairwise_distance[keys](x1, x2, p, eps, keepdim)


t_cosine_similarity = operator('cosine_similarity').table


def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    keys = x1._keys | x2._keys
    if state.active:
        keys = state.effective(keys)
    return t_cosine_similarity[keys](x1, x2, dim, eps)


t_softmax_int = operator('softmax.int').table


def softmax_int(self, dim, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_softmax_int[keys](self, dim, dtype)


t_softmax_int_out = operator('softmax.int_out').table


def softmax_int_out(self, dim, dtype=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_softmax_int_out[keys](self, dim, dtype, out)


t__softmax = operator('_softmax').table


def _softmax(self, dim, half_to_float):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__softmax[keys](self, dim, half_to_float)


t__softmax_out = operator('_softmax.out').table


def _softmax_out(self, dim, half_to_float, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t__softmax_out[keys](self, dim, half_to_float, out)


t_special_log_softmax = operator('special_log_softmax').table


def special_log_softmax(self, dim, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_log_softmax[keys](self, dim, dtype)


t_special_softmax = operator('special_softmax').table


def special_softmax(self, dim, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_softmax[keys](self, dim, dtype)


t__softmax_backward_data = operator('_softmax_backward_data').table


def _softmax_backward_data(grad_output, output, dim, input_dtype):
    keys = grad_output._keys | output._keys
    if state.active:
        keys = state.effective(keys)
    return t__softmax_backward_data[keys](grad_output, output, dim, input_dtype)


t__log_softmax_backward_data = operator('_log_softmax_backward_data').table


def _log_softmax_backward_data(grad_output, output, dim, input_dtype):
    keys = grad_output._keys | output._keys
    if state.active:
        keys = state.effective(keys)
    return t__log_softmax_backward_data[keys](grad_output, output, dim, input_dtype)


t__layer_norm_input_gradient = operator('_layer_norm_input_gradient').table


def _layer_norm_input_gradient(grad, input, mean, rstd, weight, normalized_shape):
    keys = grad._keys | input._keys | mean._keys | rstd._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t__layer_norm_input_gradient[keys](grad, input, mean, rstd, weight, normalized_shape)


t__safe_softmax = operator('_safe_softmax').table


def _safe_softmax(self, dim, dtype=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__safe_softmax[keys](self, dim, dtype)


t__normalised_sums = operator('_normalised_sums').table


def _normalised_sums(grad_output, input, mean, rstd, dim):
    keys = grad_output._keys | input._keys | mean._keys | rstd._keys
    if state.active:
        keys = state.effective(keys)
    return t__normalised_sums[keys](grad_output, input, mean, rstd, dim)


t__normalised_gradient = operator('_normalised_gradient').table


def _normalised_gradient(grad_output, input, mean, rstd, mean_grad, mean_product):
    keys = grad_output._keys | input._keys | mean._keys | rstd._keys | mean_grad._keys | mean_product._keys
    if state.active:
        keys = state.effective(keys)
    return t__normalised_gradient[keys](grad_output, input, mean, rstd, mean_grad, mean_product)


t__weighted_normalised_gradient = operator('_weighted_normalised_gradient').table


def _weighted_normalised_gradient(grad_output, input, weight, mean, rstd, mean_grad, mean_product):
    keys = grad_output._keys | input._keys | weight._keys | mean._keys | rstd._keys | mean_grad._keys | mean_product._keys
    if state.active:
        keys = state.effective(keys)
    return t__weighted_normalised_gradient[keys](grad_output, input, weight, mean, rstd, mean_grad, mean_product)
