"""Inference mode: its tensors are marked and stay out of recording."""

from __future__ import annotations

import copy
import threading
from typing import Any

import numpy as np
import pytest

import rushlight as torch

OUTSIDE = "Inplace update to inference tensor outside InferenceMode is not allowed"
SAVED = "Inference tensors cannot be saved for backward"


def marked() -> Any:
    with torch.inference_mode():
        return torch.ones(3) * 2


def test_what_is_made_in_the_mode_is_marked() -> None:
    plain = torch.ones(3)
    with torch.inference_mode():
        made = [
            torch.tensor([1.0, 2.0]), torch.empty(2), torch.arange(3), torch.zeros_like(plain),
            plain.clone(), plain.to(torch.float64), torch.cat([plain, plain]), plain.sum(),
            torch.from_numpy(np.ones(2)), plain.max(0)[0], plain.add(1), plain.sort()[0],
            torch.randn(2),
        ]  # fmt: skip
        shared = [plain.contiguous(), plain.reshape(3, 1), plain.split(1)[0], plain[:2]]
    assert all(t.is_inference() for t in made)
    assert not any(t.is_inference() for t in shared)


def test_what_is_made_from_marked_tensors_outside() -> None:
    x = marked()
    assert x[:2].is_inference()
    assert x.detach().is_inference()
    assert not (x + 1).is_inference()
    assert not x.clone().is_inference()
    assert not copy.deepcopy(x).is_inference()


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.add_(1),
        lambda x: x[:2].add_(1),
        lambda x: x.unsqueeze_(0),
        lambda x: torch.add(x, 1, out=x),
        lambda x: x.__setitem__(0, 1.0),
    ],
)
def test_changes(change: Any) -> None:
    with pytest.raises(RuntimeError, match=OUTSIDE):
        change(marked())
    with torch.inference_mode():
        change(marked())
    # What has been allowed in the mode is not remembered as allowed outside it.
    with pytest.raises(RuntimeError, match=OUTSIDE):
        change(marked())


def test_plain_tensors_can_be_changed_in_the_mode() -> None:
    plain, leaf = torch.ones(3), torch.ones(3, requires_grad=True)
    before = plain._version
    with torch.inference_mode():
        plain.add_(1)
        leaf.add_(1)
    assert plain._version == before + 1
    assert leaf.requires_grad
    assert leaf.tolist() == [2.0, 2.0, 2.0]


def test_recording() -> None:
    leaf = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match=SAVED):
        leaf * marked()
    assert (leaf + marked()).requires_grad
    with torch.inference_mode():
        assert not (leaf * 2).requires_grad

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(y)
            return x * y

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.saved_tensors[0], None

    with pytest.raises(RuntimeError, match=SAVED):
        Product.apply(leaf, marked())


def test_saving_in_an_operator_in_place() -> None:
    x = torch.ones(3, requires_grad=True) * 1
    with pytest.raises(RuntimeError, match=SAVED):
        x.mul_(marked())


def test_versions() -> None:
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        marked()._version  # noqa: B018


def test_wanting_gradients() -> None:
    with pytest.raises(RuntimeError, match="outside InferenceMode is not allowed"):
        marked().requires_grad_()


def test_views_of_plain_tensors() -> None:
    x = torch.ones(3, requires_grad=True) * 1
    with torch.inference_mode():
        view = x[:2]
    with pytest.raises(RuntimeError, match="A view was created in inference mode"):
        view.mul_(2)


def test_nesting_and_decorating() -> None:
    with torch.inference_mode():
        with torch.inference_mode(False):
            assert not torch.is_inference_mode_enabled()
            assert torch.is_grad_enabled()
            assert not torch.ones(2).is_inference()
        assert torch.ones(2).is_inference()

    @torch.inference_mode()
    def called() -> Any:
        return torch.ones(2)

    @torch.inference_mode
    def bare() -> Any:
        return torch.ones(2)

    assert called().is_inference()
    assert bare().is_inference()
    assert not torch.ones(2).is_inference()


def test_repeated_calls_mark_what_they_make():
    plain, layer = torch.randn(3, 4), torch.nn.Linear(4, 4)
    for _ in range(5):
        with torch.inference_mode():
            made = plain * 2
            several = layer(made).chunk(2, 1)
            marked = [made, made.t(), *several, torch.relu(made).sum(1), *made.max(1), made.add_(1)]
            unmarked = [plain.t(), plain.add_(0), plain[1:], layer.weight.detach()]
        assert all(x.is_inference() for x in marked)
        assert not any(x.is_inference() for x in unmarked)
        assert not any(x.requires_grad for x in marked)
        assert not (made * 2).is_inference() and not (plain * 2).is_inference()
        assert (layer(plain).sum()).requires_grad


def test_other_threads_are_not_in_the_mode():
    x = torch.ones(3)
    found = []

    def work():
        for _ in range(5):
            found.append((x * 2).is_inference())
            with torch.inference_mode():
                found.append(not (x * 2).is_inference())

    with torch.inference_mode():
        for _ in range(3):
            assert (x * 2).is_inference()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert (x * 2).is_inference()
    assert not any(found) and not (x * 2).is_inference()
