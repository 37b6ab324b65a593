"""Every operator's samples with tensors on the stand-in, beside the same call on the CPU.

python -m tests.cuda.every_operator [--backward | --again] [--libraries] [FAMILY ...]

With ``--again`` each call is made until it is remembered, and the one after that counts. With ``--libraries`` products, convolutions,
attention and products of sparse matrices go to stand-ins of NVIDIA's libraries, too. It says how many samples of each family run (or have
their gradients), and what is wrong.
"""

from __future__ import annotations

import copy
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import stand_in_libraries
from stand_in import StandIn
from stand_in_cublaslt import Products
from stand_in_cudnn_graph import Graphs
from stand_in_cusparse import SparseProducts

import rushlight as torch
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import context, driver, libraries
from rushlight.utils._pytree import tree_leaves, tree_map, tree_unflatten
from tests.ops import ways
from tests.results import alike

# What draws from a generator: each device has its own.
RIGHT, ABSENT, DRAWS = "right", "has no kernel", "draws"


def on_device(value: Any) -> Any:
    """Tensors on the device with the strides that they have on the host; the device by name."""
    if isinstance(value, torch.device) and value.type == "cpu":
        return torch.device("cuda")
    if not isinstance(value, Tensor):
        return value
    if value.layout is not torch.strided:
        return value.cuda()
    made = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="cuda")
    return made.copy_(value)


# Arguments whose usual values differ from device to device.
SETTINGS = {"linalg_lstsq": {"driver": "gels"}}


def given(case: ways.Case) -> tuple[Any, Any]:
    """The arguments of a case."""
    leaves, nested = case.arguments()
    args, kwargs = tree_unflatten(copy.deepcopy(leaves), nested)
    return args, SETTINGS.get(case.op.packet_name, {}) | kwargs


def outcome(case: ways.Case, before: int = 0) -> str:
    """What comes of a case on the device, after some calls like it: one of the words above, or what is wrong."""
    args, kwargs = given(case)
    makes = any(a.name == "device" for a in case.op.schema.arguments)
    if makes and case.op.family in ("creation", "sampling", "fourier", "sparse"):
        kwargs["device"] = torch.device("cpu")
    earlier = [tree_map(on_device, (args, kwargs)) for _ in range(before)]
    there_args, there_kwargs = tree_map(on_device, (args, kwargs))
    draws = case.op.family == "sampling"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = ways.called(case.op, args, kwargs)
        try:
            for some_args, some_kwargs in earlier:
                ways.called(case.op, some_args, some_kwargs)
            found = ways.called(case.op, there_args, there_kwargs)
            context.synchronize(0)
        except Exception as error:
            return told(error)
    if draws or case.op.packet_name.startswith(("empty", "new_empty", "resize", "_resize")):
        return DRAWS
    try:
        return compared(wanted, found) or RIGHT
    except RuntimeError as error:
        return told(error)


def again(case: ways.Case) -> str:
    """`outcome`, of a call that is remembered: it was planned, recorded, and has been replayed once."""
    return outcome(case, before=3)


def told(error: Exception) -> str:
    """What a refused call is counted as."""
    if isinstance(error, NotImplementedError) and ("CUDA" in str(error) or "_cuda" in str(error)):
        return ABSENT
    if "the library has nothing here" in str(error):
        return ABSENT
    return f"{type(error).__name__}: {error}"[:300]


def gradients(op: Any, args: Any, kwargs: Any) -> list[Any] | None:
    """The gradients of all tensors that a call can be differentiated by; None if there are none."""
    leaves = [x for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor)]
    wanted = [x for x in leaves if x.is_floating_point() or x.is_complex()]
    if not wanted or any(x.layout is not torch.strided for x in leaves):
        return None
    for x in wanted:
        x.requires_grad_()
    made = [x for x in ways.called(op, args, kwargs) if isinstance(x, Tensor) and x.requires_grad]
    if not made or any(x.layout is not torch.strided for x in made):
        return None
    weights = [torch.full(x.shape, 0.5, dtype=x.dtype, device=x.device) for x in made]
    return list(torch.autograd.grad(made, wanted, weights, allow_unused=True))


