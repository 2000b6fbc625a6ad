# about: subflows, mapping, task dependencies, and the graph of the run
from support import request, unique_name, run_of, tasks_of, wait_until
from prefect import flow, task
from prefect.runtime import flow_run


@task
def number(of):
    return of


@task
def total(numbers):
    return sum(numbers)


@flow(name=unique_name("inner"))
def inner(base: int):
    return flow_run.id, number(base)


@flow(name=unique_name("outer"))
def outer():
    numbers = number.map([1, 2, 3])
    added = total.submit(numbers)
    inside, ten = inner(10)
    return flow_run.id, inside, added.result() + ten


outside, inside, result = outer()
assert result == 16
parent = run_of(inside)["parent_task_run_id"]
assert parent, "the inner run knows its parent"
tasks = tasks_of(outside, 5)
assert parent in [each["id"] for each in tasks]


def drawn():
    nodes = [node for _, node in request("GET", f"/flow_runs/{outside}/graph-v2")["nodes"]]
    adding = [node for node in nodes if node["label"].startswith("total")]
    whole = adding and len(adding[0]["parents"]) == 3 and any(node["kind"] == "flow-run" and node["id"] == inside for node in nodes)
    return whole


wait_until(drawn, "the whole graph")
