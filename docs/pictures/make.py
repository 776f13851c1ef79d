#!/usr/bin/env python3
"""The screenshots of the documents.

usage: make.py take DLVIEW           takes all screenshots with the binary DLVIEW
       make.py note                  prints a note if they may be older than the program
       make.py check DLVIEW          fails if the program looks different now

`take` draws generated profiles only and writes stamp.txt: a hash of the files that decide on the
look. `note` compares the hash. `check` also takes the screenshots again into a temporary folder if
the hash differs, and compares the pixels, because most changes of the sources do not change the look.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # .ci holds sources only

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
STAMP = os.path.join(HERE, "stamp.txt")
LOOK = ["src/ui", "src/timeline", "src/render", "src/generate", "shaders", "assets/dlview.svg",
        "docs/pictures/make.py"]

# The name of each profile, which is on its screenshots, and how it is generated.
PROFILES = {
    "resnet50.sqlite": ["--format", "nsys", "--seed", "7"],
    "layers.json.gz": ["--format", "pytorch", "--limits", "h100"],
    "before.sqlite": ["--iterations", "100", "--kernels", "50000", "--gpus", "2", "--noise",
                      "between=0.7%,within=1.3%", "--seed", "1"],
    "after.sqlite": ["--iterations", "100", "--kernels", "50000", "--gpus", "2", "--noise",
                     "between=0.7%,within=1.3%", "--seed", "2", "--change",
                     "slower-op=batch_norm:1.3", "--change", "exposed-communication"],
    "ranks": ["--ranks", "8", "--ranks-per-host", "4", "--iterations", "120", "--kernels", "24000",
              "--skew", "straggler=5:+6%,noise=1.5%,offset=3ms,rotating=+2%"],
}
# Name, profile, size, and what is shown: options of `dlview screenshot`, which runs in the folder
# of the profiles.
PICTURES = [
    ("dashboard.png", "resnet50.sqlite", "1280x800", ["--view", "dashboard"]),
    ("iterations.png", "resnet50.sqlite", "1280x640", ["--view", "iterations"]),
    ("ops.png", "resnet50.sqlite", "1280x640", ["--view", "ops"]),
    ("timeline.png", "resnet50.sqlite", "1280x640", ["--iteration", "40"]),
    ("side_by_side.png", "resnet50.sqlite", "1280x800", ["--iteration", "158", "--beside", "157"]),
    ("limits.png", "layers.json.gz", "1280x800", ["--view", "limits"]),
    ("compare.png", "before.sqlite", "1280x800", ["--with", "after.sqlite"]),
    ("ranks.png", "ranks", "1280x1000", ["--state", "view=ranks,row.ranks_table=timeline"]),
]

MOST_DIFFERENT = 0.005  # of the pixels
LEAST_VISIBLE = 16      # of 255, in a channel


def look_hash():
    sums = hashlib.sha256()
    for path in LOOK:
        full = os.path.join(ROOT, path)
        files = [full]
        if os.path.isdir(full):
            files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(full)
                           for name in names)
        for file in files:
            sums.update(os.path.relpath(file, ROOT).encode())
            with open(file, "rb") as content:
                sums.update(content.read())
    return sums.hexdigest()


def is_current():
    try:
        with open(STAMP) as stamp:
            return stamp.read().strip() == look_hash()
    except FileNotFoundError:
        return False


def take(dlview, folder):
    with tempfile.TemporaryDirectory() as work:
        environment = dict(os.environ, XDG_CONFIG_HOME=work, XDG_STATE_HOME=work,
                           XDG_CACHE_HOME=work)
        environment.pop("DISPLAY", None)
        environment.pop("WAYLAND_DISPLAY", None)
        for profile, options in PROFILES.items():
            subprocess.run([dlview, "generate", os.path.join(work, profile), *options], check=True,
                           env=environment, stdout=subprocess.DEVNULL)
        for name, profile, size, options in PICTURES:
            subprocess.run([dlview, "screenshot", os.path.join(work, profile), "-o",
                            os.path.join(folder, name), "--size", size, *options], check=True,
                           cwd=work, env=environment, stdout=subprocess.DEVNULL)


def read_png(path):
    spec = importlib.util.spec_from_file_location("pictures",
                                                  os.path.join(ROOT, ".ci", "pictures.py"))
    pictures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pictures)
    return [(bytes(line), pixel) for line, pixel in pictures.rows_of(path)]


def different_share(one, other):
    """The share of pixels that differ visibly; 1 if the sizes differ."""
    if open(one, "rb").read() == open(other, "rb").read():
        return 0.0
    rows, others = read_png(one), read_png(other)
    if len(rows) != len(others) or len(rows[0][0]) != len(others[0][0]):
        return 1.0
    pixels = different = 0
    for (line, pixel), (against, _) in zip(rows, others):
        pixels += len(line) // pixel
        if line == against:
            continue
        for i in range(0, len(line), pixel):
            if max(abs(a - b) for a, b in zip(line[i:i + 3], against[i:i + 3])) > LEAST_VISIBLE:
                different += 1
    return different / pixels


def check(dlview):
    if is_current():
        return
    with tempfile.TemporaryDirectory() as now:
        take(dlview, now)
        for name, _, _, _ in PICTURES:
            share = different_share(os.path.join(HERE, name), os.path.join(now, name))
            if share > MOST_DIFFERENT:
                sys.exit(f"docs/pictures/{name} is older than the program: {share:.1%} of its "
                         "pixels differ. Run ./dev pictures, and look at them.")


def main():
    command = sys.argv[1:]
    if len(command) == 2 and command[0] == "take":
        take(os.path.abspath(command[1]), HERE)
        with open(STAMP, "w") as stamp:
            stamp.write(look_hash() + "\n")
    elif command == ["note"]:
        if not is_current():
            print("Note: the screenshots in docs/pictures may be older than the program. "
                  "./dev pictures takes them again.")
    elif len(command) == 2 and command[0] == "check":
        check(os.path.abspath(command[1]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