def backward_outcome(case: ways.Case) -> str:
    """`outcome`, of a case's gradients."""
    args, kwargs = given(case)
    if case.op.schema.kind != "functional" or case.op.family == "sampling":
        return ""
    there = tree_map(on_device, (args, kwargs))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            wanted = gradients(case.op, args, kwargs)
        except Exception:
            # What has no gradient on the host has none on the device.
            return ""
        if wanted is None:
            return ""
        try:
            found = gradients(case.op, *there)
            context.synchronize(0)
        except Exception as error:
            return told(error)
    return compared(wanted, found or [], strides=False) or RIGHT


def compared(wanted: list[Any], found: list[Any], strides: bool = True) -> str:
    """What is different, if something is."""
    if len(wanted) != len(found):
        return f"{len(found)} results for {len(wanted)}"
    for one, other in zip(wanted, found):
        if not isinstance(one, Tensor):
            if not alike(one, other):
                return f"{other} for {one}"
            continue
        if not isinstance(other, Tensor):
            return f"{other} for {facts(one)}"
        if one.layout is not torch.strided:
            one, other = one.to_dense(), other.to_dense()
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            return f"{facts(other)} for {facts(one)}"
        if strides and one.stride() != other.stride():
            return f"{facts(other)} for {facts(one)}"
        if other.device.type != "cuda":
            return f"a result on {other.device}"
        here = other.cpu()
        if not near(one, here):
            return f"{here} for {one}"[:300]
    return ""


def near(one: Tensor, other: Tensor) -> bool:
    """Whether elements are equal, but for what another order of additions makes of them."""
    if not one.is_floating_point() and not one.is_complex():
        return bool(one.equal(other))
    slack = 2e-2 if one.dtype.itemsize == 2 else 1e-4
    return torch.allclose(one, other, slack, slack, equal_nan=True)


def facts(x: Tensor) -> str:
    return f"{x.dtype}{list(x.shape)} {x.stride()}"


def tally(
    cases: Iterable[ways.Case], look: Callable[[ways.Case], str] = outcome
) -> tuple[Counter[str], dict[str, str], list[str]]:
    """How many cases there are of each outcome, what is wrong with some, and which have no kernel."""
    count: Counter[str] = Counter()
    wrong: dict[str, str] = {}
    absent: list[str] = []
    for case in cases:
        found = look(case)
        if not found:
            continue
        # What a kernel has broken is mended for the next one.
        driver.library.sticky = 0
        if found in (RIGHT, ABSENT, DRAWS):
            count[found] += 1
            if found == ABSENT:
                absent.append(case.title)
        else:
            count["wrong"] += 1
            wrong[case.title] = found
    return count, wrong, absent


def plain_cases(family: str) -> list[ways.Case]:
    """The samples of a family whose arguments lie in memory in the usual way."""
    return [case for case in ways.cases_of(family) if not case.layout]


def main(families: list[str]) -> None:
    looks = {"--backward": backward_outcome, "--again": again}
    look = next((looks[f] for f in families if f in looks), outcome)
    made = StandIn()
    driver.use(made)
    stood_in = stand_in_libraries.in_place(made)
    if "--libraries" in families:
        stood_in |= {
            "cublasLt": Products(made), "cudnn": Graphs(made), "cusparse": SparseProducts(made),
        }  # fmt: skip
    for name, library in stood_in.items():
        libraries.use(name, library)
    families = [f for f in families if not f.startswith("--")]
    total: Counter[str] = Counter()
    for family in families or ways.families():
        count, wrong, absent = tally(plain_cases(family), look)
        total.update(count)
        print(f"{family}: {dict(count)}", flush=True)
        for title, what in wrong.items():
            print(f"    {title}: {what}".replace("\n", " "))
        print("    no kernel:", ", ".join(absent))
    print(dict(total))


if __name__ == "__main__":
    main(sys.argv[1:])
