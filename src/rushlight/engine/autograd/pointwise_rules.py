"""Rules of pointwise operators, from their scalar functions.

The gradient of a pointwise operator is a pointwise operator again: its scalar function is the
derivative of the first one, made by running it on dual numbers, and so one fused loop. Where an
operator's entry gives a scalar formula, that is differentiated no further: `partial`
is the derivative itself, `scalar` the whole gradient. Being operators, gradients have rules of
their own, to every order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from rushlight.engine.autograd.derivative_table import Entry, entry_for, functional_name, namespace
from rushlight.engine.autograd.rules import Rule
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Argument
from rushlight.engine.dispatch.source import define, identifier
from rushlight.engine.loops import differentiation, expr
from rushlight.engine.loops.dual import NoDerivative
from rushlight.engine.loops.expr import Complex, Value
from rushlight.engine.native.forks import hold_over_fork
from rushlight.engine.ops.gradients import zeros
from rushlight.engine.ops.kinds import pointwise
from rushlight.engine.ops.losses import reduced


def rule_for(op: Operator, entry: Entry | None) -> Rule | None:
    """The rule of a pointwise operator; None for another."""
    functional = functional_form(op)
    kernel = None if functional is None else pointwise_kernel(functional)
    if functional is None or kernel is None or len(functional.schema.returns) != 1:
        return None
    entry = entry or {}
    gradients: dict[str, str] = dict(entry.get("gradients", {}))
    names: dict[str, Any] = dict(namespace(entry["family"])) if gradients else {}
    names["for_each"] = reduced.for_each
    grad = gradient_of_elements(functional)
    for argument in functional.schema.arguments:
        if argument.type.required.plain != "Tensor":
            continue
        name = identifier(argument.name)
        if name in gradients or name in kernel.rule.flat:
            continue
        gradient = Gradient(functional, kernel.rule, argument, entry)
        if gradient.exists:
            call = f"gradient_of_{name}"
            names[call] = gradient
            gradients[name] = f"{call}({grad}, {', '.join(gradient.given)})"
    facts = {**entry, "gradients": gradients, "family": op.family}
    return Rule(op, facts, names) if gradients else None


def functional_form(op: Operator) -> Operator | None:
    if not op.schema.is_inplace:
        return op
    return operators.find(f"{op.namespace}::{functional_name(op)}")


def pointwise_kernel(op: Operator) -> pointwise.Kernel | None:
    """The kernel object of a pointwise operator."""
    registry.load_family(op.family)
    op.settle()
    return pointwise.kernels.get(op.full_name) or reduced.kernels.get(op.full_name)


def gradient_of_elements(op: Operator) -> str:
    """The source of what arrives at every element: losses may have been reduced."""
    if op.full_name not in reduced.kernels:
        return "grad"
    sizes = [f"{identifier(a.name)}.shape" for a in op.schema.arguments if a.is_tensor_like]
    return f"for_each(grad, reduction, {', '.join(sizes)})"


def derived(op: Operator, argument: str) -> Operator:
    """The operator that is the gradient of another one for an argument."""
    rule = rule_for(op, entry_for(op))
    assert rule is not None
    found: Gradient = rule.names[f"gradient_of_{argument}"]
    return found.operator()


_making = threading.RLock()
hold_over_fork(_making)


class Gradient:
    """The gradient of a pointwise operator for one argument, as an operator made when first used."""

    def __init__(
        self, op: Operator, rule: pointwise.Pointwise, argument: Argument, entry: Entry
    ) -> None:
        self.op, self.rule, self.argument = op, rule, argument
        self.name = identifier(argument.name)
        self.names = [identifier(a.name) for a in op.schema.arguments]
        self.formula: str | None = None
        self.is_partial = False
        for field, partial in (("partial", True), ("scalar", False)):
            if self.name in entry.get(field, {}):
                self.formula, self.is_partial = entry[field][self.name], partial
        self.flat = tuple(entry.get("flat", {}).get(self.name, "").replace(",", " ").split())
        self.steps = entry.get("steps") == self.name
        declared = self.formula is not None
        self.exists = declared or not (entry.get("partial") or entry.get("scalar"))
        self.given = [*self.names]
        if self.formula is not None:
            used = {
                n for n in (*self.names, "result")
                if n in compile(self.formula, "<formula>", "eval").co_names
            }  # fmt: skip
            self.given = [n for n in (*self.names, "result") if n in used]
        self._call: Callable[..., Any] | None = None

    def __call__(self, grad: Any, *given: Any) -> Any:
        if self.steps and given[self.given.index(self.name)]._dtype_.category != dtypes.COMPLEX:
            return zeros(grad)
        if self._call is None:
            self._call = self.make()
        try:
            return self._call(grad, *given)
        except NoDerivative as error:
            raise RuntimeError(
                f"derivative for {self.op.full_name} is not implemented: {error}"
            ) from None

    def make(self) -> Callable[..., Any]:
        from rushlight.engine.dispatch.call_cache import public_function

        found = self.operator()
        return public_function(found.base_name, found.call)

    def operator(self) -> Operator:
        """Register the operator, unless it is known from the other form of the first one."""
        name = f"rushlight::grad_{identifier(self.op.base_name)}_of_{self.name}"
        # Threads that make the same pass must not find it before it has its kernels.
        with _making:
            found = operators.find(name)
            if found is None:
                found = operators.add(Operator(self.schema(name)))
                pointwise.install(found, self.pointwise_rule(found))
                found.restored_by = derived, (self.op, self.name)
        return found

    def schema(self, name: str) -> str:
        by_name = {identifier(a.name): a for a in self.op.schema.arguments}
        grad = "d_result"
        while grad in self.given:
            grad = f"d_{grad}"
        parts = [f"Tensor {grad}"]
        for given in self.given:
            argument = by_name.get(given)
            kind = "Tensor" if argument is None else str(argument.type)
            # A new operator's own result is called so.
            parts.append(f"{kind} {'y' if argument is None else argument.name}")
        return f"{name}({', '.join(parts)}) -> Tensor"

    def pointwise_rule(self, op: Operator) -> pointwise.Pointwise:
        known = set(self.given)
        rule = self.rule
        return pointwise.Pointwise(
            op.base_name,
            self.body(),
            allowed="hfc",
            kernel=rule.kernel or rule.name,
            defaults={k: v for k, v in rule.defaults.items() if k in known},
            compiled=tuple(n for n in rule.compiled if n in known),
            separate=tuple(n for n in rule.separate if n in known),
            rounded=rule.rounded,
            typed=True,
            flat=self.flat,
        )

    def body(self) -> Callable[..., Any]:
        """The scalar function: common type, gradient and arguments -> gradient of the argument."""
        if self.formula is not None:
            return self.formula_body(self.formula)
        place = self.names.index(self.name)
        rule = self.rule

        def gradient(common: Any, grad: Any, *args: Any) -> Any:
            def forward(*values: Any) -> Any:
                found = rule.body(common, *values) if rule.typed else rule.body(*values)
                return found

            return shaped(differentiation.pullback(forward, place, grad, args), grad)

        return gradient

    def formula_body(self, formula: str) -> Callable[..., Any]:
        names = {**SCALAR, **scalar_names(self.op.family)}
        source = (
            f"def formula(grad{''.join(', ' + n for n in self.given)}):\n    return {formula}\n"
        )
        function = define("formula", source, names, f"{self.op.full_name} {self.name}")

        def gradient(common: Any, grad: Any, *args: Any) -> Any:
            found = function(grad, *args)
            if self.is_partial:
                found = grad * conj(found) if not isinstance(found, (int, float)) else grad * found
            return shaped(found, grad)

        return gradient


def shaped(found: Any, grad: Any) -> Any:
    """A gradient as complex as its type says."""
    if isinstance(grad, Complex):
        return expr.as_complex(found, grad)
    # What is always the same is so also where the arriving gradient is infinite.
    return expr.as_value(found, grad.type) if isinstance(found, (int, float)) else found


def conj(x: Any) -> Any:
    return x.conj() if isinstance(x, Complex) else x


def where(condition: Value, a: Any, b: Any) -> Any:
    """`select` that takes plain numbers on both sides."""
    like = next((x for x in (a, b) if isinstance(x, (Value, Complex))), condition)
    if isinstance(a, Complex) or isinstance(b, Complex):
        return expr.select(condition, expr.as_complex(a, like), expr.as_complex(b, like))
    return expr.select(condition, expr.as_value(a, like.type), expr.as_value(b, like.type))


def scalar_names(family: str) -> dict[str, Any]:
    """Scalar helpers of a family, in its `scalar_rules.py`."""
    import importlib
    import importlib.util

    module = f"rushlight.engine.ops.{family}.scalar_rules"
    return vars(importlib.import_module(module)) if importlib.util.find_spec(module) else {}


def _either(name: str) -> Callable[..., Any]:
    from rushlight.engine.loops import maths

    def function(x: Any, *others: Any) -> Any:
        if isinstance(x, Complex) or any(isinstance(o, Complex) for o in others):
            return getattr(maths.complex_functions, name)(x, *others)
        return getattr(maths, name)(x, *others)

    return function


def _scalar_functions() -> dict[str, Any]:
    from rushlight.engine.loops import maths

    names: dict[str, Any] = {n: _either(n) for n in maths.FUNCTIONS}
    names.update(
        where=where, conj=conj, sqrt=_sqrt, Complex=Complex, maths=maths, expr=expr,
        isnan=expr.isnan, floor=expr.floor, trunc=expr.trunc, copysign=expr.copysign,
        minimum=expr.minimum, maximum=expr.maximum, real=real, imag=imag, is_complex=is_complex,
        absolute=absolute, sign=sign,
    )  # fmt: skip
    return names


def is_complex(x: Any) -> bool:
    return isinstance(x, Complex)


def real(x: Any) -> Any:
    return x.real if isinstance(x, Complex) else x


def imag(x: Any) -> Any:
    return x.imag if isinstance(x, Complex) else x * 0


def absolute(x: Any) -> Any:
    from rushlight.engine.loops.maths import hypot

    return hypot(x.real, x.imag) if isinstance(x, Complex) else abs(x)


def sign(x: Any) -> Any:
    """-1, 0 or 1; of a complex number, the point of the unit circle in its direction."""
    if isinstance(x, Complex):
        size = absolute(x)
        zero = size == 0
        safe = where(zero, 1, size)
        return where(zero, x * 0, Complex(x.real / safe, x.imag / safe))
    return where(x > 0, x * 0 + 1, where(x < 0, x * 0 - 1, x * 0))


def _sqrt(x: Any) -> Any:
    from rushlight.engine.loops.maths import complex_functions as on_complex

    return on_complex.sqrt(x) if isinstance(x, Complex) else expr.sqrt(x)


SCALAR = _scalar_functions()
