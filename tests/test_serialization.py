"""Files: what is written comes back, damaged and hostile files are refused."""

from __future__ import annotations

import collections
import io
import os
import pickle
import random
import subprocess
import sys
import types
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
from rushlight import serialization
from rushlight.engine.core import dtype as dtypes


def through(obj: Any, *, legacy: bool = False, **options: Any) -> Any:
    """An object after a file."""
    file = io.BytesIO()
    torch.save(obj, file, _use_new_zipfile_serialization=not legacy)
    file.seek(0)
    return torch.load(file, **options)


@pytest.fixture(params=[False, True], ids=["archive", "legacy"])
def legacy(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.mark.parametrize("kind", dtypes.ALL, ids=str)
def test_every_dtype_comes_back(kind: Any, legacy: bool) -> None:
    source = torch.tensor([0, 1, 3]).to(kind)
    made = through(source, legacy=legacy)
    assert made.dtype is kind
    assert list(made.untyped_storage()) == list(source.untyped_storage())


def test_views_share_a_storage(legacy: bool) -> None:
    base = torch.arange(12.0).reshape(3, 4)
    made = through([base, base.t(), base[1, 1:]], legacy=legacy)
    made[0][1, 1] = -1
    assert made[1][1, 1] == -1 and made[2][0] == -1
    assert made[1].stride() == (1, 4) and made[2].storage_offset() == 5


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 2)])
def test_shapes(shape: tuple[int, ...], legacy: bool) -> None:
    made = through(torch.ones(shape), legacy=legacy)
    assert made.shape == shape and bool((made == 1).all())


def test_marks_and_parameters(legacy: bool) -> None:
    z = torch.tensor([1 + 2j])
    parameter = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    parameter.kind = "weight"
    negative = torch.tensor([1 + 2j]).conj().imag
    leaf = torch.ones(1, requires_grad=True)
    made = through([z.conj(), negative, parameter, leaf], legacy=legacy)
    assert made[0].is_conj() and made[0].item() == 1 - 2j
    assert made[1].is_neg() and made[1].item() == -2
    assert type(made[2]) is torch.nn.Parameter and not made[2].requires_grad
    assert made[2].kind == "weight"
    assert made[3].requires_grad and made[3].is_leaf


def test_plain_objects(legacy: bool) -> None:
    source = {
        "list": [1, -2.5, None, True, 2**70, "é", b"\x00\xff", bytearray(b"ab"), 1j, {1}, (), (1,)],
        "ordered": collections.OrderedDict(b=1, a=2),
        "dtype": torch.float16,
        "device": torch.device("cpu"),
        "size": torch.Size([2, 3]),
        "layout": torch.strided,
    }
    made = through(source, legacy=legacy)
    assert made == source and type(made["size"]) is torch.Size


def test_a_module_and_its_optimizer_go_on() -> None:
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    made = through({"model": model.state_dict(), "optimizer": optimizer.state_dict()})
    other = torch.nn.Linear(3, 2)
    other.load_state_dict(made["model"])
    assert torch.equal(other.weight, model.weight)
    assert made["model"]._metadata == model.state_dict()._metadata
    again = torch.optim.Adam(other.parameters())
    again.load_state_dict(made["optimizer"])
    assert torch.equal(
        again.state[other.weight]["exp_avg"], optimizer.state[model.weight]["exp_avg"]
    )


def test_a_whole_module_needs_trust() -> None:
    model = torch.nn.Linear(3, 2)
    with pytest.raises(pickle.UnpicklingError, match=r"torch\.nn\.modules\.linear\.Linear"):
        through(model)
    made = through(model, weights_only=False)
    assert torch.equal(made(torch.ones(1, 3)), model(torch.ones(1, 3)))
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    assert "torch.nn.modules.linear.Linear" in serialization.get_unsafe_globals_in_checkpoint(file)


