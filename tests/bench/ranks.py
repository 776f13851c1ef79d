"""Measures how fast ranks of a run are summarized, merged and opened.

usage: ranks.py BUILD_FOLDER [--ranks N] [--kernels N] [--runs N] [--folder FOLDER]

Makes, opens, summarizes and removes the exports of N ranks (64) of K kernels (1,000,000), one after
another, and prints a table for docs/dev/benchmarks.md. Each figure of a file is the least of the runs:
whatever else runs on the machine only adds to it. Then the summaries are merged, and so is a synthetic
run of 16,384 ranks opened by `dlview ranks`. build/.../dlview_ranks_bench measures its parts.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LARGE_RANKS, LARGE_ITERATIONS = 16384, 1000


def run(*command):
    """Returns wall time and CPU time in s, and peak memory in MB."""
    begin = time.monotonic()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed with {process.returncode}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6


def least(runs, *command):
    """The least wall time, the least CPU time and the most memory of several runs."""
    walls, cpus, memory = zip(*(run(*command) for _ in range(runs)))
    return min(walls), min(cpus), max(memory)


def row(name, times):
    wall, cpu, memory = times
    print(f"| {name} | | {wall:.2f} s ({cpu:.2f} s CPU, {memory:,.0f} MB) | | |", flush=True)


def measure_rank(dlview, options, folder, rank, sums):
    reports = folder / "reports"
    run(dlview, "generate", reports, "--ranks", options.ranks, "--rank", rank, "--kernels", options.kernels,
        "--iterations", options.iterations, "--skew", f"straggler={options.ranks // 3}:+8%")
    (report,) = reports.glob("*.sqlite")
    run(dlview, "info", report, "--no-cache")  # the first one reads what has just been written
    opened = least(options.runs, dlview, "info", report, "--no-cache")
    summarized = least(options.runs, dlview, "summarize", report, "-o", sums, "--force", "--no-cache")
    size = report.stat().st_size
    shutil.rmtree(reports)
    return size, opened, summarized


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--kernels", type=int, default=1_000_000)
    parser.add_argument("--iterations", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    dlview = options.build / "dlview"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="dlview_ranks_", dir=options.folder))
    sums, merged, large = folder / "sums", folder / "run.dlsum", folder / "large.dlsum"
    try:
        print("| metric | goal | least | p95 | commit, machine |\n|---|---|---|---|---|")
        measured = [measure_rank(dlview, options, folder, rank, sums) for rank in range(options.ranks)]
        sizes, opened, summarized = zip(*measured)
        middle = [statistics.median(times[0] for times in each) for each in (opened, summarized)]
        row(f"a rank of {options.kernels:,} kernels ({statistics.mean(sizes) / 1e6:,.0f} MB) opened, median of "
            f"{options.ranks}", [statistics.median(column) for column in zip(*opened)])
        row("the same summarized", [statistics.median(column) for column in zip(*summarized)])
        print(f"| the same, ratio | 1.2 | {middle[1] / middle[0]:.2f} | | |", flush=True)
        row(f"{options.ranks} summaries merged", least(options.runs, dlview, "merge", sums, "-o", merged, "--force"))
        row(f"the merged file ({merged.stat().st_size / 1e6:,.1f} MB): `dlview ranks`",
            least(5, dlview, "ranks", merged))
        run(dlview, "generate", large, "--ranks", LARGE_RANKS, "--iterations", LARGE_ITERATIONS, "--summary")
        row(f"{LARGE_RANKS:,} ranks x {LARGE_ITERATIONS:,} iterations ({large.stat().st_size / 1e6:,.0f} MB): "
            "`dlview ranks`", least(5, dlview, "ranks", large))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
