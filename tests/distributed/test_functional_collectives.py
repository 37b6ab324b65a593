"""Collectives with gradients, as functions and as operators; meshes of processes."""

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed._functional_collectives as fun
import rushlight.distributed.nn.functional as with_gradients
from rushlight.distributed import init_device_mesh
from rushlight.distributed.device_mesh import DeviceMesh, _mesh_resources


def leaf(rank, *shape):
    generator = torch.Generator().manual_seed(rank)
    return torch.randn(shape, generator=generator).requires_grad_()


def functions(rank, size):
    group = dist.group.WORLD
    x = leaf(rank, 2 * size, 3)
    every = [leaf(q, 2 * size, 3) for q in range(size)]
    total = sum(every)

    def same_gradient(result, wanted, mine=None):
        """The gradient of the sum of all ranks' squares, against one process that computes them all."""
        torch.testing.assert_close(result, wanted)
        (mine or x).grad = None
        result.square().sum().backward()

    same_gradient(fun.all_reduce(x, "sum", group), total)
    torch.testing.assert_close(x.grad, 2 * total.detach() * size)
    same_gradient(fun.all_gather_tensor(x, 0, group), torch.cat(every))
    torch.testing.assert_close(x.grad, 2 * x.detach() * size)
    assert torch.equal(fun.all_gather_tensor(x, 1, [*range(size)]), torch.cat(every, 1))
    mine = slice(2 * rank, 2 * rank + 2)
    same_gradient(fun.reduce_scatter_tensor(x, "avg", 0, group), total[mine] / size)
    torch.testing.assert_close(x.grad, 2 * total.detach() / size**2)
    wide = torch.arange(4.0 * size).view(2, 2 * size)
    columns = slice(2 * rank, 2 * rank + 2)
    found = fun.reduce_scatter_tensor(wide, "sum", 1, group)
    assert torch.equal(found, wide[:, columns] * size)
    same_gradient(fun.all_to_all_single(x, None, None, group), torch.cat([t[mine] for t in every]))
    torch.testing.assert_close(x.grad, 2 * x.detach())
    assert torch.equal(fun.broadcast(x, 1, group), every[1])
    order = [(q + 1) % size for q in range(size)]
    assert torch.equal(fun.permute_tensor(x, order, group), every[rank - 1])
    a, b = fun.all_reduce_coalesced([x, x[0]], "max", group)
    assert torch.equal(b, a[0])
    begun = torch.ops._c10d_functional.all_reduce(x.detach(), "sum", group.group_name)
    torch.testing.assert_close(torch.ops._c10d_functional.wait_tensor(begun), total.detach())
    with pytest.raises(ValueError, match="Unknown reduce operation: middle"):
        fun.all_reduce(x, "middle", group)
    with pytest.raises(ValueError, match="Could not resolve"):
        fun.all_reduce(x, "sum", "nobody")


def modules(rank, size):
    x = leaf(rank, 4)
    every = [leaf(q, 4) for q in range(size)]
    with_gradients.all_reduce(x).square().sum().backward()
    torch.testing.assert_close(x.grad, 2 * size * sum(every).detach())
    x.grad = None
    gathered = with_gradients.all_gather(x)
    torch.testing.assert_close(torch.stack(gathered), torch.stack(every))
    sum(t.square().sum() for t in gathered).backward()
    torch.testing.assert_close(x.grad, 2 * size * x.detach())
    x.grad = None
    with_gradients.broadcast(x, 1).sum().backward()
    assert x.grad.tolist() == [size if rank == 1 else 0] * 4
    x.grad = None
    gathered = with_gradients.gather(x, 0)
    sum(k * t.sum() for k, t in enumerate(gathered)).backward()
    assert x.grad.tolist() == [rank] * 4
    x.grad = None
    found = with_gradients.scatter([x * q for q in range(size)], 0)
    torch.testing.assert_close(found, every[0] * rank)
    found.sum().backward()
    assert x.grad.tolist() == [sum(range(size)) if rank == 0 else 0] * 4
    x.grad = None
    found = with_gradients.reduce(x, 1)
    found.sum().backward()
    assert x.grad.tolist() == [1] * 4
    x.grad = None
    found = with_gradients.reduce_scatter(None, [x * (q + 1) for q in range(size)])
    torch.testing.assert_close(found, sum(every) * (rank + 1))
    found.sum().backward()
    assert x.grad.tolist() == [size * (size + 1) / 2] * 4
    x.grad = None
    outputs = [torch.empty(4) for _ in range(size)]
    found = with_gradients.all_to_all(outputs, [x * q for q in range(size)])
    for q in range(size):
        torch.testing.assert_close(found[q], every[q] * rank)
    sum(t.sum() for t in found).backward()
    assert x.grad.tolist() == [sum(range(size))] * 4
    y = leaf(rank, 2 * size)
    with_gradients.all_to_all_single(torch.empty(2 * size), y).mul(rank + 1).sum().backward()
    assert y.grad.tolist() == [q + 1 for q in range(size) for _ in range(2)]


