"""Calls of LAPACK: work arrays, threads, and libraries under other names."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.native import lapack, threads
from rushlight.engine.native.lapack import LENGTH, NAMINGS, Step, Work
from rushlight.engine.ops.linalg.matrices import run


def solve(count, n):
    generator = np.random.default_rng(n)
    given = generator.standard_normal((count, n, n))
    right = generator.standard_normal((count, n))
    # Rows of a contiguous array are the columns that LAPACK reads.
    matrices, answers = given.transpose(0, 2, 1).copy(), right.copy()
    pivots = np.zeros((count, n), np.int64)
    call = lapack.call(
        "dgesv", (n, 1, Step(n * n * 8), n, Step(n * 8), Step(n * 8), n), count, n**3
    )  # fmt: skip
    operands = map(torch.from_numpy, (matrices, pivots, answers))
    reports = run(call, (count,), *operands)
    return call, reports.numpy(), np.einsum("bij,bj->bi", given, answers) - right


@pytest.mark.parametrize("count, n", [(1, 1), (1, 7), (3, 4), (700, 9)])
def test_batches_give_a_report_each(count, n):
    _, reports, wrong = solve(count, n)
    assert reports.shape == (count,) and not reports.any()
    assert abs(wrong).max() < 1e-8


def test_threads_share_a_batch():
    before = threads.get_size()
    try:
        threads.set_size(3)
        call, reports, wrong = solve(500, 16)
        assert call.parts == 3 and not reports.any() and abs(wrong).max() < 1e-8
        threads.set_size(1)
        call, reports, wrong = solve(500, 16)
        assert call.parts == 1 and not reports.any() and abs(wrong).max() < 1e-8
    finally:
        threads.set_size(before)


def test_the_number_of_the_librarys_own_threads_is_put_back():
    solve(1, 3)
    usual = lapack.blas.usual
    handle = lapack.library().handle
    getter = getattr(handle, "scipy_openblas_get_num_threads64_", None)
    if getter is not None:
        solve(600, 12)
        assert getter() == usual


def test_work_arrays_have_the_length_that_was_asked_for():
    n, generator = 40, np.random.default_rng(0)
    given = generator.standard_normal((n, n))
    made, tau = given.T.copy(), np.zeros(n)
    call = lapack.call(
        "dgeqrf", (n, n, Step(n * n * 8), n, Step(n * 8), Work("d"), LENGTH), 1, n**3
    )  # fmt: skip
    assert call.room > n
    run(call, (), torch.from_numpy(made), torch.from_numpy(tau))
    upper = np.triu(made.T)
    np.testing.assert_allclose(upper.T @ upper, given.T @ given, atol=1e-10)


def test_numbers_and_characters_are_kept_apart():
    first, second = lapack._constant(1), lapack._constant(b"1")
    assert first != second and lapack._constant(1) == first
    assert lapack._constant(lapack.Number("f", (1.0,))) != lapack._constant(
        lapack.Number("d", (1.0,))
    )


def test_an_unknown_routine_is_an_error():
    with pytest.raises(AttributeError):
        lapack.routine("dnothing")


def test_namings_are_for_both_widths_of_integers():
    assert {naming.integer for naming in NAMINGS} == {4, 8}
    assert lapack.integer_bytes() == lapack.library().naming.integer
