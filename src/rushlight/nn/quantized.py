"""The older name of `rushlight.ao.nn.quantized`."""

from rushlight.nn import _older

_older.stand_in(__name__, "quantized")
