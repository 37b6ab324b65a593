"""Trains a character-level GPT on sonnets and lets it write: `rushlight run examples/char_gpt.py`.

The text is Shakespeare's, so the letters are few and the model is small: four blocks of width 128 that
see 128 characters. The loss goes to a picture, `char_gpt.png`, where matplotlib is installed.
"""

import argparse
import math
from pathlib import Path

import torch
import torch.nn.functional as F
from progress import Progress, picture
from torch import nn

CONTEXT, WIDTH, HEADS, BLOCKS, DROPOUT = 128, 128, 4, 4, 0.1


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project_in = nn.Linear(WIDTH, 3 * WIDTH)
        self.project_out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        batch, length, width = x.shape
        heads = self.project_in(x).view(batch, length, 3, HEADS, width // HEADS)
        query, key, value = heads.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.project_out(mixed.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(WIDTH), Attention()
        self.norm2 = nn.LayerNorm(WIDTH)
        self.feed = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH), nn.Dropout(DROPOUT)
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.feed(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.letters = nn.Embedding(letters, WIDTH)
        self.places = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, letters, bias=False)
        self.head.weight = self.letters.weight
        for table in (self.letters, self.places):
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, index):
        places = torch.arange(index.shape[1])
        return self.head(self.norm(self.blocks(self.letters(index) + self.places(places))))

    @torch.no_grad()
    def write(self, index, count):
        self.eval()
        for _ in range(count):
            logits = self(index[:, -CONTEXT:])[:, -1] / 0.8
            index = torch.cat([index, torch.multinomial(logits.softmax(-1), 1)], dim=1)
        return index


def learning_rate(step, steps, warm=20):
    if step < warm:
        return (step + 1) / warm
    return 0.1 + 0.45 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--letters", type=int, default=400, help="how many to write at the end")
    options = parser.parse_args()

    torch.manual_seed(1)
    text = (Path(__file__).parent / "data" / "sonnets.txt").read_text()
    alphabet = sorted(set(text))
    data = torch.tensor([alphabet.index(letter) for letter in text])
    model = GPT(len(alphabet))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: learning_rate(step, options.steps)
    )

    losses = []
    with Progress(options.steps, options.batch * CONTEXT, "tokens") as progress:
        for _ in range(options.steps):
            starts = torch.randint(len(data) - CONTEXT - 1, (options.batch,))
            rows = torch.stack([data[i : i + CONTEXT + 1] for i in starts])
            logits = model(rows[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
            progress.step(losses[-1])

    picture(losses, Path("char_gpt.png"), "loss per character")
    if options.letters:
        start = torch.tensor([[alphabet.index("\n")]])
        written = model.write(start, options.letters)[0].tolist()
        print("".join(alphabet[i] for i in written))


if __name__ == "__main__":
    main()
