"""Modules: what they hold, their state, hooks and text."""

import copy
import pickle

import pytest

import rushlight as torch
from rushlight import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.norm = nn.BatchNorm1d(8)
        self.last = nn.Linear(8, 2, bias=False)

    def forward(self, x):
        return self.last(torch.relu(self.norm(self.first(x))))


def test_parameters_and_buffers_have_paths():
    net = Net()
    assert [name for name, _ in net.named_parameters()] == [
        "first.weight", "first.bias", "norm.weight", "norm.bias", "last.weight",
    ]  # fmt: skip
    assert [name for name, _ in net.named_buffers()] == [
        "norm.running_mean", "norm.running_var", "norm.num_batches_tracked",
    ]  # fmt: skip


def test_a_shared_parameter_is_listed_once():
    net = Net()
    net.tied = net.last.weight
    assert sum(p is net.tied for p in net.parameters()) == 1
    assert "tied" in dict(net.named_parameters(remove_duplicate=False))


def test_a_state_moves_between_modules():
    one, other = Net(), Net()
    x = torch.randn(5, 4)
    one(x)
    other.load_state_dict(one.state_dict())
    assert torch.equal(one.eval()(x), other.eval()(x))


def test_a_wrong_state_says_what_is_wrong():
    state = Net().state_dict()
    state["extra"] = torch.ones(1)
    del state["first.bias"]
    state["last.weight"] = torch.ones(3, 3)
    with pytest.raises(RuntimeError) as error:
        Net().load_state_dict(state)
    text = str(error.value)
    assert 'Missing key(s) in state_dict: "first.bias"' in text
    assert 'Unexpected key(s) in state_dict: "extra"' in text
    assert "size mismatch for last.weight" in text


def test_assigned_states_are_the_tensors_themselves():
    net, state = Net(), Net().state_dict()
    net.load_state_dict(state, assign=True)
    assert net.first.weight.data_ptr() == state["first.weight"].data_ptr()


@pytest.mark.parametrize("again", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_are_modules_of_their_own(again):
    net = Net()
    made = again(net)
    assert torch.equal(made.first.weight, net.first.weight)
    assert isinstance(made.first.weight, nn.Parameter) and made.first.weight.requires_grad
    made.first.weight.data.zero_()
    assert net.first.weight.abs().sum() > 0


def test_hooks_see_and_change_calls():
    net = nn.Linear(2, 2)
    seen = []
    handles = [
        net.register_forward_pre_hook(lambda m, args: (args[0] + 1,)),
        net.register_forward_hook(lambda m, args, out: out * 2),
        net.register_full_backward_hook(lambda m, gi, go: seen.append((len(gi), len(go)))),
    ]
    x = torch.zeros(1, 2, requires_grad=True)
    y = net(x)
    y.sum().backward()
    expected = 2 * nn.functional.linear(torch.ones(1, 2), net.weight, net.bias)
    assert torch.allclose(y, expected) and seen == [(1, 1)]
    for handle in handles:
        handle.remove()
    assert torch.allclose(net(x), nn.functional.linear(x, net.weight, net.bias))


def test_moving_keeps_parameters_the_same_objects():
    net = Net()
    weight = net.first.weight
    net(torch.randn(3, 4)).sum().backward()
    net.double()
    assert net.first.weight is weight
    assert weight.dtype == weight.grad.dtype == torch.float64
    assert net.norm.num_batches_tracked.dtype == torch.int64


def test_text_names_settings_and_children():
    assert repr(nn.Sequential(nn.Linear(2, 3), nn.ReLU())) == (
        "Sequential(\n  (0): Linear(in_features=2, out_features=3, bias=True)\n  (1): ReLU()\n)"
    )


def test_containers_act_like_lists_and_dicts():
    modules = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)])
    modules.append(nn.ReLU())
    del modules[1]
    assert len(modules) == 3 and isinstance(modules[-1], nn.ReLU) and len(modules[:2]) == 2
    named = nn.ModuleDict({"a": nn.ReLU()})
    named["b"] = nn.Tanh()
    assert list(named) == ["a", "b"] and "a" in named
    values = nn.ParameterList([torch.ones(2), torch.zeros(1)])
    assert len(list(values.parameters())) == 2


