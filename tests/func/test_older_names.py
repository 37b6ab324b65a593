"""What `functorch` called things."""

import pytest

import rushlight as torch
from rushlight import functorch
from rushlight.functorch.experimental import chunk_vmap, replace_all_batch_norm_modules_


def test_old_names_say_the_new_ones():
    with pytest.warns(FutureWarning, match=r"Please use `torch\.vmap` instead"):
        made = functorch.vmap(torch.sin)(torch.zeros(2))
    assert made.tolist() == [0.0, 0.0]
    with pytest.warns(FutureWarning, match=r"torch\.func\.grad"):
        functorch.grad(torch.sin)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_modules_as_functions():
    layer, x = torch.nn.Linear(3, 2), torch.ones(4, 3)
    function, weights = functorch.make_functional(layer)
    assert function(weights, x).equal(layer(x))
    slopes = functorch.grad(lambda w: function(w, x).sum())(weights)
    assert [s.shape for s in slopes] == [(2, 3), (2,)]
    norm = torch.nn.BatchNorm1d(3).eval()
    with pytest.raises(RuntimeError, match="has buffers"):
        functorch.make_functional(norm)
    function, weights, buffers = functorch.make_functional_with_buffers(norm)
    assert function(weights, buffers, x).equal(norm(x))


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_ensembles():
    models = [torch.nn.Linear(3, 2) for _ in range(5)]
    function, weights, buffers = functorch.combine_state_for_ensemble(models)
    x = torch.randn(4, 3)
    found = functorch.vmap(function, (0, 0, None))(weights, buffers, x)
    expected = torch.stack([model(x) for model in models])
    assert torch.allclose(found, expected, atol=1e-6)
    with pytest.raises(RuntimeError, match="Expected at least one model"):
        functorch.combine_state_for_ensemble([])


def test_a_number_of_chunks():
    assert chunk_vmap(lambda x: x * 2, chunks=3)(torch.ones(7)).tolist() == [2.0] * 7


def test_normalisations_without_statistics():
    net = replace_all_batch_norm_modules_(torch.nn.Sequential(torch.nn.BatchNorm1d(3)))
    assert net[0].running_mean is None and not net[0].track_running_stats
    assert torch.vmap(net)(torch.randn(2, 4, 3)).shape == (2, 4, 3)
