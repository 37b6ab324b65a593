"""Tensors on the stand-in: copies, views, operators, gradients, training, files."""

from __future__ import annotations

import copy
import io

import pytest

import rushlight as torch
from rushlight import nn


def both(function, *values):
    """What a function gives for tensors of the host and of the device."""
    wanted = function(*values)
    found = function(*(v.cuda() if isinstance(v, torch.Tensor) else v for v in values))
    assert found.is_cuda and found.dtype is wanted.dtype and found.shape == wanted.shape
    return found.cpu(), wanted


def test_the_first_sum(cuda):
    a = torch.randn(3, 4, device="cpu").cuda().requires_grad_()
    b = torch.randn(4).cuda().requires_grad_()
    ((a + b).sum()).backward()
    assert a.grad.is_cuda and a.grad.tolist() == [[1.0] * 4] * 3
    assert b.grad.tolist() == [3.0] * 4


def test_places_and_copies(cuda):
    x = torch.arange(6.0).reshape(2, 3)
    y = x.to("cuda")
    assert y.is_cuda and str(y.device) == "cuda:0" and y.get_device() == 0
    assert y.to("cuda") is y and y.cuda() is y and y.cuda(0) is y
    assert y.cpu().equal(x) and y.t().cpu().equal(x.t())
    assert y.to(torch.float16).dtype is torch.float16
    z = torch.empty(3, 2, dtype=torch.float64).t()
    z.copy_(y)
    assert z.tolist() == x.tolist()
    y.t()[1].copy_(torch.tensor([7.0, 8.0]))
    assert y.tolist() == [[0.0, 7.0, 2.0], [3.0, 8.0, 5.0]]
    assert y[0, 1].item() == 7.0 and int(y[1, 0]) == 3
    with pytest.raises(TypeError, match=r"can't convert cuda:0 device type tensor to numpy"):
        y.numpy()
    assert repr(y).endswith("device='cuda:0')")


def test_numbers_and_scalars_of_the_host(cuda):
    x = torch.ones(3, device="cuda")
    assert (x * 2 + torch.tensor(0.5)).tolist() == [2.5] * 3
    assert (x + torch.tensor(2, dtype=torch.int64)).dtype is torch.float32
    assert torch.full((2,), 1 + 2j, device="cuda").tolist() == [1 + 2j] * 2
    assert torch.full((2,), 3, device="cuda", dtype=torch.int16).tolist() == [3, 3]
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        x + torch.ones(3)


def test_one_plan_for_each_device(with_stand_in):
    with_stand_in(devices=2)
    for where in ("cpu", "cuda:0", "cuda:1", "cpu"):
        x = torch.ones(4, device=where)
        assert (x.exp() - 1).device == torch.device(where)
        assert (x + 1).sum().item() == 8


def test_vectors_and_what_is_not_aligned(cuda):
    x = torch.arange(1001.0).cuda()
    for part in (x, x[1:], x[2:-1], x[::2]):
        assert (part + 1).cpu().equal(part.cpu() + 1)
    half = torch.arange(100, dtype=torch.bfloat16).cuda()
    assert (half[3:] * 2).cpu().equal(half.cpu()[3:] * 2)


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 0, 2), (5, 3), (70, 2), (2, 3, 4, 5, 6)])
def test_reductions(cuda, shape):
    x = torch.randn(shape)
    for dims in (None, 0, -1, tuple(range(len(shape)))):
        found, wanted = both(lambda v, d=dims: v.sum(d) if d is not None else v.sum(), x)
        torch.testing.assert_close(found, wanted)


