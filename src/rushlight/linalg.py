"""Linear algebra."""

from rushlight._names.namespace import fill_namespace
from rushlight.engine.core.errors import LinAlgError
from rushlight.engine.generated import linalg_functions

__all__ = ["LinAlgError"]

fill_namespace(globals(), linalg_functions, "linalg_")
