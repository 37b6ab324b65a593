"""Blocks with and without gradients: nested, in threads, with something around them, left by errors."""

from __future__ import annotations

import copy
import pickle
import threading

import pytest

import rushlight as torch
from rushlight.engine.core import state


def test_blocks_are_nested():
    assert torch.is_grad_enabled()
    with torch.no_grad():
        assert not torch.is_grad_enabled()
        with torch.enable_grad():
            assert torch.is_grad_enabled()
            with torch.no_grad(), torch.no_grad():
                assert not torch.is_grad_enabled()
            assert torch.is_grad_enabled()
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
    assert state.switches.unrecorded == state.switches.unrecorded_thread == 0


def test_errors_leave_blocks():
    for kind in (torch.no_grad, torch.enable_grad):
        with pytest.raises(ValueError, match="it"), kind():
            raise ValueError("it")
        assert torch.is_grad_enabled()
    assert state.switches.unrecorded == 0


def test_a_block_may_be_begun_again():
    block = torch.no_grad()
    for _ in range(3):
        with block:
            assert not torch.is_grad_enabled()
        assert torch.is_grad_enabled()


def test_blocks_around_what_needs_python():
    """Begun by machine code and ended in Python, and the other way round."""
    block = torch.no_grad()
    block.__enter__()
    with torch.inference_mode(False):
        assert block.__exit__(None, None, None) is None
        assert torch.is_grad_enabled()
    with torch.inference_mode():
        inner = torch.enable_grad()
        inner.__enter__()
        assert torch.is_grad_enabled()
    inner.__exit__(None, None, None)
    assert not torch.is_grad_enabled()
    state.set_grad(True)
    x = torch.ones(2)

    def quiet(a):
        with torch.no_grad():
            kept = a * 2
        return (a * kept).sum()

    assert torch.func.grad(quiet)(x).tolist() == [2, 2]
    assert state.switches.unrecorded == 0


def test_each_thread_has_its_own():
    seen = {}
    barrier = threading.Barrier(3)

    def work(name, kind):
        with kind():
            barrier.wait()
            seen[name] = (
                torch.is_grad_enabled(),
                (torch.ones(1, requires_grad=True) * 2).requires_grad,
            )
            barrier.wait()
        seen[name] += (torch.is_grad_enabled(),)

    threads = [
        threading.Thread(target=work, args=(k, kind))
        for k, kind in enumerate((torch.no_grad, torch.enable_grad, torch.no_grad))
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert seen == {0: (False, False, True), 1: (True, True, True), 2: (False, False, True)}
    assert state.switches.unrecorded == state.switches.unrecorded_thread == 0


def test_blocks_decorate():
    @torch.no_grad
    def bare(x):
        return x * 2

    @torch.no_grad()
    def called(x):
        return x * 2

    @torch.enable_grad()
    def steps(x):
        for _ in range(2):
            yield x * 2

    x = torch.ones(2, requires_grad=True)
    assert not bare(x).requires_grad and not called(x).requires_grad
    with torch.no_grad():
        assert [y.requires_grad for y in steps(x)] == [True, True]


def test_blocks_are_copied_and_inherited():
    for block in (torch.no_grad(), torch.enable_grad()):
        assert type(copy.deepcopy(block)) is type(pickle.loads(pickle.dumps(block))) is type(block)

    class Counted(torch.no_grad):
        entered = 0

        def __enter__(self):
            super().__enter__()
            self.entered += 1

    block = Counted()
    with block:
        assert block.entered == 1 and not torch.is_grad_enabled()
    assert torch.is_grad_enabled()


def test_switching_tells_what_was_before():
    assert state.set_grad(False) is True
    assert state.set_grad(False) is False
    assert state.switches.unrecorded == 1
    assert state.set_grad(True) is False
    assert state.set_grad(True) is True
    assert state.switches.unrecorded == state.switches.unrecorded_thread == 0
