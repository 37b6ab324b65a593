"""Long programs in strips against the evaluator: where they are cut, and what they compute."""

from __future__ import annotations

import pytest
from test_map_kernel import check

from rushlight.engine.loops import maths, strip_mining
from rushlight.engine.loops.expr import convert, select
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.map_kernel import map_ir, trace
from rushlight.engine.loops.target import Target, host_target


def chain(x):
    for _ in range(4):
        x = maths.exp(x * 0.5) * 0.25
    return x


def branching(x, y):
    """Several values are live at once, a truth value among them."""
    a, b = maths.sin(x), maths.sin(y)
    larger = a > b
    return select(larger, maths.exp(b), maths.exp(a)), a + maths.cos(b), convert(larger, "f32")


def mixed(x, n):
    return maths.log(x * x + 1) + maths.exp(-x) + convert(n, "f32"), maths.tanh(maths.sin(x))


SHAPES = [(1, 1), (511, 2), (512, 1), (513, 3), (1500, 1), (0, 3)]
NO_MASKS = Target(vector_bytes=32, masks=False, half=False, fma=True)
TARGETS = [{}, {"target": NO_MASKS}]


@pytest.mark.parametrize("options", TARGETS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_strips_compute_what_the_program_does(shape, options):
    check(chain, ["f32"], ["f32"], ["f32"], "cc", shape, **options)
    check(branching, ["f32"] * 3, ["f32"] * 2, ["f32"] * 2, "ccccs", shape, **options)
    check(mixed, ["bf16", "f32"], ["f32", "i32"], ["f32", "i32"], "cgcc", shape, **options)


def stages(body, outs, ins, params):
    program = Program(trace(body, outs, ins, params), host_target())
    return strip_mining.stages_of(program, outs, ins)


def test_stages_are_short_and_end_where_little_is_live():
    found = stages(chain, ["f32"], ["f32"], ["f32"])
    assert len(found) >= 3
    assert all(stage.program.cost <= strip_mining.LONGEST_STAGE for stage in found)
    # One value goes from each stage to the next.
    assert [len(stage.outs) for stage in found] == [1] * len(found)
    assert found[-1].outs == [strip_mining.Place(0)]


def test_short_programs_stay_whole():
    assert stages(lambda x: x * 2 + 1, ["f32"], ["f32"], ["f32"]) == []


def test_nothing_is_cut_between_what_is_rare_and_what_it_is_rare_for():
    program = Program(
        trace(lambda x: maths.sin(maths.sin(x)), ["f32"], ["f32"], ["f32"]), host_target()
    )
    whole = program.rare_blocks
    cut = strip_mining.stages_of(program, ["f32"], ["f32"])
    assert len(whole) == sum(len(stage.program.rare_blocks) for stage in cut)


def test_buffers_are_used_again():
    found = stages(chain, ["f32"], ["f32"], ["f32"])
    assert len(set(strip_mining._buffers(found).values())) <= 2
    assert "alloca" in map_ir(chain, ["f32"], ["f32"], ["f32"], "cc")


def test_a_long_dependence_is_cut_where_a_broad_program_of_its_length_is_not():
    def narrow(x):
        for k in range(60):
            x = x * 1.5 + k
        return x

    def broad(x):
        return sum((x * k + 1 for k in range(2, 14)), x)

    assert len(stages(narrow, ["f32"], ["f32"], ["f32"])) > 1
    assert len(stages(broad, ["f32"], ["f32"], ["f32"])) <= 1
