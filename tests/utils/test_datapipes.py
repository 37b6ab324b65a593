"""Data sets in a chain."""

import pickle
import re

import pytest

import rushlight as torch
from rushlight.utils.data import DataLoader, IterDataPipe, MapDataPipe, functional_datapipe
from rushlight.utils.data.datapipes.iter import Batcher, IterableWrapper
from rushlight.utils.data.datapipes.map import SequenceWrapper


class Scaled(IterDataPipe):
    """Samples times a number."""

    def __init__(self, source, factor=2):
        self.source = source
        self.factor = factor
        self.passes = 0

    def __iter__(self):
        for sample in self.source:
            yield sample * self.factor

    def __len__(self):
        return len(self.source)

    def reset(self):
        self.passes += 1


@pytest.fixture
def scaled_method():
    functional_datapipe("scaled")(Scaled)
    yield
    del IterDataPipe.functions["scaled"]


def test_pipes_become_methods(scaled_method):
    source = IterableWrapper([1, 2, 3])
    assert list(source.scaled()) == [2, 4, 6]
    assert list(source.scaled(factor=5).scaled()) == [10, 20, 30]
    assert len(source.scaled()) == 3
    assert "scaled" in dir(source)
    assert source.scaled.__doc__ == "Samples times a number."
    assert repr(source.scaled()) == "Scaled"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        source.nothing  # noqa: B018
    with pytest.raises(Exception, match="name scaled as it is already taken"):
        functional_datapipe("scaled")(Scaled)


def test_one_iterator_at_a_time():
    pipe = Scaled(IterableWrapper([1, 2, 3]))
    first = iter(pipe)
    assert next(first) == 2
    second = iter(pipe)
    assert next(second) == 2
    with pytest.raises(RuntimeError, match="has been invalidated because another iterator"):
        next(first)
    assert list(second) == [4, 6]
    assert pipe.passes == 2


class ScaledTwice(Scaled):
    def __iter__(self):
        for sample in super().__iter__():
            yield sample * self.factor


def test_what_is_inherited_is_no_second_iterator():
    pipe = ScaledTwice(IterableWrapper([1, 2]))
    assert list(pipe) == [4, 8]
    assert pipe.passes == 1


def test_samples_in_a_row():
    source = IterableWrapper([1, 2, 3])
    assert list(source.map(lambda x: x + 1)) == [2, 3, 4]
    assert list(source.filter(lambda x: x > 1)) == [2, 3]
    assert list(source.batch(2)) == [[1, 2], [3]]
    assert list(source.batch(2, drop_last=True)) == [[1, 2]]
    assert (len(source.batch(2)), len(Batcher(source, 2, True))) == (2, 1)
    assert list(source.batch(2).unbatch()) == [1, 2, 3]
    assert list(source.concat(IterableWrapper([4]))) == [1, 2, 3, 4]
    assert list(source.zip(IterableWrapper("ab"))) == [(1, "a"), (2, "b")]
    assert torch.equal(next(iter(source.batch(2).collate())), torch.tensor([1, 2]))
    nested = IterableWrapper([[[1, 2], [3]]])
    assert list(nested.unbatch(-1)) == list(nested.unbatch(2)) == [1, 2, 3]
    with pytest.raises(IndexError, match="exceeds the depth of the DataPipe"):
        list(source.unbatch(2))
    with pytest.raises(ValueError, match="Boolean output is required"):
        list(source.filter(lambda x: 2))
    with pytest.raises(AssertionError, match="larger than 0"):
        source.batch(0)
    with pytest.raises(TypeError):
        len(source.filter(lambda x: True))
    with pytest.raises(TypeError, match="Expected all inputs"):
        source.concat([1])


def test_parts_of_samples():
    pairs = IterableWrapper([(1, 2), (3, 4)])
    assert list(pairs.map(lambda x: x * 10, input_col=0)) == [(10, 2), (30, 4)]
    both = {"input_col": [0, 1]}
    assert list(pairs.map(lambda x, y: x + y, **both)) == [(3,), (7,)]
    assert list(pairs.map(lambda x, y: x + y, **both, output_col=-1)) == [(1, 2, 3), (3, 4, 7)]
    named = IterableWrapper([{"a": 1}]).map(lambda x: x + 5, input_col="a", output_col="b")
    assert list(named) == [{"a": 1, "b": 6}]
    assert list(pairs.filter(lambda x: x > 2, input_col=1)) == [(3, 4)]
    with pytest.raises(ValueError, match=re.escape("must be None when `input_col` is None")):
        pairs.map(abs, output_col=0)
    with pytest.raises(ValueError, match="single-element"):
        pairs.map(abs, input_col=0, output_col=[0, 1])


def test_samples_by_index():
    source = SequenceWrapper([5, 6, 7])
    assert source.map(lambda x: x * 2)[2] == 14
    assert [source.batch(2)[i] for i in range(2)] == [[5, 6], [7]]
    assert source.concat(source)[4] == 6
    assert source.zip(source)[1] == (6, 6)
    assert [len(p) for p in (source.batch(2), source.concat(source), source.zip(source))] == [
        2,
        6,
        3,
    ]
    for pipe, index in ((source.batch(2), 7), (source.concat(source), 6)):
        with pytest.raises(IndexError, match=f"Index {index} is out of"):
            pipe[index]
    assert isinstance(source, MapDataPipe)


def test_loaders_take_pipes():
    pipe = pickle.loads(pickle.dumps(Scaled(IterableWrapper([1, 2, 3]))))
    assert [batch.tolist() for batch in DataLoader(pipe, batch_size=2)] == [[2, 4], [6]]
    by_index = SequenceWrapper([1, 2, 3]).map(float)
    assert [batch.tolist() for batch in DataLoader(by_index, batch_size=2)] == [[1, 2], [3]]


def test_changes_of_the_source():
    numbers = [1]
    assert list(IterableWrapper(numbers, deepcopy=False)) == [1]
    copied, shared = SequenceWrapper(numbers), SequenceWrapper(numbers, deepcopy=False)
    numbers.append(2)
    assert (len(copied), len(shared)) == (1, 2)
