"""The engine: runs nodes from results back to leaves, each once all its gradients are there.

Nodes that are ready are taken in the reverse order of their making, without recursion, so that the
depth of a graph does not matter and sums are made in one order always.
"""

from __future__ import annotations

import heapq
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.autograd import anomalies
from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd.node import Grads, Hooks, Node, when_made
from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import view
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops.view.rules import sum_to


class Pass:
    """One run of the engine over a graph."""

    def __init__(
        self, retain_graph: bool, captures: dict[metas.Edge, int] | None, accumulate: bool
    ) -> None:
        self.retain_graph = retain_graph
        self.captures = captures or {}
        self.accumulate = accumulate
        # Where gradients of leaves are kept; None for their `grad`.
        self.grads: dict[Tensor, Any] | None = None
        self.captured: list[Any] = [None] * len(self.captures)
        # Nodes whose gradients are asked for.
        self.targets: set[Node] = set()
        # These, and those that lead there, or None for all nodes; of these, those that are run.
        self.needed: set[Node] | None = None
        self.passed: set[Node] = set()
        # How many edges lead to a node from nodes that will run.
        self.waiting: dict[Node, int] = {}
        # Gradients that have arrived: one, or a list if the node has several outputs.
        self.arrived: dict[Node, Any] = {}
        # Nodes whose only gradient is a sum made here, which may be added to in place.
        self.sums: set[Node] = set()
        # Nodes that have all their gradients: leaves, and a heap by the number of the step.
        self.leaves: list[Node] = []
        self.ready: list[tuple[int, Node]] = []
        self.callbacks: list[Any] = []

    def count(self, roots: Sequence[metas.Edge]) -> None:
        """Find out how many gradients each node waits for."""
        waiting = self.waiting
        for node, _ in roots:
            waiting.setdefault(node, 0)
        stack = list(waiting)
        while stack:
            for edge in stack.pop().edges:
                if edge is not None:
                    node = edge[0]
                    if node in waiting:
                        waiting[node] += 1
                    else:
                        waiting[node] = 1
                        stack.append(node)

    def find_needed(self, roots: Sequence[metas.Edge]) -> None:
        """Keep only nodes that lead to a captured edge."""
        targets = self.targets = {node for node, _ in self.captures}
        needed: set[Node] = set()
        passed: set[Node] = set()
        seen: set[Node] = set()
        done: set[Node] = set()
        stack = [node for node, _ in roots]
        while stack:
            node = stack[-1]
            if node not in seen:
                # It is looked at again when all that it leads to is done.
                seen.add(node)
                for edge in node.edges:
                    if edge is not None and edge[0] not in seen:
                        stack.append(edge[0])
                continue
            stack.pop()
            if node in done:
                continue
            done.add(node)
            for edge in node.edges:
                if edge is not None and edge[0] in needed:
                    passed.add(node)
                    needed.add(node)
                    break
            if node in targets:
                needed.add(node)
        self.needed, self.passed = needed, passed

    def will_run(self, node: Node) -> bool:
        """Whether the pass reaches a node and needs it."""
        return node in self.waiting and (self.needed is None or node in self.needed)

    def run(self, roots: Sequence[metas.Edge], grads: Sequence[Any]) -> None:
        self.count(roots)
        if self.captures:
            self.find_needed(roots)
        for edge, grad in zip(roots, grads):
            self.deliver(edge, grad)
        for node in dict.fromkeys(node for node, _ in roots):
            if self.waiting[node] == 0:
                self.push(node)
        self.run_ready()
        self.run_callbacks()

    def run_ready(self) -> None:
        """Run nodes until none has all its gradients."""
        leaves, ready = self.leaves, self.ready
        while leaves or ready:
            # Leaves first: their gradients are then out of the way.
            self.step(leaves.pop() if leaves else heapq.heappop(ready)[1])

    def run_callbacks(self) -> None:
        """Call what was queued for the end of the pass."""
        for callback in self.callbacks:
            callback()

    def push(self, node: Node) -> None:
        if node.is_leaf:
            self.leaves.append(node)
        else:
            heapq.heappush(self.ready, (-node.seq, node))

    def step(self, node: Node) -> None:
        """Run one node and hand its results on."""
        arrived = self.arrived
        grads = arrived.pop(node, None)
        if type(grads) is list:
            given = tuple(grads)
        elif grads is None:
            given = (None,) * len(node.outputs)
        else:
            given = (grads,)
        del grads
        wanted = self.needed is None or node in self.needed
        if wanted and (node.is_hooked or node in self.targets):
            given = self.seen_by_hooks(node, given)
        if self.sums:
            self.sums.discard(node)
        if node.is_leaf:
            if self.accumulate and wanted:
                if self.grads is None:
                    node.run(given)
                else:
                    self.keep(node, given)
                if node.post_hooks:
                    run_post_hooks(node.post_hooks, (), given)
            return
        edges = node.edges
        # The last step before a captured gradient is not taken itself.
        wanted = wanted and (self.needed is None or node in self.passed)
        if not wanted:
            found: Grads = (None,) * len(edges)
        else:
            found = anomalies.run(node, given) if when_made else node.run(given)
        if node.post_hooks and wanted:
            found = run_post_hooks(node.post_hooks, found, given)
        del given
        if wanted and not self.retain_graph and node.saved:
            node.release()
        waiting = self.waiting
        for index, (edge, grad) in enumerate(zip(edges, found)):
            if edge is None:
                continue
            target, output = edge
            # What nobody asks for is dropped as it comes.
            if grad is not None and (self.needed is None or target in self.needed):
                outputs = target.outputs
                size, dtype = outputs[output]
                if grad._size_ is not size or grad._dtype_ is not dtype:
                    grad = fitted(grad, edge, node, index)
                if len(outputs) == 1 and target not in arrived:
                    arrived[target] = grad
                else:
                    self.deliver(edge, grad)
            left = waiting[target] - 1
            waiting[target] = left
            if left == 0:
                self.push(target)

    def keep(self, leaf: Any, given: Grads) -> None:
        """Add a leaf's gradient to those that the pass keeps."""
        variable, grad = leaf.variable, given[0]
        if variable is None or grad is None:
            return
        # What only this call and its tuple know may be taken over as it is.
        is_ours = sys.getrefcount(grad) <= 3
        assert self.grads is not None
        self.grads[variable] = leaf.added_to(self.grads.get(variable), variable, grad, is_ours)

    def seen_by_hooks(self, node: Node, given: Grads) -> Grads:
        """The gradients after hooks have seen them; captures are taken from these."""
        grads = list(given)
        if node.tensor_hooks is not None:
            run_tensor_hooks(node.tensor_hooks, grads)
        if node.retaining_hooks is not None:
            run_retaining_hooks(node.retaining_hooks, grads)
        if node.is_leaf:
            variable = node.variable  # type: ignore[attr-defined]
            if variable is not None and variable._autograd_.hooks and grads[0] is not None:
                grads = [run_hooks(variable._autograd_.hooks, grads[0])]
        if self.captures:
            for output, grad in enumerate(grads):
                place = self.captures.get((node, output))
                if place is not None:
                    self.captured[place] = grad
        # These belong to the step itself, which may end at what is captured.
        if node.pre_hooks and (self.accumulate or self.needed is None or node in self.passed):
            grads = run_pre_hooks(node.pre_hooks, grads)
        return tuple(grads)

    def deliver(self, edge: metas.Edge, grad: Any) -> None:
        """Add a gradient to those that have arrived at a node's output."""
        node, output = edge
        arrived = self.arrived
        if len(node.outputs) == 1:
            old = arrived.get(node)
            if old is None:
                arrived[node] = grad
            else:
                arrived[node] = self.sum(node, old, grad)
            return
        several = arrived.get(node)
        if several is None:
            several = arrived[node] = [None] * len(node.outputs)
        old = several[output]
        several[output] = grad if old is None else nodes.added(old, grad)

    def sum(self, node: Node, old: Any, grad: Any) -> Any:
        if state.thread.grad_enabled or type(old) is not Tensor or type(grad) is not Tensor:
            return nodes.added(old, grad)
        if node in self.sums:
            return old.add_(grad)
        if old._keys_ & keys.SPARSE_LAYOUTS:
            return nodes.added(old, grad)
        self.sums.add(node)
        return old + grad


