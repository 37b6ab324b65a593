"""How this build came to be: it was not built."""

from __future__ import annotations

import platform

from rushlight._state.settings import get_num_interop_threads
from rushlight.functional import get_num_threads
from rushlight.version import own_version

__all__ = ["parallel_info", "show"]


def show() -> str:
    """What is under the hood, in a few lines."""
    import llvmlite
    import numpy

    return (
        f"rushlight {own_version}, in Python {platform.python_version()}\n"
        f"  - kernels by LLVM, through llvmlite {llvmlite.__version__}\n"
        f"  - linear algebra and Fourier transforms through numpy {numpy.__version__}\n"
        f"  - CPU: {platform.machine()}\n"
    )


def _cxx_flags() -> str:
    """The flags of the C++ compiler: none was used."""
    return ""


def parallel_info() -> str:
    """How many threads there are."""
    return (
        f"threads of one operator: {get_num_threads()}\n"
        f"threads between operators: {get_num_interop_threads()}\n"
    )
