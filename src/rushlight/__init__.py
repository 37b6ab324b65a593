"""The torch namespace, assembled from the operator registry."""

from rushlight import namespace as _namespace
from rushlight.engine.core import state as _state
from rushlight.engine.core.device import device
from rushlight.engine.core.dtype import *
