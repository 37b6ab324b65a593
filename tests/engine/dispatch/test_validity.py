"""What a call does can change; what was remembered of it, for these sizes and for others, must follow."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import warnings
from typing import Any

import pytest
from varying_calls import without_memory

import rushlight as torch
from rushlight.engine.core import device as devices
from rushlight.engine.core import state, storage
from rushlight.engine.dispatch import call_cache
from rushlight.engine.dispatch.call_cache.binding import Binding
from rushlight.engine.dispatch.call_cache.validity import generation
from rushlight.nn.attention import SDPBackend, sdpa_kernel


def often(call: Any) -> None:
    """Let a call be remembered, for one size and for all of its class."""
    for n in range(2, 12):
        call(n)
    for _ in range(12):
        call(5)


@pytest.fixture(autouse=True)
def _defaults() -> Any:
    yield
    torch.set_default_dtype(torch.float32)
    torch.set_default_device("cpu")
    torch.use_deterministic_algorithms(False)


def test_a_registration_is_seen_for_all_sizes_and_so_is_its_end() -> None:
    call = lambda n: torch.exp(torch.ones(n))
    often(call)
    library = torch.library.Library("aten", "IMPL")
    library.impl("exp", lambda x: torch.full_like(x, 7.0), "CPU")
    assert call(5)[0] == call(13)[0] == 7
    library._destroy()
    assert call(5)[0] == call(13)[0] == torch.e


def test_default_types_and_devices() -> None:
    call = lambda n: torch.ones(n) + torch.arange(n) / 2
    often(call)
    torch.set_default_dtype(torch.float64)
    assert call(5).dtype is call(14).dtype is torch.float64
    torch.set_default_dtype(torch.float32)
    often(torch.ones)
    torch.set_default_device("meta")
    assert torch.ones(5).is_meta
    assert torch.ones(15).is_meta


def test_the_first_pinned_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    class Block:
        """Memory of the host that says it stays where it is."""

        is_pinned = True

        def __init__(self, nbytes: int) -> None:
            self.room = ctypes.create_string_buffer(nbytes)
            self.address = ctypes.addressof(self.room)

    class Accelerator:
        pinned_block = Block

    monkeypatch.setattr(state, "has_pinned", False)
    often(lambda n: torch.ones(n).is_pinned())
    assert torch.ones(5).is_pinned() is torch.ones(15).is_pinned() is False
    with monkeypatch.context() as patch:
        patch.setitem(devices.memories, "cpu", Accelerator())
        held = storage.pinned(20)
    for n in (5, 4, 3):
        assert torch.empty(0).set_(held, 0, (n,)).is_pinned()
        assert not torch.ones(n).is_pinned()


def test_deterministic_filling() -> None:
    often(torch.empty)
    torch.use_deterministic_algorithms(True)
    assert torch.empty(5).isnan().all()
    assert torch.empty(16).isnan().all()


def test_modes_of_a_thread() -> None:
    leaf = torch.ones(40, requires_grad=True)
    call = lambda n: leaf[:n] * 2
    often(call)
    with torch.no_grad():
        often(call)
        assert not call(17).requires_grad
    assert call(17).requires_grad
    with torch.inference_mode():
        often(call)
        assert call(18).is_inference()
    assert not call(18).is_inference()


def test_settings_that_are_switched_to_and_fro() -> None:
    """Calls that were remembered under the same settings are found again, until all are forgotten."""
    attend = torch.nn.functional.scaled_dot_product_attention
    x, plain = torch.ones(1, 1, 4, 8), generation()
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        within = generation()
        with pytest.raises(RuntimeError, match="No available kernel"), pytest.warns(UserWarning):
            attend(x, x, x, dropout_p=0.5)
    assert generation() == plain != within
    assert attend(x, x, x, dropout_p=0.5).shape == x.shape
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        assert generation() == within
        call_cache.forget_calls()
        assert generation() not in (plain, within)
    assert generation() not in (plain, within)


def test_a_call_is_not_remembered_that_was_made_under_two_settings() -> None:
    binding = torch.exp.__self__
    x = torch.ones(3)
    assert binding.record((x,), {})[1] is not None

    def kernel(x: torch.Tensor) -> torch.Tensor:
        with sdpa_kernel(SDPBackend.MATH):
            return torch.full_like(x, 7.0)

    library = torch.library.Library("aten", "IMPL")
    library.impl("exp", kernel, "CPU")
    try:
        assert binding.record((x,), {})[1] is None
    finally:
        library._destroy()


def test_calls_in_such_blocks_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.ones(1, 1, 4, 8)

    def call() -> None:
        torch.sin(x)
        with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
            torch.nn.functional.scaled_dot_product_attention(x, x, x)

    for _ in range(12):
        call()
    missed: list[Any] = []
    record = Binding.record
    monkeypatch.setattr(
        Binding, "record", lambda self, *given: missed.append(self) or record(self, *given)
    )
    call()
    assert not missed


def test_autocast() -> None:
    call = lambda n: torch.ones(n, 4) @ torch.ones(4, 3)
    often(call)
    with torch.autocast("cpu"):
        assert call(5).dtype is call(19).dtype is torch.bfloat16
    assert call(20).dtype is torch.float32


def test_hooks_on_saved_tensors() -> None:
    leaf = torch.ones(40, requires_grad=True)
    call = lambda n: leaf[:n].exp()
    often(call)
    packed: list[Any] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        call(21)
    assert len(packed) == 1


def test_warnings_come_each_time() -> None:
    for n in (1, 1, 1, 1, 1):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            torch.ones(n).std()
        assert len(found) == 1


def test_errors_come_each_time() -> None:
    call = lambda n: torch.ones(n) + torch.ones(max(n - 3, 2))
    for n in (2, 3, 4, 5):
        call(n) if n == 2 else None
    often(lambda n: torch.ones(n) + torch.ones(n))
    for n in (7, 8, 9, 10):
        with pytest.raises(RuntimeError, match="must match the size"):
            call(n)


def test_the_memory_can_be_switched_off() -> None:
    program = (
        "import rushlight as torch\n"
        "from rushlight.engine.dispatch import call_cache\n"
        "for n in (3, 3, 3, 4, 5, 6): assert (torch.ones(n) * 2).tolist() == [2.0] * n\n"
        "assert not any(b._calls.held or b._known_classes for b in call_cache.bindings)\n"
    )
    environment = {**os.environ, "RUSHLIGHT_MEMORY": "0"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


def test_threads_that_remember_and_forget_at_once() -> None:
    """Long loops let other threads run, which then find their class busy, or forgotten."""
    wrong: list[Any] = []
    over = threading.Event()

    def work(seed: int) -> None:
        for k in range(120):
            n = 3 + (seed * 37 + k * 11) % 60
            rows = 3000 if k % 10 == 0 else 2
            x = torch.full((rows, n), float(seed))
            y = (x * 2 + 1).softmax(1).sum(1)
            chosen = x[x > 3]
            if not torch.allclose(y, torch.ones(rows), atol=1e-3):
                wrong.append((seed, n, "softmax"))
            if chosen.numel() != (rows * n if seed > 3 else 0):
                wrong.append((seed, n, "mask"))

    def forget() -> None:
        while not over.is_set():
            call_cache.forget_calls()
            over.wait(0.002)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    forgetting = threading.Thread(target=forget)
    for thread in [*workers, forgetting]:
        thread.start()
    for thread in workers:
        thread.join()
    over.set()
    forgetting.join()
    assert not wrong


def test_a_call_within_itself() -> None:
    """What runs while a class's tables are in use takes the long way."""
    x = torch.ones(9, requires_grad=True)

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, t: Any) -> Any:
            return t * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    for n in range(2, 9):
        Doubled.apply(x[:n]).sum().backward()
    with without_memory():
        expected = x.grad.clone()
    assert expected[0] == 14


def test_nobody_sees_how_a_class_is_learned() -> None:
    layers = [torch.nn.Linear(n, n + 1) for n in range(3, 12)]
    seen: list[Any] = []
    x = torch.ones(2, 3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t) or t, lambda t: t):
        for layer in layers:
            x = layer(x)
    assert len(seen) == 2 * len(layers)
    checked = torch.utils.checkpoint.checkpoint(
        torch.nn.Sequential(*(torch.nn.Linear(n, n + 1) for n in range(13, 20))),
        torch.ones(2, 13, requires_grad=True),
        use_reentrant=False,
    )
    checked.sum().backward()
