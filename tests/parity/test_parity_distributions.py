"""Every distribution against PyTorch's: samples bit by bit, densities, moments, divergences."""

import numpy
import pytest

torch = pytest.importorskip("torch")

import rushlight  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

# How each distribution is made: a function of a library.
MADE = {
    "Normal": lambda t: t.distributions.Normal(t.tensor([0.5, -1.0]), t.tensor([1.0, 2.0])),
    "Normal of numbers": lambda t: t.distributions.Normal(0.5, 2.0),
    "Bernoulli": lambda t: t.distributions.Bernoulli(t.tensor([0.2, 0.5, 0.9])),
    "Bernoulli of logits": lambda t: t.distributions.Bernoulli(logits=t.tensor([-1.0, 0.0, 2.0])),
    "Beta": lambda t: t.distributions.Beta(t.tensor([0.5, 2.0]), t.tensor([1.5, 3.0])),
    "Binomial": lambda t: t.distributions.Binomial(5, t.tensor([0.3, 0.8])),
    "Categorical": lambda t: t.distributions.Categorical(t.tensor([[0.2, 0.3, 0.5], [1.0, 1, 2]])),
    "Categorical of logits": lambda t: t.distributions.Categorical(logits=t.tensor([0.1, -1.0, 2])),
    "Cauchy": lambda t: t.distributions.Cauchy(t.tensor([0.0, 1.0]), t.tensor([1.0, 0.5])),
    "Chi2": lambda t: t.distributions.Chi2(t.tensor([1.0, 4.0])),
    "ContinuousBernoulli": lambda t: t.distributions.ContinuousBernoulli(t.tensor([0.2, 0.5, 0.7])),
    "Dirichlet": lambda t: t.distributions.Dirichlet(t.tensor([[0.5, 2.0, 3.0], [1, 1, 1.5]])),
    "Exponential": lambda t: t.distributions.Exponential(t.tensor([0.5, 2.0])),
    "FisherSnedecor": lambda t: t.distributions.FisherSnedecor(
        t.tensor([3.0, 5]), t.tensor([4.0, 9])
    ),
    "Gamma": lambda t: t.distributions.Gamma(t.tensor([0.5, 3.0]), t.tensor([1.0, 2.0])),
    "GeneralizedPareto": lambda t: t.distributions.GeneralizedPareto(
        t.tensor([0.0, 1.0]), t.tensor([1.0, 2.0]), t.tensor([0.1, 0.3])
    ),
    "Geometric": lambda t: t.distributions.Geometric(t.tensor([0.2, 0.7])),
    "Gumbel": lambda t: t.distributions.Gumbel(t.tensor([0.0, 1.0]), t.tensor([1.0, 2.0])),
    "HalfCauchy": lambda t: t.distributions.HalfCauchy(t.tensor([1.0, 2.0])),
    "HalfNormal": lambda t: t.distributions.HalfNormal(t.tensor([1.0, 2.0])),
    "Independent": lambda t: t.distributions.Independent(
        t.distributions.Normal(t.zeros(2, 3), t.ones(2, 3)), 1
    ),
    "InverseGamma": lambda t: t.distributions.InverseGamma(
        t.tensor([1.5, 3.0]), t.tensor([1.0, 2])
    ),
    "Kumaraswamy": lambda t: t.distributions.Kumaraswamy(t.tensor([1.5, 2.0]), t.tensor([2.0, 3])),
    "LKJCholesky": lambda t: t.distributions.LKJCholesky(3, t.tensor([0.5, 2.0])),
    "Laplace": lambda t: t.distributions.Laplace(t.tensor([0.0, 1.0]), t.tensor([1.0, 2.0])),
    "LogNormal": lambda t: t.distributions.LogNormal(t.tensor([0.0, 1.0]), t.tensor([1.0, 0.5])),
    "LogisticNormal": lambda t: t.distributions.LogisticNormal(
        t.tensor([0.0, 1.0]), t.tensor([1.0, 2])
    ),
    "LowRankMultivariateNormal": lambda t: t.distributions.LowRankMultivariateNormal(
        t.tensor([0.0, 1.0, 2.0]), t.tensor([[1.0], [0.5], [0.2]]), t.tensor([1.0, 2.0, 0.5])
    ),
    "MixtureSameFamily": lambda t: t.distributions.MixtureSameFamily(
        t.distributions.Categorical(t.tensor([0.3, 0.7])),
        t.distributions.Normal(t.tensor([0.0, 3.0]), t.tensor([1.0, 0.5])),
    ),
    "Multinomial": lambda t: t.distributions.Multinomial(5, t.tensor([[0.2, 0.3, 0.5]])),
    "MultivariateNormal": lambda t: t.distributions.MultivariateNormal(
        t.tensor([[0.0, 1.0], [1, 2]]), t.tensor([[2.0, 0.5], [0.5, 1.0]])
    ),
    "MultivariateNormal of precision": lambda t: t.distributions.MultivariateNormal(
        t.tensor([0.0, 1.0]), precision_matrix=t.tensor([[2.0, 0.5], [0.5, 1.0]])
    ),
    "NegativeBinomial": lambda t: t.distributions.NegativeBinomial(
        t.tensor([3.0, 5.0]), t.tensor([0.3, 0.6])
    ),
    "OneHotCategorical": lambda t: t.distributions.OneHotCategorical(t.tensor([0.2, 0.3, 0.5])),
    "OneHotCategoricalStraightThrough": lambda t: t.distributions.OneHotCategoricalStraightThrough(
        t.tensor([0.2, 0.3, 0.5])
    ),
    "Pareto": lambda t: t.distributions.Pareto(t.tensor([1.0, 2.0]), t.tensor([1.5, 3.0])),
    "Poisson": lambda t: t.distributions.Poisson(t.tensor([0.5, 4.0])),
    "RelaxedBernoulli": lambda t: t.distributions.RelaxedBernoulli(
        t.tensor(0.5), t.tensor([0.2, 0.7])
    ),
    "RelaxedOneHotCategorical": lambda t: t.distributions.RelaxedOneHotCategorical(
        t.tensor(0.5), t.tensor([0.2, 0.3, 0.5])
    ),
    "StudentT": lambda t: t.distributions.StudentT(t.tensor([1.5, 5.0]), 1.0, t.tensor([1.0, 2.0])),
    "TransformedDistribution": lambda t: t.distributions.TransformedDistribution(
        t.distributions.Normal(t.zeros(2), t.ones(2)),
        [t.distributions.AffineTransform(1.0, 2.0), t.distributions.TanhTransform()],
    ),
    "Uniform": lambda t: t.distributions.Uniform(t.tensor([0.0, -1.0]), t.tensor([1.0, 2.0])),
    "VonMises": lambda t: t.distributions.VonMises(t.tensor([0.0, 1.0]), t.tensor([1.0, 5.0])),
    "Weibull": lambda t: t.distributions.Weibull(t.tensor([1.0, 2.0]), t.tensor([1.5, 3.0])),
    "Wishart": lambda t: t.distributions.Wishart(t.tensor(4.0), t.tensor([[2.0, 0.5], [0.5, 1.0]])),
}
# Products of matrices round in another order.
INEXACT = {"LowRankMultivariateNormal", "Wishart", "MultivariateNormal of precision", "LKJCholesky"}
INEXACT |= {"MultivariateNormal", "LogisticNormal", "TransformedDistribution", "Weibull"}
INEXACT |= {"ContinuousBernoulli", "Kumaraswamy", "VonMises", "Gumbel", "InverseGamma"}
# PyTorch's exponentials differ in the last bit from processor to processor.
INEXACT |= {"LogNormal"}


