"""Events and metrics of launchers."""

import json
import logging

import pytest

from rushlight.distributed.elastic import events, metrics
from rushlight.distributed.elastic.metrics import api


def test_events_are_texts_and_back():
    event = events.Event("started", events.EventSource.AGENT, 5, {"run": "x", "n": 1, "none": None})
    assert events.Event.deserialize(str(event)) == event
    assert json.loads(event.serialize())["source"] == "AGENT"
    assert events.Event.deserialize(event) is event
    met = events.RdzvEvent("a", "run", "said", "host", 1, events.NodeState.INIT)
    assert events.RdzvEvent.deserialize(met.serialize()) == met


def test_events_are_written_where_they_should():
    said = []

    class Listening(logging.Handler):
        def emit(self, record):
            said.append(record.getMessage())

    event = events.Event("started", events.EventSource.WORKER)
    logger = events._get_or_create_logger("console")
    listening = Listening()
    logger.addHandler(listening)
    events.record(event, "console")
    logger.removeHandler(listening)
    events.record(event)
    assert said == [event.serialize()]


def test_metrics(capsys, monkeypatch):
    monkeypatch.setattr(api, "_metrics_map", {})
    monkeypatch.setattr(api, "_default_metrics_handler", metrics.NullMetricHandler())
    metrics.put_metric("unheard", 1)
    metrics.configure(metrics.ConsoleMetricHandler(), group="heard")

    @metrics.prof(group="heard")
    def tried(fails):
        if fails:
            raise ValueError("tried")
        return 3

    assert tried(False) == 3
    with pytest.raises(ValueError, match="tried"):
        tried(True)
    out = capsys.readouterr().out
    assert "tried.success=1" in out and "tried.failure=1" in out and out.count("duration.ms") == 2
    assert "unheard" not in out
