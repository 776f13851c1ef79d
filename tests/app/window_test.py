#!/usr/bin/env python3
"""The real program in its real window, under a mouse and a keyboard.

Run below xvfb-run by ctest, with the path of dlview as its argument. Input comes from xdotool;
what the window shows is read from the file that --state-file names.
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import unittest

DLVIEW = sys.argv.pop(1)
TIMEOUT_S = 60


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
        }
        environment.pop("WAYLAND_DISPLAY", None)
        command = [DLVIEW, *arguments, "--scale", "1", "--state-file", self.state_file]
        self.process = subprocess.Popen(command, cwd=folder, env=environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def state(self):
        if self.process.poll() is not None:
            raise AssertionError(f"dlview ended with {self.process.returncode}")
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

    def quit(self):
        """Leaves by the keyboard; returns the exit code."""
        xdotool("key", "ctrl+q")
        return self.process.wait(TIMEOUT_S)

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")")[-1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def centre(rect):
    left, top, right, bottom = rect
    return round((left + right) / 2), round((top + bottom) / 2)


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

    def test_a_dragged_bound_changes_the_figures_while_it_is_dragged(self):
        with Window(self.folder, self.profile) as window:
            window.wait_for("the profile is open", lambda s: s["state"] == "open")
            xdotool("mousemove", 640, 780, "key", "ctrl+2")
            before = window.wait_for("the Iterations view is shown",
                                     lambda s: "iterations/bound_start" in s["items"])

            x, y = centre(before["items"]["iterations/bound_start"])
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
            xdotool("mousemove", 640, 400)
            self.assertEqual(window.quit(), 2)

    def test_the_theme_is_remembered(self):
        with Window(self.folder, self.profile) as window:
            window.wait_for("the profile is open", lambda s: s["state"] == "open")
            xdotool("mousemove", 640, 780, "key", "ctrl+t")
            window.wait_for("the light theme is shown", lambda s: s["theme"] == "light")
            self.assertEqual(window.quit(), 0)
        with Window(self.folder, self.profile) as window:
            window.wait_for("the light theme is shown", lambda s: s["theme"] == "light")


if __name__ == "__main__":
    unittest.main(verbosity=2)
