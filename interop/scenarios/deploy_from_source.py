# about: `flow.from_source().deploy()`, runs of other deployments, deployment triggers, hooks of crashed and cancelled runs
# since: 3.4.25
# timeout: 300
from pathlib import Path

from support import request, unique_name, prefect, run_of, get_or_none, wait_until, wait_for_state, worker
from prefect import flow
from prefect.deployments import run_deployment
from prefect.events import emit_event

pool, name = unique_name("pool"), unique_name("hooked")
Path("hooked.py").write_text(
    f"""
import os, signal, time
from prefect import flow
from prefect.artifacts import create_markdown_artifact

def tell(flow, flow_run, state):
    create_markdown_artifact(key="hook-" + str(flow_run.id), markdown=state.name)

@flow(name="{name}", on_cancellation=[tell], on_crashed=[tell])
def work(do: str = "nothing", word: str = ""):
    if do == "crash":
        os.kill(os.getpid(), signal.SIGTERM)
    if do != "nothing":
        time.sleep(600)
    return word
"""
)
prefect("work-pool", "create", pool, "--type", "process")
flow.from_source(source=str(Path.cwd()), entrypoint="hooked.py:work").deploy(
    name="sourced",
    work_pool_name=pool,
    tags=["sourced"],
    print_next_steps=False,
    triggers=[{"match": {"prefect.resource.id": unique_name("order")}, "expect": ["order.placed"], "parameters": {"word": "{{ event.resource.id }}"}}],
)
deployment = request("GET", f"/deployments/name/{name}/sourced")
assert deployment["entrypoint"].endswith("hooked.py:work") and deployment["tags"] == ["sourced"], deployment
worker(pool)


@flow(name=unique_name("outer"))
def outer():
    made = run_deployment(f"{name}/sourced", parameters={"word": "within"}, timeout=200, poll_interval=1)
    assert made.state.is_completed(), made.state
    return str(made.id)


within = run_of(outer())
parent = wait_until(lambda: get_or_none(f"/task_runs/{within['parent_task_run_id']}"), "what stands for it in the run around it")
assert parent["flow_run_id"] and within["parameters"] == {"word": "within"}, within

emit_event("order.placed", resource={"prefect.resource.id": unique_name("order")})
triggered = wait_until(lambda: [run for run in request("POST", "/flow_runs/filter", {"deployments": {"id": {"any_": [deployment["id"]]}}}) if run["created_by"] and run["created_by"]["type"] == "AUTOMATION"], "the run of the trigger")[0]
assert triggered["parameters"] == {"word": unique_name("order")}, triggered["parameters"]
wait_for_state(triggered["id"], "COMPLETED", seconds=120)

for do, ended in (("crash", "CRASHED"), ("sleep", "CANCELLED")):
    made = run_deployment(f"{name}/sourced", parameters={"do": do}, timeout=0, as_subflow=False)
    if do == "sleep":
        wait_for_state(made.id, "RUNNING", seconds=120)
        prefect("flow-run", "cancel", made.id)
    wait_for_state(made.id, ended, seconds=120)
    wait_until(lambda: get_or_none(f"/artifacts/hook-{made.id}/latest"), f"what the hook left of the run that is {ended}")
