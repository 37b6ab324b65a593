"""A loop of accelerate: alone, data parallel, or sharded by either generation of FSDP."""

import os
import sys

import accelerate.accelerator
import torch
from accelerate import Accelerator, state
from accelerate.utils import DataLoaderConfiguration, DistributedType, set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Found(state.AcceleratorState):
    """Accelerate says FSDP only where there is a GPU; what it does then needs none."""

    def __init__(self, *args, fsdp_plugin=None, **kwargs):
        fresh = not state.AcceleratorState._shared_state
        super().__init__(*args, fsdp_plugin=fsdp_plugin, **kwargs)
        if fresh:
            self.distributed_type, self.fsdp_plugin = DistributedType.FSDP, fsdp_plugin
            state.PartialState._shared_state["distributed_type"] = DistributedType.FSDP


if os.environ.get("ACCELERATE_USE_FSDP") == "true":
    accelerate.accelerator.AcceleratorState = Found
    os.environ["FSDP_CPU_RAM_EFFICIENT_LOADING"] = "false"
    os.environ["FSDP_SYNC_MODULE_STATES"] = "false"


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(x)))


folder = sys.argv[1]
accelerator = Accelerator(cpu=True, dataloader_config=DataLoaderConfiguration(split_batches=True))
set_seed(0)
model = nn.Sequential(nn.Linear(8, 16), Block(16), Block(16), nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
numbers = torch.Generator().manual_seed(1)
rows = torch.randn(36, 8, generator=numbers), torch.randint(0, 4, (36,), generator=numbers)
data = TensorDataset(*rows)
loader = DataLoader(data, batch_size=8, drop_last=True)
every = DataLoader(data, batch_size=8)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: 1 / (1 + 0.1 * k))
model, optimizer, loader, every, schedule = accelerator.prepare(
    model, optimizer, loader, every, schedule
)


def results():
    model.eval()
    with torch.no_grad():
        return torch.cat([accelerator.gather_for_metrics(model(x)) for x, _ in every])


losses = []
for _ in range(2):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        losses.append(float(accelerator.reduce(loss.detach(), "mean")))
before = results()
accelerator.save_state(f"{folder}/state")
with torch.no_grad():
    for parameter in model.parameters():
        parameter.zero_()
accelerator.load_state(f"{folder}/state")
torch.testing.assert_close(results(), before)
accelerator.print("losses", losses)
accelerator.print("results", len(before), float(before.sum()))
accelerator.end_training()
