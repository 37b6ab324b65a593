"""How tensors lie on a mesh."""

import copy
import pickle

import pytest

from rushlight.distributed.tensor import Partial, Replicate, Shard
from rushlight.distributed.tensor.placement_types import _StridedShard


def test_placements_are_values():
    every = [
        Shard(0),
        Shard(1),
        Replicate(),
        Partial(),
        Partial("avg"),
        _StridedShard(1, split_factor=2),
    ]
    assert (
        len(set(every))
        == 6
        == len({*every, *copy.deepcopy(every), *pickle.loads(pickle.dumps(every))})
    )
    assert list(map(repr, every[2:])) == [
        "Replicate()", "Partial(sum)", "Partial(avg)", "_StridedShard(dim=1, sf=2)",
    ]  # fmt: skip
    assert " ".join(map(str, every)) == "S(0) S(1) R P(sum) P(avg) _S(1, 2)"
    assert [p.is_shard() for p in every] == [True, True, False, False, False, False]
    assert Shard(1).is_shard(1) and not Shard(1).is_shard(0) and Replicate().is_replicate()
    assert Partial("avg").is_partial("avg") and not Partial().is_partial("avg")
    for wrong in (lambda: Shard("a"), lambda: Partial(3)):
        with pytest.raises(TypeError):
            wrong()


def test_pieces():
    found = [Shard.local_shard_size_and_offset(5, 4, rank) for rank in range(4)]
    assert found == [(2, 0), (2, 2), (1, 4), (0, 5)]
