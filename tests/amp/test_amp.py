"""Autocast's policies, its cache, and scaled losses."""

import pytest

import rushlight as torch
from rushlight.amp import GradScaler, autocast, custom_bwd, custom_fwd

functional = torch.nn.functional


def test_products_compute_in_the_lower_type():
    x, w = torch.ones(2, 3), torch.ones(4, 3)
    with autocast("cpu"):
        assert (x @ w.t()).dtype is torch.bfloat16
        assert functional.linear(x, w).dtype is torch.bfloat16
        image, kernel = torch.ones(1, 2, 5, 5), torch.ones(3, 2, 3, 3)
        assert functional.conv2d(image, kernel).dtype is torch.bfloat16
    assert functional.linear(x, w).dtype is torch.float32


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
def test_the_lower_type_can_be_chosen(kind):
    with autocast("cpu", dtype=kind):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is kind
        assert torch.get_autocast_dtype("cpu") is kind
    assert torch.get_autocast_dtype("cpu") is torch.bfloat16


def test_delicate_operators_compute_in_float32():
    low = torch.ones(2, 3, dtype=torch.bfloat16)
    with autocast("cpu"):
        assert functional.mse_loss(low, low).dtype is torch.float32
        assert functional.cross_entropy(low, torch.tensor([0, 1])).dtype is torch.float32
        assert torch.prod(low).dtype is torch.float32
        # Others stay in the type of their arguments.
        assert (low + low).dtype is torch.bfloat16
        assert torch.softmax(low, -1).dtype is torch.bfloat16


def test_some_meet_in_the_widest_type():
    x = torch.ones(2)
    with autocast("cpu"):
        assert torch.cat([x, x.bfloat16()]).dtype is torch.float32
        assert torch.stack([x.bfloat16(), x.bfloat16()]).dtype is torch.bfloat16
        with pytest.raises(RuntimeError, match="Unexpected floating ScalarType"):
            torch.cat([x.bfloat16(), x.half()])


def test_doubles_and_integers_stay():
    double, whole = torch.ones(2, 2, dtype=torch.float64), torch.ones(2, 2, dtype=torch.int64)
    with autocast("cpu"):
        assert (double @ double).dtype is torch.float64
        assert (whole @ whole).dtype is torch.int64


def test_regions_nest_and_switch_off():
    x = torch.ones(2, 2)
    with autocast("cpu"):
        with autocast("cpu", enabled=False):
            assert (x @ x).dtype is torch.float32
            assert not torch.is_autocast_enabled("cpu")
        assert (x @ x).dtype is torch.bfloat16
        with autocast("cpu", dtype=torch.float16):
            assert (x @ x).dtype is torch.float16
        assert (x @ x).dtype is torch.bfloat16
    assert not torch.is_autocast_enabled("cpu")


def test_weights_are_cast_once_for_a_region():
    from rushlight.engine.dispatch.autocasting import settings

    layer = torch.nn.Linear(3, 3)
    with autocast("cpu"):
        layer(layer(torch.ones(1, 3)))
        assert len(settings.cast) == 2
        with autocast("cpu"):
            layer(torch.ones(1, 3))
        assert len(settings.cast) == 2
    assert not settings.cast
    with autocast("cpu", cache_enabled=False):
        layer(torch.ones(1, 3))
        assert not settings.cast


def test_gradients_have_the_types_of_the_parameters():
    layer = torch.nn.Linear(3, 2)
    with autocast("cpu"):
        loss = layer(torch.ones(4, 3)).float().sum()
    loss.backward()
    assert layer.weight.grad.dtype is torch.float32
    assert torch.equal(layer.weight.grad, torch.full((2, 3), 4.0))


def test_as_a_decorator():
    @autocast("cpu")
    def product(x):
        return x @ x

    assert product(torch.ones(2, 2)).dtype is torch.bfloat16


