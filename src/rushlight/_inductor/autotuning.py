"""Choices that are measured: what ``mode="max-autotune"`` does.

Each choice has alternatives, graphs of the same inputs that give the same results; the first is the one that the cost
model would take. They run in turns on tensors like those that will come. What was chosen is kept on disk, so that the next
process measures nothing.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import rushlight
from rushlight._dynamo.utils import counters
from rushlight._inductor import chunks
from rushlight._inductor.codecache import BypassFxGraphCache
from rushlight._inductor.fusion import spec_of
from rushlight._inductor.program_files import StableDetails, version
from rushlight._inductor.scalar_program import stand_in
from rushlight._logging import getArtifactLogger
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.target import host_target
from rushlight.engine.native import object_cache, threads
from rushlight.engine.native.digest import digest
from rushlight.engine.native.records import dataclass
from rushlight.fx.graph_module import GraphModule
from rushlight.utils._python_dispatch import _disable_current_modes

log = getArtifactLogger(__name__, "autotuning")
# How long all choices of one graph may take together, with the compilation of what is tried.
MOST_SECONDS = 2.0
# So many runs of each, each of them for so long at least.
ROUNDS, SHORTEST = 5, 1e-4
MOST_REPEATS = 256
# Another way has to be so much faster than the model's.
MARGIN = 0.97

clock: Callable[[], float] = time.perf_counter
# The choices of graphs that are listened to.
listeners: list[Callable[[Choice], None]] = []


@dataclass
class Choice:
    """What was chosen, and why.

    Args:
        what: what is to be computed
        chosen: the name of the alternative
        seconds: how long each took; those that are not in it were not measured
        source: ``measured``, ``from disk``, or why nothing was measured
    """

    what: str
    chosen: str
    seconds: dict[str, float]
    source: str

    def __str__(self) -> str:
        times = ", ".join(f"{name} {1e6 * took:.4g} us" for name, took in self.seconds.items())
        return f"{self.what}: {self.chosen} ({self.source}{': ' if times else ''}{times})"


def seconds_of(name: str, run: Callable[[], Any], repeats: int) -> float:
    """How long one of several runs takes.

    Args:
        name: of what runs
        run: runs it
        repeats: how often it runs
    """
    begin = clock()
    for _ in range(repeats):
        run()
    return (clock() - begin) / repeats


class Measurements:
    """The choices of one graph.

    Args:
        most: the seconds that they may take
    """

    def __init__(self, most: float | None = None) -> None:
        self.left = MOST_SECONDS if most is None else most
        self.choices: list[Choice] = []

    def choose(
        self, what: str, graph: GraphModule, values: Sequence[Any],
        alternatives: Mapping[str, Callable[[], Any]],
    ) -> str:  # fmt: skip
        """The name of the fastest of some alternatives, the first of which is the model's.

        Args:
            what: what is to be computed, in words
            graph: what is to be computed, as operators
            values: fakes of its arguments
            alternatives: what makes functions of lists of arguments
        """
        name = _file_of(what, graph, values, list(alternatives))
        found = None if name is None else _kept(name, what, list(alternatives))
        if found is not None:
            counters["inductor"]["autotune_cache_hit"] += 1
        else:
            begin = clock()
            found = self._measured(what, values, alternatives)
            self.left -= clock() - begin
            if name is not None and len(found.seconds) == len(alternatives):
                content = {"chosen": found.chosen, "seconds": found.seconds}
                object_cache.store(name, json.dumps(content).encode())
        self._told(found)
        return found.chosen

    def _told(self, choice: Choice) -> None:
        self.choices.append(choice)
        log.debug("%s", choice)
        for listener in listeners:
            listener(choice)

    def _measured(
        self, what: str, values: Sequence[Any], alternatives: Mapping[str, Callable[[], Any]]
    ) -> Choice:
        """The choice by measurement; the model's, where that cannot be, or takes too long."""
        first = next(iter(alternatives))
        end = clock() + self.left
        if self.left <= 0:
            return Choice(what, first, {}, "no time was left to measure")
        counters["inductor"]["select_algorithm_autotune"] += 1
        with _as_at_run_time():
            try:
                took = _times(values, alternatives, end)
            except Exception as error:
                # On numbers that nobody has computed with before, a program may fail that works otherwise.
                return Choice(what, first, {}, f"not measured: {type(error).__name__}: {error}")
        best = min(took, key=lambda name: took[name], default=first)
        if first not in took or took[best] > MARGIN * took[first]:
            best = first
        return Choice(what, best, took, "measured")


