"""Parameters that want a gradient for each sample of a batch.

A function that takes one runs as ever. Its backward pass goes through the batch, by `vmap` of the function's own
gradients for a single sample: what arrives for parameters is put into ``grad_sample``.
"""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.nn import functional as F

# Functions whose results have a row for each row of their first argument.
_ROWS = {
    F.linear, F.conv1d, F.conv2d, F.conv3d, F.embedding, F.group_norm, F.instance_norm, F.layer_norm,
    torch.conv1d, torch.conv2d, torch.conv3d,
}  # fmt: skip
# What only asks a parameter what it is like.
_FACTS = frozenset(("__get__", "dim", "size", "numel", "is_floating_point", "is_complex"))


class ExpandedWeight(torch.Tensor):
    """A parameter that wants a gradient for each sample.

    Args:
        orig_weight: the parameter
        batch_size: how many samples there are
        loss_reduction: whether the loss is a sum over them, or a mean
    """

    orig_weight: Any
    batch_size: int
    loss_reduction: str

    def __new__(cls, orig_weight: Any, batch_size: int, loss_reduction: str) -> Any:
        if not isinstance(orig_weight, torch.Tensor):
            raise RuntimeError(
                f"Can only make Expanded Weights of Tensors, got {type(orig_weight).__name__}"
            )
        if not orig_weight.requires_grad:
            raise RuntimeError(
                "Can only build ExpandedWeights objects of tensors that require_grad"
            )
        return torch.Tensor._make_subclass(cls, orig_weight, True)

    def __init__(self, orig_weight: Any, batch_size: int, loss_reduction: str) -> None:
        self.orig_weight, self.batch_size = orig_weight, batch_size
        self.loss_reduction = loss_reduction

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = getattr(func, "__name__", str(func))
        if name in _FACTS:
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))
        if not any(func is known for known in _ROWS):
            raise RuntimeError(f"Expanded Weights encountered but cannot handle function {name}")
        names = list(kwargs or {})
        values = [*args, *(kwargs or {}).values()]
        call = _Call(func, values, len(args), names)
        return _PerSample.apply(call, *call.tensors())  # type: ignore[no-untyped-call]


class _Call:
    """A call of a function: its arguments, of which tensors may be exchanged."""

    def __init__(self, function: Any, values: list[Any], positional: int, names: list[str]) -> None:
        self.function, self.values, self.positional, self.names = (
            function,
            values,
            positional,
            names,
        )
        self.places = [k for k, v in enumerate(values) if isinstance(v, torch.Tensor)]
        self.weights: list[Any] = [
            values[k] if isinstance(values[k], ExpandedWeight) else None for k in self.places
        ]
        first = values[0]
        if first.shape[0] != self.size:
            raise RuntimeError(
                f"Expected ExpandedWeights to have batch size matching input but got input batch size of "
                f"{first.shape[0]} with ExpandedWeight of batch size {self.size}"
            )

    @property
    def size(self) -> int:
        return next(int(w.batch_size) for w in self.weights if w is not None)

    def tensors(self) -> list[Any]:
        """The tensors among the arguments, parameters as they are."""
        return [
            self.values[k] if weight is None else weight.orig_weight
            for k, weight in zip(self.places, self.weights)
        ]

    def run(self, *tensors: Any) -> Any:
        values = list(self.values)
        for place, x in zip(self.places, tensors):
            values[place] = x
        kwargs = dict(zip(self.names, values[self.positional :]))
        return self.function(*values[: self.positional], **kwargs)


class _PerSample(torch.autograd.Function):  # type: ignore[misc]
    """A call whose gradients for parameters go to ``grad_sample``."""

    @staticmethod
    def forward(ctx: Any, call: _Call, *tensors: Any) -> Any:
        ctx.call = call
        ctx.save_for_backward(*tensors)
        return call.run(*tensors)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        call, tensors = ctx.call, ctx.saved_tensors
        wanted = [
            k
            for k, x in enumerate(tensors)
            if call.weights[k] is not None or ctx.needs_input_grad[k + 1]
        ]
        # The first argument and what arrives have a row for each sample; the rest is for all.
        first, *others = tensors

        def of_sample(row: Any, arriving: Any) -> Any:
            sample = row.unsqueeze(0)

            def program(*chosen: Any) -> Any:
                given = [sample, *others]
                for k, x in zip(wanted, chosen):
                    given[k] = x
                return call.run(*given)

            chosen = [sample if k == 0 else tensors[k] for k in wanted]
            return torch.func.vjp(program, *chosen)[1](arriving.unsqueeze(0))

        found = torch.func.vmap(of_sample)(first, grad)
        result: list[Any] = [None] * len(tensors)
        for k, each in zip(wanted, found):
            weight = call.weights[k]
            if weight is not None:
                _add(weight, each)
            else:
                result[k] = each.squeeze(1) if k == 0 else each.sum(0)
        return (None, *result)


def _add(weight: ExpandedWeight, each: Any) -> None:
    """Add to what a parameter has for each sample."""
    scaled = each * weight.batch_size if weight.loss_reduction == "mean" else each
    before = getattr(weight.orig_weight, "grad_sample", None)
    weight.orig_weight.grad_sample = scaled if before is None else before + scaled
