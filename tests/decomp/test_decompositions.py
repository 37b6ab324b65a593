"""Decompositions against the operators, called as their samples say; and the tables."""

import warnings

import pytest

import rushlight as torch
from rushlight import _decomp
from rushlight._decomp import (
    core_aten_decompositions,
    decomposition_table,
    get_decompositions,
    register_decomposition,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import samples
from rushlight.fx.experimental.proxy_tensor import make_fx
from tests.results import alike, leaves

aten = torch.ops.aten
FAMILIES = sorted({op.family for op in decomposition_table} - {"sampling", "sparse", "quantized"})

# Their elements are whatever was there.
UNWRITTEN = ("empty", "empty_like", "new_empty")


def result(function, sample):
    drawn = sample.draw()
    args, kwargs = drawn.arguments(*drawn.tensors)
    return leaves(function(*args, **kwargs))


@pytest.mark.parametrize("family", FAMILIES)
def test_decompositions_compute_what_operators_do(family):
    wrong = []
    for op, function in decomposition_table.items():
        if op.family != family or op.packet_name in UNWRITTEN:
            continue
        for sample in samples.of_operator(op.base_name):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = result(op, sample)
                if any(isinstance(x, Tensor) and x.layout is not torch.strided for x in expected):
                    continue
                found = result(function, sample)
            if len(found) != len(expected) or not all(map(alike, expected, found)):
                wrong.append(sample.title)
    assert not wrong


def test_all_composites_and_others_are_in_the_table():
    composites = [op for op in samples.every_operator() if op.composite is not None]
    assert all(op in decomposition_table for op in composites)
    assert all(samples.of_operator(op.base_name) for op in decomposition_table._own)
    assert len(decomposition_table) >= 600


def test_tables_of_some_operators():
    found = get_decompositions([aten.addmm, aten._softmax.default])
    assert set(found) >= {aten.addmm.default, aten._softmax.default}
    assert {op.packet_name for op in found} == {"addmm", "_softmax"}
    core = core_aten_decompositions()
    assert aten.stack.default in core and aten.add.Tensor not in core


def test_graphs_are_taken_apart():
    layer, x = torch.nn.Linear(3, 4), torch.ones(2, 3)
    table = get_decompositions([aten.addmm, aten.t])
    module = make_fx(layer, table)(x)
    names = {str(n.target) for n in module.graph.nodes if n.op == "call_function"}
    assert names == {"aten.transpose.int", "aten.mm.default", "aten.add.Tensor"}
    assert torch.allclose(module(x), layer(x))


def test_programs_register_theirs():
    table = {}

    @register_decomposition([aten.sin, aten.cos.default], table)
    def other(x):
        return x + 1

    assert table[aten.sin.default] is other and aten.sin.out in table and len(table) == 3
    with pytest.raises(RuntimeError, match="duplicate registrations"):
        register_decomposition(aten.cos.default, table)(other)
    with pytest.raises(AssertionError, match="Invalid type"):
        register_decomposition(aten.cos.default, type="other")
    assert set(_decomp.global_decomposition_table) == {"post_autograd", "pre_autograd", "meta"}
