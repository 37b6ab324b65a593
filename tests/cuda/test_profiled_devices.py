"""The profiler's times of what devices do: kernels, copies, streams, and the calls that asked for them."""

from __future__ import annotations

import itertools
import json

import pytest

import rushlight as torch
from rushlight.engine.cuda import timeline
from rushlight.profiler import DeviceType, ProfilerActivity, profile, record_function

BOTH = ProfilerActivity.CPU, ProfilerActivity.CUDA


def of_device(recorded):
    return [e for e in recorded.events() if e.device_type is DeviceType.CUDA]


def test_work_is_timed_and_known_by_the_call_that_asked_for_it(cuda):
    assert torch.profiler.supported_activities() == set(BOTH)
    x = torch.arange(6.0, device="cuda")
    with profile(activities=BOTH) as recorded, record_function("mine"):
        (x * x).sum()
    kernels = of_device(recorded)
    assert [e.name for e in kernels] == ["aten::mul.Tensor kernel", "aten::sum kernel"]
    launches = [e for e in recorded.events() if e.name == "cuLaunchKernel"]
    assert all(
        a.time_range.start < k.time_range.end for a, k in zip(launches, kernels, strict=True)
    )
    assert all(e.device_index == 0 and e.device_time > 0 and e.cpu_time == 0 for e in kernels)
    assert kernels[0].time_range.end <= kernels[1].time_range.start
    calls = {e.name: e for e in recorded.events() if e.device_type is DeviceType.CPU}
    (kernel,) = calls["aten::mul"].kernels
    assert kernel == ("aten::mul.Tensor kernel", 0, kernels[0].device_time_total)
    assert calls["aten::mul"].cpu_children[0].name == "cuLaunchKernel"
    total = sum(e.device_time_total for e in kernels)
    assert calls["mine"].device_time_total == pytest.approx(total)
    assert calls["mine"].self_device_time_total == 0
    assert [e.id for e in recorded.events()] == [e.id for e in recorded.events()]


def test_tables_have_columns_of_the_device(cuda):
    x = torch.arange(600.0, device="cuda")
    with profile(activities=BOTH, profile_memory=True) as recorded:
        for _ in range(3):
            y = x * x
        y.cpu()
    averages = recorded.key_averages()
    text = averages.table(sort_by="cuda_time_total")
    for title in ("Self CUDA %", "CUDA total", "CUDA time avg", "CUDA Mem", "Self CUDA time total"):
        assert title in text
    by_name = {a.key: a for a in averages}
    assert by_name["aten::mul"].count == by_name["aten::mul.Tensor kernel"].count == 3
    shared = by_name["aten::mul.Tensor kernel"].self_device_time_total
    assert by_name["aten::mul"].self_cuda_time_total == pytest.approx(shared)
    assert by_name["aten::mul"].device_memory_usage >= 2560
    lines = averages.table(sort_by="self_cuda_time_total", row_limit=1).splitlines()
    largest = max(a.self_device_time_total for a in averages)
    assert lines[3].split()[0] in {
        a.key.split()[0] for a in averages if a.self_device_time_total == largest
    }
    assert lines[4].startswith("---")


def test_numbers_of_the_host_go_along(cuda):
    x = torch.ones(3, device="cuda", dtype=torch.float16)
    y = torch.ones(3, device="cuda", dtype=torch.complex128)
    with profile(activities=BOTH) as recorded:
        found = [x * torch.tensor(3, dtype=torch.float16), y * torch.tensor(2 + 5j)]
    fills = [e for e in of_device(recorded) if e.category == "gpu_memset"]
    assert [(e.name, e.facts["bytes"]) for e in fills] == [
        ("Memset (Device)", 2),
        ("Memset (Device)", 8),
    ]
    assert [f.tolist() for f in found] == [[3.0] * 3, [2 + 5j] * 3]


def test_copies_and_streams_in_traces(cuda, tmp_path):
    pinned = torch.ones(8).pin_memory()
    stream = torch.cuda.Stream()
    with profile(activities=BOTH) as recorded:
        x = pinned.to("cuda", non_blocking=True)
        with torch.cuda.stream(stream):
            stream.wait_stream(torch.cuda.default_stream())
            x.record_stream(stream)
            x.neg().tolist()
    path = tmp_path / "trace.json"
    recorded.export_chrome_trace(str(path))
    document = json.loads(path.read_text())
    assert document["deviceProperties"][0]["name"] == torch.cuda.get_device_name()
    entries = document["traceEvents"]
    copies = [e for e in entries if e.get("cat") == "gpu_memcpy"]
    assert [e["name"] for e in copies] == [
        "Memcpy HtoD (Pinned -> Device)",
        "Memcpy DtoH (Device -> Pageable)",
    ]
    assert [(e["pid"], e["tid"], e["args"]["bytes"]) for e in copies] == [(0, 0, 32), (0, 1, 32)]
    (kernel,) = [e for e in entries if e.get("cat") == "kernel"]
    assert kernel["tid"] == 1 and kernel["args"]["block"] == [32, 1, 1]
    number = kernel["args"]["correlation"]
    start, end = (e for e in entries if e["ph"] in "sf" and e["id"] == number)
    call = next(e for e in entries if e["name"] == "cuLaunchKernel")
    assert (start["ph"], start["tid"], start["ts"]) == ("s", call["tid"], call["ts"])
    assert (end["ph"], end["tid"], end["ts"]) == ("f", 1, kernel["ts"])
    lanes = {e["args"]["name"] for e in entries if e["name"] == "thread_name"}
    assert lanes == {"stream 0", "stream 1"}


