"""Stepping, and that the results are those of the command line."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

import pliant


def summary(binary: str, folder, *arguments: str) -> dict:
    command = [binary, "run", *arguments, "-o", str(folder), "--format", "none", "--json", "--quiet"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "scene, set",
    [
        ("spring-net", {"time.until": 0.5}),
        ("hanging-cloth", {"time.until": 0.25}),
        ("still-water", {"time.until": 0.02}),
        # the end is no frame, and every step is doubled
        ("rope-hanging", {"time.until": 0.0423, "time.control.kind": "step-doubling"}),
    ],
)
def test_the_bits_are_those_of_the_command_line(binary, tmp_path, scene, set):
    flags = [word for key, value in set.items() for word in ("--set", f"{key}={json.dumps(value)}")]
    theirs = summary(binary, tmp_path / "out", scene, *flags)
    set = {**set, "output.formats": []}  # what --format none is
    ours = pliant.Simulation(scene, set=set)
    ours.run()
    assert ours.state_hash == theirs["state_hash"]
    stats = ours.stats
    for key in ("steps", "rejected", "solves", "time", "frames", "energy", "ledger", "fingerprint", "finished", "dt"):
        assert stats[key] == theirs[key], key
    # and step by step, with views kept and everything looked at on the way
    again, kept = pliant.Simulation(scene, set=set), []
    while not again.done:
        again.step()
        kept.append((again.positions, again.velocities, again.fields, again.stats["steps"]))
    assert again.state_hash == theirs["state_hash"]


def test_steps_tell_what_they_did(net):
    sim = pliant.Simulation(net)
    assert (sim.time, sim.dt, len(sim), sim.until, sim.fps) == (0.0, 0.0, 30, 0.5, 60.0)
    assert math.isnan(sim.error)
    first = sim.step()
    assert (first.number, first.time, first.dt) == (1, sim.time, sim.dt)
    assert first.time > 0 and first.error == sim.error
    assert sim.step().number == 2 and sim.stats["steps"] == 2
    assert "Step(number=1" in repr(first) and "particles=30" in repr(sim)


def test_advance_and_run_end_exactly(net):
    sim = pliant.Simulation(net)
    for k in range(1, 13):
        assert sim.advance(1 / 60) > 0
        assert sim.time == k / 60, "frames are never summed up"
    sim.advance("1 ms")
    assert sim.time == 12 / 60 + 0.001
    sim.run(0.3217)
    assert sim.time == 0.3217
    assert sim.run(0.1) == 0 and sim.time == 0.3217, "what is past is past"
    assert sim.advance(0) == 0
    sim.run("400 ms")
    assert sim.time == 24 / 60
    sim.run()
    assert sim.time == sim.until == 0.5 and sim.done and sim.stats["finished"]
    sim.step()
    sim.advance(0.25)
    assert sim.time > 0.75, "a simulation may go on after the scene's end"


def test_interruptions_on_frames_change_no_bit(net):
    whole, parts = pliant.Simulation(net), pliant.Simulation(net)
    whole.run()
    for k in range(1, 31):
        parts.run(k / 60)
    assert whole.state_hash == parts.state_hash


def test_the_callback_sees_every_frame_and_may_stop(net):
    sim, seen = pliant.Simulation(net), []
    sim.run(callback=lambda s: seen.append(s.time))
    assert seen == [k / 60 for k in range(1, 31)]
    sim.reset()
    assert sim.time == 0
    steps = sim.run(0.5, lambda s: s.time < 0.1)
    assert sim.time == 6 / 60 and steps == sim.stats["steps"]
    sim.run(0.5, callback=lambda s: None)
    assert sim.time == 0.5

    def fails(s: pliant.Simulation) -> None:
        raise KeyError("mine")

    sim.reset()
    with pytest.raises(KeyError, match="mine"):
        sim.run(callback=fails)
    assert sim.time == 1 / 60
    sim.run()
    assert sim.done


def test_a_callback_may_use_the_simulation(net):
    sim, plain = pliant.Simulation(net), pliant.Simulation(net)

    def looks(s: pliant.Simulation) -> None:
        assert s is sim and s.positions.shape == (30, 3) and s.stats["time"] == s.time
        s.velocities.sum()

    sim.run(callback=looks)
    plain.run()
    assert sim.state_hash == plain.state_hash


def test_ctrl_c_stops_a_run_and_leaves_it_usable():
    sim = pliant.Simulation("hanging-cloth", set={"time.until": 1000})
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    begun = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sim.run()
    assert time.monotonic() - begun < 20
    at = sim.time
    assert 0 < at < 1000
    sim.step()
    assert sim.time > at


def test_what_there_is_to_draw(net):
    sim = pliant.Simulation(net)
    (body,) = sim.bodies
    assert body.name == "net" and body.particles == slice(0, 30, 1) and len(body) == 30 and body.shape == "points"
    assert sim.edges.shape[1] == 2 and sim.edges.max() < 30 and (sim.edges == body.edges).all()
    assert sim.edges.dtype == np.uint32
    assert sim.masses.shape == (30,) and math.isclose(sim.masses.sum(), 0.2)
    assert sim.pinned.sum() == 2 and sim.pinned.dtype == bool
    assert not sim.masses.flags.writeable and not sim.edges.flags.writeable
    cube = pliant.Simulation("rotating-cube")
    assert cube.tetrahedra.shape[1] == 4 and len(cube.tetrahedra) > 0 and len(cube.triangles) > 0
    tetrahedra = cube.positions[cube.tetrahedra]
    edges = tetrahedra[:, 1:] - tetrahedra[:, :1]
    assert (np.linalg.det(edges) > 0).all(), "turned the right way round"
    rope = pliant.Simulation("rope-hanging")
    places, triangles = rope.surface()
    assert len(places) > len(rope) and triangles.max() < len(places), "ropes have a round surface"
    assert (places[: len(rope)] == rope.positions).all()


def test_fields_of_fluids_and_of_what_breaks():
    water = pliant.Simulation("still-water")
    fields = water.fields
    assert {"density", "pressure"} <= set(fields)
    assert np.allclose(fields["density"][fields["density"] > 0], 1000, rtol=0.3)
    assert not fields["density"].flags.writeable
    with pytest.raises(ValueError):
        fields["density"].setflags(write=True)
    assert pliant.Simulation("pendulum").fields == {}


def test_energy_and_books(net):
    sim = pliant.Simulation(net)
    start = sim.energy
    assert start["kinetic"] == 0
    sim.run()
    energy, ledger = sim.energy, sim.stats["ledger"]
    assert energy["total"] == pytest.approx(energy["kinetic"] + energy["elastic"] + energy["gravity"])
    booked = sum(value for key, value in ledger.items())
    assert energy["total"] == pytest.approx(booked, abs=1e-12)


def test_what_the_command_line_lists_is_here():
    assert pliant.version == pliant.__version__ == "0.1.0"
    assert "hanging-cloth" in pliant.scenes() and all(pliant.scenes().values())
    kinds = pliant.catalog()
    assert {"integrators", "controllers", "laws", "forces", "solvers", "preconditioners", "formats"} == set(kinds)
    verlet = next(entry for entry in kinds["integrators"] if entry["name"] == "velocity-verlet")
    assert (verlet["order"], verlet["stable_omega_dt"], verlet["area_preserving"]) == (2, 2.0, "yes")
    assert "properties" in pliant.schema()


def test_check_says_what_the_command_line_says(binary):
    said = subprocess.run([binary, "check", "spring-net"], check=True, capture_output=True, text=True).stdout
    assert pliant.check("spring-net") == said.rstrip("\n")


def test_run_records_a_folder(binary, net, tmp_path):
    result = pliant.run(net, tmp_path / "out", set={"time.until": 0.1})
    assert result["finished"] and result["frames"] == 7
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"frames.pvd", "stats.json", "scene.toml"} <= written and "probes.csv" not in written, "there are no probes"
    with pytest.raises(pliant.InputError, match="finished result; force=True replaces it, another output keeps it$"):
        pliant.run(net, tmp_path / "out", set={"time.until": 0.1})
    with pytest.raises(pliant.InputError, match="not verified to .* force=True"):
        pliant.run(net, tmp_path / "out", set={"time.until": 0.1}, resume=True, error="1 mm")
    again = pliant.run(net, tmp_path / "out", set={"time.until": 0.1}, resume=True)
    assert again["state_hash"] == result["state_hash"]
    fine = pliant.run(net, tmp_path / "fine", set={"time.until": 0.1}, error="1 mm")
    assert fine["verified"]["estimate"] <= 0.5e-3
    with pytest.raises(pliant.InputError, match="verified to be below 1 mm until t = 0.1 s, .* force=True replaces it"):
        pliant.run(net, tmp_path / "fine", set={"time.until": 0.2}, error="1 mm", resume=True)
    net["probe"] = [{"name": "corner", "particle": 29, "quantity": "position"}]
    pliant.run(net, tmp_path / "probed", set={"time.until": 0.1})
    assert len((tmp_path / "probed/probes.csv").read_text().splitlines()) == 8


def test_ctrl_c_leaves_a_run_to_be_resumed(tmp_path):
    scene = {"scene": "hanging-cloth", "output": tmp_path / "out", "set": {"time.until": 0.6, "output.formats": []}}

    def presses() -> None:
        while not (tmp_path / "out" / "probes.csv").exists():
            time.sleep(0.001)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=presses)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        pliant.run(**scene)
    thread.join()
    assert (tmp_path / "out" / "checkpoint.bin").exists()
    with pytest.raises(pliant.InputError, match="unfinished run; resume=True goes on"):
        pliant.run(**scene)
    with pytest.raises(pliant.InputError, match="leave error out"):
        pliant.run(**scene, resume=True, error="1 mm")
    resumed = pliant.run(**scene, resume=True)
    whole = pliant.Simulation("hanging-cloth", set=scene["set"])
    whole.run()
    assert resumed["finished"] and resumed["state_hash"] == whole.state_hash