def test_wrong_attributes_are_refused():
    net = Net()
    with pytest.raises(
        TypeError, match=r"cannot assign 'torch\.FloatTensor' as parameter 'weight'"
    ):
        net.first.weight = torch.ones(8, 4)
    with pytest.raises(KeyError, match="attribute 'forward' already exists"):
        net.register_buffer("forward", None)
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'nothing'"):
        _ = net.nothing


def test_what_modules_print():
    inner = nn.Sequential(nn.Hardswish(True), nn.CosineSimilarity())
    inside = "Sequential(\n    (0): Hardswish()\n    (1): CosineSimilarity()\n  )"
    assert repr(nn.ModuleList([inner])) == f"ModuleList(\n  (0): {inside}\n)"
    assert repr(nn.ModuleList([inner] * 2)) == f"ModuleList(\n  (0-1): 2 x {inside}\n)"
    assert repr(nn.EmbeddingBag(3, 2)) == "EmbeddingBag(3, 2, mode='mean')"
    kept = nn.ParameterList([torch.ones(2)]), nn.ParameterDict({"a": torch.ones(2)})
    assert "(0): Parameter containing: [torch.float32 of size 2]" in repr(kept[0])
    assert "(a): Parameter containing: [torch.FloatTensor of size 2]" in repr(kept[1])


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_a_normalising_layer_may_be_called_twice_before_its_backward_pass(kind):
    kind = getattr(torch, kind)
    layer = torch.nn.BatchNorm2d(3, dtype=kind)
    x = torch.linspace(-1, 1, 48, dtype=kind).view(2, 3, 2, 4).requires_grad_()

    def gradient(*inputs):
        x.grad = None
        sum((layer(y) * y.square()).sum() for y in inputs).backward()
        return x.grad

    one, other = gradient(x), gradient(x * 2)
    together = gradient(x, x * 2)
    torch.testing.assert_close(together, one + other)
    assert layer.num_batches_tracked == 4
    assert layer.running_mean._version == 1


def test_programs_derive_convolutions_of_their_own():
    from rushlight.nn.modules.conv import _ConvNd

    class Doubled(_ConvNd):
        def __init__(self):
            super().__init__(
                2, 4, (3, 3), (1, 1), (1, 1), (1, 1), False, (0, 0), 1, True, "zeros"
            )  # fmt: skip

        def forward(self, x):
            return 2 * torch.nn.functional.conv2d(
                x, self.weight, self.bias, self.stride, self.padding
            )

    torch.manual_seed(0)
    own = Doubled()
    torch.manual_seed(0)
    plain = torch.nn.Conv2d(2, 4, 3, padding=1)
    x = torch.linspace(-1, 1, 32).view(1, 2, 4, 4)
    assert torch.equal(own(x), 2 * plain(x))
    assert own.state_dict().keys() == plain.state_dict().keys()
    assert repr(own) == "Doubled(2, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))"


def test_states_may_be_objects_that_stand_for_tensors():
    class Later:
        """A tensor that is read when it is used."""

        shape = torch.Size([1, 2])

        @classmethod
        def __torch_function__(cls, function, kinds, args=(), kwargs=None):
            read = [torch.full((1, 2), 3.0) if isinstance(x, cls) else x for x in args]
            return function(*read, **(kwargs or {}))

    layer = nn.Linear(2, 1, bias=False)
    layer.load_state_dict({"weight": Later()})
    assert layer.weight.tolist() == [[3.0, 3.0]]
    with pytest.raises(RuntimeError, match="Tensor-like object from checkpoint but received"):
        layer.load_state_dict({"weight": [[3.0, 3.0]]})
