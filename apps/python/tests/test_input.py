"""Bad input: clear words, nothing changed, nothing lost, no crash."""

from __future__ import annotations

import math
import pathlib
import pickle
import subprocess

import numpy as np
import pytest

import pliant


def test_unknown_keys_are_named_with_the_nearest_known_one(net):
    net["springs"][0]["stifness"] = net["springs"][0].pop("stiffness")
    with pytest.raises(pliant.SceneError, match=r'springs\[0\].stifness: unknown key "stifness"; did you mean "stiffness"') as error:
        pliant.Simulation(net)
    (problem,) = error.value.problems
    assert (problem.file, problem.line, problem.path) == ("scene", None, "springs[0].stifness")
    assert isinstance(error.value, (pliant.InputError, ValueError))


@pytest.mark.parametrize(
    "path, value, words",
    [
        ("stiffness", {1, 2}, "a set is no value of a scene"),
        ("stiffness", None, "leave the key out"),
        ("stiffness", 1 << 70, "does not fit into 64 bits"),
        ("stiffness", [1, 2], "stiffness"),
        ("stiffness", "5 kg", "mass"),
        ("stiffness", math.nan, "finite|number"),
        ("stiffness", -1, "stiffness"),
        ("grid", "big", "grid"),
        ("pins", 7, "pins"),
        ("name", 3, "name"),
        ("stiffness", object(), "an object is no value"),
        ("stiffness", np.array([[1.0]]), "stiffness"),
        ("stiffness", b"5", "bytes"),
    ],
)
def test_values_of_a_wrong_type(net, path, value, words):
    net["springs"][0][path] = value
    with pytest.raises(pliant.SceneError, match=words) as error:
        pliant.Simulation(net)
    assert error.value.problems


def test_dicts_that_are_no_scenes(net):
    net[3] = 4
    with pytest.raises(pliant.SceneError, match="keys are strings, got 3"):
        pliant.Simulation(net)
    endless: dict = {}
    endless["version"] = endless
    with pytest.raises(pliant.SceneError, match="nested"):
        pliant.Simulation(endless)
    with pytest.raises(pliant.SceneError, match="version"):
        pliant.Simulation({})
    for nonsense in (3, None, 2.5, ["spring-net"], b"spring-net"):
        with pytest.raises(pliant.InputError, match="a scene is"):
            pliant.Simulation(nonsense)


def test_numpy_values_and_paths_are_fine_in_dicts(net):
    net["springs"][0]["stiffness"] = np.float32(150)
    net["springs"][0]["grid"]["columns"] = np.int64(4)
    net["world"] = {"gravity": np.array([0.0, -1.0, 0.0])}
    sim = pliant.Simulation(net)
    assert len(sim) == 20 and "stiffness = 150.0" in sim.scene


def test_the_words_are_those_of_the_command_line(binary, tmp_path):
    scene = tmp_path / "wrong.toml"
    scene.write_text("version = 1\n[time]\nuntil = -1\n[[springs]]\nname = 'a'\nstifness = 3\n")
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b"version = 1\ntitle = '\xe9'\n")
    for given in (scene, latin, tmp_path, tmp_path / "missing.toml", "hanging-clot"):
        said = subprocess.run([binary, "check", str(given)], capture_output=True, text=True)
        assert said.returncode == 2
        with pytest.raises(pliant.SceneError) as error:
            pliant.Simulation(given)
        assert f"pliant: {error.value}" == said.stderr.strip().replace("`pliant scenes`", "`pliant.scenes()`")
    with pytest.raises(pliant.SceneError) as error:
        pliant.Simulation(scene)
    assert error.value.problems[0].line == 6 and error.value.problems[0].file == str(scene)


