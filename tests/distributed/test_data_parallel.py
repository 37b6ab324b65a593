"""Networks that several processes train, against one process that sees all data."""

import copy

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist
from rushlight import nn
from rushlight.distributed.algorithms.ddp_comm_hooks import default_hooks
from rushlight.nn.parallel import DistributedDataParallel as DDP

STEPS = 4


def network(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Linear(6, 300), nn.Tanh(), nn.Linear(300, 20), nn.ReLU(), nn.Linear(20, 3)
    )


def data(steps=STEPS, rows=12):
    generator = torch.Generator().manual_seed(5)
    inputs = torch.randn(steps, rows, 6, generator=generator)
    return inputs, torch.randint(0, 3, (steps, rows), generator=generator)


def trained_alone():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    losses = []
    for x, y in zip(*data()):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model, losses


def train(model, rank, size, to_none=True):
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    losses = []
    for x, y in zip(*data()):
        loss = nn.functional.cross_entropy(model(x[rank::size]), y[rank::size])
        optimizer.zero_grad(set_to_none=to_none)
        loss.backward()
        optimizer.step()
        mean = loss.detach() / size
        dist.all_reduce(mean)
        losses.append(mean.item())
    return losses


def same(model, wanted):
    for found, right in zip(model.parameters(), wanted.parameters(), strict=True):
        torch.testing.assert_close(found, right, rtol=1e-4, atol=1e-5)


WAYS = [
    {},
    {"bucket_cap_mb": 0.002},
    {"gradient_as_bucket_view": True, "bucket_cap_mb": 0.002},
    {"find_unused_parameters": True},
    {"static_graph": True},
    {"static_graph": True, "gradient_as_bucket_view": True, "bucket_cap_mb": 0.002},
    {"broadcast_buffers": False, "init_sync": True},
]


def every_way(rank, size):
    alone, wanted = trained_alone()
    for way in WAYS:
        for to_none in (True, False):
            # all begin with what the first process has
            model = DDP(network(seed=rank), **way)
            losses = train(model, rank, size, to_none)
            torch.testing.assert_close(
                torch.tensor(losses), torch.tensor(wanted), rtol=1e-5, atol=1e-5
            )
            same(model.module, alone)
    state = model.state_dict()
    assert all(name.startswith("module.") for name in state)


@pytest.mark.parametrize("size", [2, 3])
def test_training_is_that_of_one_process(size):
    run(size, every_way)


def hooks(rank, size):
    _, wanted = trained_alone()
    seen = []

    def noting(state, bucket):
        seen.append((bucket.index(), bucket.is_last(), len(bucket.gradients()), state))
        return default_hooks.allreduce_hook(None, bucket)

    tried = [
        (default_hooks.allreduce_hook, None, 1e-5),
        (default_hooks.fp16_compress_hook, None, 2e-2),
        (default_hooks.bf16_compress_hook, None, 5e-2),
        (default_hooks.fp16_compress_wrapper(default_hooks.allreduce_hook), None, 2e-2),
        (noting, "state", 1e-5),
    ]
    for hook, state, tolerance in tried:
        model = DDP(network(), bucket_cap_mb=0.002)
        model.register_comm_hook(state, hook)
        losses = train(model, rank, size)
        torch.testing.assert_close(
            torch.tensor(losses), torch.tensor(wanted), rtol=tolerance, atol=tolerance
        )
    assert seen[0][0] == 0 and seen[0][3] == "state" and any(last for _, last, _, _ in seen)
    with pytest.raises(RuntimeError, match="only be called once"):
        model.register_comm_hook(None, noting)


def test_communication_hooks():
    run(2, hooks)


def not_synchronised(rank, size):
    model, alone = DDP(network()), network()
    x, y = data(2)
    with model.no_sync():
        nn.functional.cross_entropy(model(x[0][rank::size]), y[0][rank::size]).backward()
    own = [p.grad.clone() for p in model.parameters()]
    first = own[0].clone()
    dist.all_reduce(first)
    assert not torch.allclose(first / size, own[0])
    nn.functional.cross_entropy(model(x[1][rank::size]), y[1][rank::size]).backward()
    for k in range(2):
        nn.functional.cross_entropy(alone(x[k]), y[k]).backward()
    for found, right in zip(model.parameters(), alone.parameters()):
        torch.testing.assert_close(found.grad, right.grad, rtol=1e-4, atol=1e-6)


