"""Detection of anomalies: nodes remember where they were made, and are watched as they run."""

from __future__ import annotations

import threading
import traceback
import warnings
from typing import Any

from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd.node import Grads, Node
from rushlight.engine.calls import pointwise
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import answers

TRACEBACK, PARENT = "traceback_", "parent_"


class _Settings:
    checks_nan = True


class _Running(threading.local):
    """This thread's nodes that are running, the innermost last: what they record is theirs."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []


_settings = _Settings()
_running = _Running()


def is_on() -> bool:
    return bool(nodes.when_made)


def checks_nan() -> bool:
    return _settings.checks_nan


def switch(mode: bool, check_nan: bool = True) -> None:
    nodes.when_made[:] = [remember] if mode else []
    _settings.checks_nan = check_nan


def remember(node: Node) -> None:
    """Note in a new node the lines that lead to it, and the step that was running."""
    node.metadata[TRACEBACK] = traceback.format_stack()[:-1]
    if _running.nodes:
        node.metadata[PARENT] = _running.nodes[-1]


def run(node: Node, grads: Grads) -> Grads:
    """Run a node; if that fails, or gives what is not a number, say where the node was made."""
    _running.nodes.append(node)
    try:
        found = node.run(grads)
        if _settings.checks_nan:
            refuse_nan(node, found)
    except Exception:
        warnings.warn(story(node), UserWarning, stacklevel=2)
        raise
    finally:
        _running.nodes.pop()
    return found


def refuse_nan(node: Node, found: Grads) -> None:
    before = state.thread.grad_enabled
    state.set_grad(False)
    try:
        for place, grad in enumerate(found):
            if has_nan(grad):
                raise RuntimeError(
                    f"Function '{node.name()}' returned nan values in its {place}th output."
                )
    finally:
        state.set_grad(before)


def has_nan(grad: Any) -> bool:
    if not isinstance(grad, Tensor) or grad._dtype_.category < dtypes.FLOATING:
        return False
    # Only what is not a number differs from itself.
    return answers.is_any(pointwise.ne_Tensor(grad, grad))


def story(node: Node) -> str:
    """Where a node was made, and the node that was running then, and so on."""
    lines = node.metadata.get(TRACEBACK)
    if lines is None:
        return (
            f"Error detected in {node.name()}. No forward pass information available. Enable detect "
            "anomaly during forward pass for more information."
        )
    text = (
        f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n"
        f"{''.join(lines)}"
    )
    parent = node.metadata.get(PARENT)
    while parent is not None:
        lines = parent.metadata.get(TRACEBACK)
        if lines is None:
            text += (
                f"\n\nPrevious calculation was induced by {parent.name()}. No forward pass "
                "information available."
            )
        else:
            text += (
                f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call "
                f"that induced the previous calculation:\n{''.join(lines)}"
            )
        parent = parent.metadata.get(PARENT)
    return text
