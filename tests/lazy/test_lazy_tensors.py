"""Lazy tensors: what is recorded, when it is computed, and that nobody can tell."""

import random
import threading

import pytest

import rushlight as torch
from rushlight import _lazy, nn
from rushlight._lazy import config, debug, ir_cache, metrics
from rushlight._lazy.running import recorder


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(config, "strict", True)
    recorder.cut()
    ir_cache.reset()
    metrics.reset()


def on(x):
    return x.to("lazy")


def compilations():
    return metrics.counter_value("UncachedCompile")


# -- recording --


def test_calls_are_recorded_until_a_value_is_asked_for():
    x = on(torch.arange(4.0))
    y = (x * 2 + 1).relu()
    assert (y.shape, y.dtype, y.device, str(y.device)) == (
        (4,), torch.float32, torch.device("lazy", 0), "lazy:0",
    )  # fmt: skip
    assert compilations() == 0 and metrics.counter_value("lazy::relu") == 1
    assert y.cpu().tolist() == [1, 3, 5, 7]
    assert compilations() == 1
    assert y[1].item() == 3 and bool(y.sum() > 15) and y.tolist() == [1, 3, 5, 7]
    assert repr(y) == "tensor([1., 3., 5., 7.], device='lazy:0')"


def test_the_device_is_a_device_like_others():
    x = torch.ones(2, device="lazy")
    assert x.device.index == 0 and x.to("lazy") is x and not x.is_cpu
    assert torch.zeros_like(x).device == x.device
    assert torch.device(0).type != "lazy" and torch.accelerator.current_accelerator() is None
    with pytest.raises(RuntimeError, match="lazy:0, cpu"):
        x + torch.ones(2)
    with pytest.raises(TypeError, match=r"Tensor\.cpu"):
        x.numpy()
    assert (x + torch.tensor(2.0)).tolist() == [3, 3]
    assert torch.save is not _lazy.save and _lazy.to_cpu({"a": [x]})["a"][0].device.type == "cpu"


def test_only_what_is_still_wanted_is_computed(collect):
    x = on(torch.ones(3))
    kept = x + 1
    gone = (x * 3).exp()
    del gone
    collect()
    text = debug.dump_ir([kept], "text")
    assert "exp" not in text and "add" in text
    recorder_wanted = recorder.trace.wanted()
    assert len(recorder_wanted) == 1
    _lazy.mark_step()
    assert kept.tolist() == [2, 2, 2] and compilations() == 1


def test_the_same_trace_is_compiled_once_whatever_the_elements():
    for k in range(4):
        x = on(torch.full((3,), float(k)))
        assert (x * x + 1).tolist() == [k * k + 1.0] * 3
    assert compilations() == 1
    assert metrics.counter_value("CachedCompile") >= 3


def test_numbers_of_a_trace_are_told_apart():
    x = on(torch.tensor([0.0, 2.0]))
    assert torch.copysign(x, 0.0).tolist() == [0, 2]
    assert str(torch.copysign(x, -0.0).cpu()) == "tensor([-0., -2.])"
    assert (x * True).dtype is torch.float32 and (
        on(torch.ones(1, dtype=torch.int64)) * 1.0
    ).dtype is torch.float32


def test_numbers_that_vary_are_inputs_from_the_second_on():
    x = on(torch.arange(3.0))
    for k in range(6):
        made = torch.add(x, x * (k + 0.5), alpha=0.25)
        assert made.tolist() == [n + n * (k + 0.5) * 0.25 for n in range(3)]
    assert compilations() == 2
    # What is made of a number is not known to be.
    for k in range(4):
        found = nn.functional.elu(x - 1, k + 0.5)
        assert torch.allclose(found.cpu(), nn.functional.elu(torch.arange(3.0) - 1, k + 0.5))


