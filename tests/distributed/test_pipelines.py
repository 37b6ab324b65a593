"""Pipelines: orders of schedules, messages between ranks, gradients against one process."""

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist
from rushlight import nn
from rushlight.distributed.pipelining import PipelineStage, orders, schedules
from rushlight.distributed.pipelining._backward import (
    stage_backward,
    stage_backward_input,
    stage_backward_weight,
)
from rushlight.distributed.pipelining._utils import generate_stage_to_rank_mapping
from rushlight.distributed.pipelining.actions import B, F, I, W, _Action, _format_pipeline_order
from rushlight.distributed.pipelining.lowering import (
    _add_send_recv,
    _add_unshard_reshard,
    _merge_bw,
    _simulate_comms_compute,
    _validate_schedule,
)
from rushlight.distributed.pipelining.microbatch import (
    TensorChunkSpec,
    merge_chunks,
    split_args_kwargs_into_chunks,
)

SINGLE = ("GPipe", "1F1B")
LOOPED = ("LoopedBFS", "Interleaved1F1B", "InterleavedZeroBubble")
V = ("ZBVZeroBubble", "DualPipeV")


def parsed(*texts):
    return [_Action.from_str(text) for text in texts]


def whole_order(name, size, many):
    rows = {
        "GPipe": lambda rank: orders.fill_and_drain(rank, size, many),
        "1F1B": lambda rank: orders.one_forward_one_backward(rank, size, many),
        "LoopedBFS": lambda rank: orders.looped_breadth_first(rank, size, 2, many),
        "Interleaved1F1B": lambda rank: orders.interleaved(rank, size, 2, many, size, False),
        "InterleavedZeroBubble": lambda rank: orders.interleaved(rank, size, 2, many, size, True),
        "ZBVZeroBubble": lambda rank: orders.zero_bubble_v(rank, size, many),
        "DualPipeV": lambda rank: orders.dual_pipe_v(rank, size, many),
    }
    return {rank: rows[name](rank) for rank in range(size)}


@pytest.mark.parametrize("name", [*SINGLE, *LOOPED, *V])
@pytest.mark.parametrize(("size", "rounds"), [(1, 2), (2, 2), (3, 2), (4, 4), (8, 2)])
def test_an_order_is_complete_and_ends(name, size, rounds):
    many = size * rounds
    order = whole_order(name, size, many)
    stages = size if name in SINGLE else 2 * size
    ranks = _validate_schedule(order, size, stages, many)
    assert ranks == generate_stage_to_rank_mapping(size, stages, "v" if name in V else "loop")
    lowered = _add_send_recv(order, ranks.__getitem__, stages)
    steps = _simulate_comms_compute(lowered, ranks.__getitem__, stages)
    done = [action for row in steps.values() for action in row if action is not None]
    assert len(done) == sum(map(len, lowered.values()))


@pytest.mark.parametrize(
    "text", ["1F0", "2I1", "0W3", "1UNSHARD", "2SEND_B2", "(0F1;3B0)OVERLAP_F_B"]
)
def test_an_action_is_read_as_it_is_written(text):
    assert repr(_Action.from_str(text)) == text


def test_what_is_no_action():
    assert _Action.from_str("  ") is None
    with pytest.raises(RuntimeError, match="Invalid action string: forward"):
        _Action.from_str("forward")


def test_lowering():
    assert _merge_bw(parsed("0I0", "0I1", "", "0W1", "0W0")) == parsed("0I0", "0B1", "0W0")
    with_weights = _add_unshard_reshard(parsed("0F0", "1F0", "2F0"), max_active_stages=2)
    text = " ".join(map(str, with_weights))
    assert text == "0UNSHARD 1UNSHARD 0F0 0RESHARD 2UNSHARD 1F0 1RESHARD 2F0 2RESHARD"
    order = {0: parsed("0F0", "0B0"), 1: parsed("", "1F0", "1B0")}
    lowered = _add_send_recv(order, int, 2)
    assert lowered[0] == parsed("0F0", "0SEND_F0", "0RECV_B0", "0B0")
    assert lowered[1] == parsed("1RECV_F0", "1F0", "1B0", "1SEND_B0")
    assert "Rank 1" in _format_pipeline_order(order)


def test_orders_that_cannot_be():
    with pytest.raises(AssertionError, match="before its F"):
        _validate_schedule({0: parsed("0B0", "0F0")}, 1, 1, 1)
    with pytest.raises(AssertionError, match="Stage 0 has 1 F, 0 B"):
        _validate_schedule({0: parsed("0F0")}, 1, 1, 1)
    with pytest.raises(AssertionError, match="Malformed"):
        _add_send_recv({0: parsed("0F0"), 1: parsed("1F1")}, int, 2)
    with pytest.raises(ValueError, match="not progressing"):
        _simulate_comms_compute({0: parsed("0RECV_B0"), 1: parsed("1RECV_F0")}, int, 2)


def test_names_of_schedules():
    assert schedules.get_schedule_class("gpipe") is schedules.ScheduleGPipe
    with pytest.raises(ValueError, match="Fastest"):
        schedules.get_schedule_class("Fastest")


