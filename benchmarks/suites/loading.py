"""Checkpoints, read and written by whole processes: processor time and peak of memory.

The files are made here: large matrices, and many small tensors. What packages read, safetensors
and transformers, is measured where they are installed; there `import torch` means rushlight.
"""

from __future__ import annotations

import importlib.util
import statistics
import subprocess
import sys
import tempfile

# What each process runs before the statement that is of interest.
HEAD = """
import sys
if {ours}:
    import rushlight
    rushlight.install_as_torch()
import torch
"""
TAIL = """
import resource, time
used = resource.getrusage(resource.RUSAGE_SELF)
print(time.process_time(), used.ru_maxrss)
"""
MADE = "state = {str(i): torch.rand(1024, 1024) for i in range(%d)}\n"
LARGE = MADE % 48
PREPARED = (
    LARGE + "torch.save(state, 'large.pt')\n"
    "torch.save(state, 'legacy.pt', _use_new_zipfile_serialization=False)\n"
    "torch.save({str(i): torch.rand(8, 8) for i in range(3000)}, 'many.pt')\n"
)
MODEL = "model = torch.nn.ParameterList(map(torch.nn.Parameter, state.values()))\n"
PROGRAMS = {
    "load": "torch.load('large.pt')",
    "load, mapped": "torch.load('large.pt', mmap=True)",
    "load, mapped and read": "[t.sum() for t in torch.load('large.pt', mmap=True).values()]",
    "load, trusted": "torch.load('large.pt', weights_only=False)",
    "load from memory": "import io; torch.load(io.BytesIO(open('large.pt', 'rb').read()))",
    "load, legacy format": "torch.load('legacy.pt')",
    "load, many small": "torch.load('many.pt')",
    "save": LARGE + "torch.save(state, 'written.pt')",
    "save, many small": "torch.save({str(i): torch.rand(8, 8) for i in range(3000)}, 'written.pt')",
    "pickle and back": LARGE + "import pickle; pickle.loads(pickle.dumps(state))",
    "load_state_dict": LARGE + MODEL + "model.load_state_dict(dict(state))",
    "load_state_dict, assigned": LARGE + MODEL + "model.load_state_dict(dict(state), assign=True)",
    "storage as a tensor": LARGE
    + "[torch.asarray(t.untyped_storage()[64:], dtype=torch.uint8) for t in state.values()]",
    "tensor of a list": "torch.tensor([0.5] * 1_000_000, dtype=torch.float16)",
}
SAFE = LARGE + "from safetensors.torch import save_file; save_file(state, 'large.safetensors')"
SAFE_PROGRAMS = {
    "safetensors, load_file": "from safetensors.torch import load_file; load_file('large.safetensors')",
    "safetensors, safe_open": """
from safetensors import safe_open
with safe_open('large.safetensors', 'pt') as file:
    [file.get_tensor(name).sum() for name in file.keys()]
""",
    "safetensors, save_file": SAFE.replace("large.safe", "written.safe"),
}
BERT = """
from transformers import BertConfig, BertModel
"""
PRETRAINED = BERT + (
    "BertModel(BertConfig(hidden_size=384, num_attention_heads=12, num_hidden_layers=6, "
    "intermediate_size=1536)).save_pretrained('bert')"
)
PRETRAINED_PROGRAMS = {
    "transformers, from_pretrained": BERT + "BertModel.from_pretrained('bert')",
}


def _run(program: str, ours: bool, folder: str) -> tuple[float, int]:
    """Seconds of processor time and the peak of memory of a process."""
    done = subprocess.run(
        [sys.executable, "-c", HEAD.format(ours=ours) + program + "\n" + TAIL],
        check=True, capture_output=True, text=True, cwd=folder,
    )  # fmt: skip
    seconds, peak = done.stdout.split()
    return float(seconds), int(peak)


def _programs(folder: str) -> dict[str, str]:
    """What can be measured here; the files that it reads are made."""
    _run(PREPARED, False, folder)
    found = dict(PROGRAMS)
    if importlib.util.find_spec("safetensors"):
        _run(SAFE, False, folder)
        found |= SAFE_PROGRAMS
        if importlib.util.find_spec("transformers"):
            _run(PRETRAINED, False, folder)
            found |= PRETRAINED_PROGRAMS
    return found


def measure(rounds: int) -> dict[str, float]:
    """Ratios of processor time and of the peak of memory, imports included."""
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        for title, program in _programs(folder).items():
            _run(program, True, folder)
            pairs = [[_run(program, ours, folder) for ours in (True, False)] for _ in range(rounds)]
            for at, what in enumerate(("time", "memory")):
                ours, theirs = (statistics.median(p[side][at] for p in pairs) for side in (0, 1))
                ratios[f"{title}: {what}"] = ours / theirs
                print(f"{title + ': ' + what:44s} {ours / theirs:5.2f}", flush=True)
    return ratios
