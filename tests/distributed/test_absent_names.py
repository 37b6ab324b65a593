"""Names of several processes that programs import at their top."""

import json

import pytest

import rushlight.distributed as dist
from rushlight.distributed.elastic.multiprocessing.errors import record


def test_names_import_and_their_use_says_what_is_missing():
    from rushlight.distributed import ReduceOp, all_reduce, group  # noqa: F401

    assert not dist.is_available()
    with pytest.raises(NotImplementedError, match="all_reduce: rushlight has no training in"):
        all_reduce(None, op=ReduceOp.SUM)
    with pytest.raises(NotImplementedError, match="ProcessGroup"):
        dist.ProcessGroup()


def test_a_worker_leaves_its_exception_in_the_error_file(tmp_path, monkeypatch):
    path = tmp_path / "error.json"
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(path))

    @record
    def main(number):
        raise ValueError(f"worker {number}")

    with pytest.raises(ValueError, match="worker 3"):
        main(3)
    message = json.loads(path.read_text())["message"]
    assert message["message"] == "ValueError: worker 3"
    assert "in main" in message["extraInfo"]["py_callstack"]
