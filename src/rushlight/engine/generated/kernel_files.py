"""Which file has an operator's kernels. Written by `python -m rushlight.engine.codegen`; do not edit."""

PACKETS = {
    'attention': {
        'backward': """
_attention_gradients _attention_gradients_ _scaled_dot_product_flash_attention_for_cpu_backward
        """.split(),
        'forward': """
_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_flash_attention_for_cpu_
        """.split(),
        'library': """
_cudnn_attention _cudnn_attention_ _cudnn_attention_gradients _cudnn_attention_gradients_
        """.split(),
    },
    'creation': {
        'factories': """
empty empty_strided empty_permuted empty_like zeros _efficientzerotensor ones full scalar_tensor zeros_like
ones_like full_like new_empty new_empty_strided new_full new_zeros new_ones eye complex complex_ polar polar_
        """.split(),
        'sequences': """
arange range linspace logspace
        """.split(),
        'triangle_indices': """
tril_indices triu_indices
        """.split(),
    },
    'distances': {
        'all_pairs': """
cdist _distances _distances_ _distances_gradient _distances_gradient_ _euclidean_dist pdist
        """.split(),
        'vectors': """
cosine_similarity pairwise_distance
        """.split(),
    },
    'fourier': {
        'short_time': """
stft istft
        """.split(),
        'transforms': """
_fft_c2c _fft_c2c_ _fft_r2c _fft_r2c_ _fft_c2r _fft_c2r_ fft_fft fft_ifft fft_rfft fft_irfft fft_hfft
fft_ihfft fft_fftn fft_ifftn fft_rfftn fft_irfftn fft_hfftn fft_ihfftn fft_fft2 fft_ifft2 fft_rfft2 fft_irfft2
fft_hfft2 fft_ihfft2 fft_fftfreq fft_rfftfreq fft_fftshift fft_ifftshift
        """.split(),
        'windows': """
bartlett_window blackman_window hann_window hamming_window kaiser_window
        """.split(),
    },
    'linalg': {
        'determinants': """
_linalg_det _linalg_det_ _linalg_slogdet _linalg_slogdet_ linalg_det det linalg_slogdet slogdet logdet
        """.split(),
        'factors': """
linalg_cholesky_ex linalg_cholesky_ex_ linalg_cholesky cholesky cholesky_inverse cholesky_inverse_
linalg_lu_factor_ex linalg_lu_factor_ex_ linalg_lu_factor _lu_with_info lu_unpack lu_unpack_ linalg_lu
linalg_lu_ linalg_ldl_factor_ex linalg_ldl_factor_ex_ linalg_ldl_factor geqrf geqrf_ linalg_qr linalg_qr_ qr
linalg_householder_product linalg_householder_product_ orgqr ormqr ormqr_
        """.split(),
        'functions': """
linalg_matrix_exp linalg_matrix_exp_ matrix_exp linalg_cross cross linalg_tensorinv linalg_tensorsolve
linalg_vander vander frobenius_norm
        """.split(),
        'matrices': """
_linalg_check_errors
        """.split(),
        'solvers': """
_linalg_solve_ex _linalg_solve_ex_ linalg_solve_ex linalg_solve linalg_lu_solve linalg_lu_solve_ lu_solve
linalg_inv_ex linalg_inv_ex_ linalg_inv inverse cholesky_solve _cholesky_solve_helper linalg_ldl_solve
linalg_ldl_solve_ linalg_solve_triangular linalg_solve_triangular_ triangular_solve triangular_solve_
linalg_lstsq linalg_lstsq_
        """.split(),
        'spectra': """
_linalg_svd _linalg_svd_ linalg_svd linalg_svdvals svd _linalg_eigh _linalg_eigh_ linalg_eigh linalg_eigvalsh
linalg_eig linalg_eig_ _linalg_eigvals _linalg_eigvals_ linalg_eigvals linalg_matrix_rank linalg_pinv pinverse
linalg_cond
        """.split(),
    },
    'losses': {
        'cross_entropy': """
nll_loss_nd cross_entropy_loss
        """.split(),
        'ctc': """
_ctc_loss _ctc_loss_backward ctc_loss
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
    'matrix': {
        'batched': """
_matmul_batched _matmul_batched_ _linear_planned _linear_planned_
        """.split(),
        'composites': """
_matmul_batched _linear_planned matmul linalg_matmul linear bilinear outer ger inner tensordot kron
linalg_vecdot linalg_multi_dot chain_matmul linalg_matrix_power matrix_power addbmm addbmm_
        """.split(),
        'einsum': """
einsum
        """.split(),
        'products': """
mm mm_ addmm addmm_ _addmm_activation _addmm_activation_ bmm bmm_ baddbmm baddbmm_ mv mv_ addmv addmv_ dot
dot_ vdot vdot_ addr addr_
        """.split(),
        'result_types': """
mm bmm addmm baddbmm trace
        """.split(),
        'scaled': """
_scaled_mm _scaled_mm_v2
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
    'recurrent': {
        'sequences': """
_recurrent_steps _recurrent_steps_ _recurrent_steps_backward _recurrent_steps_backward_
        """.split(),
    },
    'reduction': {
        'covariance': """
cov corrcoef
        """.split(),
        'diff_and_trapezoid': """
diff trapezoid trapz cumulative_trapezoid
        """.split(),
        'extremes': """
amax amax_ amin amin_ max max_ min min_ argmax argmax_ argmin argmin_ aminmax aminmax_
        """.split(),
        'hash_tensor': """
hash_tensor hash_tensor_
        """.split(),
        'matrix_norms': """
linalg_matrix_norm linalg_norm nuclear_norm
        """.split(),
        'norms': """
linalg_vector_norm linalg_vector_norm_ norm native_norm frobenius_norm dist logsumexp logsumexp_
special_logsumexp renorm renorm_
        """.split(),
        'numerical_gradient': """
gradient
        """.split(),
        'scans': """
cumsum cumsum_ cumprod cumprod_ cummax cummax_ _cummax_helper cummin cummin_ _cummin_helper logcumsumexp
logcumsumexp_ _logcumsumexp _logcumsumexp_ _linear_recurrence _linear_recurrence_
        """.split(),
        'sums': """
sum sum_ mean mean_ nansum nansum_ nanmean nanmean_ prod prod_ count_nonzero count_nonzero_ all all_ any any_
_is_all_true _is_any_true
        """.split(),
        'variance': """
var var_ std std_ var_mean var_mean_ std_mean std_mean_
        """.split(),
    },
    'resampling': {
        'antialias': """
_upsample_bilinear2d_aa _upsample_bicubic2d_aa
        """.split(),
        'grid_sample': """
affine_grid_generator grid_sampler grid_sampler_2d grid_sampler_3d
        """.split(),
        'sampled_pixels': """
_sampled_pixels _sampled_pixels_ _sampled_image_gradient _sampled_image_gradient_ _sampled_place_gradient
_sampled_place_gradient_
        """.split(),
        'weighted_neighbours': """
_weighted_neighbours
        """.split(),
    },
    'rows': {
        'batch': """
_batch_norm_of_batch _batch_norm_of_batch_ _move_statistics_ native_batch_norm _native_batch_norm_legit
_native_batch_norm_legit_functional _batch_norm_with_update _native_batch_norm_legit_no_training
_batch_norm_impl_index batch_norm instance_norm
        """.split(),
        'normalised': """
_normalised_sums _normalised_sums_ _normalised_gradient _normalised_gradient_ _weighted_normalised_gradient
_weighted_normalised_gradient_
        """.split(),
        'norms': """
native_layer_norm native_layer_norm_ _layer_norm_input_gradient _layer_norm_input_gradient_ layer_norm
_fused_rms_norm _fused_rms_norm_ rms_norm native_group_norm native_group_norm_ group_norm
        """.split(),
        'softmax': """
_softmax _softmax_ softmax special_softmax _log_softmax _log_softmax_ log_softmax special_log_softmax
_softmax_backward_data _softmax_backward_data_ _log_softmax_backward_data _log_softmax_backward_data_
_safe_softmax
        """.split(),
    },
    'sampling': {
        'distributions': """
uniform_ normal_ log_normal_ cauchy_ exponential_ geometric_ bernoulli_
        """.split(),
        'dropout': """
dropout dropout_ feature_dropout feature_dropout_ alpha_dropout alpha_dropout_ feature_alpha_dropout
feature_alpha_dropout_ native_dropout native_dropout_backward rrelu rrelu_
        """.split(),
        'factories': """
rand rand_like randn randn_like randint randint_like randperm normal
        """.split(),
        'functional': """
bernoulli_functional normal_functional uniform log_normal cauchy exponential geometric random
        """.split(),
        'given_tensors': """
bernoulli normal poisson binomial _standard_gamma _sample_dirichlet multinomial
        """.split(),
        'integers': """
random_
        """.split(),
        'sample_gradients': """
_standard_gamma_grad _standard_gamma_grad_ _dirichlet_grad _dirichlet_grad_
        """.split(),
    },
    'searching': {
        'histograms': """
bincount histc _histogramdd_bin_edges _histogramdd_from_bin_cts _histogramdd_from_bin_tensors histogramdd
histogram
        """.split(),
        'searchsorted': """
searchsorted bucketize
        """.split(),
        'uniques': """
_unique2 _unique unique_consecutive unique_dim unique_dim_consecutive
        """.split(),
    },
}
