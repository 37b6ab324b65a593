"""Trains a small classifier on two spirals, with PyTorch's API: `rushlight run examples/spirals.py`."""

import math

import torch
from torch import nn, optim

torch.manual_seed(0)
turns = torch.rand(400) * 3 * math.pi
arm = torch.arange(400) % 2
angle = turns + arm * math.pi
points = torch.stack([turns * angle.cos(), turns * angle.sin()], dim=1) / 10
points += 0.02 * torch.randn(400, 2)

model = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
optimizer = optim.AdamW(model.parameters(), lr=1e-2)
schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, 300)

for epoch in range(301):
    optimizer.zero_grad()
    logits = model(points)
    loss = nn.functional.cross_entropy(logits, arm)
    loss.backward()
    optimizer.step()
    schedule.step()
    if epoch % 100 == 0:
        right = (logits.argmax(1) == arm).float().mean()
        print(f"epoch {epoch}: loss {loss.item():.4f}, right {right.item():.0%}")
