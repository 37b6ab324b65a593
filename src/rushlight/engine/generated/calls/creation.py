"""Call functions of the family creation. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_arange = operator('arange').table


def arange(end, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_arange[keys](end, dtype, layout, device, pin_memory)


t_arange_out = operator('arange.out').table


def arange_out(end, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_arange_out[keys](end, out)


t_arange_start = operator('arange.start').table


def arange_start(start, end, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_arange_start[keys](start, end, dtype, layout, device, pin_memory)


t_arange_start_step = operator('arange.start_step').table


def arange_start_step(start, end, step=1, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_arange_start_step[keys](start, end, step, dtype, layout, device, pin_memory)


t_arange_start_out = operator('arange.start_out').table


def arange_start_out(start, end, step=1, out=constants.REQUIRED):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_arange_start_out[keys](start, end, step, out)


t_complex = operator('complex').table


def complex(real, imag):
    keys = real._keys | imag._keys
    if state.active:
        keys = state.effective(keys)
    return t_complex[keys](real, imag)


t_complex_out = operator('complex.out').table


def complex_out(real, imag, out):
    keys = real._keys | imag._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_complex_out[keys](real, imag, out)


t_polar = operator('polar').table


def polar(abs, angle):
    keys = abs._keys | angle._keys
    if state.active:
        keys = state.effective(keys)
    return t_polar[keys](abs, angle)


t_polar_out = operator('polar.out').table


def polar_out(abs, angle, out):
    keys = abs._keys | angle._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_polar_out[keys](abs, angle, out)


t_empty_memory_format = operator('empty.memory_format').table


def empty_memory_format(size, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_empty_memory_format[keys](size, dtype, layout, device, pin_memory, memory_format)


t_empty_out = operator('empty.out').table


def empty_out(size, memory_format=None, out=constants.REQUIRED):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_empty_out[keys](size, memory_format, out)


t_empty_permuted = operator('empty_permuted').table


def empty_permuted(size, physical_layout, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_empty_permuted[keys](size, physical_layout, dtype, layout, device, pin_memory)


t_new_empty = operator('new_empty').table


def new_empty(self, size, dtype=None, layout=None, device=None, pin_memory=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_new_empty[keys](self, size, dtype, layout, device, pin_memory)


t_new_empty_strided = operator('new_empty_strided').table


def new_empty_strided(self, size, stride, dtype=None, layout=None, device=None, pin_memory=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_new_empty_strided[keys](self, size, stride, dtype, layout, device, pin_memory)


t_new_full = operator('new_full').table


def new_full(self, size, fill_value, dtype=None, layout=None, device=None, pin_memory=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_new_full[keys](self, size, fill_value, dtype, layout, device, pin_memory)


t_new_zeros = operator('new_zeros').table


def new_zeros(self, size, dtype=None, layout=None, device=None, pin_memory=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_new_zeros[keys](self, size, dtype, layout, device, pin_memory)


t_new_ones = operator('new_ones').table


def new_ones(self, size, dtype=None, layout=None, device=None, pin_memory=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_new_ones[keys](self, size, dtype, layout, device, pin_memory)


t_empty_like = operator('empty_like').table


def empty_like(self, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_empty_like[keys](self, dtype, layout, device, pin_memory, memory_format)


t_empty_strided = operator('empty_strided').table


def empty_strided(size, stride, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_empty_strided[keys](size, stride, dtype, layout, device, pin_memory)


t_eye = operator('eye').table


def eye(n, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_eye[keys](n, dtype, layout, device, pin_memory)


t_eye_out = operator('eye.out').table


def eye_out(n, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_eye_out[keys](n, out)


t_eye_m = operator('eye.m').table


def eye_m(n, m, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_eye_m[keys](n, m, dtype, layout, device, pin_memory)


t_eye_m_out = operator('eye.m_out').table


def eye_m_out(n, m, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_eye_m_out[keys](n, m, out)


t_full = operator('full').table


def full(size, fill_value, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_full[keys](size, fill_value, dtype, layout, device, pin_memory)


t_full_out = operator('full.out').table


def full_out(size, fill_value, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_full_out[keys](size, fill_value, out)


t_full_like = operator('full_like').table


def full_like(self, fill_value, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_full_like[keys](self, fill_value, dtype, layout, device, pin_memory, memory_format)


t_linspace = operator('linspace').table


def linspace(start, end, steps, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_linspace[keys](start, end, steps, dtype, layout, device, pin_memory)


t_linspace_out = operator('linspace.out').table


def linspace_out(start, end, steps, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linspace_out[keys](start, end, steps, out)


t_linspace_Tensor_Tensor = operator('linspace.Tensor_Tensor').table


def linspace_Tensor_Tensor(start, end, steps, dtype=None, layout=None, device=None, pin_memory=None):
    keys = start._keys | end._keys
    if state.active:
        keys = state.effective(keys)
    return t_linspace_Tensor_Tensor[keys](start, end, steps, dtype, layout, device, pin_memory)


t_linspace_Tensor_Tensor_out = operator('linspace.Tensor_Tensor_out').table


def linspace_Tensor_Tensor_out(start, end, steps, out):
    keys = start._keys | end._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linspace_Tensor_Tensor_out[keys](start, end, steps, out)


t_linspace_Tensor_Scalar = operator('linspace.Tensor_Scalar').table


def linspace_Tensor_Scalar(start, end, steps, dtype=None, layout=None, device=None, pin_memory=None):
    keys = start._keys
    if state.active:
        keys = state.effective(keys)
    return t_linspace_Tensor_Scalar[keys](start, end, steps, dtype, layout, device, pin_memory)


t_linspace_Tensor_Scalar_out = operator('linspace.Tensor_Scalar_out').table


def linspace_Tensor_Scalar_out(start, end, steps, out):
    keys = start._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linspace_Tensor_Scalar_out[keys](start, end, steps, out)


t_linspace_Scalar_Tensor = operator('linspace.Scalar_Tensor').table


def linspace_Scalar_Tensor(start, end, steps, dtype=None, layout=None, device=None, pin_memory=None):
    keys = end._keys
    if state.active:
        keys = state.effective(keys)
    return t_linspace_Scalar_Tensor[keys](start, end, steps, dtype, layout, device, pin_memory)


t_linspace_Scalar_Tensor_out = operator('linspace.Scalar_Tensor_out').table


def linspace_Scalar_Tensor_out(start, end, steps, out):
    keys = end._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linspace_Scalar_Tensor_out[keys](start, end, steps, out)


t_logspace = operator('logspace').table


def logspace(start, end, steps, base=10.0, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_logspace[keys](start, end, steps, base, dtype, layout, device, pin_memory)


t_logspace_out = operator('logspace.out').table


def logspace_out(start, end, steps, base=10.0, out=constants.REQUIRED):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_logspace_out[keys](start, end, steps, base, out)


t_logspace_Tensor_Tensor = operator('logspace.Tensor_Tensor').table


def logspace_Tensor_Tensor(start, end, steps, base=10.0, dtype=None, layout=None, device=None, pin_memory=None):
    keys = start._keys | end._keys
    if state.active:
        keys = state.effective(keys)
    return t_logspace_Tensor_Tensor[keys](start, end, steps, base, dtype, layout, device, pin_memory)


t_logspace_Tensor_Tensor_out = operator('logspace.Tensor_Tensor_out').table


def logspace_Tensor_Tensor_out(start, end, steps, base=10.0, out=constants.REQUIRED):
    keys = start._keys | end._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_logspace_Tensor_Tensor_out[keys](start, end, steps, base, out)


t_logspace_Tensor_Scalar = operator('logspace.Tensor_Scalar').table


def logspace_Tensor_Scalar(start, end, steps, base=10.0, dtype=None, layout=None, device=None, pin_memory=None):
    keys = start._keys
    if state.active:
        keys = state.effective(keys)
    return t_logspace_Tensor_Scalar[keys](start, end, steps, base, dtype, layout, device, pin_memory)


t_logspace_Tensor_Scalar_out = operator('logspace.Tensor_Scalar_out').table


def logspace_Tensor_Scalar_out(start, end, steps, base=10.0, out=constants.REQUIRED):
    keys = start._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_logspace_Tensor_Scalar_out[keys](start, end, steps, base, out)


t_logspace_Scalar_Tensor = operator('logspace.Scalar_Tensor').table


def logspace_Scalar_Tensor(start, end, steps, base=10.0, dtype=None, layout=None, device=None, pin_memory=None):
    keys = end._keys
    if state.active:
        keys = state.effective(keys)
    return t_logspace_Scalar_Tensor[keys](start, end, steps, base, dtype, layout, device, pin_memory)


t_logspace_Scalar_Tensor_out = operator('logspace.Scalar_Tensor_out').table


def logspace_Scalar_Tensor_out(start, end, steps, base=10.0, out=constants.REQUIRED):
    keys = end._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_logspace_Scalar_Tensor_out[keys](start, end, steps, base, out)


t_ones = operator('ones').table


def ones(size, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_ones[keys](size, dtype, layout, device, pin_memory)


t_ones_out = operator('ones.out').table


def ones_out(size, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_ones_out[keys](size, out)


t_ones_like = operator('ones_like').table


def ones_like(self, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_ones_like[keys](self, dtype, layout, device, pin_memory, memory_format)


t_scalar_tensor = operator('scalar_tensor').table


def scalar_tensor(s, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_scalar_tensor[keys](s, dtype, layout, device, pin_memory)


t_range_step = operator('range.step').table


def range_step(start, end, step=1, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_range_step[keys](start, end, step, dtype, layout, device, pin_memory)


t_range_out = operator('range.out').table


def range_out(start, end, step=1, out=constants.REQUIRED):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_range_out[keys](start, end, step, out)


t_range = operator('range').table


def range(start, end, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_range[keys](start, end, dtype, layout, device, pin_memory)


t_range_out_ = operator('range.out_').table


def range_out_(start, end, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_range_out_[keys](start, end, out)


t__efficientzerotensor = operator('_efficientzerotensor').table


def _efficientzerotensor(size, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t__efficientzerotensor[keys](size, dtype, layout, device, pin_memory)


t_zeros = operator('zeros').table


def zeros(size, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_zeros[keys](size, dtype, layout, device, pin_memory)


t_zeros_out = operator('zeros.out').table


def zeros_out(size, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_zeros_out[keys](size, out)


t_zeros_like = operator('zeros_like').table


def zeros_like(self, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_zeros_like[keys](self, dtype, layout, device, pin_memory, memory_format)
