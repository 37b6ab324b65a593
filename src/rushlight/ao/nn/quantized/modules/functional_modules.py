"""Sums, products and their kin as modules, so that observers can follow their results."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight import nn

__all__ = ["FXFloatFunctional", "FloatFunctional", "QFunctional"]


class FXFloatFunctional(nn.Module):
    """The operations as they are, without an observer."""

    def forward(self, x: Any) -> Any:
        """Raises: there are methods for each operation."""
        raise RuntimeError(
            "FloatFunctional is not intended to use the 'forward'. Please use the underlying operation"
        )

    def _seen(self, result: Any) -> Any:
        return result

    def add(self, x: Any, y: Any) -> Any:
        """The sum."""
        return self._seen(rushlight.add(x, y))

    def add_scalar(self, x: Any, y: Any) -> Any:
        """The sum with a number."""
        return rushlight.add(x, y)

    def mul(self, x: Any, y: Any) -> Any:
        """The product."""
        return self._seen(rushlight.mul(x, y))

    def mul_scalar(self, x: Any, y: Any) -> Any:
        """The product with a number."""
        return rushlight.mul(x, y)

    def cat(self, x: Any, dim: int = 0) -> Any:
        """Tensors behind one another."""
        return self._seen(rushlight.cat(x, dim=dim))

    def add_relu(self, x: Any, y: Any) -> Any:
        """The sum, without what is negative."""
        return self._seen(nn.functional.relu(rushlight.add(x, y)))

    def matmul(self, x: Any, y: Any) -> Any:
        """The product of matrices."""
        return self._seen(rushlight.matmul(x, y))


class FloatFunctional(FXFloatFunctional):
    """The operations, each followed by an observer once the model is prepared."""

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process = nn.Identity()

    def _seen(self, result: Any) -> Any:
        return self.activation_post_process(result)


class QFunctional(nn.Module):
    """The operations of quantized tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.scale: Any = 1.0
        self.zero_point: Any = 0
        self.activation_post_process = nn.Identity()

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "scale"] = rushlight.tensor(self.scale)
        destination[prefix + "zero_point"] = rushlight.tensor(self.zero_point)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, *rest: Any
    ) -> None:
        self.scale = float(state_dict.pop(prefix + "scale"))
        self.zero_point = int(state_dict.pop(prefix + "zero_point"))
        super()._load_from_state_dict(state_dict, prefix, local_metadata, False, *rest)

    def _get_name(self) -> str:
        return "QFunctional"

    def extra_repr(self) -> str:
        return f"scale={self.scale}, zero_point={self.zero_point}"

    def forward(self, x: Any) -> Any:
        """Raises: there are methods for each operation."""
        raise RuntimeError(
            "Functional is not intended to use the 'forward'. Please use the underlying operation"
        )

    def _call(self, name: str, *args: Any) -> Any:
        operator = getattr(rushlight.ops.quantized, name)
        return self.activation_post_process(operator(*args, self.scale, self.zero_point))

    def add(self, x: Any, y: Any) -> Any:
        """The sum."""
        return self._call("add", x, y)

    def add_scalar(self, x: Any, y: Any) -> Any:
        """The sum with a number."""
        return rushlight.ops.quantized.add(x, y)

    def mul(self, x: Any, y: Any) -> Any:
        """The product."""
        return self._call("mul", x, y)

    def mul_scalar(self, x: Any, y: Any) -> Any:
        """The product with a number."""
        return rushlight.ops.quantized.mul(x, y)

    def cat(self, x: Any, dim: int = 0) -> Any:
        """Tensors behind one another."""
        made = rushlight.ops.quantized.cat(x, dim, self.scale, self.zero_point)
        return self.activation_post_process(made)

    def add_relu(self, x: Any, y: Any) -> Any:
        """The sum, without what is negative."""
        return self._call("add_relu", x, y)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> QFunctional:
        """The operations of a module that an observer has followed."""
        if type(mod) is not FloatFunctional:
            raise AssertionError("QFunctional.from_float expects an instance of FloatFunctional")
        scale, zero_point = mod.activation_post_process.calculate_qparams()
        made = cls()
        made.scale, made.zero_point = float(scale), int(zero_point)
        return made
