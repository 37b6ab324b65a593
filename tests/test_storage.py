"""Typed storages, tensor classes of one type, shared memory."""

import array
import pickle
import sys
import weakref

import pytest

import rushlight as torch


def test_tensor_classes():
    assert torch.FloatTensor([1, 2]).dtype is torch.float32
    assert torch.LongTensor([[1, 2]]).tolist() == [[1, 2]]
    assert torch.ByteTensor(2, 3).shape == (2, 3)
    assert torch.BoolTensor([True]).dtype is torch.bool
    assert isinstance(torch.ones(1), torch.FloatTensor)
    assert not isinstance(torch.ones(1), torch.LongTensor)
    assert repr(torch.HalfTensor) == "<class 'torch.HalfTensor'>"
    assert torch.ones(1).type(torch.LongTensor).dtype is torch.int64
    assert torch.ones(2, dtype=torch.int64).new([3]).dtype is torch.int64
    assert torch.ones(2).new(4, 5).shape == (4, 5)
    with pytest.raises(AttributeError):
        torch.NoSuchTensor  # noqa: B018


def test_typed_storages():
    x = torch.tensor([1.0, 2.0, 3.0])
    held = x.storage()
    assert isinstance(held, torch.TypedStorage) and isinstance(held, torch.FloatStorage)
    assert not isinstance(held, torch.LongStorage)
    assert torch.is_storage(held) and torch.is_storage(held.untyped())
    assert held.tolist() == [1.0, 2.0, 3.0] and len(held) == 3 and held[1] == 2.0
    held[0] = 9
    assert x[0].item() == 9.0
    assert held.type() == "torch.FloatStorage" and held.dtype is torch.float32
    assert held.data_ptr() == x.data_ptr() and held.nbytes() == 12
    assert held.long().tolist() == [9, 2, 3]
    assert pickle.loads(pickle.dumps(held)).tolist() == [9.0, 2.0, 3.0]
    assert repr(held).endswith(
        "[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 3]"
    )
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        made = torch.FloatStorage(4)
    assert made.size() == 4


def test_sharing(tmp_path):
    x = torch.arange(4)
    assert not x.is_shared()
    assert x.share_memory_() is x and x.is_shared()
    assert x.tolist() == [0, 1, 2, 3]
    x.add_(1)
    path = tmp_path / "elements"
    mapped = torch.from_file(str(path), shared=True, size=3, dtype=torch.int32)
    mapped.copy_(torch.tensor([1, 2, 3]))
    again = torch.from_file(str(path), shared=False, size=3, dtype=torch.int32)
    assert again.tolist() == [1, 2, 3]
    again.zero_()
    assert mapped.tolist() == [1, 2, 3]
    with pytest.raises(RuntimeError, match="unable to open"):
        torch.from_file(str(tmp_path / "missing"), size=3)


def test_parameters_take_over_what_a_tensor_holds():
    parameter, other = torch.nn.Parameter(torch.ones(2, 3)), torch.arange(5.0)
    with torch.no_grad():
        parameter.set_(other)
    assert parameter.tolist() == other.tolist()
    assert parameter.data_ptr() == other.data_ptr()
    with torch.no_grad():
        parameter.set_(torch.zeros(3).untyped_storage())
    assert parameter.tolist() == [0.0, 0.0, 0.0]


def test_tensors_lie_over_the_bytes_of_a_storage():
    held = torch.arange(11).to(torch.uint8).untyped_storage()
    for make in (torch.tensor, torch.as_tensor, torch.asarray):
        made = make(held[3:9], dtype=torch.uint8)
        assert made.data_ptr() == held.data_ptr() + 3 and made.tolist() == [3, 4, 5, 6, 7, 8]
        # As many elements as there is room for; Python's integers are the type of bytes.
        assert make(held, dtype=torch.int32).shape == (2,)
        assert make(held).dtype is torch.int64 and make(held).shape == (1,)
    typed = torch.arange(3.0).storage()
    assert torch.tensor(typed).data_ptr() == typed.data_ptr()
    with pytest.raises(RuntimeError, match="Expected a Storage of type Byte"):
        torch.asarray(typed, dtype=torch.uint8)
    with pytest.raises(ValueError, match="no elements"):
        torch.asarray(torch.UntypedStorage(4, device="meta"), dtype=torch.uint8)
    with pytest.raises(ValueError, match="can't alias"):
        torch.asarray(held, dtype=torch.uint8, copy=False)


def test_buffers_are_taken_as_they_are():
    numbers = array.array("d", [1.0, 2.0])
    assert torch.asarray(numbers, dtype=torch.float64).data_ptr() == numbers.buffer_info()[0]
    assert torch.asarray(numbers, dtype=torch.uint8).shape == (16,)
    with pytest.raises(ValueError, match="does not implement"):
        torch.frombuffer([1], dtype=torch.uint8)
    with pytest.raises(RuntimeError, match="could not retrieve"):
        torch.frombuffer(memoryview(bytearray(8))[::2], dtype=torch.uint8)