def close(mine, theirs, exact=False):
    mine, theirs = numpy.asarray(mine.tolist()), numpy.asarray(theirs.tolist())
    assert mine.shape == theirs.shape
    tolerance = {"rtol": 0, "atol": 0} if exact else {"rtol": 2e-5, "atol": 2e-6}
    numpy.testing.assert_allclose(mine, theirs, equal_nan=True, **tolerance)


def both(call):
    """What a function of a library gives in each, or the kind of error."""
    found = []
    for lib in (rushlight, torch):
        try:
            found.append(call(lib))
        except (NotImplementedError, ValueError, RuntimeError) as error:
            found.append(type(error))
    mine, theirs = found
    assert isinstance(mine, type) == isinstance(theirs, type), (mine, theirs)
    if isinstance(mine, type):
        assert mine is theirs
        return None
    return mine, theirs


def sampled(lib, made, shape=()):
    lib.manual_seed(3)
    if type(made).__name__ == "Wishart":
        # PyTorch takes sound samples for singular ones and draws them again, ten times.
        return made._bartlett_sampling(shape)
    return made.sample(shape)


@pytest.mark.parametrize("name", MADE)
def test_samples(name):
    mine, theirs = MADE[name](rushlight), MADE[name](torch)
    for shape in ((), (4,), (2, 3)):
        one, other = sampled(rushlight, mine, shape), sampled(torch, theirs, shape)
        assert tuple(one.shape) == tuple(other.shape)
        close(one, other, exact=name not in INEXACT and "Relaxed" not in name)


