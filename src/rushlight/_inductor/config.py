"""Settings of the back end. Most are PyTorch's, of code that is generated there, and nothing reads them: programs set them.

A name with a dot is a setting of a group: ``config.triton.cudagraphs``.
"""

from __future__ import annotations

import types
from typing import Any

from rushlight._names.settings import patcher

# Functions of a graph of operators, called before loops are made of it and after that is decided.
post_grad_custom_pre_pass: Any = None
post_grad_custom_post_pass: Any = None
# Whether nothing that was compiled is looked for; where it may be, `fx_graph_cache` decides.
force_disable_caches = False
fx_graph_cache = True
# Whether what a program writes in many calls is replaced by the one that is made for it: see `attention.py`.
pattern_matcher = True
# Whether pointwise operators run behind each block of a large product.
epilogue_fusion = True
# Whether choices are measured: all of them, those of loops, those of products. See `choices.py`.
max_autotune = False
max_autotune_pointwise = False
max_autotune_gemm = False

_ON = """
alignment_asserts allow_buffer_reuse aot_inductor.check_lowerbound aot_inductor.dynamic_linkage
aot_inductor.enable_frame_pointer aot_inductor.enable_line_tables aot_inductor.link_libtorch
aot_inductor.package_constants_in_so aot_inductor.precompile_headers
aot_inductor.raise_error_on_ignored_optimization aot_inductor.use_consts_asm_build apply_gumbel_max_trick
assert_indirect_indexing autotune_local_cache batch_fusion benchmark_epilogue_fusion benchmark_harness
bundle_triton_into_fx_graph_cache bw_outputs_user_visible combo_kernel_autotune_grouping
combo_kernel_foreach_dynamic_shapes comprehensive_padding constant_and_index_propagation cpp.enable_loop_tail_vec
cpp.enable_tiling_heuristics cpp.fallback_scatter_reduce_sum cpp.no_redundant_loops cpp.use_constexpr_for_int_array
cpp.weight_prepack cpp_cache_precompile_headers delay_realize_cheap_outputs disable_padding_cpu disable_progress
dynamic_scale_rblock emulate_precision_casts_on_saved_tensors enable_auto_functionalized_v2
enable_caching_generated_triton_templates graph_partition implicit_fallbacks
inplace_buffers inplace_padding joint_graph_constant_folding keep_addmm_fused_for_half_dtypes keep_output_stride
layout_optimization loop_index_inversion_in_fusion loop_ordering_after_fusion loop_reindexing_after_fusion
max_autotune_report_choices_stats non_blocking_remote_cache_write online_softmax optimize_scatter_upon_const_tensor
pick_loop_orders prologue_fusion quiesce_async_compile_pool reorder_for_locality
reorder_for_peak_memory scalar_asserts shape_padding size_asserts split_cat_fx_passes split_reductions
static_weight_shapes trace.fx_graph trace.fx_graph_transformed trace.ir_post_fusion trace.ir_pre_fusion
trace.output_code triton.autotune_cublasLt triton.autotune_pointwise triton.coalesce_tiling_analysis
triton.codegen_upcast_to_fp32 triton.cudagraph_support_input_mutation triton.cudagraph_trees triton.divisible_by_16
triton.dynamic_disable_pipelining triton.emit_pointer_range_32 triton.mix_order_reduction
triton.mix_order_reduction_allow_multi_stages triton.persistent_reductions triton.proton_group_by_sm
triton.proton_per_cta_occupancy triton.proton_split_invocations triton.reorder_for_reducing_graph_partitions
triton.slow_path_cudagraph_asserts triton.tiling_prevents_pointwise_fusion triton.tiling_prevents_reduction_fusion
triton.transpose_discontiguous_tensor_descriptor triton.unique_kernel_names use_dce use_experimental_benchmarker
use_fast_triton_launcher use_joint_graph_passes use_launch_metadata_schema use_mixed_mm use_post_grad_passes
use_pre_grad_passes use_static_cuda_launcher worker_suppress_logging write_are_deterministic_algorithms_enabled
"""
_OFF = """
TYPE_CHECKING aggressive_fusion align_random_eager always_keep_tensor_constants annotate_training
aot_inductor.allow_stack_allocation aot_inductor.autotune_per_kernel_alloc aot_inductor.debug_compile
aot_inductor.debug_symbols aot_inductor.dump_aoti_minifier aot_inductor.enable_lto aot_inductor.force_mmap_weights
aot_inductor.package aot_inductor.use_minimal_arrayref_interface aot_inductor.use_runtime_constant_folding
aot_inductor.weight_use_caching_allocator assume_32bit_indexing assume_aligned_inputs
assume_unaligned_fallback_output autotune_fallback_to_aten autotune_in_subproc autotune_multi_device b2b_gemm_pass
batch_invariant benchmark_combo_kernel benchmark_fusion benchmark_kernel cache_sdpa_constraint
can_inplace_pad_graph_input check_stack_no_cycles_TESTING_ONLY combo_kernel_per_subkernel_blocks combo_kernels
combo_kernels_pointwise_only comment_origin compute_all_bounds conv_1x1_as_mm
coordinate_descent_check_all_directions coordinate_descent_tuning cpp.dynamic_threads cpp.enable_concat_linear
cpp.enable_grouped_gemm_template cpp.enable_kernel_profile cpp.enable_unsafe_math_opt_flag cpp.force_inline_kernel
cpp.use_decompose_tanh cpp.use_small_dequant_buffer cpp_wrapper cpp_wrapper_build_separate cutedsl_enable_autotuning
dce debug debug_fusion debug_index_asserts debug_ir_traceback decompose_mem_bound_mm dedup_reduce_scatters
deterministic developer_warnings disable_cpp_codegen distributed_max_autotune_gemm do_not_emit_runtime_assertions
efficient_conv_bn_eval_fx_passes emulate_precision_casts enable_autograd_for_aot enable_linear_binary_folding
epilogue_fusion_first epilogue_fusion_user_defined_triton_kernel epilogue_fusion_with_atomic_add
expand_dimension_for_pointwise_nodes fallback_by_default fallback_embedding_bag_byte_unpack fallback_random
force_disable_cudagraph_TESTING_ONLY force_fuse_int_mm_with_mul force_layout_optimization force_pointwise_cat
force_shape_pad freezing freezing_discard_parameters fx_wrapper generate_intermediate_hooks group_fusion
incremental_autotune is_nightly_or_source is_predispatch keep_static_cubin_raw log_tlparse
max_autotune_allow_flexible_layouts
max_autotune_prune_choices_based_on_shared_mem memory_planning nan_asserts nvgemm_supplement_configs
pad_channels_last pad_dynamic_shapes pad_outputs partitioned_scatter_enabled permute_fusion
pipeline_max_autotune_gemm profile_bandwidth profile_bandwidth_with_do_bench_using_profiling
profiler_mark_wrapper_call remote_gemm_autotune_cache reorder_for_compute_comm_overlap reorder_for_peak_memory_debug
run_jit_post_compile_hook runtime_estimations_mms_benchmark runtime_triton_nan_asserts save_args
search_autotune_cache selective_decompose static_launch_user_defined_triton_kernels strict_static_cuda_launcher
trace.compile_profile trace.debug_log trace.draw_orig_fx_graph trace.enabled trace.graph_diagram trace.info_log
trace.log_autotuning_results trace.save_real_tensors triton.autotune_with_sample_inputs
triton.cooperative_reductions triton.cudagraph_or_error triton.cudagraph_skip_dynamic_graphs
triton.cudagraph_trees_history_recording triton.cudagraph_trees_objgraph triton.cudagraphs triton.debug_sync_graph
triton.debug_sync_kernel triton.decompose_sort_ops triton.dense_indexing
triton.disallow_failing_autotune_kernels_TESTING_ONLY triton.enable_pdl triton.enable_persistent_tma_matmul
triton.enable_template_tma_store triton.enable_tma_load_for_template_epilogue triton.fast_path_cudagraph_asserts
triton.force_cooperative_reductions triton.force_cudagraph_sync triton.force_cudagraphs_warmup
triton.mix_order_reduction_autotune_split_size triton.mix_order_reduction_non_strict_mode triton.native_matmul
triton.nested_reduction triton.prefer_nd_tiling triton.proton_profiling triton.skip_cudagraph_warmup
triton.skip_l1_cache triton.store_cubin triton.tile_reductions triton.unique_user_kernel_names triton.use_block_ptr
triton.use_tensor_descriptor triton_disable_device_detection unsafe_ignore_unsupported_triton_autotune_args
unsafe_skip_cache_dynamic_shape_guards use_fast_math use_torch_profiler_benchmarker verbose_progress warn_mix_layout
wrap_inductor_compiled_regions
"""
_UNSET = """
add_pre_grad_passes aot_inductor.aoti_shim_library aot_inductor.aoti_shim_library_path
aot_inductor.cross_target_platform aot_inductor.custom_op_libs aot_inductor.embed_kernel_binary
aot_inductor.emit_multi_arch_kernel aot_inductor.filtered_kernel_names aot_inductor.model_name_for_generated_files
aot_inductor.package_constants_on_disk_format aot_inductor.package_cpp_only autotune_remote_cache
bucket_all_gathers_fx_bucket_size_determinator bucket_all_reduces_fx_bucket_size_determinator
bucket_reduce_scatters_fx_bucket_size_determinator bundled_autotune_remote_cache
combo_kernel_peak_memory_increase_gb cpp.gemm_cache_blocking cpp.gemm_thread_factors
cpp.inject_log1p_bug_TESTING_ONLY cpp.inject_relu_bug_TESTING_ONLY cpp.march cpp.simdlen cpp.vec_isa_ok
cudagraph_policy custom_partitioner_fn fx_graph_remote_cache global_cache_dir inductor_choices_class inter_node_bw
intra_node_bw joint_custom_post_pass joint_custom_pre_pass max_fusion_unique_io_buffers pre_grad_custom_pass
profile_bandwidth_output realize_acc_reads_size_threshold realize_acc_reads_threshold realize_opcount_threshold
remove_pre_grad_passes reorder_prefetch_limit sleep_sec_TESTING_ONLY trace.debug_dir trace.dot_graph_shape
trace.log_url_for_graph_xform trace.upload_tar triton.autotune_at_compile_time triton.cudagraph_capture_sizes
triton.inject_relu_bug_TESTING_ONLY triton.max_tiles triton.mix_order_reduction_split_size triton.proton_output_dir
worker_log_path
"""
_VALUES: tuple[tuple[Any, str], ...] = (
    (
        "",
        "aot_inductor.output_path aot_inductor.serialized_in_spec aot_inductor.serialized_out_spec disabled_passes enabled_metric_tables profile_bandwidth_regex torchinductor_worker_logpath",
    ),
    ("0", "aot_inductor.debug_intermediate_value_printer"),
    ("1", "layout_opt_default"),
    ("ATEN", "max_autotune_conv_bwd_input_backends max_autotune_conv_bwd_weight_backends"),
    ("ATEN,TRITON", "max_autotune_conv_backends"),
    ("ATEN,TRITON,CPP", "max_autotune_gemm_backends"),
    (
        "DEFAULT",
        "autoheuristic_log_path max_autotune_flex_search_space max_autotune_gemm_search_space",
    ),
    ("O1", "aot_inductor.compile_wrapper_opt_level"),
    ("cpp", "cpu_backend"),
    (
        "default",
        "bucket_all_gathers_bucket_mode bucket_reduce_scatters_bucket_mode estimate_op_runtime pre_grad_pass_timing",
    ),
    ("heuristic", "mixed_mm_choice"),
    ("intermediates", "memory_pool"),
    ("needs_fixed_stride_order", "triton_kernel_default_layout_constraint"),
    ("none", "bucket_all_gathers_fx bucket_all_reduces_fx bucket_reduce_scatters_fx"),
    ("off", "cpp.enable_floating_point_contract_flag"),
    ("original_aten", "cpp.descriptive_names triton.descriptive_names"),
    ("pallas", "tpu_backend"),
    ("subprocess", "worker_start_method"),
    ("svg", "trace.graph_diagram_format trace.orig_fx_graph_diagram_format"),
    ("triton", "cuda_backend xpu_backend"),
    (-1, "combo_kernel_max_distance cpp.threads"),
    (
        0,
        "compile_worker_wait_timeout min_num_split size_threshold_for_succ_based_strategy trace.provenance_tracking_level triton.cudagraph_min_partition_size triton.multi_kernel",
    ),
    (
        0.0,
        "max_autotune_subproc_graceful_timeout_seconds max_autotune_subproc_terminate_timeout_seconds",
    ),
    (0.05, "combo_kernel_peak_memory_pct_threshold"),
    (0.1, "partitioned_scatter_memory_budget"),
    (
        1,
        "combo_kernel_allow_mixed_sizes combo_kernels_autotune coordinate_descent_search_radius cpp.gemm_max_k_slices max_epilogue_benchmarked_choices triton.mix_order_reduction_initial_xblock",
    ),
    (1.1, "min_overlap_ratio triton.cudagraph_partition_memory_budget"),
    (
        10,
        "autotune_num_choices_displayed kernel_name_max_ops score_fusion_memory_threshold triton.mix_order_reduction_max_reads triton.num_decompose_k_splits",
    ),
    (100, "inductor_default_autotune_rep"),
    (
        1024,
        "cpp.use_two_step_variance_threshold padding_stride_threshold triton.use_two_step_variance_min_numel",
    ),
    (12, "realize_cpu_acc_reads_threshold"),
    (
        128,
        "padding_alignment_bytes partitioned_scatter_max_partitions triton.cudagraph_unexpected_rerecord_limit",
    ),
    (16, "cpp.max_horizontal_fusion_size triton.spill_threshold"),
    (16777216, "small_memory_access_threshold"),
    (2, "aot_inductor.repro_level compile_threads partitioned_scatter_min_partitions"),
    (25, "inductor_default_autotune_warmup"),
    (250, "combo_kernel_max_num_args"),
    (256, "triton.min_split_scan_rblock"),
    (3, "triton.max_kernel_dump_occurrences"),
    (30.0, "collective_benchmark_timeout"),
    (300, "precompilation_timeout_seconds"),
    (32, "triton.decompose_k_threshold"),
    (32768, "triton.use_two_step_variance_threshold"),
    (4, "realize_reads_threshold"),
    (5, "nvgemm_max_profiling_configs"),
    (50, "collective_benchmark_nruns realize_cpu_opcount_threshold"),
    (50.0, "cpu_gpu_bw"),
    (512, "cpp.min_chunk_size"),
    (60, "quiesce_async_compile_time"),
    (60.0, "max_autotune_subproc_result_timeout_seconds"),
    (600, "file_lock_timeout"),
    (64, "max_fusion_buffer_group_pairwise_attempts max_fusion_size"),
    (
        8,
        "combo_kernel_max_num_nodes max_complex_pointwise_cat_inputs max_pointwise_cat_inputs triton.cudagraph_dynamic_shape_warn_limit unroll_reductions_threshold",
    ),
    (8192, "unbacked_symint_fallback"),
    (
        [],
        "cudagraph_unsafe_unbacked_ops custom_should_partition_ops external_matmul multi_kernel_hints reorder_for_compute_comm_overlap_passes",
    ),
    (
        {},
        "aot_inductor.custom_ops_to_c_shims aot_inductor.metadata aot_inductor.presets autotune_lookup_table post_grad_fusion_options pre_grad_fusion_options triton.debug_dump_kernel_inputs unsafe_marked_cacheable_functions",
    ),
)