def fitted(grad: Any, edge: metas.Edge, node: Node, index: int) -> Any:
    """A gradient in the size and type of the tensor it belongs to."""
    target, output = edge
    size, dtype = target.outputs[output]
    if not isinstance(grad, Tensor):
        raise TypeError(f"expected a Tensor as gradient, got {type(grad).__name__}")
    if grad._size_ != size:
        if not is_expandable(size, grad._size_):
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {index} - got "
                f"{list(grad._size_)} but expected shape compatible with {list(size)}"
            )
        grad = (sum_to if state.thread.grad_enabled else repeated_sum_to)(grad, size)
    if grad._dtype_ is dtype:
        return grad
    if grad._dtype_.category == dtypes.COMPLEX and dtype.category != dtypes.COMPLEX:
        if node.same_kind:
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {index} - expected "
                f"type {title(dtype)}, as its input is real, but got {title(grad._dtype_)}"
            )
        grad = view.real(grad)
    if grad._dtype_ is not dtype:
        if dtype.category < dtypes.FLOATING:
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {index} - expected "
                f"type {title(dtype)} but got {title(grad._dtype_)}"
            )
        grad = copies.to_dtype(grad, dtype)
    return grad


def is_expandable(size: Sequence[int], larger: Sequence[int]) -> bool:
    """Whether a tensor of the one size broadcasts to the other."""
    if len(size) > len(larger):
        return False
    pairs = zip(reversed(size), reversed(larger))
    return all(a in (b, 1) for a, b in pairs)


