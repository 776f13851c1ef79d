"""Runs the commands of docs/ci as CI systems do: a step is a script of `bash -e`. A stand-in for nsys
writes generated exports."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

DLVIEW = ""
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, "docs", "ci")
SCHEMA = os.path.join(ROOT, "tests", "report", "budget", "junit.xsd")

# "nsys profile ... -o NAME python train.py" captures with a new seed each time, "nsys export" copies.
NSYS = """#!/bin/bash
set -e
command=$1
shift
while [ $# -gt 0 ]; do
  case $1 in
    -o) output=$2; shift 2 ;;
    --type) shift 2 ;;
    *) input=$1; shift ;;
  esac
done
case $command in
  profile)
    echo x >>"$TEST_SEEDS"
    seed=$(wc -l <"$TEST_SEEDS")
    dlview generate "$output.nsys-rep" --format nsys --iterations 30 --kernels 3000 --seed "$seed" >/dev/null ;;
  export) cp "$input" "$output" ;;
esac
"""


def load(name):
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
        return yaml.safe_load(file)


class CiExamples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        tools = os.path.join(self.folder, "tools")
        os.mkdir(tools)
        os.symlink(os.path.abspath(DLVIEW), os.path.join(tools, "dlview"))
        with open(os.path.join(tools, "nsys"), "w", encoding="utf-8") as file:
            file.write(NSYS)
        os.chmod(os.path.join(tools, "nsys"), 0o755)
        self.work = os.path.join(self.folder, "work")
        os.mkdir(self.work)
        shutil.copy(os.path.join(EXAMPLES, "budget.toml"), self.work)
        self.summary = os.path.join(self.folder, "summary.md")
        with open(self.summary, "w", encoding="utf-8") as file:
            file.write("### An earlier step\n")
        self.environment = dict(os.environ, PATH=tools + os.pathsep + os.environ["PATH"],
                                GITHUB_STEP_SUMMARY=self.summary, ACCEPT="first baseline",
                                TEST_SEEDS=os.path.join(self.folder, "seeds"))

    def run_script(self, script):
        return subprocess.run(["bash", "-e", "-c", script], cwd=self.work, env=self.environment,
                              text=True, capture_output=True, timeout=120, check=False)

    def must(self, script):
        ran = self.run_script(script)
        self.assertEqual(ran.returncode, 0, script + ran.stdout + ran.stderr)
        return ran.stdout

    def path(self, name):
        return os.path.join(self.work, name)

    def check_junit(self, name):
        ran = subprocess.run(["xmllint", "--noout", "--schema", SCHEMA, self.path(name)],
                             text=True, capture_output=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def tighten(self):
        """No program keeps this budget."""
        with open(self.path("budget.toml"), "a", encoding="utf-8") as file:
            file.write('[[budget]]\nname = "impossible"\nmetric = "kernel_launches"\nat_most = 1\n')

    def github_steps(self, job):
        return [step["run"] for step in load("github.yml")["jobs"][job]["steps"] if "run" in step]

    def test_github(self):
        for step in self.github_steps("baseline"):
            self.must(step)
        steps = self.github_steps("check")
        self.assertEqual(len(steps), 2)
        self.must(steps[0])
        printed = self.must(steps[1])
        self.check_junit("budgets.xml")
        self.assertNotIn("::error", printed)
        with open(self.summary, encoding="utf-8") as file:
            summary = file.read()
        self.assertTrue(summary.startswith("### An earlier step\n### Budgets: kept\n"), summary)
        self.assertEqual(summary.count("\n| kept |"), 5 - summary.count("(warning)"), summary)
        self.tighten()
        broken = self.run_script(steps[1])
        self.assertEqual(broken.returncode, 1, broken.stdout + broken.stderr)
        self.check_junit("budgets.xml")
        with open(self.path("budget.toml"), encoding="utf-8") as file:
            line = len(file.readlines()) - 2
        self.assertRegex(broken.stdout, rf"(?m)^::error file=budget\.toml,line={line},col=\d+,"
                                        r"title=impossible%3A broken::")

    def test_gitlab(self):
        jobs = load("gitlab.yml")
        for step in jobs["baseline"]["script"]:
            self.must(step)
        self.assertTrue(os.path.exists(self.path(jobs["baseline"]["artifacts"]["paths"][0])))
        *capture, check = jobs["budgets"]["script"]
        for step in capture:
            self.must(step)
        self.must(check)
        artifacts = jobs["budgets"]["artifacts"]
        self.check_junit(artifacts["reports"]["junit"])
        self.assertTrue(os.path.exists(self.path(artifacts["paths"][0])))
        self.tighten()
        self.assertEqual(self.run_script(check).returncode, 1)
        self.check_junit(artifacts["reports"]["junit"])

    def test_examples_of_the_guide(self):
        """Each `dlview budget` line of docs/budgets.md has valid arguments."""
        with open(os.path.join(ROOT, "docs", "budgets.md"), encoding="utf-8") as file:
            commands = re.findall(r"(?m)^    (dlview budget [^\n#]*[^\n# ])", file.read())
        self.assertGreaterEqual(len(commands), 4)
        self.must("for i in 1 2 3; do nsys profile -o run$i x; cp run$i.nsys-rep run$i.sqlite; done;"
                  "cp run1.sqlite run.sqlite")
        for command in commands:
            self.must(command)


if __name__ == "__main__":
    DLVIEW = sys.argv.pop(1)
    unittest.main(verbosity=2)
