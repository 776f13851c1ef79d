"""Opens damaged copies of generated profiles and holds dlview to its promises about bad input.

usage: mutate.py DLVIEW [--count N] [--seed S] [--slow FACTOR] [--keep FOLDER]

Of each kind (DLProf database, Nsight Systems export, Nsight Compute CSV beside an export) N copies
are damaged, in their bytes, pages or values, and opened by one command. dlview must end with exit code 0, 1 or 2, in less than 5 s
times FACTOR, and leave the file as it is. Failing files are kept in FOLDER with their command. Exits
with 1 when there is one.
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

PAGE = 4096
LIMIT_S = 5


def run(dlview, arguments, cache, limit_s):
    """Returns exit code (None: too slow), seconds and what was said."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "TMPDIR": str(cache)}
    began = time.monotonic()
    try:
        done = subprocess.run([dlview, *map(str, arguments)], env=environment, timeout=limit_s,
                              stdin=subprocess.DEVNULL, capture_output=True)
    except subprocess.TimeoutExpired as late:
        return None, limit_s, (late.stderr or b"")
    return done.returncode, time.monotonic() - began, done.stderr


def damage_bytes(data, dice):
    for _ in range(dice.choice((1, 3, 20))):
        data[dice.randrange(len(data))] = dice.randrange(256)


def damage_header(data, dice):
    data[dice.randrange(min(len(data), PAGE))] = dice.randrange(256)


def damage_pages(data, dice):
    pages = len(data) // PAGE
    one, other = dice.randrange(pages) * PAGE, dice.randrange(pages) * PAGE
    first, second = data[one:one + PAGE], data[other:other + PAGE]
    data[one:one + PAGE] = second
    if dice.random() < 0.5:
        data[other:other + PAGE] = first


