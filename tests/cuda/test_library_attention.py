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
        here = {k: x.to(where) if isinstance(x, torch.Tensor) else x for k, x in settings.items()}
        made = attend(*leaves, **here)
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
    given = [q, k[:, :1], v[:, :1]]
    same(given, enable_gqa=True)
    assert made.executed == [FORWARD, BACKWARD]
    same(given, enable_gqa=True, is_causal=True)
    # Without an engine for them, each head of queries gets its own.
    forget_plans()
    made.supports = lambda kind, tensors: tensors["query"]["sizes"][1] == tensors["key"]["sizes"][1]
    same(given, enable_gqa=True)
    assert made.executed == [FORWARD, BACKWARD] * 3
    params = SDPAParams(*(x.cuda() for x in given), None, 0.0, False, False)
    with pytest.warns(UserWarning, match="same heads without enable_gqa"):
        assert not can_use_cudnn_attention(params, debug=True)


MASKS = {
    "of booleans": lambda: torch.rand(2, 3, 5, 7) > 0.4,
    "of two dimensions": lambda: torch.rand(5, 7) > 0.4,
    "of keys": lambda: torch.rand(2, 1, 1, 7) > 0.4,
    "of numbers": lambda: torch.randn(2, 3, 5, 7),
    "of numbers for all heads": lambda: torch.randn(2, 1, 5, 7).expand(2, 3, 5, 7),
    "that hides all": lambda: torch.arange(5)[:, None] > torch.arange(7),
}  # fmt: skip


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("mask", MASKS)
def test_masks(library, kind, mask):
    made = library()
    torch.manual_seed(1)
    same(operands(kind), attn_mask=MASKS[mask]())
    assert made.executed == [FORWARD, BACKWARD]


def test_masks_written_out(library):
    """Where an engine takes masks of all queries only, it gets one."""
    made = library(supports=lambda kind, tensors: tensors["mask"]["sizes"][2] == 5)
    same(operands(), attn_mask=torch.rand(2, 1, 1, 7) > 0.4)
    assert made.executed == [FORWARD, BACKWARD]


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_later_keys_are_hidden(library, kind):
    made = library()
    same(operands(kind), is_causal=True)
    same(operands(kind, queries=7, keys=4), is_causal=True, scale=0.1)
    assert made.executed == [FORWARD, BACKWARD] * 2


