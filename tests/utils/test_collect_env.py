"""The report of versions and the machine."""

import sys

from rushlight.utils import collect_env


def test_commands_are_run():
    assert collect_env.run((sys.executable, "-c", "print('x')")) == (0, "x", "")
    assert collect_env.run(("no-such-command-anywhere",))[0] == 127
    assert collect_env.run_and_read_all(collect_env.run, "exit 3") is None
    found = collect_env.run_and_parse_first_match(
        lambda command: (0, "gcc (X) 12", ""), "", "gcc (.*)"
    )
    assert found == "(X) 12"


def test_the_report_says_what_runs_and_where():
    text = collect_env.get_pretty_env_info()
    assert text.startswith("PyTorch version: ")
    assert "(rushlight " in text
    assert f"Python version: {sys.version.split()[0]}" in text
    assert "[pip3] numpy==" in text
    assert "None" not in text


def test_what_is_not_there_is_said():
    facts = dict.fromkeys(collect_env.SystemEnv._fields, "x") | {"gcc_version": None}
    assert "GCC version: Could not collect" in collect_env.pretty_str(
        collect_env.SystemEnv(**facts)
    )
