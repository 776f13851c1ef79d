"""Measures how fast dlview opens PyTorch traces, beside simdjson, Python's json and orjson.

usage: traces.py BUILD_FOLDER [--size SIZE] [--large SIZE] [--peer-size SIZE] [--runs N]
                 [--folder FOLDER]

Generates a trace of training with shapes (mix) and one with Python frames (stacks), plain and gz,
and one of --large (2200MB; 0 = none). Prints a table for docs/dev/benchmarks.md: medians over the
runs, in parentheses CPU time and peak memory (VmHWM). Then it checks the figures that dlview finds
against the truth of the generator, and exits with 1 where one differs. Files stay in FOLDER if it is
given.

Python's parsers read a smaller file, as they take ten times its size in memory. HTA's part is what
HolisticTraceAnalysis does after json: a pandas frame with categories and names as numbers and
four arguments of each event as columns. Each runs in the first interpreter that has its modules.
"""

import argparse
import csv
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

MIX, STACKS = ["--record-shapes"], ["--with-stack"]
PEERS = {
    "json": ["json"],
    "orjson": ["orjson"],
    "json and HTA's frame": ["json", "pandas"],
    "orjson and HTA's frame": ["orjson", "pandas"],
}


def megabytes(text):
    for unit, factor in (("GB", 1000), ("MB", 1)):
        if text.endswith(unit):
            return int(float(text[: -len(unit)]) * factor)
    return int(text)


