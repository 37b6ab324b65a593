"""Functions of the namespace fft. Written by `python -m rushlight.engine.codegen`; do not edit."""

from rushlight.engine.bindings import public

FUNCTIONS = {
    'fft_fft': 'fft_fft|fft_fft.out',
    'fft_ifft': 'fft_ifft|fft_ifft.out',
    'fft_rfft': 'fft_rfft|fft_rfft.out',
    'fft_irfft': 'fft_irfft|fft_irfft.out',
    'fft_hfft': 'fft_hfft|fft_hfft.out',
    'fft_ihfft': 'fft_ihfft|fft_ihfft.out',
    'fft_fft2': 'fft_fft2|fft_fft2.out',
    'fft_ifft2': 'fft_ifft2|fft_ifft2.out',
    'fft_rfft2': 'fft_rfft2|fft_rfft2.out',
    'fft_irfft2': 'fft_irfft2|fft_irfft2.out',
    'fft_hfft2': 'fft_hfft2|fft_hfft2.out',
    'fft_ihfft2': 'fft_ihfft2|fft_ihfft2.out',
    'fft_fftn': 'fft_fftn|fft_fftn.out',
    'fft_ifftn': 'fft_ifftn|fft_ifftn.out',
    'fft_rfftn': 'fft_rfftn|fft_rfftn.out',
    'fft_irfftn': 'fft_irfftn|fft_irfftn.out',
    'fft_hfftn': 'fft_hfftn|fft_hfftn.out',
    'fft_ihfftn': 'fft_ihfftn|fft_ihfftn.out',
    'fft_fftfreq': 'fft_fftfreq|fft_fftfreq.out',
    'fft_rfftfreq': 'fft_rfftfreq|fft_rfftfreq.out',
    'fft_fftshift': 'fft_fftshift',
    'fft_ifftshift': 'fft_ifftshift',
}
globals().update(public.functions(FUNCTIONS, __name__))
