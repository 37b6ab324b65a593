"""Extensions in C++, which cannot be built: there is no C++ here."""

from __future__ import annotations

from rushlight._names import absent_devices as _absent_devices

CUDA_HOME: str | None = None

globals().update(_absent_devices.raising(
    NotImplementedError, "torch.utils.cpp_extension.{name}: rushlight has no C++ extensions",
    ["CUDAExtension", "CppExtension", "load", "load_inline", "include_paths", "library_paths"],
))  # fmt: skip
