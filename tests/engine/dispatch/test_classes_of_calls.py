"""Calls of one class: with sizes that vary, repeated, and without the memory, they are the same."""

from __future__ import annotations

import math
from random import Random

import pytest

import rushlight as torch
from rushlight.engine.dispatch import call_cache, registry
from rushlight.engine.dispatch.call_cache import Binding
from rushlight.nn import functional as F
from tests.engine.dispatch.varying_calls import (
    CALLS,
    arguments,
    classes_of,
    facts,
    of_size,
    outcome,
    without_memory,
)


@pytest.mark.parametrize("call", CALLS)
def test_calls_with_ever_new_sizes(call: str) -> None:
    sizes = Random(call)
    code = compile(call, call, "eval")
    for _ in range(30):
        given = arguments(sizes)
        found = outcome(code, given)
        with without_memory():
            assert found == outcome(code, given), f"{given['n']}, {given['m']}"


@pytest.mark.parametrize("call", CALLS)
def test_gradients_with_ever_new_sizes(call: str) -> None:
    sizes = Random(call + "!")
    code = compile(call, call, "eval")

    def gradients(given):
        try:
            found = eval(code, given)
            found = found if isinstance(found, (tuple, list)) else [found]
            total = sum((f * f).sum() for f in found if getattr(f, "requires_grad", False))
            if not torch.is_tensor(total):
                return None
            leaves = [given[name] for name in "xyv"]
            return facts(torch.autograd.grad(total, leaves, allow_unused=True))
        except Exception as error:
            return type(error).__name__, str(error)

    for _ in range(16):
        given = arguments(sizes, True)
        found = gradients(given)
        with without_memory():
            assert found == gradients(given), f"{given['n']}, {given['m']}"


@pytest.mark.parametrize("call", CALLS)
def test_special_sizes_after_usual_ones(call: str) -> None:
    code = compile(call, call, "eval")
    for n, m in [(5, 8), (9, 4), (13, 6), (0, 5), (5, 0), (0, 0), (1, 7), (7, 1), (1, 1)]:
        given = of_size(n, m, min(n, m, 2))
        found = outcome(code, given)
        with without_memory():
            assert found == outcome(code, given), f"{n}, {m}"


def test_sizes_of_an_earlier_call_prove_a_trace() -> None:
    """The second call of a class teaches it."""
    for n in (11, 17, 23):
        torch.hypot(torch.ones(n, 7, 2), torch.ones(n, 7, 2))
    known = classes_of("hypot")
    assert any(len(one.programs) == 1 and one.tries == 1 for one in known)


def test_what_elements_answer_is_asked_again() -> None:
    for n in (12, 19, 26):
        F.one_hot(torch.arange(n) % 5, 5)
    assert any(one.programs for one in classes_of("one_hot"))
    with pytest.raises(RuntimeError, match="smaller than num_classes"):
        F.one_hot(torch.arange(31) % 7, 5)


def test_long_lists_are_learned_later_than_short_ones() -> None:
    def calls(count: int) -> int:
        """After how many calls with so many tensors there is a program."""
        for k in range(1, 120):
            parts = [torch.ones(3 + k * 60 + i, 2) for i in range(count)]
            torch.cat(parts)
            if any(len(one.values) == 4 * count and one.programs for one in classes_of("cat")):
                return k
        return 120

    assert calls(2) < calls(12) < 120


def test_lists_that_vary_are_not_remembered_one_by_one() -> None:
    """What comes back among others is left to its class."""
    call_cache.forget_calls()
    for _ in range(3):
        for n in (5, 6, 7):
            torch.stack([torch.ones(n, 3)] * 9)
    (varying,) = (one for one in classes_of("stack") if len(one.values) >= 9 * 2)
    assert any(varying.varies) and not varying.refusal
    assert varying.tries == 0 and varying.waited > 0


def test_as_strided_beyond_a_tensors_elements_is_checked_each_time() -> None:
    whole = torch.ones(100)
    for _ in range(4):
        assert whole[:4].as_strided((30,), (1,)).shape == (30,)
    with pytest.raises(RuntimeError, match="out of bounds for storage"):
        torch.ones(4).as_strided((30,), (1,))
    for n in (9, 12, 15, 18):
        whole[:n].as_strided((n, 2), (2, 1))
    with pytest.raises(RuntimeError, match="out of bounds for storage"):
        torch.ones(20).as_strided((20, 2), (2, 1))


def ones(*size: int) -> torch.Tensor:
    return torch.ones(*size, requires_grad=True)


