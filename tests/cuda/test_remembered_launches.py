"""Calls on a device that come again are launched by machine code: no function of Python runs."""

import sys
import threading

import pytest

import rushlight as torch
from rushlight.engine.cuda import driver, launcher
from rushlight.engine.native import heap_types

pytestmark = pytest.mark.skipif(
    not heap_types.supported(), reason="remembered calls need machine code that looks into objects"
)


def functions_of(run):
    """The package's functions of Python that a call runs."""
    found = []

    def note(frame, event, argument):
        if event == "call" and frame.f_globals.get("__name__", "").startswith("rushlight"):
            found.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return found


def remember(run):
    for _ in range(3):
        run()


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bfloat16, torch.complex64])
def test_results_into_existing_tensors(cuda, dtype):
    a, b = torch.arange(6).to(dtype).cuda(), torch.full((6,), 3).to(dtype).cuda()
    out = torch.empty(6, dtype=dtype, device="cuda")
    remember(lambda: torch.add(a, b, out=out))
    out.zero_()
    assert functions_of(lambda: torch.add(a, b, out=out)) == []
    assert torch.equal(out.cpu(), torch.arange(3, 9).to(dtype))


def test_changes_in_place_with_numbers_that_differ(cuda):
    a = torch.ones(5, device="cuda")
    for factor in (1.0, 1.0, 1.0):
        a.mul_(factor)
    version = a._version
    assert functions_of(lambda: a.mul_(3.5)) == []
    assert a.tolist() == [3.5] * 5 and a._version == version + 1
    z = torch.ones(3, dtype=torch.complex128, device="cuda")
    for factor in (1j, 1j, 1j, 2 - 1j):
        z.mul_(factor)
    assert z.tolist() == [-1j * (2 - 1j)] * 3


def test_strides_and_offsets(cuda):
    base = torch.zeros(4, 6, device="cuda")
    row = torch.arange(4.0, device="cuda")
    target = base[:, 1::2].t()
    remember(lambda: target.add_(row))
    assert functions_of(lambda: target.add_(row)) == []
    expected = torch.zeros(4, 6)
    expected[:, 1::2] = (4 * torch.arange(4.0))[:, None]
    assert torch.equal(base.cpu(), expected)


def test_a_kernel_for_aligned_addresses_is_chosen_each_time(cuda):
    if not hasattr(cuda, "launched"):
        pytest.skip("asks the stand-in what was launched")
    base, out = torch.arange(40.0, device="cuda"), torch.empty(32, device="cuda")
    for start in (0, 1, 0, 1, 0, 1, 4):
        torch.neg(base[start : start + 32], out=out)
        assert torch.equal(out.cpu(), -torch.arange(40.0)[start : start + 32])


def test_streams_take_the_work_of_their_block(with_stand_in):
    stand_in = with_stand_in(seed=3)
    a = torch.ones(4, device="cuda")
    remember(lambda: a.add_(1))
    torch.cuda.synchronize()
    other = torch.cuda.Stream()
    with torch.cuda.stream(other):
        # Python says once which stream it is.
        a.add_(1)
        assert functions_of(lambda: a.add_(1)) == []
        stand_in.calls.clear()
    other.synchronize()
    assert a.tolist() == [6.0] * 4
    a.add_(1)
    assert functions_of(lambda: a.add_(1)) == []
    assert a.tolist() == [8.0] * 4


def test_tensors_of_another_device_are_refused_in_a_call_that_came_before(with_stand_in):
    with_stand_in(devices=2)
    a = torch.ones(4, device="cuda:0")
    remember(lambda: a + a * 2)
    for other in (torch.ones(4), torch.ones(4, device="cuda:1")):
        for _ in range(3):
            with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
                a + other
    assert (a + torch.tensor(2.0)).tolist() == [3.0] * 4


def test_threads_and_devices_have_their_own_places(with_stand_in):
    with_stand_in(devices=2)
    a, b = torch.ones(4, device="cuda:0"), torch.ones(4, device="cuda:1")
    for _ in range(4):
        a.add_(1)
        b.add_(2)
    assert (a.tolist(), b.tolist()) == ([5.0] * 4, [9.0] * 4)
    found = []

    def elsewhere():
        a.add_(1)
        found.extend(functions_of(lambda: a.add_(1)))

    for _ in range(3):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert found == [] and a.tolist() == [11.0] * 4


def test_a_thread_that_ends_gives_up_its_place(cuda):
    a = torch.ones(4, device="cuda")
    places = []

    def elsewhere():
        a.add_(1)
        places.append((launcher._here.place.at, launcher._here.place.thread))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    at, name = places[0]
    assert launcher._places[at] != name


