"""Conditions on sizes as expressions of sympy; sympy is not needed otherwise."""

import inspect
import subprocess
import sys

import pytest

from rushlight._dynamo.source import ConstantSource
from rushlight.fx.experimental import symbolic_shapes
from rushlight.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

sympy = pytest.importorskip("sympy")
functions = pytest.importorskip("rushlight.utils._sympy.functions")
S, T = sympy.symbols("s0 s1", positive=True, integer=True)


def constraints(values, names=None):
    sources = {s: [ConstantSource(f"x{k}")] for k, s in enumerate(values)}
    return symbolic_shapes.DimConstraints(sources, values, set(values), names or {})


def test_sympy_is_imported_when_it_is_asked_for():
    program = (
        "import sys, rushlight; from rushlight.fx.experimental import symbolic_shapes as s;"
        "assert 'sympy' not in sys.modules; s.DimConstraints; assert 'sympy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_size_that_must_be_one_number():
    found = constraints({S: sympy.Integer(4), T: sympy.Integer(8)}, {"x0": "dx", "x1": "dy"})
    assert found.add(sympy.true) and not found.add(sympy.Eq(2 * S, 8)) and not found.add(S + T > 11)
    found.add_equality(ConstantSource("z"), S + 1)
    found.solve()
    assert found._static_results == {"x0 == 4", "z == 5"} and found._dynamic_results == {"7 < dy"}
    forced = found.forced_specializations()
    assert forced == {"dx = x0": 4}
    told = found.prettify_results(inspect.signature(lambda x: x), {}, ValueError(), forced)
    assert "Specializations unexpectedly required (dx)!" in told
    assert "  dx = 4\n" in told and "dy = Dim('dy', min=8)" in told


def test_ranges_and_remainders():
    found = constraints({S: sympy.Integer(5)})
    found.add(functions.FloorDiv(S, 2) <= 10)
    found.add(S >= 3)
    found.solve()
    assert found._dynamic_results == {"3 <= x0", "x0 <= 21", "Mod(x0 + 1, 2) == 0"}
    found.add(S > 7)
    with pytest.raises(ValueError, match="s0 > 7 is inconsistent"):
        found.solve()


def test_conditions_have_one_form():
    of = symbolic_shapes.canonicalize_bool_expr
    assert of(2 * S + 4 > 2 * T) == (T < S + 2)
    assert of(sympy.Eq(2 * S + 4, 2 * T + 2)) == sympy.Eq(S + 1, T)
    assert of(sympy.Not(sympy.And(S >= T, sympy.Ne(S, T)))) == sympy.Or(S < T, sympy.Eq(S, T))
    assert of(S) is S


def test_symbols_are_sympys_and_back():
    env = ShapeEnv()
    key = env.create_symbol(4, ConstantSource("x"), DimDynamic.DYNAMIC)
    size = env.create_symintnode(key, hint=4)
    assert sympy.sympify(size * 2 + 1) == 2 * sympy.sympify(size) + 1
    assert str(sympy.sympify(size // 3)) == f"({key}//3)"
    assert symbolic_shapes.safe_expand(key * (key + 4)) == sympy.sympify(
        size
    ) ** 2 + 4 * sympy.sympify(size)
    assert bool(env.create_symboolnode(sympy.Eq(sympy.sympify(size), 4)))
    assert float(env.create_symfloatnode(sympy.sympify(size) + sympy.Float(0.5), hint=4.5)) == 4.5


def test_remainders_in_other_languages():
    u, v = sympy.symbols("u0 u1", integer=True)
    assert sympy.ccode(functions.PythonMod(u, 3)) == "(u0 % 3) < 0 ? u0 % 3 + 3 : u0 % 3"
    assert sympy.ccode(functions.PythonMod(u, v)) == "(u0 % u1) < 0 ? u0 % u1 + abs(u1) : u0 % u1"
    assert functions.PythonMod(sympy.Integer(-7), sympy.Integer(3)) == 2
    assert functions.FloorDiv(6 * u + 1, 3) == 2 * u + functions.FloorDiv(1, sympy.Integer(3))
    assert functions.ModularIndexing(sympy.Integer(23), sympy.Integer(4), sympy.Integer(3)) == 2
