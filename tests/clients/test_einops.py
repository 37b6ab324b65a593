"""einops: rearrangements, reductions, layers, and their gradients."""

PROGRAM = """
import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce

x = torch.arange(24.0).reshape(2, 3, 4)
assert torch.equal(rearrange(x, "a b c -> (a c) b"), x.permute(0, 2, 1).reshape(8, 3))
assert torch.equal(reduce(x, "a b c -> a", "mean"), x.mean((1, 2)))
assert torch.equal(reduce(x, "a (b h) c -> a b c", "max", h=3), x.max(1, keepdim=True).values)
assert repeat(x, "a b c -> a b c d", d=2).shape == (2, 3, 4, 2)
assert torch.allclose(einsum(x, x, "a b c, a d c -> b d"), torch.einsum("abc,adc->bd", x, x))
packed, shapes = pack([x, torch.ones(2, 5)], "a *")
assert packed.shape == (2, 17)
back, ones = unpack(packed, shapes, "a *")
assert torch.equal(back, x) and ones.shape == (2, 5)
assert rearrange([x[0], x[1]], "n a b -> a b n").shape == (3, 4, 2)

torch.manual_seed(0)
model = torch.nn.Sequential(
    Rearrange("a b c -> a (b c)"), torch.nn.Linear(12, 6), Rearrange("a (p q) -> a p q", p=2),
    Reduce("a p q -> a q", "sum"),
)
model(x).sum().backward()
assert model[1].weight.grad.shape == (6, 12)
mix = EinMix("a b c -> a b d", weight_shape="c d", bias_shape="d", c=4, d=5)
assert mix(x).shape == (2, 3, 5)
y = x.clone().requires_grad_()
reduce(y * y, "a b c -> ", "sum").backward()
assert torch.equal(y.grad, 2 * x)
print("done")
"""


def test_einops(run):
    assert run(PROGRAM, "einops") == "done\n"
