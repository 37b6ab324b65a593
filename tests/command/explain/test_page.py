"""The page of `explain`: what its lines lead to."""

import os
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

import rushlight as torch
from rushlight._command import main
from rushlight._command.explain import assembly, explain_page
from rushlight._command.explain.watching import Watched
from rushlight.engine.native import machine

F = torch.nn.functional
NAMES = ("chromium", "google-chrome", "chromium-browser")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)


class Reader(HTMLParser):
    """The columns of a page with their lines, and the links between these."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.columns: dict[str, list[str]] = {}
        self.texts: dict[str, str] = {}
        self.links: dict[str, list[str]] = {}
        self.addresses: list[str] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.addresses += [given[name] for name in ("src", "href") if name in given]
        self._inside = tag
        if "id" in given:
            self._inside = given["id"]
            assert self._inside not in self.texts, "two elements have one name"
            self.texts[self._inside] = ""
            list(self.columns.values())[-1].append(self._inside)
            self.links[self._inside] = given.get("data-to", "").split()

    def handle_data(self, data):
        if self._inside == "h1":
            self.columns[data] = []
        elif self._inside in self.texts:
            self.texts[self._inside] += data

    def handle_endtag(self, tag):
        self._inside = ""

    def below(self, name: str) -> set[str]:
        """All that a line became."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            waiting += [x for x in self.links[waiting.pop()] if x not in found and not found.add(x)]
        return found

    def line(self, column: str, start: str) -> str:
        return next(n for n in self.columns[column] if self.texts[n].strip().startswith(start))


def ones(*sizes):
    return torch.ones(*sizes)


CALLS = {
    "pointwise": (torch.add, (ones(4, 4), ones(4, 4)), {"alpha": 2}),
    "half": (torch.exp, (ones(5).bfloat16(),), {}),
    "rows": (torch.softmax, (ones(4, 4), 1), {}),
    "product": (torch.matmul, (ones(4, 4), ones(4, 4)), {}),
    "several steps": (torch.kron, (ones(2, 2), ones(2, 2)), {}),
    "attention": (F.scaled_dot_product_attention, (ones(1, 2, 8, 16),) * 3, {}),
    "view": (torch.t, (ones(2, 3),), {}),
    "element": (torch.Tensor.item, (ones(1),), {}),
    "recorded": (torch.log, (ones(3).requires_grad_(),), {}),
    "no tensor": (torch.zeros, (3,), {}),
}


@pytest.fixture(scope="module", params=CALLS)
def page(request):
    function, args, kwargs = CALLS[request.param]
    return Reader(explain_page(function, *args, **kwargs))


def test_each_link_leads_to_a_line(page):
    assert page.texts
    for name, targets in page.links.items():
        for target in targets:
            assert target in page.texts, f"{page.texts[name]} leads nowhere"


def test_links_lead_down(page):
    order = {name: k for k, name in enumerate(page.texts)}
    column = {name: k for k, names in enumerate(page.columns.values()) for name in names}
    for name, targets in page.links.items():
        for target in targets:
            assert column[target] >= column[name]
            # Within a column a function may call one that stands before it, but not itself.
            assert target != name and order[target] != order[name]


def test_the_page_needs_no_network(page):
    assert page.addresses == []


def test_all_that_was_done_comes_from_the_call(page):
    """Every generated function and every step is below the first line of the page."""
    call = page.columns["Call"][0]
    found = page.below(call)
    heads = [n for n in page.columns["Generated Python"] if page.texts[n].startswith("def ")]
    assert heads and set(heads) <= found
    schemas = [n for n in page.columns["Call"] if page.texts[n].startswith("aten::")]
    assert schemas and set(schemas) <= found
    steps = [n for n in page.columns["Plan"] if not page.texts[n].startswith(" ")]
    assert any(n in found for n in steps)


def test_an_operation_leads_to_its_instructions():
    function, args, kwargs = CALLS["pointwise"]
    page = Reader(explain_page(function, *args, **kwargs))
    body = next(n for n in page.columns["Loop body"] if re.search(r"= (fma|add)\.", page.texts[n]))
    texts = [page.texts[n] for n in page.links[body]]
    assert texts and all("fma" in t or "fadd" in t for t in texts)
    code = [page.texts[n] for n in page.below(body) if n in page.columns["Machine code"]]
    assert code and all(re.search("add|mla", t) for t in code)


def test_a_line_of_the_scalar_function_leads_to_its_operations():
    function, args, kwargs = CALLS["rows"]
    page = Reader(explain_page(function, *args, **kwargs))
    source = page.line("Kernel source", "moved = x + magic")
    bodies = {page.texts[n] for n in page.below(source) if n in page.columns["Loop body"]}
    assert bodies and all(re.search(r"= (fma|const)\.f32", text) for text in bodies)
    # The polynomial is called by the exponential, which says so.
    outer = page.line("Kernel source", "factor = fma(r * r, polynomial(")
    inner = page.line("Kernel source", "total = fma(")
    assert inner in page.below(outer)


