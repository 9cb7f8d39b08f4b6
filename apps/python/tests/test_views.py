"""Views are snapshots: no copy to take them, no change once taken, valid forever."""

from __future__ import annotations

import gc
import multiprocessing
import sys
import threading
import weakref

import numpy as np
import pytest

import pliant


def pointer(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_nothing_is_copied(net):
    sim = pliant.Simulation(net)
    first, second = sim.positions, sim.positions
    assert pointer(first) == pointer(second), "both show the engine's own memory"
    assert not first.flags.owndata and first.flags.c_contiguous and first.dtype == np.float64
    assert first.shape == (30, 3) == sim.velocities.shape


def test_views_cannot_be_written(net):
    sim = pliant.Simulation(net)
    for view in (sim.positions, sim.velocities, sim.positions[3:5], sim.positions.T):
        with pytest.raises(ValueError):
            view[0] = 1
        with pytest.raises(ValueError):
            view.setflags(write=True)


@pytest.mark.parametrize(
    "change",
    [
        lambda sim: sim.step(),
        lambda sim: sim.advance(0.05),
        lambda sim: sim.set_positions(sim.positions + 1),
        lambda sim: sim.set_velocities([1, 2, 3]),
        lambda sim: sim.edit({"world.gravity": [0, 1, 0]}),
        lambda sim: sim.restore(sim.snapshot()),
        lambda sim: sim.reset(),
    ],
)
def test_a_view_never_changes(net, change):
    sim = pliant.Simulation(net)
    sim.advance(0.1)
    x, v = sim.positions, sim.velocities
    derived, copies = x[2:4, 1], (x.copy(), v.copy())
    change(sim)
    sim.run(0.5)
    assert (x == copies[0]).all() and (v == copies[1]).all() and (derived == copies[0][2:4, 1]).all()
    assert not (sim.positions == x).all()


def test_views_outlive_the_simulation(net):
    sim = pliant.Simulation(net)
    sim.advance(0.1)
    x, v, part = sim.positions, sim.velocities, sim.positions[7]
    expected = x.copy(), v.copy(), part.copy()
    gone = weakref.ref(sim)
    del sim
    gc.collect()
    assert gone() is None, "a view does not keep the simulation alive"
    others = [np.full((30, 3), k, dtype=float) for k in range(200)]  # would be put where freed memory was
    assert (x == expected[0]).all() and (v == expected[1]).all() and (part == expected[2]).all()
    del x, v, part, others


def test_many_views_of_many_steps(net):
    sim, kept = pliant.Simulation(net), []
    for _ in range(100):
        sim.step()
        kept.append((sim.positions, sim.positions.copy(), sim.velocities, sim.velocities.copy()))
    del sim
    for x, x_copy, v, v_copy in kept:
        assert (x == x_copy).all() and (v == v_copy).all()
    assert len({pointer(x) for x, *_ in kept}) == 100


def test_views_that_are_dropped_cost_nothing(net):
    sim = pliant.Simulation(net)
    places = set()
    for _ in range(50):
        sim.step()
        places.add(pointer(sim.positions))
    assert len(places) == 2, "the engine goes on with its own two arrays"


def test_memory_of_views_is_given_back():
    cloth = {"columns": 300, "rows": 300, "width": 1, "height": 1}
    scene = {
        "version": 1,
        "time": {"until": 1, "integrator": "symplectic-euler", "control": {"kind": "fixed", "dt": 1e-4}},
        "springs": [{"name": "net", "grid": cloth, "total_mass": 1, "stiffness": 1}],
    }
    sim = pliant.Simulation(scene)

    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    for k in range(60):
        view = sim.positions
        sim.step()
        if k == 20:
            before = resident()
    assert view.shape == (90000, 3)
    assert resident() - before < 30 * view.nbytes / 2, "40 arrays were parted with since"


def test_other_threads_never_see_half_a_step(net):
    # every particle of a free fall has the same velocity at any one time
    net["springs"][0].pop("pins")
    net["time"].update(integrator="symplectic-euler", until=10, control={"kind": "fixed", "dt": 1e-5})
    sim = pliant.Simulation(net)
    stop, seen, wrong = threading.Event(), [0, 0], []

    def looks(which: int) -> None:
        while not stop.is_set():
            v = sim.velocities
            first = v.copy()
            if np.ptp(v[:, 1]) > 1e-9 * abs(v[0, 1]) or not (v == first).all():
                wrong.append(v)
            seen[which] += 1

    threads = [threading.Thread(target=looks, args=(k,)) for k in range(2)]
    [thread.start() for thread in threads]
    sim.run(0.5)
    stop.set()
    [thread.join() for thread in threads]
    assert not wrong and min(seen) > 3
    assert sim.time == 0.5


def test_two_threads_may_step_one_simulation(net):
    sim, alone = pliant.Simulation(net), pliant.Simulation(net)
    threads = [threading.Thread(target=lambda: [sim.step() for _ in range(40)]) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    [alone.step() for _ in range(80)]
    assert sim.stats["steps"] == 80 and sim.state_hash == alone.state_hash


def test_the_gil_is_released_while_stepping():
    sim = pliant.Simulation("cloth-on-sphere")
    done, count = threading.Event(), 0
    thread = threading.Thread(target=lambda: (sim.run(0.1), done.set()))
    thread.start()
    while not done.wait(0.001):
        count += 1
    thread.join()
    assert count > 10, "this thread ran while the other stepped"


def stepped(hash_of: str) -> str:
    sim = pliant.Simulation(hash_of, set={"time.until": 0.05})
    sim.run()
    return sim.state_hash


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_forked_processes_have_threads_of_their_own():
    expected = stepped("hanging-cloth")  # wakes the threads of this process, which no child has
    stepped("still-water")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(stepped, ["hanging-cloth"] * 4).get(timeout=120) == [expected] * 4
