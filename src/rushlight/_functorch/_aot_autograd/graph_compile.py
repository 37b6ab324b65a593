"""From a flat program to a function: the passes one after the other.

`aot_stage1_graph_capture` ends with a graph, `aot_stage2_compile` with a function.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rushlight
from rushlight._functorch import config as settings
from rushlight._functorch._aot_autograd import graph_capture, runtime_wrappers
from rushlight._functorch._aot_autograd.collect_metadata_analysis import (
    run_functionalized_fw_and_collect_metadata,
)
from rushlight._functorch._aot_autograd.compiled_graphs import (
    Facts,
    Keep,
    differentiable,
    without_history,
)
from rushlight._functorch._aot_autograd.differentiable import count_of_parts
from rushlight._functorch._aot_autograd.input_aliases import Duplicates, SyntheticBases
from rushlight._functorch._aot_autograd.schemas import AOTConfig, ViewAndMutationMeta
from rushlight._functorch._aot_autograd.utils import OWNED, make_boxed_func
from rushlight._guards import detect_fake_mode
from rushlight._subclasses.fake_tensor import FakeTensorMode
from rushlight.engine.core.symbolic import has_symbols
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.garbage import uncollected
from rushlight.engine.native.records import dataclass
from rushlight.fx.experimental.symbolic_shapes import ShapeEnv
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.utils._python_dispatch import _disable_current_modes

__all__ = [
    "Capture",
    "aot_stage1_graph_capture",
    "aot_stage2_compile",
    "compile_flat",
    "construct_fake_mode",
    "get_aot_compilation_context",
    "get_aot_graph_name",
    "get_graph_being_compiled",
    "process_inputs",
]


class _Compiling(threading.local):
    """What is compiled by this thread: the number of the program, and which of its graphs."""

    name = "model"
    number = 0
    kind = ""


_compiling = _Compiling()


@contextlib.contextmanager
def track_graph_compiling(config: AOTConfig, kind: str) -> Iterator[None]:
    """Within the block a graph is compiled."""
    before = _compiling.number, _compiling.kind
    _compiling.number, _compiling.kind = config.aot_id, kind
    try:
        yield
    finally:
        _compiling.number, _compiling.kind = before


def get_graph_being_compiled() -> str:
    """The name of the graph that is compiled."""
    return f"{_compiling.name}__{_compiling.number}_{_compiling.kind}"


def get_aot_graph_name() -> str:
    """The name of the graph that is compiled, as file names have it."""
    return f"{_compiling.name}__{_compiling.number}_{_compiling.kind}"


def get_aot_compilation_context() -> tuple[list[str], str, int]:
    """Which of a program's graphs is compiled, the name of programs, and the number of the program."""
    return [_compiling.kind] if _compiling.kind else [], _compiling.name, _compiling.number


def construct_fake_mode(flat_args: list[Any], config: AOTConfig) -> FakeTensorMode:
    """The mode of fakes among the arguments, or a new one."""
    found = detect_fake_mode(flat_args)
    if found is not None:
        return found  # type: ignore[no-any-return]
    return FakeTensorMode(shape_env=ShapeEnv() if config.dynamic_shapes else None)


def process_inputs(flat_args: list[Any], config: AOTConfig, mode: FakeTensorMode) -> list[Any]:
    """Arguments that a program is traced with: fakes, and symbols for numbers if sizes are symbols."""
    from rushlight._dynamo.source import ConstantSource
    from rushlight._subclasses.fake_tensor import is_fake

    def fake(index: int, value: Any) -> Any:
        env = mode.shape_env
        if isinstance(value, Tensor):
            if is_fake(value):
                return value
            static = index < config.num_params_buffers and settings.static_weight_shapes
            return mode.from_tensor(
                value, static_shapes=static or env is None, source=ConstantSource(f"L{index}")
            )
        if type(value) is int and env is not None:
            source = ConstantSource(f"sym_{index}")
            symbol = env.create_symbol(value, source, positive=None)
            return env.create_symintnode(symbol, hint=value, source=source)
        return value

    return [fake(index, value) for index, value in enumerate(flat_args)]


@dataclass
class Capture:
    """A graph and all that a compiler has to know of it.

    Args:
        graph_module: the graph; joint if gradients are wanted
        args: example arguments; of a joint graph also gradients
        meta: what the program does
        known: how results and gradients are put together
        needs_autograd: whether the graph is joint
        around: what calls the compiled program, from the inside
        input_changes: functions of a list with an item for each argument of the program, one after the other; they end
            with an item for each argument of the graph
    """

    graph_module: GraphModule
    args: Any
    meta: ViewAndMutationMeta
    known: dict[str, Any]
    needs_autograd: bool
    around: list[Callable[[Callable[[list[Any]], Any], int], Callable[[list[Any]], Any]]]
    input_changes: list[Callable[[Sequence[Any]], list[Any]]]


