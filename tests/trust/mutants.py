"""Whether the tests notice a fault: small faults ("mutants") are put into the sources, one at a time, and the tests must fail.

A sample with a fixed seed, as many from each group below. All mutants are compiled at once, into a copy of the repository: each function
with one gets a copy of its body with the fault, taken where the environment variable MUTANT has the mutant's number. Tests then run in
order, those of the mutant's own crate first, until one fails, crashes or takes ten times as long as it should.

Usage: python3 tests/trust/mutants.py FOLDER [--seed N] [--each N] [--only N,N,...]; needs `cargo install cargo-mutants` (27.1 was used).
FOLDER takes the copy and its build, some 3 GB. Mutants that do not compile are dropped. Those that survive need a look: some change
nothing, or only what a run costs.
"""

import argparse
import filecmp
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GROUPS = ["core", "time", "linalg", "forces"]
# text for people, data of tests, and tests
LEFT_OUT = re.compile(r"::fmt\b|/(examples|samples|presets|catalog|tests|same_bits)\.rs")
LAWS = ["laws_bodies", "laws_brittle", "laws_restrained", "laws_time", "scenes"]
LONGEST = 600
SWITCH = """
/// Whether a mutant is the one that is tested.
pub fn mutant(n: u32) -> bool {
    static CHOSEN: std::sync::OnceLock<Option<u32>> = std::sync::OnceLock::new();
    *CHOSEN.get_or_init(|| std::env::var("MUTANT").ok()?.parse().ok()) == Some(n)
}
"""


def offset(text, place):
    """Index of a line and column, which count from 1."""
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[:place["line"] - 1]) + place["column"] - 1


def can_switch(mutant):
    """A constant function cannot ask the environment, and a type without a name is another one in another body."""
    if mutant["function"] is None:
        return False
    text = (ROOT / mutant["file"]).read_text()
    start, end = (offset(text, mutant["function"]["span"][side]) for side in ("start", "end"))
    head = text[start:end].split("{")[0]
    return not re.search(r"\bconst fn\b|-> impl\b|Option<impl\b", head)


def sample(seed, each):
    """Mutants by number, as many of each group."""
    chosen = []
    for group in GROUPS:
        listed = subprocess.run(["cargo", "mutants", "--list", "--json", "-p", f"pliant-{group}"], cwd=ROOT,
                                check=True, capture_output=True, text=True).stdout
        mutants = [m for m in json.loads(listed) if not LEFT_OUT.search(m["name"]) and can_switch(m)]
        mutants.sort(key=lambda m: m["name"])
        chosen += random.Random(f"{seed} {group}").sample(mutants, each)
    return dict(enumerate(chosen, 1))


def body_start(text, start, end):
    """Index of the brace that opens the body which ends just before `end`."""
    depth = 0
    for i in range(end - 1, start, -1):
        depth += {"}": 1, "{": -1}.get(text[i], 0)
        if depth == 0:
            return i
    raise ValueError(text[start:end])