def test_chunks():
    x, y = torch.arange(6).reshape(3, 2), torch.arange(4).reshape(2, 2)
    spec = TensorChunkSpec.from_tuple((0, 1))
    args, kwargs = split_args_kwargs_into_chunks((x, y), {"scale": 2}, 2, spec)
    assert args[0][0].tolist() == [[0, 1], [2, 3]] and args[1][1].tolist() == [[1], [3]]
    assert kwargs == [{"scale": 2}] * 2
    assert torch.equal(merge_chunks([arg[0] for arg in args], None), x)
    assert torch.equal(merge_chunks([arg[1] for arg in args], (TensorChunkSpec(1),)), y)


def test_a_backward_pass_in_two_parts():
    module, x = nn.Linear(3, 2), torch.randn(4, 3, requires_grad=True)
    (of_input,) = stage_backward(module(x).square().sum(), None, [x])
    whole = [param.grad.clone() for param in module.parameters()]
    module.zero_grad()
    loss = module(x).square().sum()
    found, groups = stage_backward_input([loss], None, [x], module.parameters())
    torch.testing.assert_close(found[0], of_input)
    assert module.weight.grad is None
    stage_backward_weight(module.parameters(), groups)
    for param, right in zip(module.parameters(), whole):
        torch.testing.assert_close(param.grad, right)


class Layer(nn.Module):
    """Gives two tensors to the next one, of which one has no gradient."""

    def __init__(self, is_last):
        super().__init__()
        self.linear, self.is_last = nn.Linear(5, 5), is_last

    def forward(self, x, mask=None):
        y = self.linear(x).tanh()
        mask = torch.ones(5, dtype=torch.int64) if mask is None else mask + 1
        return y * mask if self.is_last else (y, mask)


def layers(count):
    torch.manual_seed(0)
    return [Layer(k == count - 1) for k in range(count)]


def alone(modules, x):
    out = (x,)
    for module in modules:
        out = module(*out)
        out = out if isinstance(out, tuple) else (out,)
    return out[0]


def train(rank, size, name, count, many):
    right, mine = layers(count), layers(count)
    x, target = torch.randn(2, 2 * many, 5, generator=torch.Generator().manual_seed(1))
    loss_fn = nn.functional.mse_loss
    style = "v" if name in V else "loop"
    own = [s for s, r in generate_stage_to_rank_mapping(size, count, style).items() if r == rank]
    stages = [PipelineStage(mine[s], s, count, "cpu") for s in own]
    kind = schedules.get_schedule_class(name)
    schedule = kind(stages[0] if name in SINGLE else stages, many, loss_fn=loss_fn)
    for _ in range(2):
        for module in (*right, *mine):
            module.zero_grad()
        expected = alone(right, x)
        loss = loss_fn(expected, target)
        loss.backward()
        losses = []
        is_first, is_last = 0 in own, count - 1 in own
        out = schedule.step(
            *((x,) if is_first else ()), target=target if is_last else None, losses=losses
        )
        if is_last:
            torch.testing.assert_close(out, expected)
            torch.testing.assert_close(torch.stack(losses).mean(), loss)
        else:
            assert out is None and losses == []
        for s in own:
            for param, wanted in zip(mine[s].parameters(), right[s].parameters()):
                torch.testing.assert_close(param.grad, wanted.grad)
    out = schedule.eval(*((x,) if is_first else ()))
    if is_last:
        torch.testing.assert_close(out, expected)


@pytest.mark.parametrize("name", [*SINGLE, *LOOPED, *V])
def test_two_ranks_give_the_gradients_of_one_process(name):
    run(2, train, name, 2 if name in SINGLE else 4, 4)


def test_four_ranks_give_the_gradients_of_one_process():
    run(4, train, "1F1B", 4, 6)


def test_an_order_from_a_file(tmp_path):
    dist.init_process_group("fake", rank=0, world_size=1, store=dist.HashStore())
    try:
        modules = [nn.Linear(3, 3), nn.Linear(3, 3)]
        stages = [PipelineStage(module, k, 2, "cpu") for k, module in enumerate(modules)]
        schedule = schedules._PipelineScheduleRuntime(stages, 2, loss_fn=nn.functional.mse_loss)
        path = tmp_path / "order.csv"
        path.write_text("0F0,0F1,1F0,1F1,1I0,1W0,1B1,0B0,0B1\n")
        schedule._load_csv(path)
        x, target, losses = torch.randn(4, 3), torch.randn(4, 3), []
        schedule.step(x, target=target, losses=losses)
        found = [param.grad for module in modules for param in module.parameters()]
        loss = nn.functional.mse_loss(nn.Sequential(*modules)(x), target)
        right = torch.autograd.grad(loss, [p for m in modules for p in m.parameters()])
        for one, other in zip(found, right, strict=True):
            torch.testing.assert_close(one, other)
        schedule._dump_csv(path)
        assert path.read_text().startswith("0F0,0F1,1F0")
    finally:
        dist.destroy_process_group()


def test_kinds_have_letters():
    assert [kind.value for kind in (F, B, I, W)] == ["F", "B", "I", "W"]