def test_views_and_changes_are_those_of_one_memory():
    def program(device):
        x = torch.arange(12.0).to(device)
        m = x.view(3, 4)
        row, column = m[1], m[:, 2]
        row.mul_(10)
        column += 1
        flipped = m.t()
        flipped[0].fill_(-1)
        copy = m.clone()
        m[torch.tensor([0, 2]).to(device), 1] = 5
        x.as_strided((2, 2), (1, 4), 3).zero_()
        if device == "lazy":
            _lazy.mark_step()
        row.add_(1)
        return [x, m, row, column, flipped, copy, x.untyped_storage().nbytes()]

    expected, found = program("cpu"), program("lazy")
    for a, b in zip(expected, found):
        assert a == b if isinstance(a, int) else torch.equal(a, b.cpu())
    assert found[2]._base is found[0] and found[0]._version == expected[0]._version


def test_an_argument_on_the_cpu_is_taken_as_it_is_now():
    source = torch.ones(3)
    x = torch.zeros(3, device="lazy")
    x.copy_(source)
    number = torch.tensor(2.0)
    y = x * number
    source.fill_(7)
    number.fill_(7)
    assert x.tolist() == [1, 1, 1] and y.tolist() == [2, 2, 2]


def test_calls_that_look_at_elements_are_made_at_once_and_counted():
    x = on(torch.tensor([1.0, 0.0, 3.0]))
    y = (x + 1).nonzero()
    assert y.device.type == "lazy" and y.tolist() == [[0], [1], [2]]
    assert x[x > 0].tolist() == [1, 3]
    assert metrics.counter_value("aten::nonzero") >= 1
    assert "elements decide what it gives" in metrics.metrics_report()
    config.set_force_fallback("aten::exp")
    try:
        assert torch.allclose(x.exp().cpu(), x.cpu().exp())
    finally:
        config.set_force_fallback("")
    assert metrics.counter_value("aten::exp") == 1 and config.get_force_fallback() == ""


def test_a_graph_that_cannot_be_compiled_runs_call_by_call(monkeypatch):
    def refuses(*args):
        raise ValueError("no such graph")

    monkeypatch.setattr("rushlight._lazy.running.compile_graph", refuses)
    monkeypatch.setattr(config, "strict", False)
    x = on(torch.ones(3))
    y = x.view(1, 3)
    y.add_(1)
    assert x.tolist() == [2, 2, 2]
    assert metrics.counter_value("UncompiledGraph") == 1
    assert "ValueError: no such graph" in metrics.metrics_report()


def test_what_has_failed_stays_failed():
    x = on(torch.arange(3))
    y = x.index_select(0, on(torch.tensor([5])))
    with pytest.raises((IndexError, RuntimeError)):
        y.cpu()
    with pytest.raises(RuntimeError, match="the computation of a lazy tensor has failed"):
        y.cpu()
    assert (x + 1).tolist() == [1, 2, 3]


def test_an_interrupt_leaves_what_was_recorded(monkeypatch):
    from rushlight._lazy import running

    torch.manual_seed(0)
    expected = torch.rand(2)
    torch.manual_seed(0)
    y = torch.rand(2, device="lazy")

    def interrupted(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(running, "compile_graph", interrupted)
        with pytest.raises(KeyboardInterrupt):
            y.cpu()
    assert torch.equal(y.cpu(), expected)


# -- random numbers --


def test_random_numbers_are_drawn_in_the_programs_order():
    def program(device):
        torch.manual_seed(3)
        a = torch.rand(4, device=device)
        b = torch.rand(4)
        c = torch.empty(3, device=device).normal_()
        state = torch.get_rng_state()
        d = nn.functional.dropout(torch.ones(6, device=device))
        torch.manual_seed(5)
        e = torch.randint(0, 9, (4,), device=device)
        torch.set_rng_state(state)
        f = torch.randperm(5, device=device)
        del a
        return [x.cpu() for x in (b, c, d, e, f, torch.rand(2))]

    program("cpu")
    for a, b in zip(program("cpu"), program("lazy")):
        assert torch.equal(a, b)
    own = torch.Generator().manual_seed(1), torch.Generator().manual_seed(1)
    assert torch.equal(
        torch.rand(3, generator=own[0]), torch.rand(3, generator=own[1], device="lazy").cpu()
    )


def test_numbers_that_nobody_wants_are_drawn_too():
    torch.manual_seed(0)
    torch.rand(3)
    expected = torch.rand(3)
    torch.manual_seed(0)
    torch.rand(3, device="lazy")
    assert torch.equal(torch.rand(3), expected)


# -- training --


def perceptron():
    return nn.Sequential(
        nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.5), nn.LayerNorm(16), nn.Linear(16, 3)
    )