# Whatever the sizes, a sum for them is made in Python only once.
repeated_sum_to = call_cache.public_function(
    "sum of a gradient", sum_to, sizes=lambda: call_cache.Sizes(0b10)
)


# -- hooks --


def run_hooks(hooks: Hooks, grad: Any) -> Any:
    """A gradient after hooks that may replace it."""
    for hook in list(hooks.values()):
        found = hook(grad)
        if found is not None:
            grad = replaced(grad, found)
    return grad


def replaced(grad: Any, found: Any) -> Any:
    if not isinstance(found, Tensor):
        raise TypeError(
            f"hook '{getattr(type(found), '__name__', found)}' expected to return a Tensor or None"
        )
    if grad is not None and found._size_ != grad._size_:
        raise RuntimeError(
            f"hook has changed the size of value: got {list(found._size_)}, expected "
            f"{list(grad._size_)}"
        )
    return found


def run_tensor_hooks(hooks: Hooks, grads: list[Any]) -> None:
    """Let hooks see the gradients of their outputs: None where none has come."""
    for output, hook in list(hooks.values()):
        found = hook(grads[output])
        if found is None:
            continue
        if grads[output] is None:
            raise RuntimeError("can't replace a None gradient with a non-None value")
        grads[output] = replaced(grads[output], found)


def run_retaining_hooks(hooks: Hooks, grads: list[Any]) -> None:
    """Let tensors that keep their gradients have those that have come."""
    for output, keep in list(hooks.values()):
        if grads[output] is not None:
            keep(grads[output])


def run_pre_hooks(hooks: Hooks, grads: list[Any]) -> list[Any]:
    for hook in list(hooks.values()):
        found = hook(tuple(grads))
        if found is not None:
            grads = list(checked(hook, found, len(grads)))
    return grads


def checked(hook: Any, found: Any, count: int) -> tuple[Any, ...]:
    """What a hook on a step gave: as many gradients as it got."""
    if not isinstance(found, (tuple, list)):
        raise TypeError(f"expected tuple, but hook returned '{type(found).__name__}'")
    if len(found) != count:
        name = getattr(hook, "__name__", "<unknown>")
        raise RuntimeError(
            f"hook '{name}' has returned an incorrect number of values (got {len(found)}, but "
            f"expected {count})"
        )
    return tuple(found)


