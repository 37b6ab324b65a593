"""Pipelines that are cut from an exported program."""

import pytest
from several import run

import rushlight as torch
from rushlight import nn
from rushlight.distributed.pipelining import ScheduleGPipe, SplitPoint, pipe_split, pipeline

CUTS = {"layers.1": SplitPoint.BEGINNING, "layers.2": SplitPoint.END}


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("shift", torch.ones(4))

    def forward(self, x):
        return torch.relu(self.linear(x)) + self.shift


class Model(nn.Module):
    def __init__(self, count=4):
        super().__init__()
        self.table = nn.Embedding(5, 4)
        self.layers = nn.ModuleList(Layer() for _ in range(count))

    def forward(self, ids, scale):
        x = first = self.table(ids)
        for layer in self.layers:
            x = layer(x)
        # what skips stages goes through them
        return x * scale + first


def made():
    torch.manual_seed(0)
    return Model()


def inputs(rows):
    return torch.arange(rows) % 5, torch.arange(4.0 * rows).view(rows, 4) / 10


def test_stages_compute_what_the_module_does():
    model = made()
    pipe = pipeline(model, inputs(2), split_spec=CUTS)
    assert pipe.num_stages == 3 and not any("forward" in vars(m) for m in model.modules())
    torch.testing.assert_close(pipe(*inputs(2)), model(*inputs(2)))
    names = [name for k in range(3) for name, _ in pipe.get_stage_module(k).named_parameters()]
    assert sorted(names) == sorted(name for name, _ in model.named_parameters())
    assert [n for n, _ in pipe.get_stage_module(2).named_buffers()] == ["layers.3.shift"]
    assert pipe.info().num_stages == 3 and "submod_1" in str(pipe)
    with pytest.raises(ValueError, match="Invalid stage index 3"):
        pipe.get_stage_module(3)


class Marked(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.out = nn.Linear(3, 2)

    def forward(self, x, *, bias):
        x = self.norm(x)
        pipe_split()
        return {"out": self.out(x) + bias, "sizes": [x]}


def test_marks_in_code_and_results_of_any_structure():
    model = Marked()
    x, bias = torch.randn(4, 3), torch.ones(2)
    pipe = pipeline(model, (x,), {"bias": bias})
    assert pipe.num_stages == 2
    found = pipe(x, bias=bias)
    assert pipe.get_stage_module(0).get_buffer("norm.running_mean").any()
    torch.testing.assert_close(found, Marked.forward(model, x, bias=bias))


def test_a_policy_and_what_is_refused():
    def after_the_table(graph_module):
        (node,) = graph_module.graph.find_nodes(
            op="call_function", target=torch.ops.aten.embedding.default
        )
        with graph_module.graph.inserting_after(node):
            graph_module.graph.call_function(torch.ops.pippy._pipe_split.default)
        return graph_module

    model = made()
    pipe = pipeline(model, inputs(2), split_policy=after_the_table)
    assert pipe.num_stages == 2
    torch.testing.assert_close(pipe(*inputs(2)), model(*inputs(2)))
    with pytest.raises(ValueError, match="Cannot specify both"):
        pipeline(model, inputs(2), split_spec=CUTS, split_policy=after_the_table)
    with pytest.raises(AttributeError, match="nonexistent module"):
        pipeline(model, inputs(2), split_spec={"layers.9": SplitPoint.END})
    model.layers[3].linear.weight = model.layers[0].linear.weight
    with pytest.raises(NotImplementedError, match="is used by the stages"):
        pipeline(model, inputs(2), split_spec=CUTS)


def train(rank, size):
    model = made()
    ids, scale = inputs(6)
    target = torch.ones(6, 4)
    loss = nn.functional.mse_loss(model(ids, scale), target)
    loss.backward()
    pipe = pipeline(made(), inputs(2), split_spec=CUTS)
    stage = pipe.build_stage(rank, "cpu")
    schedule = ScheduleGPipe(stage, 3, loss_fn=nn.functional.mse_loss)
    losses = []
    if rank == 0:
        schedule.step(ids, scale)
    else:
        schedule.step(target=target if rank == size - 1 else None, losses=losses)
    if rank == size - 1:
        torch.testing.assert_close(torch.stack(losses).mean(), loss.detach())
    for name, parameter in stage.submod.named_parameters():
        torch.testing.assert_close(parameter.grad, model.get_parameter(name).grad)


def test_ranks_train_as_one_process():
    run(3, train)