def _times(
    values: Sequence[Any], alternatives: Mapping[str, Callable[[], Any]], end: float
) -> dict[str, float]:
    """The median time of each alternative that there was time for, in seconds."""
    given = [scratch_like(x) for x in values]
    runs: dict[str, Callable[[], Any]] = {}
    repeats: dict[str, int] = {}
    for name, make in alternatives.items():
        if clock() >= end:
            break
        function = make()

        def run(function: Any = function) -> Any:
            return function(list(given))

        # The first runs plan, compile, and record what the others repeat.
        run()
        run()
        runs[name] = run
        repeats[name] = _repeats(name, run)
    took: dict[str, list[float]] = {name: [] for name in runs}
    for k in range(ROUNDS):
        if k and clock() >= end:
            break
        for name, again in runs.items():
            took[name].append(seconds_of(name, again, repeats[name]))
    return {name: statistics.median(found) for name, found in took.items()}


def _repeats(name: str, run: Callable[[], Any]) -> int:
    """How often something has to run to take long enough. The first of these runs may still record what others repeat."""
    repeats = 1
    while repeats < MOST_REPEATS and seconds_of(name, run, repeats) * repeats < SHORTEST:
        repeats *= 2
    return repeats


@contextmanager
def _as_at_run_time() -> Iterator[None]:
    """A block in which operators do what they will do in compiled graphs; random numbers go on as before."""
    with _disable_current_modes(), rushlight.no_grad(), rushlight.random.fork_rng():
        yield


def scratch_like(value: Any) -> Any:
    """An argument for a trial: a tensor of the size and strides of a fake, or a number.

    Elements lie between 0 and 1 where they are fractions, and are 0 where they may be places in another tensor.
    """
    if not isinstance(value, Tensor):
        return value if type(value) in (int, float, bool) else value.node.hint
    if type(value).__name__ not in ("FakeTensor", "Tensor", "Parameter"):
        raise NotImplementedError(f"arguments of the class {type(value).__name__}")
    size, stride, dtype = spec_of(value)
    made = rushlight.empty_strided(size, stride, dtype=dtype)
    count = made.untyped_storage().nbytes() // dtype.itemsize
    flat = made.as_strided((count,), (1,))
    if dtype.is_floating_point or dtype.is_complex:
        flat.copy_((rushlight.arange(count) % 251 + 1) / 251)
    elif dtype is rushlight.bool:
        flat.copy_(rushlight.arange(count) % 2)
    else:
        flat.zero_()
    return made


# -- on disk --


def _file_of(
    what: str, graph: GraphModule, values: Sequence[Any], names: Sequence[str]
) -> str | None:
    """The name under which a choice is kept, of all that decides; None if it cannot be told."""
    given = [stand_in(spec_of(x)) if isinstance(x, Tensor) else x for x in values]
    try:
        lines = StableDetails(graph, given).lines
    except BypassFxGraphCache:
        return None
    machine = [str(host_target()), str(threads.get_size())]
    return digest("\n".join(["choice", version(), *machine, what, *names, *lines]).encode()).hex()


def _kept(name: str, what: str, alternatives: Sequence[str]) -> Choice | None:
    """The choice that is kept under a name; None if there is none, or none that makes sense."""
    content = object_cache.load(name)
    if content is None:
        return None
    try:
        known = json.loads(content)
        chosen, seconds = known["chosen"], {n: float(known["seconds"][n]) for n in alternatives}
    except (ValueError, KeyError, TypeError):
        return None
    return Choice(what, chosen, seconds, "from disk") if chosen in alternatives else None


def function_of(graph: GraphModule) -> Callable[[list[Any]], Any]:
    """A graph of kernels as it will run."""
    return chunks.boxed(graph)
