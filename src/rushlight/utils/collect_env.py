"""What belongs in a report of a problem: versions and the machine.

Tools of other projects ask for single facts: each has a function, which gets what runs commands (`run`).
"""

from __future__ import annotations

import locale
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import NamedTuple

__all__ = ["SystemEnv", "get_env_info", "get_pretty_env_info", "main", "pretty_str", "run"]

Run = Callable[[str | tuple[str, ...]], tuple[int, str, str]]

# Packages that matter in a report.
DEFAULT_PIP_PATTERNS = (
    "torch",
    "numpy",
    "llvmlite",
    "rushlight",
    "mypy",
    "flake8",
    "onnx",
    "optree",
)
DEFAULT_CONDA_PATTERNS = (*DEFAULT_PIP_PATTERNS, "mkl", "magma")
NOT_THERE = "Could not collect"


class SystemEnv(NamedTuple):
    """The facts of a report; None for what could not be found out."""

    torch_version: str
    is_debug_build: str
    cuda_compiled_version: str | None
    gcc_version: str | None
    clang_version: str | None
    cmake_version: str | None
    os: str | None
    libc_version: str
    python_version: str
    python_platform: str
    is_cuda_available: str
    cuda_runtime_version: str | None
    cuda_module_loading: str
    nvidia_driver_version: str | None
    nvidia_gpu_models: str | None
    cudnn_version: str | None
    is_xpu_available: str
    pip_version: str
    pip_packages: str | None
    conda_packages: str | None
    hip_compiled_version: str
    hip_runtime_version: str
    miopen_runtime_version: str
    caching_allocator_config: str
    is_xnnpack_available: str
    cpu_info: str | None


# -- commands --
def run(command: str | tuple[str, ...]) -> tuple[int, str, str]:
    """Run a command: its exit status and what it printed to both streams."""
    try:
        done = subprocess.run(command, shell=isinstance(command, str), capture_output=True)
    except FileNotFoundError:
        return 127, "", "Command not found"
    encoding = locale.getpreferredencoding()
    out, error = (text.decode(encoding, "replace").strip() for text in (done.stdout, done.stderr))
    return done.returncode, out, error


def run_and_read_all(run_lambda: Run, command: str | tuple[str, ...]) -> str | None:
    """All that a command prints, if it succeeds."""
    status, out, _ = run_lambda(command)
    return out if status == 0 else None


def run_and_parse_first_match(
    run_lambda: Run, command: str | tuple[str, ...], regex: str
) -> str | None:
    """The first group of what a pattern finds in a command's output."""
    found = re.search(regex, run_and_read_all(run_lambda, command) or "")
    return found.group(1) if found else None


def run_and_return_first_line(run_lambda: Run, command: str | tuple[str, ...]) -> str | None:
    """The first line that a command prints."""
    out = run_and_read_all(run_lambda, command)
    return out.split("\n")[0] if out is not None else None


# -- single facts --
def get_gcc_version(run_lambda: Run) -> str | None:
    return run_and_parse_first_match(run_lambda, "gcc --version", r"gcc (.*)")


def get_clang_version(run_lambda: Run) -> str | None:
    return run_and_parse_first_match(run_lambda, "clang --version", r"clang version (.*)")


def get_cmake_version(run_lambda: Run) -> str | None:
    return run_and_parse_first_match(run_lambda, "cmake --version", r"cmake (.*)")


def get_nvidia_smi() -> str:
    return "nvidia-smi"


def get_nvidia_driver_version(run_lambda: Run) -> str | None:
    return run_and_parse_first_match(run_lambda, get_nvidia_smi(), r"Driver Version: (.*?) ")


def get_gpu_info(run_lambda: Run) -> str | None:
    found = run_and_read_all(run_lambda, f"{get_nvidia_smi()} -L")
    return None if found is None else re.sub(r" \(UUID: .+?\)", "", found)


def get_running_cuda_version(run_lambda: Run) -> str | None:
    return run_and_parse_first_match(run_lambda, "nvcc --version", r"release .+ V(.*)")


def get_cudnn_version(run_lambda: Run) -> str | None:
    """Of a library that nothing here would use."""
    return None


def get_cuda_module_loading_config() -> str:
    return "N/A"


def get_cachingallocator_config() -> dict[str, str]:
    return {}


def is_xnnpack_available() -> bool:
    return False


def get_platform() -> str:
    return sys.platform


def get_lsb_version(run_lambda: Run) -> str | None:
    return run_and_parse_first_match(run_lambda, "lsb_release -a", r"Description:\t(.*)")


def check_release_file(run_lambda: Run) -> str | None:
    command = "cat /etc/*-release"
    return run_and_parse_first_match(run_lambda, command, r'PRETTY_NAME="(.*)"')


def get_mac_version(run_lambda: Run) -> str | None:
    return run_and_parse_first_match(run_lambda, "sw_vers -productVersion", r"(.*)")


def get_windows_version(run_lambda: Run) -> str | None:
    return platform.platform()


def get_os(run_lambda: Run) -> str | None:
    """The operating system's name and version, and the processor's architecture."""
    if sys.platform == "darwin":
        name: str | None = f"macOS {get_mac_version(run_lambda)}"
    elif sys.platform == "win32":
        name = get_windows_version(run_lambda)
    else:
        name = check_release_file(run_lambda) or get_lsb_version(run_lambda) or sys.platform
    return f"{name} ({platform.machine()})"