def damage_page_heads(data, dice):
    for _ in range(3):
        at = dice.randrange(len(data) // PAGE) * PAGE + dice.randrange(16)
        data[at] = dice.randrange(256)


def damage_length(data, dice):
    del data[dice.randrange(len(data)):]


VALUES = (None, 0, -1, 2**31, 2**63 - 1, -2**63, 1.5, float("inf"), "", "x" * 70_000, b"\xff\xfe\x00",
          "aten::mm, seq = 9, op_id = 99999999999999999999", "[[" * 500, "\x1b]0;x\x07", "{'a': [" * 40)


def damage_values(path, dice):
    database = sqlite3.connect(path)
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for _ in range(dice.choice((1, 1, 5))):
        table = dice.choice(tables)
        columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
        where = dice.choice(("", " WHERE rowid % 7 = 1", " WHERE rowid = 1"))
        try:
            database.execute(f'UPDATE "{table}" SET "{dice.choice(columns)}" = ?{where}',
                             (dice.choice(VALUES),))
        except sqlite3.Error:
            pass  # a key that must be unique, or a table without rowid
    database.commit()
    database.close()


CELLS = (b"", b'"', b'""', b"\0", b"n/a", b"1,234,567.89", b"1.234.567,89", b"1e999", b"-", b"9" * 400, b"x" * 70_000,
         b"(0, 0, 0)", b"(9999999999, 1, 1)", b"<default domain>:a", b"\xff\xfe", "1\u202f234".encode())


def damage_cells(data, dice):
    for _ in range(dice.choice((1, 3, 20))):
        at = dice.randrange(len(data))
        begin, end = data.rfind(b'"', 0, at) + 1, data.find(b'"', at)
        if end > begin:
            data[begin:end] = dice.choice(CELLS)


def damage_lines(data, dice):
    """Lines trade places, are gone, or are there again and again."""
    lines = bytes(data).split(b"\n")
    for _ in range(dice.choice((1, 3, 20))):
        at, to = dice.randrange(len(lines)), dice.randrange(len(lines))
        lines[at:at + 1] = dice.choice(([], [lines[at]] * 50, [lines[to]], [lines[0], lines[at]]))
        if not lines:
            lines = [b""]
    data[:] = b"\n".join(lines)


BYTE_DAMAGES = (damage_bytes, damage_header, damage_pages, damage_page_heads, damage_length)
CSV_DAMAGES = (damage_bytes, damage_header, damage_length, damage_cells, damage_cells, damage_lines)
NCU = (("details-rules", "C"), ("details-all", "en"), ("raw", "de"), ("per-kernel", "fr"), ("per-nvtx", "ch"), ("oldest", "C"),
       ("metrics", "en"))


def damaged(original, target, dice, with_values):
    if original.suffix == ".csv":
        data = bytearray(original.read_bytes())
        dice.choice(CSV_DAMAGES)(data, dice)
        target.write_bytes(data)
        return
    if with_values and dice.random() < 0.5:
        shutil.copyfile(original, target)
        damage_values(target, dice)
        return
    data = bytearray(original.read_bytes())
    dice.choice(BYTE_DAMAGES)(data, dice)
    target.write_bytes(data)


def commands(kind, path, folder, profile):
    if kind == "ncu":
        for table in ("ncu_launches", "ncu_metrics", "roofline"):
            yield ["table", profile, "--ncu", path, "--table", table]
        yield ["roofline", profile, "--ncu", path]
        return
    yield ["info", path]
    yield ["table", path, "--table", "op_nodes"]
    yield ["table", path, "--table", "iterations_profiled"]
    yield ["screenshot", path, "--view", "timeline", "-o", folder / "view.png"]
    if kind == "dlprof":
        yield ["verify", path]
        yield ["report", path, "--output-dir", folder / "reports"]
    else:
        yield ["stats", path, "--report", "cuda_gpu_kern_sum", "--report", "nvtx_pushpop_sum"]


class Kind:
    def __init__(self, name, options, work):
        self.name, self.work = name, work
        self.profile = work / f"{name}.sqlite"
        cache = work / "generate"
        cache.mkdir(exist_ok=True)
        self.originals = [self.profile]
        size = ["--iterations", 3, "--kernels", 300, "--format", "nsys" if name != "dlprof" else "dlprof"]
        if name == "ncu":
            self.originals = []
            for page, locale in NCU:
                self.originals.append(work / f"{page}.csv")
                size = ["--iterations", 2, "--format", "nsys", "--limits", "h100", "--overwrite", "--ncu", self.originals[-1],
                        "--ncu-page", page, "--ncu-locale", locale]
                if page == "per-nvtx":
                    size += ["--ncu-nvtx", "same"]
                self.generate(options, size, cache)
        else:
            self.generate(options, size, cache)

    def generate(self, options, size, cache):
        code, _, said = run(options.dlview, ["generate", self.profile, *size], cache, 60)
        if code != 0:
            sys.exit(f"generate failed: {said.decode(errors='replace')}")

    def try_one(self, options, number):
        dice = random.Random(f"{options.seed} {self.name} {number}")
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            folder = pathlib.Path(folder)
            original = self.originals[0] if len(self.originals) == 1 else dice.choice(self.originals)
            cache, path = folder / "cache", folder / f"profile{original.suffix}"
            cache.mkdir(mode=0o700)
            damaged(original, path, dice, True)
            before = hashlib.sha256(path.read_bytes()).digest()
            command = dice.choice(list(commands(self.name, path, folder, self.profile)))
            limit_s = LIMIT_S * options.slow
            code, seconds, said = run(options.dlview, command, cache, limit_s)
            fault = None
            if code is None:
                fault = f"took longer than {limit_s:.0f} s"
            elif code not in (0, 1, 2):
                fault = f"ended with {code}: {said[-600:].decode(errors='replace')}"
            elif hashlib.sha256(path.read_bytes()).digest() != before:
                fault = "changed the file"
            if fault:
                kept = options.keep / f"{self.name}-{number}{original.suffix}"
                options.keep.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, kept)
                words = " ".join(str(word).replace(str(path), str(kept)) for word in command)
                fault = f"{self.name} {number}: dlview {words}: {fault}"
            return fault, code, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dlview", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", default=str(random.randrange(10**9)))
    parser.add_argument("--slow", type=float, default=1)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("mutated"))
    parser.add_argument("--kinds", default="dlprof,nsys,ncu")
    options = parser.parse_args()
    print(f"Seed {options.seed}", flush=True)

    faults = 0
    with tempfile.TemporaryDirectory(prefix="dlview-mutate-") as work:
        for name in options.kinds.split(","):
            kind = Kind(name, options, pathlib.Path(work))
            codes, slowest = {}, 0.0
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                for fault, code, seconds in pool.map(lambda number: kind.try_one(options, number),
                                                     range(options.count)):
                    codes[code] = codes.get(code, 0) + 1
                    slowest = max(slowest, seconds)
                    if fault:
                        faults += 1
                        print(fault, flush=True)
            print(f"{name}: {options.count} files, exit codes "
                  f"{ {code: codes[code] for code in sorted(codes, key=str)} }, slowest {slowest:.2f} s",
                  flush=True)
    print(f"{faults} faults")
    sys.exit(faults > 0)


main()
