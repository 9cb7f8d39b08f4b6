"""The bar of `cargo bench -p pliant-benches --bench solid` in MuJoCo: pip install mujoco numpy, then

    python benches/peers/mujoco_bar.py 340|4320|34320 [error in mm] [most seconds a run]

Steps are halved until the mean height of the free end after 1 s is within that error of its limit, which is extrapolated from the last two
runs (the scheme is of first order); one line a run. A run that would take longer than that (a minute) is timed over a part of the second, and
is the last.
"""
import json, sys, time
import numpy as np
import mujoco

CELLS = {340: (17, 2, 2), 4320: (24, 6, 6), 34320: (44, 12, 13)}
LIMIT = float(sys.argv[3]) if len(sys.argv) > 3 else 60.0


def bar(nx, ny, nz):
    """Five tetrahedra a cube, mirrored from cube to cube."""
    h = 1.0 / nx
    points = np.array([[i, j, k] for i in range(nx + 1) for j in range(ny + 1) for k in range(nz + 1)]) * h
    at = lambda i, j, k: (i * (ny + 1) + j) * (nz + 1) + k
    even = [(0, 4, 2, 1), (6, 4, 7, 2), (5, 7, 4, 1), (3, 2, 7, 1), (1, 4, 2, 7)]
    odd = [(4, 0, 5, 6), (2, 3, 0, 6), (1, 0, 3, 5), (7, 6, 5, 3), (0, 3, 5, 6)]
    tets = []
    for i in range(nx):
        for j in range(ny):
            for k in range(nz):
                corner = [at(i + a, j + b, k + c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
                for tet in odd if (i + j + k) % 2 else even:
                    t = [corner[c] for c in tet]
                    a, b, c, d = points[t]
                    if np.dot(np.cross(b - a, c - a), d - a) < 0:
                        t[2], t[3] = t[3], t[2]
                    tets.append(t)
    return points, np.array(tets)


def run(points, tets, dt, seconds=1.0):
    volume = sum(abs(np.linalg.det(points[t[1:]] - points[t[0]])) for t in tets) / 6
    text = " ".join
    xml = f"""<mujoco><option timestep="{dt}" gravity="0 -9.81 0" solver="CG" integrator="discrete"><flag contact="disable"/></option>
    <size memory="4G"/><worldbody><flexcomp name="bar" type="direct" dim="3" mass="{1000 * volume}" radius="0.001"
    point="{text('%.9g' % x for x in points.ravel())}" element="{text(map(str, tets.ravel()))}">
    <elasticity young="1e6" poisson="0.3" damping="0.01"/><contact selfcollide="none"/>
    <pin id="{text(str(i) for i, p in enumerate(points) if p[0] < 1e-9)}"/></flexcomp></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    steps, begun, done = round(seconds / dt), time.perf_counter(), 0
    while done < steps and time.perf_counter() - begun < LIMIT:
        mujoco.mj_step(model, data)
        done += 1
    wall = time.perf_counter() - begun
    tip = points[:, 0] > 0.999
    moved = data.flexvert_xpos.reshape(-1, 3)[tip, 1] - points[tip, 1]
    return {"dt": dt, "ms_a_step": 1e3 * wall / done, "ms_per_simulated_s": 1e3 * wall / (done * dt),
            "whole": done == steps, "stable": all(w.number == 0 for w in data.warning), "tip": float(moved.mean())}


if __name__ == "__main__":
    count, goal = int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    points, tets = bar(*CELLS[count])
    assert len(tets) == count
    dt, last = 1 / 300, None
    while True:
        now = run(points, tets, dt)
        if last is not None and last["stable"] and now["stable"]:
            # first order: what is left after halving is the last difference
            now["error_mm"] = 1e3 * abs(now["tip"] - last["tip"])
        print(json.dumps({"tets": count, "version": mujoco.__version__, **now}), flush=True)
        if not now["whole"] or now.get("error_mm", 1e9) < goal:
            break
        dt, last = dt / 2, now
