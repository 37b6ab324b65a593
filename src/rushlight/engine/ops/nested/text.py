"""How a nested tensor with a place for each element is written."""

from __future__ import annotations

from typing import Any


def text(x: Any) -> str:
    """The elements one below the other."""
    shown = ",\n".join(
        "\n".join(
            "  " + line for line in repr(e.detach().requires_grad_(x.requires_grad)).split("\n")
        )
        for e in x.unbind()
    )
    gradient = ", requires_grad=True" if x.requires_grad else ""
    if x.grad_fn is not None:
        gradient = f", grad_fn=<{x.grad_fn.name()}>"
    return f"nested_tensor([\n{shown}\n]{gradient})"
