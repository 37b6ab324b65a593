"""Every operator, functionalized, on fakes, and as a graph, against its call: see `ways.py`."""

import pytest

from tests.ops import ways

# How many cases may be in `wrong_ways.txt`. Only to become fewer.
MOST_WRONG = 79


@pytest.mark.parametrize("way", ways.WAYS)
@pytest.mark.parametrize("family", ways.families())
def test_every_way_does_what_the_call_does(way, family, every_sample):
    cases = list(ways.cases_of(family) if every_sample else ways.some_cases(way, family))
    found = ways.tally(way, cases)
    titles = {case.title for case in cases}
    listed = ways.listed(way) & titles
    unexpected = [f"{title}: {why}" for title, why in found.wrong.items() if title not in listed]
    assert not unexpected, "\n".join(unexpected)
    assert listed == found.wrong.keys(), "right by now, so no more in the list"


def test_the_list_is_short():
    titles = {case.title for family in ways.families() for case in ways.cases_of(family)}
    lists = [ways.listed(way) for way in ways.WAYS]
    assert sum(map(len, lists)) <= MOST_WRONG
    assert set().union(*lists) <= titles