def test_gradients_add_up_without_synchronisation():
    run(2, not_synchronised)


class Branching(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.left, self.right = nn.Linear(6, 3), nn.Linear(6, 3)
        self.never = nn.Linear(2, 2)

    def forward(self, x, take_left):
        return self.left(x) if take_left else self.right(x)


def branches(rank, size):
    x = torch.ones(2, 6) * (rank + 1)
    model = DDP(Branching(), find_unused_parameters=True)
    for _ in range(2):
        model.zero_grad()
        model(x, rank == 0).sum().backward()
        inner = model.module
        # the other branch counts as zero here
        assert torch.allclose(inner.left.weight.grad, torch.full((3, 6), 2.0) / size)
        assert torch.allclose(inner.right.weight.grad, torch.full((3, 6), 4.0 * 1) / size)
        assert inner.never.weight.grad is None
    model = DDP(Branching())
    model(x, True).sum().backward()
    with pytest.raises(RuntimeError, match=r"finished reduction.*right\.weight"):
        model(x, True)
    model = DDP(Branching(), static_graph=True)
    for _ in range(3):
        model.zero_grad()
        model(x, True).sum().backward()
        assert torch.allclose(model.module.left.weight.grad, torch.full((3, 6), 3.0))
        assert model.module.never.weight.grad is None


def test_parameters_without_gradients():
    run(2, branches)


def buffers(rank, size):
    torch.manual_seed(rank)
    model = DDP(nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 2)))
    for _ in range(3):
        model(torch.randn(8, 4)).sum().backward()
        model.zero_grad()
    model(torch.randn(8, 4))
    mean = model.module[0].num_batches_tracked.clone()
    dist.broadcast(mean, 0)
    assert mean == model.module[0].num_batches_tracked == 4
    with pytest.raises(RuntimeError, match="not needed when a module doesn't have"):
        DDP(nn.ReLU())
    # every rank raises, so that none waits
    with pytest.raises(RuntimeError, match=r"appears not to match|expects same model"):
        DDP(nn.Linear(3 + rank, 2))


def test_buffers_and_models_that_differ():
    run(2, buffers)


def uneven(rank, size):
    model = DDP(network(), bucket_cap_mb=0.002)
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    inputs, targets = data(6)
    steps = 2 + 2 * rank
    with model.join():
        for k in range(steps):
            loss = nn.functional.cross_entropy(model(inputs[k]), targets[k])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    # whoever went to the end has what all have then
    for p in model.parameters():
        every = [torch.empty_like(p) for _ in range(size)]
        dist.all_gather(every, p.detach())
        assert all(torch.equal(every[0], other) for other in every)
    with (
        pytest.raises(RuntimeError, match="exhausted inputs"),
        model.join(throw_on_early_termination=True),
    ):
        for k in range(steps):
            model(inputs[k]).sum().backward()


def test_inputs_of_different_number():
    run(2, uneven)


def norms(rank, size):
    torch.manual_seed(3)
    x = torch.randn(9, 4, 5)
    plain = nn.Sequential(nn.BatchNorm1d(4), nn.Conv1d(4, 2, 3))
    synced = nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(plain))
    assert isinstance(synced[0], nn.SyncBatchNorm)
    parts = [x[:2], x[2:]] if size == 2 else x.chunk(size)
    whole, part = x.clone().requires_grad_(), parts[rank].clone().requires_grad_()
    right = plain(whole)
    found = synced(part)
    start = sum(len(p) for p in parts[:rank])
    torch.testing.assert_close(found, right[start : start + len(part)], rtol=1e-4, atol=1e-5)
    right.square().sum().backward()
    found.square().sum().backward()
    torch.testing.assert_close(
        part.grad, whole.grad[start : start + len(part)], rtol=1e-3, atol=1e-4
    )
    grad = synced[0].weight.grad
    dist.all_reduce(grad)
    torch.testing.assert_close(grad, plain[0].weight.grad, rtol=1e-3, atol=1e-4)
    for name in ("running_mean", "running_var", "num_batches_tracked"):
        torch.testing.assert_close(getattr(synced[0], name), getattr(plain[0], name))
    synced.eval()
    plain.eval()
    torch.testing.assert_close(synced(part), plain(part))


