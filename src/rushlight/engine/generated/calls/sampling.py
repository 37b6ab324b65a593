"""Call functions of the family sampling. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_rand = operator('rand').table


def rand(size, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_rand[keys](size, dtype, layout, device, pin_memory)


t_rand_out = operator('rand.out').table


def rand_out(size, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_rand_out[keys](size, out)


t_rand_generator = operator('rand.generator').table


def rand_generator(size, generator, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_rand_generator[keys](size, generator, dtype, layout, device, pin_memory)


t_rand_generator_out = operator('rand.generator_out').table


def rand_generator_out(size, generator, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_rand_generator_out[keys](size, generator, out)


t_randn = operator('randn').table


def randn(size, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_randn[keys](size, dtype, layout, device, pin_memory)


t_randn_out = operator('randn.out').table


def randn_out(size, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_randn_out[keys](size, out)


t_randn_generator = operator('randn.generator').table


def randn_generator(size, generator, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_randn_generator[keys](size, generator, dtype, layout, device, pin_memory)


t_randn_generator_out = operator('randn.generator_out').table


def randn_generator_out(size, generator, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_randn_generator_out[keys](size, generator, out)


t_randint = operator('randint').table


def randint(high, size, dtype=constants.long, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_randint[keys](high, size, dtype, layout, device, pin_memory)


t_randint_generator = operator('randint.generator').table


def randint_generator(high, size, generator, dtype=constants.long, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_randint_generator[keys](high, size, generator, dtype, layout, device, pin_memory)


t_randint_low = operator('randint.low').table


def randint_low(low, high, size, dtype=constants.long, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_randint_low[keys](low, high, size, dtype, layout, device, pin_memory)


t_randint_low_generator = operator('randint.low_generator').table


def randint_low_generator(low, high, size, generator, dtype=constants.long, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_randint_low_generator[keys](low, high, size, generator, dtype, layout, device, pin_memory)


t_randint_out = operator('randint.out').table


def randint_out(high, size, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_randint_out[keys](high, size, out)


t_randint_generator_out = operator('randint.generator_out').table


def randint_generator_out(high, size, generator, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_randint_generator_out[keys](high, size, generator, out)


t_randint_low_out = operator('randint.low_out').table


def randint_low_out(low, high, size, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_randint_low_out[keys](low, high, size, out)


t_randint_low_generator_out = operator('randint.low_generator_out').table


def randint_low_generator_out(low, high, size, generator, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_randint_low_generator_out[keys](low, high, size, generator, out)


t_randperm = operator('randperm').table


def randperm(n, dtype=constants.long, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_randperm[keys](n, dtype, layout, device, pin_memory)


t_randperm_generator = operator('randperm.generator').table


def randperm_generator(n, generator, dtype=constants.long, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_randperm_generator[keys](n, generator, dtype, layout, device, pin_memory)


t_randperm_out = operator('randperm.out').table


def randperm_out(n, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_randperm_out[keys](n, out)


t_randperm_generator_out = operator('randperm.generator_out').table


def randperm_generator_out(n, generator, out):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_randperm_generator_out[keys](n, generator, out)


t_rand_like = operator('rand_like').table


def rand_like(self, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_rand_like[keys](self, dtype, layout, device, pin_memory, memory_format)


t_rand_like_generator = operator('rand_like.generator').table


def rand_like_generator(self, generator, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_rand_like_generator[keys](self, generator, dtype, layout, device, pin_memory, memory_format)


t_randn_like = operator('randn_like').table


def randn_like(self, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_randn_like[keys](self, dtype, layout, device, pin_memory, memory_format)


t_randn_like_generator = operator('randn_like.generator').table


def randn_like_generator(self, generator, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_randn_like_generator[keys](self, generator, dtype, layout, device, pin_memory, memory_format)


t_randint_like = operator('randint_like').table


def randint_like(self, high, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_randint_like[keys](self, high, dtype, layout, device, pin_memory, memory_format)


t_randint_like_Tensor = operator('randint_like.Tensor').table


def randint_like_Tensor(self, high, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys | high._keys
    if state.active:
        keys = state.effective(keys)
    return t_randint_like_Tensor[keys](self, high, dtype, layout, device, pin_memory, memory_format)


t_randint_like_low_dtype = operator('randint_like.low_dtype').table


def randint_like_low_dtype(self, low, high, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_randint_like_low_dtype[keys](self, low, high, dtype, layout, device, pin_memory, memory_format)


t_randint_like_generator = operator('randint_like.generator').table


def randint_like_generator(self, high, generator, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_randint_like_generator[keys](self, high, generator, dtype, layout, device, pin_memory, memory_format)


t_randint_like_Tensor_generator = operator('randint_like.Tensor_generator').table


def randint_like_Tensor_generator(self, high, generator, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys | high._keys
    if state.active:
        keys = state.effective(keys)
    return t_randint_like_Tensor_generator[keys](self, high, generator, dtype, layout, device, pin_memory, memory_format)


t_randint_like_low_generator_dtype = operator('randint_like.low_generator_dtype').table


def randint_like_low_generator_dtype(self, low, high, generator, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_randint_like_low_generator_dtype[keys](self, low, high, generator, dtype, layout, device, pin_memory, memory_format)


t_normal_Tensor_float = operator('normal.Tensor_float').table


def normal_Tensor_float(mean, std=1.0, generator=None):
    keys = mean._keys
    if state.active:
        keys = state.effective(keys)
    return t_normal_Tensor_float[keys](mean, std, generator)


t_normal_Tensor_float_out = operator('normal.Tensor_float_out').table


def normal_Tensor_float_out(mean, std=1.0, generator=None, out=constants.REQUIRED):
    keys = mean._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_normal_Tensor_float_out[keys](mean, std, generator, out)


t_normal_float_Tensor = operator('normal.float_Tensor').table


def normal_float_Tensor(mean, std, generator=None):
    keys = std._keys
    if state.active:
        keys = state.effective(keys)
    return t_normal_float_Tensor[keys](mean, std, generator)


t_normal_float_Tensor_out = operator('normal.float_Tensor_out').table


def normal_float_Tensor_out(mean, std, generator=None, out=constants.REQUIRED):
    keys = std._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_normal_float_Tensor_out[keys](mean, std, generator, out)


t_normal_Tensor_Tensor = operator('normal.Tensor_Tensor').table


def normal_Tensor_Tensor(mean, std, generator=None):
    keys = mean._keys | std._keys
    if state.active:
        keys = state.effective(keys)
    return t_normal_Tensor_Tensor[keys](mean, std, generator)


t_normal_Tensor_Tensor_out = operator('normal.Tensor_Tensor_out').table


def normal_Tensor_Tensor_out(mean, std, generator=None, out=constants.REQUIRED):
    keys = mean._keys | std._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_normal_Tensor_Tensor_out[keys](mean, std, generator, out)


t_normal_float_float = operator('normal.float_float').table


def normal_float_float(mean, std, size, generator=None, dtype=None, layout=None, device=None, pin_memory=None):
    keys = factory_keys(device)
    if state.active:
        keys = state.effective(keys)
    return t_normal_float_float[keys](mean, std, size, generator, dtype, layout, device, pin_memory)


t_normal_float_float_out = operator('normal.float_float_out').table


def normal_float_float_out(mean, std, size, generator=None, out=constants.REQUIRED):
    keys = out._keys
    if state.active:
        keys = state.effective(keys)
    return t_normal_float_float_out[keys](mean, std, size, generator, out)


t_normal_ = operator('normal_').table


def normal_(self, mean=0.0, std=1.0, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_normal_[keys](self, mean, std, generator)


t_uniform_ = operator('uniform_').table


def uniform_(self, from_=0.0, to=1.0, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_uniform_[keys](self, from_, to, generator)


t_log_normal_ = operator('log_normal_').table


def log_normal_(self, mean=1.0, std=2.0, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_log_normal_[keys](self, mean, std, generator)


t_cauchy_ = operator('cauchy_').table


def cauchy_(self, median=0.0, sigma=1.0, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_cauchy_[keys](self, median, sigma, generator)


t_exponential_ = operator('exponential_').table


def exponential_(self, lambd=1.0, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_exponential_[keys](self, lambd, generator)


t_geometric_ = operator('geometric_').table


def geometric_(self, p, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_geometric_[keys](self, p, generator)


t_random__from = operator('random_.from').table


def random__from(self, from_, to, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_random__from[keys](self, from_, to, generator)


t_random__to = operator('random_.to').table


def random__to(self, to, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_random__to[keys](self, to, generator)


t_random_ = operator('random_').table


def random_(self, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_random_[keys](self, generator)


t_bernoulli = operator('bernoulli').table


def bernoulli(self, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bernoulli[keys](self, generator)


t_bernoulli_out = operator('bernoulli.out').table


def bernoulli_out(self, generator=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_bernoulli_out[keys](self, generator, out)


t_bernoulli_p = operator('bernoulli.p').table


def bernoulli_p(self, p, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bernoulli_p[keys](self, p, generator)


t_bernoulli_Tensor = operator('bernoulli.Tensor').table


def bernoulli_Tensor(self, p, generator=None):
    keys = self._keys | p._keys
    if state.active:
        keys = state.effective(keys)
    return t_bernoulli_Tensor[keys](self, p, generator)


t_bernoulli__Tensor = operator('bernoulli_.Tensor').table


def bernoulli__Tensor(self, p, generator=None):
    keys = self._keys | p._keys
    if state.active:
        keys = state.effective(keys)
    return t_bernoulli__Tensor[keys](self, p, generator)


t_bernoulli__float = operator('bernoulli_.float').table


def bernoulli__float(self, p=0.5, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_bernoulli__float[keys](self, p, generator)


t_multinomial = operator('multinomial').table


def multinomial(self, num_samples, replacement=False, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_multinomial[keys](self, num_samples, replacement, generator)


t_multinomial_out = operator('multinomial.out').table


def multinomial_out(self, num_samples, replacement=False, generator=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_multinomial_out[keys](self, num_samples, replacement, generator, out)


t_poisson = operator('poisson').table


def poisson(self, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_poisson[keys](self, generator)


t_binomial = operator('binomial').table


def binomial(count, prob, generator=None):
    keys = count._keys | prob._keys
    if state.active:
        keys = state.effective(keys)
    return t_binomial[keys](count, prob, generator)


t__standard_gamma = operator('_standard_gamma').table


def _standard_gamma(self, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__standard_gamma[keys](self, generator)


t__standard_gamma_grad = operator('_standard_gamma_grad').table


def _standard_gamma_grad(self, output):
    keys = self._keys | output._keys
    if state.active:
        keys = state.effective(keys)
    return t__standard_gamma_grad[keys](self, output)


t__dirichlet_grad = operator('_dirichlet_grad').table


def _dirichlet_grad(x, alpha, total):
    keys = x._keys | alpha._keys | total._keys
    if state.active:
        keys = state.effective(keys)
    return t__dirichlet_grad[keys](x, alpha, total)


t__sample_dirichlet = operator('_sample_dirichlet').table


def _sample_dirichlet(self, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__sample_dirichlet[keys](self, generator)


t_dropout = operator('dropout').table


def dropout(input, p, train):
    keys = input._keys
    if state.active:
        keys = state.effective(keys)
    return t_dropout[keys](input, p, train)


t_dropout_ = operator('dropout_').table


def dropout_(self, p, train):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_dropout_[keys](self, p, train)


t_feature_dropout = operator('feature_dropout').table


def feature_dropout(input, p, train):
    keys = input._keys
    if state.active:
        keys = state.effective(keys)
    return t_feature_dropout[keys](input, p, train)


t_feature_dropout_ = operator('feature_dropout_').table


def feature_dropout_(self, p, train):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_feature_dropout_[keys](self, p, train)


t_alpha_dropout = operator('alpha_dropout').table


def alpha_dropout(input, p, train):
    keys = input._keys
    if state.active:
        keys = state.effective(keys)
    return t_alpha_dropout[keys](input, p, train)


t_alpha_dropout_ = operator('alpha_dropout_').table


def alpha_dropout_(self, p, train):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_alpha_dropout_[keys](self, p, train)


t_feature_alpha_dropout = operator('feature_alpha_dropout').table


def feature_alpha_dropout(input, p, train):
    keys = input._keys
    if state.active:
        keys = state.effective(keys)
    return t_feature_alpha_dropout[keys](input, p, train)


t_feature_alpha_dropout_ = operator('feature_alpha_dropout_').table


def feature_alpha_dropout_(self, p, train):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_feature_alpha_dropout_[keys](self, p, train)


t_native_dropout = operator('native_dropout').table


def native_dropout(input, p, train):
    keys = input._keys
    if state.active:
        keys = state.effective(keys)
    return t_native_dropout[keys](input, p, train)


t_native_dropout_backward = operator('native_dropout_backward').table


def native_dropout_backward(grad_output, mask, scale):
    keys = grad_output._keys | mask._keys
    if state.active:
        keys = state.effective(keys)
    return t_native_dropout_backward[keys](grad_output, mask, scale)


t__fused_dropout = operator('_fused_dropout').table


def _fused_dropout(self, p, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__fused_dropout[keys](self, p, generator)


t_rrelu = operator('rrelu').table


def rrelu(self, lower=0.125, upper=0.3333333333333333, training=False, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_rrelu[keys](self, lower, upper, training, generator)


t_rrelu_ = operator('rrelu_').table


def rrelu_(self, lower=0.125, upper=0.3333333333333333, training=False, generator=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_rrelu_[keys](self, lower, upper, training, generator)
