"""Values that kernels compute behind a branch."""

import numpy as np

import rushlight as rl
from rushlight.engine.loops.expr import arg, rarely, sqrt
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.target import host_target


def test_the_cost_leaves_out_the_rare_value():
    x = arg(0, "f32")
    rare = sqrt(sqrt(sqrt(x * x + 1) + 2) + 3)
    program = Program([rarely(x > 4, rare, x + 1)], host_target())
    whole = Program([rare], host_target())
    assert program.cost == 3 and whole.cost > program.cost


def test_every_lane_gets_its_own_value():
    # sine reduces large angles another way, behind a branch
    for count in (1, 7, 64, 100):
        x = np.linspace(-3, 3, count)
        x[count // 2] = 1e22
        np.testing.assert_allclose(rl.sin(rl.from_numpy(x)).numpy(), np.sin(x), rtol=1e-14)


def test_branches_within_branches():
    x = arg(0, "f32")
    dear = sqrt(sqrt(x) + 1)
    inner = rarely(x > 8, dear + 1, dear * 2)
    program = Program([rarely(x > 4, inner + 1, x)], host_target())
    ((_, values),) = program.rare_blocks
    outer = program._block.rare
    (block,) = outer.values()
    assert len(block.rare) == 1 and len(values) > len(block.values)
    # What both need is computed once, outside of the inner branch.
    assert not {id(v) for v in block.values} & {
        id(v) for b in block.rare.values() for v in b.values
    }


def test_each_element_takes_the_branches_that_it_needs():
    # A greatest common divisor takes more rounds behind branches within branches.
    a = rl.tensor([1, 34, 2178309, 5, 0, 12, 2**61 - 1, 2**53 + 2] * 9)
    b = rl.tensor([1, 21, 1346269, 0, 0, 18, 2**60, 2**52 + 1] * 9)
    assert rl.gcd(a, b).tolist() == [1, 1, 1, 5, 0, 6, 1, 2**52 + 1] * 9