def run(command, **options):
    """Returns wall and CPU time in s, peak memory in MB and the standard output."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([str(word) for word in command], stdout=output, **options)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} failed with {process.returncode}")
        output.seek(0)
        text = output.read().decode()
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6, text


def medians(command, runs, **options):
    results = [run(command, **options) for _ in range(runs)]
    return [statistics.median(result[i] for result in results) for i in range(3)]


# What another interpreter runs: HTA's steps between the file and its first analysis.
def peer(name, path):
    content = pathlib.Path(path).read_bytes()
    loads = __import__(PEERS[name][0]).loads
    begin = time.monotonic()
    trace = loads(content)
    if "pandas" in PEERS[name]:
        import pandas

        frame = pandas.DataFrame(trace["traceEvents"])
        frame.dropna(axis=0, subset=["dur", "cat"], inplace=True)
        frame.drop(frame[frame["cat"] == "Trace"].index, inplace=True)
        for key in ("stream", "correlation", "External id", "memory bandwidth (GB/s)"):
            frame[key] = frame["args"].apply(
                lambda args: args.get(key, -1) if isinstance(args, dict) else -1)
        frame.drop(columns=[key for key in ("ph", "id", "bp", "s", "args") if key in frame],
                   inplace=True)
        for key in ("cat", "name"):
            numbers = {text: i for i, text in enumerate(frame[key].unique())}
            frame[key] = frame[key].apply(numbers.__getitem__)
    print(len(content) / 1e6 / (time.monotonic() - begin))


def interpreter_with(modules):
    for python in dict.fromkeys([sys.executable, "/usr/bin/python3"]):
        imports = "".join(f"import {module};" for module in modules)
        if subprocess.run([python, "-c", imports], capture_output=True).returncode == 0:
            return python
    return None


class Table:
    def __init__(self, commit):
        self.commit = commit
        print("| metric | goal | median | p95 | commit, machine |\n|---|---|---|---|---|")

    def add(self, metric, goal, median, cpu_s=None, peak_mb=None):
        more = [] if cpu_s is None else [f"{cpu_s:.2f} s CPU"]
        more += [] if peak_mb is None else [f"{peak_mb:.0f} MB"]
        if more:
            median += f" ({', '.join(more)})"
        print(f"| {metric} | {goal} | {median} | | {self.commit} |", flush=True)


def benchmark(program, folder, name, runs, cores):
    """Medians of wall and CPU time in s of a benchmark of trace_bench.cpp, and its columns in MB; None
    if it is skipped."""
    command = [program, f"--benchmark_filter=^{name}/", "--benchmark_format=json",
               f"--benchmark_repetitions={runs}", "--benchmark_min_time=0.01"]
    if cores:
        command = ["taskset", "-c", cores] + command
    environment = dict(os.environ, DLVIEW_BENCH_TRACES=str(folder))
    rows = json.loads(run(command, env=environment, stderr=subprocess.DEVNULL)[3])["benchmarks"]
    rows = [row for row in rows if row["run_type"] == "iteration" and "error_occurred" not in row]
    if not rows:
        return None
    times = [statistics.median(row[key] for row in rows) / 1000 for key in ("real_time", "cpu_time")]
    return [*times, rows[0].get("columns_mb", 0)]


def sums_of(dlview, path, report, name, count):
    text = run([dlview, "stats", path, "--no-cache", "--report", report])[3]
    rows = csv.DictReader(io.StringIO(text))
    return {row[name]: (int(row[count]), int(row["Total Time (ns)"])) for row in rows}


def differences(dlview, path, truth):
    """The figures of a trace that differ from the generator's, one text each."""
    found = sums_of(dlview, path, "cuda_gpu_kern_sum", "Name", "Instances")
    wanted = {name: (row["count"], row["total_ns"]) for name, row in truth["kernels"].items()}
    ranges = sums_of(dlview, path, "nvtx_sum", "Range", "Instances")
    wanted_ranges = {name: (row["calls"], row["host_total_ns"])
                     for table in ("ops", "modules") for name, row in truth[table].items()}
    memory = sums_of(dlview, path, "cuda_gpu_mem_time_sum", "Operation", "Count")
    rows = [row for table in ("memcpys", "memsets") for row in truth[table].values()]
    sums = tuple(sum(row[key] for row in rows) for key in ("count", "total_ns"))
    info = json.loads(run([dlview, "info", path, "--no-cache", "--json"])[3])
    steps = sum(step["name"] is not None for step in truth["steps"])
    pairs = [("time of the trace", info["recording"]["duration_ns"], truth["span_ns"]),
             ("iterations", info["iterations"]["count"], steps),
             ("memcpys and memsets", tuple(map(sum, zip(*memory.values()))), sums)]
    pairs += [(f"kernel {name}", found.get(name), wanted.get(name)) for name in found | wanted]
    pairs += [(f"op {name}", ranges.get(name), row) for name, row in wanted_ranges.items()]
    if truth["modules"]:
        text = run([dlview, "table", path, "--no-cache", "--table", "stacks"])[3]
        frames = {row["frame"]: (int(row["frame_calls"]), int(row["cpu_time_total"]))
                  for row in csv.DictReader(io.StringIO(text))}
        pairs += [(f"frame {name}", frames.get(name), (row["calls"], row["host_total_ns"]))
                  for name, row in truth["modules"].items()]
    return len(pairs), [f"{what}: {got}, not {right}" for what, got, right in pairs if got != right]


