"""Has a configured build's compiler check every source without writing code.

usage: syntax.py BUILD_FOLDER

Prints what the compiler says and exits with 1 when it finds an error (or a warning, with -Werror).
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


def check(entry):
    words = shlex.split(entry["command"])
    out = words.index("-o")
    del words[out:out + 2]
    run = subprocess.run([*words, "-fsyntax-only"], cwd=entry["directory"],
                         capture_output=True, text=True)
    return entry["file"], run.returncode, run.stderr


def main():
    build = pathlib.Path(sys.argv[1])
    entries = json.loads((build / "compile_commands.json").read_text())
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, code, output in pool.map(check, entries):
            sys.stdout.write(output)
            if code != 0:
                failed += 1
                print(f"{file}: rejected")
    print(f"{len(entries) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