def test_weights_are_dropped(library):
    made = library()
    given = [x.cuda().requires_grad_() for x in operands()]
    torch.manual_seed(7)
    first = attend(*given, dropout_p=0.25)
    # The place goes on behind a number for each weight, as in PyTorch.
    count = 2 * 3 * 5 * 7
    assert torch.cuda.default_generators[0].get_offset() == -(-count // 4) * 4
    first.float().sum().backward()
    torch.cuda.synchronize()
    # The gradients drop what the forward pass has dropped.
    assert made.states == [(7, 0), (7, 0)]
    second = attend(*given, dropout_p=0.25, is_causal=True)
    third = attend(*given, dropout_p=0.5)
    torch.cuda.synchronize()
    assert made.states[2:] == [(7, 212), (7, 424)]
    assert not torch.equal(first, second) and not torch.equal(first, third)
    torch.manual_seed(7)
    assert torch.equal(attend(*given, dropout_p=0.25), first)
    # With an identity as values, what is dropped and the scale of the rest show.
    q, k, _ = (x.detach() for x in given)
    eye = torch.eye(7, 8, dtype=torch.float16, device="cuda").expand(2, 3, 7, 8).contiguous()
    kept, whole = attend(q, k, eye, dropout_p=0.25)[..., :7], attend(q, k, eye)[..., :7]
    torch.testing.assert_close(kept[kept != 0], whole[kept != 0] / 0.75, rtol=1e-2, atol=1e-3)
    assert 0 < (kept == 0).sum() < 2 * 3 * 5 * 7 / 2


def test_dropout_comes_again_with_other_numbers(library):
    made = library()
    given = [x.cuda() for x in operands()]
    torch.manual_seed(7)
    for _ in range(5):
        attend(*given, dropout_p=0.25)
    attend(*given, dropout_p=0.5)
    torch.cuda.synchronize()
    assert made.states == [(7, 212 * k) for k in range(6)]


def test_dropout_in_a_graph_draws_other_numbers_in_each_replay(library):
    made = library()
    given = [x.cuda() for x in operands()]
    torch.manual_seed(7)
    attend(*given, dropout_p=0.25)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        attend(*given, dropout_p=0.25)
    for _ in range(2):
        graph.replay()
    torch.cuda.synchronize()
    assert made.states == [(7, 212 * k) for k in range(3)]


def forget_plans():
    plans.forget_all()
    call_cache.forget_calls()


REASONS = {
    "of torch.float32": lambda q, k, v: (q.float(), k.float(), v.float()),
    "at most 128 elements, a multiple of 8": lambda q, k, v: (q[..., :12].clone(), k[..., :12].clone(), v),
    "side by side": lambda q, k, v: (q.transpose(2, 3).contiguous().transpose(2, 3), k, v),
    "a multiple of 16 bytes": lambda q, k, v: (q.flatten()[1:].new_zeros(2, 3, 5, 16), k, torch.empty(
        2 * 3 * 7 * 16 + 1, dtype=v.dtype, device=v.device)[1:].view(2, 3, 7, 16)),
    "four dimensions": lambda q, k, v: (q[0], k[0], v[0]),
    "tensors that fit each other": lambda q, k, v: (q, k[:1], v[:1]),
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
    [
        ({"attn_mask": (4, 7)}, r"fit scores of the size \(2, 3, 5, 7\), and attn_mask has the size \(4, 7\)"),
        ({"dropout": 1.0}, "drops some weights, not all, and dropout_p is 1.0"),
        ({"attn_mask": (5, 7), "wants": True}, "without a gradient of attn_mask"),
        ({"is_causal": True, "version": 91900}, "needs version 9.21 of the library for this, and 91900"),
        ({"attn_mask": (5, 7), "version": 91900}, "needs version 9.21"),
        ({"dropout": 0.5, "version": 92000}, "needs version 9.21"),
        ({"dropout": 0.5, "version": 92100, "gradient": True}, "needs version 9.28"),
    ],
)  # fmt: skip
def test_settings_that_it_does_not_take(library, settings, text):
    library(version=settings.pop("version", 92800))
    wants, wants_mask = settings.pop("gradient", False), settings.pop("wants", False)
    given = [x.cuda().requires_grad_(wants) for x in operands()]
    asked = {"attn_mask": None, "dropout": 0.0, "is_causal": False, "enable_gqa": False, **settings}
    if asked["attn_mask"] is not None:
        mask = torch.zeros(asked["attn_mask"], device="cuda", requires_grad=wants_mask)
        asked["attn_mask"] = mask
    with pytest.warns(UserWarning, match=text):
        assert not can_use_cudnn_attention(SDPAParams(*given, **asked), debug=True)


def refused(call):
    """What is warned of where no kernel that is allowed makes an attention."""
    with (
        pytest.warns(UserWarning) as told,
        pytest.raises(RuntimeError, match=r"^No available kernel\.  Aborting execution\.$"),
    ):
        call()
    return [str(w.message) for w in told]


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
        assert "not all" in refused(lambda: attend(*given, dropout_p=1.0))[-1]
    torch.backends.cuda.enable_cudnn_sdp(False)
    try:
        attend(*given)
    finally:
        torch.backends.cuda.enable_cudnn_sdp(True)
    assert made.executed == [FORWARD]
    assert not torch.backends.cuda.can_use_efficient_attention(params)


def test_libraries_that_are_too_old_or_not_there(library):
    made = library(version=91300)
    given = [x.cuda() for x in operands()]
    params = SDPAParams(*given, None, 0.0, False, False)
    with pytest.warns(UserWarning, match="needs version 9.17 of the library for this, and 91300"):
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
    assert not {"chosen", "planned", "queue"} & set(names) and len(names) < 8, names
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
    made = attend(q, k[:, :1], v[:, :1], is_causal=True, enable_gqa=True).float().square().sum()
    (first,) = torch.autograd.grad(made, q, create_graph=True)
    (second,) = torch.autograd.grad(first.float().sum(), k)
    assert second.isfinite().all() and second.abs().sum() > 0
    made = attend(q, k, v, dropout_p=0.5).float().sum()
    with pytest.raises(RuntimeError, match=r"derivative for .* is not implemented"):
        torch.autograd.grad(made, q, create_graph=True)


def test_what_the_library_reports_is_raised(library):
    made = library()
    given = [x.cuda() for x in operands()]
    made.fits = lambda tensors, kind: False
    with pytest.raises(RuntimeError, match="cuDNN error 2000, reported by cudnnBackendFinalize"):
        attend(*given)
    # What newer attributes do not take is made without the library.
    for settings in ({"is_causal": True}, {"attn_mask": torch.ones(5, 7) > 0}):
        same(operands(), **settings)
    assert made.executed == []


COMPILED = {
    "plain": {}, "later keys hidden": {"is_causal": True}, "booleans": {"attn_mask": torch.ones(5, 7).tril(1) > 0},
    "numbers": {"attn_mask": torch.arange(35.0).view(5, 7) % 4}, "a factor": {"scale": 0.2},
}  # fmt: skip


@pytest.mark.parametrize("title", COMPILED)
def test_compiled_programs(library, title):
    made = library()
    there = {k: x.cuda() if isinstance(x, torch.Tensor) else x for k, x in COMPILED[title].items()}
    compiled = torch.compile(lambda q, k, v: attend(q, k, v, **there) * 2)
    given = [x.cuda() for x in operands()]
    for _ in range(2):
        torch.testing.assert_close(
            compiled(*given), attend(*given, **there) * 2, rtol=1e-2, atol=1e-2
        )
    assert made.executed == [FORWARD] * 4
    found = []
    for function in (compiled, lambda *x: attend(*x, **there) * 2):
        leaves = [x.clone().requires_grad_() for x in given]
        function(*leaves).float().square().sum().backward()
        found.append([x.grad for x in leaves])
    torch.testing.assert_close(*found, rtol=3e-2, atol=3e-2)
    assert made.executed[4:] == [FORWARD, BACKWARD] * 2


def test_compiled_programs_drop_other_weights_in_each_layer(library):
    made = library()
    given = [x.cuda().requires_grad_() for x in operands()]

    def layers(q, k, v):
        return attend(attend(q, k, v, dropout_p=0.25), k, v, dropout_p=0.25)

    compiled = torch.compile(layers)
    torch.manual_seed(7)
    for _ in range(2):
        compiled(*given).float().sum().backward()
    torch.cuda.synchronize()
    assert made.executed == [FORWARD, FORWARD, BACKWARD, BACKWARD] * 2
    step = [(7, 0), (7, 212), (7, 212), (7, 0)]
    assert made.states == [*step, *((seed, place + 424) for seed, place in step)]


def test_compiled_programs_are_given_tensors_anywhere(library):
    made = library()
    compiled = torch.compile(lambda q, k, v: attend(q, k, v) * 2)
    given = [x.cuda() for x in operands()]
    wanted = compiled(*given)
    moved = []
    for x in given:
        room = torch.empty(x.numel() + 1, dtype=torch.float16, device="cuda")[1:].view(x.shape)
        moved.append(room.copy_(x))
    for _ in range(3):
        assert torch.equal(compiled(*moved), wanted)
    assert set(made.executed) <= {FORWARD}


def test_flash_attention_is_the_library_s_or_there_is_none(library):
    made = library()
    given = [x.cuda() for x in operands()]
    params = SDPAParams(*given, None, 0.0, False, False)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        attend(*given)
        assert made.executed == [FORWARD] and torch.backends.cuda.can_use_flash_attention(params)
        for wrong, reason in (
            ([x.float() for x in given], "dtype: {Half, BFloat16}. Got Query dtype: float"),
            ([x[0] for x in given], "4 dimensional, but got Query dim: 3"),
        ):
            texts = refused(lambda: attend(*wrong))  # noqa: B023
            kernels = "Memory efficient kernel", "Flash attention kernel", "CuDNN attention kernel"
            assert texts[::2] == [f"{kernel} not used because:" for kernel in kernels]
            assert texts[1] == "Memory Efficient attention has been runtime disabled."
            assert reason in texts[3]
            assert texts[5] == "cuDNN attention has been runtime disabled."
        mask = torch.zeros(5, 7, device="cuda", dtype=torch.float16)
        texts = refused(lambda: attend(*given, mask))
        assert texts[3] == "Flash Attention does not support non-null attn_mask."
    libraries._loaded["cudnn"] = None
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        assert "pip install nvidia-cudnn" in refused(lambda: attend(*given))[3]


def test_where_the_efficient_kernel_would_do_products_and_a_softmax_serve(library):
    made = library()
    given = [x.float().cuda() for x in operands()]
    with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
        found = attend(*given)
        assert "Float, Half" in refused(lambda: attend(*(x.double() for x in given)))[1]
    torch.testing.assert_close(found.cpu(), attend(*(x.cpu() for x in given)))
    assert made.executed == []
    with sdpa_kernel([]), pytest.raises(RuntimeError, match="No viable backend"):
        attend(*given)


def test_compiled_programs_are_others_where_other_kernels_are_allowed(library):
    made = library()
    given = [x.cuda() for x in operands()]

    def program(q, k, v):
        return attend(q, k, v) * 3

    for allowed, executed in ((SDPBackend.CUDNN_ATTENTION, [FORWARD]), (SDPBackend.MATH, [])):
        made.executed.clear()
        torch._dynamo.reset()
        with sdpa_kernel(allowed):
            torch.compile(program)(*given)
        assert made.executed == executed
