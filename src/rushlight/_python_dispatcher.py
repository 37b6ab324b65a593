"""What would serve an operator, if kernels were registered for these keys: to try it out."""

from __future__ import annotations

import re

from rushlight._C import _dispatcher as _C

__all__ = ["PythonDispatcher"]

_HEAD = "key             kernel\n---------------------------\n"
# Where our own fallbacks come from is no news here.
_OWN = re.compile(r"registered at .*FallbackKernel\.cpp.*(\[)")


class PythonDispatcher:
    """One operator, served by kernels that are named after their keys."""

    namespace = "__test__"
    name = "foo"
    runtime_keys = [
        "CPU", "AutogradCPU", "FPGA", "AutogradOther", "XLA", "AutogradXLA", "Lazy", "AutogradLazy",
    ]  # fmt: skip
    alias_keys = ["CompositeExplicitAutograd", "Autograd", "CompositeImplicitAutograd"]
    supported_keys = runtime_keys + alias_keys

    def __init__(self) -> None:
        _C._dispatch_check_invariants(self.name)
        self.ref = _C._dispatch_library("FRAGMENT", self.namespace, "")
        self.ref.def_("foo(Tensor x) -> Tensor")

    def keys(self) -> list[str]:
        """The keys that kernels can be registered for here."""
        return self.supported_keys

    def register(self, dispatchKeys: list[str]) -> None:
        """Register a kernel ``fn_KEY`` for each of some keys."""
        if len(set(dispatchKeys)) != len(dispatchKeys):
            raise RuntimeError(f"Overridden is not allowed but found duplicates in {dispatchKeys}.")
        if {"CompositeImplicitAutograd", "CompositeExplicitAutograd"} <= set(dispatchKeys):
            raise RuntimeError(
                "Registration to both CompositeImplicitAutograd and CompositeExplicitAutograd is not "
                "allowed."
            )
        for key in dispatchKeys:
            if key not in self.supported_keys:
                raise RuntimeError(
                    f"{key} is not supported, please select a dispatch key in {self.supported_keys}."
                )
            self.ref.impl_t_t("foo", dispatch=key, debug=f"fn_{key}")

    def rawRegistrations(self) -> str:
        """All that the dispatcher says of the registrations."""
        return _C._dispatch_dump(f"{self.namespace}::{self.name}")

    def rawDispatchTable(self) -> str:
        """All that the dispatcher says of what serves which key."""
        return _C._dispatch_dump_table(f"{self.namespace}::{self.name}")

    def registrations(self) -> str:
        """The kernels that were registered, by key."""
        lines = []
        for line in self.rawRegistrations().splitlines():
            key, _, rest = line.partition(": ")
            if key.removesuffix("[alias]") in self.supported_keys:
                lines.append(f"{key:<15} {rest.partition(' ::')[0]}\n")
        return f"\nRegistered Kernels\n{_HEAD}{''.join(lines)}"

    def dispatchTable(self) -> str:
        """What serves each key in the end."""
        lines = []
        for line in self.rawDispatchTable().splitlines():
            key, _, rest = line.partition(": ")
            if key in self.runtime_keys:
                lines.append(f"{key:<15} {_OWN.sub('[', rest)}\n")
        return f"\nComputed Dispatch Table\n{_HEAD}{''.join(lines)}"
