import subprocess
import sys

import pytest


@pytest.mark.parametrize("name", ["alias_copy", "detach_copy", "lift_fresh_copy", "t_copy"])
def test_a_copy_of_a_view_is_there_in_the_first_call(name):
    """Its kernel comes with its own family; no other has been loaded."""
    program = (
        "import rushlight as torch\n"
        f"assert torch.ops.aten.{name}(torch.ones(2)).tolist() == [1, 1]\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
