"""Transformations in several threads at once, beside calls outside of any."""

import threading

import rushlight as torch
from rushlight.func import grad, jvp, vmap

ROUNDS = 60


def slopes(x):
    return vmap(grad(lambda a: (torch.sin(a) * a).sum()))(x)


def pushed(x):
    return jvp(lambda a: torch.tanh(a) * 2, (x,), (torch.ones_like(x),))[1]


def plain(x):
    return torch.exp(x) * 3 - x


def test_threads_do_not_meet():
    wrong = []

    def work(function, seed):
        x = torch.arange(12.0).reshape(3, 4) / (seed + 5)
        expected = function(x)
        for _ in range(ROUNDS):
            if not torch.equal(function(x), expected):
                wrong.append((function.__name__, seed))

    works = [(function, seed) for function in (slopes, plain) for seed in range(3)]
    threads = [threading.Thread(target=work, args=given) for given in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_was_remembered_in_one_thread_holds_in_another():
    x = torch.arange(12.0).reshape(3, 4)
    expected = [slopes(x), pushed(x)]
    for _ in range(4):
        found = []
        thread = threading.Thread(target=lambda found=found: found.extend([slopes(x), pushed(x)]))
        thread.start()
        thread.join()
        assert all(map(torch.equal, found, expected))
        assert all(map(torch.equal, [slopes(x), pushed(x)], expected))
