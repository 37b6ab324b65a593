"""Special functions."""

from rushlight._names.namespace import fill_namespace
from rushlight.engine.generated import special_functions

_PREFIX = "special_"
_found: dict[str, object] = {}
fill_namespace(_found, special_functions)
globals().update({name.removeprefix(_PREFIX): value for name, value in _found.items()})
