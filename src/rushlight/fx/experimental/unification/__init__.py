"""Finding values of variables that make two values equal."""

from __future__ import annotations

from rushlight.fx.experimental.unification.core import reify, unify
from rushlight.fx.experimental.unification.variable import Var, isvar, var, variables, vars

__all__ = ["Var", "isvar", "reify", "unify", "var", "variables", "vars"]
