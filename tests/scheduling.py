"""Which tests run in one process where several share them."""

import functools

from xdist.scheduler import LoadScopeScheduling

# Their files share processes that are kept, too (`several.py`): each of these plans its calls once.
AS_ONE = "tests/distributed/"


def file_of(nodeid):
    return nodeid.partition("::")[0]


class ByFile(LoadScopeScheduling):
    """Gives files to processes, in the order in which they were collected; tests of few files one by one."""

    def __init__(self, config, log=None):
        super().__init__(config, log)
        config.option.loadscopereorder = False

    @functools.cached_property
    def _are_few(self):
        """Whether there are too few files for all processes to be busy with."""
        return len(set(map(file_of, self.collection))) <= 2 * self.numnodes

    def _split_scope(self, nodeid):
        if nodeid.startswith(AS_ONE):
            return AS_ONE
        return nodeid if self._are_few else file_of(nodeid)
