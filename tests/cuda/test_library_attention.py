"""Attention by cuDNN: when it is chosen, what it is asked for, and results, on a stand-in of it."""

from __future__ import annotations

import pytest
from test_remembered_launches import functions_of

import rushlight as torch
from rushlight.backends.cuda import SDPAParams, can_use_cudnn_attention
from rushlight.engine.cuda import libraries
from rushlight.engine.dispatch import call_cache
from rushlight.engine.loops import plans
from rushlight.engine.native import heap_types
from rushlight.nn.attention import SDPBackend, sdpa_kernel
from rushlight.nn.functional import scaled_dot_product_attention as attend

FORWARD, BACKWARD = 41, 43


@pytest.fixture
def library(with_stand_in):
    """A function that puts a stand-in in the place of cuDNN; the rest of CUDA is one, too."""
    from stand_in_cudnn_graph import Graphs

    def use(**settings):
        made = Graphs(driver, **settings)
        libraries.use("cudnn", made)
        forget()
        return made

    def forget():
        plans.forget_all()
        call_cache.forget_calls()

    driver = with_stand_in()
    yield use
    forget()


def operands(kind=torch.float16, queries=5, keys=7, width=16, deep=16):
    torch.manual_seed(0)
    sizes = (2, 3, queries, width), (2, 3, keys, width), (2, 3, keys, deep)
    return [torch.randn(size).to(kind) for size in sizes]


def same(given, **settings):
    """Results and gradients on the device are those on the host."""
    found = []
    for where in ("cpu", "cuda"):
        leaves = [x.to(where).clone().requires_grad_() for x in given]
        made = attend(*leaves, **settings)
        (made.float() * torch.arange(made.shape[-1], device=where)).sum().backward()
        found.append([made.detach().cpu(), *(x.grad.cpu() for x in leaves)])
    for one, other in zip(*found):
        torch.testing.assert_close(one, other, rtol=3e-2, atol=3e-2)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("work", [0, 512])
def test_both_directions(library, kind, work):
    made = library(work=work)
    same(operands(kind))
    assert made.executed == [FORWARD, BACKWARD]
    same(operands(kind, deep=8), scale=0.3)
    assert made.executed == [FORWARD, BACKWARD] * 2


def test_heads_that_lie_beside_each_other(library):
    made = library()
    given = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in operands()]
    same(given)
    assert made.executed == [FORWARD, BACKWARD]
    x = given[0].cuda()
    assert attend(x, x, x).stride() == x.stride()


def test_shared_heads(library):
    made = library()
    q, k, v = operands()
    same([q, k[:, :1], v[:, :1]], enable_gqa=True)
    assert made.executed == [FORWARD, BACKWARD]


REASONS = {
    "of torch.float32": lambda q, k, v: (q.float(), k.float(), v.float()),
    "at most 128 elements, a multiple of 8": lambda q, k, v: (q[..., :12].clone(), k[..., :12].clone(), v),
    "side by side": lambda q, k, v: (q.transpose(2, 3).contiguous().transpose(2, 3), k, v),
    "a multiple of 16 bytes": lambda q, k, v: (q.flatten()[1:].new_zeros(2, 3, 5, 16), k, torch.empty(
        2 * 3 * 7 * 16 + 1, dtype=v.dtype, device=v.device)[1:].view(2, 3, 7, 16)),
    "four dimensions": lambda q, k, v: (q[0], k[0], v[0]),
    "the same batch and heads": lambda q, k, v: (q, k[:1], v[:1]),
    "plain tensors on a GPU": lambda q, k, v: (q.cpu(), k, v),
}  # fmt: skip


@pytest.mark.parametrize("text", REASONS)
def test_tensors_that_it_does_not_take(library, text):
    library()
    given = REASONS[text](*(x.cuda() for x in operands()))
    with pytest.warns(UserWarning, match=text):
        assert not can_use_cudnn_attention(SDPAParams(*given, None, 0.0, False, False), debug=True)


