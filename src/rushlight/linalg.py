"""Linear algebra."""

from rushlight._names.namespace import fill_namespace
from rushlight.engine.core.errors import LinAlgError
from rushlight.engine.generated import linalg_functions

__all__ = ["LinAlgError"]

_PREFIX = "linalg_"
_found: dict[str, object] = {}
fill_namespace(_found, linalg_functions)
globals().update({name.removeprefix(_PREFIX): value for name, value in _found.items()})
