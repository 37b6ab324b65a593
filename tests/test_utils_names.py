"""What libraries use of `torch._utils` and the exceptions that they catch."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight import _utils


def test_sizes_of_element_types():
    assert (
        _utils._element_size(torch.bfloat16) == 2 and _utils._element_size(torch.complex128) == 16
    )
    with pytest.raises(RuntimeError, match=r"expected torch\.dtype"):
        _utils._element_size(4)


def test_flat_tensors_and_back():
    given = [torch.arange(6.0).reshape(2, 3), torch.ones(()), torch.arange(2.0)]
    flat = _utils._flatten_dense_tensors(given)
    assert flat.tolist() == [0, 1, 2, 3, 4, 5, 1, 0, 1]
    back = _utils._unflatten_dense_tensors(flat, given)
    assert all(map(torch.equal, back, given)) and back[2].data_ptr() == flat[7:].data_ptr()
    sparse = [torch.eye(2).to_sparse(), torch.ones(1, 3).to_sparse()]
    flat_parts = _utils._flatten_sparse_tensors(sparse)
    for made, tensor in zip(_utils._unflatten_sparse_tensors(flat_parts, sparse), sparse):
        assert made.is_sparse and torch.equal(made.to_dense(), tensor.to_dense())


def test_tensors_in_groups():
    whole, floats = [torch.zeros(2, dtype=torch.int64)] * 2, [torch.ones(3), torch.ones(1)]
    mixed = [whole[0], floats[0], whole[1], floats[1]]
    groups = [[t.numel() for t in group] for group in _utils._take_tensors(mixed, 16)]
    assert groups == [[2], [2], [3, 1]]
    ((large,),) = _utils._take_tensors([torch.ones(9)], 1)
    assert large.numel() == 9
    assert [t.dtype for t in _utils._reorder_tensors_as([*whole, *floats], mixed)] == [
        t.dtype for t in mixed
    ]


def test_numbers_of_devices():
    number = _utils._get_device_index
    assert number(3) == 3 and number("cuda:2") == 2 and number(torch.device("cuda", 1)) == 1
    assert number("cpu", allow_cpu=True) == number(None, optional=True) == -1
    assert _utils.get_current_device_index() == -1
    assert _utils._get_available_device_type() is _utils._get_all_device_indices() is None
    with pytest.raises(ValueError, match="Expected a non cpu device"):
        number("cpu")
    for unclear in (None, "cuda"):
        with pytest.raises(ValueError, match="with a specified index"):
            number(unclear)


def test_tensors_recomputation():
    made = _utils._rebuild_device_tensor_from_numpy(np.ones(2), torch.float32, "cpu", True)
    assert made.dtype is torch.float32 and made.requires_grad
    other = _utils._rebuild_device_tensor_from_cpu_tensor(made.detach(), torch.int8, "meta", False)
    assert other.dtype is torch.int8 and other.device.type == "meta"
    assert _utils._handle_complex(torch.ones(2, dtype=torch.complex64)).shape == (2, 2)
    assert _utils._handle_complex(made) is made


def test_small_helpers():
    class Named:
        @_utils.classproperty
        def name(cls):
            return cls.__name__

    assert Named.name == Named().name == "Named"
    assert _utils._import_dotted_name("os.path.join")("a", "b") == "a/b"
    assert _utils._get_async_or_non_blocking("to", True, {}) is True
    with pytest.warns(UserWarning, match="non_blocking"):
        assert _utils._get_async_or_non_blocking("to", True, {"async": False}) is False
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        _utils._get_async_or_non_blocking("to", True, {"other": 1})


class Particular(Exception):
    def __init__(self, one, two):
        super().__init__(one, two)


@pytest.mark.parametrize("error", [ValueError("why"), KeyError("why"), Particular("why", 2)])
def test_errors_are_carried(error):
    try:
        raise error
    except Exception:
        carried = _utils.ExceptionWrapper(where="in a thread")
    kind = RuntimeError if isinstance(error, Particular) else type(error)
    with pytest.raises(kind, match=r"Caught \w+ in a thread\.\n.*(?s:.)*why") as found:
        carried.reraise()
    assert "Traceback" in str(found.value) and "\\n" not in str(found.value)


def test_names_of_exceptions():
    assert torch._C._LinAlgError is torch.linalg.LinAlgError
    assert torch._C._LinAlgError.__name__ == "_LinAlgError"
    assert torch.cuda.OutOfMemoryError is torch.OutOfMemoryError is torch._C.OutOfMemoryError
    assert torch.cuda.AcceleratorError is torch.AcceleratorError is torch._C.AcceleratorError
    assert torch.jit.Error is torch.JITException is torch._C.JITException
    assert issubclass(torch.AcceleratorError, RuntimeError)
    assert not issubclass(torch.FatalError, RuntimeError)
    distributed = torch.distributed
    assert issubclass(distributed.QueueEmptyError, distributed.DistStoreError)
    for name in ("DistBackendError", "DistNetworkError", "DistStoreError"):
        assert issubclass(getattr(distributed, name), distributed.DistError)
        assert getattr(torch._C, f"_{name}") is getattr(distributed, name)
    assert torch._C._DistQueueEmptyError is distributed.QueueEmptyError
    assert issubclass(distributed.DistError, RuntimeError)
    assert issubclass(torch.cuda.CudaError, RuntimeError)


def test_the_module_of_an_accelerator():
    from rushlight import _utils

    assert _utils._get_device_module("cuda") is torch.cuda
    with pytest.raises(RuntimeError, match="Device 'abacus' does not have a corresponding module"):
        _utils._get_device_module("abacus")
    kind = _utils._get_available_device_type()
    numbers = None if kind is None else list(range(torch.accelerator.device_count()))
    assert _utils._get_all_device_indices() == numbers
    assert (_utils.get_current_device_index() == -1) == (kind is None)
    assert len(_utils._get_devices_properties(numbers or [])) == len(numbers or [])
