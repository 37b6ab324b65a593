"""Distributions against facts that need no other library."""

import math

import pytest

import rushlight as torch

d = torch.distributions
SCALARS = {
    "normal": d.Normal(torch.tensor([0.5, -1.0]), torch.tensor([1.0, 2.0])),
    "laplace": d.Laplace(torch.tensor(0.5), torch.tensor(2.0)),
    "gumbel": d.Gumbel(torch.tensor(0.5), torch.tensor(2.0)),
    "uniform": d.Uniform(-1.0, 3.0),
    "exponential": d.Exponential(torch.tensor([0.5, 2.0])),
    "gamma": d.Gamma(torch.tensor(3.0), torch.tensor(2.0)),
    "beta": d.Beta(torch.tensor(2.0), torch.tensor(3.0)),
    "log normal": d.LogNormal(torch.tensor(0.0), torch.tensor(0.25)),
    "half normal": d.HalfNormal(torch.tensor(2.0)),
    "weibull": d.Weibull(torch.tensor(1.0), torch.tensor(2.0)),
    "kumaraswamy": d.Kumaraswamy(torch.tensor(2.0), torch.tensor(3.0)),
    "student": d.StudentT(torch.tensor(8.0)),
    "poisson": d.Poisson(torch.tensor([0.5, 4.0])),
    "bernoulli": d.Bernoulli(torch.tensor([0.2, 0.7])),
    "binomial": d.Binomial(6, torch.tensor(0.4)),
    "geometric": d.Geometric(torch.tensor(0.4)),
    "negative binomial": d.NegativeBinomial(torch.tensor(3.0), torch.tensor(0.4)),
    "mixture": d.MixtureSameFamily(
        d.Categorical(torch.tensor([0.3, 0.7])), d.Normal(torch.tensor([0.0, 3.0]), 1.0)
    ),
}


@pytest.mark.parametrize("name", SCALARS)
def test_moments_of_samples(name):
    made = SCALARS[name]
    torch.manual_seed(0)
    drawn = made.sample((40000,))
    assert drawn.shape == (40000, *made.batch_shape)
    spread = made.variance.sqrt()
    assert ((drawn.mean(0) - made.mean).abs() < 0.03 * (1 + spread)).all()
    assert ((drawn.var(0) - made.variance).abs() < 0.15 * (1 + made.variance)).all()
    assert made.support.check(drawn).all()


@pytest.mark.parametrize(
    "name", ["normal", "laplace", "gumbel", "uniform", "exponential", "weibull", "kumaraswamy"]
)
def test_probabilities_and_back(name):
    made = SCALARS[name]
    at = torch.tensor([[0.1], [0.5], [0.9]])
    values = made.icdf(at)
    assert torch.allclose(made.cdf(values), at.expand_as(values), atol=1e-5)


def test_probabilities_add_up():
    for made in (
        SCALARS["bernoulli"],
        SCALARS["binomial"],
        d.Categorical(torch.tensor([1.0, 2, 3])),
    ):
        total = made.log_prob(made.enumerate_support()).exp().sum(0)
        assert torch.allclose(total, torch.ones_like(total))


def test_entropy_is_the_mean_of_the_density():
    torch.manual_seed(0)
    for name in ("normal", "gamma", "beta", "laplace", "log normal"):
        made = SCALARS[name]
        mean = -made.log_prob(made.sample((40000,))).mean(0)
        assert torch.allclose(mean, made.entropy(), atol=0.05)


def test_divergence_is_the_mean_of_the_difference():
    torch.manual_seed(0)
    pairs = [
        (SCALARS["normal"], d.Normal(0.0, 1.5)),
        (SCALARS["gamma"], d.Gamma(torch.tensor(2.0), torch.tensor(1.0))),
        (SCALARS["gamma"], d.Exponential(torch.tensor(1.0))),
        (d.Normal(0.0, 1.0), d.Gumbel(0.0, 1.0)),
        (d.Gumbel(0.0, 1.0), d.Normal(0.0, 2.0)),
    ]
    for p, q in pairs:
        drawn = p.sample((60000,))
        mean = (p.log_prob(drawn) - q.log_prob(drawn)).mean(0)
        assert torch.allclose(d.kl_divergence(p, q), mean, atol=0.04)
        assert (d.kl_divergence(p, q) >= 0).all()
    assert d.kl_divergence(d.Normal(0.0, 1.0), d.Uniform(0.0, 1.0)).item() == math.inf


