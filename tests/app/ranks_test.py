"""`dlview summarize`, `merge` and `ranks` as clusters run them: by several processes, on files that are not all good."""

import csv
import io
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

DLVIEW = ""
DLVIEW_MPI = ""  # empty = not built
MPIRUN = shutil.which("mpirun")
LAUNCHERS = ("OMPI_", "PMI", "PMIX_", "MV2_", "SLURM_", "RANK", "WORLD_SIZE")


def clean_environment(**more):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}
    environment.update(more)
    return environment


def run(*arguments, code=0, environment=None):
    done = subprocess.run([DLVIEW, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          env=environment or clean_environment())
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done


class RanksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlview_ranks_"))
        cls.reports = cls.folder / "reports"
        run("generate", cls.reports, "--ranks", 8, "--iterations", 20, "--kernels", 2000, "--skew",
            "straggler=5:+9%,offset=3ms", "--ranks-per-host", 4)
        cls.sums = cls.folder / "sums"
        run("summarize", cls.reports, "-o", cls.sums)
        run("merge", cls.sums, "-o", cls.folder / "run.dlsum")
        cls.bytes = (cls.folder / "run.dlsum").read_bytes()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def test_names_the_rank_that_is_slow(self):
        for source in (self.reports, self.folder / "run.dlsum"):
            told = json.loads(run("ranks", source, "--format", "json").stdout)
            self.assertIn("Rank 5 is clearly the slowest", json.dumps(told, ensure_ascii=False))
            self.assertIsNone(told["run"]["first_slow_iteration"])

    def test_names_the_iteration_from_which_a_rank_is_slow(self):
        reports = self.work / "reports"
        run("generate", reports, "--ranks", 4, "--iterations", 40, "--kernels", 2000, "--skew", "straggler=2:+9%:25-39")
        told = json.loads(run("ranks", reports, "--format", "json").stdout)["run"]
        self.assertEqual((told["first_slow_iteration"], told["last_slow_iteration"]), (25, 39))
        self.assertIn("From iteration 25 on, rank 2 is clearly the slowest", told["finding"])
        told = json.loads(run("ranks", reports / "report_0.sqlite", "--format", "json").stdout)["run"]
        self.assertIsNone(told["cost"], "of one rank")

    def test_says_what_is_missing(self):
        files = [self.reports / f"report_{rank}.sqlite" for rank in (0, 1, 2, 4, 7)]
        told = json.loads(run("ranks", *files, "--format", "json").stdout)
        self.assertEqual(told["run"]["missing"], "3,5:6")
        self.assertIn("Missing ranks: 3, 5–6", told["run"]["notes"])
        whole = json.loads(run("ranks", self.reports, "--format", "json").stdout)
        self.assertIsNone(whole["run"]["missing"])

    def test_tables_are_of_csv_only(self):
        done = run("ranks", self.folder / "run.dlsum", "--table", "iterations", code=2)
        self.assertIn("--table needs --format csv", done.stderr)

    # The parts are means of the iterations' ones, and add up to their duration.
    def test_parts_add_up(self):
        def rows_of(table):
            return list(csv.DictReader(io.StringIO(
                run("ranks", self.folder / "run.dlsum", "--format", "csv", "--table", table).stdout)))

        parts, iterations = rows_of("breakdown"), rows_of("iterations")
        self.assertEqual(len(parts), 8)
        kernels = {row["rank"]: float(row["other_kernels"]) for row in parts}
        for row in parts:
            of_rank = [each for each in iterations if each["rank"] == row["rank"]]
            durations = [int(each["duration"]) for each in of_rank]
            shown = [float(row[name]) for name in list(row)[2:-1]]
            self.assertEqual(len(shown), 8)
            self.assertAlmostEqual(sum(shown), sum(durations) / len(durations), delta=0.01)
            loading = [int(each["data_loader"]) for each in of_rank]
            self.assertAlmostEqual(float(row["data_loader"]), sum(loading) / len(loading), delta=0.01)
            exposed = [int(each["exposed"]) for each in of_rank]
            self.assertAlmostEqual(float(row["exposed"]), sum(exposed) / len(exposed), delta=0.01)
            waits = [int(each["least_exposed_wait"]) for each in of_rank]
            self.assertAlmostEqual(float(row["exposed_wait"]), sum(waits) / len(waits), delta=0.01)
        self.assertEqual(max(kernels, key=kernels.get), "5", "the one that was planted")

    def test_compares_some_ranks_only(self):
        run_file = self.folder / "run.dlsum"
        told = run("ranks", run_file, "--only-ranks", "0:2,7", "--format", "csv").stdout
        rows = list(csv.DictReader(io.StringIO(told)))
        self.assertEqual([row["rank"] for row in rows], ["0", "1", "2", "7"])
        whole = csv.DictReader(io.StringIO(run("ranks", run_file, "--format", "csv").stdout))
        waits = {row["rank"]: row["wait"] for row in whole}
        self.assertEqual([row["wait"] for row in rows], [waits[row["rank"]] for row in rows])
        self.assertIn("4 ranks (0–2, 7) of 8", run("ranks", run_file, "--only-ranks", "7,0:2").stdout)
        self.assertIn("2:x", run("ranks", run_file, "--only-ranks", "2:x", code=2).stderr)
        self.assertIn("none of these ranks", run("ranks", run_file, "--only-ranks", "8:9", code=2).stderr)

    def test_summaries_tell_what_profiles_tell(self):
        for table in ("ranks", "breakdown", "collectives", "iterations"):
            of_profiles, of_summary = (
                run("ranks", source, "--format", "csv", "--table", table).stdout
                for source in (self.reports, self.folder / "run.dlsum"))
            self.assertEqual(of_profiles, of_summary)
            self.assertGreater(len(of_profiles.splitlines()), 2)

    # As srun --mpi=none starts them.
    def test_any_number_of_slurm_processes_writes_the_same_bytes(self):
        for count in (1, 2, 3, 4, 7):
            sums, parts = self.work / f"sums{count}", self.work / f"parts{count}"
            for process in range(count):
                environment = clean_environment(SLURM_PROCID=str(process), SLURM_STEP_NUM_TASKS=str(count))
                run("summarize", self.reports, "-o", sums, environment=environment)
            for process in range(count):
                environment = clean_environment(SLURM_PROCID=str(process), SLURM_STEP_NUM_TASKS=str(count))
                run("merge", sums, "-o", parts if count > 1 else self.work / "one.dlsum", environment=environment)
            merged = self.work / f"run{count}.dlsum"
            run("merge", parts if count > 1 else self.work / "one.dlsum", "-o", merged)
            self.assertEqual(merged.read_bytes(), self.bytes)

    @unittest.skipUnless(MPIRUN, "Open MPI is not installed")
    def test_any_number_of_mpi_processes_writes_the_same_bytes(self):
        environment = clean_environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        for count in (1, 2, 3, 4, 7):
            sums = self.work / f"sums{count}"
            done = subprocess.run([MPIRUN, "--oversubscribe", "-n", str(count), DLVIEW, "summarize", self.reports, "-o",
                                   sums], capture_output=True, text=True, timeout=240, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(list(sums.iterdir())), 8)
            merged = self.work / f"run{count}.dlsum"
            run("merge", sums, "-o", merged)
            self.assertEqual(merged.read_bytes(), self.bytes)

    def run_mpi(self, count, *arguments, code=0):
        if not DLVIEW_MPI:
            self.skipTest("dlview-mpi is not built (DLVIEW_MPI)")
        # Open MPI keeps memory until the process ends.
        environment = clean_environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                        ASAN_OPTIONS="detect_leaks=0")
        done = subprocess.run([MPIRUN, "--oversubscribe", "-n", str(count), DLVIEW_MPI, *map(str, arguments)],
                              capture_output=True, text=True, timeout=240, env=environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_one_mpi_command_writes_the_same_bytes(self):
        for count in (1, 2, 3, 4, 7):
            merged = self.work / f"run{count}.dlsum"
            done = self.run_mpi(count, self.reports, "-o", merged)
            self.assertEqual(done.stdout.strip(), f"8 ranks in {merged}")
            self.assertEqual(merged.read_bytes(), self.bytes)

    # More processes than files, of which one is bad.
    def test_mpi_counts_what_can_be_read(self):
        some = self.work / "some"
        some.mkdir()
        for rank in (0, 3):
            shutil.copy(self.reports / f"report_{rank}.sqlite", some)
        (some / "report_1.sqlite").write_bytes(b"SQLite format 3\0")
        done = self.run_mpi(7, some, "-o", self.work / "run.dlsum")
        self.assertIn("report_1.sqlite", done.stderr)
        self.assertIn("2 of 8 ranks", run("ranks", self.work / "run.dlsum").stdout)

    def test_mpi_says_what_does_not_belong_together(self):
        run("generate", self.work / "other", "--ranks", 2, "--iterations", 20, "--kernels", 2000, "--seed", 9)
        done = self.run_mpi(3, self.reports, self.work / "other" / "report_1.sqlite", "-o", self.work / "x", code=2)
        self.assertIn("different runs", done.stderr)
        self.assertFalse((self.work / "x").exists())

    def test_mpi_keeps_an_output_that_is_there(self):
        done = self.run_mpi(2, self.reports, "-o", self.folder / "run.dlsum", code=2)
        self.assertIn("The output is there already", done.stderr)

    def test_any_number_of_jobs_writes_the_same_bytes(self):
        for jobs in (1, 2, 5, 20):
            sums = self.work / f"sums{jobs}"
            done = run("summarize", self.reports, "-o", sums, "--jobs", jobs)
            self.assertIn("8 of 8 files: 8 summaries", done.stdout)
            for file in self.sums.iterdir():
                self.assertEqual((sums / file.name).read_bytes(), file.read_bytes())
        self.assertIn("--jobs", run("summarize", self.reports, "-o", self.work / "x", "--jobs", 0, code=2).stderr)

    def test_launchers_that_disagree_are_refused(self):
        environment = clean_environment(OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="1", SLURM_PROCID="3",
                                        SLURM_STEP_NUM_TASKS="64")
        done = run("summarize", self.reports, "-o", self.work / "sums", code=2, environment=environment)
        self.assertIn("MPI and Slurm disagree", done.stderr)
        self.assertIn("srun --mpi=none", done.stderr)

    def test_one_bad_file_is_named_and_the_others_count(self):
        shutil.copytree(self.sums, self.work / "sums")
        bad = self.work / "sums" / "rank_00003.dlsum"
        bad.write_bytes(bad.read_bytes()[:-20])
        done = run("merge", self.work / "sums", "-o", self.work / "run.dlsum")
        self.assertIn("rank_00003.dlsum", done.stderr)
        self.assertIn("7 of 8 ranks in ", done.stdout)
        self.assertIn("7 of 8 ranks", run("ranks", self.work / "run.dlsum").stdout)
        for file in (self.work / "sums").iterdir():
            file.write_bytes(b"")
        self.assertIn("No summary can be read", run("merge", self.work / "sums", "-o", self.work / "x", code=2).stderr)

    def test_a_rank_twice_is_named_and_counts_once(self):
        run("generate", self.work / "other", "--ranks", 8, "--iterations", 20, "--kernels", 2000, "--seed", 9, "--rank", 1)
        done = run("ranks", self.reports / "report_1.sqlite", self.work / "other" / "report_1.sqlite")
        self.assertIn("1 of 8 ranks", done.stdout)
        self.assertIn("rank 1", done.stderr)
        self.assertIn("report_1.sqlite", done.stderr)

    def test_runs_of_another_size_are_left_out(self):
        run("generate", self.work / "other", "--ranks", 2, "--iterations", 20, "--kernels", 2000, "--seed", 9)
        other = self.work / "other" / "report_1.sqlite"
        done = run("ranks", self.reports / "report_3.sqlite", other)
        self.assertIn("different runs", done.stderr)
        self.assertIn("1 of 8 ranks", done.stdout)
        # Wherever it stands, the run that most files are of counts.
        done = run("ranks", other, self.reports / "report_3.sqlite", self.reports / "report_5.sqlite")
        self.assertIn(str(other), done.stderr)
        self.assertIn("2 of 8 ranks", done.stdout)

    def test_summaries_take_no_other_selection(self):
        for options in (["--iterations", "5:9"], ["--key-op", "foo"], ["--only", "device=0"], ["--split-by", "gpu"]):
            done = run("ranks", self.folder / "run.dlsum", *options, code=2)
            self.assertIn("Cannot change the selection of a summary", done.stderr)
            self.assertIn("run.dlsum", done.stderr)

    def test_synthetic_summaries_have_the_straggler_that_was_planted(self):
        out = self.work / "made.dlsum"
        run("generate", out, "--ranks", 16, "--summary", "--iterations", 50, "--skew", "straggler=3:+4%")
        told = json.loads(run("ranks", out, "--format", "json").stdout)["run"]
        self.assertEqual((told["slow_rank"], told["slow_ranks"], told["slow_host"]), (3, "3", None))
        self.assertAlmostEqual(told["slow_cost"], 0.04 * 80e6, delta=2e5)
        for skew in ("host=b:+5%", "noise=1%", "straggler=3:+4%,straggler=5:+2%", "straggler=3:+4%:10-20"):
            done = run("generate", self.work / "other.dlsum", "--ranks", 16, "--summary", "--skew", skew, code=2)
            self.assertIn("Invalid --skew for --summary", done.stderr)

    def test_existing_outputs_stay(self):
        done = run("merge", self.sums, "-o", self.folder / "run.dlsum", code=2)
        self.assertIn("The output is there already", done.stderr)
        self.assertEqual((self.folder / "run.dlsum").read_bytes(), self.bytes)
        run("merge", self.sums, "-o", self.folder / "run.dlsum", "--force")
        self.assertEqual((self.folder / "run.dlsum").read_bytes(), self.bytes)

    def test_names_without_files_are_errors(self):
        self.assertIn("does not exist", run("ranks", self.work / "none.sqlite", code=2).stderr)
        self.assertIn("No file has this name", run("ranks", str(self.work / "*.sqlite"), code=2).stderr)
        (self.work / "note.txt").write_text("a")
        self.assertIn("No profile in this folder", run("ranks", self.work, code=2).stderr)

    def test_patterns_and_folders_mean_the_same(self):
        by_pattern = run("ranks", str(self.reports / "report_*.sqlite"), "--format", "csv").stdout
        self.assertEqual(by_pattern, run("ranks", self.reports, "--format", "csv").stdout)
        self.assertEqual([row["rank"] for row in csv.DictReader(io.StringIO(by_pattern))], list("01234567"))

    # The generator puts it into each export.
    def test_summaries_hold_no_environment(self):
        secret = "planted-secret"
        with sqlite3.connect(self.reports / "report_0.sqlite") as database:
            held = "\n".join(database.iterdump())
        self.assertIn(secret, held)
        shown = run("ranks", self.folder / "run.dlsum", "--format", "json").stdout
        self.assertNotIn(secret, shown)
        self.assertNotIn(str(self.folder), shown)
        self.assertNotIn(secret.encode(), self.bytes)

    def test_a_rank_can_be_said(self):
        plain = self.work / "capture.sqlite"
        run("generate", plain, "--format", "nsys", "--kernels", 2000)
        done = run("summarize", plain, "-o", self.work / "sums", code=2)
        self.assertIn("--rank", done.stderr)
        run("summarize", plain, "-o", self.work / "sums", "--rank", 12)
        self.assertEqual([file.name for file in (self.work / "sums").iterdir()], ["rank_00012.dlsum"])


if __name__ == "__main__":
    DLVIEW = os.path.abspath(sys.argv.pop(1))
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        program = sys.argv.pop(1)
        DLVIEW_MPI = os.path.abspath(program) if program else ""
    unittest.main(verbosity=2)
