"""Every schema that a real PyTorch knows is read and printed back."""

import pytest

from rushlight.engine.dispatch.schema import parse

torch = pytest.importorskip("torch")
# The reference repeats an argument name in this one, which is an error here.
MISTAKES = ("static_runtime::clamp_nan_to_num",)


def test_every_registered_schema_prints_back():
    texts = [str(schema) for schema in torch._C._jit_get_all_schemas()]
    texts = [text for text in texts if not text.startswith(MISTAKES)]
    assert len(texts) > 4000
    assert [text for text in texts if str(parse(text)) != text] == []