def meshes(rank, size):
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "model"))
    assert mesh.shape == (2, 2) and mesh.ndim == 2 and mesh.size() == 4 and mesh.size(0) == 2
    assert mesh.get_coordinate() == [rank // 2, rank % 2]
    assert mesh.get_local_rank("model") == rank % 2 and mesh["data"].get_local_rank() == rank // 2
    number = torch.tensor([float(rank)])
    rows = fun.all_reduce(number, "sum", mesh["model"])
    assert rows.item() == {0: 1, 1: 5}[rank // 2]
    columns = fun.all_reduce(number, "sum", (mesh, 0))
    assert columns.item() == {0: 2, 1: 4}[rank % 2]
    assert mesh["model"].mesh.tolist() == [rank // 2 * 2, rank // 2 * 2 + 1]
    assert mesh["data"].get_group() is mesh.get_group("data") is mesh.get_all_groups()[0]
    flat = mesh._flatten("all")
    assert flat is mesh["all"] and flat.mesh.tolist() == [0, 1, 2, 3]
    assert fun.all_reduce(number, "max", flat).item() == 3
    again = DeviceMesh.from_group(mesh.get_group("data"), "cpu", mesh_dim_names=("data",))
    assert again == mesh["data"] and hash(again) == hash(mesh["data"])
    assert repr(mesh) == "DeviceMesh((data=2, model=2), device: 'cpu', stride: (2, 1))"
    with mesh:
        assert _mesh_resources.get_current_mesh() is mesh
    with pytest.raises(RuntimeError, match="needs to be specified"):
        mesh.get_group()
    with pytest.raises(KeyError, match="does not exist"):
        mesh["rows"]
    with pytest.raises(RuntimeError, match="bigger than default world size 4"):
        init_device_mesh("cpu", (8,))
    with pytest.raises(RuntimeError, match="same length"):
        init_device_mesh("cpu", (2, 2), mesh_dim_names=("data",))
    model = torch.nn.Linear(2, 1)
    model = torch.nn.parallel.DistributedDataParallel(model, device_mesh=mesh["data"])
    model(torch.full((1, 2), float(rank))).sum().backward()
    assert model.module.weight.grad.tolist() == [[rank % 2 + 1.0] * 2]


@pytest.mark.parametrize("size", [2, 3])
def test_functions(size):
    run(size, functions)


@pytest.mark.parametrize("size", [2, 3])
def test_modules(size):
    run(size, modules)


def test_meshes():
    run(4, meshes)


def test_operators_on_fake_tensors():
    from rushlight._subclasses.fake_tensor import FakeTensorMode

    ops = torch.ops._c10d_functional
    with FakeTensorMode():
        x = torch.empty(8, 3)
        assert ops.all_gather_into_tensor(x, 4, "0").shape == (32, 3)
        assert ops.reduce_scatter_tensor(x, "sum", 4, "0").shape == (2, 3)
        assert ops.all_to_all_single(x, [1, 2], [4, 4], "0").shape == (3, 3)
        assert ops.wait_tensor(ops.all_reduce(x, "sum", "0")).shape == (8, 3)
