"""Classes of sparse tensors of a GPU: nothing is an instance of them, and none can be made."""

from __future__ import annotations

from typing import Any, NoReturn

_CLASSES = [
    "BFloat16Tensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor",
    "LongTensor", "ShortTensor",
]  # fmt: skip
__all__: list[str] = []
__all__ += _CLASSES


def _refuse(cls: type, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(
        f"type torch.cuda.sparse.{cls.__name__} not available. Torch not compiled with CUDA enabled."
    )


for _name in _CLASSES:
    globals()[_name] = type(_name, (), {"__new__": _refuse, "__module__": "torch.cuda.sparse"})