def run_post_hooks(hooks: Hooks, found: Grads, given: Grads) -> Grads:
    for hook in list(hooks.values()):
        other = hook(found, given)
        if other is not None:
            found = checked(hook, other, len(found))
    return found


# -- the pass that is running in this thread --


def will_run(node: Any) -> bool:
    """Whether the pass that is running takes the step of a node."""
    if not isinstance(node, Node):
        raise RuntimeError(
            f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}"
        )
    if not running.passes:
        raise RuntimeError(
            "_get_should_execute_nodes should only be called during the backward pass"
        )
    task = running.passes[-1]
    if task.captures and not task.accumulate and node.is_leaf:
        raise RuntimeError(
            "A leaf node was passed to _will_engine_execute_node but we are currently running "
            "autograd.grad(). This is currently not supported."
        )
    return task.will_run(node)


class Running(threading.local):
    """Passes of this thread, the innermost last."""

    def __init__(self) -> None:
        self.passes: list[Pass] = []


running = Running()


def run_backward(
    roots: Sequence[metas.Edge],
    grads: Sequence[Any],
    retain_graph: bool,
    create_graph: bool,
    inputs: Sequence[metas.Edge] | None,
    accumulate: bool,
) -> list[Any]:
    """Run the graph behind ``roots``.

    Args:
        roots: where to begin
        grads: the gradient of each root
        retain_graph: keep what nodes have saved
        create_graph: record the pass itself
        inputs: edges whose gradients are wanted; None for all leaves
        accumulate: add gradients to the leaves' `grad`

    Returns:
        the gradient for each of ``inputs`` (None where none arrived)
    """
    captures: dict[metas.Edge, int] | None = None
    if inputs is not None:
        captures = {}
        for edge in inputs:
            captures.setdefault(edge, len(captures))
    task = Pass(retain_graph, captures, accumulate)
    if len(running.passes) < DEEPEST:
        run_pass(task, roots, grads, create_graph)
    else:
        in_another_thread(lambda: run_pass(task, roots, grads, create_graph))
    if inputs is None:
        return []
    assert captures is not None
    return [task.captured[captures[edge]] for edge in inputs]


def run_pass(
    task: Pass, roots: Sequence[metas.Edge], grads: Sequence[Any], create_graph: bool
) -> None:
    running.passes.append(task)
    before = state.thread.grad_enabled
    # A batch of passes is recorded as one would be; a transformation that asks for gradients itself sees to that.
    around = [layer for layer in state.thread.layers if not state.thread.layers[-1].differentiates]
    told = [layer.records for layer in around]
    for layer in around:
        layer.records = int(create_graph)
    state.set_grad(create_graph)
    try:
        task.run(roots, grads)
    finally:
        state.set_grad(before)
        for layer, records in zip(around, told):
            layer.records = records
        running.passes.pop()


def keeps_graph() -> bool:
    """Whether nodes must keep what they have saved: so says the pass that runs; outside of one they must."""
    return not running.passes or running.passes[-1].retain_graph


# How many passes may run inside one another in a thread, each of which takes some of its stack.
DEEPEST = 60
_INHERITED = (
    "included", "excluded", "saved_hooks_disabled", "default_devices", "modes", "dispatch_disabled",
    "saved_hooks",
)  # fmt: skip


def in_another_thread(run: Callable[[], None]) -> None:
    """Call a function with an empty stack and this thread's switches, and wait for it."""
    mine = state.thread
    given = {name: getattr(mine, name) for name in _INHERITED}
    recording, inference = mine.grad_enabled, mine.inference
    failures: list[BaseException] = []

    def work() -> None:
        vars(state.thread).update(given)
        state.set_grad(recording)
        state.set_inference(inference)
        try:
            run()
        except BaseException as error:
            failures.append(error)
        finally:
            state.set_inference(False)
            state.set_grad(True)

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    if failures:
        raise failures[0]


def queue_callback(callback: Any) -> None:
    """Call something when the running pass has ended."""
    if not running.passes:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    running.passes[-1].callbacks.append(callback)
