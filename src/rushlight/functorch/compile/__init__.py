"""Programs compiled ahead of time, with their gradients."""

from rushlight._functorch import config
from rushlight._functorch.aot_autograd import (
    aot_function,
    aot_module,
    aot_module_simplified,
    compiled_function,
    compiled_module,
    get_aot_compilation_context,
    get_aot_graph_name,
    get_graph_being_compiled,
    make_boxed_compiler,
    make_boxed_func,
)
from rushlight._functorch.compilers import (
    debug_compile,
    default_decompositions,
    draw_graph_compile,
    memory_efficient_fusion,
    nnc_jit,
    nop,
    print_compile,
    ts_compile,
)
from rushlight._functorch.partitioners import (
    default_partition,
    draw_graph,
    min_cut_rematerialization_partition,
)
from rushlight._functorch.python_key import pythonkey_decompose
from rushlight._names.absent import absent_functions

__all__ = [
    "aot_function", "aot_module", "aot_module_simplified", "compiled_function", "compiled_module", "config",
    "debug_compile", "default_decompositions", "default_partition", "draw_graph", "draw_graph_compile",
    "get_aot_compilation_context", "get_aot_graph_name", "get_graph_being_compiled", "make_boxed_compiler",
    "make_boxed_func", "memory_efficient_fusion", "min_cut_rematerialization_partition", "nnc_jit", "nop",
    "print_compile", "pythonkey_decompose", "ts_compile",
]  # fmt: skip

globals().update(absent_functions(__name__, ["minifier"], "search for small programs that fail"))
