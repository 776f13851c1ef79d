"""Plays random input to dlview without a window and looks for errors, hangs and growing memory.

usage: soak.py DLVIEW [PROFILE...] [--minutes N] [--seed S] [--first] [--folder FOLDER]

Without profiles it generates three kinds: a DLProf database, an Nsight Systems export of 2026 and
one of 2021. The minutes are divided among the profiles. Each is played by `dlview drive --random`,
which drops the others, too. Profiles, logs and what dlview printed are in FOLDER, by default a
temporary one that is removed unless a run fails. Exits with 1 when one does.
"""

import argparse
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

GENERATED = {
    "dlprof": ["--iterations", 12, "--kernels", 3000],
    "nsys-2026": ["--format", "nsys", "--iterations", 12, "--kernels", 3000, "--gpus", 2],
    "nsys-2021": ["--format", "nsys", "--schema", 2021, "--iterations", 8, "--kernels", 2000],
}
# dlview looks at the time between rounds of lines.
LONGEST_OVERRUN_S = 300
SANITIZERS = {"ASAN_OPTIONS": "intercept_tls_get_addr=0:malloc_context_size=15",
              "UBSAN_OPTIONS": "print_stacktrace=1"}
# fontconfig keeps its default languages, 256 bytes, until the end.
SUPPRESSIONS = "leak:libfontconfig\n"


def generate(dlview, folder):
    profiles = []
    for name, options in GENERATED.items():
        profiles.append(folder / f"{name}.sqlite")
        subprocess.run([dlview, "generate", profiles[-1], *map(str, options)], check=True,
                       stdout=subprocess.DEVNULL)
    return profiles


def environment(folder):
    suppressions = folder / "suppressions.txt"
    suppressions.write_text(SUPPRESSIONS)
    return {**os.environ, **SANITIZERS, "TMPDIR": str(folder),
            "LSAN_OPTIONS": f"suppressions={suppressions}:print_suppressions=0"}


def play(dlview, profiles, seed, seconds, folder):
    """Returns the fault, or None."""
    name = f"{profiles[0].stem}-{seed}"
    log, said = folder / f"{name}.log", folder / f"{name}.out"
    driven = [dlview, "drive", *map(str, profiles)]
    with open(said, "wb") as output:
        process = subprocess.Popen([*driven, "--random", str(seed), "--seconds", str(seconds), "--log", str(log)],
                                   env=environment(folder), stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            code = process.wait(seconds + LONGEST_OVERRUN_S)
            fault = f"ended with {code}" if code != 0 else None
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            fault = f"still ran after {seconds + LONGEST_OVERRUN_S:.0f} s"
    text = said.read_text(errors="replace")
    if fault is None:
        print("\n".join(line for line in text.splitlines() if not line.startswith("Seed ")), flush=True)
        return None
    print(text[-6000:], flush=True)
    again = shlex.join([*driven, "--sandbox", "--keep-going", "--script", str(log)])
    return f"{profiles[0].name}, seed {seed}: {fault}. Log: {log}\nReplay with: {again}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dlview", type=pathlib.Path)
    parser.add_argument("profiles", nargs="*", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--first", action="store_true", help="begin with one profile, chosen by the seed")
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="dlview-soak-"))
    folder.mkdir(parents=True, exist_ok=True)
    dlview = str(options.dlview.resolve())
    profiles = [profile.resolve() for profile in options.profiles] or generate(dlview, folder)
    chosen = [profiles[options.seed % len(profiles)]] if options.first else profiles
    seconds = options.minutes * 60 / len(chosen)
    print(f"Seed {options.seed}, {len(chosen)} profiles, {seconds:.0f} s each", flush=True)
    faults = []
    for number, first in enumerate(chosen):
        began = time.monotonic()
        print(f"\n{first.name}, seed {options.seed + number}", flush=True)
        others = [profile for profile in profiles if profile != first][:2]
        fault = play(dlview, [first, *others], options.seed + number, seconds, folder)
        if fault:
            faults.append(f"After {time.monotonic() - began:.0f} s: {fault}")
    print("\n" + ("\n".join(faults) or "No findings"))
    if not faults and not options.folder:
        shutil.rmtree(folder)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