def test_errors_name_kernels_that_machine_code_launched(with_stand_in):
    stand_in = with_stand_in(seed=1)
    a = torch.ones(4, device="cuda")
    remember(lambda: a.mul_(2))
    torch.cuda.synchronize()
    launcher.recent.clear()
    assert functions_of(lambda: a.mul_(2)) == []
    assert [x.split(".")[0] for x in launcher.recent] == ["aten::mul_"]
    stand_in.sticky = 719
    with pytest.raises(driver.CudaError, match=r"aten::mul_.*CUDA_LAUNCH_BLOCKING"):
        a.mul_(2)


def remember_additions(stand_in):
    a = torch.ones(4, device="cuda")
    remember(lambda: a.add_(1))
    count = len(stand_in.launched)
    assert functions_of(lambda: a.add_(1)) == []
    assert len(stand_in.launched) == count + 1 and a.tolist() == [5.0] * 4


def test_another_driver_gets_kernels_of_its_own(with_stand_in):
    for _ in range(2):
        remember_additions(with_stand_in())


def test_every_launch_is_waited_for_where_that_is_asked(cuda, monkeypatch):
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    a = torch.ones(4, device="cuda")
    remember(lambda: a.sub_(1))
    assert "launch" in functions_of(lambda: a.sub_(1))


# -- memory of results --


def test_results_take_memory_that_their_stream_has_left(cuda):
    a, b = torch.arange(8.0, device="cuda"), torch.ones(8, device="cuda")
    remember(lambda: a + b)
    found = []
    assert functions_of(lambda: found.append(a + b)) == []
    place = found[0].data_ptr()
    assert found[0].tolist() == [1.0, 2, 3, 4, 5, 6, 7, 8]
    assert functions_of(found.clear) == []
    assert functions_of(lambda: found.append(a + b)) == [] and found[0].data_ptr() == place


def test_more_results_than_have_been_left_ask_the_allocator(cuda):
    a = torch.arange(8.0, device="cuda")
    remember(lambda: a * 2)
    found = [a * 2 for _ in range(40)]
    assert len({x.data_ptr() for x in found}) == 40
    assert all(x.tolist() == [0.0, 2, 4, 6, 8, 10, 12, 14] for x in found)


def test_gradients_through_remembered_launches(cuda):
    weight = torch.tensor([1.0, 2, 3], device="cuda", requires_grad=True)
    a = torch.tensor([4.0, 5, 6], device="cuda")
    remember(lambda: weight * a)
    found = []
    assert functions_of(lambda: found.append(weight * a)) == []
    (found[0] * found[0]).sum().backward()
    assert weight.grad.tolist() == [32.0, 100.0, 216.0]


def test_calls_of_python_take_from_a_shelf_of_their_size(cuda):
    a = torch.ones(1000, device="cuda")
    remember(lambda: a + 1)
    torch.cuda.memory_allocated()
    place = (a + 1).data_ptr()
    # Random numbers are made by Python: their memory is what the sum has left, and other shelves stay full.
    (a[:10] + 1).data_ptr()
    assert torch.rand(1000, device="cuda").data_ptr() == place
    before = torch.cuda.memory_stats()["allocation.all.allocated"]
    made = [torch.rand(1000, device="cuda") for _ in range(3)]
    after = torch.cuda.memory_stats()
    assert (
        after["allocation.all.allocated"] == before + 3 and len({x.data_ptr() for x in made}) == 3
    )
    del made
    assert torch.cuda.memory_allocated() == 4096


def test_statistics_know_what_lies_on_shelves(cuda):
    a = torch.ones(1000, device="cuda")
    torch.cuda.reset_peak_memory_stats()
    before, counted = torch.cuda.memory_allocated(), torch.cuda.memory_stats()
    for _ in range(10):
        a + 1
    assert torch.cuda.memory_allocated() == before
    assert torch.cuda.max_memory_allocated() == before + 4096
    after = torch.cuda.memory_stats()
    for name, each in (("allocation", 1), ("allocated_bytes", 4096), ("requested_bytes", 4000)):
        for end in ("allocated", "freed"):
            key = f"{name}.all.{end}"
            assert after[key] - counted[key] == 10 * each, key
    blocks = [b for s in torch.cuda.memory_snapshot() for b in s["blocks"]]
    assert sum(b["size"] for b in blocks if b["state"] == "active_allocated") == before


