"""Parameters of which some elements are kept at zero, by masks."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

import rushlight

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured",
    "PruningContainer", "RandomStructured", "RandomUnstructured", "custom_from_mask",
    "global_unstructured", "identity", "is_pruned", "l1_unstructured", "ln_structured",
    "random_structured", "random_unstructured", "remove",
]  # fmt: skip


class BasePruningMethod(ABC):
    """The hook that masks a parameter before each call; subclasses find the mask.

    ``PRUNING_TYPE`` is ``"unstructured"``, ``"structured"`` or ``"global"``.
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask for elements of such importance, within the one that is there."""

    def apply_mask(self, module: Any) -> Any:
        """The parameter with the masked elements at zero."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, self._tensor_name + "_mask")
        original = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Mask a module's parameter, beside the masks that it has."""
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = name
        before = _hooks_for(module, name)
        if len(before) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}."
            )
        for key, hook in before.items():
            container = hook
            if not isinstance(hook, PruningContainer):
                container = PruningContainer(hook)
            container.add_pruning_method(method)
            del module._forward_pre_hooks[key]
            method = container
        original = getattr(module, name)
        if importance_scores is None:
            importance_scores = original
        elif importance_scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}"
            )
        if not before:
            module.register_parameter(f"{name}_orig", module._parameters.pop(name))
            default_mask = rushlight.ones_like(original)
        else:
            default_mask = getattr(module, f"{name}_mask").detach().clone()
        try:
            with rushlight.no_grad():
                mask = method.compute_mask(importance_scores, default_mask)
            module.register_buffer(f"{name}_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            # A method that fails, in whatever way, leaves the module as it was.
            if not before:
                module._buffers.pop(f"{name}_mask", None)
                original = module._parameters.pop(f"{name}_orig")
                module.__dict__.pop(name, None)
                module.register_parameter(name, original)
            raise
        return method

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """A tensor with the masked elements at zero, without a module."""
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        if default_mask is None:
            default_mask = rushlight.ones_like(t)
        return t * self.compute_mask(importance_scores, default_mask)

    def remove(self, module: Any) -> None:
        """Make the masked parameter an ordinary one."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        module.__dict__.pop(name, None)
        original = module._parameters.pop(name + "_orig")
        original.data = weight.data
        del module._buffers[name + "_mask"]
        module.register_parameter(name, original)


def _hooks_for(module: Any, name: str) -> dict[Any, Any]:
    return {
        key: hook
        for key, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    }


class PruningContainer(BasePruningMethod):
    """Several masks of one parameter, found one after the other."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        if len(args) == 1 and not isinstance(args[0], Iterable):
            self._tensor_name = args[0]._tensor_name
        for method in args if len(args) != 1 or not isinstance(args[0], Iterable) else args[0]:
            self._tensor_name = getattr(self, "_tensor_name", method._tensor_name)
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Add one more."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> BasePruningMethod:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The last method's mask, found among the elements that are still there."""
        method, mask = self._pruning_methods[-1], default_mask
        mask = mask.to(dtype=t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            chosen: Any = mask == 1
        elif method.PRUNING_TYPE == "structured":
            dim = method.dim % t.dim()  # type: ignore[attr-defined]
            others = [d for d in range(t.dim()) if d != dim]
            kept = mask.sum(dim=others) != 0
            chosen = [slice(None)] * t.dim()
            chosen[dim] = kept
            chosen = tuple(chosen)
        elif method.PRUNING_TYPE == "global":
            chosen = (slice(None),) * t.dim()
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        partial = method.compute_mask(t[chosen], default_mask=mask[chosen])
        mask[chosen] = partial.to(mask.dtype)
        return mask


class Identity(BasePruningMethod):
    """Masks nothing."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask


class _OfAmount(BasePruningMethod):
    """Masks so many elements, or such a share of them."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def count(self, size: int) -> int:
        """How many of so many are masked."""
        wanted = _compute_nparams_toprune(self.amount, size)
        if isinstance(self.amount, numbers.Integral) and self.amount > size:
            raise ValueError(
                f"amount={self.amount} should be smaller than the number of parameters to "
                f"prune={size}"
            )
        return wanted


def _validate_pruning_amount_init(amount: Any) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if (whole and amount < 0) or (not whole and not 0.0 <= float(amount) <= 1.0):
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
        )


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    """How many of so many elements an amount means."""
    return int(amount) if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


class RandomUnstructured(_OfAmount):
    """Masks elements at random."""

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        count = self.count(t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[rushlight.rand_like(t).view(-1).topk(count).indices] = 0
        return mask


class L1Unstructured(_OfAmount):
    """Masks the smallest elements."""

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        count = self.count(t.nelement())
        mask = default_mask.clone()
        if count:
            smallest = t.abs().view(-1).topk(count, largest=False).indices
            mask.view(-1)[smallest] = 0
        return mask


class _Structured(_OfAmount):
    """Masks whole slices along a dimension."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def importance(self, t: Any) -> Any:
        """How important each slice is."""
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        if t.dim() <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor "
                f"of shape {t.shape} with {t.dim()} dims"
            )
        if not -t.dim() <= self.dim < t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        slices = t.shape[self.dim]
        count = self.count(slices)
        if count == 0:
            return default_mask
        kept = self.importance(t).topk(slices - count).indices
        mask = rushlight.zeros_like(t)
        chosen: list[Any] = [slice(None)] * t.dim()
        chosen[self.dim] = kept
        mask[tuple(chosen)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_Structured):
    """Masks whole slices at random."""

    def importance(self, t: Any) -> Any:
        return rushlight.rand(t.shape[self.dim])


class LnStructured(_Structured):
    """Masks the slices with the smallest norms."""

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def importance(self, t: Any) -> Any:
        others = [d for d in range(t.dim()) if d != self.dim % t.dim()]
        return rushlight.norm(t, p=self.n, dim=others)


class CustomFromMask(BasePruningMethod):
    """Masks what a given mask says."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        if default_mask.shape != self.mask.shape:
            raise AssertionError("the mask should have the shape of the parameter")
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def identity(module: Any, name: str) -> Any:
    """Give a parameter a mask of ones."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """Mask elements of a parameter at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: float, importance_scores: Any = None) -> Any:
    """Mask the smallest elements of a parameter."""
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """Mask slices of a parameter at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Any = None
) -> Any:
    """Mask the slices of a parameter with the smallest norms."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Any) -> Any:
    """Mask a parameter by a given mask."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Mask elements of several parameters, compared with each other.

    Args:
        parameters: pairs of a module and a name
        pruning_method: an unstructured method's class
        importance_scores: tensors by such pairs, in place of the parameters
        kwargs: the method's settings
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = list(parameters)
    values = [scores.get((m, name), getattr(m, name)) for m, name in pairs]
    masks = [getattr(m, name + "_mask", rushlight.ones_like(getattr(m, name))) for m, name in pairs]
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    container = PruningContainer()
    container._tensor_name = method._tensor_name = "temp"
    container.add_pruning_method(method)
    flat = [rushlight.cat([t.detach().reshape(-1) for t in group]) for group in (values, masks)]
    final = container.compute_mask(*flat)
    for (module, name), part in zip(pairs, final.split([v.numel() for v in values])):
        custom_from_mask(module, name, part.view_as(getattr(module, name)))


def remove(module: Any, name: str) -> Any:
    """Make a masked parameter an ordinary one."""
    for key, hook in _hooks_for(module, name).items():
        hook.remove(module)
        del module._forward_pre_hooks[key]
        return module
    raise ValueError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module: Any) -> bool:
    """Whether the module or one inside of it has a masked parameter."""
    return any(
        isinstance(hook, BasePruningMethod)
        for inner in module.modules()
        for hook in inner._forward_pre_hooks.values()
    )