def test_the_words_are_those_of_python(net):
    def said(**springs):
        wrong = {**net, "springs": [{**net["springs"][0], **springs}]}
        with pytest.raises(pliant.SceneError) as error:
            pliant.Simulation(wrong)
        return str(error.value)

    grid = net["springs"][0]["grid"]
    columns = "scene: springs[0].grid.columns: needs an int, 0 or more"
    assert said(grid={**grid, "columns": 30 / 2}) == f"{columns}: write 15 instead of 15.0"
    assert said(grid={**grid, "columns": 1.5}) == f"{columns}, but this is the float 1.5"
    assert said(grid=3) == "scene: springs[0].grid: needs a dict, but this is the int 3"
    assert said(pins=7) == "scene: springs[0].pins: needs a list, but this is the int 7"
    one = "needs a list of dicts, but this is a dict: write [{...}]"
    assert said(pins={"side": "top"}) == f"scene: springs[0].pins: {one}"
    with pytest.raises(pliant.SceneError) as error:
        pliant.Simulation(net, set={"springs[0].pins": {"side": "top"}})
    assert str(error.value) == f"set: springs[0].pins: {one}"
    with pytest.raises(pliant.SceneError) as error:
        pliant.Simulation("spring-net", set={"springs.ent.stiffness": 3})
    assert str(error.value) == 'set: springs.ent.stiffness: nothing in springs is called "ent"; did you mean "net"?'
    with pytest.raises(pliant.SceneError) as error:
        pliant.Simulation({key: net[key] for key in net if key != "version"})
    assert str(error.value) == 'scene: the key "version" is missing: add "version": 1'
    with pytest.raises(pliant.SceneError) as error:
        pliant.Simulation({"version": 1, "time": {"until": 1}})
    assert str(error.value) == 'scene: the scene is empty: add a body, for example "cloth"'
    with pytest.raises(pliant.SceneError, match=r"; `pliant.scenes\(\)` lists the built-in ones$"):
        pliant.Simulation("no-such-scene-at-all")


def test_an_error_as_large_as_the_scene_is_warned_of(net, tmp_path):
    short = {"time.until": 0.05}
    large = r"asked for, 5 m, is more than a tenth of the whole scene, which is 1.414 m large: .* write \"5 mm\" for millimetres$"
    with pytest.warns(UserWarning, match=large) as warned:
        pliant.run(net, tmp_path / "out", set=short, error=5)
    assert len(warned) == 1
    net["time"]["control"]["tolerance"] = 1
    (warning,) = pliant.Simulation(net).warnings
    assert warning.startswith("time.control.tolerance, 1 m, is more than a tenth of the whole scene"), warning


def test_changes_that_are_wrong(net):
    for changes, words in [
        ({"time.untill": 2}, "^set: time.untill: unknown"),
        ({"time.integrator": "rk4", "time.control.law": "paper"}, "^set: time.control.law: "),
        (["time.until"], '^set: expected path=value, .* got "time.until"'),
        ("springs[3].stiffness=2", "no \\[3\\]"),
        (5, "changes are"),
        ([5], "changes are"),
        ({3: 4}, "keys are strings"),
        ({"time.until": object()}, "no value"),
    ]:
        with pytest.raises(pliant.InputError, match=words):
            pliant.Simulation(net, set=changes)
    assert pliant.Simulation(net, set=["time.until=2", "time.fps=30"]).until == 2
    with pytest.raises(pliant.InputError, match="folder"):
        pliant.Simulation("spring-net", folder="/")
    with pytest.raises(pliant.InputError, match="UTF-8"):
        pliant.Simulation("\udcff.toml")


