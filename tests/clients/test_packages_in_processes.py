"""Packages that train with several processes: two give the losses that one gives."""

import ast
import json
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
LAUNCH = [
    "-m", "accelerate.commands.launch", "--num_processes", "2", "--num_machines", "1",
    "--mixed_precision", "no", "--dynamo_backend", "no",
]  # fmt: skip
FSDP = [
    "--use_fsdp", "--fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP",
    "--fsdp_transformer_layer_cls_to_wrap", "Block", "--fsdp_use_orig_params", "true",
]  # fmt: skip


def check_same(one, several):
    """Losses, and results of the trained model."""
    assert one.keys() == several.keys() == {"losses", "results"}
    assert len(one["losses"]) == 8
    for name, values in one.items():
        assert several[name] == pytest.approx(values, rel=0, abs=1e-5)


def read(printed):
    """The lists of numbers that a program printed, by their names."""
    lines = [line.partition(" ") for line in printed.splitlines()]
    return {
        name: ast.literal_eval(rest if rest.startswith("[") else f"[{rest.replace(' ', ',')}]")
        for name, _, rest in lines
        if name in ("losses", "results")
    }


@pytest.fixture
def losses(run_in, tmp_path):
    """Run a program of this folder, which writes into a folder of its own."""

    def losses(launcher, name, *args):
        folder = tmp_path / f"run{len(list(tmp_path.glob('run*')))}"
        return read(run_in(tmp_path, *launcher, PROGRAMS / f"{name}.py", folder, *args))

    return losses


def test_accelerate(losses, needs):
    needs("accelerate", "safetensors")
    one = losses([], "accelerate_loop")
    for options in (
        ["--multi_gpu"],
        [*FSDP, "--fsdp_version", "2", "--fsdp_state_dict_type", "SHARDED_STATE_DICT"],
    ):
        check_same(one, losses([*LAUNCH, *options], "accelerate_loop"))


def test_trainer(losses, needs):
    needs("transformers", "accelerate", "safetensors")
    one = losses([], "trainer_loop", 8, "{}")
    layers = {"transformer_layer_cls_to_wrap": ["GPT2Block"], "sync_module_states": False}
    for more in (
        {"ddp_find_unused_parameters": False},
        {"fsdp": "full_shard auto_wrap", "fsdp_config": {**layers, "version": 1}},
    ):
        check_same(one, losses(TORCHRUN, "trainer_loop", 4, json.dumps(more)))


def test_lightning(losses, needs):
    needs("pytorch_lightning")
    one = losses([], "lightning_processes", "auto", 1)
    for kind in ("ddp", "fsdp", "sharded"):
        check_same(one, losses([], "lightning_processes", kind, 2))
