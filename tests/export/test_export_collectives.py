"""Collectives in exported programs: they are operators of the graph, not what the trace did."""

import pytest

import rushlight as torch
from rushlight import distributed as dist
from rushlight.export import export


@pytest.fixture
def group():
    dist.init_process_group("fake", rank=0, world_size=4, store=dist.HashStore())
    yield
    dist.destroy_process_group()


def called(program):
    return [str(n.target) for n in program.graph.nodes if "_c10d" in str(n.target)]


def test_collectives_are_nodes(group):
    class Talking(torch.nn.Module):
        def forward(self, x):
            dist.all_reduce(x, op=dist.ReduceOp.MAX)
            gathered, part, swapped = torch.empty(16), torch.empty(1), torch.empty(4)
            dist.all_gather_into_tensor(gathered, x)
            dist.reduce_scatter_tensor(part, x)
            dist.all_to_all_single(swapped, x)
            return gathered, part, swapped

    program = export(Talking(), (torch.ones(4),))
    names = "all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all_single"
    expected = [
        x
        for n in names
        for x in (f"_c10d_functional.{n}.default", "_c10d_functional.wait_tensor.default")
    ]
    assert called(program) == expected and called(program.run_decompositions({})) == expected
    assert [tuple(x.shape) for x in program.module()(torch.ones(4))] == [(16,), (1,), (4,)]


def test_what_is_waited_for_later_is_refused(group):
    class Later(torch.nn.Module):
        def forward(self, x):
            dist.all_reduce(x, async_op=True).wait()
            return x

    with pytest.raises(NotImplementedError, match="async_op=True cannot be traced"):
        export(Later(), (torch.ones(4),))
