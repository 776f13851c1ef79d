"""Opens files built to waste time and memory and checks that dlview stays within its limits.

usage: hostile.py DLVIEW [--slow FACTOR] [--only NAME] [--keep FOLDER]

Opening a file of n bytes takes at most 5 s + 30 s per GB and 512 MiB + 4 n of memory, or ends with
an error and exit code 2. A file that breaks this is kept in FOLDER. Exits with 1 when there is one.
"""

import argparse
import contextlib
import gzip
import itertools
import multiprocessing
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

PAGE = 4096
INNER, LEAF = 5, 13
PROGRAM_BYTES = 64 << 20  # what dlview takes before it opens anything
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"


def varint(value):
    groups = [value & 0x7F]
    while value := value >> 7:
        groups.append(value & 0x7F | 0x80)
    return bytes(reversed(groups))


def page(kind, cells, rightmost=None):
    """Returns a page of a table's tree that holds the cells, in order."""
    header = 8 if rightmost is None else 12
    places, content, at = b"", b"", PAGE
    for cell in cells:
        at -= len(cell)
        content = cell + content
        places += at.to_bytes(2, "big")
    head = bytes([kind, 0, 0]) + len(cells).to_bytes(2, "big") + at.to_bytes(2, "big") + b"\0"
    if rightmost is not None:
        head += rightmost.to_bytes(4, "big")
    return (head + places).ljust(at, b"\0") + content


