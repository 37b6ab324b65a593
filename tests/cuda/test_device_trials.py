"""Numbers that a GPU draws by trial, and other functions of the kernel language there."""

import pytest

import rushlight as torch

DRAWS = {
    "few events": (lambda x: torch.poisson(x * 3), 3.0, 3.0),
    "many events": (lambda x: torch.poisson(x * 40), 40.0, 40.0),
    "few successes": (lambda x: torch.binomial(x * 10, x * 0.3), 3.0, 2.1),
    "many successes": (lambda x: torch.binomial(x * 100, x * 0.9), 90.0, 9.0),
    "small shapes": (lambda x: torch._standard_gamma(x * 0.5), 0.5, 0.5),
    "large shapes": (lambda x: torch._standard_gamma(x * 7), 7.0, 7.0),
}


@pytest.mark.parametrize("name", DRAWS)
def test_numbers_have_the_mean_and_the_variance_of_their_distribution(cuda, name):
    draw, mean, variance = DRAWS[name]
    torch.manual_seed(3)
    found = draw(torch.ones(2000, device="cuda"))
    assert found.device.type == "cuda"
    found = found.cpu()
    assert abs(found.mean().item() - mean) < 5 * (variance / 2000) ** 0.5
    assert abs(found.var().item() / variance - 1) < 0.3


def test_the_same_seed_gives_the_same_numbers_and_the_next_call_others(cuda):
    rates = torch.full((50,), 20.0, device="cuda")
    torch.manual_seed(1)
    first, second = torch.poisson(rates), torch.poisson(rates)
    torch.manual_seed(1)
    assert torch.equal(first, torch.poisson(rates))
    assert not torch.equal(first, second)


def test_shares_sum_to_one_by_rows(cuda):
    shapes = torch.tensor([[1.0, 2.0, 5.0]], device="cuda").repeat(500, 1)
    shares = torch._sample_dirichlet(shapes).cpu()
    assert torch.allclose(shares.sum(1), torch.ones(500))
    assert torch.allclose(shares.mean(0), torch.tensor([1.0, 2.0, 5.0]) / 8, atol=0.05)


def test_a_graph_draws_anew_at_each_replay(cuda):
    rates = torch.full((64,), 9.0, device="cuda")
    torch.poisson(rates)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = torch.poisson(rates)
    graph.replay()
    first = found.clone()
    graph.replay()
    assert not torch.equal(first, found)


def test_gradients_go_through_samples(cuda):
    shapes = torch.tensor([0.5, 3.0, 20.0], device="cuda", requires_grad=True)
    torch.distributions.Gamma(shapes, torch.ones(3, device="cuda")).rsample().sum().backward()
    assert (shapes.grad > 0).all()


def test_rows_are_repeated_as_often_as_a_device_says(cuda):
    times = torch.tensor([2, 0, 3], device="cuda")
    assert torch.repeat_interleave(times).tolist() == [0, 0, 2, 2, 2]
    rows = torch.arange(6.0, device="cuda").reshape(3, 2)
    assert rows.repeat_interleave(times, 0)[:, 0].tolist() == [0.0, 0.0, 4.0, 4.0, 4.0]
    with pytest.raises(RuntimeError, match="repeats can not be negative"):
        torch.repeat_interleave(-times)


def test_least_squares_go_by_factors(cuda):
    tall, side = torch.randn(5, 3), torch.randn(5, 2)
    for a, b in ((tall, side), (tall.T.contiguous(), side[:3])):
        wanted = torch.linalg.lstsq(a, b, driver="gels")
        found = torch.linalg.lstsq(a.cuda(), b.cuda())
        assert torch.allclose(found.solution.cpu(), wanted.solution, atol=1e-4)
        assert torch.allclose(found.residuals.cpu(), wanted.residuals, atol=1e-4)
    with pytest.raises(RuntimeError, match="other than `gels` is not supported on CUDA"):
        torch.linalg.lstsq(tall.cuda(), side.cuda(), driver="gelsd")


def test_eigenvalues_of_general_matrices(cuda):
    for kind in (torch.float64, torch.complex128):
        a = torch.randn(2, 4, 4, dtype=kind)
        values, vectors = torch.linalg.eig(a.cuda())
        again = vectors @ torch.diag_embed(values) @ torch.linalg.inv(vectors)
        assert torch.allclose(again.cpu(), a.to(torch.complex128))
        alone = torch.linalg.eigvals(a.cuda()).cpu()
        assert torch.allclose(alone.sum(-1), a.diagonal(dim1=-1, dim2=-2).sum(-1).to(alone.dtype))
