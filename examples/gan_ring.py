"""A generative adversarial network with gradient penalty learns points on a ring: `rushlight run
examples/gan_ring.py`. The penalty is a gradient of a gradient.
"""

import argparse
import math

import torch
from progress import Progress
from torch import nn


def ring(count):
    """Points near eight places on a circle."""
    angle = torch.randint(8, (count,)) * (2 * math.pi / 8)
    return torch.stack([angle.cos(), angle.sin()], dim=1) + 0.05 * torch.randn(count, 2)


def network(inputs, outputs):
    return nn.Sequential(
        nn.Linear(inputs, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(),
        nn.Linear(64, outputs),
    )  # fmt: skip


def penalty(critic, real, fake):
    """How far the critic's slope between real and made points is from one."""
    between = torch.lerp(fake, real, torch.rand(len(real), 1)).requires_grad_()
    (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    return ((slope.norm(dim=1) - 1) ** 2).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=500)
    options = parser.parse_args()

    torch.manual_seed(5)
    generator, critic = network(4, 2), network(2, 1)
    ours = torch.optim.Adam(generator.parameters(), lr=3e-4, betas=(0.5, 0.9))
    theirs = torch.optim.Adam(critic.parameters(), lr=3e-4, betas=(0.5, 0.9))

    with Progress(options.steps, 128, "points") as progress:
        for _ in range(options.steps):
            for _ in range(3):
                real = ring(128)
                fake = generator(torch.randn(128, 4)).detach()
                loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real, fake)
                theirs.zero_grad()
                loss.backward()
                theirs.step()
            made = -critic(generator(torch.randn(128, 4))).mean()
            ours.zero_grad()
            made.backward()
            ours.step()
            progress.step(loss.item())

    with torch.no_grad():
        radius = generator(torch.randn(1000, 4)).norm(dim=1)
    print(f"distance from the middle: {radius.mean().item():.3f}, wanted 1")


if __name__ == "__main__":
    main()