class Maker:
    """Makes one file out of a small sound export or database."""

    def __init__(self, dlview, path):
        self.path = path
        self.dlview = dlview

    def generate(self, kind):
        subprocess.run([self.dlview, "generate", self.path, "--format", kind, "--iterations", "3", "--kernels",
                        "300"], check=True, capture_output=True)

    @contextlib.contextmanager
    def edit(self):
        database = sqlite3.connect(self.path)
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("PRAGMA synchronous = OFF")
        yield database
        database.commit()
        database.close()

    def columns(self, database, table):
        return [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]

    def add(self, table, rows, **values):
        """Repeats the first row of a table; a value is SQL, in which i is the number of the new row."""
        with self.edit() as database:
            columns = self.columns(database, table)
            chosen = ", ".join(f"({values.get(column, chr(34) + column + chr(34))})" for column in columns)
            database.execute(f"""
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
                INSERT INTO "{table}" SELECT {chosen} FROM n, (SELECT * FROM "{table}" LIMIT 1)""")

    def empty(self, table):
        with self.edit() as database:
            database.execute(f'DELETE FROM "{table}"')

    def share_overflow(self, table, column, text_bytes, circular):
        """All rows have the same overflow pages: those of one long text."""
        with self.edit() as database:
            root = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]
            columns = self.columns(database, table)
            values = ", ".join(
                f"printf('%.*c', {text_bytes}, 'x')" if name == column else f'"{name}"' for name in columns)
            row = database.execute(f'SELECT {values} FROM "{table}" LIMIT 1').fetchone()
            database.execute(f'DELETE FROM "{table}"')
            database.execute(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(row))})', row)
        data = bytearray(self.path.read_bytes())
        leaf = data[(root - 1) * PAGE:root * PAGE]
        assert leaf[0] == LEAF
        at = int.from_bytes(leaf[8:10], "big")
        end = at
        while leaf[end] >= 0x80:
            end += 1
        size, local = leaf[at:end + 1], leaf[end + 2:]  # the rowid is 1
        first = int.from_bytes(local[-4:], "big")
        if circular:
            data[(first - 1) * PAGE:(first - 1) * PAGE + 4] = first.to_bytes(4, "big")
        leaves, rowid, keys = [], 0, []
        for _ in range(400):
            cells = []
            while sum(map(len, cells)) + 2 * len(cells) + len(local) + 30 < PAGE:
                rowid += 1
                cells.append(bytes(size) + varint(rowid) + bytes(local))
            keys.append(rowid)
            leaves.append(page(LEAF, cells))
        before = len(data) // PAGE
        inner = [(before + 1 + i).to_bytes(4, "big") + varint(keys[i]) for i in range(len(leaves) - 1)]
        data[(root - 1) * PAGE:root * PAGE] = page(INNER, inner, before + len(leaves))
        data += b"".join(leaves)
        data[28:32] = (len(data) // PAGE).to_bytes(4, "big")
        self.path.write_bytes(data)


def nsys(make):
    make.generate("nsys")


def dlprof(make):
    make.generate("dlprof")


def shared_overflow(make):
    nsys(make)
    make.share_overflow("NVTX_EVENTS", "text", 30_000_000, circular=False)


def shared_overflow_of_names(make):
    nsys(make)
    make.share_overflow("StringIds", "value", 30_000_000, circular=False)


def circular_overflow(make):
    dlprof(make)
    make.share_overflow("read_only_ops", "op_name", 3_000_000, circular=True)


def long_texts(make):
    nsys(make)
    make.add("NVTX_EVENTS", 8, text="printf('%.*c', 20000000, i)", start="start + i")


def text_beyond_the_limit(make):
    nsys(make)
    make.add("NVTX_EVENTS", 1, text="printf('%.*c', 200000000, 'x')")


def deep_ranges(make):
    """Each range lies in the one before it."""
    nsys(make)
    make.add("NVTX_EVENTS", 200_000, text="'range ' || i", start="i",
             end="9000000000 - i")


def slashes(make):
    nsys(make)
    make.add("NVTX_EVENTS", 20, text="replace(printf('%.*c', 500000, 'a'), 'a', 'a/') || i", start="i",
             end="9000000000 - i")


def slashes_in_ops(make):
    dlprof(make)
    with make.edit() as database:
        database.execute("UPDATE read_only_ops SET op_name = replace(printf('%.*c', 300000, 'a'), 'a', 'a/') || op_name")


def a_stream_each(make):
    nsys(make)
    make.add(KERNELS, 200_000, streamId="i", contextId="i", start="start + i", end='"end" + i',
             correlationId="correlationId + i")


def a_device_each(make):
    nsys(make)
    make.add(KERNELS, 200_000, deviceId="i", globalPid="globalPid + i * 16777216", start="start + i",
             end='"end" + i')


def a_thread_each(make):
    nsys(make)
    make.add("NVTX_EVENTS", 200_000, globalTid="globalTid + i", start="start + i", end='"end" + i')


def all_at_once(make):
    """Kernels that all run at the same time on one stream."""
    nsys(make)
    make.add(KERNELS, 300_000, start="start", end='"end" + 1000000 + i', correlationId="correlationId + i")


def a_name_each(make):
    nsys(make)
    make.add("NVTX_EVENTS", 300_000, text="'step ' || i || '/' || (i * 7919 % 300000)", start="start + i",
             end="start + i + 1")


def name_kernels(make, names):
    """A kernel for each pair of short and demangled name."""
    nsys(make)
    make.add(KERNELS, len(names), start="start + i", end='"end" + i', shortName="100000000 + 2 * i",
             demangledName="100000001 + 2 * i")
    with make.edit() as database:
        for i, (short, demangled) in enumerate(names, 1):
            database.execute("INSERT INTO StringIds VALUES(?, ?), (?, ?)",
                             (100_000_000 + 2 * i, short, 100_000_001 + 2 * i, demangled))


def long_kernel_names(make):
    """C++ names as long as dlview reads them, of words that it joins or replaces."""
    pieces = ("volatile ", "unsigned ", "const ", "(anonymous namespace)::", "[lambda()]::", "k<[lambda(", "k()::")
    name_kernels(make, [(f"kernel {i}", piece * (63_000 // len(piece)) + f"x{i}<1>")
                        for i in range(100) for piece in pieces])


def chained_kernel_names(make):
    """Short names that each are the demangled name of another kernel, behind two of one label."""
    name_kernels(make, [("f", "void a::f<int>()"), ("f", "void b::f<int>()"), ("a::f<int>", "c0")] +
                       [(f"c{i}", f"c{i + 1}") for i in range(20_000)])


def thin_rows(make):
    """Kernels of a few bytes each, of which columns make many."""
    nsys(make)
    make.empty(KERNELS)
    with make.edit() as database:
        database.execute(f'DROP TABLE "{KERNELS}"')
        database.execute(f'CREATE TABLE "{KERNELS}"(start INTEGER, "end" INTEGER)')
        for column in ("deviceId", "contextId", "streamId", "correlationId", "globalPid", "demangledName",
                       "shortName", "mangledName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
                       "registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "graphNodeId"):
            database.execute(f'ALTER TABLE "{KERNELS}" ADD COLUMN {column} INTEGER DEFAULT 0')
        database.execute(f"""
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000000)
            INSERT INTO "{KERNELS}"(start, "end") SELECT i % 100, i % 100 + 1 FROM n""")


def view_without_end(make):
    nsys(make)
    with make.edit() as database:
        database.execute("DROP TABLE NVTX_EVENTS")
        database.execute("""CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE n(i) AS
                            (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS start, i AS "end", 59 AS eventType,
                            'x' AS text, 1 AS globalTid FROM n""")


def computed_column(make):
    nsys(make)
    with make.edit() as database:
        columns = [name for name in make.columns(database, "NVTX_EVENTS") if name != "text"]
        names = ", ".join(f'"{name}"' for name in columns)
        database.execute(f"CREATE TABLE other AS SELECT {names} FROM NVTX_EVENTS")
        database.execute("DROP TABLE NVTX_EVENTS")
        database.execute(f"CREATE TABLE NVTX_EVENTS({names}, text TEXT AS (hex(zeroblob(20000000 + start % 9))))")
        database.execute(f"INSERT INTO NVTX_EVENTS({names}) SELECT {names} FROM other")
        database.execute("DROP TABLE other")


def virtual_table(make):
    nsys(make)
    with make.edit() as database:
        database.execute("DROP TABLE NVTX_EVENTS")
        database.execute('CREATE VIRTUAL TABLE NVTX_EVENTS USING fts5(start, "end", eventType, text, globalTid)')
        database.execute("INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 'x', 1)")


def many_tables(make):
    nsys(make)
    with make.edit() as database:
        for i in range(20_000):
            database.execute(f"CREATE TABLE t{i}({', '.join(f'c{j}' for j in range(40))})")


def many_iterations(make):
    dlprof(make)
    make.add("iteration_list", 300_000, id="id + 1000 + i", iter_value="iter_value + 1000000 + i", start_time="start_time + i",
             stop_time="stop_time + i")


def a_path_each(make):
    """Ops whose names are paths that have nothing in common."""
    dlprof(make)
    make.add("read_only_ops", 100_000, id="id + 1000000 + i", op_id_id="op_id_id + 1000000 + i",
             op_name="replace(hex(zeroblob(50)), '00', '/' || i)")


def busy_threads(make):
    """Steps of two lengths whose kernels a GPU waits for, beside hundreds of threads that are always in a range."""
    nsys(make)
    with make.edit() as database:
        def template(table):
            columns = make.columns(database, table)
            return dict(zip(columns, database.execute(f'SELECT * FROM "{table}" LIMIT 1').fetchone()))

        def insert(table, rows):
            database.executemany(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(rows[0]))})',
                                 [tuple(row.values()) for row in rows])

        kernel, nvtx = template(KERNELS), template("NVTX_EVENTS")
        call = {**template("CUPTI_ACTIVITY_KIND_RUNTIME"), "globalTid": nvtx["globalTid"]}
        call["nameId"] = database.execute("SELECT id FROM StringIds WHERE value LIKE 'cudaLaunchKernel%'").fetchone()[0]
        for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            if table.startswith("CUPTI_ACTIVITY_KIND") or table in ("NVTX_EVENTS", "OSRT_API", "SCHED_EVENTS"):
                database.execute(f'DELETE FROM "{table}"')
        now, kernels, calls, ranges = 1_000_000, [], [], []
        push_pop = {**nvtx, "eventType": 59, "textId": None}
        for step in range(400):
            begin = now
            for _ in range(90):
                link = {"correlationId": len(kernels) + 1}
                calls.append({**call, "start": now, "end": now + 2000, **link})
                kernels.append({**kernel, "start": now + 3000, "end": now + 4000, **link})
                now += 220_000 if step % 5 in (1, 3) else 110_000
            ranges.append({**push_pop, "start": begin, "end": begin + 1000, "text": "step"})
            now += 1000
        for i in range(800):
            ranges.append({**push_pop, "start": 1_000_000, "end": now, "text": "load batch",
                           "globalTid": (nvtx["globalTid"] & ~0xFFFFFF) + 2_000_000 + i})
        insert(KERNELS, kernels)
        insert("CUPTI_ACTIVITY_KIND_RUNTIME", calls)
        insert("NVTX_EVENTS", ranges)


def trace(make, events, ending="]}"):
    """Writes a PyTorch trace of texts, one for each event, behind one op."""
    op = '{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":9,"args":{}}'
    with open(make.path, "w") as file:
        file.write('{"schemaVersion": 1, "traceEvents": [' + op)
        for event in events:
            file.write(",\n" + event)
        file.write(ending)


def trace_op(i, rest=""):
    return f'{{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":{10 * i + 10},"dur":5{rest}}}'


def keys_of_trace(make):
    trace(make, (trace_op(i, f', "args": {{"key {i}": 1, "{i} key": 2, "{i}": 3}}') for i in range(200_000)))


def names_of_trace(make):
    trace(make, (trace_op(i).replace('"aten::add","pid":1,"tid":1', f'"my::op{i}","pid":{i},"tid":"{i}"')
                 .replace("cpu_op", ("cpu_op", f"category {i}")[i % 2]) for i in range(100_000)))


def quotes_of_trace(make):
    trace(make, (trace_op(i).replace("add", '"add') for i in range(300_000)))


def depth_of_trace(make):
    trace(make, (trace_op(i, ', "args": ' + '{"a":[' * 300) for i in range(10_000)))


def open_trace(make):
    """Ranges that begin and never end, in a file that does not, either."""
    trace(make, (trace_op(i).replace('"X"', '"B"') for i in range(300_000)), ending="")


def nested_trace(make):
    trace(make, (trace_op(0).replace('"ts":10,"dur":5', f'"ts":{i},"dur":{1_000_000 - 2 * i}')
                 for i in range(300_000)))


def modules_of_trace(make):
    """Modules and Python frames that nest 400,000 levels deep, between two ops."""
    def event(i):
        name = (f"nn.Module: Block_{i}", f"model.py({i}): forward")[i % 2]
        return (trace_op(0, f', "args": {{"Python id": {i + 1}, "Python parent id": {i or "null"}}}')
                .replace('"ts":10,"dur":5', f'"ts":{i},"dur":{1_000_000 - 2 * i}')
                .replace("cpu_op", "python_function").replace("aten::add", name))
    trace(make, itertools.chain(map(event, range(400_000)), [trace_op(200_000)]))


def packed_trace(make):
    """A gzip file of 2 GB of spaces."""
    with gzip.open(make.path, "wb", compresslevel=9) as file:
        file.write(b'{"schemaVersion": 1, "traceEvents": [')
        for _ in range(2000):
            file.write(b" " * 1_000_000)


def long_name_of_trace(make):
    """A gzip file of 1 MB with a name of 0.95 GB: with 1 GB it would be refused, as packed_trace is."""
    before, _, after = trace_op(0).partition("add")
    with gzip.open(make.path, "wb", compresslevel=9) as file:
        file.write(b'{"schemaVersion": 1, "traceEvents": [' + before.encode())
        for _ in range(950):
            file.write(b"x" * 1_000_000)
        file.write((after + "," + trace_op(1) + "]}").encode())


def ids_of_trace(make):
    """Ids of more than 64 bits wherever there is one."""
    def big(i):
        return f"9{i:029}"
    def event(i):
        category, ids = (("cpu_op", ("External id", "Sequence number", "Fwd thread id", "Ev Idx")),
                         ("python_function", ("Python id", "Python parent id", "Python module id")),
                         ("cuda_runtime", ("correlation",)),
                         ("kernel", ("device", "stream", "context", "correlation", "graph id", "graph node id")),
                         ("cuda_sync", ("stream", "wait_on_stream", "wait_on_cuda_event_id", "correlation")))[i % 5]
        args = ", ".join(f'"{key}": {big(i)}' for key in ids)
        return (trace_op(i, ', "args": {' + args + "}").replace('"pid":1,"tid":1', f'"pid":{big(i % 50)},"tid":{big(i)}')
                .replace("cpu_op", category))
    trace(make, (event(i) for i in range(100_000)))


def syncs_of_trace(make):
    """Synchronization and counters of a GPU each, also of negative ones, as many GPUs with memory as there may be, and
    kernels on 250 of them. The engine keeps what the host did with each GPU that ran kernels: with 1,000 it would need
    the memory that it may take, and end with an error or not by chance."""
    def event(i):
        gpu = i // 4 % 1000
        if i % 4 == 0:
            return f'{{"ph":"C","name":"counter {i}","pid":{i},"ts":{10 * i},"args":{{"value {i}":{i}}}}}'
        if i % 4 == 1:
            return (f'{{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":{10 * i},'
                    f'"args":{{"Device Type":1,"Device Id":{gpu},"Addr":{i},"Bytes":512,"Total Allocated":{i},'
                    f'"Total Reserved":{i}}}}}')
        if i % 4 == 2:
            return trace_op(i, f', "args": {{"device": {gpu % 250}, "stream": {i}}}').replace("cpu_op", "kernel")
        device = -i if i % 3 == 0 else i
        return trace_op(i, f', "args": {{"cuda_sync_kind": "kind {i}", "device": {device}, "stream": {i}}}').replace(
            "cpu_op", "cuda_sync")
    trace(make, (event(i) for i in range(100_000)))


NCU_LAUNCH = '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC"'
NCU_DETAILS = NCU_LAUNCH + ',"Section Name","Metric Name","Metric Unit","Metric Value"\n'


def ncu_cells(i, kernel="k"):
    return f'"{i}","4242","python3","127.0.0.1","{kernel}","1","7","(128, 1, 1)","(64, 1, 1)","0","8.0"'


def counters(make, lines):
    """Writes an Nsight Compute CSV; the planted run is the profile beside it."""
    with open(make.path, "w", encoding="utf-8", newline="") as file:
        file.writelines(lines)


def planted_counters(make, page="details", first=None):
    launches = [] if first is None else ["--ncu-launches", f"first {first}"]
    subprocess.run([make.dlview, "generate", make.path.with_name("planted.sqlite"), "--format", "nsys", "--limits", "a100",
                    "--ncu", make.path, "--ncu-page", page, *launches, "--overwrite"], check=True, capture_output=True)


def cut_off_counters(make):
    """A file that ends within a cell."""
    planted_counters(make)
    data = make.path.read_bytes()
    make.path.write_bytes(data[:len(data) // 2].rpartition(b'"')[0] + b'"12')


def mixed_locales(make):
    """Numbers of a German and of an English file by turns."""
    counters(make, itertools.chain([NCU_DETAILS], (
        f'{ncu_cells(i)},"GPU Speed Of Light Throughput","Elapsed Cycles","cycle","{("1.234.567,50", "1,234,567.50")[i % 2]}"\n'
        for i in range(200_000))))


def nul_bytes(make):
    planted_counters(make)
    make.path.write_bytes(make.path.read_bytes().replace(b"4242", b"\0\0\0\0").replace(b"7", b"\0"))


def huge_cells(make):
    """Kernel names of 40 MB each, with quotes that are doubled."""
    counters(make, itertools.chain([NCU_DETAILS], (
        f'{ncu_cells(i, (chr(34) * 2) * 20_000_000)},"Occupancy","Achieved Occupancy","%","50"\n' for i in range(3))))


def unclosed_quote(make):
    """A quote that never ends, before 60 MB of rows."""
    row = ncu_cells(0) + ',"Occupancy","Achieved Occupancy","%","50"\n'
    counters(make, itertools.chain([NCU_DETAILS, '"0","4242","python3'], itertools.repeat(row, 500_000)))


def many_counter_rows(make):
    """A million rows, ten for each launch."""
    counters(make, itertools.chain([NCU_DETAILS], (
        f'{ncu_cells(i // 10, f"kernel_{i // 10}")},"Occupancy","metric {i % 10}","%","{i % 100}.25"\n'
        for i in range(1_000_000))))


def a_metric_each(make):
    """A name, section and unit of its own in every row."""
    counters(make, itertools.chain([NCU_DETAILS], (
        f'{ncu_cells(i // 100)},"Section {i}","metric {i}","unit {i}","{i}"\n' for i in range(300_000))))


def wide_raw_page(make):
    """50,000 columns, of which most are empty."""
    names = "".join(f',"unit__metric_{i}.sum"' for i in range(50_000))
    rows = (ncu_cells(i) + ',"1"' + ',""' * 49_999 + "\n" for i in range(100))
    counters(make, itertools.chain([NCU_LAUNCH + names + "\n", ",".join(['""'] * 50_011) + "\n"], rows))


def one_join_key(make):
    """A million launches of one kernel of the profile, which ran a few times."""
    planted_counters(make, "raw", 1)
    header, units, row = make.path.read_text().splitlines()
    cells = row.partition(",")[2]
    counters(make, itertools.chain([header + "\n", units + "\n"], (f'"{i}",{cells}\n' for i in range(1_000_000))))


def many_headers(make):
    """A header before each row."""
    row = ncu_cells(0) + ',"Occupancy","Achieved Occupancy","%","50"\n'
    counters(make, itertools.repeat(NCU_DETAILS + row, 200_000))


def deep_counter_ranges(make):
    """10,000 NVTX ranges around each launch."""
    header = NCU_DETAILS.replace('"Host Name",', '"Host Name","thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:'
                                 'Msg_Type:Msg","Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",')
    states = "4242" + ' ""<default domain>:r:none:none:none:none:none:none""' * 10_000
    cells = ncu_cells(0).replace('"127.0.0.1",', f'"127.0.0.1","{states}","",')
    counters(make, itertools.chain([header], (f'{cells},"Occupancy","metric {i}","%","50"\n' for i in range(100))))


def wrong_counters(make):
    """Another CSV, as a spreadsheet writes it."""
    counters(make, itertools.chain(["name;time\n"], (f"k{i};{i}\n" for i in range(100_000))))


COUNTERS = (cut_off_counters, mixed_locales, nul_bytes, huge_cells, unclosed_quote, many_counter_rows, a_metric_each,
            wide_raw_page, one_join_key, many_headers, deep_counter_ranges, wrong_counters)

# The first line of the error of files that are refused; others open.
ERRORS = {
    shared_overflow: "The file is damaged",
    shared_overflow_of_names: "The file is damaged",
    circular_overflow: "The file is damaged",
    computed_column: "The file is damaged",
    text_beyond_the_limit: "A row of the file is too large",
    thin_rows: "The file takes too much memory",
    virtual_table: "The file cannot be read",
    packed_trace: "The compressed file is too large",
    nul_bytes: "The file is damaged",
    huge_cells: "A line of the file is too long",
    wrong_counters: "No Nsight Compute counters in the file",
}
MAKERS = (shared_overflow, shared_overflow_of_names, circular_overflow, long_texts, text_beyond_the_limit,
          deep_ranges, slashes, slashes_in_ops, a_stream_each, a_device_each, a_thread_each, all_at_once,
          a_name_each, long_kernel_names, chained_kernel_names, thin_rows, view_without_end, computed_column,
          virtual_table, many_tables, many_iterations, a_path_each, busy_threads, keys_of_trace,
          names_of_trace, quotes_of_trace, depth_of_trace, open_trace, nested_trace, packed_trace,
          long_name_of_trace, ids_of_trace, syncs_of_trace, modules_of_trace, *COUNTERS)


# Further tables of a kind of file.
TREES = {
    nested_trace: ("torch_op_tree",),
    modules_of_trace: ("modules", "stack_tree"),
}


def size_of(path):
    """Bytes that dlview's limits grow with: of a gzip file those that it unpacks to."""
    with open(path, "rb") as file:
        if file.read(2) != b"\x1f\x8b":
            return path.stat().st_size
        file.seek(-4, os.SEEK_END)
        return int.from_bytes(file.read(), "little")


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(command, folder, limit_s):
    """Returns exit code (None: too slow), seconds, bytes of memory and standard error."""
    said = folder / "stderr"
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder), "TMPDIR": str(folder)}
    environment.pop("DLVIEW_LIMITS", None)
    began = time.monotonic()
    with said.open("wb") as stderr:
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=stderr)
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            seconds = time.monotonic() - began
            if pid != 0:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, seconds, usage.ru_maxrss * 1024, said.read_text(errors="replace")
            # Like dlview's own limit: time in which other programs had the processors does not count.
            if seconds > limit_s and (processor_seconds(process.pid) > limit_s or seconds > 10 * limit_s):
                process.kill()
                process.wait()
                return None, seconds, 0, ""
            time.sleep(0.01)


