# about: an automation calls a webhook and sends a notification when a run fails
# timeout: 150
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from support import request, unique_name, wait_until
from prefect import flow
from prefect.automations import Automation
from prefect.blocks.notifications import CustomWebhookNotificationBlock
from prefect.blocks.webhook import Webhook
from prefect.events.actions import CallWebhook, SendNotification
from prefect.events.schemas.automations import EventTrigger

heard = {}


class Listener(BaseHTTPRequestHandler):
    def do_POST(self):
        heard[self.path] = (json.loads(self.rfile.read(int(self.headers["content-length"]))), self.headers)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


listener = HTTPServer(("127.0.0.1", 0), Listener)
threading.Thread(target=listener.serve_forever, daemon=True).start()
here = f"http://127.0.0.1:{listener.server_port}"


@flow(name=unique_name("reported"))
def failing():
    raise ValueError("no such customer")


hook = Webhook(method="POST", url=f"{here}/hook", headers={"X-Word": "sesame"}).save(unique_name("hook"))
note = CustomWebhookNotificationBlock(name="ours", url=f"{here}/note", json_data={"about": "{{subject}}", "text": "{{body}}"}).save(unique_name("note"))
flow_id = request("POST", "/flows/", {"name": failing.name})["id"]
Automation(
    name=unique_name("report"),
    trigger=EventTrigger(
        expect={"prefect.flow-run.Failed"},
        match={"prefect.resource.id": "prefect.flow-run.*"},
        match_related={"prefect.resource.id": f"prefect.flow.{flow_id}", "prefect.resource.role": "flow"},
        posture="Reactive",
        threshold=1,
    ),
    actions=[
        CallWebhook(block_document_id=hook, payload='{"run": "{{ flow_run.name }}", "flow": "{{ flow.name }}", "state": "{{ flow_run.state.name }}"}'),
        SendNotification(block_document_id=note, subject="{{ flow.name }} failed", body="{{ flow_run.state.message }}"),
    ],
).create()
state = failing(return_state=True)
run = request("GET", f"/flow_runs/{state.state_details.flow_run_id}")

said, headers = wait_until(lambda: heard.get("/hook"), "the call of the webhook")
assert said == {"run": run["name"], "flow": failing.name, "state": "Failed"}, said
assert headers["X-Word"] == "sesame", headers
said, _ = wait_until(lambda: heard.get("/note"), "the notification")
assert said["about"] == f"{failing.name} failed" and "no such customer" in said["text"], said


def actions():
    events = request("POST", "/events/filter", {"filter": {"event": {"name": ["prefect.automation.action.executed"]}}})["events"]
    return [event for event in events if event["resource"].get("prefect.resource.name") == unique_name("report")]


wait_until(lambda: len(actions()) == 2, "the events of both actions")
