#!/usr/bin/env python3
"""Runs the Python blocks of the README and of the book's page on Python, one after the other, with the installed `pliant` package.

    python book/tests/python_blocks.py
"""

import os
import pathlib
import re
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def run(page: pathlib.Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = [(text[: match.start()].count("\n") + 2, match.group(1)) for match in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S)]
    assert blocks, f"{page} has no Python blocks"
    names: dict = {"__name__": "__book__"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for line, block in blocks:
            start = time.perf_counter()
            # empty lines in front, so that messages have the lines of the page
            exec(compile("\n" * (line - 1) + block, str(page), "exec"), names)
            print(f"{page.name}:{line}: {time.perf_counter() - start:.1f} s")
        os.chdir("/")


if __name__ == "__main__":
    for page in (ROOT / "README.md", ROOT / "book" / "src" / "python.md"):
        run(page)
