"""Loads every export with readers that are not ours and compares what they find. Usage: check.py PATH_OF_PLIANT"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import traceback
import warnings
import xml.etree.ElementTree as ElementTree

import meshio
import numpy as np
import plyfile
import trimesh
from pxr import Usd, UsdGeom

FPS = 50.0
UNTIL = 0.33  # 16.5 frames: the last one lies between two time codes


class Result:
    """The folder of a run, with what NumPy reads of it."""

    def __init__(self, folder, scene):
        self.folder = folder
        self.scene = scene
        self.times = np.load(folder / "times.npy")
        self.x = np.load(folder / "positions.npy")
        self.summary = json.loads((folder / "stats.json").read_text())


def run(binary, folder, scene):
    out = folder / scene
    command = [binary, "run", scene, "--until", str(UNTIL), "--fps", str(FPS), "--format", "vtu,ply,obj,usd,npy",
               "--quiet", "--output", out]
    subprocess.run(command, check=True)
    return Result(out, scene)


def same(a, b, what):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape, f"{what}: shape {a.shape}, expected {b.shape}"
    assert np.array_equal(a, b), f"{what}: differs by {np.abs(a.astype(float) - b).max()}"


def frames(result, kind):
    files = sorted((result.folder / kind).glob("frame_*"))
    assert len(files) == len(result.times), f"{len(files)} files, {len(result.times)} times"
    return list(enumerate(files))


# ---- NPY -------------------------------------------------------------------------------------------------------------------------


def npy_has_all_frames(result):
    count, particles = 18, result.summary["particles"]
    assert result.x.shape == (count, particles, 3) and result.x.dtype == np.float64, result.x.shape
    assert result.times.shape == (count,)
    expected = np.append(np.arange(count - 1) / FPS, UNTIL)
    assert np.abs(result.times - expected).max() < 1e-15
    mapped = np.load(result.folder / "positions.npy", mmap_mode="r")
    same(mapped, result.x, "memory-mapped")


def npy_agrees_with_probes(result):
    with open(result.folder / "probes.csv") as file:
        rows = list(csv.DictReader(file))
    same([float(row["time"]) for row in rows], result.times, "times")
    for probe, particle in {"spring-net": [("free-corner", 399), ("middle", 210)]}.get(result.scene, []):
        found = [[float(row[f"{probe}.{axis}"]) for axis in "xyz"] for row in rows]
        same(found, result.x[:, particle], probe)


# ---- VTU and PVD -----------------------------------------------------------------------------------------------------------------


def pvd_lists_true_times(result):
    sets = ElementTree.parse(result.folder / "frames.pvd").getroot().findall(".//DataSet")
    same([float(s.get("timestep")) for s in sets], result.times, "times")
    assert all((result.folder / s.get("file")).exists() for s in sets)


def vtu_agrees(result):
    for k, file in frames(result, "frames"):
        mesh = meshio.read(file)
        same(mesh.points, result.x[k], f"frame {k}")
        same(mesh.point_data["id"], np.arange(len(mesh.points)), "id")


# ---- PLY -------------------------------------------------------------------------------------------------------------------------


def ply_agrees_in_plyfile(result):
    for k, file in frames(result, "ply"):
        data = plyfile.PlyData.read(str(file))
        vertex = data["vertex"]
        same(np.stack([vertex[a] for a in "xyz"], axis=1), result.x[k], f"frame {k}")
        vtu = meshio.read(result.folder / "frames" / f"frame_{k:05}.vtu")
        same(np.stack([vertex["v" + a] for a in "xyz"], axis=1), vtu.point_data["velocity"], f"velocity {k}")
        for name in ["id", "body", "pinned"]:
            same(vertex[name], vtu.point_data[name], name)
        times = [float(comment.split()[1]) for comment in data.comments if comment.startswith("time ")]
        same(times, [result.times[k]], "time")
        if result.scene == "spring-net":
            faces = np.stack(data["face"]["vertex_indices"])
            assert faces.shape == (2 * 19 * 19, 3) and faces.min() == 0 and faces.max() == 399
        else:
            edges = np.stack([data["edge"]["vertex1"], data["edge"]["vertex2"]], axis=1)
            same(edges, vtu.cells_dict["line"], "edges")


def ply_agrees_in_trimesh(result):
    for k, file in frames(result, "ply"):
        mesh = trimesh.load(file, process=False)
        same(mesh.vertices, result.x[k], f"frame {k}")
        if result.scene == "spring-net":
            assert len(mesh.faces) == 2 * 19 * 19


def ply_agrees_in_meshio(result):
    if result.scene != "spring-net":
        return  # meshio knows no edges in PLY
    for k, file in frames(result, "ply"):
        mesh = meshio.read(file)
        same(mesh.points, result.x[k], f"frame {k}")
        same(mesh.point_data["id"], np.arange(400), "id")
        assert mesh.cells_dict["triangle"].shape == (722, 3)


# ---- OBJ -------------------------------------------------------------------------------------------------------------------------


def obj_agrees(result):
    for k, file in frames(result, "obj"):
        mesh = meshio.read(file)
        same(mesh.points, result.x[k], f"frame {k} in meshio")
        if result.scene == "spring-net":
            mesh = trimesh.load(file, process=False, maintain_order=True)
            same(mesh.vertices, result.x[k], f"frame {k} in trimesh")
            ply = trimesh.load(result.folder / "ply" / f"frame_{k:05}.ply", process=False)
            same(mesh.faces, ply.faces, "faces")
        else:
            path = trimesh.load(file, process=False)
            same(path.bounds, [result.x[k].min(axis=0), result.x[k].max(axis=0)], "bounds in trimesh")


# ---- USD -------------------------------------------------------------------------------------------------------------------------


def prims(result):
    stage = Usd.Stage.Open(str(result.folder / "animation.usda"))
    assert stage.GetDefaultPrim().GetPath() == "/World"
    return stage, [p for p in stage.Traverse() if p.IsA(UsdGeom.PointBased)]


def usd_has_the_frame_rate(result):
    stage, _ = prims(result)
    assert stage.GetTimeCodesPerSecond() == FPS and stage.GetFramesPerSecond() == FPS
    assert stage.GetStartTimeCode() == 0 and abs(stage.GetEndTimeCode() - 16.5) < 1e-12
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1


def usd_points_agree(result):
    _, found = prims(result)
    shown = set()
    for prim in found:
        geometry = UsdGeom.PointBased(prim)
        ids = np.array(UsdGeom.PrimvarsAPI(prim).GetPrimvar("id").Get())
        shown.update(ids.tolist())
        codes = geometry.GetPointsAttr().GetTimeSamples()
        assert len(codes) == len(result.times), len(codes)
        assert codes[:-1] == list(range(len(codes) - 1)), "whole numbers"
        same(geometry.GetVelocitiesAttr().GetTimeSamples(), codes, "codes of velocities")
        for k, code in enumerate(codes):
            assert abs(code / FPS - result.times[k]) < 1e-12
            points = np.array(geometry.GetPointsAttr().Get(code))
            same(points, result.x[k][ids].astype(np.float32), f"{prim.GetName()} at {code}")
            vtu = meshio.read(result.folder / "frames" / f"frame_{k:05}.vtu")
            velocities = np.array(geometry.GetVelocitiesAttr().Get(code))
            same(velocities, vtu.point_data["velocity"][ids].astype(np.float32), "velocities")
            low, high = np.array(geometry.GetExtentAttr().Get(code))
            assert (low <= points.min(axis=0)).all() and (high >= points.max(axis=0)).all(), "extent"
    assert shown == set(range(result.summary["particles"])), "every particle is shown"


def usd_mesh_is_whole(result):
    _, found = prims(result)
    if result.scene != "spring-net":
        assert [p.GetTypeName() for p in found] == ["BasisCurves"]
        curves = UsdGeom.BasisCurves(found[0])
        assert sum(curves.GetCurveVertexCountsAttr().Get()) == len(curves.GetPointsAttr().Get(0))
        assert curves.GetTypeAttr().Get() == "linear" and curves.GetWidthsAttr().Get()
        return
    mesh = UsdGeom.Mesh(found[0])
    assert found[0].GetTypeName() == "Mesh" and len(found) == 1
    counts, indices = mesh.GetFaceVertexCountsAttr().Get(), mesh.GetFaceVertexIndicesAttr().Get()
    valid, why = UsdGeom.Mesh.ValidateTopology(indices, counts, 400)
    assert valid, why
    assert mesh.GetSubdivisionSchemeAttr().Get() == "none" and mesh.GetNormalsInterpolation() == "vertex"
    codes = mesh.GetNormalsAttr().GetTimeSamples()
    same(codes, mesh.GetPointsAttr().GetTimeSamples(), "codes of normals")
    faces = np.array(indices).reshape(-1, 3)
    for k, code in enumerate(codes):
        normals = np.array(mesh.GetNormalsAttr().Get(code), dtype=float)
        assert np.abs(np.linalg.norm(normals, axis=1) - 1).max() < 1e-6
        corners = result.x[k][faces]
        area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        expected = np.zeros((400, 3))
        for corner in range(3):
            np.add.at(expected, faces[:, corner], area)
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        assert np.abs(normals - expected).max() < 1e-6, "normals"


# ---- convert ---------------------------------------------------------------------------------------------------------------------


def convert_keeps_points(result, binary):
    start = result.folder / "ply" / "frame_00005.ply"
    folder = result.folder / "converted"
    folder.mkdir()
    for source, target in [(start, "a.obj"), (folder / "a.obj", "b.ply"), (folder / "b.ply", "c.obj")]:
        subprocess.run([binary, "convert", "--quiet", source, folder / target], check=True)
    assert (folder / "a.obj").read_bytes() == (folder / "c.obj").read_bytes()
    same(meshio.read(folder / "a.obj").points, result.x[5], "OBJ")
    vertex = plyfile.PlyData.read(str(folder / "b.ply"))["vertex"]
    same(np.stack([vertex[a] for a in "xyz"], axis=1), result.x[5], "PLY")


def convert_reads_stl_of_others(result, binary):
    if result.scene != "spring-net":
        return
    mesh = trimesh.load(result.folder / "ply" / "frame_00005.ply", process=False)
    for kind in ["stl", "stl_ascii"]:
        file = result.folder / f"{kind}.stl"
        mesh.export(file, file_type=kind)
        subprocess.run([binary, "convert", "--quiet", file, file.with_suffix(".ply")], check=True)
        back = trimesh.load(file.with_suffix(".ply"), process=False)
        assert back.vertices.shape == (400, 3) and len(back.faces) == 722
        assert np.abs(back.triangles - mesh.triangles).max() < 1e-6


def main():
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    binary = pathlib.Path(sys.argv[1]).resolve()
    checks = [npy_has_all_frames, npy_agrees_with_probes, pvd_lists_true_times, vtu_agrees, ply_agrees_in_plyfile,
              ply_agrees_in_trimesh, ply_agrees_in_meshio, obj_agrees, usd_has_the_frame_rate, usd_points_agree,
              usd_mesh_is_whole]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for scene in ["spring-net", "spring-chain"]:
            result = run(binary, pathlib.Path(folder), scene)
            with_binary = [convert_keeps_points, convert_reads_stl_of_others]
            for check in checks + with_binary:
                try:
                    check(result, binary) if check in with_binary else check(result)
                    passed += 1
                except Exception:
                    failed += 1
                    print(f"FAILED {scene}: {check.__name__}\n{traceback.format_exc()}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
