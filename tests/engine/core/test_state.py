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


def told():
    """What generated code sees of threads without gradients."""
    return state.switches.unrecorded, state.switches.unrecorded_thread


def test_threads_without_gradients_are_counted():
    torch.ones(1)
    count, numbers = told()
    inside, checked = threading.Barrier(3), threading.Barrier(3)
    idents = []

    def switch():
        for _ in range(2000):
            with torch.no_grad():
                pass
        with torch.no_grad():
            idents.append(threading.get_ident())
            inside.wait()
            checked.wait()

    threads = [threading.Thread(target=switch) for _ in range(2)]
    for thread in threads:
        thread.start()
    inside.wait()
    assert told() == (count + 2, numbers + sum(idents))
    checked.wait()
    for thread in threads:
        thread.join()
    assert told() == (count, numbers)


def test_a_thread_that_ends_without_gradients_is_forgotten_with_its_number():
    torch.ones(1)
    after = []

    def look():
        torch.is_grad_enabled()
        after.append(told())

    for _ in range(20):
        before = told()
        thread = threading.Thread(target=torch.set_grad_enabled, args=(False,))
        thread.start()
        ident = thread.ident
        thread.join()
        thread = threading.Thread(target=look)
        thread.start()
        same = thread.ident == ident
        thread.join()
        if same:
            assert after[-1] == before
            return
        with state._active_lock:
            state._unrecorded.discard(ident)
        state._count_unrecorded(ident, -1)
    pytest.fail("no thread had the number of an earlier one")


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


def test_what_is_shown_of_layers_is_taken_back_whatever_other_threads_do():
    """A thread makes a call below its layers while another one begins and ends some."""
    before = state.switches.busy
    shown = state.show_below(0)

    def work() -> None:
        torch.func.vmap(torch.sin)(torch.ones(2, 2))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    state.unshow_below(shown)
    assert state.switches.busy == before