def aot_stage1_graph_capture(
    flat_fn: Callable[..., Any], flat_args: list[Any], config: AOTConfig, mode: FakeTensorMode
) -> Capture:
    """The graph of a flat program.

    Args:
        flat_fn: gives a list
        flat_args: its arguments, which may be real
        config: how it is compiled
        mode: the mode of fakes
    """
    around: list[Any] = []
    changes: list[Any] = []
    same = Duplicates(flat_args)
    if same.are_there:
        flat_fn, flat_args = same.inner(flat_fn), same.without(flat_args)
        around.append(same.outer)
        changes.append(same.without)
    fakes = process_inputs(flat_args, config, mode)
    wants = any(isinstance(x, Tensor) and x.requires_grad for x in fakes)  # type: ignore[attr-defined]
    is_train = wants and rushlight.is_grad_enabled()
    with mode, _random_numbers():
        meta = _analysed(flat_fn, fakes, config, is_train)
        shared = SyntheticBases(flat_args, meta.input_info)
        if shared.are_there:
            if config.is_export:
                raise RuntimeError(
                    "Encountered aliased inputs that are mutated in the graph you are trying to export.\n"
                    "This functionality is currently not supported. If needed, please file a github issue."
                )
            flat_fn = shared.inner(flat_fn, fakes)
            around.append(shared.outer)
            changes.append(shared.described)
            # The arguments may be real.
            with _disable_current_modes():
                bases = shared.bases(flat_args)
            fakes = process_inputs(bases, config, mode)
            meta = _analysed(flat_fn, fakes, config, is_train)
        if is_train and not _has_gradients(meta):
            is_train = False
            meta = _analysed(_without_gradients(flat_fn), fakes, config, False)
            flat_fn = _without_gradients(flat_fn)
        capture = (
            graph_capture.aot_dispatch_autograd_graph
            if is_train
            else graph_capture.aot_dispatch_base_graph
        )
        graph, args, known = capture(flat_fn, fakes, config, meta)
    return Capture(graph, args, meta, known, is_train, around, changes)


def _analysed(
    flat_fn: Callable[..., Any], fakes: list[Any], config: AOTConfig, is_train: bool
) -> ViewAndMutationMeta:
    # What a graph with gradients keeps must not change before its backward pass, so changes are made outside.
    keeps = config.keep_inference_input_mutations and not is_train
    collect = run_functionalized_fw_and_collect_metadata(
        flat_fn, keep_input_mutations=keeps, is_train=is_train
    )
    return collect(*fakes)


def _has_gradients(meta: ViewAndMutationMeta) -> bool:
    """Whether results, or what becomes of arguments, have a history."""
    return any(info.requires_grad for info in meta.output_info) or any(
        info.requires_grad
        and info.mutates_data
        and not info.mutations_under_no_grad_or_inference_mode
        for info in meta.input_info
    )


