"""The table of names: every module has an owner, and what is there is found."""

import importlib.util
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "name_index.py"
_spec = importlib.util.spec_from_file_location("name_index", TOOL)
assert _spec is not None and _spec.loader is not None
name_index = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(name_index)


def test_every_module_of_the_record_has_an_owner():
    tops = {module.split(".")[0] for module, _ in name_index.recorded()}
    assert tops <= set(name_index.AREAS)
    assert len(name_index.recorded()) > 5000


def test_the_longest_prefix_decides():
    assert name_index.area_of("nn.modules.linear") == "nn"
    assert name_index.area_of("nn.parallel.scatter_gather") == "distributed"
    assert name_index.area_of("") == name_index.area_of("Tensor")


def test_names_are_found_or_missed():
    found = name_index.compared()
    there, missing = found[""]
    assert {"add", "Tensor", "float32", "nn"} <= set(there)
    assert not set(there) & set(missing)
    assert "matmul" in found["Tensor"][0]


def test_the_table_counts_what_it_lists():
    text = name_index.table({"": (["add"], ["gone"]), "linalg": ([], ["norm"])})
    assert "**`torch`**: 1 of 2; missing: `gone`" in text
    assert "**`torch.linalg`**: 0 of 1; none is there yet." in text
    assert "| operators and tensors | 1 | 1 |" in text
