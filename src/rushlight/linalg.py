"""Linear algebra."""

from rushlight.engine.core.errors import LinAlgError
from rushlight.engine.generated import linalg_functions
from rushlight.namespace import fill_namespace

__all__ = ["LinAlgError"]

_PREFIX = "linalg_"
_found: dict[str, object] = {}
fill_namespace(_found, linalg_functions)
globals().update({name.removeprefix(_PREFIX): value for name, value in _found.items()})