def test_storages_of_sequences():
    assert torch.UntypedStorage([300, -1, 5]).tolist() == [44, 255, 5]
    assert torch.UntypedStorage(array.array("i", [1, 2])).tolist() == [1, 2]
    assert torch.UntypedStorage(bytearray(b"ab")).tolist() == [97, 98]
    with pytest.raises(RuntimeError, match="one of the items was of type float"):
        torch.UntypedStorage([1.5])
    for refused in ({}, 1.5, torch.arange(3)):
        with pytest.raises(RuntimeError, match="Expected a sequence type"):
            torch.UntypedStorage(refused)
    with (
        pytest.warns(UserWarning, match="deprecated"),
        pytest.raises(TypeError, match="invalid data type 'bytes'"),
    ):
        torch.FloatStorage(b"abcd")


def test_bytes_of_a_storage_are_set():
    held = torch.UntypedStorage(range(6))
    held[1:3] = 300
    held[-1] = -1
    assert held.tolist() == [0, 44, 44, 3, 4, 255]
    assert held.fill_(-2).tolist() == [254] * 6
    for index, value in ((7, 1), (True, 1), (slice(0, 5, 2), 1), (0, 1.5)):
        with pytest.raises(RuntimeError):
            held[index] = value
    for index in (1.5, "a", True):
        with pytest.raises(TypeError, match="can't index"):
            held[index]
    with pytest.raises(RuntimeError, match="size does not match"):
        held.copy_(torch.UntypedStorage(5))
    with pytest.raises(NotImplementedError):
        held.copy_(torch.UntypedStorage(6, device="meta"))


def test_storages_of_buffers():
    make, content = torch.UntypedStorage.from_buffer, bytes(range(16))
    big = {torch.uint8: content, torch.int16: b"\1\0\3\2", torch.complex64: b"\3\2\1\0\7\6\5\4"}
    for kind, start in big.items():
        made = make(content, "big", dtype=kind)
        assert bytes(made.tolist()[: len(start)]) == start
        made.byteswap(kind)
        assert bytes(made.tolist()) == content
    assert make(content, "little", 2, 4, dtype=torch.int32).tolist() == list(range(4, 12))
    assert make(content, "native", dtype=torch.bool).tolist() == [0] + [1] * 15
    assert torch.ByteStorage.from_buffer(content).tolist() == list(content)
    with pytest.raises(ValueError, match="multiple of element size"):
        make(content[:11], "little", dtype=torch.int32)
    with pytest.raises(ValueError, match="has only 3 elements"):
        make(content, "little", 9, 4, dtype=torch.int32)
    with pytest.raises(ValueError, match="offset"):
        make(content, "little", offset=17, dtype=torch.uint8)
    with pytest.raises(ValueError, match="byte_order"):
        make(content, "middle", dtype=torch.int32)
    with pytest.raises(RuntimeError, match="byte_order"):
        make(content, dtype=torch.int32)


def test_storages_change_type_and_device():
    held = torch.UntypedStorage([1, 0, 255])
    assert held.float().tolist() == [1.0, 0.0, 255.0] and held.bool().dtype is torch.bool
    assert held.to(device="cpu") is held and held.to(device="meta").device.type == "meta"
    assert held.new().nbytes() == 0 and held.get_device() is None
    typed = held.short()
    assert typed.to(device="meta").device.type == "meta" and typed.filename is None
    assert typed != typed.clone() and typed == typed


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_storages_without_memory():
    made = torch.TypedStorage([1, 2, 3], dtype=torch.int16, device="meta")
    assert made.device.type == "meta" and made.size() == 3 and made.data_ptr() == 0
    assert repr(made.untyped()).startswith("...")
    for held in (made, made.untyped(), torch.UntypedStorage(device="meta")):
        with pytest.raises(NotImplementedError, match="Not available for 'meta' device type"):
            held[0]
        with pytest.raises(NotImplementedError, match="Not available for 'meta' device type"):
            held.tolist()
        with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
            held.cpu()
        for share in (held._share_fd_cpu_, held._share_filename_cpu_, held.share_memory_):
            with pytest.raises(RuntimeError, match="only available on CPU"):
                share()
        with pytest.raises(TypeError, match="only CPU memory can be pinned"):
            held.pin_memory()
    plain = torch.TypedStorage([4, 5, 6], dtype=torch.int16)
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
        plain.copy_(made)
    assert made.copy_(plain) is made


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_storages_are_written_to_files(tmp_path):
    held = torch.TypedStorage([1, 2], dtype=torch.int16)
    with open(tmp_path / "elements", "wb") as file:
        held._write_file(file, True, True, 2)
        held.untyped()._write_file(file, True, False, 1)
    assert (tmp_path / "elements").read_bytes() == b"\2" + bytes(7) + b"\1\0\2\0\1\0\2\0"


