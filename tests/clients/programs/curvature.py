"""curvlinops and torchjd: products with matrices of second derivatives, and gradients of several losses put together."""

import torch
from curvlinops import (
    EFLinearOperator,
    GGNLinearOperator,
    HessianLinearOperator,
    KFACLinearOperator,
)
from torchjd.aggregation import IMTLG, MGDA, Mean, PCGrad
from torchjd.autojac import backward, jac_to_grad


def show(name, *values):
    print(f"{name}={' '.join(f'{float(value):.5f}' for value in values)}")


torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
x, y = torch.randn(8, 3), torch.randn(8, 2)
parameters = list(network.parameters())
vector = torch.randn(sum(p.numel() for p in parameters))
for kind in HessianLinearOperator, GGNLinearOperator, EFLinearOperator:
    made = kind(network, torch.nn.MSELoss(), parameters, [(x, y)])
    show(kind.__name__, *(made @ vector)[:4])
kfac = KFACLinearOperator(network, torch.nn.MSELoss(), parameters, [(x, y)], fisher_type="type-2")
show("kfac", *(kfac @ vector)[:4])

for kind in Mean, MGDA, IMTLG, PCGrad:
    torch.manual_seed(1)
    out = network(x)
    backward([(out[:, 0] ** 2).mean(), (out[:, 1] - 1).abs().mean()])
    jac_to_grad(parameters, kind())
    assert not any(p.grad.requires_grad for p in parameters)
    show(kind.__name__, *network[2].bias.grad, network[0].weight.grad.sum())
    network.zero_grad()
