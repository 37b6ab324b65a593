"""Which file has an operator's kernels. Written by `python -m rushlight.engine.codegen`; do not edit."""

PACKETS = {
    'losses': {
        'cross_entropy': """
nll_loss_nd cross_entropy_loss
        """.split(),
        'ctc': """
_ctc_loss _ctc_loss_backward ctc_loss
        """.split(),
        'device_losses': """
nll_loss_forward nll_loss_backward nll_loss2d_forward nll_loss2d_backward
        """.split(),
        'elementwise': """
mse_loss mse_loss_ smooth_l1_loss smooth_l1_loss_ huber_loss huber_loss_ soft_margin_loss soft_margin_loss_
binary_cross_entropy binary_cross_entropy_ binary_cross_entropy_with_logits binary_cross_entropy_with_logits_
l1_loss hinge_embedding_loss margin_ranking_loss kl_div poisson_nll_loss cosine_embedding_loss
triplet_margin_loss
        """.split(),
        'margins': """
multilabel_margin_loss
        """.split(),
        'nll_loss': """
nll_loss_forward nll_loss nll_loss2d_forward nll_loss2d nll_loss_backward nll_loss_backward_
nll_loss2d_backward nll_loss2d_backward_
        """.split(),
    },
    'pointwise': {
        'activation': """
relu relu_ hardtanh hardtanh_ relu6 relu6_ threshold threshold_ leaky_relu leaky_relu_ leaky_relu_backward
leaky_relu_backward_ _prelu_kernel _prelu_kernel_ prelu elu elu_ elu_backward elu_backward_ selu selu_ celu
celu_ gelu gelu_ silu silu_ mish mish_ softplus softplus_ log_sigmoid_forward log_sigmoid_forward_ log_sigmoid
hardsigmoid hardsigmoid_ hardswish hardswish_ hardshrink hardshrink_ softshrink softshrink_ glu
        """.split(),
        'arithmetic': """
add add_ sub sub_ rsub rsub_ mul mul_ div div_ floor_divide floor_divide_ fmod fmod_ remainder remainder_ gcd
gcd_ lcm lcm_ pow pow_ square square_ float_power float_power_ addcmul addcmul_ addcdiv addcdiv_ lerp lerp_
neg neg_ positive
        """.split(),
        'comparison': """
eq eq_ ne ne_ lt lt_ le le_ gt gt_ ge ge_ maximum maximum_ minimum minimum_ fmax fmax_ fmin fmin_ clamp clamp_
clamp_min clamp_min_ clamp_max clamp_max_ heaviside heaviside_
        """.split(),
        'iterated': """
special_chebyshev_polynomial_t special_chebyshev_polynomial_t_ special_chebyshev_polynomial_u
special_chebyshev_polynomial_u_ special_chebyshev_polynomial_v special_chebyshev_polynomial_v_
special_chebyshev_polynomial_w special_chebyshev_polynomial_w_ special_shifted_chebyshev_polynomial_t
special_shifted_chebyshev_polynomial_t_ special_shifted_chebyshev_polynomial_u
special_shifted_chebyshev_polynomial_u_ special_shifted_chebyshev_polynomial_v
special_shifted_chebyshev_polynomial_v_ special_shifted_chebyshev_polynomial_w
special_shifted_chebyshev_polynomial_w_ special_hermite_polynomial_h special_hermite_polynomial_h_
special_hermite_polynomial_he special_hermite_polynomial_he_ special_laguerre_polynomial_l
special_laguerre_polynomial_l_ special_legendre_polynomial_p special_legendre_polynomial_p_ igamma igamma_
igammac igammac_
        """.split(),
        'logical': """
logical_not logical_not_ logical_and logical_and_ logical_or logical_or_ logical_xor logical_xor_ bitwise_not
bitwise_not_ bitwise_and bitwise_and_ bitwise_or bitwise_or_ bitwise_xor bitwise_xor_ bitwise_left_shift
bitwise_left_shift_ bitwise_right_shift bitwise_right_shift_
        """.split(),
        'pixel_places': """
_pixel_place _pixel_place_ _pixel_index _pixel_index_ _pixel_share _pixel_share_ _pixel_slope _pixel_slope_
_joined_index _joined_index_ _seen_share _seen_share_
        """.split(),
        'questions': """
isnan isnan_ isfinite isfinite_ isinf isinf_ isreal isreal_ isposinf isposinf_ isneginf isneginf_ signbit
signbit_ sign sign_ sgn sgn_ abs abs_ angle angle_ copysign copysign_ nan_to_num nan_to_num_ isin
        """.split(),
        'rounding': """
floor floor_ ceil ceil_ trunc trunc_ round round_ frac frac_ frexp frexp_ ldexp ldexp_ nextafter nextafter_
        """.split(),
        'special': """
erfc erfc_ erfinv erfinv_ digamma digamma_ lgamma lgamma_ i0 i0_ special_i0e special_i0e_ special_i1
special_i1_ special_i1e special_i1e_ special_entr special_entr_ special_erfcx special_erfcx_ special_ndtri
special_ndtri_ special_log_ndtr special_log_ndtr_ special_airy_ai special_airy_ai_ special_bessel_j0
special_bessel_j0_ special_bessel_j1 special_bessel_j1_ special_bessel_y0 special_bessel_y0_ special_bessel_y1
special_bessel_y1_ special_modified_bessel_i0 special_modified_bessel_i0_ special_modified_bessel_i1
special_modified_bessel_i1_ special_modified_bessel_k0 special_modified_bessel_k0_ special_modified_bessel_k1
special_modified_bessel_k1_ special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k0_
special_scaled_modified_bessel_k1 special_scaled_modified_bessel_k1_ special_spherical_bessel_j0
special_spherical_bessel_j0_ erf erf_ xlogy xlogy_ special_xlog1py special_xlog1py_ special_zeta special_zeta_
polygamma polygamma_ mvlgamma mvlgamma_ special_ndtr
        """.split(),
        'transcendental': """
acos acos_ acosh acosh_ asin asin_ asinh asinh_ atan atan_ atanh atanh_ cos cos_ cosh cosh_ exp exp_ exp2
exp2_ expm1 expm1_ log log_ log10 log10_ log1p log1p_ log2 log2_ reciprocal reciprocal_ rsqrt rsqrt_ sigmoid
sigmoid_ sin sin_ sinh sinh_ sqrt sqrt_ tan tan_ tanh tanh_ atan2 atan2_ hypot hypot_ sinc sinc_ logaddexp
logaddexp_ logaddexp2 logaddexp2_ rad2deg rad2deg_ deg2rad deg2rad_ logit logit_
        """.split(),
    },
}
