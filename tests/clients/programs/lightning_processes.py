"""A Trainer of Lightning with one process or two; and Fabric with sharded and tensor parallel modules."""

import sys

import pytorch_lightning as lightning
import torch
from lightning_fabric import Fabric
from lightning_fabric.strategies import FSDPStrategy, ModelParallelStrategy
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

folder, kind, count = sys.argv[1], sys.argv[2], int(sys.argv[3])


class OnCPU(FSDPStrategy):
    """Lightning refuses its own class, by its type, where there is no GPU."""


def parallel(model, mesh):
    by_tensor, by_data = mesh["tensor_parallel"], mesh["data_parallel"]
    if by_tensor.size() > 1:
        parallelize_module(model, by_tensor, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    if by_data.size() > 1:
        fully_shard(model[0], mesh=by_data)
        fully_shard(model, mesh=by_data)
    return model


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 4))


def rows():
    numbers = torch.Generator().manual_seed(1)
    x = torch.randn(32, 8, generator=numbers)
    return TensorDataset(x, torch.randint(0, 4, (32,), generator=numbers))


def loader(size, world, rank):
    sampler = DistributedSampler(rows(), world, rank, shuffle=False)
    return DataLoader(rows(), batch_size=size // world, sampler=sampler)


class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers, self.losses = network(), []

    def training_step(self, batch, number):
        loss = nn.functional.cross_entropy(self.layers(batch[0]), batch[1])
        self.losses.append(float(self.all_gather(loss.detach()).mean()))
        return loss

    def test_step(self, batch, number):
        loss = nn.functional.cross_entropy(self.layers(batch[0]), batch[1])
        self.log("loss", loss, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-2)

    def train_dataloader(self):
        return loader(8, count, self.trainer.global_rank)

    test_dataloader = train_dataloader


def fitted():
    net = Net()
    trainer = lightning.Trainer(
        accelerator="cpu", devices=count, strategy=kind, max_epochs=2, logger=False,
        use_distributed_sampler=False, enable_progress_bar=False, default_root_dir=folder,
    )  # fmt: skip
    trainer.fit(net)
    (found,) = trainer.test(net, ckpt_path="best", verbose=False)
    return trainer.is_global_zero, net.losses, found["loss"]


def looped():
    strategy = {
        "fsdp": OnCPU(auto_wrap_policy={nn.Linear}, state_dict_type="sharded"),
        "sharded": ModelParallelStrategy(parallel, count, 1),
        "tensor": ModelParallelStrategy(parallel, 1, count),
    }[kind]
    fabric = Fabric(accelerator="cpu", devices=count, strategy=strategy)
    fabric.launch()
    model = fabric.setup_module(network())
    optimizer = fabric.setup_optimizers(torch.optim.AdamW(model.parameters(), lr=1e-2))
    world = 1 if kind == "tensor" else count
    data, losses = loader(8, world, fabric.global_rank % world), []
    for _ in range(2):
        for x, y in data:
            loss = nn.functional.cross_entropy(model(x), y)
            fabric.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(float(fabric.all_reduce(loss.detach(), reduce_op="mean")))
    state = {"model": model, "optimizer": optimizer}
    fabric.save(f"{folder}/saved", state)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    fabric.load(f"{folder}/saved", state)
    with torch.no_grad():
        pieces = [nn.functional.cross_entropy(model(x), y) for x, y in data]
    mean = fabric.all_reduce(torch.stack(pieces).mean(), reduce_op="mean")
    return fabric.is_global_zero, losses, float(mean)


is_first, losses, last = fitted() if kind in ("auto", "ddp") else looped()
if is_first:
    print("losses", losses)
    print("results", last)
