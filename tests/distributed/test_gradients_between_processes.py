"""Gradients through calls of functions in other processes."""

import pytest
from several import call
from test_calls_between_processes import begin, run

import rushlight as torch
import rushlight.distributed as dist
from rushlight.distributed import autograd, rpc
from rushlight.distributed.nn.api.remote_module import RemoteModule
from rushlight.distributed.optim import DistributedOptimizer
from rushlight.nn.parallel import DistributedDataParallel


def product(x, y):
    return {"out": x * y, "count": 2}


def there_and_back(x, name):
    """The product, which another process computes with what this one has computed."""
    return rpc.rpc_sync(name, product, (x.sin(), x.exp()))["out"]


def through_calls(rank, size):
    if rank:
        return
    x = torch.rand(3, requires_grad=True)
    y = torch.rand(3, requires_grad=True)
    with autograd.context() as number:
        a = rpc.rpc_sync("worker1", product, (x, y))["out"]
        b = rpc.rpc_sync("worker2", there_and_back, (a, "worker1"))
        c = rpc.rpc_sync("worker0", torch.mul, (b, x))
        loss = (c + a).sum()
        autograd.backward(number, [loss])
        found = autograd.get_gradients(number)
    a = x * y
    right = torch.autograd.grad((a.sin() * a.exp() * x + a).sum(), (x, y))
    torch.testing.assert_close((found[x], found[y]), right)
    assert x.grad is None
    with pytest.raises(RuntimeError, match="Could not find autograd context"):
        autograd.get_gradients(number)


def contexts_left():
    from rushlight.distributed.autograd.contexts import process

    return len(process.contexts)


def test_calls(tmp_path):
    run(3, through_calls, tmp_path)


class Part:
    def __init__(self, seed):
        torch.manual_seed(seed)
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return torch.tanh(self.layer(x))

    def parameters(self):
        return [rpc.RRef(p) for p in self.layer.parameters()]

    def values(self):
        return [p.detach() for p in self.layer.parameters()]


def batch(k):
    return torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(k))


def train_in_parts(rank, size):
    if rank:
        return
    parts = [rpc.remote(f"worker{k}", Part, (k,)) for k in (1, 2)]
    head = Part(0)
    references = [r for part in parts for r in part.rpc_sync().parameters()] + head.parameters()
    optimizer = DistributedOptimizer(torch.optim.SGD, references, lr=0.1, momentum=0.5)
    for k in range(4):
        x, target = batch(k)
        with autograd.context() as number:
            middle = parts[0].remote().forward(x)
            y = head.forward(parts[1].remote().forward(middle.to_here()).to_here())
            loss = (y - target).square().mean()
            autograd.backward(number, [loss])
            optimizer.step(number)
    found = [part.rpc_sync().values() for part in parts] + [head.values()]

    alone = [Part(k) for k in (1, 2, 0)]
    optimizer = torch.optim.SGD(
        [p for part in alone for p in part.layer.parameters()], lr=0.1, momentum=0.5
    )
    for k in range(4):
        x, target = batch(k)
        for part in alone:
            x = part.forward(x)
        right = (x - target).square().mean()
        optimizer.zero_grad()
        right.backward()
        optimizer.step()
    torch.testing.assert_close(found, [part.values() for part in alone])
    torch.testing.assert_close(loss, right)
    assert contexts_left() == 0


def test_a_model_in_parts_trains_as_one_process(tmp_path):
    run(3, train_in_parts, tmp_path)


class Faulty(torch.nn.Module):
    def __init__(self):
        raise ValueError("cannot be made")


def remote_modules(rank, size):
    if rank:
        return
    module = RemoteModule("worker1/cpu", torch.nn.Linear, (4, 2), {"bias": False})
    x = torch.rand(3, 4, requires_grad=True)
    (weight,) = module.remote_parameters()
    with autograd.context() as number:
        y = module(x)
        autograd.backward(number, [y.sum() + module.forward_async(x).wait().sum()])
        found = autograd.get_gradients(number)[x]
    right = weight.to_here().sum(0).expand(3, 4) * 2
    torch.testing.assert_close(found, right.detach())
    assert module.get_module_rref().owner_name() == "worker1"
    with pytest.raises(ValueError, match="cannot be made"):
        RemoteModule("rank:1", Faulty)


def test_remote_modules(tmp_path):
    run(2, remote_modules, tmp_path)


def refusals(rank, size):
    with autograd.context() as number:
        with pytest.raises(RuntimeError, match="No tensors provided"):
            autograd.backward(number, [])
        with pytest.raises(RuntimeError, match="requires_grad not set on root"):
            autograd.backward(number, [torch.ones(1)])
        with pytest.raises(RuntimeError, match="cannot be in another one"), autograd.context():
            pass


def test_what_cannot_be_is_refused(tmp_path):
    run(1, refusals, tmp_path)


