"""The building blocks."""

from rushlight._names import class_files as _class_files
from rushlight.nn.modules import margins, normalization, transformer, utils
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
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.normalization import *  # noqa: F403
from rushlight.nn.modules.padding import *  # noqa: F403
from rushlight.nn.modules.pooling import *  # noqa: F403
from rushlight.nn.modules.rnn import *  # noqa: F403
from rushlight.nn.modules.sequences import *  # noqa: F403
from rushlight.nn.modules.shaping import *  # noqa: F403
from rushlight.nn.modules.sparse import *  # noqa: F403
from rushlight.nn.modules.transformer import *  # noqa: F403
from rushlight.nn.modules.upsampling import *  # noqa: F403

__all__ = [
    name
    for name, found in list(globals().items())
    if isinstance(found, type) and issubclass(found, Module) and name[0] != "_"
]

_class_files.also_in(
    __name__,
    {
        "activation": ("MultiheadAttention",),
        "adaptive": ("AdaptiveLogSoftmaxWithLoss",),
        "batchnorm": (
            *(f"{lazy}BatchNorm{n}d" for lazy in ("", "Lazy") for n in (1, 2, 3)),
            "SyncBatchNorm",
        ),
        "channelshuffle": ("ChannelShuffle",),
        "conv": tuple(f"Lazy{kind}{n}d" for kind in ("Conv", "ConvTranspose") for n in (1, 2, 3)),
        "distance": ("CosineSimilarity", "PairwiseDistance"),
        "flatten": ("Flatten", "Unflatten"),
        "fold": ("Fold", "Unfold"),
        "instancenorm": (
            *(f"{lazy}InstanceNorm{n}d" for lazy in ("", "Lazy") for n in (1, 2, 3)),
            "_InstanceNorm",
        ),
        "linear": ("LazyLinear", "NonDynamicallyQuantizableLinear"),
        "linear_cross_entropy_options": ("LinearCrossEntropyOptions",),
        "loss": (
            "CTCLoss", "LinearCrossEntropyLoss", "MultiLabelMarginLoss", "NLLLoss2d",
            *margins.__all__,
        ),
        "normalization": ("CrossMapLRN2d", "LocalResponseNorm"),
        "pixelshuffle": ("PixelShuffle", "PixelUnshuffle"),
        "pooling": ("FractionalMaxPool2d", "FractionalMaxPool3d"),
    },
    {**vars(normalization), **vars(transformer), **globals()},
)  # fmt: skip