class _Group(types.SimpleNamespace):
    """Settings that belong together."""


def _names() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for value, names in ((True, _ON), (False, _OFF), (None, _UNSET), *_VALUES):
        found.update(dict.fromkeys(names.split(), value))
    return found


for _name, _value in _names().items():
    _group, _, _own = _name.rpartition(".")
    if not _group:
        globals()[_name] = _value
    else:
        setattr(globals().setdefault(_group, _Group()), _own, _value)

_OTHERS = frozenset({"annotations", "types", "Any", "patcher", "patch"})
patch = patcher(__name__)


def get_config_copy() -> dict[str, Any]:
    """All settings, by their names."""
    found: dict[str, Any] = {}
    for name, value in globals().items():
        if isinstance(value, _Group):
            found.update({f"{name}.{own}": x for own, x in vars(value).items()})
        elif not name.startswith("_") and name not in _OTHERS and not callable(value):
            found[name] = value
    return found


shallow_copy_dict = save_config_portable = get_config_copy


def load_config(settings: dict[str, Any]) -> None:
    """Take over settings that `get_config_copy` gave."""
    patch(settings).__enter__()


def get_type(name: str) -> type:
    """What values of a setting are; anything where it is None."""
    value = get_config_copy()[name]
    return object if value is None else type(value)
