"""The cut: what was recorded is compiled, once for each graph, and run."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rushlight
from rushlight._inductor.compile_fx import compile_graph
from rushlight._lazy import config, metrics
from rushlight._lazy.memory import Block, geometry_of
from rushlight._lazy.trace import Trace
from rushlight.engine.core import device as devices
from rushlight.engine.core import generator as generators
from rushlight.engine.core import keys, state
from rushlight.engine.core import storage as storages
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers, modes
from rushlight.fx.graph_module import GraphModule


class Compiled:
    """A graph and the function that runs it.

    Args:
        function: takes a list of inputs
        graph: what it computes; None where it could not be made, and the function runs call by call
        inputs: like the inputs
    """

    def __init__(
        self, function: Callable[[list[Tensor]], Any], graph: GraphModule | None
    ) -> None:
        self.function, self.graph = function, graph

    def run(self, inputs: list[Tensor]) -> Sequence[Tensor]:
        return self.function(inputs)  # type: ignore[no-any-return]


class Recorder:
    """What all threads record into: one order for all that the program does."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.trace = Trace()
        self.compiled: dict[Any, Compiled] = {}

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
            self._close(trace)

    def _close(self, trace: Trace) -> None:
        trace.close()
        self.trace = Trace()

    def _compute(self, trace: Trace, wanted: list[Block]) -> None:
        outputs = trace.bases(wanted)
        inputs = [block.shown_as(block.base) for block in trace.inputs]  # type: ignore[arg-type]
        compiled = self.find(trace, outputs, inputs)
        found = compiled.run(list(inputs))
        taken = {id(x._storage_) for x in inputs}
        contents = []
        for block, made in zip(wanted, found):
            contents.append(_content(block, made, taken))
        for block, content in zip(wanted, contents):
            block.content = content

    def find(self, trace: Trace, outputs: list[int], inputs: list[Tensor]) -> Compiled:
        """What runs a trace, compiled when it is first asked for."""
        key = trace.key(outputs)
        found = self.compiled.get(key)
        if found is not None:
            metrics.count("CachedCompile")
            return found
        metrics.count("UncachedCompile")
        found = compiled(trace, outputs, inputs)
        while len(self.compiled) >= config.most_graphs:
            self.compiled.pop(next(iter(self.compiled)))
        self.compiled[key] = found
        return found


def compiled(trace: Trace, outputs: list[int], inputs: list[Tensor]) -> Compiled:
    """What runs a trace: the function of its graph, or else its calls one by one on copies of what they write."""
    try:
        graph = trace.graph(outputs, inputs)
        return Compiled(compile_graph(graph, inputs), graph)
    except Exception as error:
        if config.strict:
            raise
        metrics.count("UncompiledGraph", f"{type(error).__name__}: {error}".splitlines()[0])
        program = trace.program(outputs)
        return Compiled(lambda given: program(*(x.clone() for x in given)), None)  # type: ignore[attr-defined]


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


def _after_fork() -> None:
    """A child records by itself: a thread that it has not may hold the lock."""
    recorder.lock = threading.RLock()


os.register_at_fork(after_in_child=_after_fork)
