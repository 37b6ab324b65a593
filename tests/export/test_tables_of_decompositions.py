"""Tables of what operators are taken apart into know the operators that programs have made of others."""

import pytest

import rushlight as torch
from rushlight.export import default_decompositions, export
from rushlight.fx.experimental import _config
from rushlight.fx.experimental.symbolic_shapes import ShapeEnv


@pytest.fixture
def twice():
    with torch.library._scoped_library("tables_test", "FRAGMENT") as lib:
        lib.define("twice(Tensor x) -> Tensor")
        lib.impl("twice", lambda x: x.sin() * 2, "CompositeImplicitAutograd")
        yield torch.ops.tables_test.twice.default


def test_an_operator_of_a_program(twice):
    table = default_decompositions()
    assert twice in table and not table.has_materialized
    assert torch.equal(table.pop(twice)(torch.ones(2)), torch.ones(2).sin() * 2)
    assert twice not in table
    with pytest.raises(KeyError, match="twice"):
        table.pop(twice)
    assert table.pop(twice, "default") == "default"
    assert twice not in table.materialize() and table.has_materialized


def test_it_is_taken_apart_unless_it_is_taken_from_the_table(twice):
    class Net(torch.nn.Module):
        def forward(self, x):
            return torch.ops.tables_test.twice(x)

    program = export(Net(), (torch.ones(2),))
    table = default_decompositions()
    del table[twice]
    for chosen, wanted in (default_decompositions(), False), (table, True):
        nodes = program.run_decompositions(chosen).graph.nodes
        assert any(node.target is twice for node in nodes) is wanted


def test_equal_sizes_are_one_symbol_where_settings_say_so():
    assert ShapeEnv().duck_shape
    with _config.patch(use_duck_shape=False):
        assert not ShapeEnv().duck_shape