def get_python_platform() -> str:
    return platform.platform()


def get_libc_version() -> str:
    return "-".join(platform.libc_ver()) if sys.platform == "linux" else "N/A"


def get_cpu_info(run_lambda: Run) -> str | None:
    """What the system says of its processor."""
    if sys.platform == "darwin":
        return run_and_read_all(run_lambda, "sysctl -n machdep.cpu.brand_string")
    if shutil.which("lscpu"):
        return run_and_read_all(run_lambda, "lscpu")
    return f"{platform.machine()}, {os.cpu_count()} cores"


def get_pip_packages(
    run_lambda: Run, patterns: Iterable[str] | None = None
) -> tuple[str, str | None]:
    """The installer's name and the packages that matter."""
    wanted = DEFAULT_PIP_PATTERNS if patterns is None else tuple(patterns)
    out = run_and_read_all(run_lambda, (sys.executable, "-mpip", "list", "--format=freeze"))
    return "pip3", _lines_with(out, wanted)


def get_conda_packages(run_lambda: Run, patterns: Iterable[str] | None = None) -> str | None:
    """The packages of conda that matter."""
    wanted = DEFAULT_CONDA_PATTERNS if patterns is None else tuple(patterns)
    out = run_and_read_all(run_lambda, (os.environ.get("CONDA_EXE", "conda"), "list"))
    return _lines_with(out, wanted)


def _lines_with(text: str | None, wanted: tuple[str, ...]) -> str | None:
    if text is None:
        return None
    lines = [x for x in text.splitlines() if x[:1] != "#" and any(w in x for w in wanted)]
    return "\n".join(lines)


# -- the report --
def get_env_info() -> SystemEnv:
    """All facts."""
    from rushlight.version import __version__, debug, own_version

    pip, packages = get_pip_packages(run)
    return SystemEnv(
        torch_version=f"{__version__} (rushlight {own_version})",
        is_debug_build=str(debug),
        cuda_compiled_version=None,
        gcc_version=get_gcc_version(run),
        clang_version=get_clang_version(run),
        cmake_version=get_cmake_version(run),
        os=get_os(run),
        libc_version=get_libc_version(),
        python_version=f"{sys.version} ({sys.maxsize.bit_length() + 1}-bit runtime)".replace(
            "\n", " "
        ),
        python_platform=get_python_platform(),
        is_cuda_available="False",
        cuda_runtime_version=get_running_cuda_version(run),
        cuda_module_loading=get_cuda_module_loading_config(),
        nvidia_driver_version=get_nvidia_driver_version(run),
        nvidia_gpu_models=get_gpu_info(run),
        cudnn_version=get_cudnn_version(run),
        is_xpu_available="False",
        pip_version=pip,
        pip_packages=packages,
        conda_packages=get_conda_packages(run),
        hip_compiled_version="N/A",
        hip_runtime_version="N/A",
        miopen_runtime_version="N/A",
        caching_allocator_config="N/A",
        is_xnnpack_available=str(is_xnnpack_available()),
        cpu_info=get_cpu_info(run),
    )


_LINES = {
    "torch_version": "PyTorch version",
    "is_debug_build": "Is debug build",
    "cuda_compiled_version": "CUDA used to build PyTorch",
    "hip_compiled_version": "ROCM used to build PyTorch",
    "os": "\nOS",
    "gcc_version": "GCC version",
    "clang_version": "Clang version",
    "cmake_version": "CMake version",
    "libc_version": "Libc version",
    "python_version": "\nPython version",
    "python_platform": "Python platform",
    "is_cuda_available": "Is CUDA available",
    "cuda_runtime_version": "CUDA runtime version",
    "cuda_module_loading": "CUDA_MODULE_LOADING set to",
    "nvidia_gpu_models": "GPU models and configuration",
    "nvidia_driver_version": "Nvidia driver version",
    "cudnn_version": "cuDNN version",
    "is_xpu_available": "Is XPU available",
    "hip_runtime_version": "HIP runtime version",
    "miopen_runtime_version": "MIOpen runtime version",
    "is_xnnpack_available": "Is XNNPACK available",
    "caching_allocator_config": "Caching allocator config",
}


def pretty_str(envinfo: SystemEnv) -> str:
    """The facts, one a line; then the processor, and the packages that matter."""
    facts = envinfo._asdict()
    lines = [f"{title}: {facts[name] or NOT_THERE}" for name, title in _LINES.items()]
    packages = []
    for source, text in (
        (envinfo.pip_version, envinfo.pip_packages),
        ("conda", envinfo.conda_packages),
    ):
        packages += [f"[{source}] {line}" for line in (text or NOT_THERE).splitlines()]
    lines += [
        "\nCPU:",
        envinfo.cpu_info or NOT_THERE,
        "\nVersions of relevant libraries:",
        *packages,
    ]
    return "\n".join(lines)


def get_pretty_env_info() -> str:
    """The report."""
    return pretty_str(get_env_info())


def main() -> None:
    """Print the report."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
