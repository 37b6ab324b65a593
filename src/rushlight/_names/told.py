"""How functions that PyTorch writes in Python tell `__torch_function__` what was called.

They name themselves and give every argument: those without a default by position, the others by
keyword, whether the call named them or not. Functions that it binds in compiled code, and all other
functions, tell a call as it was made.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable
from typing import Any

import rushlight

# Of the functions of networks, those that PyTorch binds: in its namespace, or in `_C._nn`.
_BOUND = frozenset(
    (
        "adaptive_avg_pool1d", "avg_pool1d", "bilinear", "celu_", "channel_shuffle", "conv1d", "conv2d",
        "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
        "cosine_similarity", "hardshrink", "native_channel_shuffle", "pairwise_distance", "pdist",
        "pixel_shuffle", "pixel_unshuffle", "prelu", "relu_", "rrelu_", "selu_", "threshold_",
    )
)  # fmt: skip
_BOUND_FOR_NETWORKS = {
    name: name
    for name in (
        "avg_pool2d", "avg_pool3d", "elu_", "gelu", "hardtanh_", "leaky_relu_", "linear", "one_hot",
        "scaled_dot_product_attention", "softplus", "softshrink",
    )
} | {"logsigmoid": "log_sigmoid"}  # fmt: skip

# Functions of the namespace that PyTorch has in `torch.functional`.
_IN_FUNCTIONAL = frozenset(
    (
        "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors",
        "cartesian_prod", "cdist", "chain_matmul", "einsum", "lu", "meshgrid", "norm", "split", "stft",
        "tensordot", "unique", "unique_consecutive", "unravel_index",
    )
)  # fmt: skip
# Those among them that tell calls as they were made.
_AS_MADE = frozenset(
    ("atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors", "cartesian_prod",
     "chain_matmul", "einsum", "meshgrid", "unravel_index")
)  # fmt: skip

# Arguments that are not told.
_UNTOLD = {"glu": ("out",), "l1_loss": ("weight",)}
_BY_KEYWORD = ("constant_", "kaiming_uniform_", "normal_", "uniform_")


def compiled_names() -> dict[Any, str]:
    """What PyTorch calls the functions of networks that it binds."""
    functional = rushlight.nn.functional
    names = {getattr(functional, name): f"torch.{name}" for name in _BOUND}
    for name, bound in _BOUND_FOR_NETWORKS.items():
        names[getattr(functional, name)] = f"torch._C._nn.{bound}"
    return names


def names_in_functional() -> frozenset[str]:
    """The functions of the namespace that PyTorch has in `torch.functional`."""
    return _IN_FUNCTIONAL


Form = Callable[[tuple[Any, ...], dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]]


def _in_full(signature: inspect.Signature, name: str, by_keyword: bool) -> Form:
    """Gives a call all its arguments."""
    untold = _UNTOLD.get(name, ())
    parameters = [p for p in signature.parameters.values() if p.name not in untold]
    required = [p.name for p in parameters if p.default is p.empty and p.kind is not p.KEYWORD_ONLY]
    defaults = {p.name: p.default for p in parameters if p.name not in required}

    def form(
        args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:
            # The call itself says what is wrong with it.
            return args, kwargs
        if by_keyword:
            return (), {p.name: given.get(p.name, p.default) for p in parameters}
        return tuple(given[name] for name in required), {
            name: given.get(name, value) for name, value in defaults.items()
        }

    return form


@functools.cache
def _told_in_full() -> dict[Any, tuple[str, Any]]:
    """The functions that tell their calls in full: their names, and where they are."""
    functional = rushlight.nn.functional
    found: dict[Any, tuple[str, Any]] = {}
    bound = _BOUND | set(_BOUND_FOR_NETWORKS)
    for place, names in (
        (rushlight, _IN_FUNCTIONAL - _AS_MADE),
        (rushlight.nn.init, frozenset(_BY_KEYWORD)),
        (functional, frozenset(vars(functional)) - bound),
    ):
        for name in names:
            function = getattr(place, name, None)
            if callable(function) and not isinstance(function, type) and name[0] != "_":
                found.setdefault(function, (name, place))
    return found


@functools.cache
def _form(function: Any, name: str, place: Any) -> Form | None:
    """How a function of that name in a namespace tells its calls; None for as they were made."""
    from rushlight import overrides

    if not overrides.is_overridable_in(place, name, function):
        return None
    return _in_full(overrides.signature_of(function), name, place is rushlight.nn.init)


def as_told(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """The function and the arguments that overrides hear of."""
    if function is rushlight.einsum and len(args) == 2 and isinstance(args[1], (list, tuple)):
        # A list of operands is opened before anything is asked.
        return function, (args[0], *args[1]), kwargs
    known = _told_in_full().get(function) if isinstance(function, Hashable) else None
    form = None if known is None else _form(function, *known)
    if known is None or form is None:
        return function, args, kwargs
    args, kwargs = form(args, kwargs)
    if kwargs.get("return_indices") is True:
        # Where the largest elements are is a function of its own.
        function = getattr(rushlight.nn.functional, f"{known[0]}_with_indices", function)
    return function, args, kwargs