def test_long_reductions_are_cut(cuda):
    x = torch.randn(70_001)
    found, wanted = both(lambda v: v.var(), x)
    torch.testing.assert_close(found, wanted)
    found, wanted = both(lambda v: v.argmax(), x)
    assert found == wanted


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.bfloat16, torch.int64])
@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 70, 5), (65, 17, 66), (2, 0, 3)])
def test_products(cuda, kind, shape):
    m, k, n = shape
    a, b = (torch.randn(s).mul(4).to(kind) for s in ((m, k), (n, k)))
    found, wanted = both(lambda x, y: x @ y.t(), a, b)
    slack = 0.05 if kind is torch.bfloat16 else 1e-4
    torch.testing.assert_close(found, wanted, rtol=slack, atol=slack)
    found, wanted = (
        both(lambda x, y: torch.addmm(y.t()[:1], x, y.t(), beta=2, alpha=3), a, b) if k else (0, 0)
    )
    if k and k == m:
        torch.testing.assert_close(found, wanted, rtol=slack, atol=slack)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 70, 5), (65, 17, 130), (16, 16, 8), (64, 33, 64)])
def test_products_by_tensor_cores(cuda, kind, shape):
    m, k, n = shape
    a, b, c = (torch.randn(s).to(kind) for s in ((2, m, k), (2, k, n), (2, m, n)))
    for function in (
        lambda x, y, z: x @ y,
        lambda x, y, z: x.transpose(1, 2).contiguous().transpose(1, 2) @ y,
        lambda x, y, z: x @ y.transpose(1, 2).contiguous().transpose(1, 2),
        lambda x, y, z: torch.baddbmm(z, x, y, beta=0.5, alpha=2),
        lambda x, y, z: torch.addmm(z[0, 0], x[1], y[1]),
        lambda x, y, z: x[:, ::2] @ y[:, :, 1:],
    ):
        found, wanted = both(function, a, b, c)
        torch.testing.assert_close(found, wanted, rtol=0.02, atol=0.05)


def test_rows(cuda):
    x = torch.randn(4, 300)
    for function in (
        lambda v: v.softmax(-1), lambda v: v.log_softmax(0), lambda v: nn.functional.layer_norm(v, (300,)),
        lambda v: nn.functional.rms_norm(v, (300,)), lambda v: v.cumsum(1), lambda v: v.logsumexp(0),
    ):  # fmt: skip
        found, wanted = both(function, x)
        torch.testing.assert_close(found, wanted)


def test_positions(cuda):
    x, places = torch.randn(5, 6), torch.tensor([4, 0, 4])
    for function in (
        lambda v, i: v[i], lambda v, i: v[:, i], lambda v, i: v[v > 0], lambda v, i: (v > 0).nonzero(),
        lambda v, i: torch.zeros_like(v).index_add_(0, i, v[:3]), lambda v, i: v.gather(0, i[None]),
        lambda v, i: nn.functional.embedding(i, v), lambda v, i: v.masked_fill(v < 0, 9.0),
        lambda v, i: torch.arange(3, 20, 4, device=v.device), lambda v, i: torch.eye(3, device=v.device),
        lambda v, i: torch.tril(v), lambda v, i: torch.linspace(0, 1, 7, device=v.device),
    ):  # fmt: skip
        found, wanted = both(function, x, places)
        assert found.equal(wanted)


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.int64, torch.bool])
@pytest.mark.parametrize("down", [False, True])
def test_order(cuda, kind, down):
    x = torch.randn(5, 37).mul(4).to(kind)
    if kind is torch.float32:
        x[2, 3] = float("nan")
    for dim in (0, 1):
        values, places = x.cuda().sort(dim=dim, descending=down, stable=True)
        wanted, order = x.sort(dim=dim, descending=down, stable=True)
        assert places.cpu().equal(order)
        torch.testing.assert_close(values.cpu(), wanted, equal_nan=True)


def test_what_follows_from_order(cuda):
    x = torch.randn(3, 20)
    for function in (
        lambda v: v.topk(3)[0], lambda v: v.topk(4, 0, False)[0] if len(v) > 3 else v.topk(2, 0)[1],
        lambda v: v.kthvalue(7)[1], lambda v: v.median(), lambda v: v.median(0)[1], lambda v: v.argsort(0),
        lambda v: v.round().mode(1)[0],
    ):  # fmt: skip
        found, wanted = both(function, x)
        assert found.equal(wanted)


