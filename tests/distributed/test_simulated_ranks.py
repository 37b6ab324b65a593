"""One process that stands for all ranks: what each of them has is what it would have in a process of its own."""

import functools
import itertools

import pytest

import rushlight as torch
import rushlight.distributed as dist
from rushlight.distributed._local_tensor import (
    LocalIntNode,
    LocalRunnerMode,
    LocalTensor,
    LocalTensorMode,
    enabled_local_tensor_mode,
    local_tensor_mode,
    maybe_disable_local_tensor_mode,
    maybe_run_for_local_tensor,
    rank_map,
    reconcile_args,
    tensor_map,
)
from rushlight.distributed._local_tensor._c10d import groups_beside, local_p2p_op, wait_all
from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh
from rushlight.distributed.tensor import (
    DTensor,
    Partial,
    Replicate,
    Shard,
    distribute_tensor,
    randn,
)


@pytest.fixture(params=[2, 3, 4])
def size(request):
    yield from _group(request.param)


@pytest.fixture
def four():
    yield from _group(4)


def _group(size):
    dist.init_process_group("fake", rank=0, world_size=size)
    yield size
    dist.destroy_process_group()


def drawn(size, *shape, seed=0):
    """Whole numbers, so that sums do not depend on the order: a tensor for each rank."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randint(-8, 9, shape, generator=generator).to(torch.float32) for _ in range(size)]


def local(tensors):
    return LocalTensor({rank: x.clone() for rank, x in enumerate(tensors)})


def check(found, expected):
    assert sorted(found._ranks) == list(range(len(expected)))
    for rank, x in enumerate(expected):
        part = found._local_tensors[rank]
        assert part.shape == x.shape and torch.equal(part, x), (rank, part, x)


# -- integers --


def test_integers_of_ranks_compute_as_each_rank_would():
    a, b = {0: 7, 1: 5, 2: -3}, {0: 2, 1: 4, 2: 5}
    x, y = torch.SymInt(LocalIntNode(a)), torch.SymInt(LocalIntNode(b))
    made = [x + y, x - y, x * 3, x // y, x % y, -x, 10 - x]
    plain = [
        (p + q, p - q, p * 3, p // q, p % q, -p, 10 - p) for p, q in zip(a.values(), b.values())
    ]
    for found, column in zip(made, zip(*plain)):
        assert tuple(found.node._local_ints.values()) == column
    assert type(x - x) is int and x - x == 0
    assert x != y and (x == y) is False and x == x and hash(x) == hash(x + 0)
    assert x < 8 and x >= -3
    with pytest.raises(AssertionError, match="ranks differ"):
        bool(x < y)
    with pytest.raises(RuntimeError, match="not one integer"):
        int(x)
    assert int(torch.SymInt(LocalIntNode({0: 4, 1: 4}))) == 4
    assert str(x) == "LocalIntNode({0: 7, 1: 5, 2: -3})"


def test_nodes_answer_as_programs_ask_them():
    a, b = LocalIntNode({0: 3, 1: 4}), LocalIntNode({0: 10, 1: 2})
    assert a.sym_min(b)._local_ints == {0: 3, 1: 2}
    assert a.sym_max(5)._local_ints == {0: 5, 1: 5}
    assert a.add(b).sub(1)._local_ints == {0: 12, 1: 5}
    assert a.sym_sum([a, b, 1])._local_ints == {0: 14, 1: 7}
    assert a.le(10) and a.gt(2) and a.ne(b) and not a.eq(b)
    known = torch.SymBool(a.le(10))
    assert known & True and not known & False and known | False
    assert a.maybe_as_int() is None and a.wrap_int(3).maybe_as_int() == 3


# -- tensors --


def test_operators_are_called_for_each_rank():
    given = drawn(3, 4, 2)
    x = local(given)
    check(x + 1, [g + 1 for g in given])
    check(x.t() @ x, [g.t() @ g for g in given])
    check(torch.cat([x, x * 2]), [torch.cat([g, g * 2]) for g in given])
    check(x + torch.ones(2), [g + 1 for g in given])
    check(x.sort(0).values, [g.sort(0).values for g in given])
    with pytest.raises(RuntimeError, match="no address"):
        x.data_ptr()


def test_ranks_may_have_tensors_of_different_sizes():
    given = [torch.arange(float(n * 2)).view(n, 2) for n in (3, 1, 0)]
    x = local(given)
    rows, columns = x.shape
    assert rows.node._local_ints == {0: 3, 1: 1, 2: 0} and columns == 2
    check(x.sum(0), [g.sum(0) for g in given])
    check(x.t() * 2, [g.t() * 2 for g in given])
    check(x.new_ones(rows + 1), [torch.ones(len(g) + 1) for g in given])
    first, second = x.split(2)
    check(first, [g[:2] for g in given])
    check(second, [g[2:] for g in given])


def test_writes_reach_the_tensors_of_ranks_and_views_share_them():
    given = drawn(2, 3, 3)
    x = local(given)
    x[1].mul_(2)
    x.t()[0].add_(1)
    x += 1
    for g in given:
        g[1].mul_(2)
        g.t()[0].add_(1)
        g += 1
    check(x, given)
    same = x.unsqueeze_(0)
    assert same is x and x.shape == (1, 3, 3)


def test_what_is_no_tensor_of_ranks_is_refused():
    with pytest.raises(ValueError, match="empty"):
        LocalTensor({})
    with pytest.raises(AssertionError, match="dtype"):
        LocalTensor({0: torch.ones(2), 1: torch.ones(2).double()})
    with pytest.raises(AssertionError, match="rank 1 requires grad"):
        LocalTensor({0: torch.ones(2), 1: torch.ones(2, requires_grad=True)})


def test_a_tensor_of_ranks_is_one_where_all_have_the_same():
    x = LocalTensor({0: torch.arange(3), 1: torch.arange(3)})
    assert x.tolist() == [0, 1, 2] and x.numpy().tolist() == [0, 1, 2]
    assert torch.equal(x.reconcile(), torch.arange(3))
    (args, named) = reconcile_args([x, {"a": (x, 2)}], {"b": x})
    assert type(args[0]) is type(args[1]["a"][0]) is type(named["b"]) is torch.Tensor
    other = LocalTensor({0: torch.arange(2), 1: torch.arange(2) + 1})
    with pytest.raises(AssertionError, match="the same"):
        other.reconcile()
    assert [n.node._local_ints for n in other.tolist()] == [{0: 0, 1: 1}, {0: 1, 1: 2}]
    names, facts = other.__tensor_flatten__()
    made = LocalTensor.__tensor_unflatten__(
        {n: getattr(other, n) for n in names}, facts, other.size(), other.stride()
    )
    check(made, [torch.arange(2), torch.arange(2) + 1])


def test_gradients_are_those_of_each_rank():
    given = drawn(2, 3)
    x = LocalTensor({k: g.clone() for k, g in enumerate(given)}, requires_grad=True)
    (x**3).sum().backward()
    check(x.grad, [3 * g**2 for g in given])


# -- the mode --


def test_within_the_mode_new_tensors_are_of_all_ranks():
    assert local_tensor_mode() is None
    with LocalTensorMode(2) as mode:
        assert enabled_local_tensor_mode() is local_tensor_mode() is mode
        assert isinstance(torch.ones(2) + 1, LocalTensor)
        with maybe_disable_local_tensor_mode():
            assert enabled_local_tensor_mode() is None
            assert type(torch.ones(2)) is torch.Tensor
        check(rank_map(lambda rank: torch.full((2,), rank)), [torch.full((2,), k) for k in (0, 1)])
        ones = torch.ones(1)
        check(tensor_map(ones, lambda rank, x: x * rank), [torch.zeros(1), torch.ones(1)])
        only = tensor_map(ones, lambda rank, x: x if rank else None)
        assert only._ranks == {1}


def test_functions_for_each_rank_get_what_it_has():
    @maybe_run_for_local_tensor
    def cut(x, numbers, at):
        return x[at:] if at else x, [len(numbers), at], "same"

    assert cut(torch.arange(3), [1], 1)[1] == [1, 1]
    with LocalTensorMode(2):
        at = torch.SymInt(LocalIntNode({0: 0, 1: 2}))
        tail, (length, place), word = cut(torch.arange(3), [4, 5], at)
        check(tail, [torch.arange(3), torch.tensor([2])])
        assert length == 2 and place == at and word == "same"


def test_ranks_draw_as_processes_with_one_seed_would():
    with LocalTensorMode(2):
        torch.manual_seed(5)
        first = torch.randn(3)
        uneven = rank_map(lambda rank: torch.zeros(rank + 1)).normal_()
        then = torch.randn(2)
        torch.manual_seed(5)
        assert torch.equal(torch.randn(3).reconcile(), first.reconcile())
    for rank in range(2):
        torch.manual_seed(5)
        for found, length in ((first, 3), (uneven, rank + 1), (then, 2)):
            assert torch.equal(found._local_tensors[rank], torch.randn(length))


# -- collectives --

OPS = {
    dist.ReduceOp.SUM: sum,
    dist.ReduceOp.AVG: lambda parts: sum(parts) / len(parts),
    dist.ReduceOp.PRODUCT: lambda parts: functools.reduce(torch.mul, parts),
    dist.ReduceOp.MIN: lambda parts: functools.reduce(torch.minimum, parts),
    dist.ReduceOp.MAX: lambda parts: functools.reduce(torch.maximum, parts),
    dist.ReduceOp.PREMUL_SUM(2.0): lambda parts: sum(parts) * 2,
}


def test_reductions(size):
    for (op, plain), inside in itertools.product(OPS.items(), (False, True)):
        given = drawn(size, 3, 2)
        x = local(given)
        with LocalTensorMode(size) if inside else maybe_disable_local_tensor_mode():
            work = dist.all_reduce(x, op, async_op=True)
            assert work.wait()
        check(x, [plain(given)] * size)
        for root in range(size):
            x = local(given)
            dist.reduce(x, root, op)
            check(x, [plain(given) if k == root else g for k, g in enumerate(given)])
    bits = [torch.tensor([6, 3]) << k for k in range(size)]
    x = local(bits)
    dist.all_reduce(x, dist.ReduceOp.BXOR)
    check(x, [functools.reduce(torch.bitwise_xor, bits)] * size)


def test_moves(size):
    given = drawn(size, 2, 2)
    for root in range(size):
        x = local(given)
        dist.broadcast(x, root)
        check(x, [given[root]] * size)
        with LocalTensorMode(size):
            lists = [torch.zeros(2, 2) for _ in range(size)]
            dist.gather(local(given), lists, dst=root)
            own = torch.zeros(2, 2)
            pieces = [local([g * (k + 1) for g in given]) for k in range(size)]
            dist.scatter(own, pieces, src=root)
        for k, found in enumerate(lists):
            check(found, [given[k] if rank == root else given[k] * 0 for rank in range(size)])
        check(own, [given[root] * (k + 1) for k in range(size)])


def test_gathers_and_exchanges(size):
    given = drawn(size, size, 2)
    x = local(given)
    with LocalTensorMode(size):
        lists = [torch.zeros_like(x) for _ in range(size)]
        dist.all_gather(lists, x)
        whole = torch.zeros(size * size, 2)
        dist.all_gather_into_tensor(whole, x)
        part = torch.zeros(1, 2)
        dist.reduce_scatter_tensor(part, x)
        own = torch.zeros(2)
        dist.reduce_scatter(own, list(x.unbind()))
        swapped = torch.zeros(size, 2)
        dist.all_to_all_single(swapped, x)
        taken = [torch.zeros(2) for _ in range(size)]
        dist.all_to_all(taken, list(x.unbind()))
        dist.barrier()
    for found, g in zip(lists, given):
        check(found, [g] * size)
    check(whole, [torch.cat(given)] * size)
    check(part, [sum(given)[k : k + 1] for k in range(size)])
    check(own, [sum(given)[k] for k in range(size)])
    check(swapped, [torch.stack([g[k] for g in given]) for k in range(size)])
    for j, found in enumerate(taken):
        check(found, [given[j][k] for k in range(size)])


def test_functional_collectives(size):
    from rushlight.distributed import _functional_collectives as functional

    group = dist.group.WORLD
    given = drawn(size, size, 2)
    x = LocalTensor({k: g.clone() for k, g in enumerate(given)}, requires_grad=True)
    check(functional.all_reduce(x, "max", group), [functools.reduce(torch.maximum, given)] * size)
    check(functional.broadcast(x, 1, group), [given[1]] * size)
    whole = functional.all_gather_tensor(x, 1, group)
    check(whole, [torch.cat(given, 1)] * size)
    own = functional.reduce_scatter_tensor(x, "sum", 0, group)
    check(own, [sum(given)[k : k + 1] for k in range(size)])
    # rank k gives k + 1 rows to each
    rows = [torch.full((size * (k + 1), 1), float(k)) for k in range(size)]
    sent = [torch.SymInt(LocalIntNode({k: k + 1 for k in range(size)}))] * size
    found = functional.all_to_all_single(local(rows), [k + 1 for k in range(size)], sent, group)
    check(found, [torch.cat([r[: k + 1] for k, r in enumerate(rows)])] * size)
    (own * 3).sum().backward()
    check(x.grad, [torch.full((size, 2), 3.0)] * size)


def test_groups_of_some_ranks_take_the_others_for_their_like(four):
    everybody = frozenset(range(4))
    assert groups_beside([0, 1], everybody) == [[0, 1], [2, 3]]
    assert groups_beside([0, 2], everybody) == [[0, 2], [1, 3]]
    assert groups_beside([0, 3, 1, 2], everybody) == [[0, 3, 1, 2]]
    with pytest.raises(NotImplementedError, match="cannot be divided"):
        groups_beside([0, 3], everybody)
    given = drawn(4, 3)
    x = local(given)
    dist.all_reduce(x, group=dist.new_group([0, 2]))
    check(x, [given[0] + given[2], given[1] + given[3]] * 2)


# -- meshes and distributed tensors --


def test_places_in_a_mesh_are_those_of_each_rank(four):
    with LocalTensorMode(4):
        mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "b"))
        assert [x.node._local_ints for x in mesh.get_coordinate()] == [
            {0: 0, 1: 0, 2: 1, 3: 1},
            {0: 0, 1: 1, 2: 0, 3: 1},
        ]
        assert mesh["a"].get_local_rank() == mesh.get_local_rank("a")
        assert mesh["b"].get_local_rank() == mesh.get_local_rank("b")
        assert mesh.get_rank().node._local_ints == {k: k for k in range(4)}
        flat = mesh._flatten("all")
        assert flat.get_local_rank() == mesh.get_rank()
        assert maybe_run_for_local_tensor(lambda: mesh["a"].get_local_rank() * 10)() == (
            mesh.get_local_rank("a") * 10
        )
    assert mesh.get_coordinate() == [0, 0]
    rows = mesh._get_all_submeshes("b")
    assert [row.mesh.tolist() for row in rows] == [[0, 1], [2, 3]]
    assert isinstance(rows[0], DeviceMesh) and rows[0].get_group() is mesh.get_group("b")


PLACEMENTS = [[Shard(0)], [Shard(1)], [Replicate()]]


@pytest.mark.parametrize("rows", [8, 5, 2])
def test_distributed_tensors(four, rows):
    whole = drawn(1, rows, 3)[0]
    with LocalTensorMode(4):
        mesh = init_device_mesh("cpu", (4,))
        for start, end in itertools.product([*PLACEMENTS, [Partial()]], PLACEMENTS):
            x = distribute_tensor(whole, mesh, start)
            moved = x.redistribute(placements=end)
            assert torch.equal(moved.full_tensor().reconcile(), whole)
        for start in PLACEMENTS:
            x = distribute_tensor(whole, mesh, start)
            found = (x.t() @ torch.relu(x)).sum(0) * 2
            expected = (whole.t() @ torch.relu(whole)).sum(0) * 2
            assert torch.equal(found.full_tensor().reconcile(), expected)
    parts = distribute_tensor(whole, mesh, [Shard(0)], src_data_rank=None)
    assert not isinstance(parts.to_local(), LocalTensor)


def test_distributed_tensors_on_a_grid(four):
    whole = drawn(1, 7, 6)[0]
    each = [
        [Shard(0), Shard(1)],
        [Shard(0), Shard(0)],
        [Shard(1), Shard(1)],
        [Replicate(), Shard(0)],
    ]
    with LocalTensorMode(4):
        mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "b"))
        for start, end in itertools.product(each, each):
            x = distribute_tensor(whole, mesh, start)
            assert torch.equal(x.redistribute(placements=end).full_tensor().reconcile(), whole)
        x = distribute_tensor(whole, mesh["b"], [Shard(0)])
        assert torch.equal(x.full_tensor().reconcile(), whole)
        assert isinstance(x, DTensor) and isinstance(x.to_local(), LocalTensor)
        y = randn(8, 2, device_mesh=mesh, placements=each[0])
        assert y.full_tensor().reconcile().shape == (8, 2)


def _trained(model, batches, steps=3):
    """The parameters after steps on the mean loss of several batches, in one process."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        (sum(model(x).square().mean() for x in batches) / len(batches)).backward()
        optimizer.step()
    return [p.detach() for p in model.parameters()]


