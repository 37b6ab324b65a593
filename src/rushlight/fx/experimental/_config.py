"""Settings of symbolic sizes. Those that nothing reads are there for programs that set them."""

from __future__ import annotations

from rushlight._names.settings import patcher

# Whether equal sizes are one symbol.
use_duck_shape = True
# Whether questions about sizes are answered as for sizes that are neither 0 nor 1, where that is one answer.
backed_size_oblivious = False

# Read by nothing yet.
aggressive_guard_free_semantics = 0
check_shape_env_recorded_events = False
enrich_profiler_metadata = False
extended_debug_cpp = False
extended_debug_create_symbol: str | None = None
extended_debug_current_loc = False
extended_debug_guard_added: str | None = None
meta_nonzero_assume_all_nonzero = False
no_data_dependent_graph_break = False
print_specializations = False
skip_dtype_check_in_meta_registrations = False
soft_pending_unbacked_not_found_error = False
symbol_guard_limit_before_specialize: int | None = None
translation_validation = False
translation_validation_no_bisect = False
translation_validation_timeout = 600000
unify_view_symbols_bso_meta = False
validate_shape_env_version_key = False

patch = patcher(__name__)
