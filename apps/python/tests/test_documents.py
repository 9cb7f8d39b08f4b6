"""What is written is true: stubs, docstrings, the README's code, the examples."""

from __future__ import annotations

import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest

import pliant
from pliant import _pliant

ROOT = pathlib.Path(__file__).parent.parent
STUB = ast.parse((ROOT / "python/pliant/_pliant.pyi").read_text())


def documented():
    for node in STUB.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, getattr(_pliant, node.name), ast.get_docstring(node)
        for inner in getattr(node, "body", []):
            if isinstance(node, ast.ClassDef) and isinstance(inner, ast.FunctionDef) and not inner.name.startswith("__"):
                member = getattr(getattr(_pliant, node.name), inner.name)
                yield f"{node.name}.{inner.name}", member, ast.get_docstring(inner)


@pytest.mark.parametrize("name, thing, words", [pytest.param(*entry, id=entry[0]) for entry in documented()])
def test_stubs_say_what_help_says(name, thing, words):
    assert words and inspect.getdoc(thing) == words


def test_everything_is_in_the_stubs():
    known = {name for name, *_ in documented()}
    for name in pliant.__all__:
        thing = getattr(pliant, name)
        if isinstance(thing, str):
            continue
        if getattr(thing, "__module__", "") in ("pliant.errors", "pliant._sweep"):
            assert thing.__doc__
            continue
        assert name in known
        if inspect.isclass(thing):
            members = {f"{name}.{member}" for member in vars(thing) if not member.startswith("_")}
            assert members <= known, members - known


def test_an_example_says_what_it_needs():
    code = "import runpy, sys; sys.modules['matplotlib'] = None; runpy.run_path(sys.argv[1], run_name='__main__')"
    example = ROOT / "examples" / "plot_steps.py"
    ended = subprocess.run([sys.executable, "-c", code, example], capture_output=True, text=True)
    assert ended.returncode == 1 and "pip install matplotlib" in ended.stderr and "Traceback" not in ended.stderr


def blocks():
    return re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("code", blocks())
def test_the_code_of_the_readme_runs(code, tmp_path):
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, env={**os.environ, "MPLBACKEND": "Agg"})


def test_the_readme_has_code():
    assert len(blocks()) >= 3


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(example, tmp_path):
    command = [sys.executable, str(example), "--quick"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_environment_works_without_gymnasium(tmp_path):
    code = f"import sys; sys.modules['gymnasium'] = None; sys.argv = ['x', '--quick']; exec(open({str(ROOT / 'examples/rope_env.py')!r}).read())"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "frames" in done.stdout, done.stderr
