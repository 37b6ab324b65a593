"""The older names of transformations: programs import them from `functorch`, which means this package."""

from rushlight._functorch.deprecated import (
    combine_state_for_ensemble,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    make_functional,
    make_functional_with_buffers,
    vjp,
    vmap,
)
from rushlight._functorch.make_functional import FunctionalModule, FunctionalModuleWithBuffers
from rushlight._functorch.python_key import make_fx  # type: ignore[attr-defined]
from rushlight.torch_version import __version__

__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "__version__", "combine_state_for_ensemble",
    "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "make_functional",
    "make_functional_with_buffers", "make_fx", "vjp", "vmap",
]  # fmt: skip
