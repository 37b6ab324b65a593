"""What `torch.compile` makes of a program: graphs, what is kept for gradients, loops, memory, and times."""

from __future__ import annotations

import contextlib
import functools
import html
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import resources
from typing import Any, NamedTuple

import rushlight
from rushlight._command.explain import _time_of
from rushlight._command.explain.memory import (
    memory_picture,
    memory_text,
    nbytes,
    shown_bytes,
    spec,
)
from rushlight._command.explain.picture import (
    LOOPS,
    PLAIN,
    Picture,
    drawn,
    legend,
    loop_colours,
    stacked,
    tree,
)
from rushlight._command.explain.watching import Watched
from rushlight._functorch.aot_autograd import aot_module_simplified, make_boxed_func
from rushlight._inductor import autotuning, choices
from rushlight._inductor.kernels import Kernel
from rushlight._inductor.lowering import lower
from rushlight._inductor.product_kernels import Multiplied
from rushlight._inductor.scalar_program import shown
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node
from rushlight.utils._pytree import tree_leaves
from rushlight.utils.flop_counter import flop_registry

__all__ = ["Compilation", "explain_compiled", "explain_compiled_page", "explain_compiled_picture"]

# Where the nodes of a joint graph end up.
_KEPT, _BACKWARD, _BOTH = LOOPS[0], LOOPS[1], LOOPS[2]


class Compiled:
    """A graph of operators and its loops.

    Args:
        title: ``forward`` or ``backward``
        graph: of operators
    """

    def __init__(self, title: str, graph: GraphModule) -> None:
        self.title, self.graph = title, graph
        made = choices.chooser()
        self.loops = lower(graph, chooser=made)
        # What was measured, if settings ask for that.
        self.choices = made.measurements.choices if made is not None else []
        # What it ran with first.
        self.inputs: list[Any] | None = None

    def run(self, *args: Any) -> Any:
        """The graph's results."""
        if self.inputs is None:
            self.inputs = [x.detach().clone() if isinstance(x, Tensor) else x for x in args]  # type: ignore[attr-defined]
        return self.loops(*args)


@contextlib.contextmanager
def _listening(found: list[autotuning.Choice]) -> Iterator[None]:
    """A block whose measured choices are added to a list."""
    autotuning.listeners.append(found.append)
    try:
        yield
    finally:
        autotuning.listeners.remove(found.append)


