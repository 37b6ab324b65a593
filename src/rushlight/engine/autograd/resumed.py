"""A pass that is resumed whenever more of its roots have their gradients.

Where results are used in other processes, their gradients come later, one message after the other. A step still runs once,
with the sum of all that arrives: so hooks see what they would see if the graph were in one process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rushlight.engine.autograd import backward
from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd.node import Node
from rushlight.engine.core.tensor import Tensor


class ResumedPass(backward.Pass):
    """A pass over a graph whose roots get their gradients in groups.

    Args:
        groups: the roots
        grads: where gradients of leaves are kept, instead of their `grad`
        retain_graph: keep what nodes have saved
    """

    def __init__(
        self, groups: Sequence[Sequence[metas.Edge]], grads: dict[Tensor, Any], retain_graph: bool
    ) -> None:
        super().__init__(retain_graph, captures=None, accumulate=True)
        self.grads = grads
        self.groups_left = len(groups)
        self.count([edge for group in groups for edge in group])
        for group in groups:
            for node in _nodes(group):
                self.waiting[node] += 1

    def run(self, roots: Sequence[metas.Edge], grads: Sequence[Any]) -> None:
        """Run what waits for no other group; after the last one, what was queued for the end."""
        for edge, grad in zip(roots, grads):
            if grad is not None:
                self.deliver(edge, grad)
        for node in _nodes(roots):
            self.waiting[node] -= 1
            if self.waiting[node] == 0:
                self.push(node)
        self.run_ready()
        self.groups_left -= 1
        if not self.groups_left:
            self.run_callbacks()

    def resume(self, roots: Sequence[metas.Edge], grads: Sequence[Any]) -> None:
        """Go on with the gradients of a group (None where none has come)."""
        backward.run_pass(self, roots, grads, create_graph=False)

    def is_done(self, node: Node) -> bool:
        """Whether a node has had all its gradients; those that the pass does not reach never do."""
        return self.waiting.get(node) == 0


def _nodes(edges: Iterable[metas.Edge]) -> list[Node]:
    return list(dict.fromkeys(node for node, _ in edges))


def grad_of(leaf: Any) -> Any:
    """The gradient of a leaf: where the pass that runs keeps gradients, or its `grad`."""
    kept = _kept()
    return leaf.grad if kept is None else kept.get(leaf)


def set_grad(leaf: Any, grad: Any) -> None:
    """Change what `grad_of` gives."""
    kept = _kept()
    if kept is None:
        leaf.grad = grad
    else:
        kept[leaf] = grad


def _kept() -> dict[Tensor, Any] | None:
    passes = backward.running.passes
    return passes[-1].grads if passes else None