def test_records_are_aligned_and_named(tmp_path: Path) -> None:
    torch.save([torch.ones(3), torch.ones(5)], tmp_path / "model.pt")
    with zipfile.ZipFile(tmp_path / "model.pt") as archive:
        names = archive.namelist()
        assert archive.read("model/version") == b"3\n" and archive.testzip() is None
    assert names[0] == "model/data.pkl" and {"model/data/0", "model/data/1"} < set(names)
    with open(tmp_path / "model.pt", "rb") as file:
        reader = serialization.ArchiveReader(file)
        assert reader.offset("data/0") % 64 == reader.offset("data/1") % 64 == 0


# -- places --
def test_map_location() -> None:
    x = torch.ones(3)
    assert through(x, map_location="meta").device.type == "meta"
    assert through(x, map_location=torch.device("cpu")).tolist() == [1, 1, 1]
    assert through(x, map_location={"cpu": "meta"}).device.type == "meta"
    asked = []
    made = through(x, map_location=lambda storage, place: asked.append(place))
    assert asked == ["cpu"] and made.tolist() == [1, 1, 1]


def test_a_gpu_that_is_not_there_is_named() -> None:
    with pytest.raises(RuntimeError, match=r"torch\.cuda\.is_available\(\) is False"):
        through(torch.ones(1), map_location="cuda:0")
    with pytest.raises(RuntimeError, match=r"don't know how to restore data location"):
        through(torch.ones(1), map_location="xpu")


def test_meta_tensors_have_no_bytes() -> None:
    made = through(torch.empty(2, 3, device="meta"))
    assert made.device.type == "meta" and made.shape == (2, 3)


def test_mmap_is_private_and_skip_data_reads_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    torch.save({"x": torch.arange(1000.0)}, path)
    made = torch.load(path, mmap=True)["x"]
    assert made[999] == 999
    made.zero_()
    assert torch.load(path)["x"][999] == 999
    with serialization.skip_data():
        assert torch.load(path)["x"].shape == (1000,)
    with pytest.raises(ValueError, match=r"file path"):
        torch.load(io.BytesIO(path.read_bytes()), mmap=True)


def test_shared_mmap_writes_through(tmp_path: Path) -> None:
    import mmap

    path = tmp_path / "x.pt"
    torch.save(torch.zeros(3), path)
    with serialization.set_default_mmap_options(mmap.MAP_SHARED):
        torch.load(path, mmap=True).fill_(2)
    assert serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    # The check sum is of the old bytes, as it is in PyTorch's files: only a mapping reads them.
    assert torch.load(path, mmap=True).tolist() == [2, 2, 2]


# -- writing --
class Refuses:
    def __reduce__(self) -> Any:
        raise ValueError("not me")


def test_a_failed_save_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    torch.save(torch.ones(1), path)
    path.chmod(0o640)
    with pytest.raises(ValueError, match=r"not me"):
        torch.save([torch.zeros(2), Refuses()], path)
    assert os.listdir(tmp_path) == ["x.pt"] and torch.load(path).tolist() == [1]
    torch.save(torch.zeros(1), path)
    assert path.stat().st_mode & 0o777 == 0o640
    with pytest.raises(RuntimeError, match=r"Parent directory .* does not exist"):
        torch.save(1, tmp_path / "none" / "x.pt")


def test_one_storage_has_one_type() -> None:
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match=r"view the same data as different types"):
        torch.save([x, x.view(torch.int32)], io.BytesIO())


# -- files that are damaged --
def saved(obj: Any) -> bytes:
    file = io.BytesIO()
    torch.save(obj, file)
    return file.getvalue()


@pytest.mark.parametrize("kept", [0.05, 0.5, 0.9, 0.999])
def test_a_cut_file_is_an_error(kept: float) -> None:
    content = saved(torch.ones(1000))
    with pytest.raises(RuntimeError, match=r"PytorchStreamReader"):
        torch.load(io.BytesIO(content[: int(len(content) * kept)]))


