"""The module that ``from torch.ops import aten`` means: the object that `rushlight.ops` is."""

import sys

from rushlight._ops import ops

sys.modules[__name__] = ops