@pytest.mark.parametrize("seed", range(3))
def test_times_where_streams_run_in_any_order(with_stand_in, seed):
    with_stand_in(seed=seed)
    streams = [torch.cuda.Stream() for _ in range(3)]
    with profile(activities=BOTH) as recorded:
        for k in range(12):
            with torch.cuda.stream(streams[k % 3]):
                torch.full((4,), float(k), device="cuda")
    spans = of_device(recorded)
    assert len(spans) == 12 and all(e.device_time > 0 for e in spans)
    for number in (1, 2, 3):
        own = [e for e in spans if e.device_resource_id == number]
        assert len(own) == 4
        assert all(a.time_range.end <= b.time_range.start + 2 for a, b in itertools.pairwise(own))


def test_launches_of_remembered_calls_are_seen(cuda):
    x = torch.ones(5, device="cuda")
    for _ in range(5):
        x.relu()
    # No mode sees calls here: what is remembered would be launched by machine code.
    with profile(activities=[ProfilerActivity.CUDA]) as recorded:
        for _ in range(4):
            x.relu()
    assert [e.name for e in of_device(recorded)] == ["aten::relu kernel"] * 4
    assert not [e for e in recorded.events() if e.name == "aten::relu"]
    before = len(of_device(recorded))
    cuda.calls.clear()
    assert x.relu().tolist() == [1.0] * 5
    assert "cuEventRecord" not in cuda.calls and len(of_device(recorded)) == before


def test_a_graph_is_one_piece_of_work(cuda):
    x = torch.ones(4, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with profile(activities=BOTH) as recorded:
        with torch.cuda.graph(graph):
            y = x + 1
        graph.replay()
        x.fill_(4)
        graph.replay()
        assert y.tolist() == [5.0] * 4
    names = [e.name for e in of_device(recorded)]
    assert names.count("CUDA graph") == 2 and "aten::add kernel" not in names


def test_many_launches_keep_few_events(cuda, monkeypatch):
    monkeypatch.setattr(timeline, "MOST_WAITING", 4)
    x = torch.ones(4, device="cuda")
    with profile(activities=BOTH) as recorded:
        for _ in range(11):
            x.neg()
        assert len(recorded._recorder._timeline._waiting) <= 4
    assert len(of_device(recorded)) == 11


def test_the_older_namespace(cuda):
    older = torch.autograd.profiler.profile
    x = torch.ones(4, device="cuda")
    with older(use_device="cuda") as recorded:
        x.exp()
    events = recorded.function_events
    assert recorded.use_device == "cuda"
    assert [e.name for e in events if e.device_type is DeviceType.CUDA] == ["aten::exp kernel"]
    with pytest.warns(FutureWarning, match="use_device = 'cuda'"), older(use_cuda=True) as again:
        x.exp()
    assert again.total_average().self_device_time_total > 0
    with pytest.warns(UserWarning, match="abacus is not a valid"):
        assert older(use_device="abacus").use_device is None


def test_ranges_for_nvidia_s_profiler(cuda, monkeypatch):
    from rushlight.cuda import nvtx

    told = []
    monkeypatch.setattr(nvtx, "range_push", lambda text: told.append(text))
    monkeypatch.setattr(nvtx, "range_pop", lambda: told.append("end"))
    x = torch.ones(2, 3, device="cuda")
    with torch.autograd.profiler.emit_nvtx(record_shapes=True) as ranges:
        with record_function("step"):
            x.neg()
        with pytest.raises(RuntimeError, match="not reentrant"):
            ranges.__enter__()
    x.neg()
    with record_function("outside"):
        pass
    assert told == ["step", "aten::neg, sizes = [[2, 3]]", "end", "end"]


def test_transforms_of_libraries_are_seen(cuda):
    x = torch.arange(8.0, device="cuda")
    with profile(activities=BOTH) as recorded:
        torch.fft.rfft(x)
        torch.linalg.cholesky(torch.eye(3, device="cuda"))
    names = [e.name for e in of_device(recorded)]
    assert sum("of cuFFT" in name for name in names) == 1
    assert sum("of cuSOLVER" in name for name in names) == 1


def test_without_a_device():
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.warns(UserWarning, match="CUDA is not available"), profile(activities=BOTH) as seen:
        torch.ones(1)
    assert seen.use_device is None and "CUDA" not in seen.key_averages().table()
    with (
        pytest.warns(UserWarning, match="CUDA is not available"),
        pytest.raises(AssertionError, match="No activities specified"),
    ):
        profile(activities=[ProfilerActivity.CUDA])
    with pytest.raises(AssertionError, match="not compiled with CUDA"):
        torch.autograd.profiler.emit_nvtx().__enter__()
