"""Parametrizations, norms of weights, pruning, fusion, stateless calls."""

import copy
import pickle
import warnings
from typing import Any

import pytest

import rushlight as torch
from rushlight import func, nn
from rushlight.nn.utils import parametrizations, parametrize, prune, stateless


def layer(*sizes, **settings):
    torch.manual_seed(0)
    return nn.Linear(*(sizes or (3, 4)), **settings)


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).mT

    def right_inverse(self, x):
        return x.triu()


class Product(nn.Module):
    def forward(self, a, b):
        return a * b

    def right_inverse(self, x):
        return x.abs().sqrt(), x.abs().sqrt() * x.sign()


class FirstRow(nn.Module):
    def forward(self, x):
        return x[:1]


# -- parametrize --


def test_a_parametrized_weight_is_computed_and_can_be_assigned():
    module = parametrize.register_parametrization(layer(3, 3), "weight", Symmetric())
    assert torch.equal(module.weight, module.weight.mT)
    assert "parametrizations.weight.original" in module.state_dict()
    assert parametrize.is_parametrized(module, "weight")
    assert not parametrize.is_parametrized(module, "bias")
    assert type(module).__name__ == "ParametrizedLinear"
    assert parametrize.type_before_parametrizations(module) is nn.Linear
    module.weight = torch.eye(3)
    assert torch.equal(module.weight, torch.eye(3))
    module(torch.ones(1, 3)).sum().backward()
    assert module.parametrizations.weight.original.grad is not None


def test_values_are_kept_inside_of_a_cached_block():
    module = parametrize.register_parametrization(layer(3, 3), "weight", Symmetric())
    with parametrize.cached():
        assert module.weight is module.weight
    assert module.weight is not module.weight


def test_one_tensor_from_several():
    plain = layer()
    module = parametrize.register_parametrization(layer(), "weight", Product())
    assert torch.allclose(module.weight, plain.weight)
    assert {n for n, _ in module.named_parameters()} == {
        "bias", "parametrizations.weight.original0", "parametrizations.weight.original1",
    }  # fmt: skip
    parametrize.remove_parametrizations(module, "weight")
    assert type(module) is nn.Linear
    assert torch.allclose(module.weight, plain.weight)


def test_parametrizations_that_are_refused():
    with pytest.raises(ValueError, match="may not change the shape"):
        parametrize.register_parametrization(layer(), "weight", FirstRow())
    with pytest.raises(ValueError, match="does not have a parameter, a buffer"):
        parametrize.register_parametrization(layer(), "nothing", FirstRow())
    with pytest.raises(ValueError, match="does not have a parametrization on"):
        parametrize.remove_parametrizations(layer(), "weight")


def test_copies_and_pickles_of_parametrized_modules():
    module = parametrize.register_parametrization(layer(3, 3), "weight", Symmetric())
    twin = copy.deepcopy(module)
    with torch.no_grad():
        twin.parametrizations.weight.original.zero_()
    assert module.weight.abs().sum() > 0
    with pytest.raises(RuntimeError, match="only supported through state_dict"):
        pickle.dumps(module)


# -- norms of weights --


def test_weight_norm_has_lengths_of_its_own():
    plain, module = layer(), parametrizations.weight_norm(layer())
    assert torch.allclose(module.weight, plain.weight)
    with torch.no_grad():
        module.parametrizations.weight.original0.fill_(2.0)
    assert torch.allclose(module.weight.norm(dim=1), torch.full((4,), 2.0))


def test_weight_norm_takes_states_with_the_old_names():
    with pytest.warns(FutureWarning):
        old = nn.utils.weight_norm(layer())
    new = parametrizations.weight_norm(nn.Linear(3, 4))
    new.load_state_dict(old.state_dict())
    assert torch.allclose(new.weight, old.weight)
    nn.utils.remove_weight_norm(old)
    assert isinstance(old.weight, nn.Parameter)


@pytest.mark.parametrize("how", [parametrizations.spectral_norm, nn.utils.spectral_norm])
def test_spectral_norm_is_one(how):
    torch.manual_seed(1)
    module = how(nn.Linear(5, 4), n_power_iterations=20)
    module(torch.ones(1, 5))
    assert torch.linalg.matrix_norm(module.weight, 2).item() == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("sizes", [(4, 4), (3, 5), (5, 3)])
