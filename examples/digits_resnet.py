"""A small residual network on scikit-learn's digits: `rushlight run examples/digits_resnet.py`."""

import argparse

import torch
import torch.nn.functional as F
from progress import Progress
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Residual(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(after)
        self.shortcut = nn.Identity() if before == after else nn.Conv2d(before, after, 1, stride)

    def forward(self, x):
        y = F.silu(self.norm1(self.conv1(x)))
        return F.silu(self.norm2(self.conv2(y)) + self.shortcut(x))


def network():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        Residual(16, 16, 1),
        Residual(16, 32, 2),
        Residual(32, 64, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    options = parser.parse_args()

    torch.manual_seed(3)
    images, labels = load_digits(return_X_y=True)
    images = torch.tensor(images / 8 - 1, dtype=torch.float32).view(-1, 1, 8, 8)
    train, test = random_split(TensorDataset(images, torch.tensor(labels)), [0.8, 0.2])
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    loader = DataLoader(train, batch_size=64, shuffle=True)
    steps = options.epochs * len(loader)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.02, total_steps=steps)

    with Progress(steps, 64, "digits") as progress:
        for _ in range(options.epochs):
            for batch, wanted in loader:
                loss = F.cross_entropy(model(batch), wanted, label_smoothing=0.1)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                schedule.step()
                progress.step(loss.item())

    model.eval()
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(test, 64))
    print(f"right: {right} of {len(test)}")


if __name__ == "__main__":
    main()
