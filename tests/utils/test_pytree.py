"""Trees of containers, apart and together."""

from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass

import pytest

import rushlight as torch
from rushlight.utils import _pytree as pytree

Point = namedtuple("Point", "x y")
TREE = {
    "a": [1, (2, None)],
    "b": Point(3, OrderedDict(k=4)),
    "c": defaultdict(list, {"d": 5}),
    "e": deque([6, 7], maxlen=3),
}


def test_round_trip():
    leaves, spec = pytree.tree_flatten(TREE)
    assert leaves == [1, 2, None, 3, 4, 5, 6, 7]
    back = pytree.tree_unflatten(leaves, spec)
    assert back == TREE and type(back["b"]) is Point and back["e"].maxlen == 3
    assert (spec.num_leaves, spec.num_nodes, spec.num_children) == (8, 15, 4)
    assert spec == pytree.tree_structure(TREE) and hash(spec) == hash(pytree.tree_structure(TREE))
    assert spec != pytree.tree_structure([1])
    assert pytree.tree_flatten(3) == ([3], pytree.treespec_leaf())


def test_maps():
    assert pytree.tree_map(lambda a, b: a + b, [1, {"k": 2}], [10, {"k": 20}]) == [11, {"k": 22}]
    # The order of the keys of another dictionary does not matter.
    assert pytree.tree_map(lambda a, b: a - b, {"a": 5, "b": 7}, {"b": 2, "a": 1}) == {
        "a": 4,
        "b": 5,
    }
    doubled = pytree.tree_map_only(torch.Tensor, lambda t: t * 2, (torch.ones(1), 3))
    assert doubled[0].item() == 2 and doubled[1] == 3
    seen = []
    assert pytree.tree_map_(seen.append, [1, (2,)]) == [1, (2,)] and seen == [1, 2]
    assert pytree.tree_all(lambda v: v > 0, [1, 2]) and not pytree.tree_any(lambda v: v > 2, [1, 2])
    assert pytree.tree_all_only(int, lambda v: v > 0, [1, "a"])
    assert pytree.arg_tree_leaves(1, [2], k=(3,)) == [1, 2, 3]
    stopped = pytree.tree_leaves([(1, 2), [3]], is_leaf=lambda v: isinstance(v, tuple))
    assert stopped == [(1, 2), 3]


def test_paths():
    keyed, _ = pytree.tree_flatten_with_path({"a": [1, Point(2, 3)]})
    assert [pytree.keystr(path) for path, _ in keyed] == ["['a'][0]", "['a'][1].x", "['a'][1].y"]
    assert [pytree.key_get({"a": [1, Point(2, 3)]}, path) for path, _ in keyed] == [1, 2, 3]
    named = pytree.tree_map_with_path(lambda path, v: f"{pytree.keystr(path)}={v}", [5, {"k": 6}])
    assert named == ["[0]=5", {"k": "[1]['k']=6"}]


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: pytree.tree_unflatten([1], pytree.tree_structure([1, 2])), "holds 2 items"),
        (lambda: pytree.tree_map(max, [1, 2], [1]), "arity mismatch; expected 2, but got 1"),
        (lambda: pytree.tree_map(max, [1, 2], (1, 2)), "type mismatch"),
        (lambda: pytree.tree_map(max, {"a": 1}, {"b": 1}), r"missing key\(s\): {'a'}"),
        (lambda: pytree.register_pytree_node(dict, None, None), "already registered"),
    ],
)
def test_what_does_not_fit(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_own_classes():
    class Pair:
        def __init__(self, left, right):
            self.left, self.right = left, right

    pytree.register_pytree_node(
        Pair, lambda p: ([p.left, p.right], None), lambda values, _: Pair(*values)
    )

    @dataclass
    class Record:
        first: int
        second: int | None = None

    pytree.register_dataclass(Record)
    try:
        made = pytree.tree_map(lambda v: v + 1, Pair(1, [2]))
        assert (made.left, made.right) == (2, [3])
        with pytest.raises(ValueError, match="flatten_with_keys_fn"):
            pytree.tree_flatten_with_path(Pair(1, 2))
        assert pytree.tree_map(lambda v: v + 1, Record(1)) == Record(2)
        assert pytree.tree_leaves(Record(1, 5)) == [1, 5]
    finally:
        pytree._deregister_pytree_node(Pair)
        pytree._deregister_pytree_node(Record)


def test_structures_as_text():
    spec = pytree.tree_structure({"a": [1, (2, torch.Size([3]))], "c": defaultdict(list, k=1)})
    assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
    assert repr(pytree.tree_structure([1, 2])) == "TreeSpec(list, None, [*,\n  *])"
    assert pytree.treespec_pprint(pytree.tree_structure({"a": (1, 2)})) == "{'a': (*, *)}"


def test_spreading_values():
    spec = pytree.tree_structure([1, (2, 3)])
    assert pytree._broadcast_to_and_flatten([0, 1], spec) == [0, 1, 1]
    assert pytree._broadcast_to_and_flatten(5, spec) == [5, 5, 5]
    assert pytree._broadcast_to_and_flatten([0], spec) is None


def test_named_results_are_containers():
    found = torch.max(torch.tensor([[1.0, 3.0]]), 1)
    leaves, spec = pytree.tree_flatten(found)
    assert [leaf.item() for leaf in leaves] == [3, 1]
    again = pytree.tree_unflatten(leaves, spec)
    assert type(again) is type(found)
    assert again.values.item() == 3
    assert pytree.tree_map(lambda x: x.item(), found).indices == 1
