"""Names that `functorch` kept apart from the others."""

from rushlight._functorch.apis import chunk_vmap
from rushlight._functorch.batch_norm_replacement import replace_all_batch_norm_modules_
from rushlight._functorch.eager_transforms import hessian, jacfwd, jvp
from rushlight.func import functionalize  # type: ignore[attr-defined]

__all__ = [
    "chunk_vmap",
    "functionalize",
    "hessian",
    "jacfwd",
    "jvp",
    "replace_all_batch_norm_modules_",
]