def test_synchronised_batch_norm():
    run(2, norms)


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.table = nn.Embedding(20, 4, sparse=True)
        self.bag = nn.EmbeddingBag(20, 4, sparse=True, mode="sum")
        self.out = nn.Linear(4, 3)

    def forward(self, words, with_bag=True):
        x = self.table(words).mean(1)
        return self.out(x + self.bag(words) if with_bag else x)


def words():
    generator = torch.Generator().manual_seed(2)
    return torch.randint(0, 20, (8, 5), generator=generator)


def sparse_gradients(rank, size):
    alone = Words()
    alone(words()).square().mean().backward()
    for as_view in (False, True):
        model = DDP(Words(), gradient_as_bucket_view=as_view)
        for _ in range(2):
            model.zero_grad()
            model(words()[rank::size]).square().mean().backward()
            for found, right in zip(model.parameters(), alone.parameters(), strict=True):
                assert found.grad.layout is right.grad.layout
                torch.testing.assert_close(found.grad.to_dense(), right.grad.to_dense())
    # Without a gradient here, but with one elsewhere.
    model = DDP(Words(), find_unused_parameters=True)
    model(words()[rank::size], with_bag=rank == 0).square().mean().backward()
    assert model.module.bag.weight.grad.layout is torch.sparse_coo
    total = model.module.bag.weight.grad.to_dense().sum().reshape(1)
    others = [torch.zeros(1) for _ in range(size)]
    dist.all_gather(others, total)
    assert all(other == total for other in others) and total != 0
    # A gradient that nobody expects to be sparse.
    hidden = DDP(nn.ParameterList([nn.Parameter(torch.ones(3, 2))]))
    hidden.module.forward = lambda rows: nn.functional.embedding(
        rows, hidden.module[0], sparse=True
    )
    with pytest.raises(RuntimeError, match=r"the gradient of 0 has the layout torch.sparse_coo"):
        hidden(torch.tensor([0])).sum().backward()


def test_sparse_gradients():
    run(2, sparse_gradients)


def mixed_precision(rank, size):
    seen = []

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.first, self.norm, self.last = nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 3)
            self.last.weight = self.last.weight

        def forward(self, x):
            seen.append((x.dtype, self.first.weight.dtype, self.norm.running_mean.dtype))
            return self.last(self.norm(self.first(x)).relu())

    precision = nn.parallel.distributed._MixedPrecision(
        param_dtype=torch.bfloat16, reduce_dtype=torch.float16, buffer_dtype=torch.bfloat16
    )
    model = DDP(Net(), mixed_precision=precision)
    x, y = (part[0][rank::size] for part in data())
    out = model(x)
    assert out.dtype is torch.bfloat16
    nn.functional.cross_entropy(out.float(), y).backward()
    assert seen == [(torch.bfloat16,) * 3]
    plain = DDP(Net())
    nn.functional.cross_entropy(plain(x), y).backward()
    for found, right in zip(model.parameters(), plain.parameters(), strict=True):
        assert found.dtype is found.grad.dtype is torch.float32
        torch.testing.assert_close(found.grad, right.grad, rtol=0.1, atol=0.02)
    # Summed in half precision: what it gives, it gives to all.
    grad = torch.cat([p.grad.flatten() for p in model.parameters()])
    torch.testing.assert_close(grad, grad.half().float(), rtol=0, atol=0)
    others = [torch.empty_like(grad) for _ in range(size)]
    dist.all_gather(others, grad)
    assert all(torch.equal(other, grad) for other in others)


def test_mixed_precision():
    run(2, mixed_precision)