@pytest.mark.parametrize(
    ("settings", "text"),
    [({"attn_mask": torch.ones(5, 7) > 0}, "without attn_mask"), ({"dropout": 0.5}, "without dropout"),
     ({"is_causal": True}, "without is_causal")],
)  # fmt: skip
def test_settings_that_it_does_not_take(library, settings, text):
    library()
    given = [x.cuda() for x in operands()]
    asked = {"attn_mask": None, "dropout": 0.0, "is_causal": False, "enable_gqa": False, **settings}
    with pytest.warns(UserWarning, match=text):
        assert not can_use_cudnn_attention(SDPAParams(*given, **asked), debug=True)


def test_what_is_chosen(library):
    made = library()
    given = [x.cuda() for x in operands()]
    params = SDPAParams(*given, None, 0.0, False, False)
    assert can_use_cudnn_attention(params)
    with sdpa_kernel(SDPBackend.MATH):
        attend(*given)
        assert not can_use_cudnn_attention(params)
    assert made.executed == []
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        attend(*given)
        assert made.executed == [FORWARD]
        with (
            pytest.warns(UserWarning, match="without is_causal"),
            pytest.raises(RuntimeError, match="No available kernel"),
        ):
            attend(*given, is_causal=True)
    torch.backends.cuda.enable_cudnn_sdp(False)
    try:
        attend(*given)
    finally:
        torch.backends.cuda.enable_cudnn_sdp(True)
    assert made.executed == [FORWARD]
    assert not torch.backends.cuda.can_use_flash_attention(params)


def test_libraries_that_are_too_old_or_not_there(library):
    made = library(version=91300)
    given = [x.cuda() for x in operands()]
    params = SDPAParams(*given, None, 0.0, False, False)
    with pytest.warns(UserWarning, match="needs version 9.17 of the library, and 91300"):
        assert not can_use_cudnn_attention(params, debug=True)
    same(operands())
    assert made.executed == []
    libraries.use("cudnn", None)
    libraries._loaded["cudnn"] = None
    with pytest.warns(UserWarning, match="not installed: pip install nvidia-cudnn-cu12"):
        assert not can_use_cudnn_attention(params, debug=True)


def test_sizes_without_an_engine(library):
    made = library(supports=lambda kind, tensors: kind == FORWARD)
    given = [x.cuda() for x in operands()]
    attend(*given)
    assert made.executed == [FORWARD]
    # Where gradients are wanted, it is chosen if it has both directions.
    same(operands())
    assert made.executed == [FORWARD]


@pytest.mark.skipif(not heap_types.supported(), reason="machine code looks into objects")
def test_calls_that_come_again_run_no_python(library):
    made = library()
    given = [x.cuda() for x in operands()]
    for _ in range(4):
        wanted = attend(*given)
    before, count = len(made.executed), len(made.described)
    found = []
    names = functions_of(lambda: found.append(attend(*given)))
    assert not {"reason_against", "planned", "queue"} & set(names) and len(names) < 8, names
    assert torch.equal(found[0], wanted) and len(made.executed) == before + 1
    # What a call has described for itself is gone.
    assert len(made.described) == count
    # Operands elsewhere than at such multiples are not for the library.
    moved = torch.empty(given[0].numel() + 1, dtype=torch.float16, device="cuda")[1:].view(
        given[0].shape
    )
    moved.copy_(given[0])
    torch.testing.assert_close(attend(moved, *given[1:]), wanted, rtol=1e-2, atol=1e-2)
    assert len(made.executed) == before + 1


def test_second_derivatives(library):
    library()
    q, k, v = (x.cuda().requires_grad_() for x in operands())
    made = attend(q, k, v).float().square().sum()
    (first,) = torch.autograd.grad(made, q, create_graph=True)
    (second,) = torch.autograd.grad(first.float().sum(), k)
    assert second.isfinite().all() and second.abs().sum() > 0


def test_what_the_library_reports_is_raised(library):
    made = library()
    given = [x.cuda() for x in operands()]
    made.fits = lambda tensors, kind: False
    with pytest.raises(RuntimeError, match="cuDNN error 2000, reported by cudnnBackendFinalize"):
        attend(*given)
