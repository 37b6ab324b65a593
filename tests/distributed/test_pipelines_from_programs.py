"""Pipelines that are cut from an exported program."""

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist
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


class Tied(nn.Module):
    """A table that is the last layer's weight, too; a buffer that all stages read."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 4)
        self.middle = nn.Linear(4, 4)
        self.out = nn.Linear(4, 10, bias=False)
        self.out.weight = self.table.weight
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, ids):
        x = self.table(ids) * self.scale
        pipe_split()
        x = self.middle(x) * self.scale
        pipe_split()
        return self.out(x)


def tied():
    torch.manual_seed(3)
    return Tied(), torch.arange(6).view(6, 1)


def test_each_stage_has_its_own_copy_of_a_parameter():
    model, ids = tied()
    pipe = pipeline(model, (ids[:2],))
    (names,) = pipe.replicated_params
    assert list(names) == ["submod_0", "submod_2"]
    first, last = (pipe.split_gm.get_submodule(s).get_parameter(n) for s, n in names.items())
    assert first is not last and torch.equal(first, last) and torch.equal(first, model.table.weight)
    torch.testing.assert_close(pipe(ids[:2]), model(ids[:2]))
    pipe(ids[:2]).sum().backward()
    model(ids[:2]).sum().backward()
    torch.testing.assert_close(first.grad + last.grad, model.table.weight.grad)
    assert pipeline(made(), inputs(2), split_spec=CUTS).replicated_params == []


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        x = x * self.count
        pipe_split()
        self.count.add_(x.sum())
        return x


def test_a_buffer_of_several_stages_that_is_written_is_refused():
    with pytest.raises(NotImplementedError, match="count is used by the stages"):
        pipeline(Counting(), (torch.ones(2),))


def train_tied(rank, size):
    model, ids = tied()
    target = torch.arange(6).view(6, 1) % 3

    def loss_of(made, wanted):
        return nn.functional.cross_entropy(made.flatten(0, 1), wanted.flatten())

    loss_of(model(ids), target).backward()
    pipe = pipeline(tied()[0], (ids[:2],))
    stage = pipe.build_stage(rank, "cpu")
    schedule = ScheduleGPipe(stage, 3, loss_fn=loss_of)
    schedule.step(*([ids] if rank == 0 else []), target=target if rank == size - 1 else None)
    # as PyTorch's: the program adds up gradients of copies
    (names,) = pipe.replicated_params
    group = dist.new_group([0, 2])
    if f"submod_{rank}" in names:
        gradient = stage.submod.get_parameter(names[f"submod_{rank}"]).grad
        dist.all_reduce(gradient, group=group)
        torch.testing.assert_close(gradient, model.table.weight.grad)


def test_gradients_of_copies_add_up():
    run(3, train_tied)


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