@pytest.mark.parametrize("name", MADE)
def test_what_it_says_of_values(name):
    mine, theirs = MADE[name](rushlight), MADE[name](torch)
    values = sampled(torch, theirs, (5,))
    same = rushlight.tensor(values.tolist(), dtype=getattr(rushlight, str(values.dtype)[6:]))
    given = {rushlight: (mine, same), torch: (theirs, values)}
    for what in ("log_prob", "cdf"):
        pair = both(lambda lib: getattr(given[lib][0], what)(given[lib][1]))  # noqa: B023
        if pair:
            close(*pair)
    pair = both(lambda lib: given[lib][0].icdf(lib.tensor([[0.1], [0.5], [0.9]])))
    if pair:
        close(*pair)


@pytest.mark.parametrize("name", MADE)
def test_what_it_is(name):
    made = {lib: MADE[name](lib) for lib in (rushlight, torch)}
    for what in ("mean", "variance", "stddev", "mode"):
        pair = both(lambda lib: getattr(made[lib], what))  # noqa: B023
        if pair:
            close(*pair)
    pair = both(lambda lib: made[lib].entropy())
    if pair:
        close(*pair)
    pair = both(lambda lib: made[lib].enumerate_support())
    if pair:
        close(*pair)
    for what in ("batch_shape", "event_shape", "has_rsample", "has_enumerate_support"):
        assert getattr(made[rushlight], what) == getattr(made[torch], what), what
    assert repr(made[rushlight]) == repr(made[torch])
    mine, theirs = made[rushlight].support, made[torch].support
    assert type(mine).__name__ == type(theirs).__name__ and mine.event_dim == theirs.event_dim


@pytest.mark.parametrize("name", MADE)
def test_expanding(name):
    made = {lib: MADE[name](lib) for lib in (rushlight, torch)}
    shape = (3, *made[torch].batch_shape)
    one, other = (made[lib].expand(lib.Size(shape)) for lib in (rushlight, torch))
    assert tuple(one.batch_shape) == tuple(other.batch_shape) == shape
    assert type(one) is type(made[rushlight])
    drawn, theirs = sampled(rushlight, one), sampled(torch, other)
    close(drawn, theirs)
    if name == "LogisticNormal":
        return
    close(one.log_prob(drawn), other.log_prob(theirs))


class Recording:
    """A library whose `tensor` makes parameters and keeps them."""

    def __init__(self, lib):
        self.lib, self.made = lib, []

    def __getattr__(self, name):
        return getattr(self.lib, name)

    def tensor(self, *args):
        self.made.append(self.lib.tensor(*args).requires_grad_())
        return self.made[-1]


@pytest.mark.parametrize("name", [n for n in MADE if n != "Wishart"])
def test_gradients_of_samples(name):
    def gradients(lib):
        recording = Recording(lib)
        made = MADE[name](recording)
        lib.manual_seed(1)
        if not made.has_rsample or not recording.made:
            return []
        drawn = made.rsample((3,))
        found = lib.autograd.grad((drawn**2).sum(), recording.made, allow_unused=True)
        return [g for g in found if g is not None]

    mine, theirs = gradients(rushlight), gradients(torch)
    assert len(mine) == len(theirs)
    for one, other in zip(mine, theirs):
        numpy.testing.assert_allclose(one.tolist(), other.tolist(), rtol=2e-3, atol=1e-5)


