"""`dlview export --parquet`, read back by DuckDB: its sums are those of `dlview table`.

DuckDB comes from npm: DLVIEW_DUCKDB names a folder in which `npm install @duckdb/node-api` ran. Without it, only the
tests that need no reader run.
"""

import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

DLVIEW = ""
NODE = shutil.which("node")
DUCKDB = os.environ.get("DLVIEW_DUCKDB", "")
HAS_DUCKDB = bool(NODE and DUCKDB and (pathlib.Path(DUCKDB) / "node_modules/@duckdb/node-api").is_dir())
TABLES = ("kernels", "op_instances", "iterations", "collectives", "ops")
ASK = """
const {DuckDBInstance} = require('@duckdb/node-api');
(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const reader = await connection.runAndReadAll(process.argv[1]);
  console.log(JSON.stringify(reader.getRowsJson()));
})().catch((error) => { console.error(error.message); process.exit(1); });
"""


def run(*arguments, code=0):
    done = subprocess.run([DLVIEW, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def ask(query):
    """The rows of a query; integers of 64 bits are numbers again."""
    done = subprocess.run([NODE, "-e", ASK, query], capture_output=True, text=True, timeout=120, cwd=DUCKDB)
    assert done.returncode == 0, (query, done.stderr)

    def number(cell):
        return int(cell) if isinstance(cell, str) and cell.lstrip("-").isdigit() else cell

    return [[number(cell) for cell in row] for row in json.loads(done.stdout)]


def table(profile, name, *more):
    return list(csv.DictReader(io.StringIO(run("table", profile, "--table", name, "--format", "csv", *more).stdout)))


def total(rows, column):
    return sum(int(row[column]) for row in rows)


class ParquetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlview_parquet_"))
        cls.demo = cls.folder / "demo.sqlite"
        run("generate", cls.demo, "--iterations", 20, "--kernels", 5000)
        cls.columns = cls.folder / "demo"
        run("export", cls.demo, "--parquet", cls.columns)
        cls.reports = cls.folder / "reports"
        run("generate", cls.reports, "--ranks", 4, "--iterations", 10, "--kernels", 1000, "--skew", "straggler=2:+9%")
        cls.ranks = cls.folder / "ranks"
        run("export", cls.reports, "--parquet", cls.ranks)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    @staticmethod
    def source(folder, name):
        return f"read_parquet('{folder}/{name}/*/*.parquet', hive_partitioning = true)"

    def test_writes_a_partition_for_each_rank(self):
        for folder, ranks in ((self.columns, [0]), (self.ranks, [0, 1, 2, 3])):
            found = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
            wanted = sorted(f"{name}/rank={rank}/part-0.parquet" for name in TABLES for rank in ranks)
            self.assertEqual(found, wanted)

    def test_refuses_a_folder_that_is_not_empty(self):
        (self.work / "note.txt").write_text("mine")
        done = run("export", self.demo, "--parquet", self.work, code=2)
        self.assertIn("not empty", done.stderr)
        self.assertIn(str(self.work), done.stderr)
        self.assertEqual([path.name for path in self.work.iterdir()], ["note.txt"])

    def test_writes_nothing_of_a_bad_file(self):
        bad = self.work / "bad.sqlite"
        bad.write_bytes(b"no database")
        run("export", bad, "--parquet", self.work / "out", code=2)
        self.assertFalse((self.work / "out").exists())

    def test_names_a_rank_that_is_there_twice(self):
        twice = self.work / "report_2.sqlite"
        shutil.copy(sorted(self.reports.glob("*.sqlite"))[2], twice)
        done = run("export", self.reports, twice, "--parquet", self.work / "out", code=2)
        self.assertIn("Rank 2 appears twice", done.stderr)
        self.assertEqual(len(list((self.work / "out" / "kernels").iterdir())), 4)

    @unittest.skipUnless(HAS_DUCKDB, "DLVIEW_DUCKDB names no folder with @duckdb/node-api")
    def test_sums_are_those_of_tables(self):
        kernels = table(self.demo, "iteration_kernels")
        self.assertEqual(
            ask(f"SELECT count(*), sum(gpu_stop_ns - gpu_start_ns) FROM {self.source(self.columns, 'kernels')} "
                "WHERE iteration IS NOT NULL")[0],
            [len(kernels), total(kernels, "kernel_duration")])
        ops = table(self.demo, "op_nodes")
        self.assertEqual(
            ask("SELECT count(*), sum(calls), sum(gpu_time_sum_ns), sum(cpu_time_sum_ns), sum(kernels) "
                f"FROM {self.source(self.columns, 'ops')}")[0],
            [len(ops), *(total(ops, column) for column in ("num_calls", "gpu_time", "cpu_time", "kernel_calls"))])
        self.assertEqual(
            ask("SELECT count(*), sum(cpu_time_ns), sum(gpu_time_ns) FROM "
                f"{self.source(self.columns, 'op_instances')} WHERE iteration IS NOT NULL")[0],
            [total(ops, column) for column in ("num_calls", "cpu_time", "gpu_time")])

    @unittest.skipUnless(HAS_DUCKDB, "DLVIEW_DUCKDB names no folder with @duckdb/node-api")
    def test_iterations_add_up(self):
        count, wrong = ask(
            "SELECT count(*), count(*) FILTER (duration_ns - (tensor_core_kernels_ns + other_kernels_ns + memory_ns + "
            "data_loader_ns + coalesce(io_ns, 0) + cpu_ns + other_ns) <> 0) "
            f"FROM {self.source(self.columns, 'iterations')}")[0]
        self.assertGreater(count, 1)
        self.assertEqual(wrong, 0)
        self.assertEqual(
            ask(f"SELECT sum(kernels), sum(kernel_time_ns) FROM {self.source(self.columns, 'iterations')}"),
            ask(f"SELECT count(*), sum(gpu_stop_ns - gpu_start_ns) FROM {self.source(self.columns, 'kernels')} "
                "WHERE iteration IS NOT NULL"))

    @unittest.skipUnless(HAS_DUCKDB, "DLVIEW_DUCKDB names no folder with @duckdb/node-api")
    def test_range_and_filters_apply(self):
        choice = ("--iterations", "3:5", "--only", "tensor_core=1")
        run("export", self.demo, "--parquet", self.work / "out", *choice)
        kernels = table(self.demo, "iteration_kernels", *choice)
        self.assertEqual(
            ask("SELECT count(*), sum(gpu_stop_ns - gpu_start_ns), min(iteration), max(iteration), "
                f"count(*) FILTER (NOT uses_tensor_cores) FROM {self.source(self.work / 'out', 'kernels')}")[0],
            [len(kernels), total(kernels, "kernel_duration"), 3, 5, 0])

    @unittest.skipUnless(HAS_DUCKDB, "DLVIEW_DUCKDB names no folder with @duckdb/node-api")
    def test_collectives_name_the_straggler(self):
        last = ask("SELECT rank, count(*) FROM (SELECT rank, start_ns, max(start_ns) OVER (PARTITION BY "
                   f"\"group\", place) AS last FROM {self.source(self.ranks, 'collectives')}) "
                   "WHERE start_ns = last GROUP BY rank ORDER BY 2 DESC LIMIT 1")
        self.assertEqual(last[0][0], 2)


if __name__ == "__main__":
    DLVIEW = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
