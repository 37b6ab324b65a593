"""CUDA graphs: work that was recorded once, to be queued again as a whole."""

from __future__ import annotations

import ctypes
import gc
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.cuda import streams
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import caching, context, driver, generators, timeline
from rushlight.engine.cuda import streams as engine
from rushlight.utils import _pytree as pytree

__all__ = [
    "CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables",
]  # fmt: skip

_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}


def graph_pool_handle() -> tuple[int, int]:
    """A new name for memory that several graphs share."""
    context.start()
    return caching.new_pool_name()


def is_current_stream_capturing() -> bool:
    """Whether the current stream's work is recorded, not done."""
    if not context.is_started():
        return False
    return engine.current(context.current()).is_capturing()


class CUDAGraph:
    """Recorded work, with the memory that it uses.

    Args:
        keep_graph: keep what was recorded apart from what is run, which is made by `instantiate`
    """

    def __init__(self, keep_graph: bool = False) -> None:
        if not context.count():
            raise RuntimeError("Tried to instantiate dummy base class _CUDAGraph")
        self._keeps = keep_graph
        self._is_shown = False
        self._graph = self._executable = 0
        self._memory: caching.MemoryPool | None = None
        self._stream: engine.Stream | None = None
        # The driver's number for what is being recorded.
        self._capture = 0
        self._redirection: Any = None
        # The generators that it draws from, each with the words that it looks at.
        self._generators: dict[generators.CudaGenerator, generators.GraphState] = {}
        self._registered: list[generators.CudaGenerator] = []

    def register_generator_state(self, generator: generators.CudaGenerator) -> None:
        """Let what is recorded next draw from a generator besides the device's default one."""
        self._registered.append(generator)

    def capture_begin(
        self, pool: tuple[int, int] | None = None, capture_error_mode: str = "global"
    ) -> None:
        """Record what the current stream is given from now on.

        Args:
            pool: whose memory is used
            capture_error_mode: which calls that cannot be recorded are errors meanwhile
        """
        if capture_error_mode not in _MODES:
            raise RuntimeError(
                f"Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got {capture_error_mode}"
            )
        stream = engine.current(context.current())
        if not stream.handle:
            raise RuntimeError(
                "CUDA graphs must be captured on a non-default stream. (However, after capture, it's "
                "ok to replay them on the default stream.)"
            )
        if self._graph or self._executable:
            raise RuntimeError("This CUDAGraph instance already owns a captured graph.")
        name = pool or graph_pool_handle()
        memory = caching.pools.get(name) or caching.MemoryPool(name)
        self._prepare_generators(stream.device)
        allocator = caching.of(stream.device)
        allocator.process_events()
        self._redirection = allocator.redirecting(self._records, memory, captures=True)
        self._redirection.__enter__()
        try:
            context.enter(stream.device)
            driver.begin_capture(stream.handle, _MODES[capture_error_mode])
        except BaseException:
            self._redirection.__exit__(None, None, None)
            raise
        for generator, state in self._generators.items():
            generator.begin_capture(state)
        self._stream, self._memory = stream, memory
        self._capture = driver.capture_of(stream.handle)
        memory.users += 1

    def _records(self, stream: engine.Stream) -> bool:
        """Whether what a stream is given becomes a part of the graph: it is captured, or waits for one that is."""
        if stream == self._stream:
            return True
        return stream.handle != 0 and driver.capture_of(stream.handle) == self._capture

    def _prepare_generators(self, device: int) -> None:
        """Give each generator two words, for the seed and the place that a replay begins with."""
        self._generators = {}
        for generator in (generators.default(device), *self._registered):
            words = tensors.empty((2,), dtypes.int64, devices.device("cuda", device))
            self._generators[generator] = generators.GraphState(words, tensors.place_of(words))

    def capture_end(self) -> None:
        """Stop recording."""
        stream = self._stream
        if stream is None:
            raise RuntimeError("capture_end was called without capture_begin")
        self._redirection.__exit__(None, None, None)
        self._stream = None
        for generator in self._generators:
            generator.end_capture()
        context.enter(stream.device)
        try:
            self._graph = driver.end_capture(stream.handle)
        except driver.CudaError:
            self.reset()
            raise
        if not self._keeps:
            self.instantiate()

    def instantiate(self) -> None:
        """Make what was recorded ready to be run."""
        if not self._graph:
            raise RuntimeError("instantiate was called without a captured graph")
        if self._executable:
            driver.destroy_executable(self._executable)
        self._executable = driver.instantiate(self._graph)

    def replay(self) -> None:
        """Queue all of it on the current stream."""
        if not self._executable:
            if not self._graph:
                raise RuntimeError(
                    "Called CUDAGraph::replay without a preceding successful capture."
                )
            self.instantiate()
        index = context.current()
        context.enter(index)
        stream = engine.current(index)
        for generator, state in self._generators.items():
            if state.taken:
                content = ctypes.create_string_buffer(state.words(generator), 16)
                driver.copy_to_device(state.address, ctypes.addressof(content), 16, stream.handle)
        with timeline.work(timeline.KERNEL, "CUDA graph", stream, "cuGraphLaunch"):
            driver.launch_graph(self._executable, stream.handle)

    def reset(self) -> None:
        """Let what was recorded go, and its memory."""
        if self._executable:
            driver.destroy_executable(self._executable)
        if self._graph:
            driver.destroy_graph(self._graph)
        self._graph = self._executable = 0
        self._generators = {}
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.leave()

    def enable_debug_mode(self) -> None:
        """Let `debug_dump` show what is recorded."""
        self._is_shown = True

    def debug_dump(self, debug_path: str) -> None:
        """Write what was recorded to a file, in the language of Graphviz; after `enable_debug_mode`, or with ``keep_graph``."""
        if not (self._is_shown or self._keeps):
            warnings.warn(
                "CUDA Graphs debug not enabled, set with [graph].enable_debug_mode()", stacklevel=2
            )
            return
        driver.write_graph(self._recorded("debug_dump"), str(debug_path))

    def raw_cuda_graph(self) -> int:
        """The driver's handle of what was recorded; only with ``keep_graph``."""
        if not self._keeps:
            raise RuntimeError(
                "You cannot access the raw cudaGraph_t instance unless CUDAGraph was initialized with keep_graph=true"
            )
        return self._recorded("raw_cuda_graph")

    def raw_cuda_graph_exec(self) -> int:
        """The driver's handle of what `instantiate` has made."""
        if not self._executable:
            raise RuntimeError(
                "You cannot access the raw cudaGraphExec_t instance until instantiate() has been called"
            )
        return self._executable

    def _recorded(self, name: str) -> int:
        if not self._graph:
            raise RuntimeError(f"{name} was called without a preceding successful capture.")
        return self._graph

    def pool(self) -> tuple[int, int]:
        """The name of its memory, for other graphs to share it."""
        if self._memory is None:
            raise RuntimeError("pool was called without a capture")
        return self._memory.name

    def __del__(self, is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        # A default, because modules may be gone when the interpreter ends.
        if not is_over() and getattr(self, "_memory", None) is not None and context.is_started():
            self.reset()


class graph:
    """A block whose work is recorded into a graph.

    Args:
        cuda_graph: the graph
        pool: whose memory is used
        stream: where it is recorded; one that all graphs share, if None
        capture_error_mode: which calls that cannot be recorded are errors meanwhile
    """

    default_capture_stream: streams.Stream | None = None

    def __init__(
        self,
        cuda_graph: CUDAGraph,
        pool: tuple[int, int] | None = None,
        stream: streams.Stream | None = None,
        capture_error_mode: str = "global",
    ) -> None:
        self.pool, self.capture_error_mode = pool, capture_error_mode
        self.cuda_graph = cuda_graph
        self.capture_stream = stream or _stream_of_graphs()
        self.stream_ctx = streams.StreamContext(self.capture_stream)

    def __enter__(self) -> None:
        context.synchronize(context.current())
        gc.collect()
        for allocator in caching.known():
            allocator.release_cached()
        self.stream_ctx.__enter__()
        try:
            self.cuda_graph.capture_begin(self.pool, self.capture_error_mode)
        except BaseException:
            self.stream_ctx.__exit__(None, None, None)
            raise

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        try:
            self.cuda_graph.capture_end()
        except driver.CudaError:
            # The error that the block ends with has ended the capture, too, and says more.
            if error is None:
                raise
        finally:
            self.stream_ctx.__exit__(kind, error, trace)


def _stream_of_graphs() -> streams.Stream:
    """Where graphs are recorded that name no stream: memory belongs to a stream, and graphs that share a pool share it."""
    found = graph.default_capture_stream
    if found is None or found.device_index != context.current():
        found = graph.default_capture_stream = streams.Stream()
    return found


def _forget() -> None:
    graph.default_capture_stream = None


context.when_stopped.append(_forget)


def make_graphed_callables(
    callables: Any,
    sample_args: Any,
    num_warmup_iters: int = 3,
    allow_unused_input: bool = False,
    pool: tuple[int, int] | None = None,
) -> Any:
    """Functions or modules whose forward and backward passes are graphs.

    Args:
        callables: one, or several in the order in which they run
        sample_args: what each is called with: tensors of the sizes that it will get
        num_warmup_iters: how often it runs before it is recorded
        allow_unused_input: whether results may depend on no input
        pool: whose memory is used
    """
    import rushlight as torch

    if torch.is_autocast_enabled("cuda") and torch.is_autocast_cache_enabled():
        raise RuntimeError(
            "make_graphed_callables does not support the autocast caching. Please set `cache_enabled=False`."
        )
    single = not isinstance(callables, tuple)
    functions: Sequence[Callable[..., Any]] = (callables,) if single else callables
    samples = (sample_args,) if single else sample_args
    made = [
        _Graphed(function, sample, allow_unused_input)
        for function, sample in zip(functions, samples, strict=True)
    ]
    context.synchronize(context.current())
    with streams.stream(streams.Stream()):
        for one in made:
            one.warm_up(num_warmup_iters)
    context.synchronize(context.current())
    # In the order in which they run, for they share memory: what a pass has left, a later one takes.
    shared = pool or graph_pool_handle()
    for one in made:
        one.record_forward(shared)
    for one in reversed(made):
        one.record_backward(shared)
    wrapped = tuple(one.replacement() for one in made)
    return wrapped[0] if single else wrapped


class _Graphed:
    """One function with its two graphs.

    Args:
        function: what is recorded; a module keeps its parameters
        sample: what it is called with
        allow_unused: whether results may depend on no input
    """

    def __init__(self, function: Any, sample: Sequence[Any], allow_unused: bool) -> None:
        import rushlight as torch

        self.function, self.sample = function, tuple(sample)
        self.is_module = isinstance(function, torch.nn.Module)
        if self.is_module:
            _check_module(function)
        self.inputs = tuple(pytree.tree_leaves(self.sample))
        if not all(isinstance(x, Tensor) for x in self.inputs):
            raise AssertionError(
                "In the beta API, sample_args for each callable must contain only Tensors. Other types are not allowed."
            )
        self.parameters = tuple(function.parameters()) if self.is_module else ()
        self.everything = (*self.inputs, *self.parameters)
        self.wanted = [t for t in self.everything if t.requires_grad]
        self.allow_unused = allow_unused
        self.forward, self.backward = CUDAGraph(), CUDAGraph()
        self.given: list[Tensor] = []
        self.gradients: list[Any] = []

    def warm_up(self, times: int) -> None:
        """Run both passes, so that all that is planned or loaded is there."""
        import rushlight as torch

        for _ in range(times):
            results = [
                r for r in pytree.tree_leaves(self.function(*self.sample)) if r.requires_grad
            ]
            if results:
                self._gradients(results, [torch.empty_like(r) for r in results])

    def record_forward(self, pool: tuple[int, int]) -> None:
        with graph(self.forward, pool):
            found = self.function(*self.sample)
        self.results, self.nested = pytree.tree_flatten(found)

    def record_backward(self, pool: tuple[int, int]) -> None:
        import rushlight as torch

        results = [r for r in self.results if r.requires_grad]
        self.given = [torch.empty_like(r) for r in results]
        if self.given:
            with graph(self.backward, pool):
                self.gradients = self._gradients(results, self.given)
        # What the graphs are replayed for needs no history.
        self.results = [r.detach().requires_grad_(r.requires_grad) for r in self.results]

    def _gradients(self, results: Sequence[Tensor], given: Sequence[Tensor]) -> list[Any]:
        import rushlight as torch

        found = iter(
            torch.autograd.grad(results, self.wanted, given, allow_unused=self.allow_unused)
        )
        return [next(found) if t.requires_grad else None for t in self.everything]

    def replacement(self) -> Any:
        """What takes the place of the function; a module gets it as its ``forward``, for the mode that it is in now."""
        import rushlight as torch

        one = self

        class Graphed(torch.autograd.Function):
            """Copies what it is given to where the graph reads it, and runs the graph."""

            @staticmethod
            def forward(ctx: Any, *inputs: Any) -> Any:
                for to, given in zip(one.inputs, inputs):
                    if to.data_ptr() != given.data_ptr():
                        to.detach().copy_(given)
                one.forward.replay()
                return tuple(r.detach() for r in one.results)

            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx: Any, *gradients: Any) -> Any:
                wanted = [g for g, r in zip(gradients, one.results) if r.requires_grad]
                for to, given in zip(one.given, wanted, strict=True):
                    if to.data_ptr() != given.data_ptr():
                        to.copy_(given)
                one.backward.replay()
                return tuple(None if g is None else g.detach() for g in one.gradients)

        def run(*inputs: Any) -> Any:
            found = Graphed.apply(*pytree.tree_leaves(inputs), *one.parameters)
            return pytree.tree_unflatten(found, one.nested)

        if not self.is_module:
            return run
        module, plain, trains = self.function, self.function.forward, self.function.training

        def forward(*inputs: Any) -> Any:
            return (run if module.training == trains else plain)(*inputs)

        module.forward = forward
        return module


def _check_module(module: Any) -> None:
    """Raise for a module whose calls do more than a graph repeats."""
    if module._forward_hooks or module._forward_pre_hooks or module._backward_hooks:
        raise AssertionError(
            "Modules must not have hooks registered at the time they are passed. However, registering hooks on modules "
            "after passing them through make_graphed_callables is allowed."
        )
    if any(b.requires_grad for b in module.buffers()):
        raise AssertionError(
            "In any :class:`~torch.nn.Module` passed to :func:`~make_graphed_callables`, only parameters may be "
            "trainable. All buffers must have ``requires_grad=False``."
        )