@pytest.mark.parametrize("how", ["matrix_exp", "cayley", "householder"])
def test_orthogonal_weights(sizes, how):
    module = parametrizations.orthogonal(layer(*sizes), orthogonal_map=how)
    weight = module.weight if sizes[0] <= sizes[1] else module.weight.mT
    identity = torch.eye(weight.shape[1])
    assert torch.allclose(weight.mT @ weight, identity, atol=1e-4)
    module.weight = torch.linalg.qr(torch.randn(5, 5))[0][: sizes[1], : sizes[0]].contiguous()
    weight = module.weight if sizes[0] <= sizes[1] else module.weight.mT
    assert torch.allclose(weight.mT @ weight, identity, atol=1e-4)


# -- pruning --


def test_the_smallest_elements_are_masked():
    module = nn.Linear(4, 1)
    with torch.no_grad():
        module.weight.copy_(torch.tensor([[1.0, -0.1, 3.0, 0.2]]))
    prune.l1_unstructured(module, "weight", 2)
    assert module.weight.tolist() == [[1.0, 0.0, 3.0, 0.0]]
    module(torch.ones(1, 4)).sum().backward()
    assert module.weight_orig.grad.tolist() == [[1.0, 0.0, 1.0, 0.0]]
    prune.l1_unstructured(module, "weight", 0.5)
    assert module.weight.tolist() == [[0.0, 0.0, 3.0, 0.0]]
    assert prune.is_pruned(module)
    prune.remove(module, "weight")
    assert not prune.is_pruned(module)
    assert sorted(module.state_dict()) == ["bias", "weight"]
    assert module.weight.tolist() == [[0.0, 0.0, 3.0, 0.0]]


def test_whole_rows_are_masked():
    module = nn.Linear(2, 3)
    with torch.no_grad():
        module.weight.copy_(torch.tensor([[1.0, 1.0], [0.1, 0.1], [2.0, 2.0]]))
    prune.ln_structured(module, "weight", 1, n=2, dim=0)
    assert module.weight_mask.tolist() == [[1, 1], [0, 0], [1, 1]]


def test_parameters_are_compared_with_each_other():
    big, small = nn.Linear(2, 2), nn.Linear(2, 2)
    with torch.no_grad():
        big.weight.fill_(2.0)
        small.weight.fill_(1.0)
    pairs = [(big, "weight"), (small, "weight")]
    prune.global_unstructured(pairs, prune.L1Unstructured, amount=4)
    assert big.weight_mask.sum() == 4
    assert small.weight_mask.sum() == 0


@pytest.mark.parametrize(
    ("amount", "error"), [(1.5, ValueError), (-1, ValueError), (100, ValueError), ("a", TypeError)]
)
def test_amounts_that_are_refused(amount, error):
    module = layer()
    with pytest.raises(error):
        prune.l1_unstructured(module, "weight", amount)
    assert sorted(module.state_dict()) == ["bias", "weight"]


# -- fusion, states without modules --


def test_a_batch_norm_becomes_part_of_a_convolution():
    torch.manual_seed(0)
    conv, norm = nn.Conv2d(2, 3, 2, bias=False).eval(), nn.BatchNorm2d(3).eval()
    norm.running_mean.uniform_()
    norm.running_var.uniform_(0.5, 2.0)
    image = torch.randn(1, 2, 4, 4)
    fused = nn.utils.fuse_conv_bn_eval(conv, norm)
    assert torch.allclose(fused(image), norm(conv(image)), atol=1e-5)


def test_a_batch_norm_becomes_part_of_a_linear_layer():
    linear, norm = layer().eval(), nn.BatchNorm1d(4).eval()
    norm.running_mean.uniform_()
    rows = torch.randn(5, 3)
    fused = nn.utils.fuse_linear_bn_eval(linear, norm)
    assert torch.allclose(fused(rows), norm(linear(rows)), atol=1e-5)


def test_a_call_with_other_parameters_leaves_the_module_as_it_is():
    module = layer()
    weight = torch.ones(4, 3, requires_grad=True)
    before = module.weight
    found = func.functional_call(module, {"weight": weight, "bias": torch.zeros(4)}, torch.ones(3))
    assert found.tolist() == [3.0] * 4
    assert module.weight is before
    found.sum().backward()
    assert weight.grad.eq(1).all()
    assert before.grad is None


def test_buffers_that_a_call_changes_are_those_given():
    module = nn.BatchNorm1d(2)
    mean = torch.zeros(2)
    given = {"running_mean": mean, "num_batches_tracked": torch.tensor(0)}
    stateless.functional_call(module, given, torch.ones(4, 2))
    assert mean.tolist() == pytest.approx([0.1, 0.1])
    assert module.running_mean.tolist() == [0, 0]


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x))


