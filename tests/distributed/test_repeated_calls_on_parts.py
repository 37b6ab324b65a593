"""Calls on distributed tensors that were made before, and what must not be taken for one of them."""

import pytest

import rushlight as torch
import rushlight.distributed as dist
from rushlight.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from rushlight.distributed.tensor.debug import CommDebugMode
from rushlight.utils._python_dispatch import TorchDispatchMode


@pytest.fixture
def mesh():
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    yield dist.init_device_mesh("cpu", (1,))
    dist.destroy_process_group()


def numbers():
    return torch.arange(12.0).view(3, 4)


def known():
    return DTensor._op_dispatcher.sharding_propagator.ready


CALLS = {
    "a sign": lambda x: x + x,
    "numbers": lambda x: (x * 2, x * 3, x * 2.5, x.add(x, alpha=2), x.add(x, alpha=3)),
    "by name": lambda x: (x.sum(dim=1), x.sum(dim=1, keepdim=True), x.sum(0, dtype=torch.float64)),
    "views": lambda x: (x.t(), x.view(4, 3), x[1:], x.unsqueeze(0).expand(2, 3, 4)),
    "lists": lambda x: (torch.cat([x, x]), torch.cat((x, x), 1), torch.stack([x]), *x.split(2, 1)),
    "in place": lambda x: (x.add_(1), x.mul_(x), x.t().zero_(), x[0].fill_(3)),
    "several results": lambda x: (*x.max(1), *torch.var_mean(x, 0)),
    "others": lambda x: (x.to(torch.float64), x.clone(), torch.zeros_like(x), x @ x.t(), x > 3),
}


@pytest.mark.parametrize("placement", [Replicate(), Shard(0), Shard(1), Partial()])
@pytest.mark.parametrize("name", CALLS)
def test_results_are_the_same_each_time(name, placement, mesh):
    wanted = CALLS[name](numbers())
    for _ in range(3):
        x = DTensor.from_local(numbers(), mesh, [placement])
        found = CALLS[name](x)
        pairs = zip(found, wanted) if isinstance(found, tuple) else [(found, wanted)]
        for a, b in pairs:
            assert type(a) is DTensor and a.dtype is b.dtype and a.stride() == b.stride()
            torch.testing.assert_close(a.full_tensor(), b)


def test_gradients(mesh):
    plain = numbers().requires_grad_()
    (plain.sin() * plain).sum().backward()
    for _ in range(3):
        x = distribute_tensor(numbers(), mesh, [Shard(0)]).requires_grad_()
        (x.sin() * x).sum().backward()
        torch.testing.assert_close(x.grad.full_tensor(), plain.grad)
        assert not x._local_tensor.requires_grad and x._local_tensor.grad_fn is None


def test_modes_see_calls_that_are_known(mesh):
    seen = []

    class Seeing(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append((str(func), types))
            return func(*args, **(kwargs or {}))

    x = distribute_tensor(numbers(), mesh, [Shard(0)])
    for _ in range(3):
        x + x
    with Seeing():
        x + x
    assert ("aten.add.Tensor", (DTensor,)) in seen
    with CommDebugMode() as counted:
        x.full_tensor()
    assert counted.get_total_counts() <= 1


def test_classes_of_programs_are_asked(mesh):
    class Own(DTensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return "mine"

    x = distribute_tensor(numbers(), mesh, [Shard(0)])
    own = Own(x._local_tensor, x._spec, requires_grad=False)
    for _ in range(3):
        assert (x + x).placements == (Shard(0),)
        assert own + own == "mine"


def test_others_are_refused_also_then(mesh):
    x = distribute_tensor(numbers(), mesh, [Shard(0)])
    for _ in range(3):
        x + x
        assert (x + torch.tensor(1.0)).placements == (Shard(0),)
        with pytest.raises(RuntimeError, match=r"add.Tensor: got mixed torch.Tensor and DTensor"):
            x + numbers()


def test_a_call_is_known_by_all_that_decides_it(mesh):
    x = distribute_tensor(numbers(), mesh, [Shard(0)])
    y = distribute_tensor(numbers(), mesh, [Replicate()])
    x + x
    count = len(known())
    x + x
    assert len(known()) == count
    x + y
    y + y
    assert len(known()) == count + 2
    other = dist.init_device_mesh("cpu", (1,))
    assert (distribute_tensor(numbers(), other, [Shard(0)]) * 1).device_mesh is other