def test_what_is_not_possible_says_so():
    with pytest.warns(UserWarning, match="CUDA is not available"):
        region = autocast("cuda")
    with region:
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is torch.float32
    with pytest.warns(UserWarning, match="target dtype is not supported"):
        autocast("cpu", dtype=torch.float64)
    with pytest.raises(RuntimeError, match="unsupported autocast device_type"):
        autocast("vulkan")
    with pytest.raises(RuntimeError, match="Expected one of cpu, cuda"):
        autocast("toaster")
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`"):
        autocast(3)
    assert torch.cpu.amp.autocast().fast_dtype is torch.bfloat16


def test_custom_functions():
    class Double(torch.autograd.Function):
        @staticmethod
        @custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        def forward(ctx, x):
            assert x.dtype is torch.float32 and not torch.is_autocast_enabled("cpu")
            return x * 2

        @staticmethod
        @custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            assert not torch.is_autocast_enabled("cpu")
            return grad * 2

    x = torch.ones(2, requires_grad=True)
    with autocast("cpu"):
        Double.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_scaled_steps():
    parameter = torch.nn.Parameter(torch.tensor([1.0]))
    optimizer = torch.optim.SGD([parameter], lr=0.5)
    scaler = GradScaler("cpu", init_scale=8.0, growth_interval=2)
    for _ in range(2):
        optimizer.zero_grad()
        scaler.scale(parameter.sum()).backward()
        assert parameter.grad.item() == 8.0
        scaler.step(optimizer)
        scaler.update()
    assert parameter.item() == 0.0 and scaler.get_scale() == 16.0
    optimizer.zero_grad()
    scaler.scale(parameter.sum() * float("inf")).backward()
    scaler.step(optimizer)
    scaler.update()
    assert parameter.item() == 0.0 and scaler.get_scale() == 8.0


def test_the_order_of_scaled_steps():
    parameter = torch.nn.Parameter(torch.tensor([1.0]))
    optimizer = torch.optim.SGD([parameter], lr=0.5)
    scaler = GradScaler("cpu", init_scale=4.0)
    scaler.scale(parameter.sum()).backward()
    scaler.unscale_(optimizer)
    assert parameter.grad.item() == 1.0
    with pytest.raises(RuntimeError, match="already been called on this optimizer"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called"):
        scaler.step(optimizer)
    scaler.update()
    with pytest.raises(AssertionError, match="No inf checks"):
        scaler.update()


def test_the_state_of_a_scaler():
    scaler = GradScaler("cpu", init_scale=4.0)
    other = GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 4.0
    with pytest.warns(UserWarning, match="CUDA is not available"):
        off = torch.cuda.amp.GradScaler()
    assert not off.is_enabled() and off.state_dict() == {} and off.scale(3) == 3


def test_layers_made_of_several_operators():
    x, query = torch.ones(2, 5, 4), torch.ones(1, 2, 3, 4)
    lstm, gru = (kind(4, 4, batch_first=True) for kind in (torch.nn.LSTM, torch.nn.GRU))
    with autocast("cpu"):
        assert lstm(x)[0].dtype is torch.bfloat16
        assert gru(x)[0].dtype is torch.float32
        attended = functional.scaled_dot_product_attention(query, query, query)
        assert attended.dtype is torch.bfloat16
    assert lstm(x)[0].dtype is torch.float32


def test_borders_and_likelihoods_are_full():
    image, logits = torch.rand(1, 2, 4, 4).bfloat16(), torch.rand(2, 3).bfloat16()
    pad, target = torch.nn.functional.pad, torch.tensor([0, 1])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert pad(image, (1, 1, 1, 1), mode="reflect").dtype is torch.float32
        assert pad(image, (1, 1, 1, 1), mode="replicate").dtype is torch.float32
        assert pad(image, (1, 1, 1, 1), mode="circular").dtype is torch.bfloat16
        assert pad(image, (1, 1, 1, 1)).dtype is torch.bfloat16
        assert torch.nn.functional.nll_loss(logits, target).dtype is torch.float32
    assert pad(image, (1, 1, 1, 1), mode="reflect").dtype is torch.bfloat16


@pytest.mark.parametrize("unrecorded", [torch.no_grad, torch.inference_mode])
def test_a_weight_cast_while_nothing_is_recorded_is_cast_again(unrecorded):
    weight = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        for _ in range(3):
            with unrecorded():
                torch.mm(torch.ones(2, 2), weight)
        torch.mm(torch.ones(2, 2), weight).sum().backward()
    assert weight.grad.tolist() == [[2, 2], [2, 2]]


def test_gradients_are_unscaled_in_place():
    scale = torch.full((1,), 0.25)
    found = torch.zeros(1)
    plain, part = torch.full((3, 3), 4.0), torch.full((3, 3), 4.0)[:, :2]
    half = torch.full((2,), 4.0, dtype=torch.float16)
    torch._amp_foreach_non_finite_check_and_unscale_([plain, part, half], found, scale)
    assert found.item() == 0 and all(bool((t == 1).all()) for t in (plain, part, half))
    for value in (float("inf"), float("nan")):
        found.zero_()
        torch._amp_foreach_non_finite_check_and_unscale_([torch.tensor([1.0, value])], found, scale)
        assert found.item() == 1
    with pytest.raises(RuntimeError, match="found_inf must be a 1-element tensor"):
        torch._amp_foreach_non_finite_check_and_unscale_([plain], torch.zeros(2), scale)


def test_factors_grow_and_shrink():
    factor, tracker = torch.full((1,), 4.0), torch.zeros(1, dtype=torch.int32)
    found = torch.zeros(1)
    seen = []
    for is_found in (0, 0, 1, 0):
        found.fill_(is_found)
        torch._amp_update_scale_(factor, tracker, found, 2.0, 0.25, 2)
        seen.append((factor.item(), tracker.item()))
    assert seen == [(4, 1), (8, 0), (2, 0), (2, 1)]


def test_sparse_gradients_are_unscaled():
    scaler = torch.amp.GradScaler(device="cpu")
    weight = torch.ones(2, 3).to_sparse()
    optimizer = torch.optim.SGD([weight], lr=1.0)
    weight.grad = torch.sparse_coo_tensor([[0, 1], [2, 0]], [16.0, 32.0], (2, 3))
    found = scaler._unscale_grads_(optimizer, torch.tensor(0.25), torch.zeros(1), False)
    assert found[torch.device("cpu")].item() == 0
    assert weight.grad.to_dense().tolist() == [[0, 0, 4], [8, 0, 0]]


class Telling(torch.optim.Optimizer):
    _step_supports_amp_scaling = True

    def __init__(self, parameters):
        super().__init__(parameters, {})

    def step(self, closure=None):
        self.seen = self.grad_scale.item(), self.found_inf.item()


class TellingOld(Telling):
    def step(self, closure=None, *, grad_scaler=None):
        self.seen = grad_scaler


def test_optimizers_that_know_of_scaling_are_told():
    layer = torch.nn.Linear(2, 1)
    scaler = torch.amp.GradScaler(device="cpu", init_scale=2.0)
    scaler.scale(layer(torch.ones(1, 2)).sum()).backward()
    new, old = Telling(layer.parameters()), TellingOld(layer.parameters())
    scaler.step(new)
    assert new.seen == (2, 0) and not hasattr(new, "grad_scale")
    with pytest.warns(FutureWarning, match="stop passing itself as a keyword argument"):
        scaler.step(old)
    assert old.seen is scaler
    assert layer.bias.grad.item() == 2
    scaler.update()


def test_a_device_that_is_none_is_refused():
    with pytest.raises(RuntimeError, match="Invalid device string: 'not a real device'"):
        torch.autocast("not a real device")


def test_a_plain_function_may_be_decorated():
    @torch.amp.custom_fwd(cast_inputs=torch.float32, device_type="cuda")
    def halved(x, y):
        return (x - y) / 2

    x = torch.ones(3)
    assert halved(x, torch.zeros(3)).tolist() == [0.5, 0.5, 0.5]
    assert x.dtype is torch.float32