def attempts(maker, dlview, path, folder):
    if maker in COUNTERS:
        profile = folder / "planted.sqlite"
        if not profile.exists():
            subprocess.run([dlview, "generate", profile, "--format", "nsys", "--limits", "a100"], check=True,
                           capture_output=True)
        yield [dlview, "roofline", profile, "--ncu", path, "--no-cache"]
        yield [dlview, "table", profile, "--ncu", path, "--table", "ncu_launches", "--no-cache"]
        return
    yield [dlview, "info", path, "--no-cache"]
    yield [dlview, "table", path, "--table", "op_nodes", "--no-cache"]
    yield [dlview, "table", path, "--table", "finding_checks", "--no-cache"]
    for table in TREES.get(maker, ()):
        yield [dlview, "table", path, "--table", table, "--no-cache"]
    yield [dlview, "screenshot", path, "--view", "timeline", "--no-cache", "-o", folder / "view.png"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dlview", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--slow", type=float, default=1, help="factor for the time on a slow or busy machine")
    parser.add_argument("--only", help="one kind of file")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("hostile"))
    options = parser.parse_args()
    faults = 0
    for maker in MAKERS:
        if options.only and maker.__name__ != options.only:
            continue
        with tempfile.TemporaryDirectory(prefix="dlview-hostile-") as folder:
            folder = pathlib.Path(folder)
            path = folder / "profile.sqlite"
            # In a process of its own: a child is charged with the memory that its parent had.
            making = multiprocessing.Process(target=maker, args=(Maker(options.dlview, path),))
            making.start()
            making.join()
            if making.exitcode != 0:
                sys.exit(f"{maker.__name__} cannot be made")
            size = size_of(path)
            seconds_limit = (5 + 30 * size / 1e9) * options.slow
            memory_limit = (512 << 20) + 4 * size + PROGRAM_BYTES
            for command in attempts(maker, options.dlview, path, folder):
                # The rest is for the end of the program and, in pictures, for making a context.
                code, seconds, memory, said = run(command, folder, seconds_limit + 2 * options.slow)
                wrong = []
                if code is None:
                    wrong.append("too slow")
                elif code != (2 if maker in ERRORS else 0) or not said.startswith(ERRORS.get(maker, "")):
                    wrong.append(f"exit code {code}: {said[-300:]}")
                # Others make a table or a picture, too.
                if command[1] in ("info", "roofline") and memory > memory_limit:
                    wrong.append("too much memory")
                print(f"{maker.__name__:26} {command[1]:10} {size / 1e6:7.1f} MB {seconds:6.2f} of "
                      f"{seconds_limit:5.1f} s, {memory / 2**20:5.0f} of {memory_limit / 2**20:5.0f} MiB, exit code "
                      f"{code} {'; '.join(wrong) or said.partition(chr(10))[0]}", flush=True)
                if wrong:
                    faults += 1
                    options.keep.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, options.keep / f"{maker.__name__}.sqlite")
    print(f"{faults} faults")
    sys.exit(faults > 0)


main()
