"""Operations on integers that sympy has none for, as functions of sympy."""

from __future__ import annotations

from typing import Any

import sympy  # type: ignore[import-untyped]
from sympy.core.sympify import converter  # type: ignore[import-untyped]
from sympy.printing.precedence import PRECEDENCE  # type: ignore[import-untyped]

from rushlight.engine.core.symbolic import SymInt

__all__ = ["CleanDiv", "FloorDiv", "Mod", "ModularIndexing", "PythonMod"]

# A symbolic integer is an `int`, of which sympy would ask the number.
converter[SymInt] = lambda x: x.node.expr._sympy_()


class FloorDiv(sympy.Function):  # type: ignore[misc]
    """A quotient, rounded down."""

    nargs = (2,)
    precedence = PRECEDENCE["Mul"]
    is_integer = True

    @property
    def base(self) -> Any:
        """What is divided."""
        return self.args[0]

    @property
    def divisor(self) -> Any:
        """What it is divided by."""
        return self.args[1]

    @classmethod
    def eval(cls, base: Any, divisor: Any) -> Any:
        """A simpler form, if there is one."""
        if divisor.is_zero:
            raise ZeroDivisionError("division by zero")
        if base.is_zero:
            return sympy.S.Zero
        if divisor == 1:
            return sympy.floor(base)
        if base.is_Integer and divisor.is_Integer:
            return sympy.Integer(int(base) // int(divisor))
        if isinstance(base, FloorDiv):
            return FloorDiv(base.base, base.divisor * divisor)
        whole = [term for term in sympy.Add.make_args(base) if (term / divisor).is_integer]
        if whole:
            taken = sympy.Add(*whole)
            return taken / divisor + FloorDiv(base - taken, divisor)
        return None

    def _sympystr(self, printer: Any) -> str:
        base, divisor = (printer.parenthesize(x, PRECEDENCE["Atom"] - 0.5) for x in self.args)
        return f"({base}//{divisor})"


class CleanDiv(FloorDiv):
    """A quotient that is known to be whole."""


class _Remainder(sympy.Function):  # type: ignore[misc]
    """What is left by a division that rounds down."""

    nargs = (2,)
    is_integer = True

    @classmethod
    def eval(cls, base: Any, divisor: Any) -> Any:
        """A simpler form, if there is one."""
        if divisor.is_zero:
            raise ZeroDivisionError("Modulo by zero")
        if base.is_Integer and divisor.is_Integer:
            return sympy.Integer(int(base) % int(divisor))
        if (base / divisor).is_integer or (base.is_integer and divisor == 1):
            return sympy.S.Zero
        if divisor == 2 and base.is_odd:
            return sympy.S.One
        return None


class Mod(_Remainder):
    """A remainder of what is not negative."""

    is_nonnegative = True


class PythonMod(_Remainder):
    """A remainder that has the sign of the divisor."""

    precedence = PRECEDENCE["Add"]

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[1].is_positive else None

    def _eval_is_nonpositive(self) -> bool | None:
        return True if self.args[1].is_negative else None

    def _ccode(self, printer: Any) -> str:
        base, divisor = (printer.parenthesize(x, PRECEDENCE["Atom"] - 0.5) for x in self.args)
        added = divisor if self.args[1].is_positive else f"abs({divisor})"
        return f"({base} % {divisor}) < 0 ? {base} % {divisor} + {added} : {base} % {divisor}"


class ModularIndexing(sympy.Function):  # type: ignore[misc]
    """The remainder of a quotient: one place of a number that has several."""

    nargs = (3,)
    is_integer = True

    @classmethod
    def eval(cls, base: Any, divisor: Any, modulus: Any) -> Any:
        """A simpler form, if there is one."""
        if base.is_zero or modulus == 1:
            return sympy.S.Zero
        if base.is_Integer and divisor.is_Integer and modulus.is_Integer:
            return sympy.Integer(int(base) // int(divisor) % int(modulus))
        return None
