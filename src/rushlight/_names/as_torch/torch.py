"""What ``import torch`` finds in a child process whose parent let it mean rushlight.

The folder of this file is on the path of such a process; the first import puts the alias in place.
"""

import sys

import rushlight
from rushlight import alias

del sys.modules["torch"]
alias.install("torch")
alias.stand_for(rushlight, "torch")
sys.modules["torch"] = rushlight
