"""Processes of a group that are workers of Ray, where Ray is installed."""

import importlib.util
import os
import signal
import sys
from datetime import timedelta

import pytest

import rushlight as torch
import rushlight.distributed as dist
from rushlight.distributed.launcher.ray import RayLauncher, RayWorkerError

WITH_RAY = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="there is no Ray")


@pytest.fixture(scope="module")
def cluster():
    import ray

    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False)
    # functions of tests are known to this process only
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    ray.cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    ray.shutdown()


def summed(scale):
    mine = torch.tensor([float(dist.get_rank() + 1)]) * scale
    dist.all_reduce(mine)
    names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK")
    return [int(os.environ[name]) for name in names], mine.item()


def failing():
    if dist.get_rank() == 1:
        raise ValueError("broken on purpose")
    dist.barrier()


def killed():
    if dist.get_rank() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    dist.barrier()


@WITH_RAY
def test_workers_of_ray_form_a_group(cluster):
    launch = RayLauncher(3, cpus_per_worker=0.5)
    assert launch(summed, 10) == [([rank, rank, 3, 3, 0], 60.0) for rank in range(3)]
    # others are started for another call
    assert launch(summed, 1)[0][1] == 6.0


@WITH_RAY
def test_the_worker_that_fails_is_named(cluster):
    launch = RayLauncher(2, timeout=timedelta(seconds=30))
    with pytest.raises(RayWorkerError, match=r"rank 1 on .* failed") as raised:
        launch(failing)
    assert raised.value.rank == 1 and "ValueError: broken on purpose" in str(raised.value)
    with pytest.raises(RayWorkerError) as raised:
        launch(killed)
    # which of the two is noticed first: the one that is gone, or the one that waits for it
    assert raised.value.rank == 1 or "rank 1" in str(raised.value)


@WITH_RAY
def test_there_is_no_room(cluster):
    launch = RayLauncher(4, start_timeout=timedelta(seconds=0.2))
    with pytest.raises(RuntimeError, match="no room for 4 workers with"):
        launch(summed, 1)


def test_without_ray_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(RuntimeError, match=r"rushlight\[ray\]"):
        RayLauncher(2)(summed, 1)
    with pytest.raises(ValueError, match="num_workers"):
        RayLauncher(0)
