"""Names the tests that a run skipped, grouped by reason.

usage: skipped.py [--none-allowed] BUILD_FOLDER...

Reads the results that ctest left in BUILD_FOLDER/results: gtest's XML and ctest's own JUnit file.
With --none-allowed, exits with 1 when a test was skipped: for machines that can run all of them.
"""

import argparse
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


def skipped_of_gtest(root):
    for case in root.iter("testcase"):
        if case.get("result") == "skipped":
            skip = case.find("skipped")
            message = skip.get("message", "") if skip is not None else ""
            yield f"{case.get('classname')}.{case.get('name')}", message.strip().splitlines()[-1:]


def skipped_of_ctest(root):
    """Tests that are no gtest programs: whole ones, and those in the output of Python's unittest."""
    for case in root.iter("testcase"):
        output = case.findtext("system-out") or ""
        for name, reason in re.findall(r"^(test_\w+) .*skipped '(.*)'$", output, re.MULTILINE):
            yield f"{case.get('name')}.{name}", [reason]
        if case.find("skipped") is not None and "[  SKIPPED ]" not in output:
            yield case.get("name"), output.strip().splitlines()[-1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--none-allowed", action="store_true")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()

    names_of = collections.defaultdict(set)
    count = 0
    for folder in options.folders:
        for path in sorted((folder / "results").glob("*.xml")):
            root = ElementTree.parse(path).getroot()
            skipped = skipped_of_ctest if path.name == "ctest.xml" else skipped_of_gtest
            count += sum(1 for _ in root.iter("testcase"))
            for name, reason in skipped(root):
                names_of[" ".join(reason) or "no reason given"].add(name)
    if count == 0:
        sys.exit("skipped.py: no test results found; run ctest first")

    total = sum(len(names) for names in names_of.values())
    print(f"Skipped tests: {total}")
    for reason, names in sorted(names_of.items()):
        print(f"  {reason}: {len(names)}")
        print("    " + " ".join(sorted(names)))
    if total and options.none_allowed:
        sys.exit("This machine can run every test: install what the reasons above name.")


main()
