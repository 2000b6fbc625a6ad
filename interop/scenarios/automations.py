# about: events from Python, and an automation from Python that runs a deployment on an event
# timeout: 150
from support import request, unique_name, wait_until
from prefect import flow
from prefect.automations import Automation
from prefect.events import emit_event
from prefect.events.actions import RunDeployment
from prefect.events.schemas.automations import EventTrigger

name = unique_name("order.placed")


@flow(name=unique_name("reacting"))
def reacting(order: str):
    return order


flow_id = request("POST", "/flows/", {"name": reacting.name})["id"]
deployment_id = request("POST", "/deployments/", {"name": unique_name("on-order"), "flow_id": flow_id})["id"]

automation = Automation(
    name=unique_name("react"),
    trigger=EventTrigger(expect={name}, match={"prefect.resource.id": "order.*"}, posture="Reactive", threshold=1),
    actions=[RunDeployment(source="selected", deployment_id=deployment_id, parameters={"order": "{{ event.resource.id }}"})],
).create()
emit_event(event=name, resource={"prefect.resource.id": "order.17"}, payload={"sum": 12.5})
wait_until(lambda: request("POST", "/events/filter", {"filter": {"event": {"name": [name]}}})["events"], "the event")


def reaction():
    runs = request("POST", "/flow_runs/filter", {"deployments": {"id": {"any_": [str(deployment_id)]}}})
    return runs[0] if runs else None


run = wait_until(reaction, "the run that the automation makes", 60)
assert run["parameters"] == {"order": "order.17"}, run["parameters"]
assert run["created_by"]["type"] == "AUTOMATION", run["created_by"]
request("DELETE", f"/automations/{automation.id}", status=204)
