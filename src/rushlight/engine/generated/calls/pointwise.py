"""Call functions of the family pointwise. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_abs = operator('abs').table


def abs(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_abs[keys](self)


t_abs_ = operator('abs_').table


def abs_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_abs_[keys](self)


t_abs_out = operator('abs.out').table


def abs_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_abs_out[keys](self, out)


t_absolute = operator('absolute').table


def absolute(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_absolute[keys](self)


t_absolute_ = operator('absolute_').table


def absolute_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_absolute_[keys](self)


t_absolute_out = operator('absolute.out').table


def absolute_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_absolute_out[keys](self, out)


t_angle = operator('angle').table


def angle(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_angle[keys](self)


t_angle_out = operator('angle.out').table


def angle_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_angle_out[keys](self, out)


t_sgn = operator('sgn').table


def sgn(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sgn[keys](self)


t_sgn_ = operator('sgn_').table


def sgn_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sgn_[keys](self)


t_sgn_out = operator('sgn.out').table


def sgn_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_sgn_out[keys](self, out)


t_acos = operator('acos').table


def acos(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_acos[keys](self)


t_acos_ = operator('acos_').table


def acos_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_acos_[keys](self)


t_acos_out = operator('acos.out').table


def acos_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_acos_out[keys](self, out)


t_arccos = operator('arccos').table


def arccos(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_arccos[keys](self)


t_arccos_ = operator('arccos_').table


def arccos_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_arccos_[keys](self)


t_arccos_out = operator('arccos.out').table


def arccos_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_arccos_out[keys](self, out)


t_add_Tensor = operator('add.Tensor').table


def add_Tensor(self, other, alpha=1):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_add_Tensor[keys](self, other, alpha)


t_add__Tensor = operator('add_.Tensor').table


def add__Tensor(self, other, alpha=1):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_add__Tensor[keys](self, other, alpha)


t_add_out = operator('add.out').table


def add_out(self, other, alpha=1, out=constants.REQUIRED):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_add_out[keys](self, other, alpha, out)


t_add_Scalar = operator('add.Scalar').table


def add_Scalar(self, other, alpha=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_add_Scalar[keys](self, other, alpha)


t_add__Scalar = operator('add_.Scalar').table


def add__Scalar(self, other, alpha=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_add__Scalar[keys](self, other, alpha)


t_acosh = operator('acosh').table


def acosh(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_acosh[keys](self)


t_acosh_ = operator('acosh_').table


def acosh_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_acosh_[keys](self)


t_acosh_out = operator('acosh.out').table


def acosh_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_acosh_out[keys](self, out)


t_arccosh = operator('arccosh').table


def arccosh(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_arccosh[keys](self)


t_arccosh_ = operator('arccosh_').table


def arccosh_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_arccosh_[keys](self)


t_arccosh_out = operator('arccosh.out').table


def arccosh_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_arccosh_out[keys](self, out)


t_asinh = operator('asinh').table


def asinh(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_asinh[keys](self)


t_asinh_ = operator('asinh_').table


def asinh_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_asinh_[keys](self)


t_asinh_out = operator('asinh.out').table


def asinh_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_asinh_out[keys](self, out)


t_arcsinh = operator('arcsinh').table


def arcsinh(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_arcsinh[keys](self)


t_arcsinh_ = operator('arcsinh_').table


def arcsinh_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_arcsinh_[keys](self)


t_arcsinh_out = operator('arcsinh.out').table


def arcsinh_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_arcsinh_out[keys](self, out)


t_atanh = operator('atanh').table


def atanh(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_atanh[keys](self)


t_atanh_ = operator('atanh_').table


def atanh_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_atanh_[keys](self)


t_atanh_out = operator('atanh.out').table


def atanh_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_atanh_out[keys](self, out)


t_arctanh = operator('arctanh').table


def arctanh(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_arctanh[keys](self)


t_arctanh_ = operator('arctanh_').table


def arctanh_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_arctanh_[keys](self)


t_arctanh_out = operator('arctanh.out').table


def arctanh_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_arctanh_out[keys](self, out)


t_asin = operator('asin').table


def asin(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_asin[keys](self)


t_asin_ = operator('asin_').table


def asin_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_asin_[keys](self)


t_asin_out = operator('asin.out').table


def asin_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_asin_out[keys](self, out)


t_arcsin = operator('arcsin').table


def arcsin(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_arcsin[keys](self)


t_arcsin_ = operator('arcsin_').table


def arcsin_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_arcsin_[keys](self)


t_arcsin_out = operator('arcsin.out').table


def arcsin_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_arcsin_out[keys](self, out)


t_atan = operator('atan').table


def atan(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_atan[keys](self)


t_atan_ = operator('atan_').table


def atan_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_atan_[keys](self)


t_atan_out = operator('atan.out').table


def atan_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_atan_out[keys](self, out)


t_arctan = operator('arctan').table


def arctan(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_arctan[keys](self)


t_arctan_ = operator('arctan_').table


def arctan_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_arctan_[keys](self)


t_arctan_out = operator('arctan.out').table


def arctan_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_arctan_out[keys](self, out)


t_binary_cross_entropy = operator('binary_cross_entropy').table


def binary_cross_entropy(self, target, weight=None, reduction=constants.Mean):
    keys = self._keys | target._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_binary_cross_entropy[keys](self, target, weight, reduction)


t_binary_cross_entropy_out = operator('binary_cross_entropy.out').table


def binary_cross_entropy_out(self, target, weight=None, reduction=constants.Mean, out=constants.REQUIRED):
    keys = self._keys | target._keys | out._keys
    if weight is not None:
        keys |= weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_binary_cross_entropy_out[keys](self, target, weight, reduction, out)


t_binary_cross_entropy_with_logits = operator('binary_cross_entropy_with_logits').table


def binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, reduction=constants.Mean):
    keys = self._keys | target._keys
    if weight is not None:
        keys |= weight._keys
    if pos_weight is not None:
        keys |= pos_weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_binary_cross_entropy_with_logits[keys](self, target, weight, pos_weight, reduction)


t_bitwise_not = operator('bitwise_not').table


def bitwise_not(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_not[keys](self)


t_bitwise_not_ = operator('bitwise_not_').table


def bitwise_not_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_not_[keys](self)


t_bitwise_not_out = operator('bitwise_not.out').table


def bitwise_not_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_not_out[keys](self, out)


t_copysign_Tensor = operator('copysign.Tensor').table


def copysign_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_copysign_Tensor[keys](self, other)


t_copysign__Tensor = operator('copysign_.Tensor').table


def copysign__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_copysign__Tensor[keys](self, other)


t_copysign_out = operator('copysign.out').table


def copysign_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_copysign_out[keys](self, other, out)


t_copysign_Scalar = operator('copysign.Scalar').table


def copysign_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_copysign_Scalar[keys](self, other)


t_copysign__Scalar = operator('copysign_.Scalar').table


def copysign__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_copysign__Scalar[keys](self, other)


t_copysign_Scalar_out = operator('copysign.Scalar_out').table


def copysign_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_copysign_Scalar_out[keys](self, other, out)


t_logical_not = operator('logical_not').table


def logical_not(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_logical_not[keys](self)


t_logical_not_ = operator('logical_not_').table


def logical_not_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_logical_not_[keys](self)


t_logical_not_out = operator('logical_not.out').table


def logical_not_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_logical_not_out[keys](self, out)


t_logical_xor = operator('logical_xor').table


def logical_xor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_logical_xor[keys](self, other)


t_logical_xor_ = operator('logical_xor_').table


def logical_xor_(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_logical_xor_[keys](self, other)


t_logical_xor_out = operator('logical_xor.out').table


def logical_xor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_logical_xor_out[keys](self, other, out)


t_logical_and = operator('logical_and').table


def logical_and(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_logical_and[keys](self, other)


t_logical_and_ = operator('logical_and_').table


def logical_and_(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_logical_and_[keys](self, other)


t_logical_and_out = operator('logical_and.out').table


def logical_and_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_logical_and_out[keys](self, other, out)


t_logical_or = operator('logical_or').table


def logical_or(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_logical_or[keys](self, other)


t_logical_or_ = operator('logical_or_').table


def logical_or_(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_logical_or_[keys](self, other)


t_logical_or_out = operator('logical_or.out').table


def logical_or_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_logical_or_out[keys](self, other, out)


t_ceil = operator('ceil').table


def ceil(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_ceil[keys](self)


t_ceil_ = operator('ceil_').table


def ceil_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_ceil_[keys](self)


t_ceil_out = operator('ceil.out').table


def ceil_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_ceil_out[keys](self, out)


t_clamp = operator('clamp').table


def clamp(self, min=None, max=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp[keys](self, min, max)


t_clamp_ = operator('clamp_').table


def clamp_(self, min=None, max=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_[keys](self, min, max)


t_clamp_out = operator('clamp.out').table


def clamp_out(self, min=None, max=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_out[keys](self, min, max, out)


t_clamp_Tensor = operator('clamp.Tensor').table


def clamp_Tensor(self, min=None, max=None):
    keys = self._keys
    if min is not None:
        keys |= min._keys
    if max is not None:
        keys |= max._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_Tensor[keys](self, min, max)


t_clamp__Tensor = operator('clamp_.Tensor').table


def clamp__Tensor(self, min=None, max=None):
    keys = self._keys
    if min is not None:
        keys |= min._keys
    if max is not None:
        keys |= max._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp__Tensor[keys](self, min, max)


t_clamp_Tensor_out = operator('clamp.Tensor_out').table


def clamp_Tensor_out(self, min=None, max=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if min is not None:
        keys |= min._keys
    if max is not None:
        keys |= max._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_Tensor_out[keys](self, min, max, out)


t_clamp_max = operator('clamp_max').table


def clamp_max(self, max):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_max[keys](self, max)


t_clamp_max_ = operator('clamp_max_').table


def clamp_max_(self, max):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_max_[keys](self, max)


t_clamp_max_out = operator('clamp_max.out').table


def clamp_max_out(self, max, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_max_out[keys](self, max, out)


t_clamp_max_Tensor = operator('clamp_max.Tensor').table


def clamp_max_Tensor(self, max):
    keys = self._keys | max._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_max_Tensor[keys](self, max)


t_clamp_max__Tensor = operator('clamp_max_.Tensor').table


def clamp_max__Tensor(self, max):
    keys = self._keys | max._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_max__Tensor[keys](self, max)


t_clamp_max_Tensor_out = operator('clamp_max.Tensor_out').table


def clamp_max_Tensor_out(self, max, out):
    keys = self._keys | max._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_max_Tensor_out[keys](self, max, out)


t_clamp_min = operator('clamp_min').table


def clamp_min(self, min):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_min[keys](self, min)


t_clamp_min_ = operator('clamp_min_').table


def clamp_min_(self, min):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_min_[keys](self, min)


t_clamp_min_out = operator('clamp_min.out').table


def clamp_min_out(self, min, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_min_out[keys](self, min, out)


t_clamp_min_Tensor = operator('clamp_min.Tensor').table


def clamp_min_Tensor(self, min):
    keys = self._keys | min._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_min_Tensor[keys](self, min)


t_clamp_min__Tensor = operator('clamp_min_.Tensor').table


def clamp_min__Tensor(self, min):
    keys = self._keys | min._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_min__Tensor[keys](self, min)


t_clamp_min_Tensor_out = operator('clamp_min.Tensor_out').table


def clamp_min_Tensor_out(self, min, out):
    keys = self._keys | min._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_clamp_min_Tensor_out[keys](self, min, out)


t_clip = operator('clip').table


def clip(self, min=None, max=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_clip[keys](self, min, max)


t_clip_ = operator('clip_').table


def clip_(self, min=None, max=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_clip_[keys](self, min, max)


t_clip_out = operator('clip.out').table


def clip_out(self, min=None, max=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_clip_out[keys](self, min, max, out)


t_clip_Tensor = operator('clip.Tensor').table


def clip_Tensor(self, min=None, max=None):
    keys = self._keys
    if min is not None:
        keys |= min._keys
    if max is not None:
        keys |= max._keys
    if state.active:
        keys = state.effective(keys)
    return t_clip_Tensor[keys](self, min, max)


t_clip__Tensor = operator('clip_.Tensor').table


def clip__Tensor(self, min=None, max=None):
    keys = self._keys
    if min is not None:
        keys |= min._keys
    if max is not None:
        keys |= max._keys
    if state.active:
        keys = state.effective(keys)
    return t_clip__Tensor[keys](self, min, max)


t_clip_Tensor_out = operator('clip.Tensor_out').table


def clip_Tensor_out(self, min=None, max=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if min is not None:
        keys |= min._keys
    if max is not None:
        keys |= max._keys
    if state.active:
        keys = state.effective(keys)
    return t_clip_Tensor_out[keys](self, min, max, out)


t_cos = operator('cos').table


def cos(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_cos[keys](self)


t_cos_ = operator('cos_').table


def cos_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_cos_[keys](self)


t_cos_out = operator('cos.out').table


def cos_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_cos_out[keys](self, out)


t_cosh = operator('cosh').table


def cosh(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_cosh[keys](self)


t_cosh_ = operator('cosh_').table


def cosh_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_cosh_[keys](self)


t_cosh_out = operator('cosh.out').table


def cosh_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_cosh_out[keys](self, out)


t_cosine_embedding_loss = operator('cosine_embedding_loss').table


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=constants.Mean):
    keys = input1._keys | input2._keys | target._keys
    if state.active:
        keys = state.effective(keys)
    return t_cosine_embedding_loss[keys](input1, input2, target, margin, reduction)


t_div_Tensor = operator('div.Tensor').table


def div_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_div_Tensor[keys](self, other)


t_div__Tensor = operator('div_.Tensor').table


def div__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_div__Tensor[keys](self, other)


t_div_out = operator('div.out').table


def div_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_div_out[keys](self, other, out)


t_div_Tensor_mode = operator('div.Tensor_mode').table


def div_Tensor_mode(self, other, rounding_mode):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_div_Tensor_mode[keys](self, other, rounding_mode)


t_div__Tensor_mode = operator('div_.Tensor_mode').table


def div__Tensor_mode(self, other, rounding_mode):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_div__Tensor_mode[keys](self, other, rounding_mode)


t_div_out_mode = operator('div.out_mode').table


def div_out_mode(self, other, rounding_mode, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_div_out_mode[keys](self, other, rounding_mode, out)


t_div_Scalar = operator('div.Scalar').table


def div_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_div_Scalar[keys](self, other)


t_div__Scalar = operator('div_.Scalar').table


def div__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_div__Scalar[keys](self, other)


t_div_Scalar_mode = operator('div.Scalar_mode').table


def div_Scalar_mode(self, other, rounding_mode):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_div_Scalar_mode[keys](self, other, rounding_mode)


t_div__Scalar_mode = operator('div_.Scalar_mode').table


def div__Scalar_mode(self, other, rounding_mode):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_div__Scalar_mode[keys](self, other, rounding_mode)


t_divide_Tensor = operator('divide.Tensor').table


def divide_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_divide_Tensor[keys](self, other)


t_divide__Tensor = operator('divide_.Tensor').table


def divide__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_divide__Tensor[keys](self, other)


t_divide_out = operator('divide.out').table


def divide_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_divide_out[keys](self, other, out)


t_divide_Scalar = operator('divide.Scalar').table


def divide_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_divide_Scalar[keys](self, other)


t_divide__Scalar = operator('divide_.Scalar').table


def divide__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_divide__Scalar[keys](self, other)


t_divide_Tensor_mode = operator('divide.Tensor_mode').table


def divide_Tensor_mode(self, other, rounding_mode):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_divide_Tensor_mode[keys](self, other, rounding_mode)


t_divide__Tensor_mode = operator('divide_.Tensor_mode').table


def divide__Tensor_mode(self, other, rounding_mode):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_divide__Tensor_mode[keys](self, other, rounding_mode)


t_divide_out_mode = operator('divide.out_mode').table


def divide_out_mode(self, other, rounding_mode, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_divide_out_mode[keys](self, other, rounding_mode, out)


t_divide_Scalar_mode = operator('divide.Scalar_mode').table


def divide_Scalar_mode(self, other, rounding_mode):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_divide_Scalar_mode[keys](self, other, rounding_mode)


t_divide__Scalar_mode = operator('divide_.Scalar_mode').table


def divide__Scalar_mode(self, other, rounding_mode):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_divide__Scalar_mode[keys](self, other, rounding_mode)


t_true_divide_Tensor = operator('true_divide.Tensor').table


def true_divide_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_true_divide_Tensor[keys](self, other)


t_true_divide__Tensor = operator('true_divide_.Tensor').table


def true_divide__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_true_divide__Tensor[keys](self, other)


t_true_divide_out = operator('true_divide.out').table


def true_divide_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_true_divide_out[keys](self, other, out)


t_true_divide_Scalar = operator('true_divide.Scalar').table


def true_divide_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_true_divide_Scalar[keys](self, other)


t_true_divide__Scalar = operator('true_divide_.Scalar').table


def true_divide__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_true_divide__Scalar[keys](self, other)


t_erf = operator('erf').table


def erf(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_erf[keys](self)


t_erf_ = operator('erf_').table


def erf_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_erf_[keys](self)


t_erf_out = operator('erf.out').table


def erf_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_erf_out[keys](self, out)


t_erfc = operator('erfc').table


def erfc(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_erfc[keys](self)


t_erfc_ = operator('erfc_').table


def erfc_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_erfc_[keys](self)


t_erfc_out = operator('erfc.out').table


def erfc_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_erfc_out[keys](self, out)


t_exp = operator('exp').table


def exp(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_exp[keys](self)


t_exp_ = operator('exp_').table


def exp_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_exp_[keys](self)


t_exp_out = operator('exp.out').table


def exp_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_exp_out[keys](self, out)


t_exp2 = operator('exp2').table


def exp2(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_exp2[keys](self)


t_exp2_ = operator('exp2_').table


def exp2_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_exp2_[keys](self)


t_exp2_out = operator('exp2.out').table


def exp2_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_exp2_out[keys](self, out)


t_expm1 = operator('expm1').table


def expm1(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_expm1[keys](self)


t_expm1_ = operator('expm1_').table


def expm1_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_expm1_[keys](self)


t_expm1_out = operator('expm1.out').table


def expm1_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_expm1_out[keys](self, out)


t_floor = operator('floor').table


def floor(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_floor[keys](self)


t_floor_ = operator('floor_').table


def floor_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_floor_[keys](self)


t_floor_out = operator('floor.out').table


def floor_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_floor_out[keys](self, out)


t_floor_divide = operator('floor_divide').table


def floor_divide(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_floor_divide[keys](self, other)


t_floor_divide_out = operator('floor_divide.out').table


def floor_divide_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_floor_divide_out[keys](self, other, out)


t_floor_divide__Tensor = operator('floor_divide_.Tensor').table


def floor_divide__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_floor_divide__Tensor[keys](self, other)


t_floor_divide_Scalar = operator('floor_divide.Scalar').table


def floor_divide_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_floor_divide_Scalar[keys](self, other)


t_floor_divide__Scalar = operator('floor_divide_.Scalar').table


def floor_divide__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_floor_divide__Scalar[keys](self, other)


t_frac = operator('frac').table


def frac(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_frac[keys](self)


t_frac_ = operator('frac_').table


def frac_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_frac_[keys](self)


t_frac_out = operator('frac.out').table


def frac_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_frac_out[keys](self, out)


t_gcd = operator('gcd').table


def gcd(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_gcd[keys](self, other)


t_gcd_ = operator('gcd_').table


def gcd_(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_gcd_[keys](self, other)


t_gcd_out = operator('gcd.out').table


def gcd_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_gcd_out[keys](self, other, out)


t_lcm = operator('lcm').table


def lcm(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_lcm[keys](self, other)


t_lcm_ = operator('lcm_').table


def lcm_(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_lcm_[keys](self, other)


t_lcm_out = operator('lcm.out').table


def lcm_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_lcm_out[keys](self, other, out)


t_hinge_embedding_loss = operator('hinge_embedding_loss').table


def hinge_embedding_loss(self, target, margin=1.0, reduction=constants.Mean):
    keys = self._keys | target._keys
    if state.active:
        keys = state.effective(keys)
    return t_hinge_embedding_loss[keys](self, target, margin, reduction)


t_isin_Tensor_Tensor = operator('isin.Tensor_Tensor').table


def isin_Tensor_Tensor(elements, test_elements, assume_unique=False, invert=False):
    keys = elements._keys | test_elements._keys
    if state.active:
        keys = state.effective(keys)
    return t_isin_Tensor_Tensor[keys](elements, test_elements, assume_unique, invert)


t_isin_Tensor_Tensor_out = operator('isin.Tensor_Tensor_out').table


def isin_Tensor_Tensor_out(elements, test_elements, assume_unique=False, invert=False, out=constants.REQUIRED):
    keys = elements._keys | test_elements._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_isin_Tensor_Tensor_out[keys](elements, test_elements, assume_unique, invert, out)


t_isin_Tensor_Scalar = operator('isin.Tensor_Scalar').table


def isin_Tensor_Scalar(elements, test_element, assume_unique=False, invert=False):
    keys = elements._keys
    if state.active:
        keys = state.effective(keys)
    return t_isin_Tensor_Scalar[keys](elements, test_element, assume_unique, invert)


t_isin_Tensor_Scalar_out = operator('isin.Tensor_Scalar_out').table


def isin_Tensor_Scalar_out(elements, test_element, assume_unique=False, invert=False, out=constants.REQUIRED):
    keys = elements._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_isin_Tensor_Scalar_out[keys](elements, test_element, assume_unique, invert, out)


t_isin_Scalar_Tensor = operator('isin.Scalar_Tensor').table


def isin_Scalar_Tensor(element, test_elements, assume_unique=False, invert=False):
    keys = test_elements._keys
    if state.active:
        keys = state.effective(keys)
    return t_isin_Scalar_Tensor[keys](element, test_elements, assume_unique, invert)


t_isin_Scalar_Tensor_out = operator('isin.Scalar_Tensor_out').table


def isin_Scalar_Tensor_out(element, test_elements, assume_unique=False, invert=False, out=constants.REQUIRED):
    keys = test_elements._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_isin_Scalar_Tensor_out[keys](element, test_elements, assume_unique, invert, out)


t_isnan = operator('isnan').table


def isnan(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_isnan[keys](self)


t_isreal = operator('isreal').table


def isreal(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_isreal[keys](self)


t_kl_div = operator('kl_div').table


def kl_div(self, target, reduction=constants.Mean, log_target=False):
    keys = self._keys | target._keys
    if state.active:
        keys = state.effective(keys)
    return t_kl_div[keys](self, target, reduction, log_target)


t_nan_to_num = operator('nan_to_num').table


def nan_to_num(self, nan=None, posinf=None, neginf=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_nan_to_num[keys](self, nan, posinf, neginf)


t_nan_to_num_ = operator('nan_to_num_').table


def nan_to_num_(self, nan=None, posinf=None, neginf=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_nan_to_num_[keys](self, nan, posinf, neginf)


t_nan_to_num_out = operator('nan_to_num.out').table


def nan_to_num_out(self, nan=None, posinf=None, neginf=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_nan_to_num_out[keys](self, nan, posinf, neginf, out)


t_ldexp_Tensor = operator('ldexp.Tensor').table


def ldexp_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_ldexp_Tensor[keys](self, other)


t_ldexp_out = operator('ldexp.out').table


def ldexp_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_ldexp_out[keys](self, other, out)


t_ldexp_ = operator('ldexp_').table


def ldexp_(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_ldexp_[keys](self, other)


t_log = operator('log').table


def log(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_log[keys](self)


t_log_ = operator('log_').table


def log_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_log_[keys](self)


t_log_out = operator('log.out').table


def log_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_log_out[keys](self, out)


t_log10 = operator('log10').table


def log10(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_log10[keys](self)


t_log10_ = operator('log10_').table


def log10_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_log10_[keys](self)


t_log10_out = operator('log10.out').table


def log10_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_log10_out[keys](self, out)


t_log1p = operator('log1p').table


def log1p(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_log1p[keys](self)


t_log1p_ = operator('log1p_').table


def log1p_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_log1p_[keys](self)


t_log1p_out = operator('log1p.out').table


def log1p_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_log1p_out[keys](self, out)


t_log2 = operator('log2').table


def log2(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_log2[keys](self)


t_log2_ = operator('log2_').table


def log2_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_log2_[keys](self)


t_log2_out = operator('log2.out').table


def log2_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_log2_out[keys](self, out)


t_logaddexp = operator('logaddexp').table


def logaddexp(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_logaddexp[keys](self, other)


t_logaddexp_out = operator('logaddexp.out').table


def logaddexp_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_logaddexp_out[keys](self, other, out)


t_logaddexp2 = operator('logaddexp2').table


def logaddexp2(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_logaddexp2[keys](self, other)


t_logaddexp2_out = operator('logaddexp2.out').table


def logaddexp2_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_logaddexp2_out[keys](self, other, out)


t_xlogy_Tensor = operator('xlogy.Tensor').table


def xlogy_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_xlogy_Tensor[keys](self, other)


t_xlogy__Tensor = operator('xlogy_.Tensor').table


def xlogy__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_xlogy__Tensor[keys](self, other)


t_xlogy_OutTensor = operator('xlogy.OutTensor').table


def xlogy_OutTensor(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_xlogy_OutTensor[keys](self, other, out)


t_xlogy_Scalar_Self = operator('xlogy.Scalar_Self').table


def xlogy_Scalar_Self(self, other):
    keys = other._keys
    if state.active:
        keys = state.effective(keys)
    return t_xlogy_Scalar_Self[keys](self, other)


t_xlogy_OutScalar_Self = operator('xlogy.OutScalar_Self').table


def xlogy_OutScalar_Self(self, other, out):
    keys = other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_xlogy_OutScalar_Self[keys](self, other, out)


t_xlogy_Scalar_Other = operator('xlogy.Scalar_Other').table


def xlogy_Scalar_Other(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_xlogy_Scalar_Other[keys](self, other)


t_xlogy__Scalar_Other = operator('xlogy_.Scalar_Other').table


def xlogy__Scalar_Other(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_xlogy__Scalar_Other[keys](self, other)


t_xlogy_OutScalar_Other = operator('xlogy.OutScalar_Other').table


def xlogy_OutScalar_Other(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_xlogy_OutScalar_Other[keys](self, other, out)


t_margin_ranking_loss = operator('margin_ranking_loss').table


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=constants.Mean):
    keys = input1._keys | input2._keys | target._keys
    if state.active:
        keys = state.effective(keys)
    return t_margin_ranking_loss[keys](input1, input2, target, margin, reduction)


t_mul_Tensor = operator('mul.Tensor').table


def mul_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_mul_Tensor[keys](self, other)


t_mul__Tensor = operator('mul_.Tensor').table


def mul__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_mul__Tensor[keys](self, other)


t_mul_out = operator('mul.out').table


def mul_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_mul_out[keys](self, other, out)


t_mul_Scalar = operator('mul.Scalar').table


def mul_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_mul_Scalar[keys](self, other)


t_mul__Scalar = operator('mul_.Scalar').table


def mul__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_mul__Scalar[keys](self, other)


t_multiply_Tensor = operator('multiply.Tensor').table


def multiply_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_multiply_Tensor[keys](self, other)


t_multiply__Tensor = operator('multiply_.Tensor').table


def multiply__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_multiply__Tensor[keys](self, other)


t_multiply_out = operator('multiply.out').table


def multiply_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_multiply_out[keys](self, other, out)


t_multiply_Scalar = operator('multiply.Scalar').table


def multiply_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_multiply_Scalar[keys](self, other)


t_multiply__Scalar = operator('multiply_.Scalar').table


def multiply__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_multiply__Scalar[keys](self, other)


t_mvlgamma = operator('mvlgamma').table


def mvlgamma(self, p):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_mvlgamma[keys](self, p)


t_mvlgamma_ = operator('mvlgamma_').table


def mvlgamma_(self, p):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_mvlgamma_[keys](self, p)


t_mvlgamma_out = operator('mvlgamma.out').table


def mvlgamma_out(self, p, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_mvlgamma_out[keys](self, p, out)


t_poisson_nll_loss = operator('poisson_nll_loss').table


def poisson_nll_loss(input, target, log_input, full, eps, reduction):
    keys = input._keys | target._keys
    if state.active:
        keys = state.effective(keys)
    return t_poisson_nll_loss[keys](input, target, log_input, full, eps, reduction)


t_rad2deg = operator('rad2deg').table


def rad2deg(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_rad2deg[keys](self)


t_rad2deg_ = operator('rad2deg_').table


def rad2deg_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_rad2deg_[keys](self)


t_rad2deg_out = operator('rad2deg.out').table


def rad2deg_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_rad2deg_out[keys](self, out)


t_deg2rad = operator('deg2rad').table


def deg2rad(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_deg2rad[keys](self)


t_deg2rad_ = operator('deg2rad_').table


def deg2rad_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_deg2rad_[keys](self)


t_deg2rad_out = operator('deg2rad.out').table


def deg2rad_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_deg2rad_out[keys](self, out)


t_reciprocal = operator('reciprocal').table


def reciprocal(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_reciprocal[keys](self)


t_reciprocal_ = operator('reciprocal_').table


def reciprocal_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_reciprocal_[keys](self)


t_reciprocal_out = operator('reciprocal.out').table


def reciprocal_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_reciprocal_out[keys](self, out)


t_neg = operator('neg').table


def neg(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_neg[keys](self)


t_neg_ = operator('neg_').table


def neg_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_neg_[keys](self)


t_neg_out = operator('neg.out').table


def neg_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_neg_out[keys](self, out)


t_negative = operator('negative').table


def negative(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_negative[keys](self)


t_negative_ = operator('negative_').table


def negative_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_negative_[keys](self)


t_negative_out = operator('negative.out').table


def negative_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_negative_out[keys](self, out)


t_round = operator('round').table


def round(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_round[keys](self)


t_round_ = operator('round_').table


def round_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_round_[keys](self)


t_round_out = operator('round.out').table


def round_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_round_out[keys](self, out)


t_round_decimals = operator('round.decimals').table


def round_decimals(self, decimals):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_round_decimals[keys](self, decimals)


t_round__decimals = operator('round_.decimals').table


def round__decimals(self, decimals):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_round__decimals[keys](self, decimals)


t_round_decimals_out = operator('round.decimals_out').table


def round_decimals_out(self, decimals, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_round_decimals_out[keys](self, decimals, out)


t_relu = operator('relu').table


def relu(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_relu[keys](self)


t_relu_ = operator('relu_').table


def relu_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_relu_[keys](self)


t_relu6 = operator('relu6').table


def relu6(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_relu6[keys](self)


t_relu6_ = operator('relu6_').table


def relu6_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_relu6_[keys](self)


t_prelu = operator('prelu').table


def prelu(self, weight):
    keys = self._keys | weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_prelu[keys](self, weight)


t__prelu_kernel = operator('_prelu_kernel').table


def _prelu_kernel(self, weight):
    keys = self._keys | weight._keys
    if state.active:
        keys = state.effective(keys)
    return t__prelu_kernel[keys](self, weight)


t_gelu = operator('gelu').table


def gelu(self, approximate='none'):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_gelu[keys](self, approximate)


t_gelu_ = operator('gelu_').table


def gelu_(self, approximate='none'):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_gelu_[keys](self, approximate)


t_gelu_out = operator('gelu.out').table


def gelu_out(self, approximate='none', out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_gelu_out[keys](self, approximate, out)


t_hardshrink = operator('hardshrink').table


def hardshrink(self, lambd=0.5):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_hardshrink[keys](self, lambd)


t_hardshrink_out = operator('hardshrink.out').table


def hardshrink_out(self, lambd=0.5, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_hardshrink_out[keys](self, lambd, out)


t_rsqrt = operator('rsqrt').table


def rsqrt(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_rsqrt[keys](self)


t_rsqrt_ = operator('rsqrt_').table


def rsqrt_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_rsqrt_[keys](self)


t_rsqrt_out = operator('rsqrt.out').table


def rsqrt_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_rsqrt_out[keys](self, out)


t_selu = operator('selu').table


def selu(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_selu[keys](self)


t_selu_ = operator('selu_').table


def selu_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_selu_[keys](self)


t_celu = operator('celu').table


def celu(self, alpha=1.0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_celu[keys](self, alpha)


t_celu_ = operator('celu_').table


def celu_(self, alpha=1.0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_celu_[keys](self, alpha)


t_silu = operator('silu').table


def silu(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_silu[keys](self)


t_silu_ = operator('silu_').table


def silu_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_silu_[keys](self)


t_silu_out = operator('silu.out').table


def silu_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_silu_out[keys](self, out)


t_mish = operator('mish').table


def mish(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_mish[keys](self)


t_mish_ = operator('mish_').table


def mish_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_mish_[keys](self)


t_mish_out = operator('mish.out').table


def mish_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_mish_out[keys](self, out)


t_sigmoid = operator('sigmoid').table


def sigmoid(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sigmoid[keys](self)


t_sigmoid_ = operator('sigmoid_').table


def sigmoid_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sigmoid_[keys](self)


t_sigmoid_out = operator('sigmoid.out').table


def sigmoid_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_sigmoid_out[keys](self, out)


t_logit = operator('logit').table


def logit(self, eps=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_logit[keys](self, eps)


t_logit_ = operator('logit_').table


def logit_(self, eps=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_logit_[keys](self, eps)


t_logit_out = operator('logit.out').table


def logit_out(self, eps=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_logit_out[keys](self, eps, out)


t_sin = operator('sin').table


def sin(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sin[keys](self)


t_sin_ = operator('sin_').table


def sin_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sin_[keys](self)


t_sin_out = operator('sin.out').table


def sin_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_sin_out[keys](self, out)


t_sinc = operator('sinc').table


def sinc(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sinc[keys](self)


t_sinc_ = operator('sinc_').table


def sinc_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sinc_[keys](self)


t_sinc_out = operator('sinc.out').table


def sinc_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_sinc_out[keys](self, out)


t_sinh = operator('sinh').table


def sinh(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sinh[keys](self)


t_sinh_ = operator('sinh_').table


def sinh_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sinh_[keys](self)


t_sinh_out = operator('sinh.out').table


def sinh_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_sinh_out[keys](self, out)


t_sqrt = operator('sqrt').table


def sqrt(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sqrt[keys](self)


t_sqrt_ = operator('sqrt_').table


def sqrt_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sqrt_[keys](self)


t_sqrt_out = operator('sqrt.out').table


def sqrt_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_sqrt_out[keys](self, out)


t_square = operator('square').table


def square(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_square[keys](self)


t_square_ = operator('square_').table


def square_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_square_[keys](self)


t_square_out = operator('square.out').table


def square_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_square_out[keys](self, out)


t_tan = operator('tan').table


def tan(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_tan[keys](self)


t_tan_ = operator('tan_').table


def tan_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_tan_[keys](self)


t_tan_out = operator('tan.out').table


def tan_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_tan_out[keys](self, out)


t_tanh = operator('tanh').table


def tanh(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_tanh[keys](self)


t_tanh_ = operator('tanh_').table


def tanh_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_tanh_[keys](self)


t_tanh_out = operator('tanh.out').table


def tanh_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_tanh_out[keys](self, out)


t_threshold = operator('threshold').table


def threshold(self, threshold, value):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_threshold[keys](self, threshold, value)


t_threshold_ = operator('threshold_').table


def threshold_(self, threshold, value):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_threshold_[keys](self, threshold, value)


t_threshold_out = operator('threshold.out').table


def threshold_out(self, threshold, value, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_threshold_out[keys](self, threshold, value, out)


t_triplet_margin_loss = operator('triplet_margin_loss').table


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-06, swap=False, reduction=constants.Mean):
    keys = anchor._keys | positive._keys | negative._keys
    if state.active:
        keys = state.effective(keys)
    return t_triplet_margin_loss[keys](anchor, positive, negative, margin, p, eps, swap, reduction)


t_trunc = operator('trunc').table


def trunc(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_trunc[keys](self)


t_trunc_ = operator('trunc_').table


def trunc_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_trunc_[keys](self)


t_trunc_out = operator('trunc.out').table


def trunc_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_trunc_out[keys](self, out)


t_fix = operator('fix').table


def fix(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fix[keys](self)


t_fix_ = operator('fix_').table


def fix_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fix_[keys](self)


t_fix_out = operator('fix.out').table


def fix_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fix_out[keys](self, out)


t_frexp_Tensor = operator('frexp.Tensor').table


def frexp_Tensor(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_frexp_Tensor[keys](self)


t_frexp_Tensor_out = operator('frexp.Tensor_out').table


def frexp_Tensor_out(self, mantissa, exponent):
    keys = self._keys | mantissa._keys | exponent._keys
    if state.active:
        keys = state.effective(keys)
    return t_frexp_Tensor_out[keys](self, mantissa, exponent)


t_positive = operator('positive').table


def positive(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_positive[keys](self)


t_sub_Tensor = operator('sub.Tensor').table


def sub_Tensor(self, other, alpha=1):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_sub_Tensor[keys](self, other, alpha)


t_sub__Tensor = operator('sub_.Tensor').table


def sub__Tensor(self, other, alpha=1):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_sub__Tensor[keys](self, other, alpha)


t_sub_out = operator('sub.out').table


def sub_out(self, other, alpha=1, out=constants.REQUIRED):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_sub_out[keys](self, other, alpha, out)


t_sub_Scalar = operator('sub.Scalar').table


def sub_Scalar(self, other, alpha=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sub_Scalar[keys](self, other, alpha)


t_sub__Scalar = operator('sub_.Scalar').table


def sub__Scalar(self, other, alpha=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sub__Scalar[keys](self, other, alpha)


t_subtract_Tensor = operator('subtract.Tensor').table


def subtract_Tensor(self, other, alpha=1):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_subtract_Tensor[keys](self, other, alpha)


t_subtract__Tensor = operator('subtract_.Tensor').table


def subtract__Tensor(self, other, alpha=1):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_subtract__Tensor[keys](self, other, alpha)


t_subtract_out = operator('subtract.out').table


def subtract_out(self, other, alpha=1, out=constants.REQUIRED):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_subtract_out[keys](self, other, alpha, out)


t_subtract_Scalar = operator('subtract.Scalar').table


def subtract_Scalar(self, other, alpha=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_subtract_Scalar[keys](self, other, alpha)


t_subtract__Scalar = operator('subtract_.Scalar').table


def subtract__Scalar(self, other, alpha=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_subtract__Scalar[keys](self, other, alpha)


t_rsub_Tensor = operator('rsub.Tensor').table


def rsub_Tensor(self, other, alpha=1):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_rsub_Tensor[keys](self, other, alpha)


t_rsub_Scalar = operator('rsub.Scalar').table


def rsub_Scalar(self, other, alpha=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_rsub_Scalar[keys](self, other, alpha)


t_heaviside = operator('heaviside').table


def heaviside(self, values):
    keys = self._keys | values._keys
    if state.active:
        keys = state.effective(keys)
    return t_heaviside[keys](self, values)


t_heaviside_ = operator('heaviside_').table


def heaviside_(self, values):
    keys = self._keys | values._keys
    if state.active:
        keys = state.effective(keys)
    return t_heaviside_[keys](self, values)


t_heaviside_out = operator('heaviside.out').table


def heaviside_out(self, values, out):
    keys = self._keys | values._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_heaviside_out[keys](self, values, out)


t_eq_Scalar = operator('eq.Scalar').table


def eq_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_eq_Scalar[keys](self, other)


t_eq__Scalar = operator('eq_.Scalar').table


def eq__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_eq__Scalar[keys](self, other)


t_eq_Scalar_out = operator('eq.Scalar_out').table


def eq_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_eq_Scalar_out[keys](self, other, out)


t_eq_Tensor = operator('eq.Tensor').table


def eq_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_eq_Tensor[keys](self, other)


t_eq__Tensor = operator('eq_.Tensor').table


def eq__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_eq__Tensor[keys](self, other)


t_eq_Tensor_out = operator('eq.Tensor_out').table


def eq_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_eq_Tensor_out[keys](self, other, out)


t_bitwise_and_Scalar = operator('bitwise_and.Scalar').table


def bitwise_and_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_and_Scalar[keys](self, other)


t_bitwise_and__Scalar = operator('bitwise_and_.Scalar').table


def bitwise_and__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_and__Scalar[keys](self, other)


t_bitwise_and_Scalar_out = operator('bitwise_and.Scalar_out').table


def bitwise_and_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_and_Scalar_out[keys](self, other, out)


t_bitwise_and_Scalar_Tensor = operator('bitwise_and.Scalar_Tensor').table


def bitwise_and_Scalar_Tensor(self, other):
    keys = other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_and_Scalar_Tensor[keys](self, other)


t_bitwise_and_Tensor = operator('bitwise_and.Tensor').table


def bitwise_and_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_and_Tensor[keys](self, other)


t_bitwise_and__Tensor = operator('bitwise_and_.Tensor').table


def bitwise_and__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_and__Tensor[keys](self, other)


t_bitwise_and_Tensor_out = operator('bitwise_and.Tensor_out').table


def bitwise_and_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_and_Tensor_out[keys](self, other, out)


t___and___Scalar = operator('__and__.Scalar').table


def __and___Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t___and___Scalar[keys](self, other)


t___and___Tensor = operator('__and__.Tensor').table


def __and___Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t___and___Tensor[keys](self, other)


t___iand___Scalar = operator('__iand__.Scalar').table


def __iand___Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t___iand___Scalar[keys](self, other)


t___iand___Tensor = operator('__iand__.Tensor').table


def __iand___Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t___iand___Tensor[keys](self, other)


t_bitwise_or_Scalar = operator('bitwise_or.Scalar').table


def bitwise_or_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_or_Scalar[keys](self, other)


t_bitwise_or__Scalar = operator('bitwise_or_.Scalar').table


def bitwise_or__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_or__Scalar[keys](self, other)


t_bitwise_or_Scalar_out = operator('bitwise_or.Scalar_out').table


def bitwise_or_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_or_Scalar_out[keys](self, other, out)


t_bitwise_or_Scalar_Tensor = operator('bitwise_or.Scalar_Tensor').table


def bitwise_or_Scalar_Tensor(self, other):
    keys = other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_or_Scalar_Tensor[keys](self, other)


t_bitwise_or_Tensor = operator('bitwise_or.Tensor').table


def bitwise_or_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_or_Tensor[keys](self, other)


t_bitwise_or__Tensor = operator('bitwise_or_.Tensor').table


def bitwise_or__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_or__Tensor[keys](self, other)


t_bitwise_or_Tensor_out = operator('bitwise_or.Tensor_out').table


def bitwise_or_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_or_Tensor_out[keys](self, other, out)


t___or___Scalar = operator('__or__.Scalar').table


def __or___Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t___or___Scalar[keys](self, other)


t___or___Tensor = operator('__or__.Tensor').table


def __or___Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t___or___Tensor[keys](self, other)


t___ior___Scalar = operator('__ior__.Scalar').table


def __ior___Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t___ior___Scalar[keys](self, other)


t___ior___Tensor = operator('__ior__.Tensor').table


def __ior___Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t___ior___Tensor[keys](self, other)


t_bitwise_xor_Scalar = operator('bitwise_xor.Scalar').table


def bitwise_xor_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_xor_Scalar[keys](self, other)


t_bitwise_xor__Scalar = operator('bitwise_xor_.Scalar').table


def bitwise_xor__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_xor__Scalar[keys](self, other)


t_bitwise_xor_Scalar_out = operator('bitwise_xor.Scalar_out').table


def bitwise_xor_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_xor_Scalar_out[keys](self, other, out)


t_bitwise_xor_Scalar_Tensor = operator('bitwise_xor.Scalar_Tensor').table


def bitwise_xor_Scalar_Tensor(self, other):
    keys = other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_xor_Scalar_Tensor[keys](self, other)


t_bitwise_xor_Tensor = operator('bitwise_xor.Tensor').table


def bitwise_xor_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_xor_Tensor[keys](self, other)


t_bitwise_xor__Tensor = operator('bitwise_xor_.Tensor').table


def bitwise_xor__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_xor__Tensor[keys](self, other)


t_bitwise_xor_Tensor_out = operator('bitwise_xor.Tensor_out').table


def bitwise_xor_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_xor_Tensor_out[keys](self, other, out)


t___xor___Scalar = operator('__xor__.Scalar').table


def __xor___Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t___xor___Scalar[keys](self, other)


t___xor___Tensor = operator('__xor__.Tensor').table


def __xor___Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t___xor___Tensor[keys](self, other)


t___ixor___Scalar = operator('__ixor__.Scalar').table


def __ixor___Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t___ixor___Scalar[keys](self, other)


t___ixor___Tensor = operator('__ixor__.Tensor').table


def __ixor___Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t___ixor___Tensor[keys](self, other)


t___lshift___Scalar = operator('__lshift__.Scalar').table


def __lshift___Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t___lshift___Scalar[keys](self, other)


t___lshift___Tensor = operator('__lshift__.Tensor').table


def __lshift___Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t___lshift___Tensor[keys](self, other)


t___ilshift___Scalar = operator('__ilshift__.Scalar').table


def __ilshift___Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t___ilshift___Scalar[keys](self, other)


t___ilshift___Tensor = operator('__ilshift__.Tensor').table


def __ilshift___Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t___ilshift___Tensor[keys](self, other)


t_bitwise_left_shift_Tensor = operator('bitwise_left_shift.Tensor').table


def bitwise_left_shift_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_left_shift_Tensor[keys](self, other)


t_bitwise_left_shift__Tensor = operator('bitwise_left_shift_.Tensor').table


def bitwise_left_shift__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_left_shift__Tensor[keys](self, other)


t_bitwise_left_shift_Tensor_out = operator('bitwise_left_shift.Tensor_out').table


def bitwise_left_shift_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_left_shift_Tensor_out[keys](self, other, out)


t_bitwise_left_shift_Tensor_Scalar = operator('bitwise_left_shift.Tensor_Scalar').table


def bitwise_left_shift_Tensor_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_left_shift_Tensor_Scalar[keys](self, other)


t_bitwise_left_shift__Tensor_Scalar = operator('bitwise_left_shift_.Tensor_Scalar').table


def bitwise_left_shift__Tensor_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_left_shift__Tensor_Scalar[keys](self, other)


t_bitwise_left_shift_Tensor_Scalar_out = operator('bitwise_left_shift.Tensor_Scalar_out').table


def bitwise_left_shift_Tensor_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_left_shift_Tensor_Scalar_out[keys](self, other, out)


t_bitwise_left_shift_Scalar_Tensor = operator('bitwise_left_shift.Scalar_Tensor').table


def bitwise_left_shift_Scalar_Tensor(self, other):
    keys = other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_left_shift_Scalar_Tensor[keys](self, other)


t___rshift___Scalar = operator('__rshift__.Scalar').table


def __rshift___Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t___rshift___Scalar[keys](self, other)


t___rshift___Tensor = operator('__rshift__.Tensor').table


def __rshift___Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t___rshift___Tensor[keys](self, other)


t___irshift___Scalar = operator('__irshift__.Scalar').table


def __irshift___Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t___irshift___Scalar[keys](self, other)


t___irshift___Tensor = operator('__irshift__.Tensor').table


def __irshift___Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t___irshift___Tensor[keys](self, other)


t_bitwise_right_shift_Tensor = operator('bitwise_right_shift.Tensor').table


def bitwise_right_shift_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_right_shift_Tensor[keys](self, other)


t_bitwise_right_shift__Tensor = operator('bitwise_right_shift_.Tensor').table


def bitwise_right_shift__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_right_shift__Tensor[keys](self, other)


t_bitwise_right_shift_Tensor_out = operator('bitwise_right_shift.Tensor_out').table


def bitwise_right_shift_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_right_shift_Tensor_out[keys](self, other, out)


t_bitwise_right_shift_Tensor_Scalar = operator('bitwise_right_shift.Tensor_Scalar').table


def bitwise_right_shift_Tensor_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_right_shift_Tensor_Scalar[keys](self, other)


t_bitwise_right_shift__Tensor_Scalar = operator('bitwise_right_shift_.Tensor_Scalar').table


def bitwise_right_shift__Tensor_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_right_shift__Tensor_Scalar[keys](self, other)


t_bitwise_right_shift_Tensor_Scalar_out = operator('bitwise_right_shift.Tensor_Scalar_out').table


def bitwise_right_shift_Tensor_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_right_shift_Tensor_Scalar_out[keys](self, other, out)


t_bitwise_right_shift_Scalar_Tensor = operator('bitwise_right_shift.Scalar_Tensor').table


def bitwise_right_shift_Scalar_Tensor(self, other):
    keys = other._keys
    if state.active:
        keys = state.effective(keys)
    return t_bitwise_right_shift_Scalar_Tensor[keys](self, other)


t_digamma = operator('digamma').table


def digamma(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_digamma[keys](self)


t_digamma_ = operator('digamma_').table


def digamma_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_digamma_[keys](self)


t_digamma_out = operator('digamma.out').table


def digamma_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_digamma_out[keys](self, out)


t_lerp_Scalar = operator('lerp.Scalar').table


def lerp_Scalar(self, end, weight):
    keys = self._keys | end._keys
    if state.active:
        keys = state.effective(keys)
    return t_lerp_Scalar[keys](self, end, weight)


t_lerp__Scalar = operator('lerp_.Scalar').table


def lerp__Scalar(self, end, weight):
    keys = self._keys | end._keys
    if state.active:
        keys = state.effective(keys)
    return t_lerp__Scalar[keys](self, end, weight)


t_lerp_Scalar_out = operator('lerp.Scalar_out').table


def lerp_Scalar_out(self, end, weight, out):
    keys = self._keys | end._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_lerp_Scalar_out[keys](self, end, weight, out)


t_lerp_Tensor = operator('lerp.Tensor').table


def lerp_Tensor(self, end, weight):
    keys = self._keys | end._keys | weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_lerp_Tensor[keys](self, end, weight)


t_lerp__Tensor = operator('lerp_.Tensor').table


def lerp__Tensor(self, end, weight):
    keys = self._keys | end._keys | weight._keys
    if state.active:
        keys = state.effective(keys)
    return t_lerp__Tensor[keys](self, end, weight)


t_lerp_Tensor_out = operator('lerp.Tensor_out').table


def lerp_Tensor_out(self, end, weight, out):
    keys = self._keys | end._keys | weight._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_lerp_Tensor_out[keys](self, end, weight, out)


t_ne_Scalar = operator('ne.Scalar').table


def ne_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_ne_Scalar[keys](self, other)


t_ne__Scalar = operator('ne_.Scalar').table


def ne__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_ne__Scalar[keys](self, other)


t_ne_Scalar_out = operator('ne.Scalar_out').table


def ne_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_ne_Scalar_out[keys](self, other, out)


t_ne_Tensor = operator('ne.Tensor').table


def ne_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_ne_Tensor[keys](self, other)


t_ne__Tensor = operator('ne_.Tensor').table


def ne__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_ne__Tensor[keys](self, other)


t_ne_Tensor_out = operator('ne.Tensor_out').table


def ne_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_ne_Tensor_out[keys](self, other, out)


t_not_equal_Scalar = operator('not_equal.Scalar').table


def not_equal_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_not_equal_Scalar[keys](self, other)


t_not_equal__Scalar = operator('not_equal_.Scalar').table


def not_equal__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_not_equal__Scalar[keys](self, other)


t_not_equal_Scalar_out = operator('not_equal.Scalar_out').table


def not_equal_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_not_equal_Scalar_out[keys](self, other, out)


t_not_equal_Tensor = operator('not_equal.Tensor').table


def not_equal_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_not_equal_Tensor[keys](self, other)


t_not_equal__Tensor = operator('not_equal_.Tensor').table


def not_equal__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_not_equal__Tensor[keys](self, other)


t_not_equal_Tensor_out = operator('not_equal.Tensor_out').table


def not_equal_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_not_equal_Tensor_out[keys](self, other, out)


t_ge_Scalar = operator('ge.Scalar').table


def ge_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_ge_Scalar[keys](self, other)


t_ge__Scalar = operator('ge_.Scalar').table


def ge__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_ge__Scalar[keys](self, other)


t_ge_Scalar_out = operator('ge.Scalar_out').table


def ge_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_ge_Scalar_out[keys](self, other, out)


t_ge_Tensor = operator('ge.Tensor').table


def ge_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_ge_Tensor[keys](self, other)


t_ge__Tensor = operator('ge_.Tensor').table


def ge__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_ge__Tensor[keys](self, other)


t_ge_Tensor_out = operator('ge.Tensor_out').table


def ge_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_ge_Tensor_out[keys](self, other, out)


t_greater_equal_Scalar = operator('greater_equal.Scalar').table


def greater_equal_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_greater_equal_Scalar[keys](self, other)


t_greater_equal__Scalar = operator('greater_equal_.Scalar').table


def greater_equal__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_greater_equal__Scalar[keys](self, other)


t_greater_equal_Scalar_out = operator('greater_equal.Scalar_out').table


def greater_equal_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_greater_equal_Scalar_out[keys](self, other, out)


t_greater_equal_Tensor = operator('greater_equal.Tensor').table


def greater_equal_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_greater_equal_Tensor[keys](self, other)


t_greater_equal__Tensor = operator('greater_equal_.Tensor').table


def greater_equal__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_greater_equal__Tensor[keys](self, other)


t_greater_equal_Tensor_out = operator('greater_equal.Tensor_out').table


def greater_equal_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_greater_equal_Tensor_out[keys](self, other, out)


t_le_Scalar = operator('le.Scalar').table


def le_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_le_Scalar[keys](self, other)


t_le__Scalar = operator('le_.Scalar').table


def le__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_le__Scalar[keys](self, other)


t_le_Scalar_out = operator('le.Scalar_out').table


def le_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_le_Scalar_out[keys](self, other, out)


t_le_Tensor = operator('le.Tensor').table


def le_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_le_Tensor[keys](self, other)


t_le__Tensor = operator('le_.Tensor').table


def le__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_le__Tensor[keys](self, other)


t_le_Tensor_out = operator('le.Tensor_out').table


def le_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_le_Tensor_out[keys](self, other, out)


t_less_equal_Scalar = operator('less_equal.Scalar').table


def less_equal_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_less_equal_Scalar[keys](self, other)


t_less_equal__Scalar = operator('less_equal_.Scalar').table


def less_equal__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_less_equal__Scalar[keys](self, other)


t_less_equal_Scalar_out = operator('less_equal.Scalar_out').table


def less_equal_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_less_equal_Scalar_out[keys](self, other, out)


t_less_equal_Tensor = operator('less_equal.Tensor').table


def less_equal_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_less_equal_Tensor[keys](self, other)


t_less_equal__Tensor = operator('less_equal_.Tensor').table


def less_equal__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_less_equal__Tensor[keys](self, other)


t_less_equal_Tensor_out = operator('less_equal.Tensor_out').table


def less_equal_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_less_equal_Tensor_out[keys](self, other, out)


t_gt_Scalar = operator('gt.Scalar').table


def gt_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_gt_Scalar[keys](self, other)


t_gt__Scalar = operator('gt_.Scalar').table


def gt__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_gt__Scalar[keys](self, other)


t_gt_Scalar_out = operator('gt.Scalar_out').table


def gt_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_gt_Scalar_out[keys](self, other, out)


t_gt_Tensor = operator('gt.Tensor').table


def gt_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_gt_Tensor[keys](self, other)


t_gt__Tensor = operator('gt_.Tensor').table


def gt__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_gt__Tensor[keys](self, other)


t_gt_Tensor_out = operator('gt.Tensor_out').table


def gt_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_gt_Tensor_out[keys](self, other, out)


t_greater_Scalar = operator('greater.Scalar').table


def greater_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_greater_Scalar[keys](self, other)


t_greater__Scalar = operator('greater_.Scalar').table


def greater__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_greater__Scalar[keys](self, other)


t_greater_Scalar_out = operator('greater.Scalar_out').table


def greater_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_greater_Scalar_out[keys](self, other, out)


t_greater_Tensor = operator('greater.Tensor').table


def greater_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_greater_Tensor[keys](self, other)


t_greater__Tensor = operator('greater_.Tensor').table


def greater__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_greater__Tensor[keys](self, other)


t_greater_Tensor_out = operator('greater.Tensor_out').table


def greater_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_greater_Tensor_out[keys](self, other, out)


t_lt_Scalar = operator('lt.Scalar').table


def lt_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_lt_Scalar[keys](self, other)


t_lt__Scalar = operator('lt_.Scalar').table


def lt__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_lt__Scalar[keys](self, other)


t_lt_Scalar_out = operator('lt.Scalar_out').table


def lt_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_lt_Scalar_out[keys](self, other, out)


t_lt_Tensor = operator('lt.Tensor').table


def lt_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_lt_Tensor[keys](self, other)


t_lt__Tensor = operator('lt_.Tensor').table


def lt__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_lt__Tensor[keys](self, other)


t_lt_Tensor_out = operator('lt.Tensor_out').table


def lt_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_lt_Tensor_out[keys](self, other, out)


t_less_Scalar = operator('less.Scalar').table


def less_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_less_Scalar[keys](self, other)


t_less__Scalar = operator('less_.Scalar').table


def less__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_less__Scalar[keys](self, other)


t_less_Scalar_out = operator('less.Scalar_out').table


def less_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_less_Scalar_out[keys](self, other, out)


t_less_Tensor = operator('less.Tensor').table


def less_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_less_Tensor[keys](self, other)


t_less__Tensor = operator('less_.Tensor').table


def less__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_less__Tensor[keys](self, other)


t_less_Tensor_out = operator('less.Tensor_out').table


def less_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_less_Tensor_out[keys](self, other, out)


t_addcmul = operator('addcmul').table


def addcmul(self, tensor1, tensor2, value=1):
    keys = self._keys | tensor1._keys | tensor2._keys
    if state.active:
        keys = state.effective(keys)
    return t_addcmul[keys](self, tensor1, tensor2, value)


t_addcmul_ = operator('addcmul_').table


def addcmul_(self, tensor1, tensor2, value=1):
    keys = self._keys | tensor1._keys | tensor2._keys
    if state.active:
        keys = state.effective(keys)
    return t_addcmul_[keys](self, tensor1, tensor2, value)


t_addcmul_out = operator('addcmul.out').table


def addcmul_out(self, tensor1, tensor2, value=1, out=constants.REQUIRED):
    keys = self._keys | tensor1._keys | tensor2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_addcmul_out[keys](self, tensor1, tensor2, value, out)


t_addcdiv = operator('addcdiv').table


def addcdiv(self, tensor1, tensor2, value=1):
    keys = self._keys | tensor1._keys | tensor2._keys
    if state.active:
        keys = state.effective(keys)
    return t_addcdiv[keys](self, tensor1, tensor2, value)


t_addcdiv_ = operator('addcdiv_').table


def addcdiv_(self, tensor1, tensor2, value=1):
    keys = self._keys | tensor1._keys | tensor2._keys
    if state.active:
        keys = state.effective(keys)
    return t_addcdiv_[keys](self, tensor1, tensor2, value)


t_addcdiv_out = operator('addcdiv.out').table


def addcdiv_out(self, tensor1, tensor2, value=1, out=constants.REQUIRED):
    keys = self._keys | tensor1._keys | tensor2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_addcdiv_out[keys](self, tensor1, tensor2, value, out)


t_lgamma = operator('lgamma').table


def lgamma(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_lgamma[keys](self)


t_lgamma_ = operator('lgamma_').table


def lgamma_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_lgamma_[keys](self)


t_lgamma_out = operator('lgamma.out').table


def lgamma_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_lgamma_out[keys](self, out)


t_polygamma = operator('polygamma').table


def polygamma(n, self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_polygamma[keys](n, self)


t_polygamma_out = operator('polygamma.out').table


def polygamma_out(n, self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_polygamma_out[keys](n, self, out)


t_polygamma_ = operator('polygamma_').table


def polygamma_(self, n):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_polygamma_[keys](self, n)


t_erfinv = operator('erfinv').table


def erfinv(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_erfinv[keys](self)


t_erfinv_ = operator('erfinv_').table


def erfinv_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_erfinv_[keys](self)


t_erfinv_out = operator('erfinv.out').table


def erfinv_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_erfinv_out[keys](self, out)


t_i0 = operator('i0').table


def i0(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_i0[keys](self)


t_i0_ = operator('i0_').table


def i0_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_i0_[keys](self)


t_i0_out = operator('i0.out').table


def i0_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_i0_out[keys](self, out)


t_sign = operator('sign').table


def sign(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sign[keys](self)


t_sign_ = operator('sign_').table


def sign_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_sign_[keys](self)


t_sign_out = operator('sign.out').table


def sign_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_sign_out[keys](self, out)


t_signbit = operator('signbit').table


def signbit(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_signbit[keys](self)


t_signbit_out = operator('signbit.out').table


def signbit_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_signbit_out[keys](self, out)


t_atan2_out = operator('atan2.out').table


def atan2_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_atan2_out[keys](self, other, out)


t_atan2 = operator('atan2').table


def atan2(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_atan2[keys](self, other)


t_atan2_ = operator('atan2_').table


def atan2_(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_atan2_[keys](self, other)


t_arctan2 = operator('arctan2').table


def arctan2(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_arctan2[keys](self, other)


t_arctan2_ = operator('arctan2_').table


def arctan2_(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_arctan2_[keys](self, other)


t_arctan2_out = operator('arctan2.out').table


def arctan2_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_arctan2_out[keys](self, other, out)


t_fmod_Scalar = operator('fmod.Scalar').table


def fmod_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fmod_Scalar[keys](self, other)


t_fmod__Scalar = operator('fmod_.Scalar').table


def fmod__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_fmod__Scalar[keys](self, other)


t_fmod_Scalar_out = operator('fmod.Scalar_out').table


def fmod_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fmod_Scalar_out[keys](self, other, out)


t_fmod_Tensor = operator('fmod.Tensor').table


def fmod_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_fmod_Tensor[keys](self, other)


t_fmod__Tensor = operator('fmod_.Tensor').table


def fmod__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_fmod__Tensor[keys](self, other)


t_fmod_Tensor_out = operator('fmod.Tensor_out').table


def fmod_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fmod_Tensor_out[keys](self, other, out)


t_hypot = operator('hypot').table


def hypot(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_hypot[keys](self, other)


t_hypot_ = operator('hypot_').table


def hypot_(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_hypot_[keys](self, other)


t_hypot_out = operator('hypot.out').table


def hypot_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_hypot_out[keys](self, other, out)


t_igamma = operator('igamma').table


def igamma(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_igamma[keys](self, other)


t_igamma_ = operator('igamma_').table


def igamma_(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_igamma_[keys](self, other)


t_igamma_out = operator('igamma.out').table


def igamma_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_igamma_out[keys](self, other, out)


t_igammac = operator('igammac').table


def igammac(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_igammac[keys](self, other)


t_igammac_ = operator('igammac_').table


def igammac_(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_igammac_[keys](self, other)


t_igammac_out = operator('igammac.out').table


def igammac_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_igammac_out[keys](self, other, out)


t_nextafter = operator('nextafter').table


def nextafter(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_nextafter[keys](self, other)


t_nextafter_ = operator('nextafter_').table


def nextafter_(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_nextafter_[keys](self, other)


t_nextafter_out = operator('nextafter.out').table


def nextafter_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_nextafter_out[keys](self, other, out)


t_remainder_Scalar = operator('remainder.Scalar').table


def remainder_Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_remainder_Scalar[keys](self, other)


t_remainder__Scalar = operator('remainder_.Scalar').table


def remainder__Scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_remainder__Scalar[keys](self, other)


t_remainder_Scalar_out = operator('remainder.Scalar_out').table


def remainder_Scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_remainder_Scalar_out[keys](self, other, out)


t_remainder_Tensor = operator('remainder.Tensor').table


def remainder_Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_remainder_Tensor[keys](self, other)


t_remainder__Tensor = operator('remainder_.Tensor').table


def remainder__Tensor(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_remainder__Tensor[keys](self, other)


t_remainder_Tensor_out = operator('remainder.Tensor_out').table


def remainder_Tensor_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_remainder_Tensor_out[keys](self, other, out)


t_remainder_Scalar_Tensor = operator('remainder.Scalar_Tensor').table


def remainder_Scalar_Tensor(self, other):
    keys = other._keys
    if state.active:
        keys = state.effective(keys)
    return t_remainder_Scalar_Tensor[keys](self, other)


t_fmin = operator('fmin').table


def fmin(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_fmin[keys](self, other)


t_fmin_out = operator('fmin.out').table


def fmin_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fmin_out[keys](self, other, out)


t_fmax = operator('fmax').table


def fmax(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_fmax[keys](self, other)


t_fmax_out = operator('fmax.out').table


def fmax_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_fmax_out[keys](self, other, out)


t_maximum = operator('maximum').table


def maximum(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_maximum[keys](self, other)


t_maximum_out = operator('maximum.out').table


def maximum_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_maximum_out[keys](self, other, out)


t_minimum = operator('minimum').table


def minimum(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_minimum[keys](self, other)


t_minimum_out = operator('minimum.out').table


def minimum_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_minimum_out[keys](self, other, out)


t_pow_Tensor_Tensor = operator('pow.Tensor_Tensor').table


def pow_Tensor_Tensor(self, exponent):
    keys = self._keys | exponent._keys
    if state.active:
        keys = state.effective(keys)
    return t_pow_Tensor_Tensor[keys](self, exponent)


t_pow_Tensor_Tensor_out = operator('pow.Tensor_Tensor_out').table


def pow_Tensor_Tensor_out(self, exponent, out):
    keys = self._keys | exponent._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_pow_Tensor_Tensor_out[keys](self, exponent, out)


t_pow_Scalar = operator('pow.Scalar').table


def pow_Scalar(self, exponent):
    keys = exponent._keys
    if state.active:
        keys = state.effective(keys)
    return t_pow_Scalar[keys](self, exponent)


t_pow_Scalar_out = operator('pow.Scalar_out').table


def pow_Scalar_out(self, exponent, out):
    keys = exponent._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_pow_Scalar_out[keys](self, exponent, out)


t_pow_Tensor_Scalar = operator('pow.Tensor_Scalar').table


def pow_Tensor_Scalar(self, exponent):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_pow_Tensor_Scalar[keys](self, exponent)


t_pow_Tensor_Scalar_out = operator('pow.Tensor_Scalar_out').table


def pow_Tensor_Scalar_out(self, exponent, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_pow_Tensor_Scalar_out[keys](self, exponent, out)


t_pow__Scalar = operator('pow_.Scalar').table


def pow__Scalar(self, exponent):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_pow__Scalar[keys](self, exponent)


t_pow__Tensor = operator('pow_.Tensor').table


def pow__Tensor(self, exponent):
    keys = self._keys | exponent._keys
    if state.active:
        keys = state.effective(keys)
    return t_pow__Tensor[keys](self, exponent)


t_float_power_Tensor_Tensor = operator('float_power.Tensor_Tensor').table


def float_power_Tensor_Tensor(self, exponent):
    keys = self._keys | exponent._keys
    if state.active:
        keys = state.effective(keys)
    return t_float_power_Tensor_Tensor[keys](self, exponent)


t_float_power_Tensor_Tensor_out = operator('float_power.Tensor_Tensor_out').table


def float_power_Tensor_Tensor_out(self, exponent, out):
    keys = self._keys | exponent._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_float_power_Tensor_Tensor_out[keys](self, exponent, out)


t_float_power_Scalar = operator('float_power.Scalar').table


def float_power_Scalar(self, exponent):
    keys = exponent._keys
    if state.active:
        keys = state.effective(keys)
    return t_float_power_Scalar[keys](self, exponent)


t_float_power_Scalar_out = operator('float_power.Scalar_out').table


def float_power_Scalar_out(self, exponent, out):
    keys = exponent._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_float_power_Scalar_out[keys](self, exponent, out)


t_float_power_Tensor_Scalar = operator('float_power.Tensor_Scalar').table


def float_power_Tensor_Scalar(self, exponent):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_float_power_Tensor_Scalar[keys](self, exponent)


t_float_power_Tensor_Scalar_out = operator('float_power.Tensor_Scalar_out').table


def float_power_Tensor_Scalar_out(self, exponent, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_float_power_Tensor_Scalar_out[keys](self, exponent, out)


t_float_power__Scalar = operator('float_power_.Scalar').table


def float_power__Scalar(self, exponent):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_float_power__Scalar[keys](self, exponent)


t_float_power__Tensor = operator('float_power_.Tensor').table


def float_power__Tensor(self, exponent):
    keys = self._keys | exponent._keys
    if state.active:
        keys = state.effective(keys)
    return t_float_power__Tensor[keys](self, exponent)


t_mse_loss = operator('mse_loss').table


def mse_loss(self, target, reduction=constants.Mean):
    keys = self._keys | target._keys
    if state.active:
        keys = state.effective(keys)
    return t_mse_loss[keys](self, target, reduction)


t_mse_loss_out = operator('mse_loss.out').table


def mse_loss_out(self, target, reduction=constants.Mean, out=constants.REQUIRED):
    keys = self._keys | target._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_mse_loss_out[keys](self, target, reduction, out)


t_l1_loss = operator('l1_loss').table


def l1_loss(self, target, reduction=constants.Mean):
    keys = self._keys | target._keys
    if state.active:
        keys = state.effective(keys)
    return t_l1_loss[keys](self, target, reduction)


t_smooth_l1_loss = operator('smooth_l1_loss').table


def smooth_l1_loss(self, target, reduction=constants.Mean, beta=1.0):
    keys = self._keys | target._keys
    if state.active:
        keys = state.effective(keys)
    return t_smooth_l1_loss[keys](self, target, reduction, beta)


t_smooth_l1_loss_out = operator('smooth_l1_loss.out').table


def smooth_l1_loss_out(self, target, reduction=constants.Mean, beta=1.0, out=constants.REQUIRED):
    keys = self._keys | target._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_smooth_l1_loss_out[keys](self, target, reduction, beta, out)


t_huber_loss = operator('huber_loss').table


def huber_loss(self, target, reduction=constants.Mean, delta=1.0):
    keys = self._keys | target._keys
    if state.active:
        keys = state.effective(keys)
    return t_huber_loss[keys](self, target, reduction, delta)


t_huber_loss_out = operator('huber_loss.out').table


def huber_loss_out(self, target, reduction=constants.Mean, delta=1.0, out=constants.REQUIRED):
    keys = self._keys | target._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_huber_loss_out[keys](self, target, reduction, delta, out)


t_soft_margin_loss = operator('soft_margin_loss').table


def soft_margin_loss(self, target, reduction=constants.Mean):
    keys = self._keys | target._keys
    if state.active:
        keys = state.effective(keys)
    return t_soft_margin_loss[keys](self, target, reduction)


t_soft_margin_loss_out = operator('soft_margin_loss.out').table


def soft_margin_loss_out(self, target, reduction=constants.Mean, out=constants.REQUIRED):
    keys = self._keys | target._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_soft_margin_loss_out[keys](self, target, reduction, out)


t_elu = operator('elu').table


def elu(self, alpha=1, scale=1, input_scale=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_elu[keys](self, alpha, scale, input_scale)


t_elu_ = operator('elu_').table


def elu_(self, alpha=1, scale=1, input_scale=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_elu_[keys](self, alpha, scale, input_scale)


t_elu_out = operator('elu.out').table


def elu_out(self, alpha=1, scale=1, input_scale=1, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_elu_out[keys](self, alpha, scale, input_scale, out)


t_glu = operator('glu').table


def glu(self, dim=-1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_glu[keys](self, dim)


t_glu_out = operator('glu.out').table


def glu_out(self, dim=-1, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_glu_out[keys](self, dim, out)


t_hardsigmoid = operator('hardsigmoid').table


def hardsigmoid(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_hardsigmoid[keys](self)


t_hardsigmoid_ = operator('hardsigmoid_').table


def hardsigmoid_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_hardsigmoid_[keys](self)


t_hardsigmoid_out = operator('hardsigmoid.out').table


def hardsigmoid_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_hardsigmoid_out[keys](self, out)


t_hardtanh = operator('hardtanh').table


def hardtanh(self, min_val=-1, max_val=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_hardtanh[keys](self, min_val, max_val)


t_hardtanh_ = operator('hardtanh_').table


def hardtanh_(self, min_val=-1, max_val=1):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_hardtanh_[keys](self, min_val, max_val)


t_hardtanh_out = operator('hardtanh.out').table


def hardtanh_out(self, min_val=-1, max_val=1, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_hardtanh_out[keys](self, min_val, max_val, out)


t_hardswish = operator('hardswish').table


def hardswish(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_hardswish[keys](self)


t_hardswish_ = operator('hardswish_').table


def hardswish_(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_hardswish_[keys](self)


t_hardswish_out = operator('hardswish.out').table


def hardswish_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_hardswish_out[keys](self, out)


t_elu_backward = operator('elu_backward').table


def elu_backward(grad_output, alpha, scale, input_scale, is_result, self_or_result):
    keys = grad_output._keys | self_or_result._keys
    if state.active:
        keys = state.effective(keys)
    return t_elu_backward[keys](grad_output, alpha, scale, input_scale, is_result, self_or_result)


t_leaky_relu_backward = operator('leaky_relu_backward').table


def leaky_relu_backward(grad_output, self, negative_slope, self_is_result):
    keys = grad_output._keys | self._keys
    if state.active:
        keys = state.effective(keys)
    return t_leaky_relu_backward[keys](grad_output, self, negative_slope, self_is_result)


t_leaky_relu = operator('leaky_relu').table


def leaky_relu(self, negative_slope=0.01):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_leaky_relu[keys](self, negative_slope)


t_leaky_relu_ = operator('leaky_relu_').table


def leaky_relu_(self, negative_slope=0.01):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_leaky_relu_[keys](self, negative_slope)


t_leaky_relu_out = operator('leaky_relu.out').table


def leaky_relu_out(self, negative_slope=0.01, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_leaky_relu_out[keys](self, negative_slope, out)


t_log_sigmoid = operator('log_sigmoid').table


def log_sigmoid(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_log_sigmoid[keys](self)


t_log_sigmoid_out = operator('log_sigmoid.out').table


def log_sigmoid_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_log_sigmoid_out[keys](self, out)


t_log_sigmoid_forward_output = operator('log_sigmoid_forward.output').table


def log_sigmoid_forward_output(self, output, buffer):
    keys = self._keys | output._keys | buffer._keys
    if state.active:
        keys = state.effective(keys)
    return t_log_sigmoid_forward_output[keys](self, output, buffer)


t_log_sigmoid_forward = operator('log_sigmoid_forward').table


def log_sigmoid_forward(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_log_sigmoid_forward[keys](self)


t_softplus = operator('softplus').table


def softplus(self, beta=1, threshold=20):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_softplus[keys](self, beta, threshold)


t_softplus_out = operator('softplus.out').table


def softplus_out(self, beta=1, threshold=20, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_softplus_out[keys](self, beta, threshold, out)


t_softshrink = operator('softshrink').table


def softshrink(self, lambd=0.5):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_softshrink[keys](self, lambd)


t_softshrink_out = operator('softshrink.out').table


def softshrink_out(self, lambd=0.5, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_softshrink_out[keys](self, lambd, out)


t_isfinite = operator('isfinite').table


def isfinite(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_isfinite[keys](self)


t_isinf = operator('isinf').table


def isinf(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_isinf[keys](self)


t_isposinf = operator('isposinf').table


def isposinf(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_isposinf[keys](self)


t_isposinf_out = operator('isposinf.out').table


def isposinf_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_isposinf_out[keys](self, out)


t_isneginf = operator('isneginf').table


def isneginf(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_isneginf[keys](self)


t_isneginf_out = operator('isneginf.out').table


def isneginf_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_isneginf_out[keys](self, out)


t_special_entr = operator('special_entr').table


def special_entr(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_entr[keys](self)


t_special_entr_out = operator('special_entr.out').table


def special_entr_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_entr_out[keys](self, out)


t_special_ndtri = operator('special_ndtri').table


def special_ndtri(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_ndtri[keys](self)


t_special_ndtri_out = operator('special_ndtri.out').table


def special_ndtri_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_ndtri_out[keys](self, out)


t_special_log_ndtr = operator('special_log_ndtr').table


def special_log_ndtr(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_log_ndtr[keys](self)


t_special_log_ndtr_out = operator('special_log_ndtr.out').table


def special_log_ndtr_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_log_ndtr_out[keys](self, out)


t_special_expm1 = operator('special_expm1').table


def special_expm1(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_expm1[keys](self)


t_special_expm1_out = operator('special_expm1.out').table


def special_expm1_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_expm1_out[keys](self, out)


t_special_exp2 = operator('special_exp2').table


def special_exp2(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_exp2[keys](self)


t_special_exp2_out = operator('special_exp2.out').table


def special_exp2_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_exp2_out[keys](self, out)


t_special_psi = operator('special_psi').table


def special_psi(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_psi[keys](self)


t_special_psi_out = operator('special_psi.out').table


def special_psi_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_psi_out[keys](self, out)


t_special_digamma = operator('special_digamma').table


def special_digamma(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_digamma[keys](self)


t_special_digamma_out = operator('special_digamma.out').table


def special_digamma_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_digamma_out[keys](self, out)


t_special_gammaln = operator('special_gammaln').table


def special_gammaln(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_gammaln[keys](self)


t_special_gammaln_out = operator('special_gammaln.out').table


def special_gammaln_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_gammaln_out[keys](self, out)


t_special_erf = operator('special_erf').table


def special_erf(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_erf[keys](self)


t_special_erf_out = operator('special_erf.out').table


def special_erf_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_erf_out[keys](self, out)


t_special_erfc = operator('special_erfc').table


def special_erfc(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_erfc[keys](self)


t_special_erfc_out = operator('special_erfc.out').table


def special_erfc_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_erfc_out[keys](self, out)


t_special_erfcx = operator('special_erfcx').table


def special_erfcx(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_erfcx[keys](self)


t_special_erfcx_out = operator('special_erfcx.out').table


def special_erfcx_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_erfcx_out[keys](self, out)


t_special_erfinv = operator('special_erfinv').table


def special_erfinv(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_erfinv[keys](self)


t_special_erfinv_out = operator('special_erfinv.out').table


def special_erfinv_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_erfinv_out[keys](self, out)


t_special_ndtr = operator('special_ndtr').table


def special_ndtr(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_ndtr[keys](self)


t_special_ndtr_out = operator('special_ndtr.out').table


def special_ndtr_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_ndtr_out[keys](self, out)


t_special_xlog1py = operator('special_xlog1py').table


def special_xlog1py(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_xlog1py[keys](self, other)


t_special_xlog1py_out = operator('special_xlog1py.out').table


def special_xlog1py_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_xlog1py_out[keys](self, other, out)


t_special_xlog1py_self_scalar = operator('special_xlog1py.self_scalar').table


def special_xlog1py_self_scalar(self, other):
    keys = other._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_xlog1py_self_scalar[keys](self, other)


t_special_xlog1py_self_scalar_out = operator('special_xlog1py.self_scalar_out').table


def special_xlog1py_self_scalar_out(self, other, out):
    keys = other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_xlog1py_self_scalar_out[keys](self, other, out)


t_special_xlog1py_other_scalar = operator('special_xlog1py.other_scalar').table


def special_xlog1py_other_scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_xlog1py_other_scalar[keys](self, other)


t_special_xlog1py_other_scalar_out = operator('special_xlog1py.other_scalar_out').table


def special_xlog1py_other_scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_xlog1py_other_scalar_out[keys](self, other, out)


t_special_xlogy = operator('special_xlogy').table


def special_xlogy(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_xlogy[keys](self, other)


t_special_xlogy_out = operator('special_xlogy.out').table


def special_xlogy_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_xlogy_out[keys](self, other, out)


t_special_xlogy_self_scalar = operator('special_xlogy.self_scalar').table


def special_xlogy_self_scalar(self, other):
    keys = other._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_xlogy_self_scalar[keys](self, other)


t_special_xlogy_self_scalar_out = operator('special_xlogy.self_scalar_out').table


def special_xlogy_self_scalar_out(self, other, out):
    keys = other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_xlogy_self_scalar_out[keys](self, other, out)


t_special_xlogy_other_scalar = operator('special_xlogy.other_scalar').table


def special_xlogy_other_scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_xlogy_other_scalar[keys](self, other)


t_special_xlogy_other_scalar_out = operator('special_xlogy.other_scalar_out').table


def special_xlogy_other_scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_xlogy_other_scalar_out[keys](self, other, out)


t_special_zeta = operator('special_zeta').table


def special_zeta(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_zeta[keys](self, other)


t_special_zeta_out = operator('special_zeta.out').table


def special_zeta_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_zeta_out[keys](self, other, out)


t_special_zeta_self_scalar = operator('special_zeta.self_scalar').table


def special_zeta_self_scalar(self, other):
    keys = other._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_zeta_self_scalar[keys](self, other)


t_special_zeta_self_scalar_out = operator('special_zeta.self_scalar_out').table


def special_zeta_self_scalar_out(self, other, out):
    keys = other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_zeta_self_scalar_out[keys](self, other, out)


t_special_zeta_other_scalar = operator('special_zeta.other_scalar').table


def special_zeta_other_scalar(self, other):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_zeta_other_scalar[keys](self, other)


t_special_zeta_other_scalar_out = operator('special_zeta.other_scalar_out').table


def special_zeta_other_scalar_out(self, other, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_zeta_other_scalar_out[keys](self, other, out)


t_special_i0 = operator('special_i0').table


def special_i0(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_i0[keys](self)


t_special_i0_out = operator('special_i0.out').table


def special_i0_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_i0_out[keys](self, out)


t_special_i0e = operator('special_i0e').table


def special_i0e(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_i0e[keys](self)


t_special_i0e_out = operator('special_i0e.out').table


def special_i0e_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_i0e_out[keys](self, out)


t_special_i1 = operator('special_i1').table


def special_i1(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_i1[keys](self)


t_special_i1_out = operator('special_i1.out').table


def special_i1_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_i1_out[keys](self, out)


t_special_i1e = operator('special_i1e').table


def special_i1e(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_i1e[keys](self)


t_special_i1e_out = operator('special_i1e.out').table


def special_i1e_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_i1e_out[keys](self, out)


t_special_logit = operator('special_logit').table


def special_logit(self, eps=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_logit[keys](self, eps)


t_special_logit_out = operator('special_logit.out').table


def special_logit_out(self, eps=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_logit_out[keys](self, eps, out)


t_special_polygamma = operator('special_polygamma').table


def special_polygamma(n, self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_polygamma[keys](n, self)


t_special_polygamma_out = operator('special_polygamma.out').table


def special_polygamma_out(n, self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_polygamma_out[keys](n, self, out)


t_special_expit = operator('special_expit').table


def special_expit(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_expit[keys](self)


t_special_expit_out = operator('special_expit.out').table


def special_expit_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_expit_out[keys](self, out)


t_special_sinc = operator('special_sinc').table


def special_sinc(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_sinc[keys](self)


t_special_sinc_out = operator('special_sinc.out').table


def special_sinc_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_sinc_out[keys](self, out)


t_special_round = operator('special_round').table


def special_round(self, decimals=0):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_round[keys](self, decimals)


t_special_round_out = operator('special_round.out').table


def special_round_out(self, decimals=0, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_round_out[keys](self, decimals, out)


t_special_log1p = operator('special_log1p').table


def special_log1p(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_log1p[keys](self)


t_special_log1p_out = operator('special_log1p.out').table


def special_log1p_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_log1p_out[keys](self, out)


t_special_gammainc = operator('special_gammainc').table


def special_gammainc(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_gammainc[keys](self, other)


t_special_gammainc_out = operator('special_gammainc.out').table


def special_gammainc_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_gammainc_out[keys](self, other, out)


t_special_gammaincc = operator('special_gammaincc').table


def special_gammaincc(self, other):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_gammaincc[keys](self, other)


t_special_gammaincc_out = operator('special_gammaincc.out').table


def special_gammaincc_out(self, other, out):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_gammaincc_out[keys](self, other, out)


t_special_multigammaln = operator('special_multigammaln').table


def special_multigammaln(self, p):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_multigammaln[keys](self, p)


t_special_multigammaln_out = operator('special_multigammaln.out').table


def special_multigammaln_out(self, p, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_multigammaln_out[keys](self, p, out)


t_special_airy_ai = operator('special_airy_ai').table


def special_airy_ai(x):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_airy_ai[keys](x)


t_special_airy_ai_out = operator('special_airy_ai.out').table


def special_airy_ai_out(x, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_airy_ai_out[keys](x, out)


t_special_bessel_j0 = operator('special_bessel_j0').table


def special_bessel_j0(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_bessel_j0[keys](self)


t_special_bessel_j0_out = operator('special_bessel_j0.out').table


def special_bessel_j0_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_bessel_j0_out[keys](self, out)


t_special_bessel_j1 = operator('special_bessel_j1').table


def special_bessel_j1(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_bessel_j1[keys](self)


t_special_bessel_j1_out = operator('special_bessel_j1.out').table


def special_bessel_j1_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_bessel_j1_out[keys](self, out)


t_special_bessel_y0 = operator('special_bessel_y0').table


def special_bessel_y0(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_bessel_y0[keys](self)


t_special_bessel_y0_out = operator('special_bessel_y0.out').table


def special_bessel_y0_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_bessel_y0_out[keys](self, out)


t_special_bessel_y1 = operator('special_bessel_y1').table


def special_bessel_y1(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_bessel_y1[keys](self)


t_special_bessel_y1_out = operator('special_bessel_y1.out').table


def special_bessel_y1_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_bessel_y1_out[keys](self, out)


t_special_chebyshev_polynomial_t = operator('special_chebyshev_polynomial_t').table


def special_chebyshev_polynomial_t(x, n):
    keys = x._keys | n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_t[keys](x, n)


t_special_chebyshev_polynomial_t_out = operator('special_chebyshev_polynomial_t.out').table


def special_chebyshev_polynomial_t_out(x, n, out):
    keys = x._keys | n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_t_out[keys](x, n, out)


t_special_chebyshev_polynomial_t_x_scalar = operator('special_chebyshev_polynomial_t.x_scalar').table


def special_chebyshev_polynomial_t_x_scalar(x, n):
    keys = n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_t_x_scalar[keys](x, n)


t_special_chebyshev_polynomial_t_x_scalar_out = operator('special_chebyshev_polynomial_t.x_scalar_out').table


def special_chebyshev_polynomial_t_x_scalar_out(x, n, out):
    keys = n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_t_x_scalar_out[keys](x, n, out)


t_special_chebyshev_polynomial_t_n_scalar = operator('special_chebyshev_polynomial_t.n_scalar').table


def special_chebyshev_polynomial_t_n_scalar(x, n):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_t_n_scalar[keys](x, n)


t_special_chebyshev_polynomial_t_n_scalar_out = operator('special_chebyshev_polynomial_t.n_scalar_out').table


def special_chebyshev_polynomial_t_n_scalar_out(x, n, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_t_n_scalar_out[keys](x, n, out)


t_special_chebyshev_polynomial_u = operator('special_chebyshev_polynomial_u').table


def special_chebyshev_polynomial_u(x, n):
    keys = x._keys | n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_u[keys](x, n)


t_special_chebyshev_polynomial_u_out = operator('special_chebyshev_polynomial_u.out').table


def special_chebyshev_polynomial_u_out(x, n, out):
    keys = x._keys | n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_u_out[keys](x, n, out)


t_special_chebyshev_polynomial_u_x_scalar = operator('special_chebyshev_polynomial_u.x_scalar').table


def special_chebyshev_polynomial_u_x_scalar(x, n):
    keys = n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_u_x_scalar[keys](x, n)


t_special_chebyshev_polynomial_u_x_scalar_out = operator('special_chebyshev_polynomial_u.x_scalar_out').table


def special_chebyshev_polynomial_u_x_scalar_out(x, n, out):
    keys = n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_u_x_scalar_out[keys](x, n, out)


t_special_chebyshev_polynomial_u_n_scalar = operator('special_chebyshev_polynomial_u.n_scalar').table


def special_chebyshev_polynomial_u_n_scalar(x, n):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_u_n_scalar[keys](x, n)


t_special_chebyshev_polynomial_u_n_scalar_out = operator('special_chebyshev_polynomial_u.n_scalar_out').table


def special_chebyshev_polynomial_u_n_scalar_out(x, n, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_u_n_scalar_out[keys](x, n, out)


t_special_chebyshev_polynomial_v = operator('special_chebyshev_polynomial_v').table


def special_chebyshev_polynomial_v(x, n):
    keys = x._keys | n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_v[keys](x, n)


t_special_chebyshev_polynomial_v_out = operator('special_chebyshev_polynomial_v.out').table


def special_chebyshev_polynomial_v_out(x, n, out):
    keys = x._keys | n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_v_out[keys](x, n, out)


t_special_chebyshev_polynomial_v_x_scalar = operator('special_chebyshev_polynomial_v.x_scalar').table


def special_chebyshev_polynomial_v_x_scalar(x, n):
    keys = n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_v_x_scalar[keys](x, n)


t_special_chebyshev_polynomial_v_x_scalar_out = operator('special_chebyshev_polynomial_v.x_scalar_out').table


def special_chebyshev_polynomial_v_x_scalar_out(x, n, out):
    keys = n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_v_x_scalar_out[keys](x, n, out)


t_special_chebyshev_polynomial_v_n_scalar = operator('special_chebyshev_polynomial_v.n_scalar').table


def special_chebyshev_polynomial_v_n_scalar(x, n):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_v_n_scalar[keys](x, n)


t_special_chebyshev_polynomial_v_n_scalar_out = operator('special_chebyshev_polynomial_v.n_scalar_out').table


def special_chebyshev_polynomial_v_n_scalar_out(x, n, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_v_n_scalar_out[keys](x, n, out)


t_special_chebyshev_polynomial_w = operator('special_chebyshev_polynomial_w').table


def special_chebyshev_polynomial_w(x, n):
    keys = x._keys | n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_w[keys](x, n)


t_special_chebyshev_polynomial_w_out = operator('special_chebyshev_polynomial_w.out').table


def special_chebyshev_polynomial_w_out(x, n, out):
    keys = x._keys | n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_w_out[keys](x, n, out)


t_special_chebyshev_polynomial_w_x_scalar = operator('special_chebyshev_polynomial_w.x_scalar').table


def special_chebyshev_polynomial_w_x_scalar(x, n):
    keys = n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_w_x_scalar[keys](x, n)


t_special_chebyshev_polynomial_w_x_scalar_out = operator('special_chebyshev_polynomial_w.x_scalar_out').table


def special_chebyshev_polynomial_w_x_scalar_out(x, n, out):
    keys = n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_w_x_scalar_out[keys](x, n, out)


t_special_chebyshev_polynomial_w_n_scalar = operator('special_chebyshev_polynomial_w.n_scalar').table


def special_chebyshev_polynomial_w_n_scalar(x, n):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_w_n_scalar[keys](x, n)


t_special_chebyshev_polynomial_w_n_scalar_out = operator('special_chebyshev_polynomial_w.n_scalar_out').table


def special_chebyshev_polynomial_w_n_scalar_out(x, n, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_chebyshev_polynomial_w_n_scalar_out[keys](x, n, out)


t_special_hermite_polynomial_h = operator('special_hermite_polynomial_h').table


def special_hermite_polynomial_h(x, n):
    keys = x._keys | n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_hermite_polynomial_h[keys](x, n)


t_special_hermite_polynomial_h_out = operator('special_hermite_polynomial_h.out').table


def special_hermite_polynomial_h_out(x, n, out):
    keys = x._keys | n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_hermite_polynomial_h_out[keys](x, n, out)


t_special_hermite_polynomial_h_x_scalar = operator('special_hermite_polynomial_h.x_scalar').table


def special_hermite_polynomial_h_x_scalar(x, n):
    keys = n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_hermite_polynomial_h_x_scalar[keys](x, n)


t_special_hermite_polynomial_h_x_scalar_out = operator('special_hermite_polynomial_h.x_scalar_out').table


def special_hermite_polynomial_h_x_scalar_out(x, n, out):
    keys = n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_hermite_polynomial_h_x_scalar_out[keys](x, n, out)


t_special_hermite_polynomial_h_n_scalar = operator('special_hermite_polynomial_h.n_scalar').table


def special_hermite_polynomial_h_n_scalar(x, n):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_hermite_polynomial_h_n_scalar[keys](x, n)


t_special_hermite_polynomial_h_n_scalar_out = operator('special_hermite_polynomial_h.n_scalar_out').table


def special_hermite_polynomial_h_n_scalar_out(x, n, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_hermite_polynomial_h_n_scalar_out[keys](x, n, out)


t_special_hermite_polynomial_he = operator('special_hermite_polynomial_he').table


def special_hermite_polynomial_he(x, n):
    keys = x._keys | n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_hermite_polynomial_he[keys](x, n)


t_special_hermite_polynomial_he_out = operator('special_hermite_polynomial_he.out').table


def special_hermite_polynomial_he_out(x, n, out):
    keys = x._keys | n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_hermite_polynomial_he_out[keys](x, n, out)


t_special_hermite_polynomial_he_x_scalar = operator('special_hermite_polynomial_he.x_scalar').table


def special_hermite_polynomial_he_x_scalar(x, n):
    keys = n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_hermite_polynomial_he_x_scalar[keys](x, n)


t_special_hermite_polynomial_he_x_scalar_out = operator('special_hermite_polynomial_he.x_scalar_out').table


def special_hermite_polynomial_he_x_scalar_out(x, n, out):
    keys = n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_hermite_polynomial_he_x_scalar_out[keys](x, n, out)


t_special_hermite_polynomial_he_n_scalar = operator('special_hermite_polynomial_he.n_scalar').table


def special_hermite_polynomial_he_n_scalar(x, n):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_hermite_polynomial_he_n_scalar[keys](x, n)


t_special_hermite_polynomial_he_n_scalar_out = operator('special_hermite_polynomial_he.n_scalar_out').table


def special_hermite_polynomial_he_n_scalar_out(x, n, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_hermite_polynomial_he_n_scalar_out[keys](x, n, out)


t_special_laguerre_polynomial_l = operator('special_laguerre_polynomial_l').table


def special_laguerre_polynomial_l(x, n):
    keys = x._keys | n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_laguerre_polynomial_l[keys](x, n)


t_special_laguerre_polynomial_l_out = operator('special_laguerre_polynomial_l.out').table


def special_laguerre_polynomial_l_out(x, n, out):
    keys = x._keys | n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_laguerre_polynomial_l_out[keys](x, n, out)


t_special_laguerre_polynomial_l_x_scalar = operator('special_laguerre_polynomial_l.x_scalar').table


def special_laguerre_polynomial_l_x_scalar(x, n):
    keys = n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_laguerre_polynomial_l_x_scalar[keys](x, n)


t_special_laguerre_polynomial_l_x_scalar_out = operator('special_laguerre_polynomial_l.x_scalar_out').table


def special_laguerre_polynomial_l_x_scalar_out(x, n, out):
    keys = n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_laguerre_polynomial_l_x_scalar_out[keys](x, n, out)


t_special_laguerre_polynomial_l_n_scalar = operator('special_laguerre_polynomial_l.n_scalar').table


def special_laguerre_polynomial_l_n_scalar(x, n):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_laguerre_polynomial_l_n_scalar[keys](x, n)


t_special_laguerre_polynomial_l_n_scalar_out = operator('special_laguerre_polynomial_l.n_scalar_out').table


def special_laguerre_polynomial_l_n_scalar_out(x, n, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_laguerre_polynomial_l_n_scalar_out[keys](x, n, out)


t_special_legendre_polynomial_p = operator('special_legendre_polynomial_p').table


def special_legendre_polynomial_p(x, n):
    keys = x._keys | n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_legendre_polynomial_p[keys](x, n)


t_special_legendre_polynomial_p_out = operator('special_legendre_polynomial_p.out').table


def special_legendre_polynomial_p_out(x, n, out):
    keys = x._keys | n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_legendre_polynomial_p_out[keys](x, n, out)


t_special_legendre_polynomial_p_x_scalar = operator('special_legendre_polynomial_p.x_scalar').table


def special_legendre_polynomial_p_x_scalar(x, n):
    keys = n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_legendre_polynomial_p_x_scalar[keys](x, n)


t_special_legendre_polynomial_p_x_scalar_out = operator('special_legendre_polynomial_p.x_scalar_out').table


def special_legendre_polynomial_p_x_scalar_out(x, n, out):
    keys = n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_legendre_polynomial_p_x_scalar_out[keys](x, n, out)


t_special_legendre_polynomial_p_n_scalar = operator('special_legendre_polynomial_p.n_scalar').table


def special_legendre_polynomial_p_n_scalar(x, n):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_legendre_polynomial_p_n_scalar[keys](x, n)


t_special_legendre_polynomial_p_n_scalar_out = operator('special_legendre_polynomial_p.n_scalar_out').table


def special_legendre_polynomial_p_n_scalar_out(x, n, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_legendre_polynomial_p_n_scalar_out[keys](x, n, out)


t_special_modified_bessel_i0 = operator('special_modified_bessel_i0').table


def special_modified_bessel_i0(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_modified_bessel_i0[keys](self)


t_special_modified_bessel_i0_out = operator('special_modified_bessel_i0.out').table


def special_modified_bessel_i0_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_modified_bessel_i0_out[keys](self, out)


t_special_modified_bessel_i1 = operator('special_modified_bessel_i1').table


def special_modified_bessel_i1(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_modified_bessel_i1[keys](self)


t_special_modified_bessel_i1_out = operator('special_modified_bessel_i1.out').table


def special_modified_bessel_i1_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_modified_bessel_i1_out[keys](self, out)


t_special_modified_bessel_k0 = operator('special_modified_bessel_k0').table


def special_modified_bessel_k0(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_modified_bessel_k0[keys](self)


t_special_modified_bessel_k0_out = operator('special_modified_bessel_k0.out').table


def special_modified_bessel_k0_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_modified_bessel_k0_out[keys](self, out)


t_special_modified_bessel_k1 = operator('special_modified_bessel_k1').table


def special_modified_bessel_k1(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_modified_bessel_k1[keys](self)


t_special_modified_bessel_k1_out = operator('special_modified_bessel_k1.out').table


def special_modified_bessel_k1_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_modified_bessel_k1_out[keys](self, out)


t_special_scaled_modified_bessel_k0 = operator('special_scaled_modified_bessel_k0').table


def special_scaled_modified_bessel_k0(x):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_scaled_modified_bessel_k0[keys](x)


t_special_scaled_modified_bessel_k0_out = operator('special_scaled_modified_bessel_k0.out').table


def special_scaled_modified_bessel_k0_out(x, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_scaled_modified_bessel_k0_out[keys](x, out)


t_special_scaled_modified_bessel_k1 = operator('special_scaled_modified_bessel_k1').table


def special_scaled_modified_bessel_k1(x):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_scaled_modified_bessel_k1[keys](x)


t_special_scaled_modified_bessel_k1_out = operator('special_scaled_modified_bessel_k1.out').table


def special_scaled_modified_bessel_k1_out(x, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_scaled_modified_bessel_k1_out[keys](x, out)


t_special_shifted_chebyshev_polynomial_t = operator('special_shifted_chebyshev_polynomial_t').table


def special_shifted_chebyshev_polynomial_t(x, n):
    keys = x._keys | n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_t[keys](x, n)


t_special_shifted_chebyshev_polynomial_t_out = operator('special_shifted_chebyshev_polynomial_t.out').table


def special_shifted_chebyshev_polynomial_t_out(x, n, out):
    keys = x._keys | n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_t_out[keys](x, n, out)


t_special_shifted_chebyshev_polynomial_t_x_scalar = operator('special_shifted_chebyshev_polynomial_t.x_scalar').table


def special_shifted_chebyshev_polynomial_t_x_scalar(x, n):
    keys = n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_t_x_scalar[keys](x, n)


t_special_shifted_chebyshev_polynomial_t_x_scalar_out = operator('special_shifted_chebyshev_polynomial_t.x_scalar_out').table


def special_shifted_chebyshev_polynomial_t_x_scalar_out(x, n, out):
    keys = n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_t_x_scalar_out[keys](x, n, out)


t_special_shifted_chebyshev_polynomial_t_n_scalar = operator('special_shifted_chebyshev_polynomial_t.n_scalar').table


def special_shifted_chebyshev_polynomial_t_n_scalar(x, n):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_t_n_scalar[keys](x, n)


t_special_shifted_chebyshev_polynomial_t_n_scalar_out = operator('special_shifted_chebyshev_polynomial_t.n_scalar_out').table


def special_shifted_chebyshev_polynomial_t_n_scalar_out(x, n, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_t_n_scalar_out[keys](x, n, out)


t_special_shifted_chebyshev_polynomial_u = operator('special_shifted_chebyshev_polynomial_u').table


def special_shifted_chebyshev_polynomial_u(x, n):
    keys = x._keys | n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_u[keys](x, n)


t_special_shifted_chebyshev_polynomial_u_out = operator('special_shifted_chebyshev_polynomial_u.out').table


def special_shifted_chebyshev_polynomial_u_out(x, n, out):
    keys = x._keys | n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_u_out[keys](x, n, out)


t_special_shifted_chebyshev_polynomial_u_x_scalar = operator('special_shifted_chebyshev_polynomial_u.x_scalar').table


def special_shifted_chebyshev_polynomial_u_x_scalar(x, n):
    keys = n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_u_x_scalar[keys](x, n)


t_special_shifted_chebyshev_polynomial_u_x_scalar_out = operator('special_shifted_chebyshev_polynomial_u.x_scalar_out').table


def special_shifted_chebyshev_polynomial_u_x_scalar_out(x, n, out):
    keys = n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_u_x_scalar_out[keys](x, n, out)


t_special_shifted_chebyshev_polynomial_u_n_scalar = operator('special_shifted_chebyshev_polynomial_u.n_scalar').table


def special_shifted_chebyshev_polynomial_u_n_scalar(x, n):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_u_n_scalar[keys](x, n)


t_special_shifted_chebyshev_polynomial_u_n_scalar_out = operator('special_shifted_chebyshev_polynomial_u.n_scalar_out').table


def special_shifted_chebyshev_polynomial_u_n_scalar_out(x, n, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_u_n_scalar_out[keys](x, n, out)


t_special_shifted_chebyshev_polynomial_v = operator('special_shifted_chebyshev_polynomial_v').table


def special_shifted_chebyshev_polynomial_v(x, n):
    keys = x._keys | n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_v[keys](x, n)


t_special_shifted_chebyshev_polynomial_v_out = operator('special_shifted_chebyshev_polynomial_v.out').table


def special_shifted_chebyshev_polynomial_v_out(x, n, out):
    keys = x._keys | n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_v_out[keys](x, n, out)


t_special_shifted_chebyshev_polynomial_v_x_scalar = operator('special_shifted_chebyshev_polynomial_v.x_scalar').table


def special_shifted_chebyshev_polynomial_v_x_scalar(x, n):
    keys = n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_v_x_scalar[keys](x, n)


t_special_shifted_chebyshev_polynomial_v_x_scalar_out = operator('special_shifted_chebyshev_polynomial_v.x_scalar_out').table


def special_shifted_chebyshev_polynomial_v_x_scalar_out(x, n, out):
    keys = n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_v_x_scalar_out[keys](x, n, out)


t_special_shifted_chebyshev_polynomial_v_n_scalar = operator('special_shifted_chebyshev_polynomial_v.n_scalar').table


def special_shifted_chebyshev_polynomial_v_n_scalar(x, n):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_v_n_scalar[keys](x, n)


t_special_shifted_chebyshev_polynomial_v_n_scalar_out = operator('special_shifted_chebyshev_polynomial_v.n_scalar_out').table


def special_shifted_chebyshev_polynomial_v_n_scalar_out(x, n, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_v_n_scalar_out[keys](x, n, out)


t_special_shifted_chebyshev_polynomial_w = operator('special_shifted_chebyshev_polynomial_w').table


def special_shifted_chebyshev_polynomial_w(x, n):
    keys = x._keys | n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_w[keys](x, n)


t_special_shifted_chebyshev_polynomial_w_out = operator('special_shifted_chebyshev_polynomial_w.out').table


def special_shifted_chebyshev_polynomial_w_out(x, n, out):
    keys = x._keys | n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_w_out[keys](x, n, out)


t_special_shifted_chebyshev_polynomial_w_x_scalar = operator('special_shifted_chebyshev_polynomial_w.x_scalar').table


def special_shifted_chebyshev_polynomial_w_x_scalar(x, n):
    keys = n._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_w_x_scalar[keys](x, n)


t_special_shifted_chebyshev_polynomial_w_x_scalar_out = operator('special_shifted_chebyshev_polynomial_w.x_scalar_out').table


def special_shifted_chebyshev_polynomial_w_x_scalar_out(x, n, out):
    keys = n._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_w_x_scalar_out[keys](x, n, out)


t_special_shifted_chebyshev_polynomial_w_n_scalar = operator('special_shifted_chebyshev_polynomial_w.n_scalar').table


def special_shifted_chebyshev_polynomial_w_n_scalar(x, n):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_w_n_scalar[keys](x, n)


t_special_shifted_chebyshev_polynomial_w_n_scalar_out = operator('special_shifted_chebyshev_polynomial_w.n_scalar_out').table


def special_shifted_chebyshev_polynomial_w_n_scalar_out(x, n, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_shifted_chebyshev_polynomial_w_n_scalar_out[keys](x, n, out)


t_special_spherical_bessel_j0 = operator('special_spherical_bessel_j0').table


def special_spherical_bessel_j0(x):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_spherical_bessel_j0[keys](x)


t_special_spherical_bessel_j0_out = operator('special_spherical_bessel_j0.out').table


def special_spherical_bessel_j0_out(x, out):
    keys = x._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_special_spherical_bessel_j0_out[keys](x, out)


t__pixel_place = operator('_pixel_place').table


def _pixel_place(at, n, mode, padding, align_corners):
    keys = at._keys
    if state.active:
        keys = state.effective(keys)
    return t__pixel_place[keys](at, n, mode, padding, align_corners)


t__pixel_index = operator('_pixel_index').table


def _pixel_index(place, tap, n, mode, padding, align_corners):
    keys = place._keys | tap._keys
    if state.active:
        keys = state.effective(keys)
    return t__pixel_index[keys](place, tap, n, mode, padding, align_corners)


t__pixel_share = operator('_pixel_share').table


def _pixel_share(place, tap, mode):
    keys = place._keys | tap._keys
    if state.active:
        keys = state.effective(keys)
    return t__pixel_share[keys](place, tap, mode)


t__joined_index = operator('_joined_index').table


def _joined_index(row, pixel, n):
    keys = row._keys | pixel._keys
    if state.active:
        keys = state.effective(keys)
    return t__joined_index[keys](row, pixel, n)


t__seen_share = operator('_seen_share').table


def _seen_share(pixel, share, index):
    keys = pixel._keys | share._keys | index._keys
    if state.active:
        keys = state.effective(keys)
    return t__seen_share[keys](pixel, share, index)
