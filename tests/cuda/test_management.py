"""What is asked of NVIDIA's management library and of CUDA's runtime, and what waiting is told of."""

from __future__ import annotations

import ctypes

import pytest
from stand_in import plain

import rushlight as torch
from rushlight.engine.cuda import libraries


class Management:
    """A stand-in of ``libnvidia-ml`` for one device and some processes."""

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self.begun = 0
        self.names: list[bytes] = []
        self.nvmlErrorString = lambda code: {6: b"Not Found"}[plain(code)]

    def nvmlInit_v2(self):
        self.begun += 1
        return 0

    def nvmlDeviceGetHandleByUUID(self, name, place):
        assert self.begun == 1
        self.names.append(plain(name))
        plain(place).value = 77
        return 0

    def _number(self, handle, *arguments):
        assert plain(handle) == 77
        numbers = {(): 250_000, (0,): 41, (1,): 1980}
        plain(arguments[-1]).value = numbers[tuple(map(plain, arguments[:-1]))]
        return 0

    nvmlDeviceGetTemperature = nvmlDeviceGetPowerUsage = nvmlDeviceGetClockInfo = _number

    def nvmlDeviceGetUtilizationRates(self, handle, place):
        plain(place).gpu, plain(place).memory = 12, 34
        return 0

    def nvmlDeviceGetComputeRunningProcesses_v3(self, handle, count, found):
        room, plain(count).value = plain(count).value, self.processes
        if room < self.processes:
            return 7
        for k in range(self.processes):
            found[k].pid, found[k].used = 1000 + k, (k + 1) << 20
        return 0


def test_what_a_device_is_busy_with(cuda):
    made = Management(processes=20)
    libraries.use("nvml", made)
    assert (torch.cuda.temperature(), torch.cuda.power_draw(0)) == (41, 250_000)
    assert torch.cuda.clock_rate("cuda:0") == 1980
    assert (torch.cuda.utilization(), torch.cuda.memory_usage()) == (12, 34)
    assert made.names[0] == b"GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"
    lines = torch.cuda.list_gpu_processes().splitlines()
    assert len(lines) == 21 and lines[0] == "GPU:0"
    assert lines[20] == "process       1019 uses       20.000 MB GPU memory"
    made.nvmlDeviceGetPowerUsage = lambda handle, place: 6
    with pytest.raises(RuntimeError, match="NVML error 6: Not Found, reported by nvmlDeviceGetP"):
        torch.cuda.power_draw()
    made.processes = 0
    assert torch.cuda.list_gpu_processes() == "GPU:0\nno processes are running"


def test_without_the_library(cuda):
    with pytest.raises(RuntimeError, match="cuda driver can't be loaded, is cuda enabled"):
        torch.cuda.utilization()
    assert torch.cuda.list_gpu_processes() == "cuda driver can't be loaded, is cuda enabled?"


def test_functions_of_the_runtime(cuda):
    runtime = torch.cuda.cudart()
    assert runtime.cudaProfilerStart() == runtime.cudaError.success == runtime.cudaProfilerStop()
    x = torch.ones(100)
    assert runtime.cudaHostRegister(x.data_ptr(), 400, 0) == 0
    assert x.data_ptr() in cuda.pinned
    torch.cuda.check_error(runtime.cudaHostUnregister(x.data_ptr()))
    again = runtime.cudaHostUnregister(x.data_ptr())
    assert again == runtime.cudaError.errorInvalidValue
    assert runtime.cudaGetErrorString(again) == "invalid argument"
    with pytest.raises(torch.AcceleratorError):
        torch.cuda.check_error(again)
    assert runtime.cudaError(719).value == 719 and runtime.cudaMemGetInfo(0)[1] == 1 << 26
    place = ctypes.c_void_p()
    assert runtime.cudaStreamCreate(ctypes.addressof(place)) == 0
    with torch.cuda.stream(torch.cuda.ExternalStream(place.value)):
        assert torch.ones(2, device="cuda").tolist() == [1, 1]
    assert runtime.cudaStreamDestroy(place.value) == 0


def test_waiting_is_told(cuda):
    x = torch.ones(3, device="cuda")
    for _ in range(4):
        x.sum().item()
    pinned = torch.ones(3).pin_memory()
    torch.cuda.set_sync_debug_mode("warn")
    assert torch.cuda.get_sync_debug_mode() == 1
    with pytest.warns(UserWarning, match="called a synchronizing CUDA operation"):
        assert x.sum().item() == 3
    torch.cuda.set_sync_debug_mode(2)
    y = x + pinned.to("cuda", non_blocking=True) * 2
    y.gather(0, torch.zeros_like(x, dtype=torch.long))
    torch.cuda.synchronize()
    with pytest.raises(RuntimeError, match="called a synchronizing CUDA operation"):
        y.tolist()
    torch.cuda.set_sync_debug_mode("default")
    assert y.tolist() == [3] * 3
    with pytest.raises(RuntimeError, match="expected one of `default`, `warn`, `error`"):
        torch.cuda.set_sync_debug_mode("loud")


def test_events_outside_of_graphs(with_stand_in):
    with_stand_in(seed=0).chance.choice = lambda options: options[0]
    inside, graph = torch.cuda.Event(external=True), torch.cuda.CUDAGraph()
    x, stream = torch.zeros(2, device="cuda"), torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        x.add_(1)
        inside.record()
    graph.replay()
    inside.wait(stream)
    with torch.cuda.stream(stream):
        y = x * 5
    stream.synchronize()
    assert inside.query() and y.tolist() == [5, 5]
    # What a graph waits for is looked for whenever it runs.
    other = torch.cuda.CUDAGraph()
    with torch.cuda.graph(other):
        inside.wait()
        x.mul_(2)
    with torch.cuda.stream(stream):
        torch.full((1000,), 1.0, device="cuda")
        inside.record(stream)
    other.replay()
    assert x.tolist() == [2, 2] and inside.query()


def test_a_stream_that_is_kept_busy(cuda):
    torch.cuda._sleep(1000)
    torch.cuda.synchronize()
    assert cuda.launched[-1] == "KERNEL"


def test_names_that_packages_import(cuda):
    from rushlight.cuda import _get_device_index, _lazy_call
    from rushlight.cuda._utils import _get_device_index as same

    assert _get_device_index is same and same("cuda:0") == 0 == same(None, optional=True)
    assert same("cpu", allow_cpu=True) == -1 and same(torch.cuda.device(0)) == 0
    with pytest.raises(ValueError, match="Expected a cuda device"):
        same("cpu")
    called = []
    _lazy_call(lambda: called.append(1))
    torch.cuda.init()
    _lazy_call(lambda: called.append(2))
    assert called == [1, 2]
    torch.cuda._set_rng_state_offset(8)
    assert torch.cuda._get_rng_state_offset() == 8
    assert torch.cuda._exchange_device(-1) == -1 and torch.cuda._exchange_device(0) == 0
