"""The older name of `rushlight.ao.nn.qat`."""

from rushlight.nn import _older

_older.stand_in(__name__, "qat")
