"""The building blocks."""

from rushlight.nn.modules.activation import *  # noqa: F403
from rushlight.nn.modules.container import *  # noqa: F403
from rushlight.nn.modules.conv import *  # noqa: F403
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