def write(copy, mutants):
    """Writes the repository with all mutants in it; files that stay as they are keep their dates, so that little is compiled again."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout
    changed = {f"crates/{group}/src/lib.rs" for group in GROUPS} | {m["file"] for m in mutants.values()}
    for file in filter(None, listed.split("\0")):
        here, there = ROOT / file, copy / file
        there.parent.mkdir(parents=True, exist_ok=True)
        if here.is_symlink():
            if not there.is_symlink():
                there.symlink_to(os.readlink(here))
        elif file in changed:
            text = with_mutants(here.read_text(), {n: m for n, m in mutants.items() if m["file"] == file})
            if file.endswith("/lib.rs"):
                text += SWITCH
            if not there.exists() or there.read_text() != text:
                there.write_text(text)
        elif here.exists() and not (there.exists() and filecmp.cmp(here, there, shallow=False)):
            shutil.copy2(here, there)


def with_mutants(text, mutants):
    """A source file with a second body for each mutant, in front of the first."""
    bodies = {}
    for n, m in mutants.items():
        start, end = (offset(text, m["function"]["span"][side]) for side in ("start", "end"))
        opening = body_start(text, start, end)
        at, to = (offset(text, m["span"][side]) for side in ("start", "end"))
        switch = f"if crate::mutant({n}) {{ return {text[opening:at]}{m['replacement']}{text[to:end]}; }}"
        bodies.setdefault(opening, []).append(switch)
    for opening, switches in sorted(bodies.items(), reverse=True):
        text = text[:opening + 1] + "\n" + "\n".join(switches) + "\n" + text[opening + 1:]
    return text


def dropped(copy, mutants):
    """Numbers of mutants that the compiler rejects."""
    found = set()
    checked = subprocess.run(["cargo", "check", "--message-format=json", *(f"-ppliant-{group}" for group in GROUPS)], cwd=copy,
                             capture_output=True, text=True).stdout
    for line in checked.splitlines():
        message = json.loads(line).get("message")
        if not isinstance(message, dict) or message["level"] != "error":
            continue
        for span in message["spans"]:
            lines = (copy / span["file_name"]).read_text().split("\n")[:span["line_start"]]
            within = [int(n) for line in lines for n in re.findall(r"crate::mutant\((\d+)\)", line)]
            if within:
                found.add(within[-1])
    return found & set(mutants)


def built(copy):
    """Test programs by crate or name, each with its arguments and the folder in which it runs."""
    programs = {}
    wanted = [*(f"-ppliant-{group}" for group in GROUPS), "-ppliant", "--lib"]
    wanted += [f"--test={name}" for name in ["linear", "rope", "laws_fluids", *LAWS]]
    listed = subprocess.run(["cargo", "test", "--no-run", "--message-format=json", *wanted], cwd=copy, check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    for line in listed.splitlines():
        line = json.loads(line)
        if line.get("executable"):
            folder, name = Path(line["manifest_path"]).parent, line["target"]["name"]
            arguments = ["golden_states"] if name == "scenes" else []
            programs.setdefault(folder.name, {})[name] = ([line["executable"], *arguments], folder)
    return programs


def tests_of(mutant, programs):
    """Names and programs that may notice a mutant, the likely ones first."""
    yield from programs[mutant["file"].split("/")[1]].items()
    laws = ["laws_fluids", "scenes"] if "/sph/" in mutant["file"] else LAWS
    yield from ((name, programs["pliant"][name]) for name in laws)


def failure(program, mutant, limit):
    """The first test that fails, or how the program ended; `None` if all pass."""
    command, folder = program
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, cwd=folder, env=os.environ | {"MUTANT": str(mutant)}, stdout=output, stderr=output)
        deadline = time.monotonic() + limit
        try:
            while True:
                status = child.poll()
                # not by seeking: the position is the child's too
                text = os.pread(output.fileno(), 1 << 22, 0).decode(errors="replace")
                if failed := re.search(r"^test (\S+) .*FAILED$", text, re.M):
                    return failed[1]
                if status is not None:
                    return None if status == 0 else f"status {status}"
                if time.monotonic() > deadline:
                    return f"more than {limit:.0f} s"
                time.sleep(0.05)
        finally:
            child.kill()
            child.wait()


def caught_by(number, mutant, programs, times):
    """The test that fails with a mutant and passes without."""
    for name, program in tests_of(mutant, programs):
        if name not in times:
            begun = time.monotonic()
            if failed := failure(program, 0, LONGEST):
                raise SystemExit(f"{name}: {failed} fails without a fault")
            times[name] = time.monotonic() - begun
        if failed := failure(program, number, 10 * times[name] + 10):
            return f"{name}: {failed}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=15)
    parser.add_argument("--only", type=lambda text: [int(n) for n in text.split(",")])
    asked = parser.parse_args()
    copy = asked.folder.resolve() / "pliant"
    mutants = sample(asked.seed, asked.each)
    # remembered: what was written once and taken back is compiled again
    memory = asked.folder / "rejected.json"
    known = json.loads(memory.read_text()) if memory.exists() else []
    rejected = {n for n, m in mutants.items() if m["name"] in known}
    while True:
        for n in sorted(rejected):
            print(f"{n:3} does not compile  {mutants[n]['name']}", flush=True)
            known.append(mutants.pop(n)["name"])
        write(copy, mutants)
        if not (rejected := dropped(copy, mutants)):
            break
    memory.write_text(json.dumps(sorted(set(known))))
    programs, times = built(copy), {}
    tested = [n for n in asked.only or mutants if n in mutants]
    caught = 0
    for n in tested:
        by = caught_by(n, mutants[n], programs, times)
        caught += by is not None
        print(f"{n:3} {'caught  ' if by else 'SURVIVED'}  {mutants[n]['name']}  {by or ''}", flush=True)
    print(f"{caught} of {len(tested)} caught (seed {asked.seed})")


if __name__ == "__main__":
    main()
