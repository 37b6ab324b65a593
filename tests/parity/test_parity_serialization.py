"""Files go both ways between rushlight and PyTorch."""

from __future__ import annotations

import collections
import io
import warnings
from typing import Any

import pytest

import rushlight
from rushlight.engine.core import dtype as dtypes

torch = pytest.importorskip("torch")
DIRECTIONS = [(rushlight, torch), (torch, rushlight)]
pytestmark = pytest.mark.filterwarnings("ignore:ComplexHalf")


@pytest.fixture(params=DIRECTIONS, ids=["written by rushlight", "written by torch"])
def libraries(request: pytest.FixtureRequest) -> Any:
    return request.param


def through(writer: Any, reader: Any, obj: Any, legacy: bool = False, **options: Any) -> Any:
    file = io.BytesIO()
    writer.save(obj, file, _use_new_zipfile_serialization=not legacy)
    file.seek(0)
    return reader.load(file, **options)


def content(tensor: Any) -> bytes:
    return bytes(list(tensor.contiguous().untyped_storage()))


@pytest.mark.parametrize("kind", dtypes.ALL, ids=str)
def test_dtypes(libraries: Any, kind: Any) -> None:
    writer, reader = libraries
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = writer.tensor([0, 1, 3]).to(getattr(writer, kind._name))
    made = through(writer, reader, source)
    assert str(made.dtype) == str(kind) and content(made) == content(source)


@pytest.mark.parametrize("legacy", [False, True])
def test_geometry(libraries: Any, legacy: bool) -> None:
    writer, reader = libraries
    base = writer.arange(12.0).reshape(3, 4)
    z = writer.tensor([1 + 2j])
    source = [base, base.t(), base[1, 1:], base[::2], writer.ones(0, 3), writer.tensor(3), z.conj()]
    made = through(writer, reader, source, legacy)
    for ours, theirs in zip(made, source, strict=True):
        assert tuple(ours.shape) == tuple(theirs.shape) and ours.stride() == theirs.stride()
        assert ours.tolist() == theirs.tolist() and ours.storage_offset() == theirs.storage_offset()
    made[0][1, 1] = -1
    assert made[1][1, 1] == -1 and made[2][0] == -1 and made[6].is_conj()


def test_plain_objects(libraries: Any) -> None:
    writer, reader = libraries
    ordered = collections.OrderedDict(b=1)
    source = [
        1,
        -2.5,
        None,
        2**70,
        "é",
        b"\x00\xff",
        1j,
        {1},
        ordered,
        writer.Size([2]),
        writer.int8,
    ]
    made = through(writer, reader, [*source, writer.device("cpu")])
    assert made[:9] == source[:9] and type(made[9]) is reader.Size and made[10] is reader.int8
    assert made[11] == reader.device("cpu")


def network(library: Any) -> Any:
    """Two layers that share a weight, and their optimizer after a step."""
    library.manual_seed(0)
    model = library.nn.Sequential(
        library.nn.Linear(4, 4), library.nn.ReLU(), library.nn.Linear(4, 4)
    )
    model[2].weight = model[0].weight
    optimizer = library.optim.Adam(model.parameters(), lr=0.1)
    step(model, optimizer, library)
    return model, optimizer


def step(model: Any, optimizer: Any, library: Any) -> float:
    optimizer.zero_grad()
    loss = model(library.arange(8.0).reshape(2, 4)).square().sum()
    loss.backward()
    optimizer.step()
    return float(loss.detach())


def test_training_goes_on_in_the_other_library(libraries: Any) -> None:
    writer, reader = libraries
    model, optimizer = network(writer)
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    made = through(writer, reader, state)
    other, other_optimizer = network(reader)
    other.load_state_dict(made["model"])
    other_optimizer.load_state_dict(made["optimizer"])
    shared = made["model"]["0.weight"], made["model"]["2.weight"]
    assert shared[0].data_ptr() == shared[1].data_ptr()
    losses = [step(model, optimizer, writer) for _ in range(3)]
    assert [step(other, other_optimizer, reader) for _ in range(3)] == pytest.approx(
        losses, rel=1e-4
    )


def test_a_whole_module(libraries: Any) -> None:
    writer, reader = libraries
    source = writer.nn.Linear(3, 2)
    made = through(writer, reader, source, weights_only=False)
    assert type(made) is reader.nn.Linear
    assert made.weight.tolist() == source.weight.tolist()


def test_files_are_mapped(libraries: Any, tmp_path: Any) -> None:
    writer, reader = libraries
    writer.save({"x": writer.arange(100.0), "y": writer.ones(3)}, tmp_path / "x.pt")
    made = reader.load(tmp_path / "x.pt", mmap=True)
    assert made["x"].tolist() == list(range(100)) and made["y"].tolist() == [1, 1, 1]