def convolutions():
    return nn.Sequential(
        nn.Conv2d(1, 4, 3),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(36, 3),
    )


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(11, 16)
        self.block = nn.TransformerEncoderLayer(
            16, 2, 32, dropout=0.1, batch_first=True, activation="gelu"
        )
        self.head = nn.Linear(16, 11)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], device=x.device)
        return self.head(self.block(self.embedding(x), src_mask=mask))


def trained(make, data, target, device, optimizer, steps=3):
    torch.manual_seed(0)
    net = make().to(device)
    step = optimizer(net.parameters())
    for _ in range(steps):
        x, y = data.to(device), target.to(device)
        loss = nn.functional.cross_entropy(net(x).flatten(0, -2), y.flatten())
        step.zero_grad()
        loss.backward()
        step.step()
        if device == "lazy":
            _lazy.mark_step()
    assert loss.device.type == device
    return [x.detach().cpu() for x in (*net.state_dict().values(), loss)]


PROGRAMS = [
    (perceptron, (6, 8), (6,), 3), (convolutions, (5, 1, 8, 8), (5,), 3), (Transformer, None, (2, 5), 11),
]  # fmt: skip


@pytest.mark.parametrize("make, shape, targets, classes", PROGRAMS)
@pytest.mark.parametrize(
    "optimizer, most",
    [
        (lambda p: torch.optim.SGD(p, 0.1, momentum=0.9), 2),
        # Its steps differ in numbers, which are known to vary when they have.
        (lambda p: torch.optim.AdamW(p, 1e-3), 3),
    ],
)
def test_a_training_loop_is_compiled_for_its_first_steps(
    make, shape, targets, classes, optimizer, most
):
    torch.manual_seed(1)
    target = torch.randint(0, classes, targets)
    data = torch.randint(0, 11, (2, 5)) if shape is None else torch.randn(shape)
    expected = trained(make, data, target, "cpu", optimizer, steps=most + 1)
    metrics.reset()
    found = trained(make, data, target, "lazy", optimizer, steps=most + 1)
    for a, b in zip(expected, found):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-3)
    assert compilations() <= most and metrics.counter_value("CachedCompile") >= 1
    at_once = [name for name in metrics.counter_names() if name.startswith("aten::")]
    assert at_once == []


# -- random programs --


def statements(random_number, device):
    """A random program over a pool of tensors, its views and changes: the pool after each cut."""
    pick = random.Random(random_number)
    torch.manual_seed(random_number)
    pool = [torch.randn(4, 6).to(device), torch.randn(6).to(device), torch.arange(8.0).to(device)]
    shown = []
    for _ in range(25):
        x, y = pick.choice(pool), pick.choice(pool)
        kind = pick.randrange(14)
        try:
            if kind == 0:
                made = x[pick.randrange(4)]
            elif kind == 1:
                made = x.t() if x.dim() == 2 else x[::2]
            elif kind == 2:
                made = x.reshape(-1)
            elif kind == 3:
                made = x[..., 1 : pick.randrange(2, 6)]
            elif kind == 4:
                made = x + y
            elif kind == 5:
                made = torch.sigmoid(x) * pick.choice([2, -0.5, True])
            elif kind == 6:
                made = x.sum(-1) if x.dim() else x.clone()
            elif kind == 7:
                made = x.add_(y, alpha=pick.choice([1, 0.5]))
            elif kind == 8:
                made = x.mul_(0.5)
            elif kind == 9:
                x.select(-1, 0).copy_(torch.tensor(3.0))
                continue
            elif kind == 10:
                made = x.uniform_()
            elif kind == 11:
                made = torch.where(x > 0, x, -x)
            elif kind == 12:
                made = x.unsqueeze(0).expand(2, *x.shape)
            elif pick.random() < 0.5:
                _lazy.mark_step()
                continue
            else:
                shown.append([t.cpu().tolist() for t in pool])
                continue
        except (RuntimeError, IndexError) as error:
            shown.append(type(error).__name__)
            continue
        pool.append(made)
        if len(pool) > 8:
            pool.pop(pick.randrange(len(pool)))
        del made, x, y
    return shown + [t.cpu() for t in pool]


