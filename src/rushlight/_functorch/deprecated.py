"""What `functorch` called its functions before they moved to `torch.func`: each warns of it."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from rushlight import func
from rushlight._functorch import apis, eager_transforms
from rushlight._functorch import make_functional as _modules

_MODULES = {
    "make_functional": "torch.func.functional_call",
    "make_functional_with_buffers": "torch.func.functional_call",
    "combine_state_for_ensemble": "torch.func.stack_module_state",
}


def get_warning(api: str, new_api: str | None = None, replace_newlines: bool = False) -> str:
    """What is said of an old name."""
    new_api = new_api or f"torch.func.{api}"
    text = (
        "We've integrated functorch into PyTorch. As the final step of the integration, `functorch."
        f"{api}` is deprecated as of PyTorch \n2.0 and will be deleted in a future version of PyTorch >= "
        f"2.3. Please use `{new_api}` instead; see the PyTorch 2.0 release notes and/or the `torch.func` "
        "migration guide for more details https://pytorch.org/docs/main/func.migrating.html"
    )
    return text.replace("\n", "") if replace_newlines else text


def warn_deprecated(api: str, new_api: str | None = None) -> None:
    warnings.warn(get_warning(api, new_api, True), FutureWarning, stacklevel=3)


def _old(function: Callable[..., Any], new_api: str | None = None) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        warn_deprecated(function.__name__, new_api)
        return function(*args, **kwargs)

    return wrapper


vmap = _old(apis.vmap, "torch.vmap")
grad = _old(apis.grad)
grad_and_value = _old(apis.grad_and_value)
vjp = _old(eager_transforms.vjp)
jvp = _old(eager_transforms.jvp)
jacrev = _old(eager_transforms.jacrev)
jacfwd = _old(eager_transforms.jacfwd)
hessian = _old(eager_transforms.hessian)
functionalize = _old(func.functionalize)  # type: ignore[attr-defined]
make_functional = _old(_modules.make_functional, _MODULES["make_functional"])
make_functional_with_buffers = _old(
    _modules.make_functional_with_buffers, _MODULES["make_functional_with_buffers"]
)
combine_state_for_ensemble = _old(
    _modules.combine_state_for_ensemble, _MODULES["combine_state_for_ensemble"]
)
