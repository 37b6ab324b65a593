"""Two machines and a third one to start programs from, made of Linux's namespaces.

Each machine has processes, a network, a name and shared memory of its own. They end with the test: the process that
keeps a machine waits for the end of its input.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("left", "right")
LOGIN = "login"
# What MPICH is told.
BY_TCP = {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "eth0"}
ADDRESSES = {"left": "10.77.0.1", "right": "10.77.0.2", LOGIN: "10.77.0.9"}
_KEEP = """
set -e
hostname {name}
mount -t tmpfs tmpfs /dev/shm
mount --bind {hosts} /etc/hosts
ip link set lo up
echo made
exec cat > /dev/null
"""
_AGENT = """#!/bin/sh
# called as ssh is: options, a machine, a command
while [ "${1#-}" != "$1" ]; do shift; done
case $1 in
%s
esac
shift
exec nsenter -t $process -a sh -c "cd '%s' && $*"
"""


class CannotBeMade(Exception):
    """The system makes no namespaces, or not for this user."""


def _done(*words):
    ended = subprocess.run(words, capture_output=True, text=True)
    if ended.returncode:
        raise CannotBeMade(f"{' '.join(words)}: {ended.stderr.strip()}")


class Machines:
    """The machines; a context.

    Args:
        folder: for files that they need
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.keepers, self.processes = {}, {}

    def __enter__(self):
        for tool in ("unshare", "nsenter", "ip"):
            if shutil.which(tool) is None:
                raise CannotBeMade(f"there is no {tool}")
        hosts = self.folder / "hosts"
        lines = [f"{address} {name}\n" for name, address in ADDRESSES.items()]
        hosts.write_text("127.0.0.1 localhost\n" + "".join(lines))
        try:
            for name in (*NAMES, LOGIN):
                self._make(name, hosts)
            self._connect()
        except BaseException:
            self.__exit__()
            raise
        self.agent = self.folder / "agent"
        cases = [f"{name}) process={self.processes[name]};;" for name in NAMES]
        self.agent.write_text(_AGENT % ("\n".join(cases), self.folder))
        self.agent.chmod(0o755)
        return self

    def __exit__(self, *error):
        for keeper in self.keepers.values():
            keeper.kill()
            keeper.communicate()

    def _make(self, name, hosts):
        keeper = self.keepers[name] = subprocess.Popen(
            ["unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
             "sh", "-c", _KEEP.format(name=name, hosts=hosts)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        if keeper.stdout.readline() != "made\n":
            raise CannotBeMade(keeper.communicate()[1].strip())
        children = Path(f"/proc/{keeper.pid}/task/{keeper.pid}/children")
        self.processes[name] = children.read_text().split()[0]

    def _connect(self):
        """A network: the one to start from is the switch between the others."""
        login = self.processes[LOGIN]
        _done("ip", "link", "add", "switch", "netns", login, "type", "bridge")
        self._up(LOGIN, "switch")
        for name in NAMES:
            own, port = self.processes[name], f"to_{name}"
            _done("ip", "link", "add", "eth0", "netns", own, "type", "veth",
                  "peer", "name", port, "netns", login)  # fmt: skip
            self._up(name, "eth0")
            _done("nsenter", "-t", login, "-n", "ip", "link", "set", port, "master", "switch", "up")

    def _up(self, name, link):
        inside = ["nsenter", "-t", self.processes[name], "-n", "ip"]
        _done(*inside, "addr", "add", f"{ADDRESSES[name]}/24", "dev", link)
        _done(*inside, "link", "set", link, "up")

    def start(self, name, command, **environment):
        """Start a command on a machine."""
        return subprocess.Popen(
            ["nsenter", "-t", self.processes[name], "-a", *map(str, command)],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=_surroundings(environment),
        )  # fmt: skip

    def mpiexec(self, mpiexec, count, command, **environment):
        """Run a command in so many processes on each of the two machines.

        The starter keeps the system's own processes in sight: it has to enter the machines by their numbers. MPICH is told
        to use TCP: left to itself it takes UCX, which at times does not get through between namespaces of one kernel.
        """
        environment = {**BY_TCP, **environment}
        return subprocess.run(
            ["nsenter", "-t", self.processes[LOGIN], "-n", "-u", mpiexec, "-launcher", "ssh",
             "-launcher-exec", str(self.agent), "-iface", "switch", "-hosts", ",".join(NAMES),
             "-ppn", str(count), "-n", str(2 * count), *map(str, command)],
            capture_output=True, text=True, timeout=120, env=_surroundings(environment),
        )  # fmt: skip


def _surroundings(more):
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1", **more}
    # of a launcher that tests run under
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"):
        found.pop(name, None)
    return found


def hydra():
    """MPICH's starter of processes, which can be told how to reach a machine; None if it is not there."""
    own = str(Path(sys.executable).parent)
    found = shutil.which("mpiexec", path=os.pathsep.join([own, os.environ["PATH"]]))
    if found is None:
        return None
    told = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    return found if "HYDRA" in told else None
