"""Queues between processes: Python's own, where tensors travel in shared memory."""

from multiprocessing.queues import Queue, SimpleQueue

__all__ = ["Queue", "SimpleQueue"]
