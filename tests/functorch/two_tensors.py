"""A class of tensors that consist of two, for tests."""

from __future__ import annotations

import rushlight as torch
from rushlight.utils import _pytree as pytree
from rushlight.utils._python_dispatch import return_and_correct_aliasing


class TwoTensor(torch.Tensor):
    """What is done to it is done to both parts."""

    @staticmethod
    def __new__(cls, a, b):
        return torch.Tensor._make_wrapper_subclass(
            cls,
            a.size(),
            strides=a.stride(),
            dtype=a.dtype,
            device=a.device,
            requires_grad=a.requires_grad,
        )

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __repr__(self):
        return f"TwoTensor({self.a}, {self.b})"

    def __tensor_flatten__(self):
        return ["a", "b"], None

    @staticmethod
    def __tensor_unflatten__(inner, meta, size, stride):
        return TwoTensor(inner["a"], inner["b"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        outs = []
        for part in "a", "b":
            given = pytree.tree_map_only(
                TwoTensor, lambda x, part=part: getattr(x, part), (args, kwargs)
            )
            outs.append(func(*given[0], **given[1]))
        flat, spec = pytree.tree_flatten(outs[0])
        other = pytree.tree_leaves(outs[1])
        made = [TwoTensor(x, y) if isinstance(x, torch.Tensor) else x for x, y in zip(flat, other)]
        return return_and_correct_aliasing(func, args, kwargs, pytree.tree_unflatten(made, spec))
