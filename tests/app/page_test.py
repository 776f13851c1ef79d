"""Pages of `dlview report --html` in a browser: headless Chromium reads them as a reader's browser does."""

import base64
import html.parser
import json
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

DLVIEW = ""
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
VOID = {"meta", "link", "br", "hr", "img", "input", "line", "rect", "path", "circle"}
HOSTILE = "</script><script>document.title='owned'</script>\"'&<!-- \x1b\u202efdp " + "long " * 150


class Node:
    def __init__(self, tag, attributes, parent):
        self.tag, self.parent, self.children = tag, parent, []
        self.attributes = dict(attributes)

    def walk(self):
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def find(self, test):
        return [node for node in self.walk() if test(node)]

    def of(self, tag):
        return self.find(lambda node: node.tag == tag)

    def by_class(self, name):
        return self.find(lambda node: name in (node.attributes.get("class") or "").split())

    def by_id(self, name):
        found = self.find(lambda node: node.attributes.get("id") == name)
        return found[0] if found else None

    def text(self):
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)


class Tree(html.parser.HTMLParser):
    """The elements of a page, which closes all but void ones."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.root = self.at = Node("root", [], None)
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        node = Node(tag, attributes, self.at)
        self.at.children.append(node)
        if tag not in VOID:
            self.at = node

    def handle_startendtag(self, tag, attributes):
        self.at.children.append(Node(tag, attributes, self.at))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        node = self.at
        while node is not None and node.tag != tag:
            node = node.parent
        if node is not None and node.parent is not None:
            self.at = node.parent

    def handle_data(self, data):
        self.at.children.append(data)


def tree_of(text):
    return Tree(text).root


def run(*arguments, check=True):
    done = subprocess.run([DLVIEW, *arguments], text=True, capture_output=True, timeout=200, check=False,
                          env=dict(os.environ, DLVIEW_LIMITS="off"))
    if check and done.returncode != 0:
        raise AssertionError(f"dlview {arguments}: {done.stdout}{done.stderr}")
    return done


def browse(path, *arguments, state=""):
    """What Chromium prints, and what its console says."""
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=20000", *arguments,
         f"file://{path}{'#' + state if state else ''}"],
        text=True, capture_output=True, timeout=120, check=False)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def figures(page):
    """Each key figure: its value, its full value, its note."""
    found = {}
    for node in page.by_class("figures")[0].find(lambda node: node.attributes.get("id", "").startswith("f_")):
        value = node.of("b")[0]
        found[node.attributes["id"]] = (value.text(), value.attributes.get("title"),
                                        node.by_class("note")[0].text())
    return found


def cells(row):
    return [(cell.text(), cell.attributes.get("title")) for cell in row.children
            if isinstance(cell, Node) and cell.tag in ("td", "th")]


def rows(table):
    return [cells(row) for row in table.of("tbody")[0].of("tr")]


def parts(page):
    return [[(row.text(), [span.attributes.get("title") for span in row.of("span")])]
            for row in page.by_id("parts").of("tbody")[0].of("tr")]


@unittest.skipUnless(CHROMIUM, "Chromium is not installed")
class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = cls.temporary.name
        for seed, name in ((1, "before"), (2, "after")):
            change = ["--change", "slower-op=conv2d:1.5"] if name == "after" else []
            run("generate", cls.path(f"{name}.sqlite"), "--format", "nsys", "--iterations", "40", "--kernels",
                "8000", "--gpus", "2", "--seed", str(seed), "--noise", "between=0.3%,within=1.3%", *change)
        cls.page = cls.path("run.html")
        run("report", cls.path("before.sqlite"), "--html", cls.page, "--iterations", "0:39")
        cls.static = cls.read(cls.page)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @staticmethod
    def read(path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def show(self, path=None, state=""):
        shown, console = browse(path or self.page, "--dump-dom", state=state)
        self.assertEqual(console, [])
        page = tree_of(shown)
        self.assertEqual(page.of("html")[0].attributes.get("data-ready"), "1", shown[:300])
        return page

    def written(self, name, *arguments):
        """The page that the program writes with these arguments, as it stands in the file."""
        path = self.path(name)
        run("report", *arguments, "--html", path)
        return tree_of(self.read(path))

    def table(self, name, *arguments):
        done = run("table", self.path("before.sqlite"), "--table", name, "--format", "json", *arguments)
        answer = json.loads(done.stdout)
        ids = [column["name"] for column in answer["columns"]]
        return [dict(zip(ids, row)) for row in answer["rows"]]

    def check_range(self, profile, page, first, last):
        """The script finds for a range what the program writes for it."""
        shown = self.show(page, state=f"range={first}:{last}")
        engine = self.written("range.html", profile, "--iterations", f"{first}:{last}")
        expected, found = figures(engine), figures(shown)
        for name, figure in expected.items():
            if name not in ("f_largest_savings", "f_tensor_core_efficiency"):
                self.assertEqual(found[name], figure, (name, first, last))
        self.assertEqual(parts(shown), parts(engine))
        if engine.by_id("communication"):
            self.assertEqual(shown.by_id("communication").text(), engine.by_id("communication").text())
        self.assertEqual(rows(shown.by_id("t_iterations_profiled")),
                         rows(engine.by_id("t_iterations_profiled"))[:15])

    def test_figures_follow_the_range(self):
        for first, last in ((0, 39), (5, 20), (7, 7), (38, 39)):
            self.check_range(self.path("before.sqlite"), self.page, first, last)

    def test_figures_follow_in_other_formats(self):
        # A DLProf database stores I/O for one range only, which is the one that it opens with.
        for name, *options in (("run.sqlite", "--format", "dlprof"), ("run.json.gz", "--format", "pytorch")):
            profile, page = self.path(name), self.path(name + ".html")
            run("generate", profile, "--iterations", "20", "--kernels", "3000", *options)
            run("report", profile, "--html", page)
            facts = json.loads(tree_of(self.read(page)).by_id("data_run").text())
            for first, last in (facts["range"], (3, 9), facts["io_range"] or (0, 5)):
                self.check_range(profile, page, first, last)

    def test_figures_equal_tables(self):
        summary = self.table("performance_summary", "--iterations", "5:20")[0]
        found = figures(self.show(state="range=5:20"))
        self.assertEqual(found["f_wall_time"][1], f"{summary['wall_clock_time']:,} ns")
        self.assertEqual(found["f_gpu_utilization"][1], f"{summary['gpu_utilization']:.6f}%")
        iterations = self.table("iterations_profiled", "--iterations", "5:20")
        durations = sorted(row["duration"] for row in iterations)
        self.assertTrue(found["f_median_iteration"][1].startswith(f"{durations[7]:,} ns · "))
        self.assertEqual(found["f_kernel_launches"][0],
                         f"{sum(row['total_kernel_count'] for row in iterations):,}")

    def test_tables_equal_tables(self):
        for name, sort, shown_ids in (("op_nodes", "gpu_time", ("op_node_name", "gpu_time", "cpu_time")),
                                      ("kernel_summaries", "gpu_time", ("kernel_name", "calls", "gpu_time"))):
            expected = self.table(name, "--iterations", "0:39", "--sort", f"{sort}:desc")
            data = json.loads(tree_of(self.static).by_id("data_tables").text())
            table = next(table for table in data["tables"] if table["id"] == name)
            self.assertEqual(table["rows"], len(expected))
            ids = [column["id"] for column in table["columns"]]
            for wanted in shown_ids:
                column = ids.index(wanted)
                is_text = table["columns"][column]["kind"] == "text"
                values = [table["texts"][cell] if is_text else cell for cell in table["cells"][column]]
                self.assertEqual(values, [row[wanted] for row in expected], (name, wanted))

    def test_sorts_and_searches_by_state(self):
        expected = self.table("op_nodes", "--iterations", "0:39", "--search", "conv", "--sort", "cpu_time:asc")
        shown = self.show(state="sort.op_nodes=cpu_time:asc,search.op_nodes=conv")
        table = shown.by_id("t_op_nodes")
        self.assertEqual([row[0][0] for row in rows(table)], [row["op_node_name"] for row in expected][:15])
        self.assertIn(f"15 of {len(expected)} of", table.by_class("count")[0].text())
        heads = [head.attributes.get("aria-sort") for head in table.of("thead")[0].of("th")]
        self.assertEqual(heads.count("ascending"), 1)
        self.assertEqual(heads.count("descending"), 0)

    def test_script_formats_as_the_program(self):
        shown, static = self.show(), tree_of(self.static)
        for table in static.by_class("table"):
            name = table.attributes.get("id")
            if name:
                self.assertEqual(rows(shown.by_id(name)), rows(table)[:15], name)

    def test_stands_without_scripts(self):
        page = tree_of(re.sub(r"<script.*?</script>", "", self.static, flags=re.DOTALL))
        self.assertEqual(page.of("h1")[0].text(), "before.sqlite")
        self.assertIn("An iteration takes", page.by_class("verdict")[0].text())
        self.assertGreater(len(page.of("svg")), 2)
        self.assertEqual(len(rows(page.by_id("t_op_nodes"))), 50)
        self.assertEqual(len(rows(page.by_id("t_iterations_profiled"))), 40)
        self.assertNotIn("Search", page.text())

    def test_loads_nothing(self):
        run("report", self.path("before.sqlite"), "--with", self.path("after.sqlite"), "--html",
            self.path("both.html"))
        for text in (self.static, self.read(self.path("both.html"))):
            self.assertNotIn("http:", text)
            self.assertNotIn("https:", text)
            page = tree_of(text)
            for node in page.walk():
                for attribute in ("src", "srcset", "data", "action", "style", "onclick", "onload"):
                    self.assertNotIn(attribute, node.attributes)
                self.assertTrue(node.attributes.get("href", "#").startswith("#"))

    def test_is_well_formed_and_accessible(self):
        run("report", self.path("before.sqlite"), "--with", self.path("after.sqlite"), "--html",
            self.path("both.html"))
        page = tree_of(self.read(self.path("both.html")))
        ids = [node.attributes["id"] for node in page.walk() if "id" in node.attributes]
        self.assertEqual(len(ids), len(set(ids)))
        level = 0
        for heading in page.find(lambda node: re.fullmatch("h[1-6]", node.tag)):
            self.assertLessEqual(int(heading.tag[1]), level + 1)
            level = int(heading.tag[1])
        for table in page.of("table"):
            self.assertEqual(len(table.of("caption")), 1)
            for head in table.of("th"):
                self.assertIn(head.attributes.get("scope"), ("row", "col"))
            width = len(table.of("thead")[0].of("th"))
            for row in table.of("tbody")[0].of("tr"):
                spans = [int(cell.attributes.get("colspan", 1)) for cell in row.children if isinstance(cell, Node)]
                self.assertEqual(sum(spans), width)
        for image in page.of("svg"):
            self.assertTrue(image.attributes.get("aria-label") or image.attributes.get("aria-hidden"))
        for link in page.of("a"):
            self.assertIn(link.attributes["href"][1:], ids)
        if shutil.which("xmllint"):
            done = subprocess.run(["xmllint", "--html", "--noout", self.path("both.html")], text=True,
                                  errors="replace", capture_output=True, check=False)
            # It knows no element of HTML 5.
            errors = re.findall(r"error : (.*)", done.stderr)
            self.assertEqual([error for error in errors if not re.fullmatch(r"Tag \w+ invalid", error)], [])

    def test_compares_runs(self):
        path = self.path("compared.html")
        run("compare", self.path("before.sqlite"), self.path("after.sqlite"), "--format", "html", "-o", path)
        run("report", self.path("before.sqlite"), "--with", self.path("after.sqlite"), "--html",
            self.path("both.html"))
        self.assertEqual(self.read(path), self.read(self.path("both.html")))
        page = self.show(path)
        verdict = run("compare", self.path("before.sqlite"), self.path("after.sqlite"), "--json").stdout
        answer = json.loads(verdict)
        compared = json.loads(tree_of(self.read(path)).by_id("data_tables").text())["tables"]
        changes = next(table for table in compared if table["id"] == "ops_changed")
        ids = [column["id"] for column in changes["columns"]]
        expected = [row["difference_ns"] for row in answer["ops"]]
        self.assertEqual(changes["cells"][ids.index("difference_ns")], expected)
        self.assertIn("Slower", page.by_class("verdict")[0].text())
        self.assertIn("worse", page.by_class("verdict")[0].attributes["class"])

    def test_shows_budgets(self):
        budget = self.path("budget.toml")
        with open(budget, "w", encoding="utf-8") as file:
            file.write('[run]\niterations = "all"\n[[budget]]\nname = "step <b>time</b>"\nmetric = "iteration_duration"\n'
                       'at_most = "1 ms"\n[[budget]]\nname = "launches"\nmetric = "kernel_launches"\nat_most = "1000000"\n')
        path = self.path("budgets.html")
        done = run("budget", "check", self.path("before.sqlite"), "--budget", budget, "--html", path, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        page = self.show(path)
        self.assertIn("2 budgets: 1 broken, 1 kept", page.by_class("verdict")[0].text())
        text = page.by_id("budgets").text()
        self.assertIn("step <b>time</b>", text)
        self.assertIn("broken", text)
        run("report", self.path("before.sqlite"), "--budget", budget, "--html", self.path("same.html"))
        self.assertEqual(self.read(path), self.read(self.path("same.html")))

    def test_hostile_names_stay_texts(self):
        path = self.path("hostile.sqlite")
        shutil.copy(self.path("before.sqlite"), path)
        with sqlite3.connect(path) as database:
            database.execute("UPDATE StringIds SET value = value || ? WHERE id IN "
                             "(SELECT demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL)", (HOSTILE,))
            database.execute("UPDATE StringIds SET value = value || ? WHERE value LIKE '%conv%'", (HOSTILE,))
            database.execute("UPDATE NVTX_EVENTS SET text = text || ? WHERE text LIKE '%conv%'", (HOSTILE,))
        database.close()
        page_path = self.path("hostile.html")
        run("report", path, "--html", page_path)
        page = self.show(page_path)
        self.assertEqual(page.of("title")[0].text(), "hostile.sqlite · dlview")
        names = [row[0][0] for row in rows(page.by_id("t_kernel_summaries"))]
        hostile = [name for name in names if "</script><script>" in name]
        self.assertTrue(hostile)
        self.assertTrue(all("\\x1b\\u202efdp" in name for name in hostile))
        self.assertTrue(all(len(name) <= 520 for name in names))

    def test_names_no_host(self):
        path = self.path("before.sqlite")
        secret = run("info", path, "--json").stdout
        host = next((fact for fact in [json.loads(secret).get("recording", {}).get("host")] if fact), None)
        for word in filter(None, [self.folder, host, os.environ.get("USER"), os.uname().nodename]):
            self.assertNotIn(word, self.static)
        named = self.path("named.html")
        run("report", path, "--html", named, "--with-host")
        self.assertIn(self.folder, self.read(named))

    def clicked(self, selector):
        """A copy of the page without its policy, in which a script clicks an element."""
        script = (f"addEventListener('load', () => setTimeout(() => document.querySelector('{selector}').click(),"
                  " 3000));")
        text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", self.static)
        path = self.path("clicked.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("</body>", f"<script>{script}</script></body>"))
        return path

    def test_click_shows_the_definition(self):
        page = self.show(self.clicked("#f_gpu_utilization a"))
        definition = page.by_class("definition")[0].text()
        self.assertIn("Time in which at least one kernel ran on a GPU", definition)
        self.assertIn(figures(page)["f_gpu_utilization"][1], definition)

    def test_prints(self):
        if not shutil.which("pdftotext"):
            self.skipTest("pdftotext is not installed")
        def printed(page):
            path = self.path("run.pdf")
            browse(page, f"--print-to-pdf={path}", "--no-pdf-header-footer")
            return subprocess.run(["pdftotext", "-layout", path, "-"], text=True, capture_output=True,
                                  check=True).stdout
        text = printed(self.page)
        for word in ("Key figures", "before.sqlite", "Breakdown", "Definitions", "Findings"):
            self.assertIn(word, text)
        for control in ("Show all", "Steady state", "Zoom", "Skip to the content"):
            self.assertNotIn(control, text.split("Definitions")[0])
        # Rows of headers repeat on each page of a table.
        self.assertGreater(printed(self.clicked("#t_op_nodes .tools button")).count("Op name"), 1)
        with open(self.path("static.html"), "w", encoding="utf-8") as file:
            file.write(re.sub(r"<script.*?</script>", "", self.static, flags=re.DOTALL))
        self.assertGreater(printed(self.path("static.html")).count("Op name"), 1)

    def test_ten_thousand_iterations_are_ready_soon(self):
        """With columns written and summed here."""
        count, gpus = 10000, 2
        facts = json.loads(tree_of(self.static).by_id("data_run").text())
        columns = {name: [] for name in facts["columns"]}
        for i in range(count):
            duration = 30_000_000 + (i * 7919) % 1_000_003
            left = duration * gpus
            columns["gap"].append(1 if i else 0)
            columns["duration"].append(duration)
            for name in ("tensor_core_kernels", "other_kernels", "memory", "data_loader", "io", "cpu"):
                part = left // 3 - (i * 31) % 1009
                columns[name].append(part)
                left -= part
            columns["communication"].append(columns["other_kernels"][-1] // 2)
            columns["communication_exposed"].append(columns["other_kernels"][-1] // 5)
            columns["kernels"].append(300 + i % 7)
            columns["tensor_core_kernel_count"].append(30)
        planes = bytearray()
        for name in facts["columns"]:
            values = [struct.pack("<q", value) for value in columns[name]]
            for plane in range(8):
                planes += bytes(value[plane] for value in values)
        facts.update(iterations=count, gpus=gpus, range=[0, count - 1], steady=None)
        text = re.sub(r'(id="data_run">).*?(</script>)', lambda m: m[1] + json.dumps(facts) + m[2], self.static)
        packed = base64.b64encode(zlib.compress(bytes(planes), 9)).decode()
        text = re.sub(r'(id="data_iterations">).*?(</script>)', lambda m: m[1] + packed + m[2], text)
        path = self.path("many.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        page = self.show(path, state="range=1234:8765")
        self.assertLess(int(page.of("html")[0].attributes["data-milliseconds"]), 1000)
        chosen = slice(1234, 8766)
        whole, n = sum(columns["duration"][chosen]), 8766 - 1234
        found = figures(page)
        self.assertEqual(found["f_wall_time"][1], f"{whole + n - 1:,} ns")
        median = sorted(columns["duration"][chosen])[n // 2 - 1]
        self.assertTrue(found["f_median_iteration"][1].startswith(f"{median:,} ns"))
        exposed = sum(columns["communication_exposed"][chosen])
        self.assertEqual(found["f_communication_exposed"][1], f"{exposed // (n * gpus):,} ns")
        self.assertEqual(found["f_kernel_launches"][0], f"{sum(columns['kernels'][chosen]):,}")
        memory = sum(columns["memory"][chosen])
        row = next(row for row in page.by_id("parts").of("tbody")[0].of("tr") if row.text().startswith("Memory"))
        self.assertEqual([span.attributes["title"] for span in row.of("span") if "title" in span.attributes],
                         [f"{memory // (n * gpus):,} ns", f"{100 * memory / (whole * gpus):.6f}%",
                          f"{memory // gpus:,} ns"])
        self.assertLess(len(text), 2_000_000)


if __name__ == "__main__":
    DLVIEW = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
