"""Fourier transforms against numpy's, in every form; short-time transforms; windows."""

import math

import numpy as np
import pytest

import rushlight as torch

NORMS = [None, "backward", "ortho", "forward"]
REAL = [torch.float32, torch.float64]


def random(*size, dtype=torch.float64):
    generator = np.random.default_rng(sum(size))
    values = generator.standard_normal(size)
    if dtype.is_complex:
        values = values + 1j * generator.standard_normal(size)
    return torch.from_numpy(values).to(dtype)


def close(found, wanted, dtype):
    limit = 1e-4 if dtype in (torch.float32, torch.complex64) else 1e-10
    np.testing.assert_allclose(found.resolve_conj().numpy(), wanted, limit, limit)


@pytest.mark.parametrize("dtype", [*REAL, torch.complex64, torch.complex128])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [None, 3, 8])
def test_one_dimension(dtype, norm, n):
    x = random(2, 5, 6, dtype=dtype)
    for dim in (-1, 0, 1):
        for name in ("fft", "ifft", "irfft", "hfft"):
            found = getattr(torch.fft, name)(x, n, dim, norm)
            close(found, getattr(np.fft, name)(x.numpy(), n, dim, norm), dtype)
            assert found.dtype.is_complex == (name in ("fft", "ifft"))
            single = dtype in (torch.float32, torch.complex64)
            assert found.dtype.itemsize == (4 if single else 8) * (1 + found.dtype.is_complex)
        for name in ("rfft", "ihfft") if not dtype.is_complex else ():
            found = getattr(torch.fft, name)(x, n, dim, norm)
            close(found, getattr(np.fft, name)(x.numpy(), n, dim, norm), dtype)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    "s, dim", [(None, None), (None, (0, 2)), ((3, 7), None), ((4, -1), (2, 0))]
)
def test_several_dimensions(norm, s, dim):
    x = random(3, 4, 5)
    sizes = None if s is None else [n if n > 0 else x.shape[d] for n, d in zip(s, dim or (1, 2))]
    axes = dim if dim is not None or s is None else (1, 2)
    for name in ("fftn", "ifftn", "rfftn"):
        wanted = getattr(np.fft, name)(x.numpy(), sizes, axes, norm)
        close(getattr(torch.fft, name)(x, s, dim, norm), wanted, x.dtype)
    half = torch.fft.rfftn(x, dim=dim, norm=norm)
    shape = [x.shape[d] for d in (range(3) if dim is None else dim)]
    close(torch.fft.irfftn(half, shape, dim, norm), x.numpy(), x.dtype)
    back = torch.fft.hfftn(torch.fft.ihfftn(x, dim=dim, norm=norm), shape, dim, norm)
    close(back, x.numpy(), x.dtype)
    close(torch.fft.fft2(x, norm=norm), np.fft.fft2(x.numpy(), norm=norm), x.dtype)


