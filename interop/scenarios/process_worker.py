# about: `prefect deploy` from a project file, a process worker, a run, a crash and a cancelled run
# timeout: 240
from pathlib import Path

from support import request, unique_name, prefect, run_of, wait_until, wait_for_state, worker
from prefect.deployments import run_deployment

pool = unique_name("pool")
name = unique_name("deployed")
Path("flows.py").write_text(
    f"""
import os, time
from prefect import flow

@flow(name="{name}", log_prints=True)
def work(do: str = "nothing"):
    print("working on", do)
    if do == "crash":
        os._exit(9)
    if do == "sleep":
        time.sleep(600)
    return do
"""
)
Path("prefect.yaml").write_text(
    f"""
name: project
pull:
  - prefect.deployments.steps.set_working_directory:
      directory: {Path.cwd()}
deployments:
  - name: from-file
    entrypoint: flows.py:work
    parameters: {{ do: "the file's word" }}
    tags: [file]
    work_pool: {{ name: {pool} }}
    schedules:
      - cron: "0 3 * * *"
        timezone: Europe/Berlin
        active: true
"""
)
prefect("work-pool", "create", pool, "--type", "process")
prefect("--no-prompt", "deploy", "--all")
deployment = request("GET", f"/deployments/name/{name}/from-file")
assert deployment["schedules"][0]["schedule"]["cron"] == "0 3 * * *", deployment["schedules"]
assert deployment["work_pool_name"] == pool and deployment["tags"] == ["file"], deployment

worker(pool)
wait_until(lambda: request("GET", f"/work_pools/{pool}")["status"] == "READY", "the pool to be ready")
made = run_deployment(f"{name}/from-file", timeout=0, as_subflow=False)
assert wait_for_state(made.id, "COMPLETED", "FAILED", "CRASHED", seconds=120)["state_type"] == "COMPLETED", run_of(made.id)["state"]
made = run_deployment(f"{name}/from-file", parameters={"do": "crash"}, timeout=0, as_subflow=False)
wait_for_state(made.id, "CRASHED", seconds=120)
made = run_deployment(f"{name}/from-file", parameters={"do": "sleep"}, timeout=0, as_subflow=False)
wait_for_state(made.id, "RUNNING", seconds=120)
prefect("flow-run", "cancel", made.id)
wait_for_state(made.id, "CANCELLED", seconds=120)
