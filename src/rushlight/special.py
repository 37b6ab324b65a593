"""Special functions."""

from rushlight.engine.generated import special_functions
from rushlight.namespace import fill_namespace

_PREFIX = "special_"
_found: dict[str, object] = {}
fill_namespace(_found, special_functions)
globals().update({name.removeprefix(_PREFIX): value for name, value in _found.items()})
