"""The fluid of `cargo bench -p pliant-benches --bench fluid` in SPlisHSPlasH: pip install pysplishsplash numpy, then

    OMP_NUM_THREADS=1 python benches/peers/splishsplash_block.py 17|37 [steps]

A cube of water with edges of 0.85 m, so many particles along each, falls in a box of 2 x 2 x 1 m: weakly compressible (WCSPH), boundary particles, equal
steps of 1 ms. The first step, which samples the walls, is not timed. (If the import crashes: its wheel brings a libGLdispatch of its own; replace that
file in `pysplishsplash.libs` by a link to the system's.)
"""
import json, os, sys, tempfile, time
from importlib.metadata import version
import pysplishsplash as sph

edge, steps = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100
spacing, dt = 0.85 / edge, 1e-3
scene = {
    "Configuration": {"particleRadius": spacing / 2, "simulationMethod": 0, "gravitation": [0, -9.81, 0], "timeStepSize": dt, "cflMethod": 0,
                      "boundaryHandlingMethod": 0, "enableZSort": True, "stepsPerZSort": 500, "WCSPH": {"stiffness": 50000, "exponent": 7}},
    "Materials": [{"id": "Fluid", "density0": 1000, "viscosityMethod": 1, "Standard viscosity": {"viscosity": 0.01}}],
    "RigidBodies": [{"geometryFile": os.path.join(sys.prefix, "bin/data/models/UnitBox.obj"), "translation": [1, 1, 0.5], "scale": [2, 2, 1],
                     "rotationAxis": [1, 0, 0], "rotationAngle": 0, "isDynamic": False, "isWall": True}],
    "FluidBlocks": [{"denseMode": 0, "start": [0, 0, 0], "end": [(edge + 1.01) * spacing] * 3, "translation": [spacing] * 3, "scale": [1, 1, 1]}],
}
folder = tempfile.mkdtemp()
path = os.path.join(folder, "scene.json")
with open(path, "w") as file:
    json.dump(scene, file)
base = sph.Exec.SimulatorBase()
base.init(sceneFile=path, useGui=False, outputDir=folder, initialPause=False, useCache=False, stateFile="")
base.initSimulation()
particles = sph.Simulation.getCurrent().getFluidModel(0).numActiveParticles()
ends = []
base.setTimeStepCB(lambda: ends.append(time.perf_counter()))
base.setValueFloat(base.STOP_AT, (steps + 1) * dt)
base.runSimulation()
print(json.dumps({"version": version("pysplishsplash"), "particles": particles, "steps": len(ends) - 1, "threads": os.environ.get("OMP_NUM_THREADS", "all"),
                  "ms_a_step": 1e3 * (ends[-1] - ends[0]) / (len(ends) - 1)}), flush=True)
os._exit(0)  # its own end crashes without a window