@pytest.mark.parametrize("name", ["set_positions", "set_velocities"])
@pytest.mark.parametrize(
    "array, words",
    [
        (np.zeros((29, 3)), r"\(30, 3\)"),
        (np.zeros((30, 2)), r"\(30, 3\)"),
        (np.zeros(90), r"\(30, 3\)"),
        (np.zeros((1, 30, 3)), r"\(30, 3\)"),
        (3.0, r"\(30, 3\)"),
        (np.full((30, 3), np.nan), "row 0"),
        (np.where(np.arange(90).reshape(30, 3) == 88, np.inf, 0), "row 29"),
        (np.zeros((30, 3), dtype=complex), "complex128"),
        (np.zeros((30, 3), dtype="U3"), "<U3"),
        ([[1, 2], [3]], "positions|velocities"),
        ("nonsense", "<U8"),
        (None, "object"),
        ([object()] * 3, "object"),
    ],
)
def test_arrays_that_are_wrong(net, name, array, words):
    sim = pliant.Simulation(net)
    sim.advance(0.1)
    before = sim.state_hash
    with pytest.raises(pliant.InputError, match=words):
        getattr(sim, name)(array)
    assert sim.state_hash == before
    sim.advance(0.1)


def test_particles_that_are_not_there(net):
    sim = pliant.Simulation(net)
    before = sim.state_hash
    for chosen, words in [("nett", "there are: net"), (30, "30"), ([0, 99], "99"), (1.5, "particles"), ({}, "particles")]:
        with pytest.raises(pliant.InputError, match=words):
            sim.set_velocities([0, 0, 1], chosen)
    assert sim.state_hash == before


def test_times_that_are_wrong(net):
    sim = pliant.Simulation(net)
    for wrong in (-1, math.nan, math.inf, "3 m", "soon", None, [1]):
        with pytest.raises(pliant.InputError):
            sim.advance(wrong)
        if wrong is not None:
            with pytest.raises(pliant.InputError):
                sim.run(wrong)
    with pytest.raises(pliant.InputError, match="callable"):
        sim.run(1, callback=3)
    assert sim.time == 0


def exploding(net):
    """Explicit Euler far beyond any stable step."""
    net["time"].update(integrator="explicit-euler", until=1e6, control={"kind": "fixed", "dt": 1.0})
    net["springs"][0]["stiffness"] = 1e9
    net["time"]["fps"] = 1
    return pliant.Simulation(net)


def test_stepping_a_failed_simulation(net):
    sim = exploding(net)
    with pytest.raises(pliant.StepError, match="the run cannot go on from t = ") as first:
        for _ in range(10000):
            sim.step()
    at, kept = sim.time, sim.positions.copy()
    assert first.value.time == at and first.value.steps == sim.stats["steps"] and first.value.why
    for go_on in (sim.step, lambda: sim.advance(1), lambda: sim.run(at + 5)):
        with pytest.raises(pliant.StepError) as again:
            go_on()
        assert str(again.value) == str(first.value)
    assert sim.time == at and (sim.positions == kept).all() and np.isfinite(kept).all(), "the last good state is kept"
    sim.reset()
    sim.step()
    assert sim.time > 0


def test_a_failed_simulation_gets_another_chance(net):
    sim = exploding(net)
    with pytest.raises(pliant.StepError):
        sim.run(1e5)
    start = pliant.Simulation(net).positions
    sim.set_state(start, np.zeros((30, 3)))
    at = sim.time
    sim.step()
    assert sim.time > at


def test_errors_survive_pickling(net):
    for error in (
        pliant.SceneError("words", [("scene", 3, "a.b", "wrong")]),
        pliant.StepError("words", 0.5, 7, "why"),
        pliant.CheckpointError("words"),
        pliant.InputError("words"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == "words" and vars(again) == vars(error)
        assert isinstance(again, pliant.PliantError)


def test_mesh_files_of_a_dict_lie_in_its_folder(tmp_path: pathlib.Path):
    (tmp_path / "tent.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 3 2\nf 2 3 4\n")
    scene = {"version": 1, "time": {"until": 1}, "cloth": [{"name": "tent", "mesh": {"file": "tent.obj"}, "preset": "cotton"}]}
    assert len(pliant.Simulation(scene, folder=tmp_path)) == 4
    with pytest.raises(pliant.SceneError, match="tent.obj"):
        pliant.Simulation(scene)