@pytest.mark.parametrize("shape", [(1000,), (3, 300), (2, 256, 3)])
def test_scans(cuda, shape):
    x = torch.randn(shape)
    for dim in range(len(shape)):
        for function in (torch.cumsum, torch.logcumsumexp):
            found, wanted = both(lambda v, f=function, d=dim: f(v, d), x)
            torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)
        found, wanted = both(lambda v, d=dim: v.cummax(d)[1], x)
        assert found.equal(wanted)


def test_sums_at_positions(cuda):
    x, places = torch.randn(300, 4), torch.randint(0, 5, (300,))
    for deterministic in (False, True, False):
        torch.use_deterministic_algorithms(deterministic)
        try:
            found, wanted = both(
                lambda v, i: torch.zeros(5, 4, device=v.device).index_add_(0, i, v), x, places
            )
        finally:
            torch.use_deterministic_algorithms(False)
        torch.testing.assert_close(found, wanted)


def test_distinct_elements_and_counts(cuda):
    x = torch.randint(0, 7, (4, 9))
    for k, (found, wanted) in enumerate(
        zip(x.cuda().unique(return_inverse=True, return_counts=True),
            x.unique(return_inverse=True, return_counts=True))
    ):  # fmt: skip
        assert found.is_cuda and found.cpu().equal(wanted), k
    row = torch.tensor([1.0, 1.0, 3.0, 1.0])
    found, counts = row.cuda().unique_consecutive(return_counts=True)
    assert found.tolist() == [1.0, 3.0, 1.0] and counts.tolist() == [2, 1, 1]
    found, wanted = both(lambda v: v.flatten().bincount(minlength=9), x)
    assert found.equal(wanted)


def test_what_has_no_kernel_says_so(cuda):
    with pytest.raises(
        NotImplementedError, match=r"Could not run 'aten::histogram.*'CUDA' backend"
    ):
        torch.ones(3, device="cuda").histogram(3)
    # And the host's calls go on as before.
    assert torch.ones(3).histogram(3)[0].sum() == 3


def model():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(64, 8), nn.LayerNorm(8),
        nn.GELU(), nn.Linear(8, 3),
    )  # fmt: skip


