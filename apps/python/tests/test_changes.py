"""Edits, other states, checkpoints."""

from __future__ import annotations

import os

import numpy as np
import pytest

import pliant


def test_set_velocities_and_positions(net):
    sim = pliant.Simulation(net)
    sim.advance(0.1)
    steps, time = sim.stats["steps"], sim.time
    v = np.zeros((30, 3), dtype=np.float32)
    v[:, 2] = 2
    sim.set_velocities(v)
    free = ~sim.pinned
    assert (sim.velocities[free] == [0, 0, 2]).all() and (sim.velocities[~free] == 0).all(), "pins hold"
    assert sim.time == time and sim.stats["steps"] == steps
    sim.set_velocities([0, 3, 0], [20, -1])
    assert (sim.velocities[[20, 29]] == [0, 3, 0]).all() and (sim.velocities[21] == [0, 0, 2]).all()
    sim.set_velocities([1, 0, 0], "net")
    assert (sim.velocities[free] == [1, 0, 0]).all()
    moved = sim.positions + [0, 0.5, 0]
    sim.set_positions(moved.tolist())
    assert (sim.positions[free] == moved[free]).all() and (sim.velocities[free] == [1, 0, 0]).all()
    sim.set_state(moved[3:6], [[0, 0, 0]] * 3, slice(3, 6))
    assert (sim.velocities[3:6] == 0).all()
    ledger, energy = sim.stats["ledger"], sim.energy["total"]
    assert energy == pytest.approx(sum(ledger.values()), abs=1e-12), "the books stay closed"
    sim.run()


def test_a_state_that_was_set_goes_on_the_same_way(net):
    one, two = pliant.Simulation(net), pliant.Simulation(net)
    one.advance(0.1)
    two.advance(0.1)
    for sim in (one, two):
        sim.set_velocities([0, 0, 1], np.arange(30) % 2 == 0)
        sim.run()
    assert one.state_hash == two.state_hash


def test_states_that_cannot_be_leave_no_trace():
    coarse = {"cloth.0.grid.columns": 25, "cloth.0.grid.rows": 25}
    sim, undisturbed = (pliant.Simulation("cloth-on-sphere", set=coarse) for _ in range(2))
    for each in (sim, undisturbed):
        each.run(0.1)
    x = sim.positions
    for wrong, words in [
        (x - [0, 0.3, 0], "energy there is infinite"),  # inside of the ball
        (np.zeros((625, 3)), "no finite number"),
        (x * 1e200, "no finite number"),
    ]:
        with pytest.raises(pliant.InputError, match=words):
            sim.set_positions(wrong)
    for each in (sim, undisturbed):
        each.run(0.15)
    assert sim.state_hash == undisturbed.state_hash


def test_edit_changes_the_scene_and_is_logged(net):
    sim = pliant.Simulation(net)
    sim.advance(0.1)
    x, energy = sim.positions, sim.energy["total"]
    sim.edit({"world.gravity": [0, 0, 0], "springs.0.stiffness": "300 N/m"})
    assert (sim.positions == x).all() and sim.time == 6 / 60
    assert [time for time, _ in sim.edits] == [0.1, 0.1] and "300 N/m" in sim.edits[1][1]
    assert "300 N/m" in sim.scene and sim.energy["total"] != energy
    assert any(p["path"] == "springs[0].stiffness" and p["value"] == 300 for p in sim.parameters)
    sim.edit("springs[0].stiffness=250")
    sim.advance(0.1)
    assert len(sim.edits) == 3
    sim.reset()
    assert sim.edits == [] and "200 N/m" in sim.scene


def test_edits_that_are_wrong_change_nothing(net):
    sim = pliant.Simulation(net)
    sim.advance(0.1)
    before = sim.state_hash, sim.scene
    for changes, words in [
        ({"springs[0].stiffness": -3}, "stiffness"),
        ({"springs[0].stifness": 3}, "did you mean"),
        ({"springs[0].grid.columns": 9}, "cannot be changed while"),
        ({"springs[0].stiffness": 300, "world.gravity": "down"}, "gravity"),
        ({"springs[7].stiffness": 300}, "7"),
        (["nonsense"], "path=value"),
        (None, "changes are"),
    ]:
        with pytest.raises(pliant.InputError, match=words):
            sim.edit(changes)
    assert (sim.state_hash, sim.scene) == before and sim.edits == []
    sim.run()


@pytest.mark.parametrize("scene", ["spring-net", "hanging-cloth", "precracked-plate"])
def test_a_checkpoint_goes_on_with_the_same_bits(tmp_path, scene):
    path, small = tmp_path / "here.bin", {"time.until": 0.1} if scene != "precracked-plate" else {"time.until": "4 us"}
    whole = pliant.Simulation(scene, set=small)
    [whole.step() for _ in range(5)]
    whole.save(path)
    stats, memory = whole.stats, whole.snapshot()
    assert memory.time == whole.time
    [whole.step() for _ in range(5)]
    after = whole.state_hash
    other = pliant.Simulation(scene, set=small)
    other.load(os.fspath(path))
    loaded = other.stats
    for key in ("time", "steps", "energy", "ledger", "state_hash", "dt", "frames"):
        assert loaded[key] == stats[key], key
    [other.step() for _ in range(5)]
    assert other.state_hash == after
    for _ in range(2):
        whole.restore(memory)
        [whole.step() for _ in range(5)]
        assert whole.state_hash == after


def test_checkpoints_hold_edits(net, tmp_path):
    sim = pliant.Simulation(net)
    sim.advance(0.1)
    sim.edit({"world.gravity": [0, -1, 0]})
    sim.advance(0.05)
    sim.save(tmp_path / "edited.bin")
    scene, edits = sim.scene, sim.edits
    sim.run()
    other = pliant.Simulation(net)
    other.load(tmp_path / "edited.bin")
    assert other.edits == edits and other.scene == scene
    other.run()
    assert other.state_hash == sim.state_hash


def test_checkpoints_that_are_no_good(net, tmp_path):
    sim = pliant.Simulation(net)
    sim.advance(0.1)
    good, bad = tmp_path / "good.bin", tmp_path / "bad.bin"
    sim.save(good)
    data = good.read_bytes()
    sim.advance(0.1)
    before, view = sim.state_hash, sim.positions
    cases = [
        (data[: len(data) // 2], "is cut short"),
        (data[:10], "is cut short"),
        (data[:-1] + bytes([data[-1] ^ 1]), "checksum"),
        (data + b"x", "follow its end"),
        (b"", "is cut short"),
        (b"nonsense" * 10, "is not a Pliant checkpoint"),
        (data[:8] + b"\x01" + data[9:], "version"),
    ]
    for content, words in cases:
        bad.write_bytes(content)
        with pytest.raises(pliant.CheckpointError, match=words):
            sim.load(bad)
    with pytest.raises(pliant.CheckpointError, match="cannot read"):
        sim.load(tmp_path / "missing.bin")
    with pytest.raises(pliant.CheckpointError, match="cannot (write|create)"):
        sim.save(tmp_path / "no folder" / "x.bin")
    with pytest.raises(pliant.CheckpointError, match="another scene|scene"):
        pliant.Simulation("spring-net").load(good)
    with pytest.raises(pliant.CheckpointError, match="scene"):
        pliant.Simulation("spring-net").restore(sim.snapshot())
    with pytest.raises(TypeError):
        sim.load(3)
    assert sim.state_hash == before and (sim.positions == view).all()
    sim.load(good)
    assert sim.time == 0.1
