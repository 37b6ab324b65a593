"""Products by cuBLASLt: what it is asked for, on a stand-in of it."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.engine.cuda import libraries
from rushlight.engine.dispatch import call_cache
from rushlight.engine.loops import plans
from rushlight.engine.loops.library_product import described, step_of
from rushlight.engine.native import heap_types

TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


@pytest.fixture
def products(with_stand_in):
    """A function that puts a stand-in in the place of cuBLASLt; the rest of CUDA is one, too."""
    from stand_in_cublaslt import Products

    def use(**settings):
        made = Products(driver, **settings)
        libraries.use("cublasLt", made)
        plans.forget_all()
        call_cache.forget_calls()
        return made

    driver = with_stand_in()
    yield use
    plans.forget_all()
    call_cache.forget_calls()


def same(function, *given, kind=torch.float32):
    """What a function gives on the device is what it gives on the host."""
    torch.manual_seed(0)
    hosts = [torch.randn(*size).to(kind) for size in given]
    near = {"rtol": 2e-2, "atol": 2e-2} if kind.itemsize == 2 else {}
    torch.testing.assert_close(function(*(x.cuda() for x in hosts)).cpu(), function(*hosts), **near)


@pytest.mark.parametrize("kind", TYPES)
def test_products(products, kind):
    library = products()
    same(lambda a, b: a @ b, (5, 7), (7, 3), kind=kind)
    same(lambda a, b: a.t() @ b.t(), (7, 5), (3, 7), kind=kind)
    same(lambda a, b: a[1:] @ b[:, 1:], (5, 7), (7, 4), kind=kind)
    same(lambda a, b: torch.bmm(a, b.transpose(1, 2)), (4, 5, 7), (4, 3, 7), kind=kind)
    same(
        lambda a, b: a.transpose(1, 2) @ b.permute(0, 2, 3, 1),
        (2, 5, 3, 4),
        (2, 6, 3, 4),
        kind=kind,
    )
    assert len(library.products) >= 5
    assert {x["compute"] for x in library.products} == {70 if kind is torch.float64 else 68}


@pytest.mark.parametrize("kind", TYPES)
def test_vectors_are_added_by_the_epilogue(products, kind):
    library = products()
    same(torch.nn.functional.linear, (6, 5), (4, 5), (4,), kind=kind)
    same(lambda c, a, b: torch.addmm(c, a, b), (4,), (6, 5), (5, 4), kind=kind)
    assert [x[7] for x in library.products] == [4, 4]
    same(lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2), (6, 4), (6, 5), (5, 4), kind=kind)
    assert library.products[-1]["factors"] == (2, 0.5) and library.products[-1][7] == 1
    same(lambda c, a, b: torch.baddbmm(c, a, b), (2, 1, 4), (2, 6, 5), (2, 5, 4), kind=kind)
    assert library.products[-1][7] == 4 and library.products[-1][10] == 4


def test_activations_are_made_by_the_epilogue(products):
    torch.manual_seed(0)
    c, a, b = torch.randn(4), torch.randn(6, 5), torch.randn(5, 4)
    there = c.cuda(), a.cuda(), b.cuda()
    wanted = torch.addmm(c, a, b).relu()
    for supported in (True, False):
        library = products(supported=supported)
        found = torch._addmm_activation(*there)
        torch.testing.assert_close(found.cpu(), wanted)
        found = torch._addmm_activation(*there, beta=0.5, use_gelu=True)
        torch.testing.assert_close(
            found.cpu(),
            torch.nn.functional.gelu(torch.addmm(c, a, b, beta=0.5), approximate="tanh"),
        )
        assert [x[7] for x in library.products] == ([6] if supported else [])
    library = products()
    torch._addmm_activation(*there, use_gelu=True)
    assert [x[7] for x in library.products] == [36]


def test_batches_of_several_dimensions_are_called_one_by_one(products):
    library = products()
    given = torch.randn(2, 3, 4, 8).transpose(1, 2)
    there = given.cuda()
    made = there @ there.transpose(2, 3)
    torch.testing.assert_close(made.cpu(), given @ given.transpose(2, 3))
    assert len(library.products) == 2
    # Nothing is copied before.
    assert "cuMemcpyDtoDAsync_v2" not in library.driver.calls


def test_gradients(products):
    library = products()
    torch.manual_seed(0)
    given = [torch.randn(6, 5), torch.randn(4, 5), torch.randn(4)]
    found = []
    for where in ("cpu", "cuda"):
        leaves = [x.to(where).clone().requires_grad_() for x in given]
        torch.nn.functional.linear(*leaves).square().sum().backward()
        found.append([x.grad.cpu() for x in leaves])
    torch.testing.assert_close(*found)
    assert len(library.products) == 3


def test_operands_that_are_not_aligned_have_an_algorithm_of_their_own(products):
    library = products()
    a, b = torch.randn(65), torch.randn(8, 8)
    for start in (0, 1):
        found = a.cuda()[start : start + 64].view(8, 8) @ b.cuda()
        torch.testing.assert_close(found.cpu(), a[start : start + 64].view(8, 8) @ b)
    assert [x["alignment"] for x in library.products] == [16, 4]


def test_what_is_allowed_decides_how_sums_are_made(products):
    library = products()
    a = torch.ones(8, 8, device="cuda")
    half = a.bfloat16()
    a @ a
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    try:
        assert torch.get_float32_matmul_precision() == "high"
        a @ a
        half @ half
    finally:
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = True
    torch.set_float32_matmul_precision("medium")
    assert torch.backends.cuda.matmul.allow_tf32
    torch.set_float32_matmul_precision("highest")
    half @ half
    assert [x["compute"] for x in library.products] == [68, 77, 68, 68]
    assert {x[3] for x in library.preferred} == {2, 6}


@pytest.mark.skipif(not heap_types.supported(), reason="machine code that looks into objects")
@pytest.mark.parametrize("work", [0, 512])
def test_calls_that_come_again_run_no_python(products, work):
    from test_remembered_launches import functions_of

    library = products(work=work)
    a, w, b = (torch.randn(*size, device="cuda") for size in ((6, 5), (4, 5), (4,)))
    batch = torch.randn(2, 4, 4, device="cuda")
    heads = torch.randn(2, 3, 4, 3, device="cuda").transpose(1, 2)
    t = w.t()
    for call in (
        lambda: torch.mm(a, t),
        lambda: torch.nn.functional.linear(a, w, b),
        lambda: torch.bmm(batch, batch),
        lambda: torch.matmul(heads, heads[..., :3, :]),
    ):
        for _ in range(4):
            first = call()
        before = len(library.products)
        assert functions_of(call) == []
        assert len(library.products) > before
        torch.testing.assert_close(call(), first)


@pytest.mark.skipif(not heap_types.supported(), reason="machine code that looks into objects")
def test_a_stream_that_has_only_been_given_products_runs_no_python(products):
    from test_remembered_launches import functions_of

    library = products()
    a, b = (torch.empty(4, 4, device="cuda") for _ in range(2))
    for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            for _ in range(4):
                torch.mm(a, b)
            assert functions_of(lambda: torch.mm(a, b)) == []
    assert len(library.products) == 10


SIZED = {
    "product": lambda a, w, b: a @ w.t(),
    "turned": lambda a, w, b: a[:, :5].t() @ a,
    "with a vector": lambda a, w, b: torch.nn.functional.linear(a, w, b),
    "with a matrix": lambda a, w, b: torch.addmm(a[:, :4], a, w.t(), beta=0.5, alpha=2),
    "with an activation": lambda a, w, b: torch._addmm_activation(b, a, w.t()),
    "of a batch": lambda a, w, b: torch.bmm(a[:, None], w.t().expand(a.shape[0], 8, 4)),
    "of a batch with vectors": lambda a, w, b: torch.baddbmm(a[:, None, :4], a[:, None], w.t().expand(a.shape[0], 8, 4)),
    "of two dimensions of a batch": lambda a, w, b: a.view(-1, 2, 2, 4).transpose(1, 2) @ w.view(1, 2, 4, 4),
}  # fmt: skip
SIZES = [40, 42, 44, 46, 48, 50, 46, 60, 90, 66, 12, 30]


@pytest.mark.usefixtures("learned_at_once")
@pytest.mark.skipif(not heap_types.supported(), reason="machine code that looks into objects")
@pytest.mark.parametrize("kind", [torch.float32, torch.float16])
@pytest.mark.parametrize("title", SIZED)
def test_new_sizes_are_told_by_machine_code(products, title, kind):
    from test_remembered_launches import functions_of

    library = products()
    call = SIZED[title]
    torch.manual_seed(0)
    w, b = torch.randn(4, 8).to(kind), torch.randn(4).to(kind)
    there = w.cuda(), b.cuda()
    near = {"rtol": 2e-2, "atol": 2e-2} if kind is torch.float16 else {}
    planned = []
    for n in SIZES:
        a = torch.randn(n, 8).to(kind)
        given = a.cuda()
        names = functions_of(lambda given=given: planned.append(call(given, *there)))
        torch.testing.assert_close(planned.pop().cpu(), call(a, w, b), **near)
    assert not {"library_product", "product_loop", "planning", "_slow"} & set(names), names
    # A size that has come before asks for no algorithm.
    asked = len(library.preferred)
    a = torch.randn(60, 8).to(kind)
    torch.testing.assert_close(call(a.cuda(), *there).cpu(), call(a, w, b), **near)
    assert len(library.preferred) == asked


@pytest.mark.usefixtures("learned_at_once")
@pytest.mark.skipif(not heap_types.supported(), reason="machine code that looks into objects")
def test_sizes_without_an_algorithm_are_our_own(products):
    library = products()
    w = torch.randn(4, 8)
    there = w.cuda()
    for n in SIZES[:8]:
        torch.ones(n, 8, device="cuda") @ there.t()
    library.supported = False
    before = len(library.products)
    for n in (91, 92):
        a = torch.randn(n, 8)
        torch.testing.assert_close((a.cuda() @ there.t()).cpu(), a @ w.t())
    assert len(library.products) == before
    library.supported, library.failing = True, 13
    with pytest.raises(RuntimeError, match="cuBLASLt error 13, reported by cublasLtMatmul"):
        torch.ones(93, 8, device="cuda") @ there.t()


def test_products_that_the_library_has_no_kernel_for_are_our_own(products):
    library = products(supported=False)
    same(lambda a, b: a @ b, (5, 7), (7, 3))
    assert not library.products and "cublasLtMatmulAlgoGetHeuristic" in library.calls
    library = products()
    a = torch.arange(6, device="cuda").view(2, 3)
    assert (a @ a.t()).tolist() == [[5, 14], [14, 50]] and not library.products


def test_what_the_library_reports_is_raised(products):
    library = products()
    a = torch.ones(4, 4, device="cuda")
    a @ a
    library.failing = 13
    for _ in range(3):
        with pytest.raises(RuntimeError, match="cuBLASLt error 13, reported by cublasLtMatmul"):
            a @ a


def test_matrices_that_can_be_read():
    assert step_of(3, 4, 1, 3) == 3 and step_of(3, 4, 1, 8) == 8 and step_of(3, 1, 1, 0) == 3
    assert step_of(1, 4, 9, 2) == 2
    assert step_of(3, 4, 2, 6) == 0 and step_of(3, 4, 1, 2) == 0
    # Rows of A that are the same one are no matrix with columns of their own.
    strides = [(0, 1, 4), (1, 0, 0), (4, 1, 0)]
    assert described(("f32", "f32", "f32"), (5, 4, 6), strides, 1, 1, "") is None


@pytest.mark.parametrize("has_library", [True, False])
def test_products_of_whole_numbers(products, has_library):
    library = products(supported=has_library)
    torch.manual_seed(0)
    for n, k, m in ((32, 16, 24), (17, 8, 8), (1, 8, 1), (3, 5, 2)):
        a, b = (torch.randint(-128, 128, size, dtype=torch.int8) for size in ((n, k), (m, k)))
        for left, right in ((a, b.t()), (a, b.t().contiguous()), (a.t().contiguous().t(), b.t())):
            found = torch._int_mm(left.cuda(), right.cuda())
            assert found.dtype is torch.int32
            assert torch.equal(found.cpu(), torch._int_mm(left, right))
    assert [x["compute"] for x in library.products] == ([72] * 12 if has_library else [])
    out = torch.empty(3, 2, dtype=torch.int32, device="cuda")
    torch._int_mm(a.cuda(), b.t().cuda(), out=out)
    assert torch.equal(out.cpu(), torch._int_mm(a, b.t()))
    with pytest.raises(RuntimeError, match="expected self's type to be int8"):
        torch._int_mm(a.to(torch.uint8).cuda(), b.t().cuda())


@pytest.mark.skipif(not heap_types.supported(), reason="machine code that looks into objects")
def test_products_of_whole_numbers_run_no_python(products):
    from test_remembered_launches import functions_of

    library = products()
    a, b = (torch.ones(size, dtype=torch.int8).cuda() for size in ((32, 16), (16, 8)))
    for _ in range(4):
        wanted = torch._int_mm(a, b)
    assert functions_of(lambda: torch._int_mm(a, b)) == []
    assert torch.equal(torch._int_mm(a, b), wanted) and len(library.products) == 6


FLOATS8 = [
    (torch.float8_e4m3fn, torch.float8_e4m3fn), (torch.float8_e4m3fn, torch.float8_e5m2),
    (torch.float8_e5m2, torch.float8_e4m3fn),
]  # fmt: skip


@pytest.mark.parametrize("kinds", FLOATS8)
@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("has_bias", [False, True])
def test_scaled_products(products, kinds, kind, has_bias):
    library = products()
    torch.manual_seed(0)
    a, b = torch.randn(16, 32).to(kinds[0]), torch.randn(48, 32).to(kinds[1]).t()
    scales = torch.tensor(0.5), torch.tensor([3.0])
    bias = torch.arange(48.0).to(kind) if has_bias else None
    for fast in (False, True):
        wanted = torch._scaled_mm(a, b, *scales, bias, None, kind, fast)
        there = [None if x is None else x.cuda() for x in (a, b, *scales, bias)]
        found = torch._scaled_mm(*there, None, kind, fast)
        assert found.dtype is kind and found.device.type == "cuda"
        torch.testing.assert_close(found.cpu(), wanted, rtol=1e-2, atol=1e-2)
    made = [(x.get(25, 0), x[7]) for x in library.products]
    # PyTorch adds vectors of half precision only, and so does the library.
    expected = (
        []
        if has_bias and kind is torch.float32
        else [(0, 4 if has_bias else 1), (1, 4 if has_bias else 1)]
    )
    assert [x for x in made if x[1] != 1 or not has_bias][: len(expected)] == expected
    assert all(x["compute"] == 68 for x in library.products)


def test_scaled_products_that_the_library_does_not_make(products):
    library = products()
    a, b = torch.randn(16, 32).to(torch.float8_e5m2), torch.randn(48, 32).to(torch.float8_e5m2).t()
    rows, columns = torch.rand(16, 1) + 0.5, torch.rand(1, 48) + 0.5
    for given in ((a, b, rows[0], columns[0, :1]), (a.to(torch.float8_e4m3fn), b, rows, columns)):
        wanted = torch._scaled_mm(*given, out_dtype=torch.bfloat16)
        found = torch._scaled_mm(*(x.cuda() for x in given), out_dtype=torch.bfloat16)
        torch.testing.assert_close(found.cpu(), wanted, rtol=1e-2, atol=1e-2)
    assert not any(17 in x for x in library.products)


@pytest.mark.usefixtures("learned_at_once")
@pytest.mark.skipif(not heap_types.supported(), reason="machine code that looks into objects")
def test_scaled_products_of_ever_new_sizes_run_no_python(products):
    from test_remembered_launches import functions_of

    library = products()
    kind = torch.float8_e4m3fn
    b = torch.randn(48, 32).to(kind)
    scales = torch.tensor(0.5), torch.tensor(3.0)
    there = b.cuda().t(), *(x.cuda() for x in scales)
    for n in SIZES:
        a = torch.randn(n, 32).to(kind)
        given = a.cuda(), *there
        found = []
        names = functions_of(
            lambda given=given, found=found: found.append(
                torch._scaled_mm(*given, out_dtype=torch.bfloat16)
            )
        )
        wanted = torch._scaled_mm(a, b.t(), *scales, out_dtype=torch.bfloat16)
        torch.testing.assert_close(found.pop().cpu(), wanted, rtol=1e-2, atol=1e-2)
    assert not {"library_product", "scaled_product_loop", "product"} & set(names), names
    for _ in range(4):
        torch._scaled_mm(*given, out_dtype=torch.bfloat16)
    assert functions_of(lambda: torch._scaled_mm(*given, out_dtype=torch.bfloat16)) == []
    assert len(library.products) == len(SIZES) + 5


ACTIVE = {
    "relu": (lambda x: x.relu(), 6),
    "gelu by tanh": (lambda x: torch.nn.functional.gelu(x, approximate="tanh"), 36),
    "gelu": (torch.nn.functional.gelu, 4),
    "relu and itself": (lambda x: x.relu() + x, 4),
}  # fmt: skip


@pytest.mark.parametrize("kind", [torch.float32, torch.float16])
@pytest.mark.parametrize("rows", [(6,), (3, 2)])
@pytest.mark.parametrize("title", ACTIVE)
def test_compiled_programs_leave_activations_to_the_library(products, title, rows, kind):
    library = products()
    activation, epilogue = ACTIVE[title]
    w, b = torch.randn(4, 8).to(kind), torch.randn(4).to(kind)
    x = torch.randn(*rows, 8).to(kind)

    def layer(x, w, b):
        return activation(torch.nn.functional.linear(x, w, b))

    made = torch.compile(layer)(x.cuda(), w.cuda(), b.cuda())
    assert [p[7] for p in library.products] == [epilogue]
    near = {"rtol": 1e-2, "atol": 1e-2} if kind is torch.float16 else {}
    torch.testing.assert_close(made.cpu(), layer(x, w, b), **near)


def test_compiled_programs_with_gradients_leave_relu_to_the_library(products):
    library = products()
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4), torch.nn.ReLU()
    )
    x = torch.randn(6, 8)
    net(x).square().sum().backward()
    wanted = [p.grad for p in net.parameters()]
    net = net.cuda()
    net.zero_grad()
    torch.compile(net)(x.cuda()).square().sum().backward()
    torch.testing.assert_close([p.grad.cpu() for p in net.parameters()], [g.cpu() for g in wanted])
    assert [p[7] for p in library.products][:2] == [6, 6]


def test_activations_that_the_library_does_not_make(products):
    library = products(supported=lambda facts: facts[7] == 4)
    a, w, b = torch.randn(6, 8), torch.randn(4, 8), torch.randn(4)
    found = torch._addmm_activation(b.cuda(), a.cuda(), w.t().cuda())
    torch.testing.assert_close(found.cpu(), torch.addmm(b, a, w.t()).relu())
    assert [x[7] for x in library.products] == [4]