def test_functions_of_programs_are_kernel_source_too():
    from rushlight.engine.ops.kinds.pointwise import pointwise

    library = torch.library.Library("explained", "DEF")
    library.define("cube(Tensor x) -> Tensor")

    @pointwise("explained::cube", promote="float")
    def cube(x):
        return x * x * x

    page = Reader(explain_page(torch.ops.explained.cube, ones(3)))
    line = page.line("Kernel source", "return x * x * x")
    bodies = [page.texts[n] for n in page.below(line) if n in page.columns["Loop body"]]
    assert sum("= mul." in text for text in bodies) == 2
    assert page.line("Call", "explained::cube(Tensor x) -> Tensor")
    library._destroy()


def test_an_operand_leads_to_where_its_address_is_read():
    function, args, kwargs = CALLS["pointwise"]
    page = Reader(explain_page(function, *args, **kwargs))
    texts = [page.texts[n] for n in page.links[page.line("Plan", "operand 1")]]
    assert re.search(r"ptr %data, i64 1$", texts[0]) and "= load ptr" in texts[1]


@pytest.mark.parametrize("name", ["pointwise", "rows", "product", "attention"])
def test_asking_for_places_does_not_change_the_code(name):
    function, args, kwargs = CALLS[name]
    watched = Watched()
    watched.call(lambda: function(*args, **kwargs))
    assert watched.kernels

    def instructions(lines):
        code = [x.expandtabs(4) for x in lines if x.startswith(("\t", "    "))]
        code = [x for x in code if not x.strip().startswith(".")]
        return [re.sub(r"\.L\w+", ".L", x) for x in code]

    for kernel in watched.kernels:
        lines = assembly.lines_of(kernel.ir, kernel.optimise)
        plain = machine.assembly(kernel.ir, kernel.optimise).splitlines()
        assert instructions(x.text for x in lines) == instructions(plain)
        assert sum(x.source is not None for x in lines) > len(lines) / 2


def test_the_command_writes_the_page(tmp_path, capsys):
    file = tmp_path / "page.html"
    assert main.main(["explain", "a * b", "--html", str(file)]) == 0
    assert str(file) in capsys.readouterr().out
    assert "mul" in file.read_text("utf-8")
    assert main.main(["explain", "a * b", "--html", str(tmp_path / "none" / "page.html")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_texts_are_escaped():
    page = explain_page(torch.lt, ones(3), ones(3))
    assert "<rushlight" not in page and "&lt;rushlight" in page


def test_loops_within_loops_lead_to_their_kernels():
    function, args, kwargs = CALLS["attention"]
    page = Reader(explain_page(function, *args, **kwargs))
    starts = [n for n in page.columns["LLVM IR"] if "@KERNEL(" in page.texts[n]]
    loops = [n for n in page.columns["Plan"] if "loop over" in page.texts[n]]
    reached = {target for n in loops for target in page.links[n]}
    assert len(starts) > 1 and sum(start in reached for start in starts) > 1


@pytest.mark.skipif(BROWSER is None, reason="there is no browser here")
def test_the_page_works_in_a_browser(tmp_path):
    """Its script finds both ends of each link, and marks a line's relations when it is pointed at."""
    function, args, kwargs = CALLS["pointwise"]
    text = explain_page(function, *args, **kwargs)
    page = Reader(text)
    body = next(n for n in page.columns["Loop body"] if re.search(r"= (fma|add)\.", page.texts[n]))
    point = f"document.getElementById('{body}').dispatchEvent(new Event('mouseover', {{bubbles: true}}))"
    file = tmp_path / "page.html"
    file.write_text(text.replace("</body>", f"<script>{point}</script></body>"), "utf-8")
    command = [BROWSER, "--headless", "--disable-gpu", f"--user-data-dir={tmp_path / 'user'}"]
    command += ["--no-sandbox"] if os.geteuid() == 0 else []
    shown = subprocess.run(
        [*command, "--dump-dom", file.as_uri()], capture_output=True, text=True, timeout=120
    ).stdout
    classes = dict(re.findall(r'<div id="(l\d+)"[^>]*? class="([^"]*)"', shown))
    linked = {name for name, targets in page.links.items() if targets}
    linked |= {target for targets in page.links.values() for target in targets}
    assert set(classes) == linked
    marked = {name for name, names in classes.items() if {"hit", "here"} & set(names.split())}
    above = {name for name in page.texts if body in page.below(name)}
    assert marked == {body} | page.below(body) | above
    assert "here" in classes[body]