def test_tensors_are_set_to_storages_of_their_type():
    source = torch.arange(4)
    assert torch.tensor([], dtype=torch.int64).set_(source.storage()).tolist() == [0, 1, 2, 3]
    assert torch.tensor([], dtype=torch.int8).set_(source.storage().untyped()).numel() == 32
    message = "Expected a Storage of type float or an UntypedStorage, but got type Long"
    with pytest.raises(RuntimeError, match=message):
        torch.tensor([]).set_(source.storage())
    with pytest.raises(RuntimeError, match=message):
        torch.tensor([]).set_(source.storage(), 0, (2,), (1,))


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_quantized_types_are_types_of_storages():
    names = torch.storage._dtype_to_storage_type_map()
    assert names[torch.quint8] == "QUInt8Storage" and names[torch.float32] == "FloatStorage"
    assert torch.storage._storage_type_to_dtype_map()["QInt32Storage"] is torch.qint32
    for kind in (torch.qint8, torch.quint8, torch.qint32, torch.quint4x2, torch.quint2x4):
        held = getattr(torch, names[kind])(4)
        held[:] = 0
        held[1], held[2:4] = 3, 2
        assert held.tolist() == [0, 3, 2, 2] and held.dtype is kind
        assert held.nbytes() == 4 * kind.itemsize
        assert pickle.loads(pickle.dumps(kind)) is kind
        assert not kind.is_floating_point and not kind.is_complex
        with pytest.raises(RuntimeError, match="not supported for quantized"):
            kind.is_signed  # noqa: B018
        for make in (torch.ones, torch.empty):
            with pytest.raises(RuntimeError, match="needs a scale and a zero point"):
                make(2, dtype=kind)
        with pytest.raises(RuntimeError, match="needs a scale and a zero point"):
            torch.tensor([1], dtype=kind)
        with pytest.raises(RuntimeError, match="promoteTypes with quantized numbers"):
            torch.promote_types(kind, torch.float32)
    assert torch.ones(2, dtype=torch.uint16).storage_type() is None


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: torch.FloatStorage([1], [2]), RuntimeError, "Too many positional arguments"),
        (lambda: torch.FloatStorage(dtype=torch.int32), RuntimeError, "argument 'dtype' cannot be"),
        (lambda: torch.FloatStorage(2, device="cpu"), RuntimeError, "argument 'device' cannot be"),
        (lambda: torch.FloatStorage(wrap_storage=3), TypeError, "must be UntypedStorage, but got"),
        (lambda: torch.FloatStorage("abc"), TypeError, "invalid data type 'str'"),
        (
            lambda: torch.TypedStorage(wrap_storage=torch.UntypedStorage(8)),
            RuntimeError,
            "Argument 'dtype' must be specified",
        ),
        (lambda: torch.TypedStorage(2, dtype=3), RuntimeError, "expected torch.dtype, but got"),
    ],
)
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_what_typed_storages_are_not_made_of(make, error, message):
    with pytest.raises(error, match=message):
        make()


class Tracker:
    def __init__(self, ended):
        self.ended = ended

    def __del__(self):
        self.ended.append(True)


def test_storages_keep_attributes_and_are_referred_to_weakly():
    ended = []
    held = torch.UntypedStorage(2)
    weak = weakref.ref(held, lambda _: ended.append("reference"))
    held.tracker = Tracker(ended)
    assert weak() is held and not ended
    del held
    assert weak() is None and sorted(map(str, ended)) == ["True", "reference"]


def test_attributes_of_storages_live_as_long_as_tensors():
    ended = []
    tensor = torch.ones(3)
    held = tensor.untyped_storage()
    held.tracker = Tracker(ended)
    del held
    assert tensor.untyped_storage().tracker and not ended
    view = tensor[1:]
    del tensor
    assert not ended
    del view
    assert ended


def test_classes_of_storages(collect):
    with pytest.raises(RuntimeError, match="Cannot directly construct StorageBase"):
        torch._C.StorageBase()
    ended = []

    class Slotted(torch._C.StorageBase):
        __slots__ = ("other",)

        def __del__(self):
            ended.append(True)

    assert isinstance(torch.UntypedStorage(1), torch._C.StorageBase)
    assert not isinstance(torch.UntypedStorage(1), Slotted)
    first, second = Slotted(torch.UntypedStorage([1, 2])), Slotted(3)
    assert first.tolist() == [1, 2] and second.nbytes() == 3
    first.other, second.other = second, first
    del first, second
    assert not ended
    collect()
    assert len(ended) == 2


def test_the_storage_of_the_default_type():
    assert torch.Storage is torch.FloatStorage
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.Storage is torch.DoubleStorage
    finally:
        torch.set_default_dtype(torch.float32)


def test_the_size_of_a_storage_counts_its_bytes():
    x = torch.zeros(1000)
    assert sys.getsizeof(x.untyped_storage()) >= 4000
    assert sys.getsizeof(x.storage()) >= 4000


def test_storages_of_one_type_are_typed_storages():
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        made = torch.FloatStorage([1, 2])
    assert type(made) is torch.TypedStorage and isinstance(made, torch.FloatStorage)
    assert not isinstance(made, torch.IntStorage) and made.tolist() == [1, 2]


def test_a_tensor_without_elements_has_no_address():
    assert torch.ones(2, 2)[:0].data_ptr() == 0
