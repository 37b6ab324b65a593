"""The operators' samples at which gradients are checked against finite differences."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from rushlight.engine.autograd import derivative_table, registry
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.ops import samples

# What has no gradient: questions, whole numbers, functions without a known one.
WITHOUT_GRADIENT = re.compile(
    r"(_pixel_index|bitwise_|logical_|is(nan|inf|posinf|neginf|in)|signbit|(eq|ne|ge|le|gt|lt)\.|gcd|lcm"
    r"|special_(airy|bessel|modified_bessel_k|scaled|spherical))"
)
RANDOM = re.compile(
    r"(normal|_standard_gamma|bernoulli|poisson|binomial|.*dropout.*|uniform|log_normal|cauchy|exponential"
    r"|geometric|random)"
)
# Made of operators that have a rule; a few have one of their own besides.
COMPOSED = (
    "copy", "fill.Scalar", "fill.Tensor", "masked_fill.Tensor", "masked_scatter", "narrow",
    "narrow_copy", "put", "special_zeta", "stack",
)  # fmt: skip
# Rules that no sample can reach, and why.
UNREACHED = {
    "_lazy_clone": "the same step as clone",
    "_pin_memory": "needs memory of an accelerator",
    "_prelu_kernel": "has a kink in zero for both arguments",
    "special_zeta.self_scalar": "as special_zeta",
    "special_zeta.other_scalar": "has no derivative by its first argument",
    "nextafter": "a step as small as rounding",
    "_ctc_loss": "gives the gradient of scores before a softmax; tests/engine/ops/losses checks it",
}


@dataclass
class Sample:
    """A function of tensors that require gradients."""

    call: Callable[..., Any]
    tensors: list[Any]


@cache
def known() -> dict[str, samples.Sample]:
    """Every sample of an operator that has a rule of its own, by its title."""
    return {
        sample.title: sample
        for name in (*ruled(), *COMPOSED)
        if name not in UNREACHED
        for sample in samples.of_operator(name)
        if operators.operator(name).family != "sparse"
    }


def names() -> list[str]:
    return list(known())


def complex_names() -> list[str]:
    """The samples that may have complex elements."""
    return [title for title, sample in known().items() if not sample.is_real]


def make(title: str, kind: str = "float64") -> Sample:
    call = known()[title].draw(kind)
    return Sample(call.run, [tensor.requires_grad_() for tensor in call.tensors])


@cache
def ruled() -> list[str]:
    """The functional overloads that have a rule of their own and something to differentiate."""
    found = []
    for op in samples.every_operator():
        name = op.base_name
        writes = any(argument.is_write for argument in op.schema.arguments)
        if writes or op.registered(operators.IMPLICIT) is not None or is_without_gradient(name):
            continue
        if not refuses(op) and registry.has_rule(op):
            found.append(name)
    return found


def refuses(op: Any) -> bool:
    """Whether an operator is known to have no gradient."""
    formulas = (derivative_table.entry_for(op) or {}).get("gradients", {}).values()
    if formulas and all(text.startswith(("not_implemented(", "refused(")) for text in formulas):
        return True
    return derivative_table.is_declared_nondifferentiable(op)


def is_without_gradient(name: str) -> bool:
    return bool(WITHOUT_GRADIENT.match(name) or RANDOM.match(name))


def unchecked() -> list[str]:
    """Overloads with a rule that no sample reaches."""
    checked = {sample.name for sample in known().values()} | {*UNREACHED, *samples.unsampled}
    return [n for n in ruled() if n not in checked and operators.operator(n).family != "sparse"]
