"""The cut: what was recorded is compiled, once for each graph, and run."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rushlight
from rushlight._functorch.aot_autograd import make_boxed_func
from rushlight._inductor.compile_fx import compile_graph
from rushlight._inductor.lowering import lower
from rushlight._lazy import config, metrics
from rushlight._lazy.memory import Block, geometry_of
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
        fractions: those of the trace
        varying: which of them are inputs
    """

    def __init__(
        self, function: Callable[[list[Any]], Any], graph: GraphModule | None,
        fractions: Sequence[float], varying: Sequence[int],
    ) -> None:  # fmt: skip
        self.function, self.graph = function, graph
        self.fractions, self.varying = list(fractions), list(varying)
        # Texts, for 0.0 is not -0.0.
        self._fixed = self._texts(fractions)

    def _texts(self, fractions: Sequence[float]) -> list[str]:
        return [repr(x) for k, x in enumerate(fractions) if k not in self.varying]

    def fits(self, fractions: Sequence[float]) -> bool:
        """Whether the graph is that of a trace with such fractions."""
        return self._fixed == self._texts(fractions)

    def run(self, inputs: list[Tensor], fractions: Sequence[float]) -> Sequence[Tensor]:
        """The values of the outputs."""
        return self.function([*inputs, *(fractions[k] for k in self.varying)])  # type: ignore[no-any-return]


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
            self._drawn(trace)
            try:
                with interrupts.deferred(), by_itself():
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
            self._close(trace)

    def _close(self, trace: Trace) -> None:
        trace.close()
        self.trace = Trace()

    def _compute(self, trace: Trace, wanted: list[Block]) -> None:
        outputs = trace.bases(wanted)
        inputs = [block.shown_as(block.base) for block in trace.inputs]  # type: ignore[arg-type]
        found = self.graphs.find(trace, outputs, inputs).run(inputs, trace.fractions)
        taken = {id(x._storage_) for x in inputs}
        contents = []
        for block, made in zip(wanted, found):
            contents.append(_content(block, made, taken))
        for block, content in zip(wanted, contents):
            block.content = content


class Graphs:
    """The compiled graphs, found by their traces.

    A trace that differs from a compiled one in fractions only, as the steps of an optimizer do, is compiled once more, with
    those fractions as inputs.
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
        fractions = trace.fractions
        for one in alike:
            if one.fits(fractions):
                metrics.count("CachedCompile")
                return one
        metrics.count("UncachedCompile")
        varying: list[int] = []
        if alike:
            first = alike[0].fractions
            varying = [k for k, x in enumerate(fractions) if repr(x) != repr(first[k])]
            varying = sorted({*varying, *alike[-1].varying})
        made = compiled(trace, outputs, inputs, varying)
        alike.append(made)
        while len(self._found) > config.most_graphs or len(alike) > config.most_alike:
            # The oldest goes first.
            alike.pop(0) if len(alike) > config.most_alike else self._found.pop(
                next(iter(self._found))
            )
        return made


def compiled(
    trace: Trace, outputs: list[int], inputs: list[Tensor], varying: list[int]
) -> Compiled:
    """What runs a trace: the function of its graph, or else its calls one by one on copies of what they write.

    Args:
        trace: what was recorded
        outputs: the values that are wanted
        inputs: tensors like those that will come
        varying: which fractions should be inputs
    """
    try:
        try:
            graph = trace.graph(outputs, inputs, varying)
        except NotRecordable as reason:
            metrics.count("FixedNumbers", str(reason))
            varying = []
            graph = trace.graph(outputs, inputs)
        function = compile_graph(graph, inputs) if not varying else make_boxed_func(lower(graph))
    except Exception as error:
        if config.strict:
            raise
        metrics.count("UncompiledGraph", f"{type(error).__name__}: {error}".splitlines()[0])
        program = trace.program(outputs)
        graph, varying = None, []
        function = make_boxed_func(lambda *given: program(*(x.clone() for x in given)))
    return Compiled(function, graph, trace.fractions, varying)


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
