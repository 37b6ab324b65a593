"""The pictures of the chapters are those that would be drawn today."""

import pictures
import pytest


@pytest.mark.parametrize("draw", pictures.PICTURES, ids=lambda draw: draw.__name__)
def test_pictures_are_up_to_date(draw):
    written = (pictures.FOLDER / f"{draw.__name__}.svg").read_text("utf-8")
    assert written == f"{draw()}\n", "run tools/pictures.py"


def test_pictures_are_shown():
    for draw in pictures.PICTURES:
        chapter = pictures.FOLDER.parent / f"{draw.__name__}.md"
        assert f"(pictures/{draw.__name__}.svg)" in chapter.read_text("utf-8")
