"""Parts of a device's processors."""

from __future__ import annotations

import gc

import pytest

import rushlight as torch


def test_what_is_queued_in_a_part(with_stand_in):
    stand_in = with_stand_in(seed=3)
    x = torch.ones(50, device="cuda")
    part = torch.cuda.GreenContext.create(num_sms=3)
    assert list(stand_in.parts.values()) == [[(1, 4, 0, 0)]]
    before = torch.cuda.current_stream()
    for k in range(6):
        x.fill_(k)
        part.set_context()
        assert torch.cuda.current_stream() == part.Stream() != before
        x.mul_(3)
        part.pop_context()
        assert torch.cuda.current_stream() == before
        assert x.tolist() == [3.0 * k] * 50
    with torch.cuda.stream(part.Stream()):
        y = x + 1
    part.Stream().synchronize()
    assert y.tolist() == [16.0] * 50
    handle = part.Stream().cuda_stream
    del part
    gc.collect()
    assert not stand_in.parts and handle not in stand_in.streams


def test_parts_within_parts(with_stand_in):
    with_stand_in(seed=4, devices=2)
    one, other = (torch.cuda.GreenContext.create(num_sms=n, device_id=1) for n in (2, 4))
    x = torch.zeros(4, device="cuda:1")
    one.set_context()
    x.add_(1)
    other.set_context()
    x.mul_(2)
    with pytest.raises(RuntimeError, match="to be current before it is popped"):
        one.pop_context()
    other.pop_context()
    x.add_(5)
    one.pop_context()
    assert x.tolist() == [7.0] * 4
    with pytest.raises(RuntimeError, match="to be current before it is popped"):
        one.pop_context()


def test_work_queues(with_stand_in):
    stand_in = with_stand_in()
    create = torch.cuda.GreenContext.create
    assert torch.cuda.GreenContext.max_workqueue_concurrency() == 8
    kept = create(workqueue_scope="balanced", workqueue_concurrency_limit=3)
    also = create(num_sms=2, workqueue_scope="device_ctx")
    assert list(stand_in.parts.values()) == [
        [(1, 16, 0, 0), (1000, 0, 3, 1)],
        [(1, 2, 0, 0), (1000, 0, 8, 0)],
    ]
    del kept, also


def test_parts_that_cannot_be(with_stand_in):
    stand_in = with_stand_in()
    create = torch.cuda.GreenContext.create
    for settings, text in (
        ({}, "At least one of num_sms or workqueue_scope"),
        ({"num_sms": 17}, r"Invalid number of SMs requested for green context: 17 \(device: 16"),
        ({"num_sms": 0}, "Invalid number of SMs requested for green context: 0"),
        ({"workqueue_scope": "mine"}, "workqueue_scope is 'mine'"),
        ({"num_sms": 2, "workqueue_concurrency_limit": 2}, "requires workqueue_scope"),
    ):
        with pytest.raises(RuntimeError, match=text):
            create(**settings)
    stand_in.processors = 15
    with pytest.raises(RuntimeError, match="Failed to create single resource group"):
        create(num_sms=15)
    type(stand_in)._cuDeviceGetDevResource, kept = None, type(stand_in)._cuDeviceGetDevResource
    try:
        with pytest.raises(RuntimeError, match="cuda driver too old to use green context"):
            create(num_sms=2)
    finally:
        type(stand_in)._cuDeviceGetDevResource = kept
