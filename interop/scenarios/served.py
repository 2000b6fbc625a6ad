# about: one process serves two deployments; they are run, cancelled, and one has a schedule
# timeout: 180
import signal

import prefect
from kit import ask, own, python, runs_of, there, until, until_state
from prefect.deployments import run_deployment

quick, slow = own("quick"), own("slow")
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
deployment = until(
    lambda: there(f"/deployments/name/{quick}/often"),
    "the deployment",
)
made = run_deployment(f"{quick}/often", parameters={"word": "bye"}, timeout=0, as_subflow=False)
run = until_state(made.id, "COMPLETED", seconds=90)
assert run["parameters"] == {"word": "bye"} and "served" in run["tags"], run

scheduled = until(lambda: [each for each in runs_of(deployment_id={"any_": [deployment["id"]]}) if each["auto_scheduled"]], "scheduled runs")
until_state(scheduled[-1]["id"], "COMPLETED", seconds=90)

made = run_deployment(f"{slow}/long", timeout=0, as_subflow=False)
until_state(made.id, "RUNNING", seconds=90)
ask("POST", f"/flow_runs/{made.id}/set_state", {"state": {"type": "CANCELLING"}})
# The runner of 3.2.15 takes the process it is to end for its number, and fails at that.
if prefect.__version__ != "3.2.15":
    until_state(made.id, "CANCELLED", seconds=90)

served.stop(signal.SIGINT)
until(lambda: ask("GET", f"/deployments/{deployment['id']}")["paused"] or all(not each["active"] for each in ask("GET", f"/deployments/{deployment['id']}")["schedules"]), "the pause at the end")
