"""Call functions of the family comparison. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_allclose = operator('allclose').table


def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_allclose[keys](self, other, rtol, atol, equal_nan)


t_isclose = operator('isclose').table


def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_isclose[keys](self, other, rtol, atol, equal_nan)


t_is_floating_point = operator('is_floating_point').table


def is_floating_point(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_is_floating_point[keys](self)


t_is_complex = operator('is_complex').table


def is_complex(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_is_complex[keys](self)


t_is_nonzero = operator('is_nonzero').table


def is_nonzero(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_is_nonzero[keys](self)


t_is_same_size = operator('is_same_size').table


def is_same_size(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_is_same_size[keys](self, other)


t_is_signed = operator('is_signed').table


def is_signed(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_is_signed[keys](self)


t_is_inference = operator('is_inference').table


def is_inference(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_is_inference[keys](self)


t_numel = operator('numel').table


def numel(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_numel[keys](self)


t_item = operator('item').table


def item(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_item[keys](self)


t_result_type_Tensor = operator('result_type.Tensor').table


def result_type_Tensor(tensor, other):
    keys = tensor._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_result_type_Tensor[keys](tensor, other)


t_result_type_Scalar = operator('result_type.Scalar').table


def result_type_Scalar(tensor, other):
    keys = tensor._keys
    if state.active:
        keys = state.effective(keys)
    return t_result_type_Scalar[keys](tensor, other)


t_result_type_Scalar_Tensor = operator('result_type.Scalar_Tensor').table


def result_type_Scalar_Tensor(scalar, tensor):
    keys = tensor._keys
    if state.active:
        keys = state.effective(keys)
    return t_result_type_Scalar_Tensor[keys](scalar, tensor)


t_result_type_Scalar_Scalar = operator('result_type.Scalar_Scalar').table


def result_type_Scalar_Scalar(scalar1, scalar2):
    keys = 0
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_result_type_Scalar_Scalar[keys](scalar1, scalar2)


t_can_cast = operator('can_cast').table


def can_cast(from_, to):
    keys = 0
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_can_cast[keys](from_, to)


t_promote_types = operator('promote_types').table


def promote_types(type1, type2):
    keys = 0
    if not keys:
        keys = factory_keys(None)
    if state.active:
        keys = state.effective(keys)
    return t_promote_types[keys](type1, type2)


t__local_scalar_dense = operator('_local_scalar_dense').table


def _local_scalar_dense(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__local_scalar_dense[keys](self)


t_equal = operator('equal').table


def equal(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_equal[keys](self, other)
