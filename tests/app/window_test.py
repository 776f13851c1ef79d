#!/usr/bin/env python3
"""The real program in its real window, under a mouse and a keyboard.

Run below xvfb-run by ctest, with the path of dlview as its argument. Input comes from xdotool;
what the window shows is read from the file that --state-file names.
"""

import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

DLVIEW = sys.argv.pop(1)
TIMEOUT_S = 60
SANITIZED = "ASAN_OPTIONS" in os.environ  # tests/app/CMakeLists.txt
CLOSES = 4 if SANITIZED else 12
LONGEST_CLOSE_S = 10 if SANITIZED else 0.3


def xdotool(*words):
    return subprocess.run(["xdotool", *map(str, words)], check=True, capture_output=True, text=True).stdout


def wait_for(what, condition):
    """Returns the first true value of condition() and fails when there is none in time."""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"waited {TIMEOUT_S} s in vain: {what}")


class Window:
    """A running dlview, closed at the end whatever happens."""

    def __init__(self, folder, *arguments):
        self.state_file = folder / "state.json"
        self.state_file.unlink(missing_ok=True)
        environment = os.environ | {
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "XDG_STATE_HOME": str(folder / "state"),
        }
        environment.pop("WAYLAND_DISPLAY", None)
        command = [DLVIEW, *arguments, "--scale", "1", "--state-file", self.state_file]
        self.process = subprocess.Popen(command, cwd=folder, env=environment,
                                        stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def state(self):
        if self.process.poll() is not None:
            raise AssertionError(f"dlview ended with {self.process.returncode}: "
                                 f"{self.process.stderr.read()}")
        try:
            return json.loads(self.state_file.read_text())
        except FileNotFoundError:
            return {}

    def wait_for(self, what, condition):
        """Returns the first state for which condition(state) is true."""

        def state_if_true():
            state = self.state()
            return state if state and condition(state) else None

        return wait_for(what, state_if_true)

    def type_until(self, what, text, condition):
        """Types into the field that has the keyboard; again where a busy X server lost keys."""

        def typed():
            xdotool("key", "ctrl+a", "type", "--delay", 20, text)
            deadline = time.monotonic() + 5
            while time.monotonic() < deadline:
                state = self.state()
                if state and condition(state):
                    return state
                time.sleep(0.02)
            return None

        return wait_for(what, typed)

    def click(self, name):
        xdotool("mousemove", *center(self.state()["items"][name]), "click", 1)

    def quit(self):
        """Leaves by the keyboard; returns the exit code."""
        xdotool("key", "ctrl+q")
        return self.process.wait(TIMEOUT_S)

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")")[-1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def center(rect):
    left, top, right, bottom = rect
    return round((left + right) / 2), round((top + bottom) / 2)


def shown_ns(state):
    """How much of the run the Timeline shows; None while that is all of it."""
    part = re.search(r"time=(-?\d+):(-?\d+)", state["state_string"])
    return int(part[2]) - int(part[1]) if part else None


class WindowTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="dlview-window-")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.profile = cls.folder / "run.sqlite"
        subprocess.run([DLVIEW, "generate", cls.profile, "--iterations", "40", "--kernels", "4000"],
                       check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def setUp(self):
        shutil.rmtree(self.folder / "state", ignore_errors=True)  # what an earlier test looked at

    def test_a_dragged_bound_changes_the_figures_while_it_is_dragged(self):
        with Window(self.folder, self.profile) as window:
            window.wait_for("the profile is open", lambda s: s["state"] == "open")
            xdotool("mousemove", 640, 780, "key", "ctrl+2")
            before = window.wait_for("the Iterations view is shown",
                                     lambda s: "iterations/bound_start" in s["items"])

            x, y = center(before["items"]["iterations/bound_start"])
            xdotool("mousemove", x, y, "mousedown", 1)
            for step in range(1, 11):
                xdotool("mousemove", x + 30 * step, y)
            during = window.wait_for(
                "the numbers follow the bound",
                lambda s: s["selection"]["range"][0] > 5
                and s["aggregation"]["selection"] == s["selection"])
            xdotool("mouseup", 1)

            self.assertEqual(during["selection"]["range"][1], before["selection"]["range"][1])
            self.assertLess(during["aggregation"]["range_ns"], before["aggregation"]["range_ns"])
            self.assertLess(during["aggregation"]["kernel_launches"],
                            before["aggregation"]["kernel_launches"])
            self.assertNotEqual(during["values"]["iterations/wall_time"],
                                before["values"]["iterations/wall_time"])
            self.assertEqual(window.quit(), 0)

    def test_f12_writes_the_window_as_a_picture(self):
        with Window(self.folder, self.profile) as window:
            window.wait_for("the profile is open", lambda s: s["state"] == "open")
            xdotool("mousemove", 640, 780, "key", "F12")
            saved = window.wait_for("a notice tells of the picture",
                                    lambda s: s["notice"].startswith("Saved "))
            picture = pathlib.Path(saved["notice"].removeprefix("Saved "))
            data = picture.read_bytes()
            self.assertEqual(picture.parent, self.folder)
            self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(struct.unpack(">II", data[16:24]), (1280, 800))
            self.assertGreater(len(data), 20_000, "an empty window packs to far less")
            self.assertEqual(window.quit(), 0)

    def test_nothing_is_drawn_while_nothing_changes(self):
        with Window(self.folder, self.profile) as window:
            window.wait_for("the profile is open", lambda s: s["state"] == "open")
            time.sleep(1)
            before = window.cpu_seconds()
            time.sleep(2)
            self.assertLess(window.cpu_seconds() - before, 0.1)

    def test_a_file_that_cannot_be_opened_is_explained_and_gives_exit_code_2(self):
        text = self.folder / "notes.sqlite"
        text.write_text("no database at all\n")
        with Window(self.folder, text) as window:
            state = window.wait_for("the error is shown", lambda s: s["state"] == "failed")
            self.assertTrue(state["error"]["advice"])
            xdotool("mousemove", 640, 700)
            self.assertEqual(window.quit(), 2)
            self.assertIn(state["error"]["title"], window.process.stderr.read())

    def test_the_error_page_leads_to_another_file(self):
        text = self.folder / "notes.sqlite"
        text.write_text("no database at all\n")
        with Window(self.folder, text) as window:
            window.wait_for("the error is shown", lambda s: "page/file.open" in s["items"])
            window.click("page/file.open")
            window.wait_for("the list of files is shown", lambda s: s["overlay"] == "files")
            window.type_until("the path is typed", str(self.profile),
                              lambda s: s["values"].get("finder/query") == str(self.profile))
            xdotool("key", "Return")
            window.wait_for("the profile is open", lambda s: s["state"] == "open")
            self.assertEqual(window.quit(), 0)

    def test_the_strip_changes_the_range_in_the_dashboard(self):
        with Window(self.folder, self.profile) as window:
            xdotool("mousemove", 640, 700)
            before = window.wait_for("the strip is shown", lambda s: "strip/start" in s["items"])
            self.assertEqual(before["view"], "dashboard")
            x, y = center(before["items"]["strip/start"])
            xdotool("mousemove", x, y, "mousedown", 1)
            for step in range(1, 11):
                xdotool("mousemove", x + 30 * step, y)
            xdotool("mouseup", 1)
            after = window.wait_for(
                "the figures follow the strip",
                lambda s: s["selection"]["range"][0] > 5
                and s["aggregation"]["selection"] == s["selection"])
            self.assertLess(after["aggregation"]["range_ns"], before["aggregation"]["range_ns"])
            xdotool("key", "alt+Left")
            window.wait_for("the drag is taken back",
                            lambda s: s["selection"] == before["selection"])
            xdotool("key", "alt+Right")
            reached = after["selection"]["range"][0]  # or more: the drag may have gone on
            window.wait_for("the drag is there again",
                            lambda s: s["selection"]["range"][0] >= reached)
            self.assertEqual(window.quit(), 0)

    def test_the_wheel_and_typing_change_the_range(self):
        with Window(self.folder, self.profile) as window:
            window.wait_for("the profile is open", lambda s: s["state"] == "open")
            xdotool("mousemove", 640, 780, "key", "ctrl+2")
            state = window.wait_for("the fields are shown",
                                    lambda s: "iterations/start_field" in s["items"])
            first = state["selection"]["range"][0]
            x, y = center(state["items"]["iterations/start_field"])
            xdotool("mousemove", x, y)
            xdotool("click", 4)
            window.wait_for("the wheel moved the start",
                            lambda s: s["selection"]["range"][0] == first + 1)
            xdotool("mousemove", x - 10, y, "click", 1)
            xdotool("key", "ctrl+a")
            xdotool("type", "12")
            window.wait_for("the typed start is taken",
                            lambda s: s["selection"]["range"][0] == 12)
            xdotool("key", "Return")
            self.assertEqual(window.quit(), 0)

    def test_the_palette_and_go_to_are_typed_into(self):
        with Window(self.folder, self.profile) as window:
            window.wait_for("the profile is open", lambda s: s["state"] == "open")
            xdotool("mousemove", 640, 780, "key", "ctrl+shift+p")
            window.wait_for("the palette is shown", lambda s: s["overlay"] == "commands")
            window.type_until("the command is found", "kernel det",
                              lambda s: s["values"].get("finder/0") == "Show kernel details")
            xdotool("key", "Return")
            window.wait_for("the command ran", lambda s: s["kernel_details"])
            xdotool("key", "Escape")
            window.wait_for("Escape closed the pane", lambda s: not s["kernel_details"])
            xdotool("key", "ctrl+k")
            window.wait_for("Go to is shown", lambda s: s["overlay"] == "jump")
            window.type_until("the iteration is found", "17",
                              lambda s: s["values"].get("finder/0") == "Iteration 17")
            xdotool("key", "Return")
            window.wait_for("the iteration is shown",
                            lambda s: s["view"] == "iterations" and s["selected_iteration"] == 17)
            self.assertEqual(window.quit(), 0)

    def test_the_timeline_zooms_by_keys_and_wheel_and_tells_of_a_kernel(self):
        with Window(self.folder, self.profile) as window:
            window.wait_for("the profile is open", lambda s: s["state"] == "open")
            xdotool("mousemove", 640, 780, "key", "ctrl+3")
            state = window.wait_for("the lanes are shown",
                                    lambda s: "timeline/plot" in s["items"])
            self.assertIsNone(shown_ns(state))
            xdotool("mousemove", *center(state["items"]["timeline/plot"]), "key", "w")
            by_key = shown_ns(window.wait_for("W zoomed", lambda s: shown_ns(s)))
            xdotool("keydown", "ctrl", "click", 4, "keyup", "ctrl")
            by_wheel = shown_ns(window.wait_for("the wheel zoomed",
                                                lambda s: shown_ns(s) < by_key))
            xdotool("key", "s")
            window.wait_for("S zoomed out", lambda s: (shown_ns(s) or by_key) > by_wheel)
            for _ in range(12):
                xdotool("key", "w")
            window.wait_for("a kernel is drawn by itself",
                            lambda s: shown_ns(s) < by_wheel / 100
                            and "timeline/gpu_0/1/first" in s["items"])
            window.click("timeline/gpu_0/1/first")
            told = window.wait_for("the details tell of it",
                                   lambda s: s["values"].get("timeline/details/duration"))
            for fact in ["name", "start", "stream", "launched_by", "op", "iteration", "rank"]:
                self.assertTrue(told["values"].get("timeline/details/" + fact), fact)
            xdotool("key", "n")
            window.wait_for("N selected the next of its name",
                            lambda s: s["values"]["timeline/details/start"]
                            != told["values"]["timeline/details/start"]
                            and s["values"]["timeline/details/name"]
                            == told["values"]["timeline/details/name"])
            xdotool("key", "Escape")
            window.wait_for("Escape deselected it",
                            lambda s: "timeline/details/name" not in s["values"])
            self.assertEqual(window.quit(), 0)

    def test_the_key_op_picker_previews_what_is_pointed_at_and_escape_goes_back(self):
        with Window(self.folder, self.profile) as window:
            window.wait_for("the profile is open", lambda s: s["state"] == "open")
            xdotool("mousemove", 640, 780, "key", "ctrl+2")
            before = window.wait_for("the picker's field is shown",
                                     lambda s: "iterations/key_op_open" in s["items"])
            window.click("iterations/key_op_open")
            opened = window.wait_for("the ops are ranked",
                                     lambda s: "iterations/key_op_list/2" in s["values"])
            name = opened["values"]["iterations/key_op_list/2"]
            x, y = center(opened["items"]["iterations/key_op_list/" + name])
            moves = itertools.count()

            def is_previewed_while_the_mouse_moves(state):
                xdotool("mousemove", x + next(moves) % 2, y)
                return state["values"].get("iterations/preview", "").startswith("Preview: ")

            window.wait_for("the chart is a preview", is_previewed_while_the_mouse_moves)
            xdotool("key", "Escape")
            after = window.wait_for("the preview is gone",
                                    lambda s: "iterations/preview" not in s["values"]
                                    and "iterations/key_op_list/2" not in s["values"])
            self.assertEqual(after["selection"], before["selection"])
            window.click("iterations/key_op_open")
            window.wait_for("the search can be typed into",
                            lambda s: "iterations/key_op_search/cursor" in s["items"])
            xdotool("type", "tensor_sgd")
            found = window.wait_for("the search found an op",
                                    lambda s: s["values"].get("iterations/key_op_search") == "tensor_sgd")
            self.assertIn("tensor_sgd", found["values"]["iterations/key_op_list/0"])
            xdotool("key", "Return")
            window.wait_for("the run is cut at it", lambda s: "tensor_sgd" in s["values"]["iterations/key_op"])
            self.assertEqual(window.quit(), 0)

    def test_a_state_string_opens_view_range_key_op_and_cut(self):
        with Window(self.folder, self.profile, "--state",
                    "view=iterations,range=5:9,cut=end,key-op=TRAIN_STEP_1") as window:
            state = window.wait_for("the profile is open", lambda s: s["state"] == "open")
            self.assertEqual(state["view"], "iterations")
            self.assertEqual(state["selection"]["range"], [5, 9])
            self.assertEqual(state["selection"]["cut"], "end")
            self.assertEqual(state["selection"]["key_op"], "TRAIN_STEP_1")
            xdotool("mousemove", 640, 780)
            self.assertEqual(window.quit(), 0)

    def test_view_and_range_of_a_file_are_remembered_and_recent_files_listed(self):
        with Window(self.folder, self.profile, "--iterations", "5:9") as window:
            window.wait_for("the range is open",
                            lambda s: s["state"] == "open" and s["selection"]["range"] == [5, 9])
            xdotool("mousemove", 640, 780, "key", "ctrl+2")
            window.wait_for("the Iterations view is shown", lambda s: s["view"] == "iterations")
            self.assertEqual(window.quit(), 0)
        with Window(self.folder) as window:
            window.wait_for("the recent file is offered",
                            lambda s: "page/recent_0" in s["items"])
            window.click("page/recent_0")
            state = window.wait_for("the profile is open", lambda s: s["state"] == "open")
            self.assertEqual(state["selection"]["range"], [5, 9])
            self.assertEqual(state["view"], "iterations")
            self.assertEqual(window.quit(), 0)

    def test_a_range_beyond_the_end_opens_all_iterations_with_a_notice(self):
        with Window(self.folder, self.profile, "--iterations", "300:400") as window:
            state = window.wait_for("the profile is open", lambda s: s["state"] == "open")
            self.assertEqual(state["selection"]["range"], [0, state["aggregation"]["iterations"] - 1])
            self.assertIn("300:400", state["notice"])
            window.wait_for("the notice fades by itself", lambda s: s["notice"] == "")
            xdotool("mousemove", 640, 780)
            self.assertEqual(window.quit(), 0)

    @unittest.skipUnless(shutil.which("xprop"), "needs xprop")
    def test_the_window_keeps_its_least_size(self):
        with Window(self.folder, self.profile) as window:
            window.wait_for("the profile is open", lambda s: s["state"] == "open")
            found = xdotool("search", "--pid", window.process.pid, "--onlyvisible", "--name", "dlview")
            hints = subprocess.run(["xprop", "-id", found.split()[0], "WM_NORMAL_HINTS"],
                                   capture_output=True, text=True).stdout
            self.assertIn("minimum size: 900 by 600", hints)
            xdotool("mousemove", 640, 780)
            self.assertEqual(window.quit(), 0)

    def test_the_theme_is_remembered(self):
        with Window(self.folder, self.profile) as window:
            window.wait_for("the profile is open", lambda s: s["state"] == "open")
            xdotool("mousemove", 640, 780, "key", "ctrl+t")
            window.wait_for("the light theme is shown", lambda s: s["theme"] == "light")
            self.assertEqual(window.quit(), 0)
        with Window(self.folder, self.profile) as window:
            window.wait_for("the light theme is shown", lambda s: s["theme"] == "light")

    def remembered(self):
        return json.loads((self.folder / "state" / "dlview" / "files.json").read_text())

    def test_a_signal_that_ends_it_is_a_way_to_quit(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            shutil.rmtree(self.folder / "state", ignore_errors=True)
            with Window(self.folder, self.profile) as window:
                window.wait_for("the profile is open", lambda s: s["state"] == "open")
                xdotool("mousemove", 640, 780, "key", "ctrl+2")
                window.wait_for("the Iterations view is shown", lambda s: s["view"] == "iterations")
                window.process.send_signal(number)
                self.assertEqual(window.process.wait(TIMEOUT_S), 0)
            self.assertIn("view=iterations", self.remembered()[0]["state"])

    @unittest.skipUnless(shutil.which("Xvfb"), "needs Xvfb")
    def test_it_closes_soon_whatever_it_is_doing(self):
        large = self.folder / "large.sqlite"
        kernels = "20000" if SANITIZED else "500000"
        subprocess.run([DLVIEW, "generate", large, "--format", "nsys", "--kernels", kernels],
                       check=True, stdout=subprocess.DEVNULL)
        arguments = (large, "--state", "view=timeline", "--no-cache")
        started = time.monotonic()
        with Window(self.folder, *arguments) as window:
            window.wait_for("the file is open", lambda s: s["state"] == "open")
            # Then the engine, the lanes of the Timeline and the findings are made.
            whole = time.monotonic() - started + 1.5
            self.assertEqual(window.quit(), 0)
        for part in range(1, CLOSES + 1):
            for _ in range(3):  # others may keep the processors busy
                took = self.seconds_to_close(arguments, whole * part / CLOSES)
                if took < LONGEST_CLOSE_S:
                    break
            self.assertLess(took, LONGEST_CLOSE_S, f"closed after part {part} of {CLOSES}")

    def seconds_to_close(self, arguments, after):
        """How long the program takes to end: by the clock, or what it computes if that is less."""
        with Window(self.folder, *arguments) as window:
            time.sleep(after)
            computed, signalled = window.cpu_seconds(), time.monotonic()
            window.process.send_signal(signal.SIGTERM)
            _, status, usage = os.wait4(window.process.pid, 0)
            took = time.monotonic() - signalled
            window.process.returncode = os.waitstatus_to_exitcode(status)
            self.assertIn(window.process.returncode, (0, -signal.SIGTERM))  # it may have no window yet
            self.assertLess(took, 20 if SANITIZED else 3, "no close waits for long")
            return min(took, usage.ru_utime + usage.ru_stime - computed)

    def test_a_display_that_is_lost_does_not_take_the_state_along(self):
        server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.addCleanup(os.environ.__setitem__, "DISPLAY", os.environ["DISPLAY"])
        os.environ["DISPLAY"] = ":" + server.stdout.readline().strip()
        self.addCleanup(server.stdout.close)
        with Window(self.folder, self.profile) as window:
            window.wait_for("the profile is open", lambda s: s["state"] == "open")
            xdotool("mousemove", 640, 780, "key", "ctrl+2")
            window.wait_for("the Iterations view is shown", lambda s: s["view"] == "iterations")
            server.kill()
            self.assertNotEqual(window.process.wait(TIMEOUT_S), 0)
        self.assertIn("view=iterations", self.remembered()[0]["state"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