def test_a_changed_byte_is_an_error() -> None:
    content = bytearray(saved(torch.full((1000,), 7, dtype=torch.uint8)))
    content[content.index(bytes([7] * 100)) + 10] = 8
    with pytest.raises(RuntimeError, match=r"check sum"):
        torch.load(io.BytesIO(content))


def test_what_is_no_file_of_tensors() -> None:
    with pytest.raises(EOFError):
        torch.load(io.BytesIO(b""))
    with pytest.raises(pickle.UnpicklingError):
        torch.load(io.BytesIO(b"what is this"))
    with pytest.raises(RuntimeError, match=r"Invalid magic number"):
        torch.load(io.BytesIO(pickle.dumps(5)))
    file = io.BytesIO()
    torch.save(torch.ones(100), file, _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match=r"cut off"):
        torch.load(io.BytesIO(file.getvalue()[:-5]))


# -- files that are hostile --
class Runs:
    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("function", [os.mkdir, eval, getattr], ids=lambda f: f.__name__)
def test_a_hostile_pickle_does_not_run(function: Any, protocol: int, tmp_path: Path) -> None:
    target = tmp_path / "made"
    file = io.BytesIO()
    arguments = {os.mkdir: (str(target),), eval: (f"os.mkdir({str(target)!r})",)}
    torch.save(
        Runs(function, *arguments.get(function, (1, "real"))), file, pickle_protocol=protocol
    )
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match=r"not an allowed global|is blocked"):
        torch.load(file)
    assert not target.exists()


