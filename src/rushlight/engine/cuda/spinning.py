"""A kernel that does nothing for some time."""

from __future__ import annotations

from rushlight.engine.cuda.kernels import Kernel

_TEXT = """
.version {version}
.target {processor}
.address_size 64

.visible .entry KERNEL(
\t.param .u64 KERNEL_param_0
)
{{
\t.reg .pred \t%p<2>;
\t.reg .b64 \t%rd<5>;

\tld.param.u64 \t%rd1, [KERNEL_param_0];
\tmov.u64 \t%rd2, %clock64;
$L__BB0_1:
\tmov.u64 \t%rd3, %clock64;
\tsub.s64 \t%rd4, %rd3, %rd2;
\tsetp.lt.s64 \t%p1, %rd4, %rd1;
\t@%p1 bra \t$L__BB0_1;
\tret;
}}
"""


def _text(processor: str, features: str) -> str:
    digits = features.removeprefix("+ptx")
    return _TEXT.format(version=f"{digits[:-1]}.{digits[-1]}", processor=processor)


_kernel = Kernel("spin", _text)


def spin(device: int, cycles: int) -> None:
    """Keep a device's current stream busy for so many cycles of its clock."""
    _kernel.launch(device, 1, 1, [max(cycles, 0)])
