"""Which tests run in one process where several share them."""

from xdist.scheduler import LoadScopeScheduling

# Their files share processes that are kept, too (`several.py`): each of these plans its calls once.
AS_ONE = "tests/distributed/"


class ByFile(LoadScopeScheduling):
    """Gives files to processes, in the order in which they were collected; small ones come last."""

    def __init__(self, config, log=None):
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid):
        path = nodeid.partition("::")[0]
        return AS_ONE if path.startswith(AS_ONE) else path
