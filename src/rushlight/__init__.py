"""The torch namespace, assembled from the operator registry."""

import os as _os

from rushlight.engine.native.garbage import importing as _importing

with _importing():
    from rushlight import _tensor, library

from rushlight._names import namespace
from rushlight._ops import ops
from rushlight._tensor_members.construction import (
    as_tensor,
    asarray,
    from_dlpack,
    from_file,
    from_numpy,
    frombuffer,
)
from rushlight.engine.core.device import device
from rushlight.engine.core.dtype import (
    bfloat16,
    complex32,
    complex64,
    complex128,
    dtype,
    finfo,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float16,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from rushlight.engine.core.dtype import bool_ as bool
from rushlight.engine.core.errors import (
    AcceleratorError,
    FatalError,
    JITException,
    OutOfMemoryError,
)
from rushlight.engine.core.generator import Generator
from rushlight.engine.core.layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    jagged,
    layout,
    memory_format,
    per_channel_affine,
    per_channel_affine_float_qparams,
    per_channel_symmetric,
    per_tensor_affine,
    per_tensor_symmetric,
    preserve_format,
    qscheme,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
)
from rushlight.engine.core.size import Size
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated import functions

half, float, double = float16, float32, float64
short, int, long = int16, int32, int64
chalf, cfloat, cdouble = complex32, complex64, complex128

with _importing():
    namespace.fill_namespace(globals(), functions)
    namespace.fill_constructors(globals())
    _tensor.attach()

    from rushlight import autograd, fft, linalg, nn, random, signal, special

from rushlight._functions.checks import *  # noqa: E402, F403
from rushlight._functions.einsum import *  # noqa: E402, F403
from rushlight._functions.functional_tensors import *  # noqa: E402, F403
from rushlight._functions.low_rank import *  # noqa: E402, F403
from rushlight._functions.stft import *  # noqa: E402, F403
from rushlight._functions.symbolic_numbers import *  # noqa: E402, F403
from rushlight._functions.unique import *  # noqa: E402, F403
from rushlight._functions.variadic import *  # noqa: E402, F403
from rushlight._state.autocast import *  # noqa: E402, F403
from rushlight._state.devices import *  # noqa: E402, F403
from rushlight._state.settings import *  # noqa: E402, F403
from rushlight._state.streams import *  # noqa: E402, F403
from rushlight.functional import *  # noqa: E402, F403
from rushlight.random import *  # noqa: E402, F403
from rushlight.version import own_version as __version__  # noqa: E402


def __dir__():  # type: ignore[no-untyped-def]
    return sorted({*globals(), *namespace.names_found_later()})


def __getattr__(name: str):  # type: ignore[no-untyped-def]
    """Names that bring something large with them, found when they are asked for."""
    found = namespace.found_later(name)
    if namespace.stays(name):
        globals()[name] = found
    return found


if _os.environ.get("TORCH_CUDA_SANITIZER"):
    from rushlight.cuda._sanitizer import enable_cuda_sanitizer as _look_at_streams

    _look_at_streams()
