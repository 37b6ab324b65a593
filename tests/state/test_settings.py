"""Switches of the whole process."""

import subprocess
import sys

import pytest

import rushlight as torch


def test_numbers():
    assert torch.pi > 3 and torch.e < 3 and torch.inf > 1e308 and torch.nan != torch.nan
    assert torch.ones(2)[torch.newaxis].shape == (1, 2)


def test_deterministic_algorithms():
    assert not torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    assert torch.get_deterministic_debug_mode() == 1
    torch.set_deterministic_debug_mode("error")
    assert not torch.is_deterministic_algorithms_warn_only_enabled()
    torch.set_deterministic_debug_mode(0)
    assert not torch.are_deterministic_algorithms_enabled()
    with pytest.raises(RuntimeError):
        torch.set_deterministic_debug_mode("never")


def test_precision():
    assert torch.get_float32_matmul_precision() == "highest"
    with pytest.warns(UserWarning):
        torch.set_float32_matmul_precision("rough")


def test_inference_mode():
    assert not torch.is_inference_mode_enabled()
    with torch.inference_mode():
        assert torch.is_inference_mode_enabled()


def test_names_found_later():
    assert torch.from_dlpack(torch.to_dlpack(torch.ones(2))).tolist() == [1.0, 1.0]
    with pytest.raises(AttributeError, match="has no attribute 'nothing_like_it'"):
        torch.nothing_like_it  # noqa: B018


def test_a_number_of_a_tensor_with_a_history_warns_once():
    source = (
        "import warnings, rushlight as torch\n"
        "x = torch.ones(1, requires_grad=True)\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    int(x), bool(x), x.item(), x.tolist(), float(x.detach())\n"
        "    with torch.no_grad():\n"
        "        float(x)\n"
        "    assert not seen\n"
        "    float(x.sum()), float(x.sum()), complex(x)\n"
        "    assert len(seen) == 1 and 'to a scalar may lead' in str(seen[0].message)\n"
        "    assert seen[0].filename == '<string>'\n"
        "    torch.set_warn_always(True)\n"
        "    float(x)\n"
        "    assert len(seen) == 2\n"
    )
    subprocess.run([sys.executable, "-c", source], check=True)
