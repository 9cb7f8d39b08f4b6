"""The block of `cargo bench -p pliant-benches --bench fracture` in LAMMPS with the PERI package (Debian: apt install lammps), then

    python benches/peers/lammps_block.py [steps]

Glass of 30 x 12 x 30 particles, 0.5 mm apart, horizon three spacings, hit by a ball at 100 m/s; bond-based (PMB), velocity Verlet with equal steps of
0.1 us, one thread. What LAMMPS itself reports as the time of its loop is printed.
"""
import json, os, re, subprocess, sys, tempfile

INPUT = """
units si
boundary s s s
atom_style peri
atom_modify map array
neighbor 0.001 bin
lattice sc 0.0005
region block block 0 0.01495 0 0.00595 0 0.01495 units box
create_box 1 block
create_atoms 1 region block
variable c equal 18.0*14.9e9/(PI*0.0015^4)
pair_style peri/pmb
pair_coeff * * ${c} 0.0015003 0.0005 0.25
set group all density 2200
set group all volume 1.25e-10
velocity all set 0 0 0 sum no units box
fix 1 all nve
variable y equal "0.00805 - 100*step*dt"
fix 2 all indent 1e17 sphere 0.007475 v_y 0.007475 0.002 units box
timestep 1.0e-7
run 1
run ${steps}
"""
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 300
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "in.block"), "w") as file:
        file.write(INPUT)
    command = ["lmp", "-in", "in.block", "-var", "steps", str(steps), "-log", "log", "-screen", "none"]
    subprocess.run(command, env=dict(os.environ, OMP_NUM_THREADS="1"), check=True, cwd=folder)
    with open(os.path.join(folder, "log")) as file:
        log = file.read()
seconds, steps, atoms = re.findall(r"Loop time of ([\d.e+-]+) on 1 procs for (\d+) steps with (\d+) atoms", log)[-1]
print(json.dumps({"version": re.search(r"LAMMPS \(([^)]*)\)", log).group(1), "particles": int(atoms), "steps": int(steps),
                  "us_a_particle_and_step": 1e6 * float(seconds) / int(steps) / int(atoms)}))
