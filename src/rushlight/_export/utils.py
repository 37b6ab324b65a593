"""Questions about the inputs of exported programs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from rushlight._capture import status

__all__ = [
    "get_buffer",
    "get_lifted_tensor_constant",
    "get_param",
    "is_buffer",
    "is_lifted_tensor_constant",
    "is_param",
]


@contextlib.contextmanager
def _compiling_state_context() -> Iterator[None]:
    """Within the block programs are told that they are exported."""
    with status.exporting():
        yield


def is_param(program: Any, node: Any) -> bool:
    """Whether a node is a parameter."""
    return node.name in program.graph_signature.inputs_to_parameters


def get_param(program: Any, node: Any) -> Any:
    """The parameter that a node is; None if it is none."""
    name = program.graph_signature.inputs_to_parameters.get(node.name)
    return None if name is None else program.state_dict[name]


def is_buffer(program: Any, node: Any) -> bool:
    """Whether a node is a buffer."""
    return node.name in program.graph_signature.inputs_to_buffers


def get_buffer(program: Any, node: Any) -> Any:
    """The buffer that a node is; None if it is none."""
    name = program.graph_signature.inputs_to_buffers.get(node.name)
    return None if name is None else dict(program.named_buffers())[name]


def is_lifted_tensor_constant(program: Any, node: Any) -> bool:
    """Whether a node is a tensor that the program has written down."""
    return node.name in program.graph_signature.inputs_to_lifted_tensor_constants


def get_lifted_tensor_constant(program: Any, node: Any) -> Any:
    """The tensor that the program has written down and a node is; None if it is none."""
    name = program.graph_signature.inputs_to_lifted_tensor_constants.get(node.name)
    return None if name is None else program.constants[name]
