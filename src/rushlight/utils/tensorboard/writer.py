"""Scalars, texts, pictures and histograms as files that TensorBoard reads."""

from __future__ import annotations

import io
import os
import socket
import time
from typing import Any, Self

import numpy as np
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.summary.writer.event_file_writer import EventFileWriter

__all__ = ["FileWriter", "SummaryWriter"]


def _array(value: Any) -> Any:
    """Tensors, numbers and arrays as an array."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.float() if value.dtype.itemsize == 2 else value
        return value.numpy()
    return np.asarray(value)


class FileWriter:
    """A file of events."""

    def __init__(
        self, log_dir: Any, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = ""
    ) -> None:
        self.event_writer = EventFileWriter(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        found: str = self.event_writer.get_logdir()
        return found

    def add_event(self, event: Any, step: Any = None, walltime: float | None = None) -> None:
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None, walltime: Any = None) -> None:
        self.add_event(event_pb2.Event(summary=summary), global_step, walltime)

    def flush(self) -> None:
        self.event_writer.flush()

    def close(self) -> None:
        self.event_writer.close()


def _picture(array: Any, dataformats: str) -> Any:
    """An array as one of bytes, height by width by channels."""
    order = dataformats.upper()
    if order == "HW":
        array, order = array[..., None], "HWC"
    array = array.transpose([order.index(axis) for axis in "HWC"])
    if array.dtype != np.uint8:
        array = np.clip(array * 255.0, 0, 255).astype(np.uint8)
    return array.repeat(3, 2) if array.shape[2] == 1 else array


def _grid(array: Any, dataformats: str) -> Any:
    """Several pictures beside each other."""
    order = dataformats.upper()
    array = array.transpose([order.index(axis) for axis in "NHWC"])
    count, height, width, channels = array.shape
    columns = min(count, 8)
    rows = -(-count // columns)
    made = np.zeros((rows * height, columns * width, channels), array.dtype)
    for i, one in enumerate(array):
        top, left = i // columns * height, i % columns * width
        made[top : top + height, left : left + width] = one
    return made


def _encoded(array: Any) -> Any:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(array).save(buffer, format="PNG")
    height, width, channels = array.shape
    return Summary.Image(
        height=height, width=width, colorspace=channels, encoded_image_string=buffer.getvalue()
    )


def _histogram(values: Any, bins: Any, max_bins: int | None) -> Any:
    values = values.reshape(-1).astype(np.float64)
    if values.size == 0:
        raise ValueError("The input has no element.")
    counts, limits = np.histogram(values, bins=_edges() if bins == "tensorflow" else bins)
    if max_bins is not None and len(counts) > max_bins:
        step = -(-len(counts) // max_bins)
        counts = np.add.reduceat(counts, np.arange(0, len(counts), step))
        limits = np.concatenate([limits[:-1:step], limits[-1:]])
    filled = np.nonzero(counts)[0]
    first, last = (filled[0], filled[-1] + 1) if len(filled) else (0, 1)
    return HistogramProto(
        min=values.min(),
        max=values.max(),
        num=values.size,
        sum=values.sum(),
        sum_squares=values.dot(values),
        bucket_limit=limits[first + 1 : last + 1].tolist(),
        bucket=counts[first:last].tolist(),
    )


def _edges() -> list[float]:
    """Limits that grow by a tenth, to both sides of zero."""
    limit, positive = 1e-12, []
    while limit < 1e20:
        positive.append(limit)
        limit *= 1.1
    return [-x for x in reversed(positive)] + [0.0] + positive


class SummaryWriter:
    """Writes what happens in training into a folder that TensorBoard shows.

    Args:
        log_dir: the folder; ``runs/`` with the time and the machine's name if None
        comment: goes to the end of that name
        purge_step: steps from here on, of an earlier run, are dropped
        max_queue: how many events wait before they are written
        flush_secs: how often they are written at least
        filename_suffix: goes to the end of the file's name
    """

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        if not log_dir:
            now = time.strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir = str(log_dir)
        self.purge_step = purge_step
        self._options = (max_queue, flush_secs, filename_suffix)
        self.all_writers: dict[str, FileWriter] | None = None
        self.file_writer: FileWriter | None = None
        self._get_file_writer()

    def _get_file_writer(self) -> FileWriter:
        if self.file_writer is None:
            self.file_writer = FileWriter(self.log_dir, *self._options)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                start = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
                version = event_pb2.Event(file_version="brain.Event:2")
                self.file_writer.add_event(version, self.purge_step)
                self.file_writer.add_event(event_pb2.Event(session_log=start), self.purge_step)
                self.purge_step = None
        return self.file_writer

    def get_logdir(self) -> str:
        return self.log_dir

    def _add(self, value: Any, step: Any, walltime: Any) -> None:
        self._get_file_writer().add_summary(Summary(value=[value]), step, walltime)

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """A number of a step."""
        array = _array(scalar_value)
        if array.size != 1:
            raise AssertionError("scalar should be 0D")
        number = float(array.reshape(-1)[0])
        self._add(Summary.Value(tag=tag, simple_value=number), global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: dict[str, Any],
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Several numbers of a step that are shown in one plot, each in a folder of its own."""
        self._get_file_writer()
        assert self.all_writers is not None
        for tag, value in tag_scalar_dict.items():
            folder = f"{self.log_dir}/{main_tag.replace('/', '_')}_{tag}"
            if folder not in self.all_writers:
                self.all_writers[folder] = FileWriter(folder, *self._options)
            number = Summary.Value(tag=main_tag, simple_value=float(_array(value)))
            self.all_writers[folder].add_summary(Summary(value=[number]), global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: Any = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """How values are spread."""
        made = _histogram(_array(values), bins, max_bins)
        self._add(Summary.Value(tag=tag, histo=made), global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """A picture; needs the package Pillow."""
        picture = _encoded(_picture(_array(img_tensor), dataformats))
        self._add(Summary.Value(tag=tag, image=picture), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Several pictures beside each other."""
        grid = _grid(_array(img_tensor), dataformats)
        self.add_image(tag, grid, global_step, walltime, dataformats="HWC")

    def add_figure(
        self, tag: str, figure: Any, global_step: Any = None, close: bool = True,
        walltime: float | None = None,
    ) -> None:  # fmt: skip
        """A figure of matplotlib."""
        figure.canvas.draw()
        drawn = np.asarray(figure.canvas.buffer_rgba())[..., :3]
        self.add_image(tag, drawn, global_step, walltime, dataformats="HWC")
        if close:
            import matplotlib.pyplot as plt

            plt.close(figure)

    def add_text(
        self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """A text, in Markdown."""
        plugin = SummaryMetadata.PluginData(plugin_name="text", content=b"")
        text = TensorProto(
            dtype="DT_STRING",
            string_val=[text_string.encode()],
            tensor_shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)]),
        )
        value = Summary.Value(
            tag=f"{tag}/text_summary", metadata=SummaryMetadata(plugin_data=plugin), tensor=text
        )
        self._add(value, global_step, walltime)

    def add_hparams(
        self,
        hparam_dict: dict[str, Any],
        metric_dict: dict[str, Any],
        hparam_domain_discrete: Any = None,
        run_name: str | None = None,
        global_step: Any = None,
    ) -> None:
        """The choices of a run and what came of them."""
        from tensorboard.plugins.hparams import summary_v2

        folder = os.path.join(self.log_dir, run_name or str(time.time()))
        writer = FileWriter(folder, *self._options)
        plain = {k: v if isinstance(v, (bool, str)) else float(v) for k, v in hparam_dict.items()}
        writer.add_summary(summary_v2.hparams_pb(plain))
        for name, value in metric_dict.items():
            number = Summary.Value(tag=name, simple_value=float(_array(value)))
            writer.add_summary(summary_pb2.Summary(value=[number]), global_step)
        writer.close()

    def add_graph(self, model: Any, input_to_model: Any = None, **options: Any) -> None:
        """Raises: programs cannot be traced into graphs yet."""
        raise NotImplementedError("SummaryWriter.add_graph: rushlight has no graphs of models yet")

    def flush(self) -> None:
        """Write what waits."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        for writer in (self.all_writers or {}).values():
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