class Table:
    """Rows that a process has, and others look up."""

    def __init__(self):
        self.rows = torch.nn.Parameter(torch.arange(8.0).view(4, 2))

    def look_up(self, indices):
        return self.rows[indices]

    def reference(self):
        return rpc.RRef(self.rows)

    def values(self):
        return self.rows.detach()


def in_trainers(rank, size, folder, function):
    """Two trainers in a group, and a process that calls a function in them, with a table of its own."""
    if rank < 2:
        dist.init_process_group(
            "gloo", init_method=f"file://{folder}/group", rank=rank, world_size=2
        )
    begin(rank, size, folder)
    if rank == 2:
        table = rpc.RRef(Table())
        for future in [rpc.rpc_async(f"worker{k}", function, (k, table)) for k in (0, 1)]:
            future.wait()
    rpc.shutdown()
    if rank < 2:
        dist.destroy_process_group()


INDICES = torch.tensor([0, 1, 1]), torch.tensor([1, 3, 0])


def train_on_share(rank, table):
    layer = DistributedDataParallel(torch.nn.Linear(2, 1, bias=False))
    with torch.no_grad():
        layer.module.weight.copy_(torch.tensor([[1.0, -2.0]]))
    references = [table.rpc_sync().reference(), rpc.RRef(layer.module.weight)]
    optimizer = DistributedOptimizer(torch.optim.SGD, references, lr=0.25)
    weight, rows = torch.tensor([[1.0, -2.0]]), torch.arange(8.0).view(4, 2)
    counts = [torch.bincount(indices, minlength=4).float() for indices in INDICES]
    for _ in range(3):
        with autograd.context() as number:
            loss = layer(table.rpc_sync().look_up(INDICES[rank])).sum()
            torch.testing.assert_close(loss, (rows[INDICES[rank]] * weight).sum())
            autograd.backward(number, [loss])
            found = autograd.get_gradients(number)[layer.module.weight]
            # The layer has the mean of both trainers' gradients, in the context; the table one after the other.
            mean = (counts[0] + counts[1]) / 2 @ rows
            torch.testing.assert_close(found, mean[None])
            assert layer.module.weight.grad is None
            dist.barrier()
            optimizer.step(number)
            dist.barrier()
        rows = rows - 0.25 * (counts[0] + counts[1])[:, None] * weight
        weight = weight - 0.25 * mean
    torch.testing.assert_close(layer.module.weight.detach(), weight)
    torch.testing.assert_close(table.rpc_sync().values(), rows)


def test_layers_shared_by_trainers_have_the_mean_of_gradients(tmp_path):
    call(3, in_trainers, 3, tmp_path, train_on_share)


class Ends(torch.nn.Module):
    """What comes before and after something that another process computes."""

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor(3.0))
        self.first = torch.nn.Parameter(torch.tensor([1.0, 2.0]))

    def forward(self, x):
        middle = rpc.rpc_sync("worker2", torch.mul, (self.first * self.scale, x))
        return middle * self.scale


def train_around(rank, table):
    """A parameter whose gradient comes in two messages is averaged once, with all of it."""
    ends = DistributedDataParallel(Ends())
    x = [torch.tensor([1.0, 5.0]), torch.tensor([2.0, -1.0])]
    mean = (x[0] + x[1]) / 2
    for _ in range(2):
        with autograd.context() as number:
            loss = ends(x[rank]).sum()
            autograd.backward(number, [loss])
            found = autograd.get_gradients(number)
            # sum(first * x) * scale ** 2
            first, scale = torch.tensor([1.0, 2.0]), 3.0
            torch.testing.assert_close(found[ends.module.first], mean * scale**2)
            torch.testing.assert_close(found[ends.module.scale], (first * mean).sum() * 2 * scale)
    assert ends.module.first.grad is None


def test_a_layer_around_a_call_has_the_mean_of_gradients(tmp_path):
    call(3, in_trainers, 3, tmp_path, train_around)


def hooks_and_second_passes(rank, size):
    """Hooks of a parameter and of its step see the whole gradient once; `grad` stays as it is."""
    if rank:
        return
    seen = []
    x = torch.ones(3, requires_grad=True)
    x.register_hook(lambda grad: seen.append(("gradient", grad.tolist())))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append("grad has changed"))
    step = x.view_as(x).grad_fn.next_functions[0][0]
    step.register_hook(lambda given, grads: seen.append(("step", given, grads[0].tolist())))
    with autograd.context() as number:
        loss = (rpc.rpc_sync("worker1", torch.mul, (x, 3)) + x.square()).sum()
        autograd.backward(number, [loss], retain_graph=True)
        assert seen == [("gradient", [5.0] * 3), ("step", (), [5.0] * 3)]
        autograd.backward(number, [loss])
        assert autograd.get_gradients(number)[x].tolist() == [10.0] * 3
        with pytest.raises(RuntimeError, match="a second time"):
            autograd.backward(number, [loss])
    assert x.grad is None


def test_hooks_and_second_passes(tmp_path):
    run(2, hooks_and_second_passes, tmp_path)
