"""Members of tensors that few programs still use: deprecated ones, and those of absent devices."""

from __future__ import annotations

import math
import warnings
from typing import Any

from rushlight.engine.core import tensor as tensors
from rushlight.engine.native.numpy_later import np


def _reshaped(self: Any, size: tuple[int, ...]) -> Any:
    """The same elements in another shape."""
    if math.prod(size) != self.numel():
        raise RuntimeError(
            f"requested resize to {'x'.join(map(str, size))} ({math.prod(size)} elements in "
            f"total), but the given tensor has a size of {'x'.join(map(str, self.shape))} "
            f"({self.numel()} elements). autograd's resize can only change the shape of a given "
            "tensor, while preserving the number of elements. "
        )
    return self.contiguous().view(size)


class DeprecatedMembers:
    """Members that `_tensor.attach` adds."""

    # No tensor has a name.
    name = None

    def resize(self: Any, *sizes: Any) -> Any:
        """Deprecated: a tensor of the same elements and another shape; see `reshape`."""
        warnings.warn("non-inplace resize is deprecated", stacklevel=2)
        given = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
        return _reshaped(self, tuple(given))

    def resize_as(self: Any, tensor: Any) -> Any:
        """Deprecated: a tensor of the same elements and another one's shape; see `reshape`."""
        warnings.warn("non-inplace resize_as is deprecated", stacklevel=2)
        return _reshaped(self, tuple(tensor.shape))

    @property
    def volatile(self: Any) -> bool:
        warnings.warn("volatile was removed (Variable.volatile is always False)", stacklevel=2)
        return False

    @volatile.setter
    def volatile(self: Any, value: Any) -> None:
        warnings.warn(
            "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
            stacklevel=2,
        )

    def reinforce(self: Any, reward: Any) -> None:
        """Removed; `distributions` has what takes its place."""
        raise RuntimeError(
            "reinforce() was removed.\nUse torch.distributions instead: the gradient of "
            "-log_prob(action) * reward is what reinforce gave."
        )

    def is_distributed(self: Any) -> bool:
        """Whether the tensor is spread over processes; none is."""
        return False

    def module_load(self: Any, other: Any, assign: bool = False) -> Any:
        """What `Module.load_state_dict` puts in the place of this tensor."""
        if assign:
            return other.detach()
        return self.copy_(other).detach()

    def const_data_ptr(self: Any) -> int:
        """The address of the first element, for reading only."""
        address: int = self.data_ptr()
        return address

    def record_stream(self: Any, stream: Any) -> None:
        """Tell that a stream uses the memory, which is given to nobody else before that has come so far."""
        block = self._storage_._keeper()
        if not hasattr(block, "record_stream"):
            raise RuntimeError(
                f"record_stream needs a tensor on an accelerator, and this one is on {self.device}"
            )
        block.record_stream(stream._of)

    def xpu(self: Any, *args: Any, **kwargs: Any) -> Any:
        """The tensor on an XPU."""
        raise AssertionError("Torch not compiled with XPU enabled")

    def mtia(self: Any, *args: Any, **kwargs: Any) -> Any:
        """The tensor on an MTIA device."""
        raise AssertionError("Torch not compiled with MTIA enabled.")

    def ipu(self: Any, *args: Any, **kwargs: Any) -> Any:
        """The tensor on an IPU."""
        raise RuntimeError("PyTorch is not linked with support for ipu devices")

    def map2_(self: Any, x: Any, y: Any, function: Any) -> Any:
        """Replace every element by a Python function of it and two other tensors' elements."""
        from rushlight._tensor import check_has_no_history
        from rushlight.engine.ops import bridge

        check_has_no_history("map2_", self, x, y)
        values = bridge.array(self)
        others = [bridge.array(t.expand_as(self)) for t in (x, y)]
        for position in np.ndindex(*self._size_):
            numbers = [array[position].item() for array in (values, *others)]
            values[position] = function(*numbers)
        tensors.bump_version(self)
        return self
