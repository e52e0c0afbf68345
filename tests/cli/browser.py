# SPDX-License-Identifier: MIT
"""A headless Chromium, driven through two pipes by its debugging protocol: JSON with a zero byte after each message."""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)

# The protocol wants the pipes as descriptors 3 and 4.
PLACED = """import fcntl, os, sys
high = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3]]
for place, number in zip((3, 4), high):
    os.dup2(number, place)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One page at a time. `complaints`: what the console and the network had to say about it."""

    def __init__(self, seconds=120):
        self.seconds, self.folder, self.next, self.rest, self.complaints, self.requests = seconds, tempfile.mkdtemp(), 0, b"", [], []
        to_browser, self.input = os.pipe()
        self.output, from_browser = os.pipe()

        self.process = subprocess.Popen(
            [sys.executable, "-c", PLACED, str(to_browser), str(from_browser), PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--disable-background-networking",
             f"--user-data-dir={self.folder}", "--remote-debugging-pipe", "about:blank"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.session = None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(domain + ".enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.input)
        os.close(self.output)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self, until):
        while b"\0" not in self.rest:
            if not select.select([self.output], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError(f"no answer of {PROGRAM} in {self.seconds} s")
            piece = os.read(self.output, 1 << 20)
            if not piece:
                raise EOFError(f"{PROGRAM} has ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        kind, values = message.get("method"), message.get("params", {})
        if kind == "Runtime.exceptionThrown":
            self.complaints.append(values["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif kind == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(values["args"]))
        elif kind == "Log.entryAdded":
            self.complaints.append(values["entry"]["text"])
        elif kind == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])

    def call(self, method, **parameters):
        self.next += 1
        message = {"id": self.next, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.input, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + self.seconds
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.next:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def open(self, path, width, height, scheme):
        self.complaints, self.requests = [], []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        until = time.monotonic() + self.seconds
        while self.run("document.readyState") != "complete" and time.monotonic() < until:
            time.sleep(0.05)

    def run(self, expression):
        """The value of an expression of JavaScript."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def press(self, key, code=None, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, text=text if kind == "keyDown" else "",
                      windowsVirtualKeyCode={"Tab": 9, "Enter": 13, "ArrowRight": 39, "ArrowDown": 40, "ArrowLeft": 37, "ArrowUp": 38}[key])

    def point(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def screenshot(self, path, height=None):
        clip = {} if height is None else {"clip": {"x": 0, "y": 0, "width": self.run("innerWidth"), "height": height, "scale": 1}}
        data = self.call("Page.captureScreenshot", captureBeyondViewport=height is not None, **clip)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
