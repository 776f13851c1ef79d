"""Runs fuzzers that were built for libFuzzer and keeps what they find.

usage: run.py BUILD [NAME...] [--minutes N] [--jobs N]

Without names all fuzzers run, each from its seeds and regressions alone, for a minute. A named one
also goes on with the inputs of its earlier runs, BUILD/corpus/NAME. Inputs that fail, take longer than
10 s or more than 2 GiB are kept in BUILD/findings/NAME and printed with the command that repeats
them; short ones with the command that makes them on another machine. Exits with 1 when there are any.
"""

import argparse
import base64
import concurrent.futures
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_S, LIMIT_MIB = 10, 2048
MOST_PRINTED = 2000  # characters of an input
LIMITS_S = {"drive_script": 60}  # a whole program for each input, drawn by software
# A build without optimization in a loaded machine still ends in time.
GRACE_S = 120
OPTIONS = {"ASAN_OPTIONS": "detect_stack_use_after_return=0:malloc_context_size=10"}
# Each program has a context of OpenGL, whose drivers keep memory.
LEAKING = {"drive_script"}


def names():
    return sorted(path.name.removesuffix("_fuzzer.cpp") for path in HERE.glob("*_fuzzer.cpp"))


def folders_of(name, build, corpus):
    """Where inputs are taken from; the first one gets the new ones."""
    found = [corpus, build / "seeds" / name]
    found += [HERE / kind / name for kind in ("seeds", "regressions")]
    return [folder for folder in found if folder.is_dir()]


def command_of(name, build, corpus, options):
    words = [build / f"{name}_fuzzer", f"-max_total_time={round(options.minutes * 60)}", f"-seed={options.seed}",
             f"-timeout={LIMITS_S.get(name, LIMIT_S)}", f"-report_slow_units={LIMITS_S.get(name, LIMIT_S)}", f"-rss_limit_mb={LIMIT_MIB}", "-print_final_stats=1",
             "-verbosity=1", f"-detect_leaks={int(name not in LEAKING)}",
             f"-artifact_prefix={build}/findings/{name}/"]
    dictionary = HERE / f"{name}.dict"
    if dictionary.exists():
        words.append(f"-dict={dictionary}")
    return [str(word) for word in words + folders_of(name, build, corpus)]


def number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def run_one(name, build, options):
    """Returns the findings and a line that says how it went."""
    findings = build / "findings" / name
    findings.mkdir(parents=True, exist_ok=True)
    # Runs of all fuzzers begin anew; they leave the corpora of longer runs alone.
    corpus = build / ("corpus" if options.names else "short_corpus") / name
    if not options.names:
        shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True, exist_ok=True)
    before = set(findings.iterdir())
    log = build / "findings" / f"{name}.log"
    began = time.monotonic()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="dlview-fuzz-", dir=memory) as folder, log.open("wb") as out:
        environment = {**OPTIONS, **os.environ, "TMPDIR": folder}
        try:
            code = subprocess.run(command_of(name, build, corpus, options), stdout=out, stderr=out,
                                  env=environment, timeout=options.minutes * 60 + GRACE_S).returncode
        except subprocess.TimeoutExpired:
            code = None
    text = log.read_text(errors="replace")
    found = sorted(set(findings.iterdir()) - before)
    executions = number(r"stat::number_of_executed_units:\s*(\d+)", text) or number(r"#(\d+)\t", text)
    coverage = number(r" cov: (\d+)", text)
    minutes = (time.monotonic() - began) / 60
    line = (f"{name}: {executions:,} executions in {minutes:.1f} min, "
            f"coverage {coverage:,}, {len(found)} findings")
    if code != 0 and not found:
        line += f"; ended with {code}, see {log}"
    return found, code != 0, line, text


def report_on(name, build, found, text):
    reason = re.search(r"^(require: .*|==\d+==ERROR.*|.*runtime error.*|.*ERROR: libFuzzer.*)$", text, re.MULTILINE)
    print(f"  {reason.group(1) if reason else 'no reason in the log'}")
    for path in found:
        print(f"  repeat: {build / f'{name}_fuzzer'} {path}")
        packed = base64.b64encode(gzip.compress(path.read_bytes(), mtime=0)).decode()
        if len(packed) <= MOST_PRINTED:
            print(f"  the input: base64 -d <<< {packed} | gunzip > {path.name}")
    print(f"  log: {build / 'findings' / f'{name}.log'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=0, help="0: a new one each time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    unknown = set(options.names) - set(names())
    if unknown:
        sys.exit(f"No fuzzer is called {', '.join(sorted(unknown))}. There are: {', '.join(names())}")

    seeds = subprocess.run([options.build / "fuzz_seeds", options.build / "seeds"])
    if seeds.returncode != 0:
        sys.exit("The seeds could not be made.")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(run_one, name, options.build, options): name
                for name in options.names or names()}
        for job in concurrent.futures.as_completed(jobs):
            found, has_failed, line, text = job.result()
            print(line, flush=True)
            if found or has_failed:
                failed += 1
                report_on(jobs[job], options.build, found, text)
    print(f"{len(jobs) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
