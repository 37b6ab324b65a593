"""A multilayer perceptron on scikit-learn's digits: `rushlight run examples/digits_mlp.py`."""

import argparse

import torch
import torch.nn.functional as F
from progress import Progress
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    options = parser.parse_args()

    torch.manual_seed(2)
    images, labels = load_digits(return_X_y=True)
    data = TensorDataset(torch.tensor(images / 16, dtype=torch.float32), torch.tensor(labels))
    train, test = random_split(data, [0.8, 0.2])
    model = nn.Sequential(
        nn.Linear(64, 128),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(128, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    loader = DataLoader(train, batch_size=64, shuffle=True)

    with Progress(options.epochs * len(loader), 64, "digits") as progress:
        for _ in range(options.epochs):
            for batch, wanted in loader:
                loss = F.cross_entropy(model(batch), wanted)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                progress.step(loss.item())

    model.eval()
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(test, 64))
    print(f"right: {right} of {len(test)}")


if __name__ == "__main__":
    main()
