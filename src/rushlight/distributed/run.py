"""Start a program in several workers: ``rushlight run -m torch.distributed.run --nproc-per-node 4 train.py``.

Each worker finds its rank, the number of workers and the address of the first one in its environment. When a
worker fails, all are ended, and started again as often as ``--max-restarts`` allows. Several machines run this
command each; they meet at ``--rdzv-endpoint``, or have numbers (``--node-rank``) and know ``--master-addr``.
"""

from __future__ import annotations

import argparse
import os
import sys
import uuid
from collections.abc import Sequence
from typing import Any

from rushlight.distributed.elastic.agent.workers import LogsSpecs, mapped_std
from rushlight.distributed.elastic.multiprocessing.errors import ChildFailedError, record
from rushlight.distributed.launcher.api import LaunchConfig, SignalException, elastic_launch

__all__ = [
    "config_from_args",
    "get_args_parser",
    "main",
    "parse_args",
    "parse_min_max_nnodes",
    "run",
]


def get_args_parser() -> argparse.ArgumentParser:
    """What the command line takes. Each option may be given by ``PET_<NAME>`` in the environment, too."""
    parser = argparse.ArgumentParser(
        prog="torchrun", description="Start a program in several workers."
    )

    def option(*names: str, **how: Any) -> None:
        # with dashes or with underscores
        every = [
            n for name in names for n in dict.fromkeys((name, "--" + name[2:].replace("-", "_")))
        ]
        known = "PET_" + names[0][2:].replace("-", "_").upper()
        if known in os.environ:
            value: Any = os.environ[known]
            is_switch = how.get("action") == "store_true"
            how["default"] = value.lower() in ("1", "true") if is_switch else value
        short = how.pop("short", ())
        parser.add_argument(*short, *every, **how)

    option("--nnodes", default="1:1", help="how many launchers: a number, or MIN:MAX")
    option("--nproc-per-node", default="1", help="how many workers here: a number, auto, cpu, gpu")
    option("--rdzv-backend", default="static", help="how launchers meet: static or c10d")
    option("--rdzv-endpoint", default="", help="where they meet: HOST:PORT")
    option("--rdzv-id", default="none", help="the program's name")
    option("--rdzv-conf", default="", help="more about the meeting: KEY=VALUE,...")
    option("--standalone", action="store_true", help="only this launcher, on any free port")
    option("--max-restarts", type=int, default=0, help="how often workers are started again")
    option("--monitor-interval", type=float, default=0.1, help="how often to look, in seconds")
    option("--start-method", default="spawn", choices=["spawn", "fork", "forkserver"])
    option("--role", default="default", help="what the workers are called")
    option("--module", action="store_true", short=("-m",), help="the program is a module")
    option("--no-python", action="store_true", help="the program is not Python")
    option("--run-path", action="store_true", help="run the script within the worker's interpreter")
    option("--log-dir", default=None, help="where logs and error files go")
    option(
        "--redirects", default="0", short=("-r",), help="streams to files: 1, 2, 3, or RANK:N,..."
    )
    option("--tee", default="0", short=("-t",), help="streams to files and here")
    option("--local-ranks-filter", default="", help="the local ranks that are shown")
    option("--node-rank", type=int, default=0, help="this launcher's number, if they have numbers")
    option("--master-addr", default="127.0.0.1", help="where the first worker is")
    option("--master-port", type=int, default=29500, help="its port")
    option("--local-addr", default=None, help="what this machine is called")
    option("--logs-specs", default=None, help="not supported")
    option("--event-log-handler", default="null", help="makes no difference")
    parser.add_argument("training_script", help="the program")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER, help="what it gets")
    return parser


def parse_args(args: Sequence[str] | None) -> argparse.Namespace:
    """Read a command line."""
    return get_args_parser().parse_args(args)


def parse_min_max_nnodes(nnodes: str) -> tuple[int, int]:
    """The fewest and the most launchers of ``"2"`` or ``"1:4"``."""
    parts = nnodes.split(":")
    if len(parts) > 2:
        raise RuntimeError(f'nnodes={nnodes} is not in "MIN:MAX" format')
    return int(parts[0]), int(parts[-1])


def determine_local_world_size(nproc_per_node: str) -> int:
    """How many workers a number or a word stands for."""
    if nproc_per_node.isdecimal():
        return int(nproc_per_node)
    if nproc_per_node in ("cpu", "auto"):
        return os.cpu_count() or 1
    if nproc_per_node in ("gpu", "xpu"):
        raise ValueError(f"--nproc-per-node {nproc_per_node}: such a device is not available")
    raise ValueError(f"Unsupported nproc_per_node value: {nproc_per_node}")


def _pairs(text: str) -> dict[str, str]:
    found = {}
    for pair in filter(None, text.split(",")):
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"The rendezvous configuration {text!r} is not KEY=VALUE,...")
        found[name.strip()] = value.strip()
    return found


def config_from_args(args: argparse.Namespace) -> tuple[LaunchConfig, Any, list[str]]:
    """What is to be started how: the configuration, the command and its arguments."""
    fewest, most = parse_min_max_nnodes(args.nnodes)
    if not 0 < fewest <= most:
        raise AssertionError(f"--nnodes {args.nnodes}: expected 0 < MIN <= MAX")
    workers = determine_local_world_size(args.nproc_per_node)
    settings: dict[str, Any] = _pairs(args.rdzv_conf)
    if args.logs_specs is not None:
        raise NotImplementedError("--logs-specs is not supported")
    if "is_host" in settings:
        settings["is_host"] = settings["is_host"].lower() in ("1", "true")
    backend, endpoint, run_id = args.rdzv_backend, args.rdzv_endpoint, args.rdzv_id
    if args.standalone:
        backend, endpoint, run_id = "c10d", "localhost:0", uuid.uuid4().hex
    elif backend == "static":
        settings["rank"] = args.node_rank
        endpoint = endpoint or f"{args.master_addr}:{args.master_port}"
    shown = {int(rank) for rank in args.local_ranks_filter.split(",") if rank} or None
    config = LaunchConfig(
        min_nodes=fewest,
        max_nodes=most,
        nproc_per_node=workers,
        run_id=run_id,
        role=args.role,
        rdzv_endpoint=endpoint,
        rdzv_backend=backend,
        rdzv_configs=settings,
        max_restarts=args.max_restarts,
        monitor_interval=args.monitor_interval,
        start_method=args.start_method,
        logs_specs=LogsSpecs(
            args.log_dir, mapped_std(args.redirects, workers), mapped_std(args.tee, workers), shown
        ),
        local_addr=args.local_addr,
    )
    command, given = _command(args)
    return config, command, given


def _command(args: argparse.Namespace) -> tuple[str, list[str]]:
    if args.no_python:
        if args.module:
            raise ValueError(
                "Don't use both the '--no-python' flag and the '--module' flag at the same time."
            )
        return args.training_script, list(args.training_script_args)
    program = ["-m", args.training_script] if args.module else [args.training_script]
    return os.environ.get("PYTHON_EXEC", sys.executable), [
        "-u",
        *program,
        *args.training_script_args,
    ]


def run(args: argparse.Namespace) -> None:
    """Start what a command line says."""
    config, command, given = config_from_args(args)
    elastic_launch(config, command)(*given)


@record
def main(args: Sequence[str] | None = None) -> None:
    """Start what a command line says, and end as it says."""
    try:
        run(parse_args(args))
    except ChildFailedError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    except SignalException as error:
        print(error, file=sys.stderr)
        sys.exit(128 + error.sigval)


if __name__ == "__main__":
    main()
