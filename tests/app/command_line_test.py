"""The program's ends that only the whole program has: lost output, no stderr, no memory."""

import fcntl
import json
import os
import resource
import pty
import shlex
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

DLVIEW = ""


def limit_memory(megabytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def dlview(*arguments, **options):
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.run([DLVIEW, *arguments], text=True, timeout=120, check=False, **options)


def run_unless(condition):
    """Leaves a test out where it can't apply, which is no skip."""
    return (lambda test: None) if condition else (lambda test: test)


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "run.sqlite")

    def generate(self):
        made = dlview("generate", self.path, "--kernels", "500", "--iterations", "5")
        self.assertEqual(made.returncode, 0, made.stderr)

    def test_output_that_is_lost_is_an_error(self):
        self.generate()
        for arguments in (["info", self.path], ["info", self.path, "--json"],
                          ["verify", self.path], ["--licenses"], ["--version"]):
            with self.subTest(arguments), open("/dev/full", "w") as full:
                lost = dlview(*arguments, stdout=full)
                self.assertEqual(lost.returncode, 2)
                self.assertIn("Cannot write the output", lost.stderr)

    def test_an_option_in_front_of_the_command_is_refused(self):
        self.generate()
        misplaced = dlview("--iterations", "1:2", "info", self.path)
        self.assertEqual(misplaced.returncode, 2)
        self.assertIn("--iterations", misplaced.stderr)
        self.assertIn("dlview info", misplaced.stderr)

    def test_a_command_that_does_not_exist_is_not_taken_for_a_file(self):
        self.generate()
        for arguments in (["infoo", self.path], ["infoo", self.path, "--json"], ["infoo"]):
            with self.subTest(arguments):
                wrong = dlview(*arguments)
                self.assertEqual(wrong.returncode, 2)
                self.assertIn("Unknown command or file\n  infoo\n", wrong.stderr)
                self.assertIn("Did you mean `dlview info`?", wrong.stderr)
                self.assertNotIn(self.path, wrong.stderr)
        self.assertIn("Unknown command or file", dlview("nothing.sqlite").stderr)

    def test_a_command_for_one_file_refuses_a_second(self):
        self.generate()
        other = self.path + ".txt"
        with open(other, "w", encoding="utf-8") as text:
            text.write("no profile")
        folder = os.path.dirname(self.path)
        picture = os.path.join(folder, "run.png")
        for command in (["info"], ["verify"], ["table", "--list"],
                        ["report", "--output-dir", os.path.join(folder, "reports")],
                        ["screenshot", "-o", picture]):
            for files in ([self.path, other], [other, self.path]):
                with self.subTest(command=command, files=files):
                    refused = dlview(command[0], *files, *command[1:])
                    self.assertEqual(refused.returncode, 2)
                    self.assertIn(files[1], refused.stderr)
        self.assertFalse(os.path.exists(picture))
        self.assertEqual(dlview("compare", self.path, other).returncode, 2)

    def test_version_names_commit_engines_and_libraries(self):
        told = dlview("--version")
        self.assertEqual(told.returncode, 0, told.stderr)
        facts = json.loads(dlview("--version", "--json").stdout)
        self.assertEqual(list(facts), ["version", "commit", "commit_date", "engines", "compiler",
                                       "libraries"])
        self.assertIn("cpu", facts["engines"])
        for library in ("Dear ImGui", "SQLite", "fmt", "oneTBB", "RE2", "GLFW"):
            self.assertRegex(facts["libraries"][library], r"^\d+\.\d+|^\d{8}$")
            self.assertIn(f"{library} {facts['libraries'][library]}", told.stdout)
        self.assertIn(f"commit: {facts['commit']}\n", told.stdout)
        self.assertEqual(dlview("--json").returncode, 2)

    def test_completion_scripts_ask_the_program(self):
        for shell in ("bash", "zsh", "fish"):
            with self.subTest(shell):
                script = dlview("completion", shell)
                self.assertEqual(script.returncode, 0, script.stderr)
                self.assertIn("__complete", script.stdout)
        self.assertEqual(dlview("completion", "tcsh").returncode, 2)
        offered = dlview("__complete", "--theme", "")
        self.assertEqual(offered.stdout, ":words\ndark\nlight\n")

    def test_help_is_a_command_too(self):
        for by_command, by_option in ((["help"], ["--help"]),
                                      (["help", "info"], ["info", "--help"])):
            told = dlview(*by_command)
            self.assertEqual(told.returncode, 0, told.stderr)
            self.assertEqual(told.stdout, dlview(*by_option).stdout)

    def test_a_wrong_command_line_is_answered_with_examples(self):
        missing = dlview("screenshot", self.path)
        self.assertEqual(missing.returncode, 2)
        self.assertIn("--output is required", missing.stderr)
        self.assertIn("dlview screenshot run.sqlite -o run.png", missing.stderr)
        unknown = dlview("screenshot", self.path, "-o", "x.png", "--them", "light")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("Did you mean --theme?", unknown.stderr)

    def test_unexpected_arguments_are_in_their_order(self):
        refused = dlview("verify", self.path, "b", "c", "d")
        self.assertEqual(refused.returncode, 2)
        self.assertEqual(refused.stderr.splitlines()[0],
                         "The following arguments were not expected: b c d")

    def test_an_invalid_value_has_one_form(self):
        for arguments, said in (
                (["info", "x", "--cut=y"], 'Invalid --cut: "y"\n  Valid values: start, end, stored\n'),
                (["compare", "x", "--csv=y"],
                 'Invalid --csv: "y"\n  Valid values: waterfall, ops, kernels, matching, checks, verdict, '
                 'categories\n'),
                (["generate", "x", "--format=y"],
                 'Invalid --format: "y"\n  Valid values: dlprof, nsys, pytorch\n'),
                (["completion", "y"], 'Invalid SHELL: "y"\n  Valid values: bash, zsh, fish\n'),
                (["generate", "x", "--gpus=y"], 'Invalid --gpus: "y"\n  Write an integer\n'),
                (["screenshot", "x", "-o", "x.png", "--scale=y"],
                 'Invalid --scale: "y"\n  Write a number\n')):
            with self.subTest(arguments):
                refused = dlview(*arguments)
                self.assertEqual(refused.returncode, 2)
                self.assertEqual(refused.stderr[:len(said)], said)

    def test_a_part_of_the_timeline_is_not_asked_of_another_view(self):
        self.generate()
        picture = self.path + ".png"
        for option in (["--iteration", "1"], ["--time", "1ms:2ms"], ["--beside", "2"]):
            with self.subTest(option):
                refused = dlview("screenshot", self.path, "-o", picture, "--view", "dashboard",
                                 *option)
                self.assertEqual(refused.returncode, 2)
                self.assertIn("not to --view dashboard", refused.stderr)
        jpeg = dlview("screenshot", self.path, "-o", self.path + ".jpg")
        self.assertEqual(jpeg.returncode, 2)
        self.assertIn("-o " + self.path + ".png", jpeg.stderr)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["run.sqlite"])

    def test_an_export_is_nothing_to_verify(self):
        made = dlview("generate", self.path, "--format", "nsys", "--kernels", "500",
                      "--iterations", "5")
        self.assertEqual(made.returncode, 0, made.stderr)
        nothing = dlview("verify", self.path)
        self.assertEqual(nothing.returncode, 2)
        self.assertIn("is not a DLProf database", nothing.stderr)
        self.assertIn("dlview verify dlprof_dldb.sqlite --against " + self.path, nothing.stderr)

    def test_an_export_of_each_year_is_generated_and_opened(self):
        for year in ("2021", "2023", "2026"):
            with self.subTest(year):
                made = dlview("generate", self.path, "--format", "nsys", "--schema", year,
                              "--kernels", "500", "--iterations", "5", "--overwrite")
                self.assertEqual(made.returncode, 0, made.stderr)
                info = dlview("info", self.path, "--json")
                self.assertEqual(info.returncode, 0, info.stderr)
                self.assertEqual(json.loads(info.stdout)["counts"]["kernels"], 500)
        wrong = dlview("generate", self.path, "--schema", "2023", "--overwrite")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("requires --format nsys", wrong.stderr)

    def test_a_run_of_ranks_is_generated_and_opened(self):
        small = ["--ranks", "3", "--iterations", "4", "--kernels", "240"]
        for form, ends in (("nsys", "_2.sqlite"), ("pytorch", ".json"), ("dlprof", "_2.sqlite")):
            with self.subTest(form):
                folder = self.path + form
                made = dlview("generate", folder, *small, "--format", form)
                self.assertEqual((made.returncode, made.stdout), (0, folder + "\n"), made.stderr)
                files = sorted(name for name in os.listdir(folder) if name != "truth.json")
                self.assertEqual(len(files), 3)
                self.assertTrue(files[2].endswith(ends), files)
                info = dlview("info", os.path.join(folder, files[2]), "--json")
                self.assertEqual(json.loads(info.stdout)["counts"]["kernels"], 240)
        full = dlview("generate", self.path + "nsys", *small)
        self.assertEqual(full.returncode, 2)
        self.assertIn("The folder is not empty\n  " + self.path + "nsys\n", full.stderr)
        for arguments, text in ((["--skew", "ofset=5ms"], "Write offset=5ms"),
                                (["--gpus", "2"], "cannot be combined with --ranks"),
                                (["--overwrite"], "cannot be combined with --ranks")):
            wrong = dlview("generate", self.path + "new", *small, *arguments)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn(text, wrong.stderr)
            self.assertFalse(os.path.exists(self.path + "new"))
        alone = dlview("generate", self.path, "--skew", "offset=5ms")
        self.assertEqual(alone.returncode, 2)
        self.assertIn("--skew: requires --ranks", alone.stderr)

    def test_secrets_of_an_export_stay_in_it(self):
        made = dlview("generate", self.path + "d", "--ranks", "2", "--iterations", "4",
                      "--kernels", "240")
        self.assertEqual(made.returncode, 0, made.stderr)
        export = os.path.join(self.path + "d", "report_1.sqlite")
        with open(export, "rb") as file:
            self.assertIn(b"planted-secret", file.read())
        page = self.path + ".html"
        for arguments in (["info", export], ["info", export, "--json"],
                          ["table", export, "--table", "system_config"],
                          ["report", export, "--html", page, "--with-host"]):
            printed = dlview(*arguments)
            self.assertEqual(printed.returncode, 0, printed.stderr)
            self.assertNotIn("planted-secret", printed.stdout + printed.stderr)
        with open(page, encoding="utf-8") as file:
            self.assertNotIn("planted-secret", file.read())

    def test_a_state_string_chooses_what_the_options_choose(self):
        self.generate()
        by_options = dlview("info", self.path, "--json", "--iterations", "1:3", "--cut", "end",
                            "--key-op", "TRAIN_STEP_1")
        by_state = dlview("info", self.path, "--json", "--state",
                          "view=iterations,range=1:3,cut=end,key-op=TRAIN_STEP_1")
        self.assertEqual(by_state.returncode, 0, by_state.stderr)
        self.assertEqual(by_state.stdout, by_options.stdout)
        self.assertNotEqual(by_state.stdout, dlview("info", self.path, "--json").stdout)
        wrong = dlview("info", self.path, "--state", "color=red")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("Invalid --state: ", wrong.stderr)

    def test_a_time_that_ends_before_it_begins_is_refused(self):
        picture = self.path + ".png"
        for wrong, said in (["--time=3s:1s", "Invalid --time"],
                            ["--iteration=-1", "is not an iteration number"]):
            with self.subTest(wrong):
                refused = dlview("screenshot", self.path, "-o", picture, wrong)
                self.assertEqual(refused.returncode, 2)
                self.assertIn(said, refused.stderr)
                self.assertFalse(os.path.exists(picture))

    def table(self, output, **options):
        return dlview("table", self.path, "--table", "op_nodes", "--no-cache", "--format", "csv",
                      *(["-o", output] if output else []), **options)

    def test_output_goes_into_a_device_or_pipe_and_never_replaces_it(self):
        self.generate()
        printed = self.table("").stdout
        self.assertGreater(len(printed), 100)
        full = self.table("/dev/full")
        self.assertEqual(full.returncode, 2)
        self.assertIn("No space left on device", full.stderr)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        self.assertEqual(self.table("/dev/stdout").stdout, printed)

        fifo = self.path + ".fifo"
        os.mkfifo(fifo)
        read = []

        def read_fifo():
            with open(fifo) as file:
                read.append(file.read())

        reader = threading.Thread(target=read_fifo)
        reader.start()
        self.assertEqual(self.table(fifo).returncode, 0)
        reader.join(60)
        self.assertEqual(read, [printed])
        self.assertTrue(stat.S_ISFIFO(os.stat(fifo).st_mode))

        with open(self.path + ".log", "w+") as log:
            log.write("before\n")
            log.flush()
            self.assertEqual(self.table("/dev/stdout", stdout=log).returncode, 0)
            log.seek(0)
            self.assertEqual(log.read(), "before\n" + printed)

    def test_a_file_keeps_its_mode_and_a_link_its_place(self):
        self.generate()
        file, link = self.path + ".csv", self.path + ".latest.csv"
        open(file, "w").close()
        os.chmod(file, 0o600)
        os.symlink(file, link)
        self.assertEqual(self.table(link).returncode, 0)
        self.assertTrue(os.path.islink(link))
        self.assertGreater(os.path.getsize(file), 100)
        self.assertEqual(stat.S_IMODE(os.stat(file).st_mode), 0o600)
        database = dlview("generate", "/dev/null", "--overwrite", "--kernels", "500")
        self.assertEqual(database.returncode, 2)
        self.assertIn("not a regular file", database.stderr)

    def test_a_signal_leaves_no_unfinished_file(self):
        folder = os.path.dirname(self.path)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = subprocess.Popen([DLVIEW, "generate", self.path, "--kernels", "200000"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 100
            while not os.listdir(folder) and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.wait(60), -number)
            self.assertEqual(os.listdir(folder), [])

    def test_a_file_that_may_not_grow_is_an_error(self):
        self.generate()
        small = dlview("table", self.path, "--table", "kernel_summaries", "-o", self.path + ".csv",
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual(small.returncode, 2)
        self.assertIn("File too large", small.stderr)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["run.sqlite"])

    def test_opening_leaves_nothing_in_the_temporary_folder(self):
        self.generate()
        logged = self.path + ".logged"
        shutil.copy(self.path, logged)
        writer = sqlite3.connect(logged)
        writer.executescript("PRAGMA journal_mode = WAL; UPDATE dictionary SET string = string;")
        for path in (self.path, logged):  # the second has a -wal beside it
            with self.subTest(path), tempfile.TemporaryDirectory() as temporary:
                opened = dlview("info", path, "--no-cache",
                                env={**os.environ, "TMPDIR": temporary})
                self.assertEqual(opened.returncode, 0, opened.stderr)
                self.assertEqual(os.listdir(temporary), [])
        writer.close()

    def test_names_do_not_command_a_terminal(self):
        self.generate()
        with sqlite3.connect(self.path) as database:
            database.execute("UPDATE dictionary SET string = '\x1b]0;owned\x07\u009b31m' || "
                             "string")
        database.close()
        self.assertIn("\x1b]0;owned\x07\u009b31m", self.table("").stdout, "a pipe gets all bytes")
        ours, terminal = pty.openpty()
        shown = []

        def read():
            try:
                while block := os.read(ours, 65536):
                    shown.append(block)
            except OSError:
                pass  # the other end was closed

        reader = threading.Thread(target=read)
        reader.start()
        self.assertEqual(self.table("", stdout=terminal, stderr=terminal).returncode, 0)
        os.close(terminal)
        reader.join(60)
        os.close(ours)
        text = b"".join(shown)
        self.assertIn(b"\\x1b]0;owned\\x07\\xc2\\x9b31m", text)
        for command in (b"\x1b", b"\x07", b"\xc2\x9b"):
            self.assertNotIn(command, text)

    def test_driving_a_file_that_cannot_be_opened_fails(self):
        script = self.path + ".txt"
        with open(script, "w") as file:
            file.write("frames 1\n")
        driven = dlview("drive", self.path, "--script", script)
        self.assertEqual(driven.returncode, 2)
        self.assertIn("The file does not exist", driven.stderr)

    def test_driving_another_file_that_is_not_a_profile_fails(self):
        self.generate()
        script, text = self.path + ".script", self.path + ".txt"
        for path in (script, text):
            with open(path, "w") as file:
                file.write("frames 1\n")
        for bad, title in ((self.path + ".gone", "The file does not exist"), (text, "The file is text")):
            driven = dlview("drive", self.path, bad, "--script", script)
            self.assertEqual(driven.returncode, 2)
            self.assertIn(title, driven.stderr)
        with open(script, "w") as file:
            file.write(f"drop {text}\nkey Enter\n")
        dropped = dlview("drive", self.path, "--script", script)
        self.assertEqual(dropped.returncode, 2)
        self.assertIn("The file is text", dropped.stderr)
        self.assertEqual(dlview("drive", self.path, "--script", script, "--keep-going").returncode, 0)
        with open(script, "a") as file:
            file.write("command file.close\n")
        self.assertEqual(dlview("drive", self.path, "--script", script).returncode, 0)

    def test_advice_holds_a_path_that_a_shell_reads(self):
        self.path = os.path.join(os.path.dirname(self.path), "my $(run).sqlite")
        made = dlview("generate", self.path, "--format", "nsys", "--kernels", "500")
        self.assertEqual(made.returncode, 0, made.stderr)
        nothing = dlview("verify", self.path)
        self.assertIn("--against " + shlex.quote(self.path), nothing.stderr)

    def test_a_state_for_another_file_is_refused(self):
        self.generate()
        name = os.path.basename(self.path)
        named = dlview("info", self.path, "--state", f"file={name},range=0:1")
        self.assertEqual(named.returncode, 0, named.stderr)
        other = dlview("info", self.path, "--state", "file=other.sqlite,range=0:1")
        self.assertEqual(other.returncode, 2)
        self.assertIn("It contains file=other.sqlite", other.stderr)
        renamed = os.path.join(os.path.dirname(self.path), "after.sqlite")
        shutil.copy(self.path, renamed)
        for before, after in [(self.path, renamed), (renamed, self.path)]:
            compared = dlview("compare", before, after, "--state", f"file={name},range=0:1")
            self.assertEqual(compared.returncode, 0, compared.stderr)

    def test_a_message_that_nobody_can_read_changes_nothing(self):
        with open("/dev/full", "w") as full:
            self.assertEqual(dlview("info", self.path, stderr=full).returncode, 2)
        closed = dlview("info", self.path, preexec_fn=lambda: os.close(2))
        self.assertEqual(closed.returncode, 2)

    def recording(self, profile):
        """Puts a stand-in nsys on the PATH; its profile command is given."""
        folder = os.path.dirname(self.path)
        made = dlview("generate", self.path, "--format", "nsys", "--kernels", "500",
                      "--iterations", "5")
        self.assertEqual(made.returncode, 0, made.stderr)
        nsys = os.path.join(folder, "nsys")
        with open(nsys, "w") as script:
            script.write(f'''#!/bin/sh
if [ "$1" = export ]; then cp {self.path} "$7"; exit; fi
while [ "${{1#--output=}}" = "$1" ]; do shift; done
output=${{1#--output=}}; shift
{profile}''')
        os.chmod(nsys, 0o700)
        self.output = os.path.join(folder, "out")
        return {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]}

    def check_recorded(self):
        self.assertEqual(sorted(os.listdir(self.output)),
                         ["dlprof_summary.csv", "nsys_profile.nsys-rep", "nsys_profile.sqlite"])

    def test_a_recorded_program_has_input_and_output(self):
        env = self.recording('"$@"; code=$?; printf x > "$output.nsys-rep"; exit $code')
        recorded = dlview("record", "-o", self.output, "--reports=summary", "--", "sh", "-c",
                          "cat; echo said >&2; exit 3", input="typed\n", env=env)
        self.assertEqual(recorded.returncode, 3, recorded.stderr)
        self.assertEqual(recorded.stdout, "typed\n")
        self.assertIn("said\n", recorded.stderr)
        self.assertIn("Problem detected:", recorded.stderr)
        self.check_recorded()

    # Ends the program and finishes its report when it is interrupted. A shell gives no input to
    # what it starts in the background, unless it is told to.
    FINISHES = """
trap 'kill $program; wait $program; printf x > "$output.nsys-rep"; exit 0' INT TERM
exec 3<&0
"$@" <&3 & program=$!
wait $program
"""

    def start(self, folder, program, env, **options):
        started = self.path + ".started"
        process = subprocess.Popen(
            [DLVIEW, "record", "-o", folder, "--reports=summary", "--", "sh", "-c",
             f"{program} > {started}; exec sleep 100"], env=env, **options)
        self.wait_for(started)
        os.remove(started)
        return process

    def wait_for(self, file):
        deadline = time.monotonic() + 60
        while not (os.path.exists(file) and os.path.getsize(file)):
            self.assertLess(time.monotonic(), deadline, file)
            time.sleep(0.01)

    def test_a_signal_ends_a_recording_with_its_report(self):
        env = self.recording(self.FINISHES)
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                self.output = self.path + str(int(number))
                process = self.start(self.output, "echo", env, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                process.send_signal(number)
                _, said = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 128 + number, said)
                self.assertIn(b"Open it: dlview", said)
                self.check_recorded()

    def test_a_recording_ends_with_dlview(self):
        env = self.recording(self.FINISHES)
        process = self.start(self.output, "echo", env, stdin=subprocess.DEVNULL)
        process.kill()
        process.wait(60)
        self.wait_for(os.path.join(self.output, "nsys_profile.nsys-rep"))

    def test_ctrl_c_ends_a_recording_with_its_report(self):
        env = self.recording(self.FINISHES)
        ours, terminal = pty.openpty()
        os.write(ours, b"typed\n")

        def own_terminal():
            os.setsid()
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

        process = self.start(self.output, "head -n 1", env, stdin=terminal,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             preexec_fn=own_terminal)
        os.write(ours, b"\x03")
        _, said = process.communicate(timeout=60)
        os.close(ours)
        os.close(terminal)
        self.assertEqual(process.returncode, 130, said)
        self.check_recorded()

    # Sanitizers need more by themselves; .ci/run tests the release binary, too.
    @run_unless(os.environ.get("DLVIEW_SANITIZED"))
    def test_lack_of_memory_is_said(self):
        poor = dlview("generate", self.path, "--kernels", "20000000",
                      preexec_fn=limit_memory(400))
        self.assertEqual(poor.returncode, 2, poor.stderr)
        self.assertIn("Not enough memory", poor.stderr)
        self.assertFalse(os.path.exists(self.path))


if __name__ == "__main__":
    DLVIEW = sys.argv.pop(1)
    unittest.main(verbosity=2)
