"""Transforms are loops: repeated for other elements, for any strides, shared by threads."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.native import ufuncs

KINDS = [np.complex64, np.complex128]
MODES = [None, "ortho", "forward"]


def random(rng, size, kind):
    return (rng.standard_normal(size) + 1j * rng.standard_normal(size)).astype(kind)


@pytest.mark.parametrize("norm", MODES)
@pytest.mark.parametrize("kind", KINDS)
def test_repeats_follow_the_elements(kind, norm):
    rng = np.random.default_rng(3)
    tolerance = 1e-4 if kind is np.complex64 else 1e-11
    for _ in range(5):
        a = random(rng, (3, 4, 6), kind)
        x = torch.from_numpy(a)
        real = x.real.contiguous()
        cases = [
            (torch.fft.fft(x, dim=1, norm=norm), np.fft.fft(a, axis=1, norm=norm)),
            (
                torch.fft.ifft(x.permute(2, 0, 1), norm=norm),
                np.fft.ifft(a.transpose(2, 0, 1), norm=norm),
            ),
            (torch.fft.rfft(real, n=5, norm=norm), np.fft.rfft(a.real, n=5, norm=norm)),
            (torch.fft.irfft(x, n=9, dim=0, norm=norm), np.fft.irfft(a, n=9, axis=0, norm=norm)),
            (torch.fft.fftn(x, norm=norm), np.fft.fftn(a, norm=norm)),
            (torch.fft.irfft2(x, norm=norm), np.fft.irfft2(a, norm=norm)),
            (torch.fft.fft(real, norm=norm), np.fft.fft(a.real, norm=norm)),
            (torch.fft.ifft(real, norm=norm).resolve_conj(), np.fft.ifft(a.real, norm=norm)),
        ]
        for ours, theirs in cases:
            np.testing.assert_allclose(ours.numpy(), theirs, tolerance, tolerance)
        np.testing.assert_array_equal(x.numpy(), a)


def test_threads_share_the_rows_of_a_batch():
    a = np.random.default_rng(4).standard_normal((700, 512))
    wanted = np.fft.rfft(a)
    threads = torch.get_num_threads()
    try:
        for number in (1, 2, 3):
            torch.set_num_threads(number)
            np.testing.assert_allclose(
                torch.fft.rfft(torch.from_numpy(a)).numpy(), wanted, 1e-9, 1e-9
            )
    finally:
        torch.set_num_threads(threads)


def test_the_inner_loop_of_a_function_is_found_by_its_types():
    from numpy.fft import _pocketfft_umath as pocketfft

    assert ufuncs.loop_of(pocketfft.fft, "Dd->D") != ufuncs.loop_of(pocketfft.fft, "Ff->F")
    with pytest.raises(ValueError, match="not in"):
        ufuncs.loop_of(pocketfft.fft, "bb->b")
