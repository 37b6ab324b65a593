"""Random numbers against values that PyTorch gave for the same seed."""

from __future__ import annotations

import hashlib

import pytest

import rushlight as torch

CASES = [
    ("torch.rand(4)", [0.028979241847991943, 0.4018985629081726, 0.25984418392181396, 0.3666413426399231]),
    ("torch.rand(3, dtype=torch.float64)", [0.2318341720884639, 0.07875386135027063, 0.46640616040796923]),
    ("torch.rand(4, dtype=torch.bfloat16)", [0.0289306640625, 0.40234375, 0.259765625, 0.3671875]),
    ("torch.rand(2, dtype=torch.complex64)", [(0.028979241847991943+0.4018985629081726j), (0.25984418392181396+0.3666413426399231j)]),
    ("torch.randn(4)", [0.0461304634809494, 0.4024028182029724, -1.0115290880203247, 0.2167382389307022]),
    ("torch.randn(17)[[0, 7, 8, 16]]", [-0.1117185652256012, -0.7120345830917358, 0.6369126439094543, -2.5273351669311523]),
    ("torch.randn(40, dtype=torch.float64)[[0, 7, 8, 39]]", [-0.0883100793877292, -0.35112135115822063, 0.7209026457458274, 0.31776977978058674]),
    ("torch.randn(17, dtype=torch.float16)[[0, 1, 16]]", [-0.1116943359375, 0.798828125, 1.2158203125]),
    ("torch.empty(20).normal_(2, 3)[-3:]", [6.433352947235107, 1.4911291599273682, -0.9755720496177673]),
    ("torch.empty(4, 5).t().normal_()[:, 0]", [0.0461304634809494, 0.4024028182029724, -1.0115290880203247, 0.2167382389307022, -0.612273097038269]),
    ("torch.empty(4).uniform_(-1, 2)", [-0.9130622744560242, 0.20569568872451782, -0.2204674482345581, 0.09992402791976929]),
    ("torch.randint(0, 10, (6,))", [5, 1, 6, 5, 6, 4]),
    ("torch.randint(-2**40, 2**50, (3,))", [893007442666195, 772023884045365, 826612034788724]),
    ("torch.randperm(8)", [7, 5, 2, 3, 4, 6, 1, 0]),
    ("torch.empty(4, dtype=torch.uint8).random_()", [47, 211, 38, 53]),
    ("torch.empty(3, dtype=torch.int64).random_()", [3532910284440527571, 2252509165406510133, 8074651545468362100]),
    ("torch.empty(4).random_(5, 77)", [20.0, 8.0, 35.0, 34.0]),
    ("torch.empty(5).bernoulli_(0.3)", [1.0, 1.0, 0.0, 0.0, 0.0]),
    ("torch.bernoulli(torch.full((5,), 0.6))", [1.0, 1.0, 1.0, 1.0, 1.0]),
    ("torch.bernoulli(torch.full((5,), 0.6, dtype=torch.float64))", [1.0, 1.0, 1.0, 1.0, 1.0]),
    ("torch.empty(3).exponential_(0.7)", [0.3767852187156677, 0.1171828955411911, 0.897314727306366]),
    ("torch.empty(4).geometric_(0.3)", [5.0, 8.0, 3.0, 3.0]),
    ("torch.empty(3).cauchy_(0.5, 2)", [-1.7423739433288574, -7.418045520782471, 0.28813648223876953]),
    ("torch.empty(3).log_normal_(0.1, 0.5)", [1.1309581995010376, 1.351481556892395, 0.6664670705795288]),
    ("torch.poisson(torch.tensor([0.0, 4.0, 40.0, 400.0]))", [0.0, 1.0, 39.0, 394.0]),
    ("torch.binomial(torch.full((3,), 30.0), torch.tensor([0.1, 0.4, 0.9]))", [1.0, 12.0, 28.0]),
    ("torch._standard_gamma(torch.tensor([0.5, 2.5, 9.0]))", [1.5278927087783813, 3.048347234725952, 8.427342414855957]),
    ("torch._sample_dirichlet(torch.tensor([1.0, 2.0, 3.0]))", [0.148943692445755, 0.4736337661743164, 0.3774225413799286]),
    ("torch.normal(torch.tensor([1.0, 2.0]), torch.tensor([0.5, 4.0]))", [1.023065209388733, 3.6096112728118896]),
    ("torch.normal(1.0, 3.0, (3,))", [1.138391375541687, 2.2072083950042725, -2.0345873832702637]),
    ("torch.multinomial(torch.arange(1.0, 7.0), 3)", [1, 5, 4]),
    ("torch.multinomial(torch.arange(1.0, 7.0), 5, replacement=True)", [2, 1, 3, 3, 3]),
    ("torch.nn.functional.dropout(torch.ones(6), 0.4)", [1.6666666269302368, 1.6666666269302368, 1.6666666269302368, 1.6666666269302368, 1.6666666269302368, 1.6666666269302368]),
    ("torch.nn.functional.alpha_dropout(torch.ones(4), 0.4, True)", [1.4703772068023682, 1.4703772068023682, 1.4703772068023682, 1.4703772068023682]),
    ("torch.nn.functional.rrelu(torch.tensor([-1.0, 1.0, -2.0]), training=True)", [-0.17329879105091095, 1.0, -0.2828141152858734]),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), CASES, ids=[call for call, _ in CASES])
def test_value(call, expected):
    torch.manual_seed(1234)
    assert eval(call).tolist() == expected


def test_state_has_the_same_bytes():
    torch.manual_seed(1234)
    torch.rand(700)
    torch.randn(1)
    content = bytes(torch.get_rng_state().tolist())
    assert (
        hashlib.sha256(content).hexdigest()
        == "69baef558e5ab28c90cc9575d28eadf64c66b648184ef34d912bcda821619e06"
    )
