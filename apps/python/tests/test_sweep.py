"""Sweeps: the same grid and table as the command line's, processes that die, a Ray cluster that loses workers."""

from __future__ import annotations

import csv
import os
import pathlib
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import pliant

VARY = {"time.control.tolerance": ["1 mm", 1e-4], "springs[0].stiffness": ["100 N/m", "200 N/m"]}
# what does not depend on when and where
EXACT = ["run", "repeat", *VARY, "status", "time", "frames", "steps", "solves", "dt_mean", "energy_total", "momentum_y", "state_hash", "reason"]


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def processes(words):
    """Processes of this user whose command line has these words."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        if words in line.replace(b"\0", b" ").decode(errors="replace"):
            found.append(int(entry.name))
    return found


class Killer(threading.Thread):
    """Kills the first process of that name that is seen; only once."""

    def __init__(self, words, wait=0.0):
        super().__init__(daemon=True)
        self.words, self.wait, self.killed, self.done = words, wait, None, threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.join()

    def run(self):
        before = set(processes(self.words))
        time.sleep(self.wait)
        while not self.done.is_set() and self.killed is None:
            for process in set(processes(self.words)) - before:
                os.kill(process, signal.SIGKILL)
                self.killed = process
                return
            time.sleep(0.005)


def test_the_table_is_that_of_the_command_line(net, tmp_path, binary):
    scene = tmp_path / "net.toml"
    scene.write_text(pliant.Simulation(net).scene)
    result = pliant.sweep(net, VARY, repeat=2, until="0.1 s", output=tmp_path / "here", jobs=2)
    lists = [f"{key}={','.join(map(str, values))}" for key, values in VARY.items()]
    command = [binary, "sweep", scene, "--vary", lists[0], "--vary", lists[1], "--repeat", "2", "--until", "0.1 s", "-o", tmp_path / "there", "-q"]
    subprocess.run(command, check=True)
    ours, theirs = table(tmp_path / "here/sweep.csv"), table(tmp_path / "there/sweep.csv")
    assert list(ours[0]) == list(theirs[0]) == list(result.rows[0])
    assert [[row[key] for key in EXACT] for row in ours] == [[row[key] for key in EXACT] for row in theirs]
    assert len(result) == 8 and not result.failures and not result.unequal_repeats
    first = result.rows[0]
    assert first["time.control.tolerance"] == "1 mm" and result.rows[4]["time.control.tolerance"] == 1e-4
    assert first["steps"] > 0 and first["reason"] is None and first["time"] == pytest.approx(0.1)
    sim = pliant.Simulation(net, set={"time.until": 0.1, **{key: values[0] for key, values in VARY.items()}})
    sim.run()
    assert sim.state_hash == first["state_hash"]
    # one can go on with what the other began, and nothing is run twice
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "there/results").iterdir()}
    again = pliant.sweep(scene, VARY, repeat=2, until="0.1 s", output=tmp_path / "there")
    assert [row["state_hash"] for row in again] == [row["state_hash"] for row in result]
    assert stamps == {path: path.stat().st_mtime_ns for path in stamps}


def test_values_of_all_kinds(net):
    vary = {"world.gravity": [[0, -9.81, 0], np.array([0.0, -1.62, 0.0])], "springs[0].damping": np.linspace(0, 0.02, 3)}
    result = pliant.sweep(net, vary, until=0.02, jobs=2)
    assert [row["springs[0].damping"] for row in result] == [0.0, 0.01, 0.02] * 2
    assert result.rows[0]["world.gravity"] == "[0, -9.81, 0]"
    assert len({row["state_hash"] for row in result}) == 6
    assert repr(result) == "<pliant.Sweep: 6 runs, 0 failed>"
    assert len(pliant.sweep(net, until=0.01)) == 1


@pytest.mark.parametrize(
    "arguments, parts",
    [
        ({"vary": {"springs[0].stifness": [1]}}, ["vary: springs[0].stifness: ", "did you mean", "stiffness"]),
        ({"vary": {"time.control.tolerance": ["1 mm", "2 kg"]}}, ["vary: time.control.tolerance: ", "2 kg", "length"]),
        ({"vary": {"time.fps": []}}, ["time.fps", "empty"]),
        ({"vary": {"time.fps": "30,60"}}, ["time.fps", "list"]),
        ({"vary": {"time.fps": 30}}, ["time.fps", "list"]),
        ({"vary": {"time.fps": [30, 30]}}, ["time.fps", "both 30"]),
        ({"vary": {"time.fps": [object()]}}, ["time.fps", "object"]),
        ({"vary": {"springs.0.mass": [1], "springs[0].mass": [2]}}, ["springs[0]"]),
        ({"vary": {"time.fps": [30]}, "set": {"time.fps": 60}}, ["vary: time.fps", "set for all runs"]),
        ({"vary": {"time.fps": range(1, 1000)}, "repeat": 1000}, ["999 x 1000", "100000"]),
        ({"vary": [1, 2]}, ["vary", "dict"]),
        ({"repeat": 0}, ["repeat"]),
        ({"jobs": 0}, ["jobs"]),
        ({"threads": 0}, ["threads"]),
        ({"until": "3 kg"}, ["until: time.until: "]),
        ({"set": {"time.until": "3 kg"}}, ["set: time.until: "]),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(net, tmp_path, arguments, parts):
    with pytest.raises(pliant.InputError) as caught:
        pliant.sweep(net, output=tmp_path / "out", **arguments)
    assert all(part in str(caught.value) for part in parts), caught.value
    assert "--" not in str(caught.value), "flags are the command line's"
    assert not (tmp_path / "out").exists()


def test_another_sweeps_folder_is_refused(net, tmp_path):
    pliant.sweep(net, {"time.fps": [30]}, until=0.01, output=tmp_path)
    with pytest.raises(pliant.InputError, match="another sweep.*time.fps=30"):
        pliant.sweep(net, {"time.fps": [60]}, until=0.01, output=tmp_path)
    assert len(pliant.sweep(net, {"time.fps": [60, 90]}, until=0.01, output=tmp_path, force=True)) == 2


def test_a_run_that_fails_is_listed(net):
    net["springs"][0]["grid"]["width"] = 1e10
    result = pliant.sweep(net, {"springs[0].stiffness": [1.0, 1e300]}, set={"springs[0].rest_length": 1.0}, until=0.01, jobs=2)
    assert [row["status"] for row in result] == ["done", "failed"]
    assert [failure.run for failure in result.failures] == [2] and result.failures[0].reason
    assert result.failures[0].row["springs[0].stiffness"] == 1e300


def test_a_process_that_is_killed_loses_nothing(net):
    vary = {"springs[0].damping": [k * 1e-3 for k in range(32)]}
    calm = pliant.sweep(net, vary, until="8 s", jobs=2)
    with Killer("from pliant._worker import main", wait=0.2) as killer:
        # its processes are new ones, which the killer has not seen
        killed = pliant.sweep(net, vary, until="8 s", jobs=2)
    assert killer.killed and not killed.failures
    assert [row["state_hash"] for row in killed] == [row["state_hash"] for row in calm]


def test_interrupts_keep_what_was_done(net, tmp_path):
    code = f"""
        import pliant
        net = {net!r}
        pliant.sweep(net, {{"springs[0].damping": [k * 1e-3 for k in range(200)]}}, until="2 s", jobs=2, output="out")
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    results = tmp_path / "out/results"
    end = time.monotonic() + 60
    while time.monotonic() < end and not (results.exists() and len(list(results.glob("0*.json"))) > 3):
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, words = child.communicate(timeout=20)
    assert child.returncode != 0 and "KeyboardInterrupt" in words
    assert 3 < len(list(results.glob("0*.json"))) < 200