class Captured:
    """A graph as it was captured, and what becomes of it.

    Args:
        module: the graph
    """

    def __init__(self, module: GraphModule) -> None:
        self.module = module
        self.parts: list[Compiled] = []
        # The graph of both directions, before it was cut.
        self.joint: Graph | None = None
        # What the forward graph keeps for the backward one, and what was measured to find that.
        self.saved: list[Node] = []
        self.choices: list[autotuning.Choice] = []

    def compile(self, examples: Sequence[Any]) -> Callable[..., Any]:
        """Its function, whose parts are kept here."""

        def part(title: str) -> Callable[..., Any]:
            def compiler(graph: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
                made = Compiled(title, graph)
                self.parts.append(made)
                return make_boxed_func(made.run)

            return compiler

        def cut(joint: GraphModule, inputs: Any, **options: Any) -> Any:
            self.joint = Graph()
            self.joint.output(self.joint.graph_copy(joint.graph, {}))
            with _listening(self.choices):
                forward, backward = choices.partition(joint, inputs, **options)
            (output,) = forward.graph.find_nodes(op="output")
            kept = tree_leaves([output.args[0]])[options["num_fwd_outputs"] :]
            self.saved = [x for x in kept if isinstance(x, Node)]
            return forward, backward

        return aot_module_simplified(  # type: ignore[no-any-return]
            self.module, examples, fw_compiler=part("forward"), bw_compiler=part("backward"),
            partition_fn=cut,
        )  # fmt: skip


class Compilation:
    """A function compiled and run once, with a backward pass where its result wants one.

    Args:
        function: the program
        args: its arguments
        kwargs: those with names
    """

    def __init__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        self.graphs: list[Captured] = []

        def backend(module: GraphModule, examples: Sequence[Any], **options: Any) -> Any:
            captured = Captured(module)
            self.graphs.append(captured)
            return captured.compile(examples)

        rushlight._dynamo.reset()
        results = rushlight.compile(function, backend=backend)(*args, **kwargs)
        wanted = [x for x in tree_leaves([results]) if isinstance(x, Tensor) and x.requires_grad]
        if wanted:
            rushlight.autograd.backward(wanted, [rushlight.ones_like(x) for x in wanted])

    @property
    def parts(self) -> list[Compiled]:
        """The graphs of operators, in the order in which they were compiled."""
        return [part for graph in self.graphs for part in graph.parts]


def explain_compiled(
    function: Callable[..., Any], *args: Any, code: bool = False, times: bool = True, **kwargs: Any
) -> str:
    """What `torch.compile` makes of a call, as text.

    Args:
        function: the program
        args: its arguments
        code: whether to show the loops' bodies and their LLVM IR
        times: whether to measure each loop
        kwargs: arguments with names
    """
    found = sections(Compilation(function, *args, **kwargs), code, times)
    return "\n\n".join(f"== {part.title} ==\n{part.text}" for part in found if part.text)


def explain_compiled_picture(function: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """The pictures of what `torch.compile` makes of a call, below each other, as one SVG.

    Args:
        function: the program
        args: its arguments
        kwargs: arguments with names
    """
    found = sections(Compilation(function, *args, **kwargs), code=False, times=False)
    return str(stacked((part.title, part.picture) for part in found if part.picture is not None))


def explain_compiled_page(
    function: Callable[..., Any], *args: Any, code: bool = False, **kwargs: Any
) -> str:
    """What `torch.compile` makes of a call, as a page of HTML with pictures.

    Args:
        function: the program
        args: its arguments
        code: whether to show the loops' bodies and their LLVM IR
        kwargs: arguments with names
    """
    found = sections(Compilation(function, *args, **kwargs), code, True)
    name = html.escape(getattr(function, "__name__", "program"))
    style = (resources.files("rushlight._command.explain") / "page.css").read_text("utf-8")
    columns = "\n".join(
        f'<section><h1>{html.escape(part.title)}</h1><div class="lines">\n'
        + "\n".join(f"<div>{html.escape(x) or '&nbsp;'}</div>" for x in part.text.splitlines())
        + f"\n{part.picture or ''}</div></section>"
        for part in found
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{name}, compiled</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"<header><b>{name}, compiled</b></header>\n<main>\n{columns}\n</main>\n</body>\n</html>\n"
    )


class Section(NamedTuple):
    """A part of what is told.

    Args:
        title: what it is
        text: nothing, where there is only a picture
        picture: nothing, where there is only a text
    """

    title: str
    text: str
    picture: Picture | None = None


def sections(found: Compilation, code: bool, times: bool) -> list[Section]:
    """Titles, texts and pictures.

    Args:
        found: the compiled program
        code: whether to show the loops' bodies and their LLVM IR
        times: whether to measure each loop
    """
    made: list[Section] = []
    for number, captured in enumerate(found.graphs, 1):
        of = f" {number}" if len(found.graphs) > 1 else ""
        text = captured.module.code.strip()
        made.append(Section(f"captured graph{of}", text, drawn(captured.module.graph)))
        if captured.joint is not None:
            made.append(Section(f"joint graph{of}", "", joint_picture(captured)))
        for part in captured.parts:
            made += _sections_of(captured, part, f"{part.title}{of}", code, times)
    return made


def _sections_of(
    captured: Captured, part: Compiled, title: str, code: bool, times: bool
) -> Iterator[Section]:
    """What is told of the graph of one direction."""
    graph, loops = part.graph.graph, part.loops.graph
    colours = loop_colours(loops)
    yield Section(f"{title}: operators", part.graph.code.strip(), drawn(graph, colours))
    choices = list(part.choices)
    if part.title == "forward":
        choices = [*captured.choices, *choices]
        if captured.saved:
            yield Section(f"{title}: kept for gradients", saved_text(captured.saved))
    yield Section(f"{title}: loops", loops_text(part.loops), drawn(loops, colours))
    if choices:
        yield Section(f"{title}: measured choices", "\n".join(map(str, choices)))
    yield Section(f"{title}: memory", memory_text(part.loops), memory_picture(part.loops))
    if part.inputs is not None:
        if times:
            yield Section(f"{title}: times", times_text(part))
        if code:
            yield from (Section(name, text) for name, text in code_of(part, title))


# -- graphs and loops --


def saved_text(saved: Sequence[Node]) -> str:
    """What is kept, and how large it is."""
    lines = [f"{node.name}  {spec(node)}  {shown_bytes(nbytes(node))}" for node in saved]
    return "\n".join([*lines, f"{shown_bytes(sum(map(nbytes, saved)))} in all"])


def joint_picture(captured: Captured) -> Picture:
    """The graph of both directions: what runs forward, what is kept, what runs backward, or in both."""
    assert captured.joint is not None
    forward, backward = (
        {
            node.name
            for part in captured.parts
            if part.title == title
            for node in part.graph.graph.nodes
        }
        for title in ("forward", "backward")
    )
    kept = {node.name for node in captured.saved}
    colours = {}
    for node in captured.joint.nodes:
        if node.op == "call_function":
            if node.name in kept:
                colours[node.name] = _KEPT
            elif node.name in backward:
                colours[node.name] = _BOTH if node.name in forward else _BACKWARD
    names = {"forward": PLAIN, "kept": _KEPT, "computed again": _BOTH, "backward": _BACKWARD}
    shown = {name: colour for name, colour in names.items() if colour in (PLAIN, *colours.values())}
    return stacked([("", legend(shown)), ("", drawn(captured.joint, colours))])


def loops_text(loops: GraphModule) -> str:
    """The graph of loops, and which operators each of them is."""
    lines = [tree(loops.graph)]
    for node in loops.graph.nodes:
        kernel: Any = node.target
        if not isinstance(kernel, Kernel):
            continue
        names = ", ".join(op.full_name for op in kernel.operators)
        lines.append(f"{node.name}: {type(kernel).__name__} of {names}")
    return "\n".join(lines)


# -- times --


@functools.cache
def limits() -> tuple[float, float]:
    """What the machine can do: bytes moved in a second, operations on numbers in a product of matrices."""
    source = rushlight.ones(1 << 23)
    target = rushlight.empty_like(source)
    moved = 2 * source.numel() * source.dtype.itemsize / _time_of(lambda: target.copy_(source))
    a = rushlight.ones(512, 512)
    out = rushlight.empty(512, 512)
    return moved, 2 * 512**3 / _time_of(lambda: rushlight.mm(a, a, out=out))


class _Timed(Interpreter):
    """Runs a graph and notes how long each call takes."""

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.seconds: dict[Node, float] = {}
        self.flops: dict[Node, int] = {}
        self.moved: dict[Node, int] = {}

    def run_node(self, n: Node) -> Any:
        """The value of a node."""
        if n.op != "call_function" or n.target is operator.getitem:
            return super().run_node(n)
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        made = n.target(*args, **kwargs)  # type: ignore[operator]
        self.seconds[n] = _time_of(lambda: n.target(*args, **kwargs))  # type: ignore[operator]
        values = tree_leaves([args, kwargs, made])
        self.moved[n] = sum(x.numel() * x.dtype.itemsize for x in values if isinstance(x, Tensor))
        flops = _flops(n.target, args, kwargs, made)
        if flops is not None:
            self.flops[n] = flops
        return made


def _flops(target: Any, args: Any, kwargs: Any, made: Any) -> int | None:
    """How many operations on numbers a product takes, also one with a loop behind it; None for other calls."""
    if isinstance(target, Multiplied):
        call = target.calls[0]
        args = tuple(shown(x, args) for x in call.args)
        made = made[0] if isinstance(made, tuple) else made
        target = call.op
    formula = flop_registry.get(getattr(target, "overloadpacket", None))
    return None if formula is None else formula(*args, **kwargs, out_val=made)


def times_text(part: Compiled) -> str:
    """How long each call of a graph takes, and what share of the machine's speed that is."""
    assert part.inputs is not None
    timed = _Timed(part.loops)
    with rushlight.no_grad():
        timed.run(*part.inputs)
    bandwidth, peak = limits()
    lines = []
    for node, seconds in timed.seconds.items():
        text = f"{node.name}  {seconds * 1e6:.3g} us  {shown_bytes(timed.moved[node])}"
        text += f"  {timed.moved[node] / seconds / bandwidth:.0%} of {bandwidth / 1e9:.3g} GB/s"
        if node in timed.flops:
            text += f"  {timed.flops[node] / seconds / peak:.0%} of {peak / 1e9:.3g} GFLOP/s"
        lines.append(text)
    return "\n".join([*lines, f"{sum(timed.seconds.values()) * 1e6:.3g} us in all"])


# -- code --


def code_of(part: Compiled, title: str) -> Iterable[tuple[str, str]]:
    """The bodies of a graph's loops, and their LLVM IR."""
    assert part.inputs is not None
    inputs = part.inputs
    fresh = lower(part.graph, chooser=choices.chooser())
    watched = Watched()
    with rushlight.no_grad():
        watched.call(lambda: fresh(*inputs))
    for number, kernel in enumerate(watched.kernels, 1):
        yield f"{title}: body of loop {number}", kernel.expression
        yield f"{title}: LLVM IR of loop {number}", kernel.ir.strip()