def test_an_own_divergence():
    class Mine(d.Normal):
        pass

    @d.register_kl(Mine, Mine)
    def _(p, q):
        return torch.tensor(7.0)

    assert d.kl_divergence(Mine(0.0, 1.0), Mine(0.0, 1.0)).item() == 7
    assert d.kl_divergence(d.Normal(0.0, 1.0), Mine(0.0, 1.0)).item() == 0


def test_gradients_reach_the_parameters():
    loc = torch.tensor(0.5, requires_grad=True)
    scale = torch.tensor(2.0, requires_grad=True)
    d.Normal(loc, scale).rsample((100,)).sum().backward()
    assert loc.grad.item() == 100 and scale.grad is not None
    concentration = torch.tensor([0.5, 2.0], requires_grad=True)
    d.Dirichlet(concentration).rsample().prod().backward()
    assert concentration.grad.isfinite().all()
    assert not d.Normal(loc, scale).sample().requires_grad


def test_transforms_change_densities():
    base = d.Normal(torch.zeros(3), torch.ones(3))
    made = d.TransformedDistribution(base, [d.ExpTransform()])
    other = d.LogNormal(torch.zeros(3), torch.ones(3))
    values = torch.tensor([0.5, 1.0, 2.0])
    assert torch.allclose(made.log_prob(values), other.log_prob(values))
    transform = d.AffineTransform(1.0, 3.0)
    assert transform.inv.inv is transform and transform(transform.inv(values)).tolist() == [
        0.5,
        1,
        2,
    ]
    cached = d.TanhTransform(cache_size=1)
    x = torch.tensor([20.0])
    assert cached.inv(cached(x)) is x


def test_expanding_and_independence():
    made = d.Normal(torch.zeros(3), 1.0).expand((2, 3))
    assert made.batch_shape == (2, 3) and made.sample().shape == (2, 3)
    joint = d.Independent(made, 1)
    assert joint.batch_shape == (2,) and joint.event_shape == (3,)
    assert joint.log_prob(torch.zeros(2, 3)).shape == (2,)

    class Odd(d.Normal):
        def __init__(self):
            super().__init__(0.0, 1.0)

    assert Odd().expand((2,)).batch_shape == (2,)


@pytest.mark.parametrize(
    "wrong, text",
    [
        (lambda: d.Normal(0.0, -1.0), "parameter scale .* to satisfy the constraint GreaterThan"),
        (lambda: d.Normal(0.0, 1.0).log_prob(3), "must be a Tensor"),
        (lambda: d.Normal(torch.zeros(2), 1.0).log_prob(torch.ones(3)), "not broadcastable"),
        (lambda: d.Poisson(1.0).log_prob(torch.tensor(0.5)), "within the support"),
        (lambda: d.Categorical(), "Either `probs` or `logits` must be specified"),
        (lambda: d.Normal("a", 1.0), "must all be instances of Number"),
    ],
)
def test_what_is_refused(wrong, text):
    with pytest.raises(ValueError, match=text):
        wrong()


def test_checks_can_be_left_out():
    assert d.Normal(0.0, -1.0, validate_args=False).scale.item() == -1
    d.Distribution.set_default_validate_args(False)
    try:
        d.Normal(0.0, -1.0)
    finally:
        d.Distribution.set_default_validate_args(True)


def test_sets_and_their_transforms():
    c = d.constraints
    assert c.simplex.check(torch.tensor([[0.2, 0.8], [0.5, 0.6]])).tolist() == [True, False]
    assert c.positive_definite.check(torch.eye(2)).item()
    assert c.is_dependent(d.Uniform.support) and not c.is_dependent(c.real)
    x = torch.randn(4, 3)
    for constraint in (
        c.positive,
        c.unit_interval,
        c.interval(-2.0, 5.0),
        c.simplex,
        c.less_than(1.0),
    ):
        for table in (d.transform_to, d.biject_to):
            assert constraint.check(table(constraint)(x)).all()
    with pytest.raises(NotImplementedError, match="Cannot transform"):
        d.transform_to(c.boolean)
