"""What a worker leaves when it fails."""

import json

import pytest

from rushlight.distributed.elastic.multiprocessing.errors import record


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
