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

__all__ = [
    "CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables",
]  # fmt: skip

_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}
# The memory of graphs that share it, by what `graph_pool_handle` and `CUDAGraph.pool` give.
_pools: dict[tuple[int, int], caching.MemoryPool] = {}


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
        self._pool_id: tuple[int, int] | None = None
        self._stream: engine.Stream | None = None
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
        self._pool_id = pool or graph_pool_handle()
        memory = _pools.setdefault(self._pool_id, caching.MemoryPool(self._pool_id))
        self._prepare_generators(stream.device)
        allocator = caching.of(stream.device)
        allocator.process_events()
        self._redirection = allocator.redirecting(lambda s: s == stream, memory, captures=True)
        self._redirection.__enter__()
        try:
            context.enter(stream.device)
            driver.begin_capture(stream.handle, _MODES[capture_error_mode])
        except BaseException:
            self._redirection.__exit__(None, None, None)
            raise
        for generator, state in self._generators.items():
            generator.begin_capture(state)
        self._stream = stream
        memory.users += 1

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
        self._graph = driver.end_capture(stream.handle)
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
        pool = _pools.get(self._pool_id) if self._pool_id else None
        self._pool_id = None
        if pool is not None:
            pool.users -= 1

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
        if self._pool_id is None:
            raise RuntimeError("pool was called without a capture")
        return self._pool_id

    def __del__(self, is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        # A default, because modules may be gone when the interpreter ends.
        if not is_over() and getattr(self, "_graph", False) and context.is_started():
            self.reset()


class graph:
    """A block whose work is recorded into a graph.

    Args:
        cuda_graph: the graph
        pool: whose memory is used
        stream: where it is recorded; one made for it, if None
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
        self.capture_stream = stream or streams.Stream()
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

    def __exit__(self, *exception: object) -> None:
        try:
            self.cuda_graph.capture_end()
        finally:
            self.stream_ctx.__exit__(*exception)


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
    single = not isinstance(callables, tuple)
    functions: Sequence[Callable[..., Any]] = (callables,) if single else callables
    samples = (sample_args,) if single else sample_args
    shared = pool or graph_pool_handle()
    made = [
        _Graphed(function, sample, num_warmup_iters, allow_unused_input, shared)
        for function, sample in zip(functions, samples, strict=True)
    ]
    wrapped = tuple(one.replacement() for one in made)
    return wrapped[0] if single else wrapped


class _Graphed:
    """One function with its two graphs."""

    def __init__(
        self, function: Any, sample: Sequence[Tensor], warmups: int, allow_unused: bool,
        pool: tuple[int, int],
    ) -> None:  # fmt: skip
        import rushlight as torch

        self.function, self.inputs = function, tuple(sample)
        self.parameters = tuple(getattr(function, "parameters", tuple)())
        self.everything = (*self.inputs, *self.parameters)
        self.wanted = [t for t in self.everything if t.requires_grad]
        self.allow_unused = allow_unused
        context.synchronize(context.current())
        with streams.stream(streams.Stream()):
            for _ in range(warmups):
                results, _ = self._run()
                if self.wanted:
                    self._gradients(results, [torch.empty_like(r) for r in results])
        context.synchronize(context.current())
        self.forward, self.backward = CUDAGraph(), CUDAGraph()
        with graph(self.forward, pool):
            self.results, self.is_tuple = self._run()
        self.given = [torch.empty_like(r) for r in self.results if r.requires_grad]
        self.gradients: list[Any] = []
        if self.given:
            with graph(self.backward, pool):
                self.gradients = self._gradients(self.results, self.given)

    def _run(self) -> tuple[tuple[Tensor, ...], bool]:
        found = self.function(*self.inputs)
        return (found, True) if isinstance(found, tuple) else ((found,), False)

    def _gradients(self, results: Sequence[Tensor], given: Sequence[Tensor]) -> list[Any]:
        import rushlight as torch

        found = iter(torch.autograd.grad(
            [r for r in results if r.requires_grad], self.wanted, given, allow_unused=self.allow_unused
        ))  # fmt: skip
        return [next(found) if t.requires_grad else None for t in self.everything]

    def replacement(self) -> Any:
        """What takes the place of the function; a module gets it as its ``forward``."""
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
            def backward(ctx: Any, *gradients: Any) -> Any:
                wanted = [g for g, r in zip(gradients, one.results) if r.requires_grad]
                for to, given in zip(one.given, wanted):
                    to.copy_(given)
                one.backward.replay()
                return tuple(None if g is None else g.detach() for g in one.gradients)

        def run(*inputs: Any) -> Any:
            found = Graphed.apply(*inputs, *one.parameters)
            return found if one.is_tuple else found[0]

        if isinstance(self.function, torch.nn.Module):
            self.function.forward = run  # type: ignore[method-assign]
            return self.function
        return run