def test_memory_on_shelves_serves_other_sizes_before_the_driver_is_asked(with_stand_in):
    with_stand_in(nbytes=64 << 20)
    for count in (3, 5, 7, 11):
        a = torch.ones(count << 18, device="cuda")
        for _ in range(4):
            [a + 1, a + 2, a + 3]
        del a
    assert torch.cuda.memory_reserved() <= 64 << 20


def test_what_another_stream_uses_is_not_given_out(with_stand_in):
    stand_in = with_stand_in(seed=5)
    a = torch.ones(64, device="cuda")
    remember(lambda: a + 1)
    torch.cuda.synchronize()
    other = torch.cuda.Stream()
    for _ in range(30):
        made = a + 1
        torch.cuda.synchronize()
        with torch.cuda.stream(other):
            double = made * 2
        made.record_stream(other)
        del made
        overwritten = a + 5
        torch.cuda.synchronize()
        assert double.tolist() == [4.0] * 64 and overwritten.tolist() == [6.0] * 64
    assert stand_in.launched


def test_results_of_streams_lie_on_shelves_of_their_own(with_stand_in):
    with_stand_in(seed=7)
    a = torch.ones(64, device="cuda")
    torch.cuda.synchronize()
    other = torch.cuda.Stream()
    for _ in range(20):
        first = a + 1
        here = first.data_ptr()
        del first
        with torch.cuda.stream(other):
            second = a + 2
            assert second.data_ptr() != here
            other.synchronize()
            assert second.tolist() == [3.0] * 64
            del second


def test_captured_graphs_have_memory_of_their_own(cuda):
    a = torch.ones(16, device="cuda")
    remember(lambda: a + 1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = (a + 1) * (a + 1)
    others = [a + 1 for _ in range(8)]
    a.fill_(3)
    graph.replay()
    assert result.tolist() == [16.0] * 16
    assert all(x.tolist() == [2.0] * 16 for x in others)


def test_recorded_history_has_each_request(cuda):
    a = torch.ones(16, device="cuda")
    remember(lambda: a + 1)
    torch.cuda.memory._record_memory_history()
    try:
        for _ in range(3):
            a + 1
        actions = [e["action"] for e in torch.cuda.memory._snapshot()["device_traces"][0]]
    finally:
        torch.cuda.memory._record_memory_history(enabled=None)
    assert actions.count("alloc") == 3 and actions.count("free_completed") == 3


# -- reductions, rows, products, views --

CALLS = {
    "sum": lambda a, w: a.sum(),
    "mean of columns": lambda a, w: a.mean(0),
    "largest": lambda a, w: a.max(1).values,
    "softmax": lambda a, w: a.softmax(1),
    "layer norm": lambda a, w: torch.nn.functional.layer_norm(a, (6,), w[0], w[1]),
    "product": lambda a, w: a @ w.t(),
    "linear": lambda a, w: torch.nn.functional.linear(a, w),
    "scan": lambda a, w: a.cumsum(1),
    "views": lambda a, w: a.t()[1:3].view(2, 4),
    "choice": lambda a, w: torch.where(a > 0, a, w[0]),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_kinds_of_kernels(cuda, name):
    call = CALLS[name]
    for seed in range(5):
        torch.manual_seed(seed)
        a, w = torch.randn(4, 6), torch.randn(5, 6)
        there = a.cuda(), w.cuda()
        found = []
        call(*there)
        # What was left by that is there for this one.
        functions = functions_of(lambda there=there, found=found: found.append(call(*there)))
        assert torch.allclose(found[0].cpu(), call(a, w), 1e-5, 1e-6)
        assert found[0].stride() == call(a, w).stride()
    assert functions == []


def test_steps_of_training_are_those_of_the_host(cuda):
    def trained(device):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.GELU(), torch.nn.Linear(8, 1))
        x = torch.randn(4, 6)
        net, x = net.to(device), x.to(device)
        optimizer = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
        losses = []
        for _ in range(6):
            optimizer.zero_grad()
            loss = net(x).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    assert trained("cuda") == pytest.approx(trained("cpu"), rel=1e-4)


def test_elements_are_never_read_where_machine_code_would_look(cuda):
    a = torch.arange(6.0, device="cuda")
    for k in range(6):
        a.fill_(k)
        i = torch.tensor(k % 3, device="cuda")
        assert a.sum().item() == 6 * k and a.tolist() == [k] * 6
        assert bool(a[0] > 2) == (k > 2) and a[i].item() == k
        assert len(a[a > 2]) == (6 if k > 2 else 0)
        assert a[:3].nonzero().shape == (3 if k else 0, 1)
