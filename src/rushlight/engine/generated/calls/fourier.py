"""Call functions of the family fourier. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t__fft_c2c = operator('_fft_c2c').table


def _fft_c2c(self, dim, normalization, forward):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__fft_c2c[keys](self, dim, normalization, forward)


t__fft_c2c_out = operator('_fft_c2c.out').table


def _fft_c2c_out(self, dim, normalization, forward, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t__fft_c2c_out[keys](self, dim, normalization, forward, out)


t__fft_r2c = operator('_fft_r2c').table


def _fft_r2c(self, dim, normalization, onesided):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__fft_r2c[keys](self, dim, normalization, onesided)


t__fft_r2c_out = operator('_fft_r2c.out').table


def _fft_r2c_out(self, dim, normalization, onesided, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t__fft_r2c_out[keys](self, dim, normalization, onesided, out)


t__fft_c2r = operator('_fft_c2r').table


def _fft_c2r(self, dim, normalization, last_dim_size):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__fft_c2r[keys](self, dim, normalization, last_dim_size)


t__fft_c2r_out = operator('_fft_c2r.out').table


def _fft_c2r_out(self, dim, normalization, last_dim_size, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t__fft_c2r_out[keys](self, dim, normalization, last_dim_size, out)


t_fft_fft = operator('fft_fft').table


def fft_fft(self, n=None, dim=-1, norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_fft[keys](self, n, dim, norm)


t_fft_fft_out = operator('fft_fft.out').table


def fft_fft_out(self, n=None, dim=-1, norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_fft_out[keys](self, n, dim, norm, out)


t_fft_ifft = operator('fft_ifft').table


def fft_ifft(self, n=None, dim=-1, norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_ifft[keys](self, n, dim, norm)


t_fft_ifft_out = operator('fft_ifft.out').table


def fft_ifft_out(self, n=None, dim=-1, norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_ifft_out[keys](self, n, dim, norm, out)


t_fft_rfft = operator('fft_rfft').table


def fft_rfft(self, n=None, dim=-1, norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_rfft[keys](self, n, dim, norm)


t_fft_rfft_out = operator('fft_rfft.out').table


def fft_rfft_out(self, n=None, dim=-1, norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_rfft_out[keys](self, n, dim, norm, out)


t_fft_irfft = operator('fft_irfft').table


def fft_irfft(self, n=None, dim=-1, norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_irfft[keys](self, n, dim, norm)


t_fft_irfft_out = operator('fft_irfft.out').table


def fft_irfft_out(self, n=None, dim=-1, norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_irfft_out[keys](self, n, dim, norm, out)


t_fft_hfft = operator('fft_hfft').table


def fft_hfft(self, n=None, dim=-1, norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_hfft[keys](self, n, dim, norm)


t_fft_hfft_out = operator('fft_hfft.out').table


def fft_hfft_out(self, n=None, dim=-1, norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_hfft_out[keys](self, n, dim, norm, out)


t_fft_ihfft = operator('fft_ihfft').table


def fft_ihfft(self, n=None, dim=-1, norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_ihfft[keys](self, n, dim, norm)


t_fft_ihfft_out = operator('fft_ihfft.out').table


def fft_ihfft_out(self, n=None, dim=-1, norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_ihfft_out[keys](self, n, dim, norm, out)


t_fft_fft2 = operator('fft_fft2').table


def fft_fft2(self, s=None, dim=(-2, -1), norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_fft2[keys](self, s, dim, norm)


t_fft_fft2_out = operator('fft_fft2.out').table


def fft_fft2_out(self, s=None, dim=(-2, -1), norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_fft2_out[keys](self, s, dim, norm, out)


t_fft_ifft2 = operator('fft_ifft2').table


def fft_ifft2(self, s=None, dim=(-2, -1), norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_ifft2[keys](self, s, dim, norm)


t_fft_ifft2_out = operator('fft_ifft2.out').table


def fft_ifft2_out(self, s=None, dim=(-2, -1), norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_ifft2_out[keys](self, s, dim, norm, out)


t_fft_rfft2 = operator('fft_rfft2').table


def fft_rfft2(self, s=None, dim=(-2, -1), norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_rfft2[keys](self, s, dim, norm)


t_fft_rfft2_out = operator('fft_rfft2.out').table


def fft_rfft2_out(self, s=None, dim=(-2, -1), norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_rfft2_out[keys](self, s, dim, norm, out)


t_fft_irfft2 = operator('fft_irfft2').table


def fft_irfft2(self, s=None, dim=(-2, -1), norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_irfft2[keys](self, s, dim, norm)


t_fft_irfft2_out = operator('fft_irfft2.out').table


def fft_irfft2_out(self, s=None, dim=(-2, -1), norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_irfft2_out[keys](self, s, dim, norm, out)


t_fft_hfft2 = operator('fft_hfft2').table


def fft_hfft2(self, s=None, dim=(-2, -1), norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_hfft2[keys](self, s, dim, norm)


t_fft_hfft2_out = operator('fft_hfft2.out').table


def fft_hfft2_out(self, s=None, dim=(-2, -1), norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_hfft2_out[keys](self, s, dim, norm, out)


t_fft_ihfft2 = operator('fft_ihfft2').table


def fft_ihfft2(self, s=None, dim=(-2, -1), norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_ihfft2[keys](self, s, dim, norm)


t_fft_ihfft2_out = operator('fft_ihfft2.out').table


def fft_ihfft2_out(self, s=None, dim=(-2, -1), norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_ihfft2_out[keys](self, s, dim, norm, out)


t_fft_fftn = operator('fft_fftn').table


def fft_fftn(self, s=None, dim=None, norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_fftn[keys](self, s, dim, norm)


t_fft_fftn_out = operator('fft_fftn.out').table


def fft_fftn_out(self, s=None, dim=None, norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_fftn_out[keys](self, s, dim, norm, out)


t_fft_ifftn = operator('fft_ifftn').table


def fft_ifftn(self, s=None, dim=None, norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_ifftn[keys](self, s, dim, norm)


t_fft_ifftn_out = operator('fft_ifftn.out').table


def fft_ifftn_out(self, s=None, dim=None, norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_ifftn_out[keys](self, s, dim, norm, out)


t_fft_rfftn = operator('fft_rfftn').table


def fft_rfftn(self, s=None, dim=None, norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_rfftn[keys](self, s, dim, norm)


t_fft_rfftn_out = operator('fft_rfftn.out').table


def fft_rfftn_out(self, s=None, dim=None, norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_rfftn_out[keys](self, s, dim, norm, out)


t_fft_irfftn = operator('fft_irfftn').table


def fft_irfftn(self, s=None, dim=None, norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_irfftn[keys](self, s, dim, norm)


t_fft_irfftn_out = operator('fft_irfftn.out').table


def fft_irfftn_out(self, s=None, dim=None, norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_irfftn_out[keys](self, s, dim, norm, out)


t_fft_hfftn = operator('fft_hfftn').table


def fft_hfftn(self, s=None, dim=None, norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_hfftn[keys](self, s, dim, norm)


t_fft_hfftn_out = operator('fft_hfftn.out').table


def fft_hfftn_out(self, s=None, dim=None, norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_hfftn_out[keys](self, s, dim, norm, out)


t_fft_ihfftn = operator('fft_ihfftn').table


def fft_ihfftn(self, s=None, dim=None, norm=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_ihfftn[keys](self, s, dim, norm)


t_fft_ihfftn_out = operator('fft_ihfftn.out').table


def fft_ihfftn_out(self, s=None, dim=None, norm=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_ihfftn_out[keys](self, s, dim, norm, out)


t_fft_fftfreq = operator('fft_fftfreq').table


def fft_fftfreq(n, d=1.0, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_fft_fftfreq[keys](n, d, dtype, layout, device, pin_memory)


t_fft_fftfreq_out = operator('fft_fftfreq.out').table


def fft_fftfreq_out(n, d=1.0, out=constants.REQUIRED):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_fftfreq_out[keys](n, d, out)


t_fft_rfftfreq = operator('fft_rfftfreq').table


def fft_rfftfreq(n, d=1.0, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_fft_rfftfreq[keys](n, d, dtype, layout, device, pin_memory)


t_fft_rfftfreq_out = operator('fft_rfftfreq.out').table


def fft_rfftfreq_out(n, d=1.0, out=constants.REQUIRED):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_rfftfreq_out[keys](n, d, out)


t_fft_fftshift = operator('fft_fftshift').table


def fft_fftshift(self, dim=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_fftshift[keys](self, dim)


t_fft_ifftshift = operator('fft_ifftshift').table


def fft_ifftshift(self, dim=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fft_ifftshift[keys](self, dim)


t_stft = operator('stft').table


def stft(self, n_fft, hop_length=None, win_length=None, window=None, normalized=False, onesided=None, return_complex=None, align_to_window=None):
    keys = self._keys
    if window is not None:
        keys |= window._keys
    if state.active:
        keys = state.effective(keys)
    return t_stft[keys](self, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window)


t_stft_center = operator('stft.center').table


def stft_center(self, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='reflect', normalized=False, onesided=None, return_complex=None, align_to_window=None):
    keys = self._keys
    if window is not None:
        keys |= window._keys
    if state.active:
        keys = state.effective(keys)
    return t_stft_center[keys](self, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window)


t_istft = operator('istft').table


def istft(self, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None, return_complex=False):
    keys = self._keys
    if window is not None:
        keys |= window._keys
    if state.active:
        keys = state.effective(keys)
    return t_istft[keys](self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex)


t_bartlett_window = operator('bartlett_window').table


def bartlett_window(window_length, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_bartlett_window[keys](window_length, dtype, layout, device, pin_memory)


t_bartlett_window_periodic = operator('bartlett_window.periodic').table


def bartlett_window_periodic(window_length, periodic, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_bartlett_window_periodic[keys](window_length, periodic, dtype, layout, device, pin_memory)


t_blackman_window = operator('blackman_window').table


def blackman_window(window_length, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_blackman_window[keys](window_length, dtype, layout, device, pin_memory)


t_blackman_window_periodic = operator('blackman_window.periodic').table


def blackman_window_periodic(window_length, periodic, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_blackman_window_periodic[keys](window_length, periodic, dtype, layout, device, pin_memory)


t_hann_window = operator('hann_window').table


def hann_window(window_length, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_hann_window[keys](window_length, dtype, layout, device, pin_memory)


t_hann_window_periodic = operator('hann_window.periodic').table


def hann_window_periodic(window_length, periodic, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_hann_window_periodic[keys](window_length, periodic, dtype, layout, device, pin_memory)


t_hamming_window = operator('hamming_window').table


def hamming_window(window_length, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_hamming_window[keys](window_length, dtype, layout, device, pin_memory)


t_hamming_window_periodic = operator('hamming_window.periodic').table


def hamming_window_periodic(window_length, periodic, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_hamming_window_periodic[keys](window_length, periodic, dtype, layout, device, pin_memory)


t_hamming_window_periodic_alpha = operator('hamming_window.periodic_alpha').table


def hamming_window_periodic_alpha(window_length, periodic, alpha, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_hamming_window_periodic_alpha[keys](window_length, periodic, alpha, dtype, layout, device, pin_memory)


t_hamming_window_periodic_alpha_beta = operator('hamming_window.periodic_alpha_beta').table


def hamming_window_periodic_alpha_beta(window_length, periodic, alpha, beta, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_hamming_window_periodic_alpha_beta[keys](window_length, periodic, alpha, beta, dtype, layout, device, pin_memory)


t_kaiser_window = operator('kaiser_window').table


def kaiser_window(window_length, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_kaiser_window[keys](window_length, dtype, layout, device, pin_memory)


t_kaiser_window_periodic = operator('kaiser_window.periodic').table


def kaiser_window_periodic(window_length, periodic, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_kaiser_window_periodic[keys](window_length, periodic, dtype, layout, device, pin_memory)


t_kaiser_window_beta = operator('kaiser_window.beta').table


def kaiser_window_beta(window_length, periodic, beta, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_kaiser_window_beta[keys](window_length, periodic, beta, dtype, layout, device, pin_memory)