def archive_of(content: bytes, records: dict[str, bytes] | None = None) -> io.BytesIO:
    """A file whose pickle is given."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", content)
        for name, value in (records or {"data/0": bytes(16)}).items():
            archive.writestr(f"archive/{name}", value)
    file.seek(0)
    return file


@pytest.mark.parametrize(
    "geometry",
    [
        "K\x00(K\x05t(K\x01t\x89)",
        "K\x01(K\x04t(K\x01t\x89)",
        "K\x00(K\x02t(K\x04t\x89)",
        "J\xff\xff\xff\x7f(K\x01t(K\x01t\x89)",
    ],
)
def test_a_tensor_cannot_reach_outside_its_storage(geometry: str) -> None:
    key = b"(\x8c\x07storagectorch\nFloatStorage\n\x8c\x010\x8c\x03cpuK\x04tQ"
    content = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + key
    content += geometry.encode("latin1") + b"tR."
    with pytest.raises(RuntimeError, match=r"needs a storage of"):
        torch.load(archive_of(content))


def test_a_record_of_another_length_is_refused() -> None:
    key = b"(\x8c\x07storagectorch\nFloatStorage\n\x8c\x010\x8c\x03cpuK\x05tQ"
    content = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + key + b"K\x00(K\x01t(K\x01t\x89)tR."
    with pytest.raises(RuntimeError, match=r"16 bytes instead of 20"):
        torch.load(archive_of(content))


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x02cbuiltins\nbytearray\nJ\xff\xff\xff\x7f\x85R.",
        b"\x80\x02ctorch\nFloatStorage\nJ\xff\xff\xff\x7f\x85R.",
        b"\x80\x02c_codecs\nencode\nX\x01\x00\x00\x00aX\x03\x00\x00\x00hex\x86R.",
        b"\x80\x02K\x01K\x01R.",
        b"\x80\x02R.",
        b"\x80\x02]K\x01",
        b"\x80\x02ctorch\nTensor\n}b.",
        b"\x80\x02}K\x01a.",
        b"\x80\x02K\x07Q.",
        b"\x80\x02h\x05.",
        b"(ios\nsystem\n.",
    ],
)
def test_odd_pickles_are_refused(content: bytes) -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"Weights only load failed"):
        torch.load(archive_of(content))


def test_a_file_cannot_move_a_tensor() -> None:
    from rushlight import _utils

    with pytest.raises(RuntimeError, match=r"cannot set the attribute _offset_"):
        _utils.set_attributes(torch.ones(2), ({}, {"_offset_": 1000}))


# -- the list of names --
class Point:
    def __init__(self, x: Any) -> None:
        self.x = x


def test_names_can_be_allowed() -> None:
    point = Point(torch.ones(2))
    # Parts of the library that have been imported may have said some.
    before = serialization.get_safe_globals()
    with pytest.raises(pickle.UnpicklingError, match=r"add_safe_globals\(\[.*Point\]\)"):
        through(point)
    with serialization.safe_globals([Point]):
        assert through(point).x.tolist() == [1, 1]
    assert serialization.get_safe_globals() == before
    serialization.add_safe_globals([(Point, f"{__name__}.Point")])
    try:
        assert through(point).x.tolist() == [1, 1]
    finally:
        serialization.clear_safe_globals()
        serialization.add_safe_globals(before)
    with pytest.raises(pickle.UnpicklingError):
        through(point)


class Named(torch.Tensor):
    pass


def test_a_subclass_comes_back() -> None:
    source = torch.ones(2).as_subclass(Named)
    source.note = "hello"
    made = through(source, weights_only=False)
    assert type(made) is Named and made.note == "hello" and made.tolist() == [1, 1]
    plain = torch.ones(2)
    plain.note = 3
    assert through(plain).note == 3


def test_arguments_are_checked() -> None:
    with pytest.raises(RuntimeError, match=r"explicit pickle_module"):
        through(1, pickle_module=pickle)
    with pytest.raises(AttributeError, match=r"write"):
        torch.save(1, 5)
    with pytest.raises(AttributeError, match=r"seekable"):
        torch.load(5)


FUNCTIONS = [
    torch.nn.functional.gelu, torch.nn.functional.relu, torch.nn.functional.silu, torch.tanh,
    torch.conv2d, torch.linalg.norm, torch.special.expit, torch.fft.fft, torch.Tensor.add, torch.einsum,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_functions_are_kept_by_name(function: Any) -> None:
    assert pickle.loads(pickle.dumps(function)) is function
    buffer = io.BytesIO()
    torch.save([function], buffer)
    buffer.seek(0)
    assert torch.load(buffer, weights_only=False)[0] is function
    buffer.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(buffer)


@pytest.mark.parametrize(
    ("content", "function"),
    [
        (b"\x80\x02ctorch._C._nn\ngelu\n.", torch.nn.functional.gelu),
        (b"\x80\x02c__builtin__\ngetattr\nctorch._C\n_VariableFunctionsClass\nX\x04\0\0\0tanh\x86R.", torch.tanh),
        (b"\x80\x02c__builtin__\ngetattr\nctorch._C\nTensorBase\nX\x03\0\0\0add\x86R.", torch.Tensor.add),
    ],
)  # fmt: skip
def test_functions_are_found_under_the_names_of_compiled_ones(
    content: bytes, function: Any
) -> None:
    from rushlight._files import pickles

    unpickler = pickles.make_unpickler(io.BytesIO(content), lambda key: key, pickle)
    assert unpickler.load() is function


def test_only_plain_tensors_warn_of_hooks_that_stay_behind():
    parameter, plain = torch.nn.Parameter(torch.ones(2)), torch.ones(2, requires_grad=True)
    for item in (parameter, plain):
        item.register_hook(lambda grad: grad)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.save({"weight": parameter}, io.BytesIO())
    with pytest.warns(UserWarning, match="backward hook .* will not be serialized"):
        torch.save(plain, io.BytesIO())


KILLED = """
import os, signal, sys
import rushlight as torch
from rushlight._files import archive

def write(self, record, content, write=archive.ArchiveWriter.write):
    write(self, record, content)
    if record == "data/0":
        self.zip.fp.flush()
        os.kill(os.getpid(), signal.SIGKILL)

