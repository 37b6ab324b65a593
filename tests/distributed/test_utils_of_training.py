"""What training in several processes does to arguments, states and storages."""

import collections
import dataclasses
import importlib

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist
from rushlight import nn
from rushlight.distributed import utils

Pair = collections.namedtuple("Pair", "first second")


@dataclasses.dataclass
class Output:
    loss: object
    name: str = "loss"


def test_arguments_in_one_tuple():
    flat, names = utils._pack_kwargs(1, 2, a=3, b=4)
    assert flat == (1, 2, 3, 4) and names == ("a", "b")
    assert utils._unpack_kwargs(flat, names) == ((1, 2), {"a": 3, "b": 4})
    assert utils._unpack_kwargs((1,), ()) == ((1,), {})
    with pytest.raises(AssertionError, match=r"too many keys 2 vs\. 1"):
        utils._unpack_kwargs((1,), ("a", "b"))


def test_tensors_in_containers():
    one = torch.ones(1)
    given = [Pair(one, 2), {"x": (one, "text")}, Output(one), collections.OrderedDict(y=one)]
    found = utils._apply_to_tensors(lambda x: x + 1, given)
    assert isinstance(found[0], Pair) and found[0].first == 2 and found[0].second == 2
    assert found[1]["x"][0] == 2 and found[1]["x"][1] == "text"
    assert found[2].loss == 2 and found[2].name == "loss" and given[2].loss == 1
    assert isinstance(found[3], collections.OrderedDict) and found[3]["y"] == 2


def test_types_of_inputs():
    x, ids = torch.ones(2), torch.arange(2)
    args, kwargs = utils._cast_forward_inputs(torch.bfloat16, x, ids, y=[x])
    assert args[0].dtype is torch.bfloat16 and args[1] is ids
    assert kwargs["y"][0].dtype is torch.bfloat16
    assert utils._cast_forward_inputs(None, x)[0] == (x,)


def test_inputs_on_a_device():
    x, meta = torch.ones(2), torch.device("meta")
    assert utils._to_kwargs((), None, meta, False) == ((), ())
    (args,), (kwargs,) = utils._to_kwargs((x, [Pair(x, 1)]), {"y": {"z": x}}, meta, False)
    assert args[0].is_meta and args[1][0].first.is_meta and args[1][0].second == 1
    assert kwargs["y"]["z"].is_meta
    assert utils._recursive_to(x, torch.device("cpu"), False)[0] is x


def test_prefixes_and_roots():
    held = {"a.x": 1, "ab": 2}
    utils._replace_by_prefix(held, "a.", "b.a.")
    assert held == {"b.a.x": 1, "ab": 2}
    with pytest.raises(ValueError, match="must be distinct"):
        utils._replace_by_prefix(held, "a", "a")
    inner = nn.Linear(1, 1)
    outer, other = nn.Sequential(inner), nn.ReLU()
    assert utils._get_root_modules([inner, outer, other]) == [outer, other]


def test_storages_come_and_go():
    x = torch.ones(3)
    utils._free_storage(x)
    assert not utils._data_ptr_allocated(x)
    utils._free_storage(x)
    utils._alloc_storage(x, x.shape)
    assert x.fill_(2).tolist() == [2, 2, 2]
    with pytest.raises(AssertionError, match="not the sole occupant"):
        utils._free_storage(x[1:])


def states(rank, size):
    model = nn.BatchNorm1d(2)
    with torch.no_grad():
        model.weight.fill_(rank)
        model.bias.fill_(rank)
        model.running_mean.fill_(rank)
    group = dist.group.WORLD
    utils._verify_param_shape_across_processes(group, list(model.parameters()))
    utils._sync_module_states(model, group, 1 << 20, 1, {"bias"})
    assert model.weight.tolist() == [1, 1] and model.running_mean.tolist() == [1, 1]
    assert model.bias.tolist() == [rank, rank]
    with pytest.raises(RuntimeError, match=r"params\[1\] in this process with sizes \[\d\]"):
        utils._verify_param_shape_across_processes(group, [torch.ones(2), torch.ones(1 + rank)])
    with pytest.raises(RuntimeError, match="expects same model across all ranks"):
        utils._verify_param_shape_across_processes(group, [torch.ones(2)] * (1 + rank))


def test_states_of_modules():
    run(2, states)


@pytest.mark.parametrize(
    "name",
    ["_composable.fsdp.fully_shard", "_tensor.api", "_tensor.device_mesh", "_tensor.placement_types",
     "_tensor._utils"],
)  # fmt: skip
def test_older_names(name):
    module = importlib.import_module(f"rushlight.distributed.{name}")
    assert all(hasattr(module, one) for one in module.__all__)
