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
