"""Conjugation that writes elements."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import view as calls
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.pointwise import pointwise
from rushlight.engine.ops.kinds.views import composite, explicit


@pointwise("_conj_physical", allowed="ck")
def conjugated(x: Any) -> Any:
    return x.conj()


@explicit("conj_physical_")
def conj_physical_(self: Tensor) -> Tensor:
    if self._dtype_.is_complex:
        return copies.copy_(self, calls._conj_physical(self))
    tensors.bump_version(self)
    return self


@explicit("conj_physical.out")
def conj_physical_out(self: Tensor, out: Tensor) -> Tensor:
    return outputs.copy_result(out, calls.conj_physical(self))


@composite("resolve_conj")
def resolve_conj(self: Tensor) -> Tensor:
    return copies.clone(self) if self._keys_ & key_bits.CONJUGATE else steps.Same.note(self)


@composite("resolve_neg")
def resolve_neg(self: Tensor) -> Tensor:
    return copies.clone(self) if self._keys_ & key_bits.NEGATIVE else steps.Same.note(self)
