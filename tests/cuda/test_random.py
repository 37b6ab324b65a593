"""Random numbers on a GPU, against the recipes written again with numpy."""

from __future__ import annotations

import numpy as np
import pytest
from test_remembered_launches import functions_of

import rushlight as torch
from rushlight.engine.native import heap_types

M = (1 << 32) - 1


def philox(counter, key):
    a, b, c, d = (np.asarray(x, np.uint64) for x in counter)
    first, second = (int(k) for k in key)
    for _ in range(10):
        one, other = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        shift, mask = np.uint64(32), np.uint64(M)
        a, b, c, d = (
            other >> shift ^ b ^ np.uint64(first), other & mask,
            one >> shift ^ d ^ np.uint64(second), one & mask,
        )  # fmt: skip
        first, second = first + 0x9E3779B9 & M, second + 0xBB67AE85 & M
    return np.stack(np.broadcast_arrays(a, b, c, d), -1)


def words(seed, thread, turn=0, offset=0):
    thread = np.asarray(thread, np.uint64)
    place = np.asarray(turn, np.uint64) + np.uint64(offset // 4)
    zero = np.zeros_like(thread)
    return philox([place + zero, zero, thread, zero], (seed & M, seed >> 32))


def units(found):
    return (found.astype(np.float32) * np.float32(2.0**-32) + np.float32(2.0**-33)).astype(
        np.float32
    )


def along(seed, count, threads=256, offset=0):
    """Numbers in (0, 1] in the order of most kernels."""
    n = np.arange(count)
    found = words(seed, n % threads, n // (4 * threads), offset)
    return units(found[n, n // threads % 4])


def test_functions_of_uniform_numbers(cuda):
    torch.manual_seed(5)
    u = along(5, 200).astype(np.float64)
    made = torch.empty(200, device="cuda").exponential_(2.0)
    np.testing.assert_allclose(made.cpu().numpy(), -np.log(u) / 2, rtol=1e-5)
    torch.manual_seed(5)
    made = torch.empty(200, device="cuda").cauchy_(1.0, 3.0)
    np.testing.assert_allclose(made.cpu().numpy(), 1 + 3 * np.tan(np.pi * (u - 0.5)), rtol=1e-3)
    torch.manual_seed(5)
    made = torch.empty(200, device="cuda", dtype=torch.int32).geometric_(0.3)
    assert made.cpu().numpy().tolist() == np.ceil(np.log(u) / np.log1p(-0.3)).astype(int).tolist()
    torch.manual_seed(5)
    bell = torch.empty(50, device="cuda", dtype=torch.float64).normal_(0.5, 2)
    torch.manual_seed(5)
    powers = torch.empty(50, device="cuda", dtype=torch.float64).log_normal_(0.5, 2)
    torch.testing.assert_close(powers, bell.exp())


def test_numbers_of_a_whole_type(cuda):
    torch.manual_seed(3)
    n = np.arange(100)
    w = words(3, n)
    made = torch.empty(100, device="cuda", dtype=torch.int32).random_()
    assert made.tolist() == (w[:, 0] % (1 << 31)).tolist()
    made = torch.empty(100, device="cuda", dtype=torch.int64).random_()
    w = words(3, n, offset=4)
    assert made.tolist() == [int(a) << 32 | int(b) for a, b in w[:, :2] & np.uint64(M)] or all(
        v == ((int(a) << 32 | int(b)) % (1 << 63)) for v, (a, b) in zip(made.tolist(), w[:, :2])
    )


@pytest.mark.parametrize("count", [64, 63, 20_000])
def test_dropout(cuda, count):
    torch.manual_seed(9)
    x = torch.arange(1.0, count + 1, device="cuda", requires_grad=True)
    y = torch.nn.functional.dropout(x, 0.25)
    threads = 256 * min(16, -(-count // 256))
    n = np.arange(count)
    if count % 4:
        u = along(9, count, threads)
    else:
        u = units(words(9, n // 4 % threads, n // (4 * threads))[n, n % 4])
    stays = u < np.float32(0.75)
    wanted = np.where(stays, (n + 1) / np.float32(0.75), 0)
    np.testing.assert_allclose(y.detach().cpu().numpy(), wanted, rtol=1e-6)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.cpu().numpy(), np.where(stays, 1 / 0.75, 0), rtol=1e-6)
    assert torch.cuda.default_generators[0].get_offset() == 4 * (-(-count // (4 * threads)))


def test_chances_that_differ(cuda):
    torch.manual_seed(2)
    p = np.linspace(0, 1, 50, dtype=np.float32)
    n = np.arange(50)
    u = units(words(2, n // 4)[n, n % 4])
    made = torch.bernoulli(torch.tensor(p, device="cuda"))
    assert made.tolist() == (u <= p).astype(float).tolist()
    assert torch.cuda.default_generators[0].get_offset() == 12
    with pytest.raises(RuntimeError, match="p_in >= 0"):
        torch.bernoulli(torch.tensor([1.5], device="cuda"))


def test_choices_by_weight(cuda):
    torch.manual_seed(4)
    weights = torch.tensor([[0.0, 1.0, 3.0, 0.0], [2.0, 0.0, 0.0, 0.0]], device="cuda")
    made = torch.multinomial(weights, 200, replacement=True).cpu().numpy()
    thread = np.arange(200)
    for row, sums in enumerate(([0, 0.25, 1, 1], [1, 1, 1, 1])):
        u = units(words(4, row * 256 + thread))[:, 0]
        wanted = np.minimum(np.searchsorted(np.float32(sums), u), (2, 0)[row])
        assert made[row].tolist() == wanted.tolist()
    once = torch.multinomial(torch.rand(5, 30, device="cuda"), 30)
    assert once.sort(-1)[0].tolist() == [list(range(30))] * 5
    with pytest.raises(RuntimeError, match="element < 0"):
        torch.multinomial(torch.tensor([-1.0, 2.0], device="cuda"), 1)


def test_permutations(cuda):
    for count in (1, 2, 100, 700):
        made = torch.randperm(count, device="cuda")
        assert sorted(made.tolist()) == list(range(count)) and made.device.type == "cuda"
    assert made.tolist() != list(range(700))


def test_runs_of_equal_keys_are_shuffled(cuda):
    from rushlight.engine.ops.sampling.device_words import _shuffled_runs

    keys = torch.tensor([1, 1, 1, 2, 5, 5], device="cuda")
    found = _shuffled_runs(keys, torch.arange(6, device="cuda"), 7, 0).tolist()
    numbers = list(range(6))
    for start, length in ((0, 3), (4, 2)):
        stream = words(7, [start])[0]
        for k, last in enumerate(range(length - 1, 0, -1)):
            other = int(stream[k]) % (last + 1)
            one, two = start + last, start + other
            numbers[one], numbers[two] = numbers[two], numbers[one]
    assert found == numbers


def test_graphs_draw_new_numbers_each_time(cuda):
    torch.manual_seed(11)
    x = torch.ones(40, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        a = torch.rand(40, device="cuda")
        b = torch.nn.functional.dropout(x, 0.5)
    assert torch.cuda.default_generators[0].get_offset() == 0
    torch.manual_seed(11)
    seen = []
    for _ in range(2):
        graph.replay()
        seen.append((a.clone(), b.clone()))
    last = torch.rand(40, device="cuda")
    torch.manual_seed(11)
    for one, other in seen:
        assert torch.rand(40, device="cuda").equal(one)
        assert torch.nn.functional.dropout(x, 0.5).equal(other)
    assert torch.rand(40, device="cuda").equal(last)


@pytest.mark.skipif(
    not heap_types.supported(), reason="remembered calls need machine code that looks into objects"
)
def test_draws_that_are_remembered_are_recorded_by_machine_code(cuda):
    a, b = torch.empty(40, device="cuda"), torch.empty(9, device="cuda", dtype=torch.float64)

    def draw():
        a.uniform_()
        b.normal_()

    for _ in range(4):
        draw()
    before = torch.cuda.default_generators[0].get_offset()
    graph = torch.cuda.CUDAGraph()
    found = []
    with torch.cuda.graph(graph):
        draw()  # loads the kernels that graphs have
        a.add_(0)
        found += functions_of(draw)
    assert found == [] and torch.cuda.default_generators[0].get_offset() == before
    torch.manual_seed(5)
    for _ in range(3):
        graph.replay()
        seen = a.clone(), b.clone()
    after = torch.cuda.default_generators[0].get_offset()
    torch.manual_seed(5)
    for _ in range(6):
        draw()
    assert a.equal(seen[0]) and b.equal(seen[1])
    assert torch.cuda.default_generators[0].get_offset() == after
    # outside of a graph they draw by themselves again
    draw()
    assert not a.equal(seen[0])


def test_a_remembered_draw_of_a_generator_that_a_graph_does_not_know_is_refused(cuda):
    a = torch.empty(8, device="cuda")
    for _ in range(4):
        a.uniform_()
    graph = torch.cuda.CUDAGraph()
    other = torch.cuda.Stream()
    with torch.cuda.graph(graph):
        a.uniform_()
        other.wait_stream(torch.cuda.current_stream())
        # A stream that has joined draws for the graph, too.
        with torch.cuda.stream(other):
            a.uniform_()
        torch.cuda.current_stream().wait_stream(other)
        outside = torch.cuda.Stream()
        with (
            torch.cuda.stream(outside),
            pytest.raises(RuntimeError, match="outside graph capture encountered unexpectedly"),
        ):
            a.uniform_()
    torch.manual_seed(1)
    graph.replay()
    found = a.clone()
    torch.manual_seed(1)
    a.uniform_()
    assert torch.equal(a.uniform_(), found)


def test_generators_that_a_graph_knows(cuda):
    made = torch.Generator("cuda").manual_seed(1)
    graph = torch.cuda.CUDAGraph()
    graph.register_generator_state(made)
    with torch.cuda.graph(graph):
        a = torch.rand(8, device="cuda", generator=made)
    graph.replay()
    again = torch.Generator("cuda").manual_seed(1)
    assert torch.rand(8, device="cuda", generator=again).equal(a)
    assert made.get_offset() == 4