def trained(where, make):
    images = torch.linspace(-1, 1, 32).reshape(2, 1, 4, 4).to(where)
    classes = torch.tensor([0, 2]).to(where)
    made = model().to(where)
    optimizer = make(made.parameters())
    losses = []
    for _ in range(2):
        loss = nn.functional.cross_entropy(made(images), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize(
    "make", [lambda p: torch.optim.AdamW(p, lr=0.01), lambda p: torch.optim.SGD(p, 0.1, 0.9)]
)
def test_training(cuda, make):
    assert trained("cuda", make) == pytest.approx(trained("cpu", make), rel=1e-4)


def test_attention(cuda):
    x = torch.randn(2, 3, 7, 8)
    found, wanted = both(
        lambda v: nn.functional.scaled_dot_product_attention(v, v, v, is_causal=True), x
    )
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_recurrent_layers(cuda, kind):
    torch.manual_seed(0)
    layer = kind(2, 3, bidirectional=kind is nn.RNN)
    x = torch.randn(3, 1, 2)
    wanted = layer(x)[0]
    layer.cuda()
    found = layer(x.cuda())[0]
    torch.testing.assert_close(found.cpu(), wanted, rtol=1e-4, atol=1e-5)
    found.sum().backward()
    assert all(p.grad is not None and p.grad.is_cuda for p in layer.parameters())


def test_pooling(cuda):
    x = torch.randn(2, 3, 6, 7)
    for function in (
        lambda v: nn.functional.max_pool2d(v, 2, padding=1), lambda v: nn.functional.avg_pool2d(v, 3, 2),
        lambda v: nn.functional.adaptive_avg_pool2d(v, 4), lambda v: nn.functional.adaptive_max_pool2d(v, 1),
    ):  # fmt: skip
        found, wanted = both(function, x)
        torch.testing.assert_close(found, wanted)


def test_files(cuda):
    file = io.BytesIO()
    torch.save({"x": torch.arange(3, device="cuda")}, file)
    file.seek(0)
    assert torch.load(file)["x"].device == torch.device("cuda:0")
    file.seek(0)
    back = torch.load(file, map_location="cpu")["x"]
    assert back.tolist() == [0, 1, 2] and not back.is_cuda


def test_random_numbers_are_philox_s(cuda):
    # What PyTorch gives on a GPU after this seed.
    torch.manual_seed(0)
    first = torch.rand(5, device="cuda")
    assert [round(v, 4) for v in first.tolist()] == [0.3990, 0.5167, 0.0249, 0.9401, 0.9459]
    torch.manual_seed(0)
    bell = torch.randn(5, device="cuda")
    assert [round(v, 4) for v in bell.tolist()] == [-0.9247, -0.4253, -2.6438, 0.1452, -0.1209]
    state = torch.cuda.get_rng_state()
    following = torch.rand(3, device="cuda")
    torch.cuda.set_rng_state(state)
    assert torch.rand(3, device="cuda").equal(following)
    assert torch.Generator("cuda").manual_seed(0).device == torch.device("cuda:0")
    made = torch.Generator("cuda").manual_seed(0)
    assert torch.rand(5, device="cuda", generator=made).equal(first) and made.get_offset() == 4
    with pytest.raises(RuntimeError, match="Expected a 'cuda' device type for generator"):
        torch.rand(3, device="cuda", generator=torch.Generator())


def test_threads_draw_from_streams_of_their_own(cuda):
    """More elements than threads: each takes several words, four at a time."""
    torch.manual_seed(1)
    many = torch.rand(20_000, device="cuda")
    if torch.cuda.get_device_properties().multi_processor_count == 2:
        # 8 blocks of 256 threads each: 4096 threads, 5 elements for each, so two times four words.
        assert torch.cuda.default_generators[0].get_offset() == 8
        torch.manual_seed(1)
        assert torch.rand(4096, device="cuda").equal(many[:4096])
    picked = torch.randint(3, 9, (1000,), device="cuda")
    assert (picked.min().item(), picked.max().item()) == (3, 8)
    coins = torch.empty(4000, device="cuda").bernoulli_(0.25)
    assert 0.2 < coins.mean().item() < 0.3


def test_a_graph_is_replayed(cuda):
    given = torch.zeros(4, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        assert torch.cuda.is_current_stream_capturing()
        result = (given * 2 + 1).sum()
    for value in (3.0, 5.0):
        given.fill_(value)
        graph.replay()
        assert result.item() == 4 * (2 * value + 1)
    stream = torch.cuda.stream(torch.cuda.Stream())
    with pytest.raises(RuntimeError, match="already owns a captured graph"), stream:
        graph.capture_begin()
    with pytest.raises(RuntimeError, match="non-default stream"):
        torch.cuda.CUDAGraph().capture_begin()


def test_what_a_graph_cannot_hold(cuda):
    x = torch.ones(3, device="cuda")
    refused = pytest.raises(torch.AcceleratorError, match="not permitted when stream is capturing")
    with refused, torch.cuda.graph(torch.cuda.CUDAGraph()):
        x.sum().item()
    other = torch.Generator("cuda")
    refused = pytest.raises(RuntimeError, match="not in capture mode")
    with refused, torch.cuda.graph(torch.cuda.CUDAGraph()):
        torch.rand(3, device="cuda", generator=other)


def test_graphed_callables(cuda):
    torch.manual_seed(0)
    layer = nn.Linear(4, 2).cuda()
    plain = nn.Linear(4, 2).cuda()
    plain.load_state_dict(layer.state_dict())
    graphed = torch.cuda.make_graphed_callables(layer, (torch.ones(3, 4, device="cuda"),))
    x = torch.randn(3, 4).cuda()
    graphed(x).sum().backward()
    plain(x).sum().backward()
    torch.testing.assert_close(graphed.weight.grad.cpu(), plain.weight.grad.cpu())


def test_autocast(cuda):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 3)).cuda()
    x = torch.randn(5, 4).cuda()
    with torch.autocast("cuda", torch.bfloat16):
        first, scores = net[0](x), net(x)
        assert first.dtype is scores.dtype is torch.bfloat16
        assert scores.softmax(-1).dtype is torch.float32 and (first + first).dtype is torch.bfloat16
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is torch.float32
    with torch.autocast("cpu", torch.bfloat16):
        assert (x @ x.t()).dtype is torch.float32
    with torch.autocast("cuda"):
        assert net(x).dtype is torch.float16