archive.ArchiveWriter.write = write
torch.save([torch.ones(100_000), torch.ones(10)], sys.argv[1])
"""


def test_what_a_killed_process_left_is_cleared(tmp_path):
    path = tmp_path / "model.pt"
    torch.save([torch.zeros(3)], path)
    for _ in range(2):
        subprocess.run([sys.executable, "-c", KILLED, str(path)])
        (left,) = [other for other in tmp_path.iterdir() if other != path]
        assert left.stat().st_size > 400_000
        assert torch.load(path)[0].tolist() == [0, 0, 0]
    torch.save([torch.ones(3)], path)
    assert list(tmp_path.iterdir()) == [path]
    assert torch.load(path)[0].tolist() == [1, 1, 1]


class SavesMeanwhile:
    """Its pickling saves something else to the same name."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        torch.save([torch.zeros(1)], self.path)
        assert torch.load(self.path)[0].tolist() == [0]
        return set, ([],)


def test_savers_to_one_name_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "model.pt"
    torch.save([SavesMeanwhile(path), torch.ones(1)], path)
    assert torch.load(path)[1].tolist() == [1]
    assert list(tmp_path.iterdir()) == [path]


def test_names_beside_a_file_that_belong_to_others(tmp_path):
    path, other = tmp_path / "model.pt", tmp_path / "other"
    other.write_text("other")
    (tmp_path / "model.pt.unfinished").symlink_to(other)
    os.link(other, tmp_path / "model.pt.1.unfinished")
    os.mkfifo(tmp_path / "model.pt.2.unfinished")
    torch.save([torch.ones(1)], path)
    assert torch.load(path)[0].tolist() == [1] and other.read_text() == "other"
    assert not path.is_symlink() and len(list(tmp_path.iterdir())) == 5


