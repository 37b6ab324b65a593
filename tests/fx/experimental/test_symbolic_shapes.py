"""Symbols of programs: what they are called, what is assumed of them, what can be asked."""

import math

import pytest

import rushlight as torch
from rushlight._guards import TracingContext, detect_fake_mode, tracing
from rushlight._subclasses.fake_tensor import FakeTensorMode
from rushlight.fx.experimental.symbolic_shapes import (
    DimDynamic,
    GuardOnDataDependentSymNode,
    ShapeEnv,
    StatelessSymbolicContext,
    check_consistent,
    constrain_range,
    free_symbols,
    free_unbacked_symbols,
    guard_int,
    guard_or_false,
    guard_or_true,
    has_free_symbols,
    is_concrete_int,
    statically_known_true,
    sym_eq,
)


def fakes(*sizes, **settings):
    mode = FakeTensorMode(shape_env=ShapeEnv(**settings))
    return mode, [mode.from_tensor(torch.ones(size)) for size in sizes]


def test_equal_sizes_are_one_symbol():
    _, (a, b) = fakes((3, 4), (4, 5))
    assert (
        repr(a) == "FakeTensor(..., size=(s26, s49))" and str(b.shape) == "torch.Size([s49, s70])"
    )
    assert str(b.stride()) == "(s70, 1)" and type(a.shape[0]) is torch.SymInt
    _, (a, b) = fakes((3, 4), (4, 1), duck_shape=False)
    assert len(free_symbols([a, b])) == 3 and b.shape[1] == 1


@pytest.mark.parametrize(
    ("compute", "text"),
    [
        (lambda s, t: s // 2 * 2, "2*((s26//2))"),
        (lambda s, t: (s + t) // 2, "((s26 + s49)//2)"),
        (lambda s, t: 5 - s, "5 - s26"),
        (lambda s, t: t * t * s + s * s + t + 3, "s26**2 + s26*s49**2 + s49 + 3"),
        (lambda s, t: -s - t + 5, "-s26 - s49 + 5"),
        (lambda s, t: s % 2 * 3 + t, "s49 + 3*(Mod(s26, 2))"),
        (lambda s, t: torch.sym_min(s + 1, t) * 2, "2*(Min(s49, s26 + 1))"),
        (lambda s, t: s / t, "IntTrueDiv(s26, s49)"),
        (lambda s, t: torch.sym_float(s), "ToFloat(s26)"),
        (lambda s, t: math.floor(s / 2), "(s26//2)"),
        (lambda s, t: s > 2, "s26 > 2"),
        (lambda s, t: s + 1 > t, "s26 + 1 > s49"),
        (lambda s, t: torch.sym_not(s > t), "s26 <= s49"),
        (lambda s, t: (s > 2) & (t < 5), "(s26 > 2) & (s49 < 5)"),
        (lambda s, t: s == t, "Eq(s26, s49)"),
    ],
)
def test_expressions_are_written_as_they_are_in_pytorch(compute, text):
    _, (a,) = fakes((3, 4))
    assert str(compute(*a.shape)) == text


def test_questions_become_guards():
    mode, (a,) = fakes((3, 4))
    s, t = a.shape
    assert not s > 3 and s != t and s >= 2 and s != 1
    assert mode.shape_env.format_guards() == " - s26 <= 3\n - Ne(s26, s49)"
    assert guard_int(t) == 4 and str(t) == "4" and not has_free_symbols(t)
    with mode.shape_env.suppress_guards():
        assert s > 2
    assert len(mode.shape_env.guards) == 3


def test_guards_can_be_checked():
    mode, (a,) = fakes((3, 4))
    assert a.shape[0] * 2 < a.shape[1] + 3
    env = mode.shape_env
    assert env.evaluate_guards_for_args([a], [torch.ones(3, 4)])
    assert env.evaluate_guards_for_args([a], [torch.ones(2, 4)])
    assert not env.evaluate_guards_for_args([a], [torch.ones(6, 4)])
    assert env.evaluate_symexpr("s26 + 1") == 4 and str(env.deserialize_symexpr("s26*2")) == "2*s26"


def test_some_sizes_may_be_numbers():
    mode = FakeTensorMode(shape_env=ShapeEnv())
    context = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC, DimDynamic.STATIC])
    a = mode.from_tensor(torch.ones(3, 3), symbolic_context=context)
    assert str(a.shape) == "torch.Size([s26, 3])" and is_concrete_int(a.shape[1])
    b = mode.from_tensor(torch.ones(3, 3), static_shapes=True)
    assert b.shape == (3, 3) and not has_free_symbols(b)