def test_scaled_gradients(cuda):
    layer = nn.Linear(2, 1, bias=False).cuda()
    optimizer = torch.optim.SGD(layer.parameters(), 0.5)
    scaler = torch.amp.GradScaler("cuda", init_scale=8.0)
    before = layer.weight.detach().clone()
    scaler.scale(layer(torch.ones(1, 2, device="cuda")).sum()).backward()
    assert layer.weight.grad.tolist() == [[8.0, 8.0]]
    scaler.step(optimizer)
    scaler.update()
    moved = (before - layer.weight).tolist()
    assert moved == [pytest.approx([0.5, 0.5])]
    layer.weight.grad[0, 0] = float("inf")
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 4.0 and (before - layer.weight).tolist() == moved


def test_a_recorded_loss_is_scaled_by_the_factor_of_now(cuda):
    layer = nn.Linear(2, 1, bias=False).cuda()
    optimizer = torch.optim.SGD(layer.parameters(), 0.0)
    scaler = torch.amp.GradScaler("cuda", init_scale=8.0, growth_interval=1)
    x = torch.ones(1, 2, device="cuda")

    def backward():
        scaler.scale(layer(x).sum()).backward()

    backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        backward()
    for factor in (16.0, 32.0, 64.0):
        graph.replay()
        assert scaler.get_scale() == factor and layer.weight.grad.tolist() == [[factor, factor]]
        scaler.step(optimizer)
        scaler.update()


def test_looking_for_infinities_waits_once(cuda):
    net = nn.Sequential(*(nn.Linear(2, 2) for _ in range(3))).cuda()
    scaler = torch.amp.GradScaler("cuda")
    scaler.scale(net(torch.ones(1, 2, device="cuda")).sum()).backward()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    torch.cuda.set_sync_debug_mode("warn")
    try:
        with pytest.warns(UserWarning, match="synchronizing") as told:
            scaler.unscale_(optimizer)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert len(told) <= 3


def test_attention_by_functions_of_positions(cuda):
    from rushlight.nn.attention import bias, flex_attention

    given = [torch.randn(1, 2, 8, 16) for _ in range(3)]

    def earlier(b, h, q, k):
        return q >= k

    found = []
    for where in ("cpu", "cuda"):
        mask = flex_attention.create_block_mask(earlier, 1, 1, 8, 8, device=where, BLOCK_SIZE=4)
        assert mask.to_dense().device.type == where
        there = [x.to(where) for x in given]
        made = flex_attention.flex_attention(
            *there, score_mod=lambda s, b, h, q, k: s + (q - k) * 0.1, block_mask=mask
        )
        found.append(
            (
                made,
                nn.functional.scaled_dot_product_attention(*there, bias.causal_lower_right(8, 8)),
            )
        )
    for one, other in zip(*found):
        torch.testing.assert_close(one, other.cpu())


def test_bags_of_rows(cuda):
    for mode in ("sum", "mean", "max"):
        table = nn.EmbeddingBag(5, 3, mode=mode)
        there = copy.deepcopy(table).cuda()
        rows = torch.tensor([[1, 2], [4, 4]])
        torch.testing.assert_close(there(rows.cuda()).cpu(), table(rows))
