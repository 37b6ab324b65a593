"""Special functions that take as many steps as an element says: recurrences and series.

Their kernels are functions of `native.iterated`, for two operands of single or double precision.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.loops import promotion
from rushlight.engine.loops.plan import Loop
from rushlight.engine.native import iterated
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import walking_loop
from rushlight.engine.ops.kinds.pointwise import Args, Kernel, Pointwise

# A step takes about as long as moving so many bytes; most elements need some dozens.
ELEMENT_BYTES = 1 << 9


class Iterated(Kernel):
    """The kernels of an overload whose elements are computed by a function of `native.iterated`."""

    def loop(self, targets: Any, operands: Args, statics: dict[int, Any], common: dtype) -> Loop:
        kernel = iterated.KERNELS[self.rule.name, common.memory]
        return walking_loop(iterated.module, kernel, targets, operands, common, ELEMENT_BYTES)

    def compute(self) -> Any:
        """A function that gives new tensors, through single precision where the type is half."""
        planned = self.functional()

        def computed(*args: Any) -> Tensor:
            common = self.common(args)
            self.check_type(common)
            wide = dtypes.BY_MEMORY[promotion.compute_type(common)]
            if all(not isinstance(x, Tensor) or x._dtype_ is wide for x in args):
                return planned(*args)
            given = [_exact(x, wide) for x in args]
            return copies._to_copy(planned(*given), common)

        return computed


def _exact(x: Any, kind: dtype) -> Any:
    """A tensor operand in the type that is computed in."""
    return copies._to_copy(x, kind) if isinstance(x, Tensor) else x


def iterated_function(name: str, function: str, **facts: Any) -> None:
    """Let a function be the kernel of an overload and of its variants."""
    operators.when_needed(name, partial(_install, name, function, facts))


def _install(name: str, function: str, facts: dict[str, Any]) -> None:
    op = operators.operator(name)
    kernel = Iterated(op, Pointwise(function, _never_traced, **facts))
    compute = kernel.compute()

    def into(*args: Any) -> Tensor:
        return outputs.copy_result(args[-1], compute(*args[:-1]))

    def over(*args: Any) -> Tensor:
        result = compute(*args)
        outputs.check_inplace(args[0], result._size_, result._dtype_)
        return copies.copy_(args[0], result)

    operators.register_kernel(op.full_name, "CPU", compute)
    operators.register_kernel(op.full_name, "Meta", kernel.meta)
    inplaces, outs = outputs.variants(op)
    for variants, serve in ((outs, into), (inplaces, over)):
        for variant in variants:
            operators.register_kernel(variant.full_name, "CPU", serve)
            meta = Iterated(variant, kernel.rule)
            method = meta.out if serve is into else meta.inplace
            operators.register_kernel(variant.full_name, "Meta", method)


def _never_traced(*values: Any) -> Any:
    raise TypeError("the kernel is not made from a scalar function")


# the operator's name, without "special_", and the function's
_POLYNOMIALS = {
    **{
        f"{shift}chebyshev_polynomial_{kind}": f"{shift}chebyshev_{kind}"
        for shift in ("", "shifted_")
        for kind in "tuvw"
    },
    "hermite_polynomial_h": "hermite_h",
    "hermite_polynomial_he": "hermite_he",
    "laguerre_polynomial_l": "laguerre_l",
    "legendre_polynomial_p": "legendre_p",
}
for _name, _function in _POLYNOMIALS.items():
    for _overload in ("", ".x_scalar", ".n_scalar"):
        iterated_function(
            f"special_{_name}{_overload}",
            _function,
            promote="float",
            allowed="biuf",
            kernel=f"{_name}_cpu",
        )
iterated_function("igamma", "lower_gamma", allowed="hf")
iterated_function("igammac", "upper_gamma", allowed="hf")
