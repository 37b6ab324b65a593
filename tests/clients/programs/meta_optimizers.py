"""torchopt: optimizers as functions, through which gradients flow, and gradients of what a solver finds."""

import warnings

import torch
import torch.nn.functional as F
import torchopt

warnings.filterwarnings("ignore", category=FutureWarning)


def show(name, *values):
    print(f"{name}={' '.join(f'{float(value):.5f}' for value in values)}")


torch.manual_seed(0)
x = torch.randn(10, 3)
y = x.sum(1, keepdim=True)

net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torchopt.Adam(net.parameters(), lr=0.05)
losses = []
for _ in range(4):
    loss = F.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss)
show("adam", *losses)

scale = torch.tensor(1.0, requires_grad=True)
inner = torch.nn.Linear(3, 1)
steps = torchopt.MetaAdam(inner, lr=0.1)
for _ in range(3):
    steps.step(F.mse_loss(inner(x) * scale, y))
outer = F.mse_loss(inner(x), y)
outer.backward()
show("meta", outer, scale.grad)


class Proximal(
    torchopt.nn.ImplicitMetaGradientModule,
    linear_solve=torchopt.linear_solve.solve_normal_cg(maxiter=10, atol=0),
):
    def __init__(self, around):
        super().__init__()
        self.around, self.net = around, torch.nn.Linear(3, 1)
        self.net.load_state_dict(around.state_dict())

    def objective(self, x, y):
        pairs = zip(self.net.parameters(), self.around.parameters())
        return F.mse_loss(self.net(x), y) + 0.5 * sum(((p - q) ** 2).sum() for p, q in pairs)

    def solve(self, x, y):
        optimizer = torchopt.SGD(self.net.parameters(), lr=0.1)
        with torch.enable_grad():
            for _ in range(20):
                optimizer.zero_grad()
                self.objective(x, y).backward(inputs=tuple(self.net.parameters()))
                optimizer.step()
        return self


around = torch.nn.Linear(3, 1)
solved = Proximal(around).solve(x, y)
F.mse_loss(solved.net(x), y).backward()
show("implicit", *around.weight.grad.flatten(), around.bias.grad)

function = torchopt.FuncOptimizer(torchopt.adam(lr=0.1))
points = torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
for _ in range(5):
    points = function.step(((points[0] - 1) ** 2 + (points[1] + 1) ** 2).sum(), points)
show("function", *points[0], *points[1])