def test_layouts_integers_and_empty_batches():
    x = random(6, 4, dtype=torch.complex128)
    for y in (x.t(), x[::2], x.conj(), x.expand(2, 6, 4)):
        close(torch.fft.fft(y), np.fft.fft(y.resolve_conj().numpy()), y.dtype)
    assert torch.fft.fft(torch.arange(4)).dtype is torch.complex64
    assert torch.fft.rfft(torch.zeros(0, 5)).shape == (0, 3)
    assert torch.fft.fftn(x, dim=()).tolist() == x.tolist()
    assert torch.fft.rfft(torch.ones(3, 8, device="meta")).shape == (3, 5)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda x: torch.fft.fft(x, 0), r"Invalid number of data points \(0\) specified"),
        (lambda x: torch.fft.fft(x, norm="x"), 'Invalid normalization mode: "x"'),
        (lambda x: torch.fft.rfft(x.to(torch.complex64)), "rfft expects a real input tensor"),
        (lambda x: torch.fft.fft(x.half()), "Unsupported dtype Half"),
        (lambda x: torch.fft.fftn(x, dim=(0, 0)), "FFT dims must be unique"),
        (lambda x: torch.fft.fftn(x, (1,), (0, 1)), "must have the same length"),
        (lambda x: torch.fft.rfftn(x, dim=()), "must transform at least one axis"),
        (lambda x: torch.fft.fftfreq(3, dtype=torch.int64), "requires a floating point"),
        (lambda x: torch.stft(x, 2), "requires the return_complex parameter"),
        (lambda x: torch.stft(x, 9, center=False, return_complex=True), "expected 0 < n_fft <"),
        (lambda x: torch.istft(x, 4), "requires a complex-valued input tensor"),
        (lambda x: torch.hann_window(-1), "requires non-negative window_length"),
        (lambda x: torch.hann_window(3, dtype=torch.int64), "expects floating point dtypes"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(RuntimeError, match=message):
        call(torch.ones(3, 3))


def test_out():
    x, out = random(4), torch.empty(0, dtype=torch.complex128)
    assert torch.fft.fft(x, out=out) is out
    close(out, np.fft.fft(x.numpy()), x.dtype)
    with pytest.raises(RuntimeError, match="expects a complex output tensor"):
        torch.fft.fft(x, out=torch.empty(4, dtype=torch.float64))


def test_frequencies_and_shifts():
    for n in (1, 4, 5):
        np.testing.assert_allclose(torch.fft.fftfreq(n, 0.5).numpy(), np.fft.fftfreq(n, 0.5))
        np.testing.assert_allclose(torch.fft.rfftfreq(n, 0.5).numpy(), np.fft.rfftfreq(n, 0.5))
        x = torch.arange(n * 3).reshape(n, 3)
        assert torch.fft.fftshift(x).tolist() == np.fft.fftshift(x.numpy()).tolist()
        assert torch.fft.ifftshift(x, 0).tolist() == np.fft.ifftshift(x.numpy(), 0).tolist()


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("n_fft, hop, width", [(16, 4, 16), (16, 5, 12), (7, 3, 7), (8, 8, 8)])
@pytest.mark.parametrize("normalized", [False, True])
def test_short_time(dtype, n_fft, hop, width, normalized):
    x = random(2, 64, dtype=dtype)
    window = torch.hamming_window(width, dtype=torch.float64)
    options = {"hop_length": hop, "win_length": width, "window": window, "normalized": normalized}
    found = torch.stft(x, n_fft, return_complex=True, **options)
    padded = np.pad(x.numpy(), ((0, 0), (n_fft // 2, n_fft // 2)), mode="reflect")
    before = (n_fft - width) // 2
    full = np.pad(window.numpy(), (before, n_fft - width - before))
    count = 1 + (padded.shape[1] - n_fft) // hop
    pieces = np.stack([padded[:, k * hop : k * hop + n_fft] * full for k in range(count)], 1)
    transform = np.fft.fft if dtype.is_complex else np.fft.rfft
    wanted = transform(pieces, norm="ortho" if normalized else None).swapaxes(1, 2)
    close(found, wanted, dtype)
    length = (count - 1) * hop
    back = torch.istft(found, n_fft, length=length, return_complex=dtype.is_complex, **options)
    close(back, x[:, :length].numpy(), dtype)
    assert x[0].stft(n_fft, return_complex=True, **options).shape == found.shape[1:]


def test_windows():
    for n in (1, 2, 9):
        for name, wanted in [
            ("hann", np.hanning), ("hamming", np.hamming), ("blackman", np.blackman),
            ("bartlett", np.bartlett),
        ]:  # fmt: skip
            found = getattr(torch, f"{name}_window")(n, False, dtype=torch.float64)
            np.testing.assert_allclose(found.numpy(), wanted(n), atol=1e-12)
            found = getattr(torch.signal.windows, name)(n, dtype=torch.float64)
            np.testing.assert_allclose(found.numpy(), wanted(n), atol=1e-12)
            periodic = getattr(torch, f"{name}_window")(n, dtype=torch.float64)
            whole = wanted(n + 1)[:-1] if n > 1 else np.ones(1)
            np.testing.assert_allclose(periodic.numpy(), whole, atol=1e-12)
            found = getattr(torch.signal.windows, name)(n, sym=False, dtype=torch.float64)
            np.testing.assert_allclose(found.numpy(), whole, atol=1e-12)
        found = torch.kaiser_window(n, False, 8.6, dtype=torch.float64)
        np.testing.assert_allclose(found.numpy(), np.kaiser(n, 8.6), atol=1e-12)
    assert torch.hann_window(0).shape == (0,)
    assert torch.hann_window(5, dtype=torch.bfloat16).dtype is torch.bfloat16


def test_signal_windows_by_formula():
    k = np.arange(6)
    for found, wanted in [
        (torch.signal.windows.gaussian(6, std=2.0), np.exp(-(((k - 2.5) / 2) ** 2) / 2)),
        (torch.signal.windows.exponential(6, tau=3.0), np.exp(-abs(k - 2.5) / 3)),
        (torch.signal.windows.cosine(6), np.sin(math.pi / 6 * (k + 0.5))),
        (torch.signal.windows.kaiser(6, beta=5.0), np.kaiser(6, 5.0)),
        (torch.signal.windows.general_hamming(6, alpha=0.6), 0.6 - 0.4 * np.cos(0.4 * np.pi * k)),
    ]:
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-6)
    for call, message in [
        (lambda: torch.signal.windows.hann(-1), "non-negative window length"),
        (lambda: torch.signal.windows.hann(3, dtype=torch.int64), "expects float32 or float64"),
        (lambda: torch.signal.windows.gaussian(3, std=0.0), "must be positive"),
        (lambda: torch.signal.windows.exponential(3, center=1.0), "Center must be None"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
