"""opacus: gradients of each sample, by hooks and by `torch.func`, cut and with noise."""

import warnings

import torch
from opacus import PrivacyEngine
from opacus.grad_sample import GradSampleModule

warnings.filterwarnings("ignore")


def show(name, *values):
    print(f"{name}={' '.join(f'{float(value):.5f}' for value in values)}")


torch.manual_seed(0)
images, kinds = torch.randn(12, 1, 8, 8), torch.arange(12) % 5
for name, options in ("hooks", {}), ("functions", {"force_functorch": True}):
    torch.manual_seed(1)
    network = torch.nn.Sequential(
        torch.nn.Conv2d(1, 4, 3), torch.nn.GroupNorm(2, 4), torch.nn.ReLU(), torch.nn.Flatten(),
        torch.nn.Linear(144, 5),
    )  # fmt: skip
    model = GradSampleModule(network, **options)
    torch.nn.functional.cross_entropy(model(images), kinds).backward()
    show(name, *(p.grad_sample.flatten(1).norm(dim=1)[:3].sum() for p in model.parameters()))

torch.manual_seed(2)
network = torch.nn.Linear(6, 3)
optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
data = torch.utils.data.TensorDataset(torch.randn(24, 6), torch.arange(24) % 3)
loader = torch.utils.data.DataLoader(data, batch_size=8)
model, optimizer, loader = PrivacyEngine().make_private(
    module=network, optimizer=optimizer, data_loader=loader, noise_multiplier=0.0,
    max_grad_norm=0.5, poisson_sampling=False,
)  # fmt: skip
for x, y in loader:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
show("clipped", *network.bias, network.weight.norm())
