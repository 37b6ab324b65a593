"""Functions of the namespace fft. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.dispatch.bindings import (
    MISSING, Device, Dtype, Layout, MemoryFormat, Resolver, check_owner, check_whole, comparable,
    constants, int_list, integers, named_result, number_types, plain, reflected, resolve, sequence_types,
)

from rushlight.engine.calls import fourier as c_fourier

r_fft_fft = Resolver('fft_fft', ('fft_fft|fft_fft.out',), False)


def fft_fft(input=MISSING, n=None, dim=-1, norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (n is None or type(n) is int) and type(dim) is int and (norm is None or type(norm) is str):
            return c_fourier.fft_fft(input, n, dim, norm)
    return resolve(r_fft_fft, (('input', input, MISSING), ('n', n, None), ('dim', dim, -1), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_fft.public = fft_fft


r_fft_ifft = Resolver('fft_ifft', ('fft_ifft|fft_ifft.out',), False)


def fft_ifft(input=MISSING, n=None, dim=-1, norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (n is None or type(n) is int) and type(dim) is int and (norm is None or type(norm) is str):
            return c_fourier.fft_ifft(input, n, dim, norm)
    return resolve(r_fft_ifft, (('input', input, MISSING), ('n', n, None), ('dim', dim, -1), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_ifft.public = fft_ifft


r_fft_rfft = Resolver('fft_rfft', ('fft_rfft|fft_rfft.out',), False)


def fft_rfft(input=MISSING, n=None, dim=-1, norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (n is None or type(n) is int) and type(dim) is int and (norm is None or type(norm) is str):
            return c_fourier.fft_rfft(input, n, dim, norm)
    return resolve(r_fft_rfft, (('input', input, MISSING), ('n', n, None), ('dim', dim, -1), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_rfft.public = fft_rfft


r_fft_irfft = Resolver('fft_irfft', ('fft_irfft|fft_irfft.out',), False)


def fft_irfft(input=MISSING, n=None, dim=-1, norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (n is None or type(n) is int) and type(dim) is int and (norm is None or type(norm) is str):
            return c_fourier.fft_irfft(input, n, dim, norm)
    return resolve(r_fft_irfft, (('input', input, MISSING), ('n', n, None), ('dim', dim, -1), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_irfft.public = fft_irfft


r_fft_hfft = Resolver('fft_hfft', ('fft_hfft|fft_hfft.out',), False)


def fft_hfft(input=MISSING, n=None, dim=-1, norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (n is None or type(n) is int) and type(dim) is int and (norm is None or type(norm) is str):
            return c_fourier.fft_hfft(input, n, dim, norm)
    return resolve(r_fft_hfft, (('input', input, MISSING), ('n', n, None), ('dim', dim, -1), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_hfft.public = fft_hfft


r_fft_ihfft = Resolver('fft_ihfft', ('fft_ihfft|fft_ihfft.out',), False)


def fft_ihfft(input=MISSING, n=None, dim=-1, norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (n is None or type(n) is int) and type(dim) is int and (norm is None or type(norm) is str):
            return c_fourier.fft_ihfft(input, n, dim, norm)
    return resolve(r_fft_ihfft, (('input', input, MISSING), ('n', n, None), ('dim', dim, -1), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_ihfft.public = fft_ihfft


r_fft_fft2 = Resolver('fft_fft2', ('fft_fft2|fft_fft2.out',), False)


def fft_fft2(input=MISSING, s=None, dim=(-2, -1), norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (s is None or (s_ := (s,) if type(s) is int else int_list(s)) is not None) and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and (norm is None or type(norm) is str):
            return c_fourier.fft_fft2(input, (s if s is None else s_), dim_, norm)
    return resolve(r_fft_fft2, (('input', input, MISSING), ('s', s, None), ('dim', dim, (-2, -1)), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_fft2.public = fft_fft2


r_fft_ifft2 = Resolver('fft_ifft2', ('fft_ifft2|fft_ifft2.out',), False)


def fft_ifft2(input=MISSING, s=None, dim=(-2, -1), norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (s is None or (s_ := (s,) if type(s) is int else int_list(s)) is not None) and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and (norm is None or type(norm) is str):
            return c_fourier.fft_ifft2(input, (s if s is None else s_), dim_, norm)
    return resolve(r_fft_ifft2, (('input', input, MISSING), ('s', s, None), ('dim', dim, (-2, -1)), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_ifft2.public = fft_ifft2


r_fft_rfft2 = Resolver('fft_rfft2', ('fft_rfft2|fft_rfft2.out',), False)


def fft_rfft2(input=MISSING, s=None, dim=(-2, -1), norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (s is None or (s_ := (s,) if type(s) is int else int_list(s)) is not None) and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and (norm is None or type(norm) is str):
            return c_fourier.fft_rfft2(input, (s if s is None else s_), dim_, norm)
    return resolve(r_fft_rfft2, (('input', input, MISSING), ('s', s, None), ('dim', dim, (-2, -1)), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_rfft2.public = fft_rfft2


r_fft_irfft2 = Resolver('fft_irfft2', ('fft_irfft2|fft_irfft2.out',), False)


def fft_irfft2(input=MISSING, s=None, dim=(-2, -1), norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (s is None or (s_ := (s,) if type(s) is int else int_list(s)) is not None) and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and (norm is None or type(norm) is str):
            return c_fourier.fft_irfft2(input, (s if s is None else s_), dim_, norm)
    return resolve(r_fft_irfft2, (('input', input, MISSING), ('s', s, None), ('dim', dim, (-2, -1)), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_irfft2.public = fft_irfft2


r_fft_hfft2 = Resolver('fft_hfft2', ('fft_hfft2|fft_hfft2.out',), False)


def fft_hfft2(input=MISSING, s=None, dim=(-2, -1), norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (s is None or (s_ := (s,) if type(s) is int else int_list(s)) is not None) and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and (norm is None or type(norm) is str):
            return c_fourier.fft_hfft2(input, (s if s is None else s_), dim_, norm)
    return resolve(r_fft_hfft2, (('input', input, MISSING), ('s', s, None), ('dim', dim, (-2, -1)), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_hfft2.public = fft_hfft2


r_fft_ihfft2 = Resolver('fft_ihfft2', ('fft_ihfft2|fft_ihfft2.out',), False)


def fft_ihfft2(input=MISSING, s=None, dim=(-2, -1), norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (s is None or (s_ := (s,) if type(s) is int else int_list(s)) is not None) and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and (norm is None or type(norm) is str):
            return c_fourier.fft_ihfft2(input, (s if s is None else s_), dim_, norm)
    return resolve(r_fft_ihfft2, (('input', input, MISSING), ('s', s, None), ('dim', dim, (-2, -1)), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_ihfft2.public = fft_ihfft2


r_fft_fftn = Resolver('fft_fftn', ('fft_fftn|fft_fftn.out',), False)


def fft_fftn(input=MISSING, s=None, dim=None, norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (s is None or (s_ := (s,) if type(s) is int else int_list(s)) is not None) and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and (norm is None or type(norm) is str):
            return c_fourier.fft_fftn(input, (s if s is None else s_), (dim if dim is None else dim_), norm)
    return resolve(r_fft_fftn, (('input', input, MISSING), ('s', s, None), ('dim', dim, None), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_fftn.public = fft_fftn


r_fft_ifftn = Resolver('fft_ifftn', ('fft_ifftn|fft_ifftn.out',), False)


def fft_ifftn(input=MISSING, s=None, dim=None, norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (s is None or (s_ := (s,) if type(s) is int else int_list(s)) is not None) and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and (norm is None or type(norm) is str):
            return c_fourier.fft_ifftn(input, (s if s is None else s_), (dim if dim is None else dim_), norm)
    return resolve(r_fft_ifftn, (('input', input, MISSING), ('s', s, None), ('dim', dim, None), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_ifftn.public = fft_ifftn


r_fft_rfftn = Resolver('fft_rfftn', ('fft_rfftn|fft_rfftn.out',), False)


def fft_rfftn(input=MISSING, s=None, dim=None, norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (s is None or (s_ := (s,) if type(s) is int else int_list(s)) is not None) and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and (norm is None or type(norm) is str):
            return c_fourier.fft_rfftn(input, (s if s is None else s_), (dim if dim is None else dim_), norm)
    return resolve(r_fft_rfftn, (('input', input, MISSING), ('s', s, None), ('dim', dim, None), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_rfftn.public = fft_rfftn


r_fft_irfftn = Resolver('fft_irfftn', ('fft_irfftn|fft_irfftn.out',), False)


def fft_irfftn(input=MISSING, s=None, dim=None, norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (s is None or (s_ := (s,) if type(s) is int else int_list(s)) is not None) and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and (norm is None or type(norm) is str):
            return c_fourier.fft_irfftn(input, (s if s is None else s_), (dim if dim is None else dim_), norm)
    return resolve(r_fft_irfftn, (('input', input, MISSING), ('s', s, None), ('dim', dim, None), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_irfftn.public = fft_irfftn


r_fft_hfftn = Resolver('fft_hfftn', ('fft_hfftn|fft_hfftn.out',), False)


def fft_hfftn(input=MISSING, s=None, dim=None, norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (s is None or (s_ := (s,) if type(s) is int else int_list(s)) is not None) and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and (norm is None or type(norm) is str):
            return c_fourier.fft_hfftn(input, (s if s is None else s_), (dim if dim is None else dim_), norm)
    return resolve(r_fft_hfftn, (('input', input, MISSING), ('s', s, None), ('dim', dim, None), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_hfftn.public = fft_hfftn


r_fft_ihfftn = Resolver('fft_ihfftn', ('fft_ihfftn|fft_ihfftn.out',), False)


def fft_ihfftn(input=MISSING, s=None, dim=None, norm=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (s is None or (s_ := (s,) if type(s) is int else int_list(s)) is not None) and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and (norm is None or type(norm) is str):
            return c_fourier.fft_ihfftn(input, (s if s is None else s_), (dim if dim is None else dim_), norm)
    return resolve(r_fft_ihfftn, (('input', input, MISSING), ('s', s, None), ('dim', dim, None), ('norm', norm, None),), extra, (
        ('out', out, None),
    ), others)

r_fft_ihfftn.public = fft_ihfftn


r_fft_fftfreq = Resolver('fft_fftfreq', ('fft_fftfreq|fft_fftfreq.out',), False)


def fft_fftfreq(n=MISSING, d=1.0, *extra, dtype=None, layout=None, device=None, pin_memory=None, out=None, requires_grad=False, **others):
    if not extra and not others and out is None and requires_grad is False:
        if plain and type(n) is int and type(d) is float and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.fft_fftfreq(n, d, dtype, layout, device, pin_memory)
    return resolve(r_fft_fftfreq, (('n', n, MISSING), ('d', d, 1.0),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_fft_fftfreq.public = fft_fftfreq


r_fft_rfftfreq = Resolver('fft_rfftfreq', ('fft_rfftfreq|fft_rfftfreq.out',), False)


def fft_rfftfreq(n=MISSING, d=1.0, *extra, dtype=None, layout=None, device=None, pin_memory=None, out=None, requires_grad=False, **others):
    if not extra and not others and out is None and requires_grad is False:
        if plain and type(n) is int and type(d) is float and (dtype is None or type(dtype) is Dtype) and (layout is None or type(layout) is Layout) and (device is None or type(device) is Device) and (pin_memory is None or type(pin_memory) is bool):
            return c_fourier.fft_rfftfreq(n, d, dtype, layout, device, pin_memory)
    return resolve(r_fft_rfftfreq, (('n', n, MISSING), ('d', d, 1.0),), extra, (
        ('dtype', dtype, None),
        ('layout', layout, None),
        ('device', device, None),
        ('pin_memory', pin_memory, None),
        ('out', out, None),
        ('requires_grad', requires_grad, False),
    ), others)

r_fft_rfftfreq.public = fft_rfftfreq


r_fft_fftshift = Resolver('fft_fftshift', ('fft_fftshift',), False)


def fft_fftshift(input=MISSING, dim=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None):
            return c_fourier.fft_fftshift(input, (dim if dim is None else dim_))
    return resolve(r_fft_fftshift, (('input', input, MISSING), ('dim', dim, None),), extra, (
    ), others)

r_fft_fftshift.public = fft_fftshift


r_fft_ifftshift = Resolver('fft_ifftshift', ('fft_ifftshift',), False)


def fft_ifftshift(input=MISSING, dim=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None):
            return c_fourier.fft_ifftshift(input, (dim if dim is None else dim_))
    return resolve(r_fft_ifftshift, (('input', input, MISSING), ('dim', dim, None),), extra, (
    ), others)

r_fft_ifftshift.public = fft_ifftshift



NAMES = ['fft_fft', 'fft_ifft', 'fft_rfft', 'fft_irfft', 'fft_hfft', 'fft_ihfft', 'fft_fft2', 'fft_ifft2', 'fft_rfft2', 'fft_irfft2', 'fft_hfft2', 'fft_ihfft2', 'fft_fftn', 'fft_ifftn', 'fft_rfftn', 'fft_irfftn', 'fft_hfftn', 'fft_ihfftn', 'fft_fftfreq', 'fft_rfftfreq', 'fft_fftshift', 'fft_ifftshift']
