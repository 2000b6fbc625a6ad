# about: one process serves two deployments, one of them scheduled; runs are started and cancelled
# timeout: 180
import signal

import prefect
from support import request, unique_name, python, runs_of, get_or_none, wait_until, wait_for_state
from prefect.deployments import run_deployment

quick, slow = unique_name("quick"), unique_name("slow")
served = python(
    "serving.py",
    f"""
import time
from prefect import flow, serve

@flow(name="{quick}")
def quick(word: str = "hello"):
    return word

@flow(name="{slow}")
def slow():
    time.sleep(600)

if __name__ == "__main__":
    serve(quick.to_deployment("often", interval=20, tags=["served"]), slow.to_deployment("long"), pause_on_shutdown=True)
""",
)
deployment = wait_until(
    lambda: get_or_none(f"/deployments/name/{quick}/often"),
    "the deployment",
)
made = run_deployment(f"{quick}/often", parameters={"word": "bye"}, timeout=0, as_subflow=False)
run = wait_for_state(made.id, "COMPLETED", seconds=90)
assert run["parameters"] == {"word": "bye"} and "served" in run["tags"], run

scheduled = wait_until(lambda: [each for each in runs_of(deployment_id={"any_": [deployment["id"]]}) if each["auto_scheduled"]], "scheduled runs")
wait_for_state(scheduled[-1]["id"], "COMPLETED", seconds=90)

made = run_deployment(f"{slow}/long", timeout=0, as_subflow=False)
wait_for_state(made.id, "RUNNING", seconds=90)
request("POST", f"/flow_runs/{made.id}/set_state", {"state": {"type": "CANCELLING"}})
# The runner of 3.2.15 passes the process instead of its id to `kill`, and fails.
if prefect.__version__ != "3.2.15":
    wait_for_state(made.id, "CANCELLED", seconds=90)

served.stop(signal.SIGINT)
wait_until(lambda: request("GET", f"/deployments/{deployment['id']}")["paused"] or all(not each["active"] for each in request("GET", f"/deployments/{deployment['id']}")["schedules"]), "the pause at the end")
