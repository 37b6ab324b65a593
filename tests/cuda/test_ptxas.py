"""NVIDIA's assembler takes the kernels of every family: run where ``ptxas`` is found.

That is on the path, or in the wheel `nvidia-cuda-nvcc-cu12`; ``PTXAS`` in the environment names another one.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from rushlight.engine.cuda.kernels import PROCESSORS
from rushlight.engine.loops import expr, maths, reductions, row_kernel, scan_kernel
from rushlight.engine.loops.atomic_sum import AtomicSum
from rushlight.engine.loops.indexed_kernel import indexed_kernel
from rushlight.engine.loops.maths.philox import unit_singles
from rushlight.engine.loops.ptx_functions import FunctionWalk
from rushlight.engine.loops.ptx_philox import Drawing
from rushlight.engine.loops.ptx_product import ProductTypes, product_ptx_ir
from rushlight.engine.loops.ptx_reduction import reduce_ptx_ir, row_ptx_ir
from rushlight.engine.loops.ptx_scan import scan_ptx_ir
from rushlight.engine.loops.ptx_search import Search
from rushlight.engine.loops.ptx_sort import Exchange
from rushlight.engine.loops.ptx_tensor_cores import fastest_ptx_ir
from rushlight.engine.loops.ptx_text import GPU, count_ptx_ir, map_ptx_ir, ptx
from rushlight.engine.loops.ptx_trials import Trials
from rushlight.engine.loops.ptx_walk import Walk
from rushlight.engine.loops.row_kernel import RowPrograms
from rushlight.engine.native import iterated, rejection
from rushlight.engine.ops.losses import ctc_steps
from rushlight.engine.ops.sampling import device_dropout


def found() -> str | None:
    """Where the assembler is."""
    if os.environ.get("PTXAS"):
        return os.environ["PTXAS"]
    if importlib.util.find_spec("nvidia") and importlib.util.find_spec("nvidia.cuda_nvcc"):
        (folder,) = importlib.util.find_spec("nvidia.cuda_nvcc").submodule_search_locations
        place = Path(folder) / "bin" / "ptxas"
        if place.exists():
            return str(place)
    return shutil.which("ptxas")


def softmax() -> str:
    program = row_kernel.softmax("f32", maths.exp).without_buffers()
    return row_ptx_ir(
        RowPrograms(program, ["bf16"], ["bf16"], GPU), ["bf16"], ["bf16"], dims=3, alone=False
    )


def gather() -> str:
    kernel = indexed_kernel(
        lambda far, near: far + near, "f64", "f64", ["i64"], True, True, "", False, GPU
    )
    return Walk(kernel.run, ["f64", "f64", "i64", "i64", "i64"], 3, 1, 2, {3: 2, 4: 3}, 4).text()


def added() -> str:
    kernel = indexed_kernel(
        lambda far, near: far + near, "f32", "f32", ["i32"], True, False, "", False, GPU, AtomicSum
    )
    return Walk(kernel.run, ["f32", "f32", "i32", "i64", "i64"], 2, 0, 2, {3: 2, 4: 3}, 4).text()


def running_maximum() -> str:
    return scan_ptx_ir(scan_kernel.cumulative_max("f32"), ["f32", "i64"], ["f32"], 3)


KERNELS = {
    "atomic sum": added,
    "scan": running_maximum,
    "order": lambda: Exchange("bf16", "f32", True).text(),
    "map": lambda: map_ptx_ir(lambda x, y: maths.tanh(x) / y, ["f32"], ["bf16", "f32"], ["f32"] * 2, 3),
    "vectors": lambda: map_ptx_ir(
        lambda x: expr.sqrt(x), ["f16"], ["f16"], ["f32"], 1, contiguous=True, each=8
    ),
    "numbers": lambda: map_ptx_ir(lambda x, y: x * y, ["c64"], ["c64"] * 2, ["c64"] * 2, 1, numbers=[1]),
    "reduction": lambda: reduce_ptx_ir(reductions.sum_of("f64"), ["f64"], ["f64"], dims=4),
    "places": lambda: reduce_ptx_ir(reductions.place_of_max("f32"), ["i64"], ["bf16"], alone=True),
    "rows": softmax,
    "positions": count_ptx_ir,
    "scatter": gather,
    "product": lambda: product_ptx_ir(
        ProductTypes("bf16", "bf16", "bf16", "f32"), 4, added=True, along=(True, False)
    ),
    "product by tensor cores": lambda: fastest_ptx_ir(
        ProductTypes("f16", "f16", "f16", "f32"), 4, 8, added=True, along=(True, False)
    ),
    "product of complex numbers": lambda: product_ptx_ir(
        ProductTypes("c128", "c128", "c128", "c128"), 3, added=False, along=(False, False)
    ),
    "random numbers": lambda: Drawing(unit_singles, ["f32"], []).text(),
    "random numbers of a graph": lambda: Drawing(unit_singles, ["bf16"], [], held=True).text(),
    "dropout": lambda: Drawing(
        device_dropout._units, ["bf16", "bool", "bf16"], ["f32"], finish=device_dropout._dropped, outs=2, together=True
    ).text(),
    "incomplete gamma functions": lambda: FunctionWalk(
        iterated.KERNELS["lower_gamma", "f32"], ["f32"] * 3, 2, 0, 1, {}
    ).text(),
    "alignments": lambda: FunctionWalk(ctc_steps.differentiate, ["i64"] * 11, 1, 0, 1, {}).text(),
    "trials": lambda: Trials(
        rejection.gammas, ["f64", "f64", "i64", "i64"], 0, 2, [3], held=True
    ).text(),
    "trials by rows": lambda: Trials(
        rejection.gamma_shares, ["f64", "f64", "i64"], 1, 2, [], held=False
    ).text(),
    "places in sorted rows": lambda: Search(right=True, ordered=True).text(),
}  # fmt: skip


@pytest.mark.skipif(found() is None, reason="there is no ptxas")
@pytest.mark.parametrize("least", [(8, 0), (9, 0), (10, 0)])
@pytest.mark.parametrize("name", KERNELS)
def test_the_assembler_takes_it(tmp_path, name, least):
    processor, features = PROCESSORS[least]
    file = tmp_path / "kernel.ptx"
    file.write_text(ptx(KERNELS[name](), processor, features))
    command = [found(), f"-arch={processor}", str(file), "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