def _without_gradients(fn: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        with rushlight.no_grad():
            return fn(*args)

    return run


@contextlib.contextmanager
def _random_numbers() -> Iterator[None]:
    """Within the block random numbers may be drawn that nobody misses."""
    before = rushlight.get_rng_state()  # type: ignore[attr-defined]
    try:
        yield
    finally:
        rushlight.set_rng_state(before)  # type: ignore[attr-defined]


def aot_stage2_compile(
    capture: Capture, config: AOTConfig, keep: Keep | None = None
) -> Callable[[list[Any]], Any]:
    """The function of a captured program, which takes its arguments in a list."""
    compiled = _autograd if capture.needs_autograd else _inference
    run = runtime_wrappers.create_runtime_wrapper(
        compiled(capture, config, None if capture.around else keep), capture.meta, config.aot_id
    )
    for around in reversed(capture.around):
        run = around(run, config.aot_id)
    return run


def _boxed(compiled: Any) -> Any:
    """What a compiler made, taking its arguments in a list."""
    return compiled if getattr(compiled, "_boxed_call", False) else make_boxed_func(compiled)


def _inference(
    capture: Capture, config: AOTConfig, keep: Keep | None
) -> Callable[[list[Any]], Any]:
    with track_graph_compiling(config, "inference"):
        compiler = config.inference_compiler or config.fw_compiler
        assert compiler is not None
        compiled = _boxed(compiler(capture.graph_module, capture.args))
    facts = Facts(capture.meta, capture.known["outs"])
    if keep is not None:
        keep(facts, compiled, None)
    return without_history(facts, compiled)


def _autograd(capture: Capture, config: AOTConfig, keep: Keep | None) -> Callable[[list[Any]], Any]:
    """Cuts the joint graph, compiles both parts, and makes a step of a history of them."""
    meta, known = capture.meta, capture.known
    primals, tangents = capture.args
    num_fwd_outputs = count_of_parts(known["outs"])
    assert config.partition_fn is not None and config.fw_compiler is not None
    with track_graph_compiling(config, "joint"):
        fw_module, bw_module = config.partition_fn(
            capture.graph_module, [*primals, *tangents], num_fwd_outputs=num_fwd_outputs
        )
    returned = next(iter(fw_module.graph.find_nodes(op="output"))).args[0]
    kept = returned[num_fwd_outputs:]
    inputs = bw_module.graph.find_nodes(op="placeholder")
    num_symints = sum(not isinstance(_value(node), Tensor) for node in inputs)
    kept_tensors = kept[: len(kept) - num_symints]
    with track_graph_compiling(config, "forward"):
        compiled_fw = _boxed(config.fw_compiler(fw_module, primals))
    copied = _changed_afterwards(fw_module, kept_tensors, meta)
    detached = _without_gradient(bw_module, meta, known["grads"])
    facts = Facts(meta, known["outs"], known["grads"], num_symints, copied, detached)
    example = [_value(node) for node in inputs]
    _give_away(inputs[num_symints:], kept_tensors, primals)
    compiled_bw = _Backward(bw_module, example, config)
    if keep is not None:
        compiled_bw.when_compiled = lambda: keep(facts, compiled_fw, compiled_bw.compiled)
    if num_symints or settings.force_non_lazy_backward_lowering:
        # Sizes may be compared by the compiler, which has to happen before the first call.
        compiled_bw.compile()
    return differentiable(facts, compiled_fw, compiled_bw)


def _without_gradient(
    bw_module: GraphModule, meta: ViewAndMutationMeta, places: Sequence[Any]
) -> frozenset[int]:
    """The places of arguments that a backward graph gives no gradient of."""
    if not all(isinstance(place, int) for place in places):
        return frozenset()
    returned = bw_module.graph.output_node().args[0]
    changed = set(meta.mutated_inp_runtime_indices)
    return frozenset(
        k
        for k, (info, place) in enumerate(zip(meta.input_info, places))
        if info.requires_grad and k not in changed and returned[place] is None
    )


def _give_away(inputs: Sequence[Node], kept: Sequence[Node], primals: Sequence[Any]) -> None:
    """Let the backward graph know what goes with its node: what the forward graph has made for it.

    Args:
        inputs: of the backward graph, first those that are kept
        kept: the same as results of the forward graph
        primals: the arguments of the forward graph, which others have
    """
    of_others = {id(x._storage_) for x in primals if isinstance(x, Tensor)}
    for node, source in zip(inputs, kept):
        value = _value(source)
        if (
            isinstance(value, Tensor)
            and source.op != "placeholder"
            and id(value._storage_) not in of_others
            and not has_symbols(value._size_)
        ):
            node.meta[OWNED] = value.numel() * value._dtype_.itemsize  # type: ignore[attr-defined]


class _Backward:
    """The backward graph, compiled when it is first called.

    Args:
        graph: the graph
        example: its example arguments
        config: how it is compiled
    """

    _boxed_call = True

    def __init__(self, graph: GraphModule, example: list[Any], config: AOTConfig) -> None:
        self.graph, self.example, self.config = graph, example, config
        self.compiled: Any = None
        self.when_compiled: Callable[[], None] | None = None

    def compile(self) -> Any:
        """The function of the graph."""
        if self.compiled is None:
            assert self.config.bw_compiler is not None
            compiling = track_graph_compiling(self.config, "backward")
            with compiling, rushlight.enable_grad(), uncollected():
                self.compiled = _boxed(self.config.bw_compiler(self.graph, self.example))
            if self.when_compiled is not None:
                self.when_compiled()
                self.when_compiled = None
        return self.compiled

    def __call__(self, args: list[Any]) -> Any:
        compiled = self.compiled
        return self.compile()(args) if compiled is None else compiled(args)


def _value(node: Any) -> Any:
    """What a node's value is like."""
    return node.meta.get("val")


def _changed_afterwards(
    fw_module: GraphModule, kept: Any, meta: ViewAndMutationMeta
) -> frozenset[int]:
    """The places of kept tensors that share elements with arguments whose change is made behind the graph.

    A change of sizes counts as one, too: it shows in the version.
    """
    placeholders = fw_module.graph.find_nodes(op="placeholder")
    changed = set()
    for index in meta.mutated_inp_runtime_indices:
        place = meta.subclass_inp_meta[index]
        parts = (
            [place]
            if isinstance(place, int)
            else range(place.flat_tensor_start_idx, place.flat_tensor_start_idx + place.arg_count)
        )
        changed |= {id(_value(placeholders[part])._storage_) for part in parts}
    return frozenset(
        place
        for place, node in enumerate(kept)
        if isinstance(_value(node), Tensor) and id(_value(node)._storage_) in changed
    )


def compile_flat(
    flat_fn: Callable[..., Any],
    flat_args: list[Any],
    config: AOTConfig,
    keep: Keep | None = None,
) -> Callable[[list[Any]], Any]:
    """A function that computes what a flat program does, of its arguments in a list."""

    def run(*args: Any) -> Any:
        # A program may end with gradients off, and is run several times.
        with rushlight.set_grad_enabled(rushlight.is_grad_enabled()):
            return flat_fn(*args)

    mode = construct_fake_mode(flat_args, config)
    captured = aot_stage1_graph_capture(run, flat_args, config, mode)
    return aot_stage2_compile(captured, config, keep)
