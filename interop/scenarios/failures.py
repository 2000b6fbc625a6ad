# about: failures, retries of tasks and flows, a crash, and a failing hook
from support import unique_name, run_of, tasks_of
from prefect import flow, task
from prefect.runtime import flow_run
from prefect.states import Failed

seen = {"task": 0, "flow": 0, "hooks": []}


@task(retries=2, retry_delay_seconds=0)
def unsteady():
    seen["task"] += 1
    if seen["task"] < 3:
        raise ValueError("not yet")
    return seen["task"]


@flow(name=unique_name("steadied"))
def steadied():
    return flow_run.id, unsteady()


@flow(name=unique_name("again"), retries=1, retry_delay_seconds=1)
def again():
    seen["flow"] += 1
    if seen["flow"] < 2:
        raise RuntimeError("once more")
    return flow_run.id


@flow(name=unique_name("broken"), on_failure=[lambda flow, run, state: seen["hooks"].append((str(run.id), state.name))])
def broken():
    raise KeyError("customer")


@flow(name=unique_name("told"))
def told():
    return Failed(message="told so")


run_id, value = steadied()
assert value == 3
assert [each["run_count"] for each in tasks_of(run_id, 1)] == [3]

run = run_of(again())
assert run["state_type"] == "COMPLETED" and run["run_count"] == 2, run

state = broken(return_state=True)
run = run_of(state.state_details.flow_run_id)
assert run["state_type"] == "FAILED" and "customer" in run["state"]["message"], run["state"]
assert seen["hooks"] == [(run["id"], "Failed")], seen

state = told(return_state=True)
assert run_of(state.state_details.flow_run_id)["state"]["message"] == "told so"
