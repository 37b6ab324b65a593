"""Writing logs for TensorBoard, through its package."""

try:
    import tensorboard as _package
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "torch.utils.tensorboard needs the package tensorboard: pip install tensorboard",
        name="tensorboard",
    ) from None

from tensorboard.summary.writer.record_writer import RecordWriter

from rushlight.utils.tensorboard.writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]
del _package
