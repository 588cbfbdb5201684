"""Debian's chromium without a window, driven through a pipe: what a page does when somebody opens it.

    with Browser() as browser:
        page = browser.open("/tmp/run.html")
        page.evaluate("document.title")

Needs nothing but Python and chromium. `find()` is None where there is no chromium.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


def find():
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


FLAGS = ["--headless=new", "--no-sandbox", "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--mute-audio", "--hide-scrollbars", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-pipe"]


class Page:
    """An open page, and everything that it asked for or complained about."""

    def __init__(self, browser, session):
        self.browser, self.session = browser, session
        self.requests, self.complaints = [], []

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise AssertionError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def wait(self, expression, seconds=600):
        end = time.monotonic() + seconds
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {expression}; complaints: {self.complaints}")
            time.sleep(0.02)

    def key(self, key, code=None, text=None, modifiers=0):
        common = {"key": key, "code": code or key, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self, path=None):
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data

    def take(self, event):
        method, parameters = event["method"], event["params"]
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(a.get("value", a.get("description"))) for a in parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.complaints.append(parameters["entry"]["text"])


class Browser:
    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="sarrus-browser-")
        to_read, self.to = os.pipe()
        self.back, from_write = os.pipe()

        def place_pipes():  # chromium reads from 3 and writes to 4
            read, write = os.dup(to_read), os.dup(from_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen([find(), *FLAGS, f"--user-data-dir={self.folder}", "about:blank"], preexec_fn=place_pipes, close_fds=False,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_read)
        os.close(from_write)
        self.last, self.rest, self.pages = 0, b"", {}
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except Exception:  # whatever it was, the process has to go
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        while b"\0" not in self.rest:
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise AssertionError("chromium has ended")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session=None, **parameters):
        self.last += 1
        number = self.last
        order = {"id": number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        os.write(self.to, json.dumps(order).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            page = self.pages.get(answer.get("sessionId"))
            if page and "method" in answer:
                page.take(answer)

    def open(self, path, hash="", width=1200, height=900, features=(), script=None):
        """A file in a page of its own; `features`: [{"name": "prefers-color-scheme", "value": "dark"}]."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        if features:
            page.call("Emulation.setEmulatedMedia", features=list(features))
        if script:
            page.call("Page.addScriptToEvaluateOnNewDocument", source=script)
        page.call("Page.bringToFront")  # pages behind others get few frames
        page.call("Page.navigate", url=f"file://{os.path.abspath(path)}{'#' + hash if hash else ''}")
        page.wait("document.readyState === 'complete'")
        page.target = target
        return page

    def close(self, page):
        self.call("Target.closeTarget", targetId=page.target)