def _model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))


@pytest.mark.parametrize("way", ["fully_shard", "DistributedDataParallel"])
def test_training_on_shares_of_the_data(four, way):
    batches = drawn(4, 5, 4)
    expected = _trained(_model(), batches)
    with LocalTensorMode(4):
        model = _model()
        if way == "fully_shard":
            from rushlight.distributed.fsdp import fully_shard

            for part in (model[0], model[2], model):
                fully_shard(part, mesh=init_device_mesh("cpu", (4,)))
            found = _trained(model, [local(batches)])
            found = [p.full_tensor() for p in found]
        else:
            model = torch.nn.parallel.DistributedDataParallel(model)
            found = _trained(model, [local(batches)])
        for p, e in zip(found, expected):
            torch.testing.assert_close(p.reconcile(), e)


def test_tensor_parallel(four):
    from rushlight.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        parallelize_module,
    )

    batch = drawn(1, 5, 4)[0]
    expected = _trained(_model(), [batch])
    with LocalTensorMode(4):
        plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
        model = parallelize_module(_model(), init_device_mesh("cpu", (4,)), plan)
        for p, e in zip(_trained(model, [local([batch] * 4)]), expected):
            torch.testing.assert_close(p.full_tensor().reconcile(), e)


# -- messages --


def test_stages_of_a_pipeline_send_each_other_tensors(four):
    found = {}

    def stage(number):
        with LocalTensorMode(4):
            # stage 0 is on ranks 0 and 2, stage 1 on ranks 1 and 3
            x = rank_map(lambda rank: torch.full((2,), float(rank)))
            if number == 0:
                to = torch.SymInt(LocalIntNode({0: 1, 2: 3}))
                wait_all(local_p2p_op(to, x * 10, dist.isend))
            else:
                source = torch.SymInt(LocalIntNode({1: 0, 3: 2}))
                wait_all(local_p2p_op(source, x, dist.irecv))
                found[number] = x

    with LocalRunnerMode(4, 2, stage):
        pass
    check(found[1], [torch.full((2,), v) for v in (0.0, 0.0, 2.0, 20.0)])


def test_a_message_that_nobody_sends_is_told(four):
    def stage(number):
        with LocalTensorMode(4):
            source = torch.SymInt(LocalIntNode({1: 0, 3: 2}))
            wait_all(local_p2p_op(source, torch.zeros(1), dist.irecv))

    with pytest.raises(RuntimeError, match="nobody will send"), LocalRunnerMode(4, 2, stage):
        pass
    x = LocalTensor({0: torch.ones(1), 1: torch.ones(1)})
    with pytest.raises(RuntimeError, match="which rank"):
        dist.send(x, 1)
