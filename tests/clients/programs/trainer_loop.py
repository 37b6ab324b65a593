"""The Trainer of transformers: it trains, evaluates, saves, and goes on from what it has saved."""

import json
import sys

import accelerate.accelerator
import torch
from accelerate import state
from accelerate.utils import DistributedType
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

folder, size, more = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])


class Found(state.AcceleratorState):
    """Accelerate says FSDP only where there is a GPU; what it does then needs none."""

    def __init__(self, *args, fsdp_plugin=None, **kwargs):
        fresh = not state.AcceleratorState._shared_state
        super().__init__(*args, fsdp_plugin=fsdp_plugin, **kwargs)
        if fresh:
            self.distributed_type, self.fsdp_plugin = DistributedType.FSDP, fsdp_plugin
            state.PartialState._shared_state["distributed_type"] = DistributedType.FSDP


if "fsdp" in more:
    accelerate.accelerator.AcceleratorState = Found


def trainer():
    set_seed(0)
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 128, "n_positions": 64}
    model = GPT2LMHeadModel(GPT2Config(**sizes, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0))
    numbers = torch.Generator().manual_seed(1)
    ids = torch.randint(0, 128, (32, 16), generator=numbers)
    rows = [{"input_ids": row, "labels": row} for row in ids]
    settings = TrainingArguments(
        folder, per_device_train_batch_size=size, per_device_eval_batch_size=size,
        num_train_epochs=2, learning_rate=1e-2, logging_steps=1, use_cpu=True, report_to=[],
        save_steps=4, eval_strategy="epoch", disable_tqdm=True, seed=3, data_seed=5, **more,
    )  # fmt: skip
    return Trainer(model, settings, train_dataset=rows, eval_dataset=rows[:12])


def losses(one, name):
    return [entry[name] for entry in one.state.log_history if name in entry]


first = trainer()
first.train()
again = trainer()
again.train(resume_from_checkpoint=f"{folder}/checkpoint-4")
assert losses(again, "loss") == losses(first, "loss")
if first.is_world_process_zero():
    print("losses", losses(first, "loss"))
    print("results", losses(first, "eval_loss"))
