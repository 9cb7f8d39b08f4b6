"""Built-in scenes end in the same state on 1, 2, 3, 4 and 8 threads."""

from common import BINARY, LONG, Folder, command, must, run, suite, summary

COUNTS = [1, 2, 3, 4, 8]
# springs, cloth with contact, a knot, a solid, water, fracture
FEW = ["spring-net", "stacked-cloths", "rope-overhand-knot", "twisting-bar", "dam-break", "brittle-plate-impact"]

# the steps of brittle bodies are those of sound
BRITTLE = ["brittle-plate-impact", "kalthoff-winkler", "precracked-plate", "glass-bunny-like-drop", "wine-glass"]


def body():
    listed = run([BINARY, "scenes"])
    names = [line.split()[0] for line in listed.stdout.decode().splitlines()]
    must(len(names) > 30 and set(FEW) <= set(names), f"{len(names)} built-in scenes")
    steps = compared = 0
    for name in names if LONG else FEW:
        seconds = (3e-6 if name in BRITTLE else 0.02) * (1 if LONG else 0.2)
        length = ["--fps", 2 / seconds, "--until", seconds]
        hashes = set()
        for count in COUNTS:
            with Folder() as folder:
                result = summary(run(command(name, folder / "out", "--format", "none", "--threads", count, *length)))
            hashes.add(result["state_hash"])
            steps += result["steps"]
        must(len(hashes) == 1, f"{name}: {len(hashes)} different states on {COUNTS} threads")
        compared += 1
    must(steps > 0, "no step was taken")
    return f"{compared} scenes on {len(COUNTS)} numbers of threads, {steps} steps, {compared * len(COUNTS)} equal hashes"


suite("threads", body)
