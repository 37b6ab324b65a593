"""Trains the character-level GPT of `char_gpt.py` in several processes, each on its own rows:

    rushlight run -m torch.distributed.run --standalone --nproc-per-node 4 examples/char_gpt_processes.py

All processes have the same model; their gradients are averaged. The first one writes at the end.
"""

import argparse
import contextlib
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from char_gpt import CONTEXT, GPT, learning_rate
from progress import Progress
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--batch", type=int, default=4, help="rows of each process")
    parser.add_argument("--letters", type=int, default=400, help="how many to write at the end")
    options = parser.parse_args()

    dist.init_process_group()
    rank, size = dist.get_rank(), dist.get_world_size()
    text = (Path(__file__).parent / "data" / "sonnets.txt").read_text()
    alphabet = sorted(set(text))
    data = torch.tensor([alphabet.index(letter) for letter in text])
    torch.manual_seed(1)
    model = DistributedDataParallel(GPT(len(alphabet)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: learning_rate(step, options.steps)
    )

    # from here on, each process has random numbers of its own
    torch.manual_seed(100 + rank)
    items = size * options.batch * CONTEXT
    shown = Progress(options.steps, items, "tokens") if rank == 0 else contextlib.nullcontext()
    with shown as progress:
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
            mean = loss.detach() / size
            dist.all_reduce(mean)
            if rank == 0:
                progress.step(mean.item())

    if rank == 0 and options.letters:
        start = torch.tensor([[alphabet.index("\n")]])
        written = model.module.write(start, options.letters)[0].tolist()
        print("".join(alphabet[i] for i in written))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