def test_ray_loses_nothing_with_a_worker(net, tmp_path):
    vary = {"springs[0].damping": [k * 1e-3 for k in range(32)], "time.control.tolerance": ["1 mm", "0.1 mm"]}
    with Killer("ray::run_text") as killer:
        result = pliant.sweep(net, vary, until="2 s", jobs=2, address="local", output=tmp_path)
    assert killer.killed, "no worker was killed"
    assert len(result) == 64 and not result.failures
    local = pliant.sweep(net, vary, until="2 s", jobs=2)
    assert [row["state_hash"] for row in result] == [row["state_hash"] for row in local]
    assert [row["state_hash"] for row in table(tmp_path / "sweep.csv")] == [row["state_hash"] for row in local]


@pytest.mark.parametrize("address", ["ray://127.0.0.1:1", "127.0.0.1:1", "", "ray://127.0.0.1:port", "auto"])
def test_a_cluster_that_is_not_there(net, address, monkeypatch, tmp_path):
    # a cluster that somebody else has on this machine is not meant
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    begun = time.monotonic()
    with pytest.raises(pliant.InputError, match="address: "):
        pliant.sweep(net, until=0.01, address=address)
    assert time.monotonic() - begun < 25


@pytest.mark.parametrize("kind", ["ray://", ""])
def test_a_server_that_is_silent(net, monkeypatch, kind):
    monkeypatch.setattr("pliant._ray.PATIENCE", 4.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        begun = time.monotonic()
        with pytest.raises(pliant.InputError, match="no Ray cluster answers there within"):
            pliant.sweep(net, until=0.01, address=f"{kind}127.0.0.1:{server.getsockname()[1]}")
        assert time.monotonic() - begun < 15


def test_without_ray(net, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(pliant.InputError, match="pip install ray"):
        pliant.sweep(net, until=0.01, address="local")
