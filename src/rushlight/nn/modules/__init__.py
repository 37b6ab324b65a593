"""The building blocks."""

import sys

from rushlight.nn.modules import margins
from rushlight.nn.modules.activation import *  # noqa: F403
from rushlight.nn.modules.batchnorm import *  # noqa: F403
from rushlight.nn.modules.container import *  # noqa: F403
from rushlight.nn.modules.conv import *  # noqa: F403
from rushlight.nn.modules.cross_channel import *  # noqa: F403
from rushlight.nn.modules.dropout import *  # noqa: F403
from rushlight.nn.modules.fractional import *  # noqa: F403
from rushlight.nn.modules.lazy import *  # noqa: F403
from rushlight.nn.modules.linear import *  # noqa: F403
from rushlight.nn.modules.loss import *  # noqa: F403
from rushlight.nn.modules.margins import *  # noqa: F403
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.normalization import *  # noqa: F403
from rushlight.nn.modules.padding import *  # noqa: F403
from rushlight.nn.modules.pooling import *  # noqa: F403
from rushlight.nn.modules.rnn import *  # noqa: F403
from rushlight.nn.modules.sequences import *  # noqa: F403
from rushlight.nn.modules.shaping import *  # noqa: F403
from rushlight.nn.modules.sparse import *  # noqa: F403
from rushlight.nn.modules.transformer import *  # noqa: F403
from rushlight.nn.modules.upsampling import *  # noqa: F403

__all__ = ["Module"]

# Files in which programs also look for classes that are elsewhere.
_ALSO_IN = {
    "activation": ("MultiheadAttention",),
    "conv": tuple(f"Lazy{kind}{n}d" for kind in ("Conv", "ConvTranspose") for n in (1, 2, 3)),
    "linear": ("LazyLinear",),
    "loss": (
        "CTCLoss", "LinearCrossEntropyLoss", "MultiLabelMarginLoss", "NLLLoss2d", *margins.__all__
    ),
    "normalization": ("CrossMapLRN2d", "LocalResponseNorm"),
    "pooling": ("FractionalMaxPool2d", "FractionalMaxPool3d"),
}  # fmt: skip
for _file, _names in _ALSO_IN.items():
    for _name in _names:
        vars(sys.modules[f"{__name__}.{_file}"]).setdefault(_name, globals()[_name])
