"""Call functions of the family windows. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_conv1d = operator('conv1d').table


def conv1d(input, weight, bias=None, stride=(1,), padding=(0,), dilation=(1,), groups=1):
    keys = input._keys | weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_conv1d[keys](input, weight, bias, stride, padding, dilation, groups)


t_conv1d_padding = operator('conv1d.padding').table


def conv1d_padding(input, weight, bias=None, stride=(1,), padding='valid', dilation=(1,), groups=1):
    keys = input._keys | weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_conv1d_padding[keys](input, weight, bias, stride, padding, dilation, groups)


t_conv2d = operator('conv2d').table


def conv2d(input, weight, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
    keys = input._keys | weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_conv2d[keys](input, weight, bias, stride, padding, dilation, groups)


t_conv2d_padding = operator('conv2d.padding').table


def conv2d_padding(input, weight, bias=None, stride=(1, 1), padding='valid', dilation=(1, 1), groups=1):
    keys = input._keys | weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_conv2d_padding[keys](input, weight, bias, stride, padding, dilation, groups)


t_conv3d = operator('conv3d').table


def conv3d(input, weight, bias=None, stride=(1, 1, 1), padding=(0, 0, 0), dilation=(1, 1, 1), groups=1):
    keys = input._keys | weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_conv3d[keys](input, weight, bias, stride, padding, dilation, groups)


t_conv3d_padding = operator('conv3d.padding').table


def conv3d_padding(input, weight, bias=None, stride=(1, 1, 1), padding='valid', dilation=(1, 1, 1), groups=1):
    keys = input._keys | weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_conv3d_padding[keys](input, weight, bias, stride, padding, dilation, groups)


t_conv_transpose1d = operator('conv_transpose1d').table


def conv_transpose1d(input, weight, bias=None, stride=(1,), padding=(0,), output_padding=(0,), groups=1, dilation=(1,)):
    keys = input._keys | weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_conv_transpose1d[keys](input, weight, bias, stride, padding, output_padding, groups, dilation)


t_conv_transpose2d_input = operator('conv_transpose2d.input').table


def conv_transpose2d_input(input, weight, bias=None, stride=(1, 1), padding=(0, 0), output_padding=(0, 0), groups=1, dilation=(1, 1)):
    keys = input._keys | weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_conv_transpose2d_input[keys](input, weight, bias, stride, padding, output_padding, groups, dilation)


t_conv_transpose3d_input = operator('conv_transpose3d.input').table


def conv_transpose3d_input(input, weight, bias=None, stride=(1, 1, 1), padding=(0, 0, 0), output_padding=(0, 0, 0), groups=1, dilation=(1, 1, 1)):
    keys = input._keys | weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_conv_transpose3d_input[keys](input, weight, bias, stride, padding, output_padding, groups, dilation)


t_convolution = operator('convolution').table


def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    keys = input._keys | weight._keys
    if bias is not None:
        keys |= bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_convolution[keys](input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


t_convolution_backward = operator('convolution_backward').table


def convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask):
    keys = grad_output._keys | input._keys | weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_convolution_backward[keys](grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask)


t__convolution_weight_gradient = operator('_convolution_weight_gradient').table


def _convolution_weight_gradient(grad_output, input, kernel_size, stride, padding, dilation, groups):
    keys = grad_output._keys | input._keys
    if state.active:
        keys = state.effective(keys)
    return t__convolution_weight_gradient[keys](grad_output, input, kernel_size, stride, padding, dilation, groups)


t_conv_tbc = operator('conv_tbc').table


def conv_tbc(self, weight, bias, pad=0):
    keys = self._keys | weight._keys | bias._keys
    if state.active:
        keys = state.effective(keys)
    return t_conv_tbc[keys](self, weight, bias, pad)


t_max_pool1d = operator('max_pool1d').table


def max_pool1d(self, kernel_size, stride=(), padding=(0,), dilation=(1,), ceil_mode=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_pool1d[keys](self, kernel_size, stride, padding, dilation, ceil_mode)


t_max_pool1d_with_indices = operator('max_pool1d_with_indices').table


def max_pool1d_with_indices(self, kernel_size, stride=(), padding=(0,), dilation=(1,), ceil_mode=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_pool1d_with_indices[keys](self, kernel_size, stride, padding, dilation, ceil_mode)


t_max_pool2d = operator('max_pool2d').table


def max_pool2d(self, kernel_size, stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_pool2d[keys](self, kernel_size, stride, padding, dilation, ceil_mode)


t_max_pool3d = operator('max_pool3d').table


def max_pool3d(self, kernel_size, stride=(), padding=(0, 0, 0), dilation=(1, 1, 1), ceil_mode=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_pool3d[keys](self, kernel_size, stride, padding, dilation, ceil_mode)


t_avg_pool1d = operator('avg_pool1d').table


def avg_pool1d(self, kernel_size, stride=(), padding=(0,), ceil_mode=False, count_include_pad=True):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_avg_pool1d[keys](self, kernel_size, stride, padding, ceil_mode, count_include_pad)


t__adaptive_means = operator('_adaptive_means').table


def _adaptive_means(self, output_size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__adaptive_means[keys](self, output_size)


t__adaptive_places = operator('_adaptive_places').table


def _adaptive_places(self, output_size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__adaptive_places[keys](self, output_size)


t__adaptive_means_backward = operator('_adaptive_means_backward').table


def _adaptive_means_backward(grad_output, lengths):
    keys = grad_output._keys
    if state.active:
        keys = state.effective(keys)
    return t__adaptive_means_backward[keys](grad_output, lengths)


t_adaptive_avg_pool1d = operator('adaptive_avg_pool1d').table


def adaptive_avg_pool1d(self, output_size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_adaptive_avg_pool1d[keys](self, output_size)


t_adaptive_max_pool1d = operator('adaptive_max_pool1d').table


def adaptive_max_pool1d(self, output_size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_adaptive_max_pool1d[keys](self, output_size)


t_channel_shuffle = operator('channel_shuffle').table


def channel_shuffle(self, groups):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_channel_shuffle[keys](self, groups)


t_native_channel_shuffle = operator('native_channel_shuffle').table


def native_channel_shuffle(self, groups):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_native_channel_shuffle[keys](self, groups)


t_pixel_shuffle = operator('pixel_shuffle').table


def pixel_shuffle(self, upscale_factor):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_pixel_shuffle[keys](self, upscale_factor)


t_pixel_unshuffle = operator('pixel_unshuffle').table


def pixel_unshuffle(self, downscale_factor):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_pixel_unshuffle[keys](self, downscale_factor)


t_pad = operator('pad').table


def pad(self, pad, mode='constant', value=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_pad[keys](self, pad, mode, value)


t_max_pool2d_with_indices = operator('max_pool2d_with_indices').table


def max_pool2d_with_indices(self, kernel_size, stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_pool2d_with_indices[keys](self, kernel_size, stride, padding, dilation, ceil_mode)


t_max_pool3d_with_indices = operator('max_pool3d_with_indices').table


def max_pool3d_with_indices(self, kernel_size, stride=(), padding=(0, 0, 0), dilation=(1, 1, 1), ceil_mode=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_pool3d_with_indices[keys](self, kernel_size, stride, padding, dilation, ceil_mode)


t_avg_pool2d = operator('avg_pool2d').table


def avg_pool2d(self, kernel_size, stride=(), padding=(0, 0), ceil_mode=False, count_include_pad=True, divisor_override=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_avg_pool2d[keys](self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


t_avg_pool2d_out = operator('avg_pool2d.out').table


def avg_pool2d_out(self, kernel_size, stride=(), padding=(0, 0), ceil_mode=False, count_include_pad=True, divisor_override=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_avg_pool2d_out[keys](self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, out)


t_avg_pool3d = operator('avg_pool3d').table


def avg_pool3d(self, kernel_size, stride=(), padding=(0, 0, 0), ceil_mode=False, count_include_pad=True, divisor_override=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_avg_pool3d[keys](self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


t_avg_pool3d_out = operator('avg_pool3d.out').table


def avg_pool3d_out(self, kernel_size, stride=(), padding=(0, 0, 0), ceil_mode=False, count_include_pad=True, divisor_override=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_avg_pool3d_out[keys](self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, out)


t_adaptive_avg_pool2d = operator('adaptive_avg_pool2d').table


def adaptive_avg_pool2d(self, output_size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_adaptive_avg_pool2d[keys](self, output_size)


t_adaptive_avg_pool3d = operator('adaptive_avg_pool3d').table


def adaptive_avg_pool3d(self, output_size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_adaptive_avg_pool3d[keys](self, output_size)


t_adaptive_max_pool2d = operator('adaptive_max_pool2d').table


def adaptive_max_pool2d(self, output_size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_adaptive_max_pool2d[keys](self, output_size)


t_adaptive_max_pool3d = operator('adaptive_max_pool3d').table


def adaptive_max_pool3d(self, output_size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_adaptive_max_pool3d[keys](self, output_size)


t_max_unpool2d = operator('max_unpool2d').table


def max_unpool2d(self, indices, output_size):
    keys = self._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_unpool2d[keys](self, indices, output_size)


t_max_unpool3d = operator('max_unpool3d').table


def max_unpool3d(self, indices, output_size, stride, padding):
    keys = self._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_unpool3d[keys](self, indices, output_size, stride, padding)


t_max_pool2d_with_indices_backward = operator('max_pool2d_with_indices_backward').table


def max_pool2d_with_indices_backward(grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices):
    keys = grad_output._keys | self._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_pool2d_with_indices_backward[keys](grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices)


t_max_pool3d_with_indices_backward = operator('max_pool3d_with_indices_backward').table


def max_pool3d_with_indices_backward(grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices):
    keys = grad_output._keys | self._keys | indices._keys
    if state.active:
        keys = state.effective(keys)
    return t_max_pool3d_with_indices_backward[keys](grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices)
