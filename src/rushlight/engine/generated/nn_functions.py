"""Functions of the namespace nn. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.dispatch.bindings import (
    MISSING, Device, Dtype, Layout, MemoryFormat, Resolver, check_owner, check_whole, comparable,
    constants, int_list, integers, named_result, number_types, plain, reflected, resolve, sequence_types,
)

from rushlight.engine.calls import indexing as c_indexing
from rushlight.engine.calls import joining as c_joining
from rushlight.engine.calls import losses as c_losses
from rushlight.engine.calls import matrix as c_matrix
from rushlight.engine.calls import pointwise as c_pointwise
from rushlight.engine.calls import windows as c_windows

r_one_hot = Resolver('one_hot', ('one_hot',), False)


def one_hot(input=MISSING, num_classes=-1, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(num_classes) is int:
            return c_indexing.one_hot(input, num_classes)
    return resolve(r_one_hot, (('input', input, MISSING), ('num_classes', num_classes, -1),), extra, (
    ), others)

r_one_hot.public = one_hot


r_im2col = Resolver('im2col', ('im2col|im2col.out',), False)


def im2col(input=MISSING, kernel_size=MISSING, dilation=MISSING, padding=MISSING, stride=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (kernel_size_ := (kernel_size,) * 2 if type(kernel_size) is int else int_list(kernel_size)) is not None and (dilation_ := (dilation,) * 2 if type(dilation) is int else int_list(dilation)) is not None and (padding_ := (padding,) * 2 if type(padding) is int else int_list(padding)) is not None and (stride_ := (stride,) * 2 if type(stride) is int else int_list(stride)) is not None:
            return c_indexing.im2col(input, kernel_size_, dilation_, padding_, stride_)
    return resolve(r_im2col, (('input', input, MISSING), ('kernel_size', kernel_size, MISSING), ('dilation', dilation, MISSING), ('padding', padding, MISSING), ('stride', stride, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_im2col.public = im2col


r_col2im = Resolver('col2im', ('col2im|col2im.out',), False)


def col2im(input=MISSING, output_size=MISSING, kernel_size=MISSING, dilation=MISSING, padding=MISSING, stride=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (output_size_ := (output_size,) * 2 if type(output_size) is int else int_list(output_size)) is not None and (kernel_size_ := (kernel_size,) * 2 if type(kernel_size) is int else int_list(kernel_size)) is not None and (dilation_ := (dilation,) * 2 if type(dilation) is int else int_list(dilation)) is not None and (padding_ := (padding,) * 2 if type(padding) is int else int_list(padding)) is not None and (stride_ := (stride,) * 2 if type(stride) is int else int_list(stride)) is not None:
            return c_indexing.col2im(input, output_size_, kernel_size_, dilation_, padding_, stride_)
    return resolve(r_col2im, (('input', input, MISSING), ('output_size', output_size, MISSING), ('kernel_size', kernel_size, MISSING), ('dilation', dilation, MISSING), ('padding', padding, MISSING), ('stride', stride, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_col2im.public = col2im


r_pad = Resolver('pad', ('pad',), False)


def pad(input=MISSING, pad=MISSING, mode='constant', value=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (pad_ := int_list(pad)) is not None and type(mode) is str and (value is None or type(value) is float):
            return c_joining.pad(input, pad_, mode, value)
    return resolve(r_pad, (('input', input, MISSING), ('pad', pad, MISSING), ('mode', mode, 'constant'), ('value', value, None),), extra, (
    ), others)

r_pad.public = pad


r_nll_loss_nd = Resolver('nll_loss_nd', ('nll_loss_nd',), False)


def nll_loss_nd(input=MISSING, target=MISSING, weight=None, reduction=constants.Mean, ignore_index=-100, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(target) in plain and (weight is None or type(weight) in plain) and type(reduction) is int and type(ignore_index) is int:
            return c_losses.nll_loss_nd(input, target, weight, reduction, ignore_index)
    return resolve(r_nll_loss_nd, (('input', input, MISSING), ('target', target, MISSING), ('weight', weight, None), ('reduction', reduction, constants.Mean), ('ignore_index', ignore_index, -100),), extra, (
    ), others)

r_nll_loss_nd.public = nll_loss_nd


r_cross_entropy_loss = Resolver('cross_entropy_loss', ('cross_entropy_loss',), False)


def cross_entropy_loss(input=MISSING, target=MISSING, weight=None, reduction=constants.Mean, ignore_index=-100, label_smoothing=0.0, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(target) in plain and (weight is None or type(weight) in plain) and type(reduction) is int and type(ignore_index) is int and type(label_smoothing) is float:
            return c_losses.cross_entropy_loss(input, target, weight, reduction, ignore_index, label_smoothing)
    return resolve(r_cross_entropy_loss, (('input', input, MISSING), ('target', target, MISSING), ('weight', weight, None), ('reduction', reduction, constants.Mean), ('ignore_index', ignore_index, -100), ('label_smoothing', label_smoothing, 0.0),), extra, (
    ), others)

r_cross_entropy_loss.public = cross_entropy_loss


r_nll_loss = Resolver('nll_loss', ('nll_loss',), False)


def nll_loss(input=MISSING, target=MISSING, weight=None, reduction=constants.Mean, ignore_index=-100, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(target) in plain and (weight is None or type(weight) in plain) and type(reduction) is int and type(ignore_index) is int:
            return c_losses.nll_loss(input, target, weight, reduction, ignore_index)
    return resolve(r_nll_loss, (('input', input, MISSING), ('target', target, MISSING), ('weight', weight, None), ('reduction', reduction, constants.Mean), ('ignore_index', ignore_index, -100),), extra, (
    ), others)

r_nll_loss.public = nll_loss


r_nll_loss_forward = Resolver('nll_loss_forward', ('nll_loss_forward',), False)


def nll_loss_forward(input=MISSING, target=MISSING, weight=MISSING, reduction=MISSING, ignore_index=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(target) in plain and (weight is None or type(weight) in plain) and type(reduction) is int and type(ignore_index) is int:
            return named_result('nll_loss_forward', ('output', 'total_weight'))(c_losses.nll_loss_forward(input, target, weight, reduction, ignore_index))
    return resolve(r_nll_loss_forward, (('input', input, MISSING), ('target', target, MISSING), ('weight', weight, MISSING), ('reduction', reduction, MISSING), ('ignore_index', ignore_index, MISSING),), extra, (
    ), others)

r_nll_loss_forward.public = nll_loss_forward


r_nll_loss_backward = Resolver('nll_loss_backward', ('nll_loss_backward',), False)


def nll_loss_backward(grad_output=MISSING, input=MISSING, target=MISSING, weight=MISSING, reduction=MISSING, ignore_index=MISSING, total_weight=MISSING, *extra, **others):
    if not extra and not others:
        if type(grad_output) in plain and type(input) in plain and type(target) in plain and (weight is None or type(weight) in plain) and type(reduction) is int and type(ignore_index) is int and type(total_weight) in plain:
            return c_losses.nll_loss_backward(grad_output, input, target, weight, reduction, ignore_index, total_weight)
    return resolve(r_nll_loss_backward, (('grad_output', grad_output, MISSING), ('input', input, MISSING), ('target', target, MISSING), ('weight', weight, MISSING), ('reduction', reduction, MISSING), ('ignore_index', ignore_index, MISSING), ('total_weight', total_weight, MISSING),), extra, (
    ), others)

r_nll_loss_backward.public = nll_loss_backward


r_nll_loss2d = Resolver('nll_loss2d', ('nll_loss2d',), False)


def nll_loss2d(input=MISSING, target=MISSING, weight=None, reduction=constants.Mean, ignore_index=-100, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(target) in plain and (weight is None or type(weight) in plain) and type(reduction) is int and type(ignore_index) is int:
            return c_losses.nll_loss2d(input, target, weight, reduction, ignore_index)
    return resolve(r_nll_loss2d, (('input', input, MISSING), ('target', target, MISSING), ('weight', weight, None), ('reduction', reduction, constants.Mean), ('ignore_index', ignore_index, -100),), extra, (
    ), others)

r_nll_loss2d.public = nll_loss2d


r_nll_loss2d_forward = Resolver('nll_loss2d_forward', ('nll_loss2d_forward',), False)


def nll_loss2d_forward(input=MISSING, target=MISSING, weight=MISSING, reduction=MISSING, ignore_index=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(target) in plain and (weight is None or type(weight) in plain) and type(reduction) is int and type(ignore_index) is int:
            return named_result('nll_loss2d_forward', ('output', 'total_weight'))(c_losses.nll_loss2d_forward(input, target, weight, reduction, ignore_index))
    return resolve(r_nll_loss2d_forward, (('input', input, MISSING), ('target', target, MISSING), ('weight', weight, MISSING), ('reduction', reduction, MISSING), ('ignore_index', ignore_index, MISSING),), extra, (
    ), others)

r_nll_loss2d_forward.public = nll_loss2d_forward


r_nll_loss2d_backward = Resolver('nll_loss2d_backward', ('nll_loss2d_backward',), False)


def nll_loss2d_backward(grad_output=MISSING, input=MISSING, target=MISSING, weight=MISSING, reduction=MISSING, ignore_index=MISSING, total_weight=MISSING, *extra, **others):
    if not extra and not others:
        if type(grad_output) in plain and type(input) in plain and type(target) in plain and (weight is None or type(weight) in plain) and type(reduction) is int and type(ignore_index) is int and type(total_weight) in plain:
            return c_losses.nll_loss2d_backward(grad_output, input, target, weight, reduction, ignore_index, total_weight)
    return resolve(r_nll_loss2d_backward, (('grad_output', grad_output, MISSING), ('input', input, MISSING), ('target', target, MISSING), ('weight', weight, MISSING), ('reduction', reduction, MISSING), ('ignore_index', ignore_index, MISSING), ('total_weight', total_weight, MISSING),), extra, (
    ), others)

r_nll_loss2d_backward.public = nll_loss2d_backward


r_binary_cross_entropy = Resolver('binary_cross_entropy', ('binary_cross_entropy|binary_cross_entropy.out',), False)


def binary_cross_entropy(input=MISSING, target=MISSING, weight=None, reduction=constants.Mean, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(target) in plain and (weight is None or type(weight) in plain) and type(reduction) is int:
            return c_losses.binary_cross_entropy(input, target, weight, reduction)
    return resolve(r_binary_cross_entropy, (('input', input, MISSING), ('target', target, MISSING), ('weight', weight, None), ('reduction', reduction, constants.Mean),), extra, (
        ('out', out, None),
    ), others)

r_binary_cross_entropy.public = binary_cross_entropy


r_mse_loss = Resolver('mse_loss', ('mse_loss|mse_loss.out',), False)


def mse_loss(input=MISSING, target=MISSING, reduction=constants.Mean, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(target) in plain and type(reduction) is int:
            return c_losses.mse_loss(input, target, reduction)
    return resolve(r_mse_loss, (('input', input, MISSING), ('target', target, MISSING), ('reduction', reduction, constants.Mean),), extra, (
        ('out', out, None),
    ), others)

r_mse_loss.public = mse_loss


r_l1_loss = Resolver('l1_loss', ('l1_loss',), False)


def l1_loss(input=MISSING, target=MISSING, reduction=constants.Mean, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(target) in plain and type(reduction) is int:
            return c_losses.l1_loss(input, target, reduction)
    return resolve(r_l1_loss, (('input', input, MISSING), ('target', target, MISSING), ('reduction', reduction, constants.Mean),), extra, (
    ), others)

r_l1_loss.public = l1_loss


r_smooth_l1_loss = Resolver('smooth_l1_loss', ('smooth_l1_loss|smooth_l1_loss.out',), False)


def smooth_l1_loss(input=MISSING, target=MISSING, reduction=constants.Mean, beta=1.0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(target) in plain and type(reduction) is int and type(beta) is float:
            return c_losses.smooth_l1_loss(input, target, reduction, beta)
    return resolve(r_smooth_l1_loss, (('input', input, MISSING), ('target', target, MISSING), ('reduction', reduction, constants.Mean), ('beta', beta, 1.0),), extra, (
        ('out', out, None),
    ), others)

r_smooth_l1_loss.public = smooth_l1_loss


r_huber_loss = Resolver('huber_loss', ('huber_loss|huber_loss.out',), False)


def huber_loss(input=MISSING, target=MISSING, reduction=constants.Mean, delta=1.0, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(target) in plain and type(reduction) is int and type(delta) is float:
            return c_losses.huber_loss(input, target, reduction, delta)
    return resolve(r_huber_loss, (('input', input, MISSING), ('target', target, MISSING), ('reduction', reduction, constants.Mean), ('delta', delta, 1.0),), extra, (
        ('out', out, None),
    ), others)

r_huber_loss.public = huber_loss


r_soft_margin_loss = Resolver('soft_margin_loss', ('soft_margin_loss|soft_margin_loss.out',), False)


def soft_margin_loss(input=MISSING, target=MISSING, reduction=constants.Mean, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(target) in plain and type(reduction) is int:
            return c_losses.soft_margin_loss(input, target, reduction)
    return resolve(r_soft_margin_loss, (('input', input, MISSING), ('target', target, MISSING), ('reduction', reduction, constants.Mean),), extra, (
        ('out', out, None),
    ), others)

r_soft_margin_loss.public = soft_margin_loss


r_multilabel_margin_loss = Resolver('multilabel_margin_loss', ('multilabel_margin_loss',), False)


def multilabel_margin_loss(input=MISSING, target=MISSING, reduction=constants.Mean, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(target) in plain and type(reduction) is int:
            return c_losses.multilabel_margin_loss(input, target, reduction)
    return resolve(r_multilabel_margin_loss, (('input', input, MISSING), ('target', target, MISSING), ('reduction', reduction, constants.Mean),), extra, (
    ), others)

r_multilabel_margin_loss.public = multilabel_margin_loss


r_linear = Resolver('linear', ('linear|linear.out',), False)


def linear(input=MISSING, weight=MISSING, bias=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(weight) in plain and (bias is None or type(bias) in plain):
            return c_matrix.linear(input, weight, bias)
    return resolve(r_linear, (('input', input, MISSING), ('weight', weight, MISSING), ('bias', bias, None),), extra, (
        ('out', out, None),
    ), others)

r_linear.public = linear


r_relu6 = Resolver('relu6', ('relu6',), False)


def relu6(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.relu6(input)
    return resolve(r_relu6, (('input', input, MISSING),), extra, (
    ), others)

r_relu6.public = relu6


r_relu6_ = Resolver('relu6_', ('relu6_',), False)


def relu6_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.relu6_(input)
    return resolve(r_relu6_, (('input', input, MISSING),), extra, (
    ), others)

r_relu6_.public = relu6_


r_gelu = Resolver('gelu', ('gelu|gelu.out',), False)


def gelu(input=MISSING, *extra, approximate='none', out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(approximate) is str:
            return c_pointwise.gelu(input, approximate)
    return resolve(r_gelu, (('input', input, MISSING),), extra, (
        ('approximate', approximate, 'none'),
        ('out', out, None),
    ), others)

r_gelu.public = gelu


r_gelu_ = Resolver('gelu_', ('gelu_',), False)


def gelu_(input=MISSING, *extra, approximate='none', **others):
    if not extra and not others:
        if type(input) in plain and type(approximate) is str:
            return c_pointwise.gelu_(input, approximate)
    return resolve(r_gelu_, (('input', input, MISSING),), extra, (
        ('approximate', approximate, 'none'),
    ), others)

r_gelu_.public = gelu_


r_silu = Resolver('silu', ('silu|silu.out',), False)


def silu(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.silu(input)
    return resolve(r_silu, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_silu.public = silu


r_silu_ = Resolver('silu_', ('silu_',), False)


def silu_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.silu_(input)
    return resolve(r_silu_, (('input', input, MISSING),), extra, (
    ), others)

r_silu_.public = silu_


r_mish = Resolver('mish', ('mish|mish.out',), False)


def mish(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.mish(input)
    return resolve(r_mish, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_mish.public = mish


r_mish_ = Resolver('mish_', ('mish_',), False)


def mish_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.mish_(input)
    return resolve(r_mish_, (('input', input, MISSING),), extra, (
    ), others)

r_mish_.public = mish_


r_elu = Resolver('elu', ('elu|elu.out',), False)


def elu(input=MISSING, alpha=1, scale=1, input_scale=1, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(alpha) in number_types and type(scale) in number_types and type(input_scale) in number_types:
            return c_pointwise.elu(input, alpha, scale, input_scale)
    return resolve(r_elu, (('input', input, MISSING), ('alpha', alpha, 1), ('scale', scale, 1), ('input_scale', input_scale, 1),), extra, (
        ('out', out, None),
    ), others)

r_elu.public = elu


r_elu_ = Resolver('elu_', ('elu_',), False)


def elu_(input=MISSING, alpha=1, scale=1, input_scale=1, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(alpha) in number_types and type(scale) in number_types and type(input_scale) in number_types:
            return c_pointwise.elu_(input, alpha, scale, input_scale)
    return resolve(r_elu_, (('input', input, MISSING), ('alpha', alpha, 1), ('scale', scale, 1), ('input_scale', input_scale, 1),), extra, (
    ), others)

r_elu_.public = elu_


r_glu = Resolver('glu', ('glu|glu.out',), False)


def glu(input=MISSING, dim=-1, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(dim) is int:
            return c_pointwise.glu(input, dim)
    return resolve(r_glu, (('input', input, MISSING), ('dim', dim, -1),), extra, (
        ('out', out, None),
    ), others)

r_glu.public = glu


r_hardsigmoid = Resolver('hardsigmoid', ('hardsigmoid|hardsigmoid.out',), False)


def hardsigmoid(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.hardsigmoid(input)
    return resolve(r_hardsigmoid, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_hardsigmoid.public = hardsigmoid


r_hardsigmoid_ = Resolver('hardsigmoid_', ('hardsigmoid_',), False)


def hardsigmoid_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.hardsigmoid_(input)
    return resolve(r_hardsigmoid_, (('input', input, MISSING),), extra, (
    ), others)

r_hardsigmoid_.public = hardsigmoid_


r_hardtanh = Resolver('hardtanh', ('hardtanh|hardtanh.out',), False)


def hardtanh(input=MISSING, min_val=-1, max_val=1, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(min_val) in number_types and type(max_val) in number_types:
            return c_pointwise.hardtanh(input, min_val, max_val)
    return resolve(r_hardtanh, (('input', input, MISSING), ('min_val', min_val, -1), ('max_val', max_val, 1),), extra, (
        ('out', out, None),
    ), others)

r_hardtanh.public = hardtanh


r_hardtanh_ = Resolver('hardtanh_', ('hardtanh_',), False)


def hardtanh_(input=MISSING, min_val=-1, max_val=1, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(min_val) in number_types and type(max_val) in number_types:
            return c_pointwise.hardtanh_(input, min_val, max_val)
    return resolve(r_hardtanh_, (('input', input, MISSING), ('min_val', min_val, -1), ('max_val', max_val, 1),), extra, (
    ), others)

r_hardtanh_.public = hardtanh_


r_hardswish = Resolver('hardswish', ('hardswish|hardswish.out',), False)


def hardswish(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.hardswish(input)
    return resolve(r_hardswish, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_hardswish.public = hardswish


r_hardswish_ = Resolver('hardswish_', ('hardswish_',), False)


def hardswish_(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_pointwise.hardswish_(input)
    return resolve(r_hardswish_, (('input', input, MISSING),), extra, (
    ), others)

r_hardswish_.public = hardswish_


r_leaky_relu = Resolver('leaky_relu', ('leaky_relu|leaky_relu.out',), False)


def leaky_relu(input=MISSING, negative_slope=0.01, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(negative_slope) in number_types:
            return c_pointwise.leaky_relu(input, negative_slope)
    return resolve(r_leaky_relu, (('input', input, MISSING), ('negative_slope', negative_slope, 0.01),), extra, (
        ('out', out, None),
    ), others)

r_leaky_relu.public = leaky_relu


r_leaky_relu_ = Resolver('leaky_relu_', ('leaky_relu_',), False)


def leaky_relu_(input=MISSING, negative_slope=0.01, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(negative_slope) in number_types:
            return c_pointwise.leaky_relu_(input, negative_slope)
    return resolve(r_leaky_relu_, (('input', input, MISSING), ('negative_slope', negative_slope, 0.01),), extra, (
    ), others)

r_leaky_relu_.public = leaky_relu_


r_log_sigmoid = Resolver('log_sigmoid', ('log_sigmoid|log_sigmoid.out',), False)


def log_sigmoid(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.log_sigmoid(input)
    return resolve(r_log_sigmoid, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_log_sigmoid.public = log_sigmoid


r_log_sigmoid_forward = Resolver('log_sigmoid_forward', ('log_sigmoid_forward|log_sigmoid_forward.output',), False)


def log_sigmoid_forward(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return named_result('log_sigmoid_forward', ('output', 'buffer'))(c_pointwise.log_sigmoid_forward(input))
    return resolve(r_log_sigmoid_forward, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_log_sigmoid_forward.public = log_sigmoid_forward


r_softplus = Resolver('softplus', ('softplus|softplus.out',), False)


def softplus(input=MISSING, beta=1, threshold=20, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(beta) in number_types and type(threshold) in number_types:
            return c_pointwise.softplus(input, beta, threshold)
    return resolve(r_softplus, (('input', input, MISSING), ('beta', beta, 1), ('threshold', threshold, 20),), extra, (
        ('out', out, None),
    ), others)

r_softplus.public = softplus


r_softshrink = Resolver('softshrink', ('softshrink|softshrink.out',), False)


def softshrink(input=MISSING, lambd=0.5, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(lambd) in number_types:
            return c_pointwise.softshrink(input, lambd)
    return resolve(r_softshrink, (('input', input, MISSING), ('lambd', lambd, 0.5),), extra, (
        ('out', out, None),
    ), others)

r_softshrink.public = softshrink


r_max_pool2d_with_indices = Resolver('max_pool2d_with_indices', ('max_pool2d_with_indices',), False)


def max_pool2d_with_indices(input=MISSING, kernel_size=MISSING, stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (kernel_size_ := (kernel_size,) * 2 if type(kernel_size) is int else int_list(kernel_size)) is not None and (stride_ := (stride,) * 2 if type(stride) is int else int_list(stride)) is not None and (padding_ := (padding,) * 2 if type(padding) is int else int_list(padding)) is not None and (dilation_ := (dilation,) * 2 if type(dilation) is int else int_list(dilation)) is not None and type(ceil_mode) is bool:
            return c_windows.max_pool2d_with_indices(input, kernel_size_, stride_, padding_, dilation_, ceil_mode)
    return resolve(r_max_pool2d_with_indices, (('input', input, MISSING), ('kernel_size', kernel_size, MISSING), ('stride', stride, ()), ('padding', padding, (0, 0)), ('dilation', dilation, (1, 1)), ('ceil_mode', ceil_mode, False),), extra, (
    ), others)

r_max_pool2d_with_indices.public = max_pool2d_with_indices


r_max_pool3d_with_indices = Resolver('max_pool3d_with_indices', ('max_pool3d_with_indices',), False)


def max_pool3d_with_indices(input=MISSING, kernel_size=MISSING, stride=(), padding=(0, 0, 0), dilation=(1, 1, 1), ceil_mode=False, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (kernel_size_ := (kernel_size,) * 3 if type(kernel_size) is int else int_list(kernel_size)) is not None and (stride_ := (stride,) * 3 if type(stride) is int else int_list(stride)) is not None and (padding_ := (padding,) * 3 if type(padding) is int else int_list(padding)) is not None and (dilation_ := (dilation,) * 3 if type(dilation) is int else int_list(dilation)) is not None and type(ceil_mode) is bool:
            return c_windows.max_pool3d_with_indices(input, kernel_size_, stride_, padding_, dilation_, ceil_mode)
    return resolve(r_max_pool3d_with_indices, (('input', input, MISSING), ('kernel_size', kernel_size, MISSING), ('stride', stride, ()), ('padding', padding, (0, 0, 0)), ('dilation', dilation, (1, 1, 1)), ('ceil_mode', ceil_mode, False),), extra, (
    ), others)

r_max_pool3d_with_indices.public = max_pool3d_with_indices


r_avg_pool2d = Resolver('avg_pool2d', ('avg_pool2d|avg_pool2d.out',), False)


def avg_pool2d(input=MISSING, kernel_size=MISSING, stride=(), padding=(0, 0), ceil_mode=False, count_include_pad=True, divisor_override=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (kernel_size_ := (kernel_size,) * 2 if type(kernel_size) is int else int_list(kernel_size)) is not None and (stride_ := (stride,) * 2 if type(stride) is int else int_list(stride)) is not None and (padding_ := (padding,) * 2 if type(padding) is int else int_list(padding)) is not None and type(ceil_mode) is bool and type(count_include_pad) is bool and (divisor_override is None or type(divisor_override) is int):
            return c_windows.avg_pool2d(input, kernel_size_, stride_, padding_, ceil_mode, count_include_pad, divisor_override)
    return resolve(r_avg_pool2d, (('input', input, MISSING), ('kernel_size', kernel_size, MISSING), ('stride', stride, ()), ('padding', padding, (0, 0)), ('ceil_mode', ceil_mode, False), ('count_include_pad', count_include_pad, True), ('divisor_override', divisor_override, None),), extra, (
        ('out', out, None),
    ), others)

r_avg_pool2d.public = avg_pool2d


r_avg_pool3d = Resolver('avg_pool3d', ('avg_pool3d|avg_pool3d.out',), False)


def avg_pool3d(input=MISSING, kernel_size=MISSING, stride=(), padding=(0, 0, 0), ceil_mode=False, count_include_pad=True, divisor_override=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (kernel_size_ := (kernel_size,) * 3 if type(kernel_size) is int else int_list(kernel_size)) is not None and (stride_ := (stride,) * 3 if type(stride) is int else int_list(stride)) is not None and (padding_ := (padding,) * 3 if type(padding) is int else int_list(padding)) is not None and type(ceil_mode) is bool and type(count_include_pad) is bool and (divisor_override is None or type(divisor_override) is int):
            return c_windows.avg_pool3d(input, kernel_size_, stride_, padding_, ceil_mode, count_include_pad, divisor_override)
    return resolve(r_avg_pool3d, (('input', input, MISSING), ('kernel_size', kernel_size, MISSING), ('stride', stride, ()), ('padding', padding, (0, 0, 0)), ('ceil_mode', ceil_mode, False), ('count_include_pad', count_include_pad, True), ('divisor_override', divisor_override, None),), extra, (
        ('out', out, None),
    ), others)

r_avg_pool3d.public = avg_pool3d


r_adaptive_avg_pool2d = Resolver('adaptive_avg_pool2d', ('adaptive_avg_pool2d',), False)


def adaptive_avg_pool2d(input=MISSING, output_size=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (output_size_ := (output_size,) * 2 if type(output_size) is int else int_list(output_size)) is not None:
            return c_windows.adaptive_avg_pool2d(input, output_size_)
    return resolve(r_adaptive_avg_pool2d, (('input', input, MISSING), ('output_size', output_size, MISSING),), extra, (
    ), others)

r_adaptive_avg_pool2d.public = adaptive_avg_pool2d


r_adaptive_avg_pool3d = Resolver('adaptive_avg_pool3d', ('adaptive_avg_pool3d',), False)


def adaptive_avg_pool3d(input=MISSING, output_size=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (output_size_ := (output_size,) * 3 if type(output_size) is int else int_list(output_size)) is not None:
            return c_windows.adaptive_avg_pool3d(input, output_size_)
    return resolve(r_adaptive_avg_pool3d, (('input', input, MISSING), ('output_size', output_size, MISSING),), extra, (
    ), others)

r_adaptive_avg_pool3d.public = adaptive_avg_pool3d


r_adaptive_max_pool2d = Resolver('adaptive_max_pool2d', ('adaptive_max_pool2d',), False)


def adaptive_max_pool2d(input=MISSING, output_size=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (output_size_ := (output_size,) * 2 if type(output_size) is int else int_list(output_size)) is not None:
            return c_windows.adaptive_max_pool2d(input, output_size_)
    return resolve(r_adaptive_max_pool2d, (('input', input, MISSING), ('output_size', output_size, MISSING),), extra, (
    ), others)

r_adaptive_max_pool2d.public = adaptive_max_pool2d


r_adaptive_max_pool3d = Resolver('adaptive_max_pool3d', ('adaptive_max_pool3d',), False)


def adaptive_max_pool3d(input=MISSING, output_size=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (output_size_ := (output_size,) * 3 if type(output_size) is int else int_list(output_size)) is not None:
            return c_windows.adaptive_max_pool3d(input, output_size_)
    return resolve(r_adaptive_max_pool3d, (('input', input, MISSING), ('output_size', output_size, MISSING),), extra, (
    ), others)

r_adaptive_max_pool3d.public = adaptive_max_pool3d


r_max_unpool2d = Resolver('max_unpool2d', ('max_unpool2d',), False)


def max_unpool2d(input=MISSING, indices=MISSING, output_size=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(indices) in plain and (output_size_ := (output_size,) * 2 if type(output_size) is int else int_list(output_size)) is not None:
            return c_windows.max_unpool2d(input, indices, output_size_)
    return resolve(r_max_unpool2d, (('input', input, MISSING), ('indices', indices, MISSING), ('output_size', output_size, MISSING),), extra, (
    ), others)

r_max_unpool2d.public = max_unpool2d


r_max_unpool3d = Resolver('max_unpool3d', ('max_unpool3d',), False)


def max_unpool3d(input=MISSING, indices=MISSING, output_size=MISSING, stride=MISSING, padding=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(indices) in plain and (output_size_ := (output_size,) * 3 if type(output_size) is int else int_list(output_size)) is not None and (stride_ := (stride,) * 3 if type(stride) is int else int_list(stride)) is not None and (padding_ := (padding,) * 3 if type(padding) is int else int_list(padding)) is not None:
            return c_windows.max_unpool3d(input, indices, output_size_, stride_, padding_)
    return resolve(r_max_unpool3d, (('input', input, MISSING), ('indices', indices, MISSING), ('output_size', output_size, MISSING), ('stride', stride, MISSING), ('padding', padding, MISSING),), extra, (
    ), others)

r_max_unpool3d.public = max_unpool3d


r_fractional_max_pool2d = Resolver('fractional_max_pool2d', ('fractional_max_pool2d',), False)


def fractional_max_pool2d(input=MISSING, kernel_size=MISSING, output_size=MISSING, random_samples=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (kernel_size_ := (kernel_size,) * 2 if type(kernel_size) is int else int_list(kernel_size)) is not None and (output_size_ := (output_size,) * 2 if type(output_size) is int else int_list(output_size)) is not None and type(random_samples) in plain:
            return c_windows.fractional_max_pool2d(input, kernel_size_, output_size_, random_samples)
    return resolve(r_fractional_max_pool2d, (('input', input, MISSING), ('kernel_size', kernel_size, MISSING), ('output_size', output_size, MISSING), ('random_samples', random_samples, MISSING),), extra, (
    ), others)

r_fractional_max_pool2d.public = fractional_max_pool2d


r_fractional_max_pool3d = Resolver('fractional_max_pool3d', ('fractional_max_pool3d',), False)


def fractional_max_pool3d(input=MISSING, kernel_size=MISSING, output_size=MISSING, random_samples=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (kernel_size_ := (kernel_size,) * 3 if type(kernel_size) is int else int_list(kernel_size)) is not None and (output_size_ := (output_size,) * 3 if type(output_size) is int else int_list(output_size)) is not None and type(random_samples) in plain:
            return c_windows.fractional_max_pool3d(input, kernel_size_, output_size_, random_samples)
    return resolve(r_fractional_max_pool3d, (('input', input, MISSING), ('kernel_size', kernel_size, MISSING), ('output_size', output_size, MISSING), ('random_samples', random_samples, MISSING),), extra, (
    ), others)

r_fractional_max_pool3d.public = fractional_max_pool3d



NAMES = ['one_hot', 'im2col', 'col2im', 'pad', 'nll_loss_nd', 'cross_entropy_loss', 'nll_loss', 'nll_loss_forward', 'nll_loss_backward', 'nll_loss2d', 'nll_loss2d_forward', 'nll_loss2d_backward', 'binary_cross_entropy', 'mse_loss', 'l1_loss', 'smooth_l1_loss', 'huber_loss', 'soft_margin_loss', 'multilabel_margin_loss', 'linear', 'relu6', 'relu6_', 'gelu', 'gelu_', 'silu', 'silu_', 'mish', 'mish_', 'elu', 'elu_', 'glu', 'hardsigmoid', 'hardsigmoid_', 'hardtanh', 'hardtanh_', 'hardswish', 'hardswish_', 'leaky_relu', 'leaky_relu_', 'log_sigmoid', 'log_sigmoid_forward', 'softplus', 'softshrink', 'max_pool2d_with_indices', 'max_pool3d_with_indices', 'avg_pool2d', 'avg_pool3d', 'adaptive_avg_pool2d', 'adaptive_avg_pool3d', 'adaptive_max_pool2d', 'adaptive_max_pool3d', 'max_unpool2d', 'max_unpool3d', 'fractional_max_pool2d', 'fractional_max_pool3d']
