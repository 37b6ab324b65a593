"""Runs PTX without a GPU: what LLVM prints for our kernels, vectorised over the threads of a launch.

module = Module(text)
launch(module.kernels["KERNEL"], memory, blocks=4, width=64, arguments=[...])
"""

from ptx_interpreter.machine import Deadlock, Trap, launch
from ptx_interpreter.memory import BASE, BadAddress, Memory
from ptx_interpreter.parser import Module

__all__ = ["BASE", "BadAddress", "Deadlock", "Memory", "Module", "Trap", "launch"]