def zipped(records: list[tuple[str, bytes]], **options: Any) -> io.BytesIO:
    """An archive with exactly these records."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **options) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in records:
            archive.writestr(name, content)
    file.seek(0)
    return file


def records_of(obj: Any) -> list[tuple[str, bytes]]:
    file = io.BytesIO()
    torch.save(obj, file)
    with zipfile.ZipFile(file) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def test_archives_with_two_records_of_one_name():
    records = records_of([torch.ones(2)])
    for name, content in records:
        with pytest.raises(RuntimeError, match="two records are called"):
            torch.load(zipped([*records, (name, content)]))


def test_archives_whose_records_overlap():
    """A small file could stand for any number of large storages otherwise."""
    file = zipped([*records_of([torch.ones(2)]), ("archive/data/1", b"a" * 8)])
    data = bytearray(file.getvalue())
    directory = data.rindex(b"PK\1\2")
    data[directory + 42 : directory + 46] = bytes(4)
    with pytest.raises(RuntimeError, match="overlap"):
        torch.load(io.BytesIO(data))


def test_packed_archives_are_bounded():
    records = records_of([torch.arange(300_000.0)])
    packed = zipped(records, compression=zipfile.ZIP_DEFLATED)
    assert torch.load(packed)[0][-1].item() == 299_999
    bomb = [(name, bytes(1 << 27)) if name.endswith(".pkl") else (name, c) for name, c in records]
    with pytest.raises(RuntimeError, match="would grow"):
        torch.load(zipped(bomb, compression=zipfile.ZIP_DEFLATED))


def test_elements_that_share_memory_are_never_written_out(legacy: bool):
    """A size of a million million elements, all in the same four bytes."""
    huge = torch.zeros(1).expand(1 << 20, 1 << 20)
    back = through([huge, torch.zeros(1, dtype=torch.bfloat16).expand(1 << 40)], legacy=legacy)
    assert back[0].shape == huge.shape and back[0].untyped_storage().nbytes() == 4
    assert str(back[0]).count("0.") == 36 and str(back[1]).count("0.") == 6


def test_parts_of_sparse_tensors_that_share_memory():
    indices, values = torch.zeros(1, 1, dtype=torch.int64), torch.zeros(1)
    plain = (indices.expand(1, 1 << 40), values.expand(1 << 40), (5,))
    rows = (indices[0].expand(1 << 40),) * 2
    for layout, parts in (
        (torch.sparse_coo, plain),
        (torch.sparse_csr, (*rows, plain[1], ((1 << 40) - 1, 5))),
    ):
        with pytest.raises(RuntimeError, match="does not fit into its storage"):
            torch._utils._rebuild_sparse_tensor(layout, parts)


def test_damaged_pickles_end_in_errors(legacy: bool):
    """Bytes changed at random where no check sum tells."""
    made = {"a": torch.arange(6.0).reshape(2, 3), "b": [torch.nn.Parameter(torch.ones(2)), 1, "c"]}
    draw = random.Random(5)
    if legacy:
        file = io.BytesIO()
        torch.save(made, file, _use_new_zipfile_serialization=False)
        records = [("", file.getvalue())]
    else:
        records = records_of(made)
    known = (RuntimeError, NotImplementedError, EOFError, pickle.UnpicklingError)
    refused = 0
    for _ in range(300):
        (name, content), *others = records
        damaged = bytearray(content)
        for _ in range(draw.randrange(1, 4)):
            damaged[draw.randrange(len(damaged))] = draw.choice([*b"RbQ(.", draw.randrange(256)])
        file = io.BytesIO(damaged) if legacy else zipped([(name, bytes(damaged)), *others])
        try:
            torch.load(file)
        except known:
            refused += 1
    assert refused > 200


def test_files_of_the_other_byte_order(tmp_path) -> None:
    x = torch.tensor([1.5, -2.0])
    swapped = x.clone()
    swapped.untyped_storage().byteswap(torch.float32)
    path = tmp_path / "unmarked.pt"
    torch.save(swapped, path, _disable_byteorder_record=True)
    other = "BIG" if sys.byteorder == "little" else "LITTLE"
    assert torch.serialization.get_default_load_endianness() is None
    torch.serialization.set_default_load_endianness(torch.serialization.LoadEndianness[other])
    try:
        assert torch.load(path).tolist() == x.tolist()
        assert torch.load(path, mmap=True).tolist() == x.tolist()
        torch.serialization.set_default_load_endianness(torch.serialization.LoadEndianness.NATIVE)
        assert torch.load(path).tolist() == swapped.tolist()
        with pytest.raises(TypeError, match="Invalid argument type"):
            torch.serialization.set_default_load_endianness("big")
    finally:
        torch.serialization.set_default_load_endianness(None)


def test_versions_of_modules() -> None:
    check = torch.serialization.check_module_version_greater_or_equal
    module = types.ModuleType("some")
    module.__version__ = "2.10.1"
    assert check(module, (2, 9, 5)) and not check(module, (2, 11, 0))
    module.__version__ = "odd"
    with pytest.raises(RuntimeError, match="malformed 'odd'"):
        check(module, (1, 0))
    with pytest.warns(UserWarning, match="assuming"):
        assert check(module, (1, 0), error_if_malformed=False)


def test_records_one_by_one(tmp_path: Path) -> None:
    torch.save({"x": torch.arange(3.0)}, tmp_path / "file")
    with open(tmp_path / "file", "rb") as file:
        _check_records(torch.PyTorchFileReader(file))


def _check_records(reader: Any) -> None:
    assert reader.has_record("data/0") and "data/0" in reader.get_all_records()
    assert reader.get_storage_from_record("data/0", 3, torch.float32).tolist() == [0, 1, 2]
    storage = reader.get_storage_from_record("data/0", 12, torch.UntypedStorage)._typed_storage()
    assert storage._untyped_storage.nbytes() == 12
