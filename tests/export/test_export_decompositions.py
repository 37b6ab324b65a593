"""Programs without writes, and operators taken apart."""

import copy

import pytest

import rushlight as torch
from rushlight.export import Dim, default_decompositions, export

aten = torch.ops.aten


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 4)
        self.norm = torch.nn.BatchNorm1d(4)
        self.register_buffer("sum", torch.zeros(4))

    def forward(self, x):
        y = self.norm(self.linear(x))
        self.sum += y.detach().sum(0)
        x.add_(1)
        return y.view(-1).mul_(2), y.relu()


def targets(program):
    return [n.target for n in program.graph.nodes if n.op == "call_function"]


@pytest.mark.parametrize("table", [None, {}], ids=["core", "whole"])
def test_writes_become_outputs(table):
    torch.manual_seed(0)
    model = Model()
    other = copy.deepcopy(model)
    batch = Dim("batch")
    program = export(model, (torch.randn(4, 3),), dynamic_shapes=({0: batch},))
    functional = program.run_decompositions(table)
    assert not any(getattr(t, "schema", None) and t.schema.mutated for t in targets(functional))
    signature = functional.graph_signature
    assert set(signature.buffers_to_mutate.values()) == {
        "sum", "norm.running_mean", "norm.running_var", "norm.num_batches_tracked",
    }  # fmt: skip
    assert set(signature.user_inputs_to_mutate.values()) == {"x"}
    assert functional.dialect == "ATEN"
    x = torch.randn(6, 3)
    mine, theirs = x.clone(), x.clone()
    for a, b in zip(functional.module()(mine), other(theirs), strict=True):
        torch.testing.assert_close(a, b)
    torch.testing.assert_close(mine, theirs)
    torch.testing.assert_close(model.sum, other.sum)
    torch.testing.assert_close(model.norm.running_var, other.norm.running_var)


def test_operators_are_taken_apart_as_the_table_says():
    program = export(torch.nn.Linear(3, 4), (torch.randn(2, 3),))
    assert targets(program.run_decompositions({})) == [aten.linear.default]
    assert targets(program.run_decompositions()) == [aten.permute.default, aten.addmm.default]
    table = default_decompositions()
    table[aten.addmm.default] = lambda a, b, c: b @ c + a
    assert aten.mm.default in targets(program.run_decompositions(table))
    del table[aten.linear.default]
    assert targets(program.run_decompositions(table)) == [aten.linear.default]


def test_nodes_keep_where_they_come_from():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(3, 4)

        def forward(self, x):
            return self.inner(x)

    node = (
        export(Net(), (torch.ones(2, 3),))
        .run_decompositions()
        .graph.find_nodes(op="call_function", target=aten.addmm.default)[0]
    )
    assert [path for path, _ in node.meta["nn_module_stack"].values()] == ["", "inner"]


def test_tables_are_changed_apart():
    table = default_decompositions()
    other = table.copy()
    table.pop(aten.linear.default)
    with pytest.raises(KeyError):
        table.pop(aten.linear.default)
    assert aten.linear.default in other and aten.linear.default not in table
    assert len(table.materialize()) == len(table) == len(other) - 1


def test_symbols_of_elements_stay_the_same():
    class Net(torch.nn.Module):
        def forward(self, x):
            return x[x > 0] * 2

    program = export(Net(), (torch.tensor([1.0, -1.0, 2.0]),))
    functional = program.run_decompositions()
    assert functional.module()(torch.tensor([3.0, 4.0, 5.0])).tolist() == [6, 8, 10]