@pytest.mark.parametrize("number", range(40))
def test_random_programs(number):
    expected, found = statements(number, "cpu"), statements(number, "lazy")
    assert len(expected) == len(found)
    for a, b in zip(expected, found):
        if isinstance(a, str):
            assert a == b
        elif isinstance(a, list):
            for one, other in zip(a, b):
                torch.testing.assert_close(torch.tensor(one), torch.tensor(other))
        else:
            torch.testing.assert_close(a, b)


def test_two_threads_record_into_one_order():
    found, errors = {}, []

    def work(number):
        try:
            torch_sum = torch.zeros(3, device="lazy")
            for k in range(20):
                torch_sum = torch_sum + on(torch.full((3,), float(number * k)))
                if k % 7 == number:
                    _lazy.mark_step()
            found[number] = torch_sum.tolist()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert found == {k: [190.0 * k] * 3 for k in range(3)}


# -- the rest of the interface --


def test_closures_run_at_the_end_of_a_step():
    seen = []
    x = on(torch.ones(2))
    _lazy.add_step_closure(lambda t: seen.append(t.sum().item()), (x + 1,))
    assert not seen
    _lazy.mark_step()
    assert seen == [4.0]
    done = threading.Event()
    _lazy.add_step_closure(done.set, run_async=True)
    _lazy.mark_step()
    assert done.wait(10)


def test_ids_are_those_of_memory():
    x, y = torch.ones(2, device="lazy"), torch.ones(2, device="lazy")
    assert _lazy.get_tensor_id(x) == _lazy.get_tensor_id(x.view(1, 2)) != _lazy.get_tensor_id(y)
    _lazy.sync_multi([x], [])
    _lazy.wait_device_ops()
    with pytest.raises(RuntimeError, match="lazy device"):
        _lazy.get_tensor_id(torch.ones(2))


def test_graphs_are_shown(tmp_path):
    x = on(torch.ones(2, 3))
    y = x.sin() * 2
    assert debug.dump_ir([y], "text").splitlines()[1:] == [
        "    sin = torch.ops.aten.sin.default(arg0_1);  arg0_1 = None",
        "    mul = torch.ops.aten.mul.Tensor(sin, 2);  sin = None",
        "    return [mul]",
    ]
    assert "kernels_fused_sin_mul" in debug.dump_ir([y], "backend")
    assert "sin -> mul;" in debug.render_ir_graph([y])
    with pytest.raises(RuntimeError, match="Unrecognized IR format: dot"):
        debug.dump_ir([y], "dot")
    y.cpu()
    ir_cache.dump(str(tmp_path / "graphs.dot"))
    assert "sin" in (tmp_path / "graphs.dot").read_text()


def test_a_compiled_graph_is_taken_out():
    from rushlight._lazy.extract_compiled_graph import extract_compiled_graph

    class Program(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.full((3,), 2.0))

        def forward(self, x, y):
            y.add_(1)
            z = x * self.weight
            return z, z, torch.ones(3) + y

    module = torch.fx.symbolic_trace(Program())
    with torch.no_grad():
        run = extract_compiled_graph(module, [torch.ones(3), torch.ones(3)])
        x, y = torch.arange(3.0), torch.zeros(3)
        made = run(x, y)
    assert [t.tolist() for t in made] == [[0, 2, 4], [0, 2, 4], [2, 2, 2]]
    assert y.tolist() == [1, 1, 1]