def measure(build, folder, options):
    dlview, bench = build / "dlview", build / "dlview_bench"
    size = megabytes(options.size)
    files = {"mix.json": MIX, "mix.json.gz": MIX, "stacks.json": STACKS, "stacks.json.gz": STACKS}
    generated = {}
    for name, arguments in files.items():
        command = [dlview, "generate", folder / name, "--format", "pytorch", "--overwrite",
                   "--size", f"{size}MB", "--truth", folder / f"{name}.truth", *arguments]
        generated[name] = run(command)
    os.sync()
    one_core = str(min(os.sched_getaffinity(0)))
    table = Table(json.loads(run([dlview, "--version", "--json"])[3])["commit"][:8])

    def rate(seconds):
        return f"{size / seconds / 1000:.2f} GB/s"

    for name in ("mix.json", "mix.json.gz"):
        table.add(f"generator, {name}", "0.2 GB/s", rate(generated[name][0]), *generated[name][1:3])
    stages = [("bytes of the file, mix", "trace_bytes/mix", ""),
              ("bytes of the file, mix.gz", "trace_bytes/mix_gz", ""),
              ("simdjson on demand, mix, one core", "trace_simdjson/mix", ""),
              ("simdjson on demand, stacks, one core", "trace_simdjson/stacks", ""),
              ("JSON to raw columns, mix", "trace_events/mix", "1.0 GB/s"),
              ("JSON to raw columns, mix.gz", "trace_events/mix_gz", "0.8 GB/s"),
              ("JSON to raw columns, stacks", "trace_events/stacks", "1.0 GB/s"),
              ("JSON to raw columns, stacks.gz", "trace_events/stacks_gz", "0.8 GB/s"),
              ("JSON to raw columns, mix, one core", "trace_events/mix", "0.5 GB/s"),
              ("JSON to raw columns, stacks, one core", "trace_events/stacks", "0.5 GB/s"),
              ("frames when Stacks opens, stacks", "trace_frames/stacks", "4 s")]
    for metric, name, goal in stages:
        cores = one_core if "one core" in metric else ""
        result = benchmark(bench, folder, name, options.runs, cores)
        if result is None:
            table.add(metric, goal, "skipped")
            continue
        wall = f"{result[0]:.2f} s" if goal.endswith(" s") else rate(result[0])
        table.add(metric, goal, wall, result[1])

    def picture(path, goal):
        command = [dlview, "screenshot", path, "--no-cache", "-o", folder / "picture.png"]
        wall, cpu, peak = medians(command, options.runs)
        table.add(f"open to first picture, {path.name}", goal, f"{wall:.2f} s", cpu, peak)

    columns = {name: benchmark(bench, folder, f"trace_profile/{name}", 1, "")[2]
               for name in ("mix", "stacks")}
    for name in files:
        of_file = columns[name.partition(".")[0]]
        picture(folder / name, f"{'3' if name.endswith('.gz') else '2.5'} s; {1.5 * of_file + 512:.0f} MB "
                               f"for {of_file:.0f} MB of columns")
    if megabytes(options.large) > 0:
        large = folder / "large.json"
        run([dlview, "generate", large, "--format", "pytorch", "--overwrite", *MIX,
             "--size", f"{megabytes(options.large)}MB"])
        os.sync()
        picture(large, "6 s, 3 GB")

    small = folder / "peer.json"
    run([dlview, "generate", small, "--format", "pytorch", "--overwrite", *MIX,
         "--size", f"{megabytes(options.peer_size)}MB"])
    for name, modules in PEERS.items():
        python = interpreter_with(modules)
        if python is None:
            table.add(f"Python: {name}", "", "not installed")
            continue
        results = [run([python, __file__, "--peer", name, small]) for _ in range(options.runs)]
        speed = statistics.median(float(result[3]) for result in results)
        peak = statistics.median(result[2] for result in results)
        table.add(f"Python: {name}, {small.stat().st_size / 1e6:.0f} MB of mix", "",
                  f"{speed / 1000:.3f} GB/s", peak_mb=peak)

    wrong = 0
    for name in files:
        truth = json.loads((folder / f"{name}.truth").read_text())
        count, different = differences(dlview, folder / name, truth)
        print(f"\n{name}: {count - len(different)} of {count} figures as in its truth.")
        for each in different[:10]:
            print(f"  {each}")
        wrong += len(different)
    return 1 if wrong else 0


def main():
    if sys.argv[1:2] == ["--peer"]:
        return peer(*sys.argv[2:4])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--size", default="1GB")
    parser.add_argument("--large", default="2200MB")
    parser.add_argument("--peer-size", default="100MB")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        return measure(options.build, options.folder, options)
    with tempfile.TemporaryDirectory() as folder:
        return measure(options.build, pathlib.Path(folder), options)


if __name__ == "__main__":
    sys.exit(main())