HAVE_PROGRAMS = {
    "avg_pool2d": lambda n: F.avg_pool2d(torch.ones(1, 4, n), 2),
    "max_pool2d": lambda n: F.max_pool2d(torch.ones(1, 4, n), 2),
    "_unique2": lambda n: torch.unique(torch.arange(n) % 5, return_counts=True),
    "unique_consecutive": lambda n: torch.unique_consecutive(torch.arange(n) // 2),
    "bincount": lambda n: torch.bincount(torch.arange(n) % 7),
    "repeat_interleave": lambda n: torch.ones(n).repeat_interleave(torch.arange(n) % 3),
    "aten::nll_loss_forward gradient 0": lambda n: F.nll_loss(
        ones(n, 3), torch.arange(n) % 3
    ).backward(),
    "aten::_batch_norm_of_batch gradient 0": lambda n: F.batch_norm(
        ones(n, 3), torch.zeros(3), torch.ones(3), ones(3), ones(3), training=True
    ).sum().backward(),
    "conv2d": lambda n: F.conv2d(torch.ones(2, 3, n, n + 3), torch.ones(4, 3, 3, 3), padding=1),
    "conv1d": lambda n: F.conv1d(torch.ones(n, 2, 3 * n), torch.ones(4, 2, 5), stride=2),
    "conv_transpose2d": lambda n: F.conv_transpose2d(
        torch.ones(2, 3, n, n), torch.ones(3, 2, 3, 3), stride=2
    ),
    "aten::convolution gradient 0": lambda n: F.conv2d(
        ones(2, 3, n, n + 3), ones(4, 3, 3, 3), padding=1, stride=2
    ).sum().backward(),
    "adaptive_avg_pool2d": lambda n: F.adaptive_avg_pool2d(torch.ones(2, 3, 2 * n + 1, n), 2),
    "adaptive_max_pool2d": lambda n: F.adaptive_max_pool2d(torch.ones(2, 3, n, n), 2),
    "topk": lambda n: torch.ones(n, 300).topk(5),
    "pdist": lambda n: torch.pdist(torch.ones(n, 3)),
    "interpolate": lambda n: F.interpolate(torch.ones(1, 1, n, n), (9, 9), mode="bilinear"),
    "fft_rfft": lambda n: torch.fft.rfft(torch.ones(n)),
    "fft_ifft": lambda n: torch.fft.ifft(torch.ones(n, dtype=torch.complex64)),
    "stft": lambda n: torch.stft(torch.ones(9 * n), 32, window=torch.ones(32), return_complex=True),
    "quantile": lambda n: torch.ones(n).quantile(0.5),
    "median": lambda n: torch.ones(n).median(),
    "tolist": lambda n: torch.ones(n).tolist(),
    "dropout": lambda n: F.dropout(torch.ones(n), 0.0),
    "split": lambda n: torch.ones(n, 3).split([1, n - 1]),
    "fft_fftfreq": lambda n: torch.fft.fftfreq(n, d=n * 0.3),
    "hann_window": lambda n: torch.hann_window(n),
    "arange": lambda n: torch.arange(n * 0.5, n * 0.7, 0.1),
    "unfold": lambda n: F.unfold(torch.ones(1, 1, n, 8), 3),
    "one_hot": lambda n: F.one_hot(torch.arange(n), num_classes=n + 1),
}  # fmt: skip


@pytest.mark.parametrize("name", HAVE_PROGRAMS)
def test_classes_have_programs(name: str) -> None:
    for n in (21, 26, 33, 38, 45, 50, 57, 62, 69, 74):
        HAVE_PROGRAMS[name](n)
    known = classes_of(name)
    assert any(one.programs for one in known), [one.refusal for one in known]


def test_a_number_given_by_name_is_an_input() -> None:
    for n in range(9, 25):
        assert torch.zeros(size=(n, 5, 2)).shape == (n, 5, 2)
        assert torch.ones(40).narrow(dim=0, start=n - 9, length=n).shape == (n,)
    known = [one for one in classes_of("narrow") if one.programs]
    assert len(known) == 1 and sum(known[0].varies) == 2


def test_floats_that_shape_a_result_are_inputs() -> None:
    for n in range(20):
        stop = 3.0 + 0.37 * n
        made = torch.arange(-stop, stop, 0.25, dtype=torch.float64)
        assert made.tolist() == [-stop + 0.25 * k for k in range(math.ceil(2 * stop / 0.25))]
    known = [one for one in classes_of("arange") if one.programs]
    assert any(sum(one.varies) == 2 for one in known)
    for wrong in (math.inf, math.nan):
        with pytest.raises(RuntimeError, match="unsupported range"):
            torch.arange(-1.0, wrong, 0.25, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="step must be nonzero"):
        torch.arange(-1.0, 2.0, 0.0, dtype=torch.float64)


def test_a_base_that_is_an_argument_too_has_the_sizes_of_the_argument() -> None:
    """Calls with a tensor and its view teach a class that other tensors belong to."""
    for n in (3, 4, 5, 6, 7, 8):
        q = torch.arange(4.0 * n).view(4, n)
        assert (q.mT @ q).shape == (n, n)
        assert torch.einsum("ji,jk->ik", q, q.view(4, n)).shape == (n, n)
    for n, m in ((3, 5), (5, 9), (11, 4), (2, 13)):
        a, b = torch.arange(4.0 * n).view(4, n), torch.arange(4.0 * m).view(4, m)
        found = a.mT @ b
        assert found.shape == (n, m)
        with without_memory():
            assert torch.equal(found, a.mT @ b)


def test_a_class_keeps_the_rules_whose_nodes_it_makes() -> None:
    """Tables of specialised functions are cleared by registrations; what machine code makes stays."""
    import gc
    import weakref

    x = torch.ones(40, 5, requires_grad=True)
    for n in range(3, 12):
        x[:n].unsqueeze(0)
    made = weakref.ref(type(x[:30].unsqueeze(0).grad_fn))
    assert any(known.programs for known in classes_of("unsqueeze"))
    for op in list(registry.operators.values()):
        op.table.clear()
    gc.collect()
    assert made() is not None
    assert x[:31].unsqueeze(0).grad_fn.name() == "UnsqueezeBackward0"


def test_texts_that_metadata_decide_have_programs() -> None:
    for n in range(2, 12):
        assert ones(n, 3).double().type() == "torch.DoubleTensor"
    assert any(known.programs for known in classes_of("type"))


def test_views_of_one_of_several_views_have_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    def view(n: int) -> torch.Tensor:
        return ones(n, 6).split(3, 1)[1].swapdims(0, 1)

    for n in range(3, 20):
        view(n)
    missed: list[str] = []
    monkeypatch.setattr(Binding, "_has_met", lambda self, *_: missed.append(self._name))
    found = [view(n) for n in (31, 47)]
    monkeypatch.undo()
    assert "swapdims" not in missed
    with pytest.raises(RuntimeError, match="output of a function that returns multiple views"):
        found[0].mul_(2)
