"""What NVIDIA's libraries are asked for, on stand-ins of them."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.engine.cuda import cufft, libraries


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_fourier_transforms(cuda, kind):
    torch.manual_seed(0)
    x = torch.randn(3, 8, 5, dtype=kind)
    y = x.cuda()
    for function in (
        torch.fft.fft, torch.fft.rfft2, torch.fft.ihfft, lambda t: torch.fft.irfft(t + 0j, 7, 1),
        lambda t: torch.fft.ifftn(t + 0j, norm="ortho"), lambda t: torch.fft.fft(t, dim=0, norm="forward"),
    ):  # fmt: skip
        torch.testing.assert_close(function(y).cpu(), function(x))
    y.requires_grad_()
    x.requires_grad_()
    for t in (x, y):
        torch.fft.rfft(t).abs().sum().backward()
    torch.testing.assert_close(y.grad.cpu(), x.grad)


def test_plans_are_kept(cuda):
    x = torch.ones(4, 6, device="cuda")
    cache = torch.backends.cuda.cufft_plan_cache
    for _ in range(3):
        torch.fft.rfft(x)
    assert cache.size == 1 and cache[0].size == 1 and cache.max_size == 4096
    cache.max_size = 1
    torch.fft.rfft(x, dim=0)
    assert cache.size == 1
    cache.clear()
    assert cache.size == 0
    assert cufft.plans(0).most == 1


def test_wheels_are_looked_through(tmp_path, monkeypatch):
    folder = tmp_path / "nvidia" / "cufft" / "lib"
    folder.mkdir(parents=True)
    (folder / "libcufft.so.11").write_bytes(b"no library")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = libraries._in_wheels("libcufft.so.11")
    assert str(folder / "libcufft.so.11") in found
    assert libraries._try(str(folder / "libcufft.so.11")) is None


def test_a_library_that_is_not_installed(cuda):
    libraries._loaded["cufft"] = None
    with pytest.raises(NotImplementedError, match="pip install nvidia-cufft-cu12"):
        torch.fft.fft(torch.ones(4, device="cuda"))


@pytest.mark.parametrize("kind", [torch.float64, torch.complex64])
def test_linear_algebra(cuda, kind):
    torch.manual_seed(0)
    a, b = torch.randn(2, 4, 4, dtype=kind), torch.randn(2, 4, 3, dtype=kind)
    square = a @ a.mH + torch.eye(4, dtype=kind)
    for function in (
        torch.linalg.cholesky, torch.linalg.inv, torch.linalg.det, torch.linalg.eigvalsh, torch.linalg.svdvals,
        lambda t: torch.linalg.qr(t)[1].abs(), lambda t: torch.linalg.lu(t), torch.linalg.pinv,
        lambda t: torch.linalg.solve(t, b.to(t.device)),
        lambda t: torch.linalg.solve_triangular(t, b.to(t.device), upper=True),
    ):  # fmt: skip
        torch.testing.assert_close(function(square.cuda()), function(square), check_device=False)
    u, s, vh = torch.linalg.svd(b.cuda(), full_matrices=False)
    torch.testing.assert_close(((u * s.unsqueeze(-2)) @ vh).cpu(), b)
    x = square.cuda().requires_grad_()
    y = square.clone().requires_grad_()
    for t in (x, y):
        torch.linalg.inv(t).abs().sum().backward()
    torch.testing.assert_close(x.grad.cpu(), y.grad)


def test_matrices_that_have_no_inverse(cuda):
    one = torch.stack([torch.eye(2), torch.ones(2, 2)]).cuda()
    assert torch.linalg.lu_factor_ex(one)[2].tolist() == [0, 2]
    with pytest.raises(torch.linalg.LinAlgError, match="Batch element 1"):
        torch.linalg.inv(one)
    with pytest.raises(torch.linalg.LinAlgError, match="not positive-definite"):
        torch.linalg.cholesky(-torch.eye(2, device="cuda"))
