"""Errors that several families raise."""

from __future__ import annotations

from rushlight.engine.core import state
from rushlight.engine.core.dtype import dtype
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.promotion import title


class NoElements(RuntimeError):
    """A kernel asks a tensor on the meta device for an element."""


def not_implemented(kernel: str, kind: dtype) -> NotImplementedError:
    """PyTorch's way of saying that a kernel has no version for a type."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{title(kind)}'")


def check_deterministic(name: str) -> None:
    """Refuse an operator that has no deterministic implementation in PyTorch, if that is wished."""
    if not state.deterministic:
        return
    wish = ", warn_only=True" if state.deterministic_warns else ""
    text = (
        f"{name} does not have a deterministic implementation, but you set "
        f"'torch.use_deterministic_algorithms(True{wish})'. "
    )
    issue = (
        "file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding "
        "deterministic support for this operation."
    )
    if state.deterministic_warns:
        steps.warn(f"{text}You can {issue}", stacklevel=2)
        return
    raise RuntimeError(
        f"{text}You can turn off determinism just for this operation, or you can use the "
        f"'warn_only=True' option, if that's acceptable for your application. You can also {issue}"
    )