def test_divergences():
    makers = {n: m for n, m in MADE.items() if " of " not in n}
    count = 0
    for make_p in makers.values():
        for make_q in makers.values():

            def divergence(lib):
                return lib.distributions.kl_divergence(make_p(lib), make_q(lib))  # noqa: B023

            try:
                expected = divergence(torch)
            except (NotImplementedError, RuntimeError, ValueError) as error:
                with pytest.raises(type(error)):
                    divergence(rushlight)
                continue
            count += 1
            close(divergence(rushlight), expected)
    assert count > 80


TRANSFORMS = {
    "exp": lambda d, t: d.ExpTransform(),
    "power": lambda d, t: d.PowerTransform(t.tensor([2.0, 0.5, -1.0])),
    "sigmoid": lambda d, t: d.SigmoidTransform(),
    "softplus": lambda d, t: d.SoftplusTransform(),
    "tanh": lambda d, t: d.TanhTransform(),
    "abs": lambda d, t: d.AbsTransform(),
    "affine": lambda d, t: d.AffineTransform(t.tensor([0.0, 1.0, 2.0]), 3.0),
    "softmax": lambda d, t: d.SoftmaxTransform(),
    "sticks": lambda d, t: d.StickBreakingTransform(),
    "composed": lambda d, t: d.ComposeTransform([d.AffineTransform(0.5, 0.2), d.TanhTransform()]),
    "independent": lambda d, t: d.IndependentTransform(d.ExpTransform(), 1),
    "inverse": lambda d, t: d.ExpTransform().inv,
    "correlation": lambda d, t: d.CorrCholeskyTransform(),
    "cat": lambda d, t: d.CatTransform([d.ExpTransform(), d.TanhTransform()], -1, [1, 2]),
    "stack": lambda d, t: d.StackTransform(
        [d.ExpTransform(), d.TanhTransform(), d.SigmoidTransform()], -1
    ),
    "distribution": lambda d, t: d.CumulativeDistributionTransform(d.Normal(0.0, 1.0)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(name):
    results = []
    for lib in (rushlight, torch):
        transform = TRANSFORMS[name](lib.distributions, lib)
        x = lib.tensor([[0.2, 0.7, 0.4], [1.1, 0.3, 0.9]])
        y = transform(x)
        row = [y, transform.inv(y)]
        try:
            row.append(transform.log_abs_det_jacobian(x, y))
        except NotImplementedError:
            row.append(lib.zeros(1))
        results.append((row, repr(transform), transform.domain.event_dim))
    for mine, theirs in zip(results[0][0], results[1][0]):
        close(mine, theirs)
    assert results[0][1:] == results[1][1:]


def test_transforms_into_sets():
    for name in (
        "real", "positive", "nonnegative", "unit_interval", "simplex", "lower_cholesky",
        "positive_definite", "real_vector",
    ):  # fmt: skip
        results = []
        for lib in (rushlight, torch):
            d = lib.distributions
            constraint = getattr(d.constraints, name)
            x = lib.tensor([[0.2, 0.7, 0.4], [1.1, 0.3, 0.9], [0.1, 0.2, 0.3]])
            y = d.transform_to(constraint)(x)
            assert constraint.check(y).all()
            results.append(y)
        close(*results)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t: t.distributions.Normal(0.0, -1.0),
        lambda t: t.distributions.Normal(t.zeros(2), 1.0).log_prob(t.ones(3)),
        lambda t: t.distributions.Bernoulli(2.0),
        lambda t: t.distributions.Normal(0.0, 1.0).log_prob(3),
        lambda t: t.distributions.Categorical(),
        lambda t: t.distributions.Poisson(1.0).log_prob(t.tensor(0.5)),
        lambda t: t.distributions.kl_divergence(
            t.distributions.Normal(0.0, 1.0), t.distributions.Poisson(1.0)
        ),
        lambda t: t.distributions.MultivariateNormal(t.zeros(2)),
        lambda t: t.distributions.Independent(t.distributions.Normal(0.0, 1.0), 1),
        lambda t: t.distributions.Normal("a", 1.0),
        lambda t: t.distributions.LKJCholesky(1),
    ],
)
def test_what_is_refused(wrong):
    errors = []
    for lib in (rushlight, torch):
        with pytest.raises(Exception) as caught:
            wrong(lib)
        errors.append(caught.value)
    assert type(errors[0]) is type(errors[1])
    assert str(errors[0]).split() == str(errors[1]).split()
