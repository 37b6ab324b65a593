"""Special functions."""

from rushlight._names.namespace import fill_namespace
from rushlight.engine.generated import special_functions

fill_namespace(globals(), special_functions, "special_")
