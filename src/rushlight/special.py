"""Special functions."""

from rushlight.engine.generated import special_functions
from rushlight.namespace import fill_namespace

fill_namespace(globals(), special_functions, "special_")
