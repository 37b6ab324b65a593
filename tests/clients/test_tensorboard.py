"""tensorboard: what is written can be read."""

PROGRAM = """
import torch
from torch.utils.tensorboard import SummaryWriter

with SummaryWriter("logs") as writer:
    for step in range(3):
        writer.add_scalar("loss", torch.tensor(1.0 / (step + 1)), step)
    writer.add_scalars("both", {"a": 1, "b": 2.0}, 1)
    writer.add_histogram("weights", torch.arange(100.0), 1)
    writer.add_text("note", "hello", 1)
    writer.add_hparams({"lr": 0.1, "kind": "x"}, {"accuracy": 0.5})

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

read = EventAccumulator("logs")
read.Reload()
assert [event.value for event in read.Scalars("loss")] == [1.0, 0.5, 0.3333333432674408]
histogram = read.Histograms("weights")[0].histogram_value
assert histogram.num == 100 and histogram.sum == 4950 and histogram.max == 99
assert read.Tags()["tensors"] == ["note/text_summary"]
print("done")
"""


def test_tensorboard(run):
    assert run(PROGRAM, "tensorboard") == "done\n"
