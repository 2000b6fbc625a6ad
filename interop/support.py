"""Helpers for scenarios: HTTP requests without the client, polling, and processes that end with the scenario."""

import atexit
import base64
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import httpx

BASE = os.environ["INTEROP_BASE_URL"]
_mark = uuid.uuid4().hex[:6]
_headers = {}
if os.environ.get("PREFECT_API_AUTH_STRING"):
    _headers["Authorization"] = "Basic " + base64.b64encode(os.environ["PREFECT_API_AUTH_STRING"].encode()).decode()
http = httpx.Client(base_url=BASE, timeout=30, headers=_headers)


def unique_name(name):
    """A name that is unique across scenarios and runs."""
    return f"{name}-{_mark}"


def request(method, path, body=None, status=None):
    """Sends a request without the client. Adds a CSRF token to requests that change something."""
    headers = {}
    if method != "GET":
        token = http.get("/csrf-token", params={"client": "interop"})
        if token.status_code == 200:
            headers = {"Prefect-Csrf-Token": token.json()["token"], "Prefect-Csrf-Client": "interop"}
    answer = http.request(method, path, json=body, headers=headers)
    good = answer.status_code == status if status else answer.is_success
    assert good, f"{method} {path} returned {answer.status_code}: {answer.text[:300]}"
    return answer.json() if answer.content else None


def wait_until(probe, what, seconds=60):
    """Polls until `probe` returns a truthy value, and returns it."""
    deadline = time.monotonic() + seconds * float(os.environ.get("INTEROP_PATIENCE", "1"))
    while True:
        found = probe()
        if found:
            return found
        assert time.monotonic() < deadline, f"timed out after {seconds} s waiting for {what}"
        time.sleep(0.3)


def run_of(run_id):
    return request("GET", f"/flow_runs/{run_id}")


def wait_for_state(run_id, *types, seconds=60):
    def probe():
        run = run_of(run_id)
        return run if run["state_type"] in types else None

    return wait_until(probe, f"run {run_id} to be {' or '.join(types)}, it is {run_of(run_id)['state']}", seconds)


def runs_of(**criteria):
    return request("POST", "/flow_runs/filter", {"flow_runs": criteria, "sort": "EXPECTED_START_TIME_DESC"})


def tasks_of(run_id, count):
    """Waits until `count` task runs of a flow run have ended, because they reach the server as events. Returns them."""

    def probe():
        found = request("POST", "/task_runs/filter", {"flow_runs": {"id": {"any_": [str(run_id)]}}})
        ended = [run for run in found if run["state_type"] in ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")]
        return found if len(ended) >= count else None

    found = wait_until(probe, f"{count} task runs of {run_id}")
    assert len(found) == count, f"{len(found)} task runs instead of {count}"
    return found


def messages_of(run_id, *wanted):
    """Waits until the logs of a run contain all `wanted` texts. Returns the messages."""

    def probe():
        logs = request("POST", "/logs/filter", {"logs": {"flow_run_id": {"any_": [str(run_id)]}}, "sort": "TIMESTAMP_ASC"})
        messages = [log["message"] for log in logs]
        return messages if all(any(word in message for message in messages) for word in wanted) else None

    return wait_until(probe, f"the logs {wanted}")


class Background:
    """A child process with its output in a file. It ends with the scenario at the latest."""

    def __init__(self, command, name):
        self.log = Path(f"{name}.log")
        self.process = subprocess.Popen(command, stdout=self.log.open("wb"), stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        atexit.register(self.stop)

    def wait_for_output(self, words, seconds=60):
        def probe():
            text = self.log.read_text(errors="replace")
            assert self.process.poll() is None or words in text, f"the process exited with {self.process.returncode}: {text[-800:]}"
            return words in text

        wait_until(probe, f"{words!r} in {self.log}", seconds)
        return self

    def stop(self, sign=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(sign)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def python(name, source):
    """Runs a Python script as a child process."""
    Path(name).write_text(source)
    return Background([sys.executable, name], name)


def worker(pool, *more):
    return Background(["prefect", "worker", "start", "--pool", pool, *more], "worker").wait_for_output("started!")


_commands = []


def prefect(*words, status=0, given=""):
    """Runs one `prefect` command. Returns its output."""
    if not _commands:
        program = str(Path(__file__).with_name("cli_server.py"))
        _commands.append(subprocess.Popen([sys.executable, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        atexit.register(_commands[0].kill)
    paths = {name: Path(f".command-{name}").absolute() for name in ("given", "printed")}
    paths["given"].write_text(given)
    paths["printed"].write_text("")
    command = {"words": [str(word) for word in words], **{name: str(path) for name, path in paths.items()}}
    _commands[0].stdin.write(json.dumps(command) + "\n")
    _commands[0].stdin.flush()
    ended = int(_commands[0].stdout.readline())
    printed = paths["printed"].read_text(errors="replace")
    assert ended == status, f"prefect {' '.join(command['words'])} exited with {ended}: {printed[-600:]}"
    return printed


def get_or_none(path):
    """The resource at a path, or None if it does not exist."""
    answer = http.get(path)
    assert answer.status_code in (200, 404), answer.text
    return answer.json() if answer.status_code == 200 else None
