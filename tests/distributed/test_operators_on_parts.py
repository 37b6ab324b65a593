"""Every operator with samples gives on distributed tensors what it gives on whole ones."""

import pytest
import tensor_samples
from several import run

import rushlight.distributed as dist

# What devices cannot compute from parts, or tests cannot compare.
KNOWN = {
    "_version", "arange.out", "arange.start_out", "eye.out", "eye.m_out", "full.out", "linspace.out",
    "linspace.Tensor_Tensor_out", "linspace.Tensor_Scalar_out", "linspace.Scalar_Tensor_out",
    "logspace.out", "logspace.Tensor_Tensor_out", "logspace.Tensor_Scalar_out", "logspace.Scalar_Tensor_out",
    "ones.out", "range.out", "range.out_", "zeros.out", "ctc_loss.Tensor", "_ctc_loss.Tensor", "instance_norm",
    *(f"segment_reduce {how}" for how in ("sum", "mean", "max", "min", "prod")),
}  # fmt: skip


def sweep(rank, size, family):
    mesh = dist.init_device_mesh("cpu", (size,))
    found = tensor_samples.faults(family, mesh, size, 1)
    assert not set(found) - KNOWN, found


@pytest.mark.parametrize("family", ["indexing", "losses", "matrix", "reduction", "rows", "view"])
def test_family(family):
    run(2, sweep, family)
