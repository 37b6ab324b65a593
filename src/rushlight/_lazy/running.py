"""The cut: what was recorded is compiled, once for each graph, and run."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rushlight
from rushlight._dynamo import config as dynamo_config
from rushlight._functorch.aot_autograd import make_boxed_func
from rushlight._inductor.compile_fx import compile_graph
from rushlight._inductor.lowering import lower
from rushlight._lazy import config, metrics
from rushlight._lazy.memory import Block, geometry_of
from rushlight._lazy.sizes import OpenSizes
from rushlight._lazy.trace import NotRecordable, Trace
from rushlight._state import interrupts
from rushlight.engine.core import device as devices
from rushlight.engine.core import generator as generators
from rushlight.engine.core import keys, state
from rushlight.engine.core import storage as storages
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers, modes
from rushlight.engine.native.forks import hold_over_fork
from rushlight.fx.graph_module import GraphModule


class Compiled:
    """A graph and the function that runs it.

    Args:
        function: takes a list of inputs
        graph: what it computes; None where it could not be made, and the function runs call by call
        trace: what it was made for
        varying: which of the trace's fractions are inputs
        sizes: the trace's numbers, if some of them are symbols
    """

    def __init__(
        self, function: Callable[[list[Any]], Any], graph: GraphModule | None, trace: Trace,
        varying: Sequence[int], sizes: OpenSizes | None,
    ) -> None:  # fmt: skip
        self.function, self.graph, self.sizes = function, graph, sizes
        self.fractions, self.varying = list(trace.fractions), list(varying)
        self.numbers = list(trace.numbers)
        # Texts, for 0.0 is not -0.0.
        self._fixed = self._texts(self.fractions)

    def _texts(self, fractions: Sequence[float]) -> list[str]:
        return [repr(x) for k, x in enumerate(fractions) if k not in self.varying]

    def fits(self, trace: Trace) -> bool:
        """Whether the graph is that of a trace with the same key."""
        if self._fixed != self._texts(trace.fractions):
            return False
        return self.numbers == trace.numbers or (
            self.sizes is not None and self.sizes.fit(trace.numbers)
        )

    def run(
        self, inputs: list[Tensor], fractions: Sequence[float], numbers: Sequence[int]
    ) -> Sequence[Tensor]:
        """The values of the outputs."""
        symbols = [] if self.sizes is None else [numbers[k] for k in self.sizes.places]
        return self.function([*symbols, *inputs, *(fractions[k] for k in self.varying)])  # type: ignore[no-any-return]


class Recorder:
    """What all threads record into: one order for all that the program does."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.trace = Trace()
        self.graphs = Graphs()

    def will_draw(self) -> None:
        """Note that random numbers are put off: who looks at a generator first has them drawn."""
        if not self.trace.draws:
            self.trace.draws = True
            generators.put_off.append(self.cut)
            # Remembered calls draw without looking.
            state.busy(+1)

    def _drawn(self, trace: Trace) -> None:
        if trace.draws:
            trace.draws = False
            with contextlib.suppress(ValueError):
                generators.put_off.remove(self.cut)
            state.busy(-1)

    def cut(self) -> None:
        """Compute what is promised and still wanted, and begin anew."""
        with self.lock:
            trace = self.trace
            if not trace.steps:
                return
            wanted = trace.wanted()
            draws = trace.draws
            with interrupts.deferred():
                self._drawn(trace)
                try:
                    with by_itself():
                        if wanted or draws:
                            self._compute(trace, wanted)
                except Exception as error:
                    for block in wanted:
                        block.failure = error
                    self._close(trace)
                    raise
                except BaseException:
                    # Nothing has been handed out: the same can be asked for again.
                    if draws:
                        self.will_draw()
                    raise
                # An interrupt that waited comes after this: what was computed is not computed twice.
                self._close(trace)

    def _close(self, trace: Trace) -> None:
        trace.close()
        self.trace = Trace()

    def _compute(self, trace: Trace, wanted: list[Block]) -> None:
        outputs = trace.bases(wanted)
        inputs = [block.shown_as(block.base) for block in trace.inputs]  # type: ignore[arg-type]
        compiled = self.graphs.find(trace, outputs, inputs)
        found = compiled.run(inputs, trace.fractions, trace.numbers)
        taken = {id(x._storage_) for x in inputs}
        contents = []
        for block, made in zip(wanted, found):
            contents.append(_content(block, made, taken))
        for block, content in zip(wanted, contents):
            block.content = content