def test_what_elements_decide_has_no_value():
    mode, (a,) = fakes((3,))
    with mode:
        n = a.long()[0].item()
        count = a.nonzero().shape[0]
        assert str(n) == "u0" and str(count) == "u1" and len(free_unbacked_symbols([n, count])) == 2
        with pytest.raises(GuardOnDataDependentSymNode, match="u0 > 3"):
            bool(n > 3)
        with pytest.raises(GuardOnDataDependentSymNode):
            int(n)
        assert not guard_or_false(n == 5) and guard_or_true(n == 5)
        assert statically_known_true(count >= 0) and not statically_known_true(n >= 0)
        torch._check(n >= 0)
        assert statically_known_true(n + 1 > 0) and torch.zeros(n, 2).numel() == 2 * n
        (check,) = mode.shape_env.deferred_runtime_asserts.popitem()[1]
        assert str(check.expr) == "u0 >= 0"
        assert torch.unique(a).dim() == 1 and a[a > 0].dim() == 1


def test_every_shape_rule_takes_symbols():
    mode, (image, weight) = fakes((2, 3, 8, 9), (5, 3, 3, 3))
    with mode:
        made = torch.nn.functional.conv2d(image, weight, stride=2, padding=1)
        assert made.dim() == 4 and made.shape[0] == image.shape[0]
        pooled = torch.nn.functional.max_pool2d(made, 2)
        flat = pooled.flatten(1)
        assert statically_known_true(sym_eq(flat.numel(), pooled.numel()))


def test_the_mode_that_counts_is_found():
    mode = FakeTensorMode()
    assert detect_fake_mode() is None
    with mode:
        assert detect_fake_mode() is mode
    assert detect_fake_mode([1, mode.from_tensor(torch.ones(2))]) is mode
    with tracing(TracingContext(mode)):
        assert detect_fake_mode() is mode and TracingContext.get().fake_mode is mode
    with pytest.raises(RuntimeError, match="ongoing trace"):
        TracingContext.get()
    with mode, pytest.raises(AssertionError, match="doesn't match"):
        detect_fake_mode([FakeTensorMode().from_tensor(torch.ones(2))])


def test_guards_on_some_symbols_are_about_no_others():
    mode, (x, y) = fakes((5,), (7,))
    env, (a,), (b,) = mode.shape_env, x.shape, y.shape
    assert a * 2 > 7 and a + b > 11
    (about_a,) = env.get_pruned_guards([a])
    assert about_a is env.guards[0]
    assert env.get_pruned_guards([b]) == []
    assert env.get_pruned_guards([a, b]) == env.guards
    guards = env.produce_guards_expression([a], guards=[about_a])
    assert env.evaluate_guards_expression(guards, [4])
    assert not env.evaluate_guards_expression(guards, [3])


def test_numbers_are_held_within_limits():
    constrain_range(5, min=2, max=10)
    with pytest.raises(ValueError, match="Invalid value 1"):
        constrain_range(1, min=2, max=10)
    with pytest.raises(ValueError, match="can't be less"):
        constrain_range(1, min=2, max=1)
    env = ShapeEnv()
    found = env.create_unbacked_symint()
    constrain_range(found, min=2, max=10)
    assert statically_known_true(found >= 2) and not statically_known_true(found >= 3)


def test_what_differs_from_before_is_told():
    check_consistent(torch.ones(2, 3), torch.zeros(2, 3))
    for new, old in (
        (torch.ones(2, 4), torch.ones(2, 3)),
        (torch.ones(6), torch.ones(2, 3)),
        (4, 5),
    ):
        with pytest.raises(RuntimeError, match="old != new"):
            check_consistent(new, old)
    check_consistent(True, False)


def test_what_elements_decide_has_no_hash_and_remainders_have_its_sign():
    env = ShapeEnv()
    found = env.create_unbacked_symint()
    assert str(found % 2) == "PythonMod(u0, 2)"
    with pytest.raises(TypeError, match="unhashable type"):
        hash(found)
