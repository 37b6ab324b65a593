"""Devices."""

import copy
import pickle

import pytest

import rushlight as torch


def test_devices_are_unique():
    assert torch.device("cpu") is torch.device(torch.device("cpu"))
    assert torch.device("cuda", 1) is torch.device("cuda:1")
    assert torch.device("cpu") != torch.device("cpu:0")
    assert pickle.loads(pickle.dumps(torch.device("cuda:1"))) is torch.device("cuda:1")
    assert copy.deepcopy(torch.device("meta")) is torch.device("meta")


def test_text():
    assert repr(torch.device("cuda:1")) == "device(type='cuda', index=1)"
    assert repr(torch.device("cpu")) == "device(type='cpu')"
    assert str(torch.device("cuda", 0)) == "cuda:0" and str(torch.device("meta")) == "meta"


@pytest.mark.parametrize("text", ["nonsense", "cuda:", "cuda:01", "cpu:x", "", "cuda:-1"])
def test_wrong_names(text):
    with pytest.raises(RuntimeError):
        torch.device(text)


def test_wrong_arguments():
    with pytest.raises(TypeError):
        torch.device(1.5)
    with pytest.raises(RuntimeError):
        torch.device("cuda:1", 2)
    with pytest.raises((RuntimeError, AssertionError)):
        torch.ones(1, device="cuda")


def test_as_decorator():
    @torch.device("meta")
    def make():
        return torch.ones(2)

    assert make().is_meta and torch.ones(2).is_cpu


def test_the_processors_memory_is_one_device_whatever_its_number():
    numbered = torch.device("cpu", 0)
    x = torch.zeros(2, device=numbered)
    assert x.device == torch.tensor(0.0, device=numbered).device == torch.device("cpu")
    assert (x + torch.ones(2)).tolist() == [1, 1] and torch.empty_like(x).device.index is None
