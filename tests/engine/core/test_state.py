"""What a thread has switched on."""

import threading

import pytest

import rushlight as torch
from rushlight.engine.core import keys, state


def test_gradient_modes():
    assert torch.is_grad_enabled()
    with torch.no_grad():
        assert not torch.is_grad_enabled()
        with torch.enable_grad():
            assert torch.is_grad_enabled()
        assert not torch.is_grad_enabled()
    with pytest.raises(ValueError), torch.no_grad():
        raise ValueError
    assert torch.is_grad_enabled()


def test_threads_have_their_own():
    seen = []
    with torch.no_grad(), torch.device("meta"):

        def look():
            seen.append((torch.is_grad_enabled(), torch.ones(1).is_cpu))

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert seen == [(True, True)]


def test_key_sets():
    before = state.active
    with state.including(keys.AUTOCAST), state.excluding(keys.CPU):
        assert state.active == before + 2
        assert state.effective(keys.CPU | keys.META) == keys.META | keys.AUTOCAST
    assert state.active == before
    assert state.effective(keys.CPU) == keys.CPU


def test_default_types():
    with pytest.raises(TypeError):
        torch.set_default_dtype(torch.int64)
    with pytest.raises(TypeError):
        torch.set_default_dtype("float32")
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.tensor([1.0]).dtype is torch.float64
        assert torch.tensor([1j]).dtype is torch.complex128
    finally:
        torch.set_default_dtype(torch.float32)


def test_key_names():
    assert keys.names(keys.CPU | keys.CONJUGATE) == ["Conjugate", "CPU"]
    assert keys.highest(keys.CPU | keys.CONJUGATE) == keys.CONJUGATE and keys.highest(0) == 0
