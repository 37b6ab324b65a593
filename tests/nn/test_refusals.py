"""What layers and functions of networks refuse, and what is only nearly refused."""

import pytest

import rushlight as torch

F = torch.nn.functional


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: F.pad(torch.ones(3, 3, 4, 4), (2, 2), mode="reflect"),
            NotImplementedError,
            "Padding size 2 is not supported for 4D input tensor",
        ),
        (
            lambda: F.interpolate(torch.ones(1, 1, 4, 4), size=(3.0, 3.0)),
            TypeError,
            "expected size to be one of int or",
        ),
        (
            lambda: F.softshrink(torch.ones(1, dtype=torch.float16), 65507.0),
            RuntimeError,
            r"lambda must be in range \[0, 65504\] for input dtype Half, but found 65507",
        ),
        (
            lambda: F.softshrink(torch.ones(1), -1.0),
            RuntimeError,
            r"lambda must be in range \[0, 3.40282e\+38\] for input dtype Float, but found -1",
        ),
        (
            lambda: F.fold(torch.ones(2, 3, 4), (2, 2), (2**40, 2**40)),
            RuntimeError,
            "the product of kernel_width and kernel_height overflowed",
        ),
        (
            lambda: F.grid_sample(torch.ones(1, 2, 2), torch.ones(1, 1, 1, 2)),
            RuntimeError,
            "expected grid to have size 1 in last dimension",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:Default grid_sample")
def test_refused_calls(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.filterwarnings("ignore:Default grid_sample")
def test_batches_of_nothing():
    sampled = F.grid_sample(torch.ones(0, 2, 3, 3, 3), torch.ones(0, 2, 2, 2, 3))
    assert sampled.shape == (0, 2, 2, 2, 2)
    layer = torch.nn.TransformerEncoderLayer(16, 2, batch_first=True)
    assert layer(torch.ones(0, 10, 16)).shape == (0, 10, 16)
    x = torch.ones(5, 0, 4)
    made, weights = torch.nn.MultiheadAttention(4, 2)(x, x, x)
    assert made.shape == (5, 0, 4) and weights.shape == (0, 5, 5)


class LikeATensor:
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        raise NotImplementedError


class OldModule(torch.nn.Module):
    def register_buffer(self, name, value):
        super().register_buffer(name, value, True)


def test_buffers():
    module = torch.nn.Module()
    module.taken = 5
    with pytest.raises(KeyError, match="already exists"):
        module.taken = torch.nn.Buffer(torch.ones(1))
    like = LikeATensor()
    module.register_buffer("like", like)
    assert module.like is like and module.get_buffer("like") is like
    old = OldModule()
    old.kept = torch.nn.Buffer(torch.ones(1))
    assert old.kept.item() == 1
    with pytest.raises(RuntimeError, match="without the persistent argument is not allowed"):
        old.left = torch.nn.Buffer(torch.ones(1), persistent=False)


def test_the_helpers_of_modules_are_at_hand():
    state = {"module.weight": 1}
    torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    assert state == {"weight": 1}
    assert torch.nn.InstanceNorm2d(3)._get_no_batch_dim() == 3


def test_masks_of_unbatched_attention_have_a_part_for_each_head():
    attention = torch.nn.MultiheadAttention(4, 4, batch_first=True)
    x = torch.ones(3, 4)
    with pytest.raises(AssertionError, match=r"`attn_mask` shape to be \(4, 3, 3\) but got"):
        attention(x, x, x, attn_mask=torch.ones(5, 3, 3, dtype=torch.bool))
    with pytest.raises(AssertionError, match=r"For unbatched \(2-D\) `query`"):
        attention(x, torch.ones(2, 3, 4), x)


def test_transposed_convolutions_of_no_channels():
    with pytest.raises(RuntimeError, match="expected weight to be at least 1 at dimension 0"):
        torch.nn.functional.conv_transpose1d(torch.ones(1, 0, 4), torch.ones(0, 8, 2))


def test_packed_sequences_of_other_types():
    packed = torch.nn.utils.rnn.pack_sequence([torch.ones(2)])
    for name in ("half", "long", "int", "short", "char", "byte"):
        assert getattr(packed, name)().data.dtype is getattr(packed.data, name)().dtype
