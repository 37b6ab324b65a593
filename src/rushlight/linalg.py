"""Linear algebra."""

from rushlight.engine.core.errors import LinAlgError
from rushlight.engine.generated import linalg_functions
from rushlight.namespace import fill_namespace

__all__ = ["LinAlgError"]

fill_namespace(globals(), linalg_functions, "linalg_")
