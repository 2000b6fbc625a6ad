# about: a flow with tasks: states, names, parameters, logs and results
import prefect
from support import request, messages_of, unique_name, run_of, tasks_of
from packaging.version import parse
from prefect import flow, get_run_logger, task
from prefect.runtime import flow_run


@task(name="double")
def double(number):
    return number * 2


@flow(name=unique_name("first"), log_prints=True)
def first(numbers: list, label: str = "none"):
    print(f"label is {label}")
    get_run_logger().warning("look here")
    return flow_run.id, [double(number) for number in numbers]


run_id, doubled = first([1, 2, 3], label="snowman ☃")
assert doubled == [2, 4, 6], doubled
run = run_of(run_id)
assert run["state_type"] == "COMPLETED" and run["run_count"] == 1, run
assert run["parameters"] == {"numbers": [1, 2, 3], "label": "snowman ☃"}, run["parameters"]
tasks = tasks_of(run_id, 3)
assert {each["state_type"] for each in tasks} == {"COMPLETED"}
assert all(each["name"].startswith("double-") for each in tasks), tasks
messages_of(run_id, "label is snowman ☃", "look here")

# Clients warn about a server that reports an older version than theirs.
assert parse(request("GET", "/admin/version")) >= parse(prefect.__version__)
