"""e3nn: functions that turn with their arguments, and their gradients."""

import warnings

import torch

warnings.filterwarnings("ignore")
from e3nn import o3  # noqa: E402


def show(name, *values):
    print(f"{name}={' '.join(f'{float(value):.4f}' for value in values)}")


torch.manual_seed(0)
points = torch.randn(5, 3, requires_grad=True)
harmonics = o3.spherical_harmonics([0, 1, 2, 3], points, normalize=True)
(grad,) = torch.autograd.grad(harmonics.pow(3).sum(), points)
show("harmonics", *harmonics[0, :4], *grad[0])

angles = torch.tensor(0.1), torch.tensor(0.2), torch.tensor(0.3)
show("turned", *o3.Irreps("1o + 2e").D_from_angles(*angles)[0, :3])

layer = o3.Linear("2x0e + 1o", "3x0e + 2x1o")
x = torch.randn(4, 5, requires_grad=True)
made = layer(x).pow(2).sum()
made.backward()
show("linear", made, x.grad.abs().sum())

product = o3.FullyConnectedTensorProduct("2x0e + 1o", "1o", "0e + 1o + 2e")
vectors = torch.randn(4, 3)
whole = product(x, vectors).pow(2).sum()
turn = o3.rand_matrix()
before, after = (
    o3.Irreps("2x0e + 1o").D_from_matrix(turn),
    o3.Irreps("0e + 1o + 2e").D_from_matrix(turn),
)
one = product(x @ before.T, vectors @ turn.T)
other = product(x, vectors) @ after.T
show("product", whole)
assert torch.allclose(one, other, atol=1e-4)