def test_tied_weights_stay_tied():
    module, twice = Tied(), torch.eye(2) * 2
    assert func.functional_call(module, {"a.weight": twice}, torch.ones(2)).tolist() == [4, 4]
    alone = {"a.weight": twice, "b.weight": module.b.weight.detach() * 0}
    with pytest.raises(ValueError, match="multiple values for keys"):
        func.functional_call(module, alone, torch.ones(2))
    found = func.functional_call(module, alone, torch.ones(2), tie_weights=False)
    assert found.tolist() == [0, 0]


def test_names_are_checked_if_that_is_wanted():
    with pytest.raises(RuntimeError, match="Missing key"):
        func.functional_call(layer(), {"weight": torch.ones(4, 3)}, torch.ones(3), strict=True)
    with pytest.raises(ValueError, match="multiple dictionaries"):
        func.functional_call(layer(), [{"bias": torch.ones(4)}] * 2, torch.ones(3))


def test_states_of_several_models():
    parameters, buffers = func.stack_module_state([layer(), layer()])
    assert parameters["weight"].shape == (2, 4, 3)
    assert parameters["weight"].requires_grad
    assert buffers == {}


def test_parameters_that_are_not_filled():
    module = nn.utils.skip_init(nn.Linear, 3, 4)
    assert module.weight.shape == (4, 3)
    assert not module.weight.is_meta


def test_a_pruning_method_that_fails_leaves_the_module_as_it_was() -> None:
    class Misshapen(prune.BasePruningMethod):
        PRUNING_TYPE = "unstructured"

        def compute_mask(self, t: Any, default_mask: Any) -> Any:
            return torch.ones(7)

    layer = nn.Linear(2, 3)
    weight = layer.weight
    with pytest.raises(RuntimeError, match="must match"):
        Misshapen.apply(layer, "weight")
    assert layer.weight is weight
    assert not list(layer.named_buffers())
    assert list(layer.state_dict()) == ["bias", "weight"]


def test_lengths_of_single_numbers():
    module = torch.nn.utils.parametrizations.weight_norm(torch.nn.RMSNorm(3))
    with torch.no_grad():
        module.parametrizations.weight.original0.copy_(torch.tensor([1.0, 2.0, 3.0]))
    assert module.weight.tolist() == [1.0, 2.0, 3.0]


def test_a_second_parametrization_leaves_what_is_stored():
    class Add(nn.Module):
        def forward(self, x):
            return x + 1

        def right_inverse(self, x):
            return x - 1

    module = nn.Linear(1, 1)
    module.weight.data.fill_(3.0)
    torch.nn.utils.parametrize.register_parametrization(module, "weight", Add())
    assert module.weight.item() == 3
    torch.nn.utils.parametrize.register_parametrization(module, "weight", Add())
    assert module.parametrizations.weight.original.item() == 2
    assert module.weight.item() == 4


def test_a_further_parametrization_and_its_inverse_keep_type_and_shape():
    from rushlight.nn.utils import parametrize

    class Step(nn.Module):
        def __init__(self, forth, back):
            super().__init__()
            self.forth, self.back = forth, back

        def forward(self, x):
            return self.forth(x)

        def right_inverse(self, x):
            return self.back(x)

    def same(x):
        return x

    module = nn.Linear(3, 4)
    parametrize.register_parametrization(module, "weight", Step(same, same))
    for step, error in (
        (
            Step(lambda x: x.bool(), same),
            "may not change the dtype of the tensor, unless the `unsafe`",
        ),
        (
            Step(lambda x: x[:-1], same),
            "may not change the shape of the tensor, unless the `unsafe`",
        ),
        (Step(same, lambda x: (x, x)), "right_inverse must return a tensor. Got: tuple"),
        (Step(same, lambda x: x.bool()), "must have the same dtype as module.weight"),
        (Step(same, lambda x: x[:-1]), "must have the same shape as module.weight"),
    ):
        with pytest.raises(ValueError, match=error):
            parametrize.register_parametrization(module, "weight", step)
        assert len(module.parametrizations.weight) == 1


@pytest.mark.parametrize("name", ["weight_norm", "spectral_norm"])
def test_norms_of_weights_refuse_lazy_modules(name):
    with (
        pytest.raises(ValueError, match="can't have uninitialized parameters"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        getattr(nn.utils, name)(nn.LazyLinear(7))