class Graphs:
    """The compiled graphs, found by their traces.

    A trace that differs from a compiled one in fractions only, as the steps of an optimizer do, or in sizes, is compiled once more:
    with those fractions as inputs, and with symbols for those sizes.
    """

    def __init__(self) -> None:
        self._found: dict[Any, list[Compiled]] = {}

    def __iter__(self) -> Iterator[Compiled]:
        return (one for alike in list(self._found.values()) for one in alike)

    def clear(self) -> None:
        """Forget them."""
        self._found.clear()

    def find(self, trace: Trace, outputs: list[int], inputs: list[Tensor]) -> Compiled:
        """What runs a trace, compiled when it is first asked for."""
        alike = self._found.setdefault(trace.key(outputs), [])
        for one in alike:
            if one.fits(trace):
                metrics.count("CachedCompile")
                return one
        metrics.count("UncachedCompile")
        varying = _that_vary(
            [repr(x) for x in trace.fractions],
            [([repr(x) for x in one.fractions], one.varying) for one in alike],
        )
        sizes: list[int] = []
        if dynamo_config.automatic_dynamic_shapes:
            known = [(one.numbers, one.sizes.varying if one.sizes else ()) for one in alike]
            sizes = _that_vary(trace.numbers, known)
        made = compiled(trace, outputs, inputs, varying, sizes)
        alike.append(made)
        self._drop(alike, made)
        return made

    def _drop(self, alike: list[Compiled], latest: Compiled) -> None:
        """Forget graphs of which there are too many, the oldest first."""
        of_these_sizes = [one for one in alike if one.numbers == latest.numbers]
        if len(of_these_sizes) > config.most_alike:
            alike.remove(of_these_sizes[0])
        while sum(map(len, self._found.values())) > config.most_graphs:
            first = next(iter(self._found))
            self._found[first].pop(0)
            if not self._found[first]:
                del self._found[first]


def _that_vary(
    values: Sequence[Any], known: Sequence[tuple[Sequence[Any], Sequence[int]]]
) -> list[int]:
    """The places at which values are others than some that were known, or that varied among those."""
    found: set[int] = set()
    for others, varied in known:
        found.update(varied)
        found.update(k for k, x in enumerate(others) if x != values[k])
    return sorted(found)


def compiled(
    trace: Trace, outputs: list[int], inputs: list[Tensor], varying: list[int], sizes: list[int]
) -> Compiled:
    """What runs a trace: the function of its graph, or else its calls one by one on copies of what they write.

    Args:
        trace: what was recorded
        outputs: the values that are wanted
        inputs: tensors like those that will come
        varying: which fractions should be inputs
        sizes: which numbers should be symbols
    """
    try:
        if sizes:
            made = _with_symbols(trace, outputs, inputs, varying, sizes)
            if made is not None:
                return made
        try:
            graph = trace.graph(outputs, inputs, varying)
        except NotRecordable as reason:
            metrics.count("FixedNumbers", str(reason))
            varying = []
            graph = trace.graph(outputs, inputs)
        return Compiled(_function_of(graph, inputs, varying), graph, trace, varying, None)
    except Exception as error:
        if config.strict:
            raise
        metrics.count("UncompiledGraph", _first_line(error))
        program = trace.program(outputs)
        function = make_boxed_func(lambda *given: program(*(x.clone() for x in given)))
        return Compiled(function, None, trace, [], None)


def _with_symbols(
    trace: Trace, outputs: list[int], inputs: list[Tensor], varying: list[int], sizes: list[int]
) -> Compiled | None:
    """What runs traces of many sizes; None where the graph is one for these sizes only."""
    try:
        symbols = OpenSizes(trace.numbers, sizes, inputs, trace.input_places)
        if not symbols.places:
            # Sizes of 0 and 1 stay what they are.
            return None
        graph = trace.graph(outputs, inputs, varying, symbols)
        symbols.close()
        function = _function_of(graph, inputs, varying)
    except Exception as error:
        # An operator may have no rule for symbols: then each size has a graph.
        metrics.count("FixedSizes", _first_line(error))
        return None
    metrics.count("SymbolicCompile")
    return Compiled(function, graph, trace, varying, symbols)


def _function_of(
    graph: GraphModule, inputs: list[Tensor], varying: Sequence[int]
) -> Callable[[list[Any]], Any]:
    return compile_graph(graph, inputs) if not varying else make_boxed_func(lower(graph))


def _first_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


def _content(block: Block, made: Tensor, taken: set[int]) -> Any:
    """The storage for a block, from the tensor that shows all of it."""
    base = block.base
    storage = made._storage_
    is_own = id(storage) not in taken and storage._nbytes >= block.nbytes
    assert base is not None
    if not is_own or geometry_of(made) != base:
        storage = storages.allocate(block.nbytes, devices.cpu)
        target = tensors.from_storage(storage, base.dtype, base.size, base.stride, base.offset)
        target.copy_(made)  # type: ignore[attr-defined]
    taken.add(id(storage))
    return storage


@contextlib.contextmanager
def by_itself() -> Iterator[None]:
    """A block in which nothing counts that a thread does to its calls."""
    thread = state.thread
    with contextlib.ExitStack() as stack:
        if thread.layers:
            stack.enter_context(layers.without_layers())
        if thread.included or thread.excluded:
            stack.enter_context(state.excluding(modes.ABOVE | keys.PYTHON_MODE))
        if state.default_device() is not devices.cpu:
            stack.enter_context(devices.cpu)
        if state.thread.grad_enabled:
            stack.enter_context(rushlight.no_grad())
        yield


recorder = Recorder()


hold_over_fork(recorder.lock)
