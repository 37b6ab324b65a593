"""Streams, events, devices, errors and pinned memory on the stand-in."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import rushlight as torch
from rushlight.engine.cuda import context, driver


def test_what_a_device_says_of_itself(cuda):
    assert torch.cuda.is_available() and torch.cuda.device_count() == 1
    assert torch.cuda.get_device_name() == "Stand-in"
    assert torch.cuda.get_device_capability("cuda:0") == (9, 0)
    found = torch.cuda.get_device_properties(0)
    assert found.multi_processor_count == 2 and "major=9" in repr(found)
    free, total = torch.cuda.mem_get_info()
    assert free <= total == 1 << 26
    assert (
        torch.device("cuda") == torch.device("cuda")
        and torch.ones(1, device="cuda").get_device() == 0
    )


def test_several_devices(with_stand_in):
    with_stand_in(devices=2)
    with torch.cuda.device(1):
        x = torch.ones(3, device="cuda")
        assert torch.cuda.current_device() == 1
    assert torch.cuda.current_device() == 0 and x.device == torch.device("cuda:1")
    y = x.to("cuda:0")
    assert y.device.index == 0 and (y + 1).tolist() == [2.0, 2.0, 2.0]
    assert torch.cuda.can_device_access_peer(0, 1)
    with torch.cuda.device_of(x):
        assert torch.cuda.current_device() == 1
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        x + y
    with pytest.raises(torch.AcceleratorError, match="invalid device ordinal"):
        torch.cuda.set_device(7)


def test_devices_reach_each_other_once(with_stand_in):
    stand_in = with_stand_in(devices=2)
    x = torch.ones(3, device="cuda:0")
    # Somebody else may have seen to it before.
    stand_in.peers.add((0x1001, 0x1000))
    for _ in range(3):
        assert x.to("cuda:1").to("cuda:0").tolist() == [1.0] * 3
    assert stand_in.peers == {(0x1000, 0x1001), (0x1001, 0x1000)}
    assert stand_in.calls.count("cuCtxEnablePeerAccess") == 2


def test_work_goes_to_the_current_stream(with_stand_in):
    stand_in = with_stand_in(seed=0)
    stand_in.chance.choice = lambda options: options[0]
    stream = torch.cuda.Stream()
    assert torch.cuda.current_stream() == torch.cuda.default_stream() != stream
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() == stream
        x = torch.ones(4, device="cuda")
    assert not stream.query()
    stream.synchronize()
    assert stream.query() and x.tolist() == [1.0] * 4
    external = torch.cuda.ExternalStream(stream.cuda_stream)
    assert external == stream and hash(external) == hash(stream)


def test_events(with_stand_in):
    stand_in = with_stand_in(seed=0)
    stand_in.chance.choice = lambda options: options[0]
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    assert start.query()
    start.record()
    torch.ones(4, device="cuda")
    end.record()
    assert not end.query()
    end.synchronize()
    assert end.query() and start.elapsed_time(end) > 0
    with pytest.raises(ValueError, match="enable_timing=True"):
        torch.cuda.Event().elapsed_time(end)


@pytest.mark.parametrize("seed", range(5))
def test_streams_that_wait_for_each_other(with_stand_in, seed):
    with_stand_in(seed=seed)
    one, other = torch.cuda.Stream(), torch.cuda.Stream()
    with torch.cuda.stream(one):
        x = torch.arange(8.0).cuda() * 2
    other.wait_stream(one)
    with torch.cuda.stream(other):
        y = x + 1
    x.record_stream(other)
    del x
    other.synchronize()
    assert y.tolist() == [2.0 * k + 1 for k in range(8)]


def test_a_kernel_that_goes_wrong_is_named(cuda):
    x = torch.ones(3, device="cuda")
    with pytest.raises(torch.AcceleratorError, match=r"launch failure.*index_select") as caught:
        x.index_select(0, torch.tensor([7], device="cuda"))
        torch.cuda.synchronize()
    assert caught.value.error_code == 719


def test_launches_that_are_waited_for(cuda, monkeypatch):
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    x = torch.ones(3, device="cuda")
    with pytest.raises(torch.AcceleratorError, match="in aten::index_select"):
        x.index_select(0, torch.tensor([7], device="cuda"))


def test_a_text_that_the_driver_refuses(cuda):
    context.enter(0)
    with pytest.raises(driver.CudaError, match=r"INVALID_PTX.*not understood as a parameter"):
        driver.load_module(".visible .entry KERNEL(nonsense)\n{\n}\n")


def test_pinned_memory(with_stand_in):
    stand_in = with_stand_in(seed=3)
    x = torch.arange(1000.0).pin_memory()
    assert x.is_pinned() and x.pin_memory() is x and not torch.ones(1).is_pinned()
    y = x.to("cuda", non_blocking=True)
    back = torch.empty(1000).pin_memory()
    back.copy_(y, non_blocking=True)
    torch.cuda.synchronize()
    assert back.equal(torch.arange(1000.0))
    assert x.data_ptr() in stand_in.pinned


def test_pinned_memory_is_used_again(cuda):
    for _ in range(8):
        torch.zeros(1000).pin_memory().to("cuda", non_blocking=True)
        torch.cuda.synchronize()
    assert len(cuda.pinned) <= 3


@pytest.mark.parametrize("seed", range(5))
def test_pinned_memory_waits_for_copies(with_stand_in, seed):
    with_stand_in(seed=seed)
    copies = []
    for k in range(20):
        copies.append(torch.full((64,), float(k)).pin_memory().to("cuda", non_blocking=True))
    assert [c[5].item() for c in copies] == [float(k) for k in range(20)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize(
    "call",
    [torch.cuda.synchronize, lambda: torch.ones(1, device="cuda")],
    ids=["any", "remembered"],
)
def test_children_are_refused(cuda, call):
    for _ in range(4):
        torch.ones(1, device="cuda")
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            call()
        except RuntimeError as error:
            os.write(write, str(error).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 1000).startswith(b"Cannot re-initialize CUDA in forked subprocess")
    os.close(read)
    os.close(write)


def test_without_a_driver_nothing_is_loaded():
    code = (
        "import sys, rushlight as torch\n"
        "torch.ones(2) + 1\n"
        "assert not [m for m in sys.modules if m.startswith('rushlight.engine.cuda')]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_accelerator_is_cuda(cuda):
    assert torch.accelerator.current_accelerator() == torch.device("cuda")
    assert torch.accelerator.is_available() and torch.accelerator.device_count() == 1
    assert torch.accelerator.current_device_index() == 0
    torch.accelerator.synchronize()


def test_batches_are_pinned(cuda):
    data = torch.utils.data.TensorDataset(torch.arange(6.0), torch.arange(6))
    loader = torch.utils.data.DataLoader(data, 3, pin_memory=True)
    for numbers, places in loader:
        assert numbers.is_pinned() and places.is_pinned()
        assert numbers.to("cuda", non_blocking=True).is_cuda


def test_other_libraries_are_told_where_elements_are(cuda):
    x = torch.zeros(3, 4, device="cuda")[:, ::2]
    told = x.__cuda_array_interface__
    assert told["shape"] == (3, 2) and told["strides"] == (16, 8) and told["typestr"] == "<f4"
    assert told["data"] == (x.data_ptr(), False)
    with pytest.raises(AttributeError, match="on non-CUDA tensor type"):
        torch.ones(1).__cuda_array_interface__  # noqa: B018


def test_a_program_s_kernel_for_the_cpu_serves_the_cpu(cuda):
    library = torch.library.Library("of_a_test_of_cuda", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x * 2, "CPU")
    twice = torch.ops.of_a_test_of_cuda.twice
    assert twice(torch.ones(1)).item() == 2
    with pytest.raises(NotImplementedError, match="'CUDA' backend"):
        twice(torch.ones(1, device="cuda"))
    library.impl("twice", lambda x: x + x, "CUDA")
    assert twice(torch.ones(1, device="cuda")).item() == 2
    library._destroy()


def test_loops_of_the_host_refuse_what_is_elsewhere(cuda):
    from rushlight.engine.core import dtype as dtypes
    from rushlight.engine.core import tensor as tensors
    from rushlight.engine.loops.plan import Plan
    from rushlight.engine.ops.kinds.elementwise import copy_loop

    x = torch.ones(2, device="cuda")
    template = tensors.template_for(x._size_, dtypes.float32)
    plan = Plan(copy_loop(template, template), [template])
    with pytest.raises(NotImplementedError, match="given a tensor on cuda:0"):
        plan.produce(x)


def test_streams_of_any_device(cuda):
    stream = torch.Stream(device="cuda")
    event = torch.Event("cuda", enable_timing=True)
    assert isinstance(stream, torch.cuda.Stream) and isinstance(event, torch.cuda.Event)
    assert isinstance(torch.cuda.current_stream(), torch.Stream)
    with stream:
        assert torch.cuda.current_stream() == stream
        event.record()
    event.synchronize()
    assert event.query()
