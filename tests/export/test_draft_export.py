"""`draft_export`: programs of what cannot be exported, and the reports about them."""

import pytest

import rushlight as torch
from rushlight.export import Dim, draft_export
from rushlight.export._draft_export import FailureType


def test_nothing_in_the_way_is_no_failure():
    program = draft_export(torch.nn.ReLU(), (torch.ones(3),))
    assert program._report.successful()
    assert "Congratulations" in str(program._report)


def test_questions_to_elements_are_answered_and_checked():
    class Net(torch.nn.Module):
        def forward(self, x, n):
            count = n.item()
            rows = x.nonzero().shape[0]
            if count > 3 and rows < 3:
                return x + rows
            return x - count

    x = torch.tensor([1.0, 0.0, 2.0])
    with pytest.warns(UserWarning, match="2 issue"):
        program = draft_export(Net(), (x, torch.tensor(4)))
    failures = program._report.failures
    assert {f.failure_type for f in failures} == {FailureType.DATA_DEPENDENT_ERROR}
    assert "Data dependent error" in str(program._report)
    module = program.module()
    assert module(x, torch.tensor(9)).tolist() == [3, 2, 4]
    with pytest.raises(RuntimeError, match="Runtime assertion failed"):
        module(x, torch.tensor(2))


def test_sizes_vary_as_far_as_they_can():
    class Net(torch.nn.Module):
        def forward(self, x, y):
            return x + y

    given = torch.ones(4), torch.ones(4)
    with pytest.warns(UserWarning, match="1 issue"):
        program = draft_export(Net(), given, dynamic_shapes=({0: Dim("n")}, {0: Dim("m")}))
    (failure,) = program._report.failures
    assert failure.failure_type is FailureType.GUARD_ADDED
    assert program.module()(torch.ones(6), torch.ones(6)).shape == (6,)


def test_other_errors_are_raised():
    class Net(torch.nn.Module):
        def forward(self, x):
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        draft_export(Net(), (torch.ones(1),))
