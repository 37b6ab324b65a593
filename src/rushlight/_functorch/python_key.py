"""Names of tracing that `functorch` shows."""

from rushlight._names.absent import absent_functions

globals().update(absent_functions(__name__, ["make_fx"], "tracing of operators"))
