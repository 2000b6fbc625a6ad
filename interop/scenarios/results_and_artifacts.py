# about: results, caching, transactions with rollback, artifacts, variables and secrets
from support import request, unique_name, tasks_of, wait_until
from prefect import flow, task
from prefect.artifacts import create_link_artifact, create_markdown_artifact, create_table_artifact
from prefect.blocks.system import Secret
from prefect.cache_policies import INPUTS
from prefect.runtime import flow_run
from prefect.transactions import transaction
from prefect.variables import Variable

counted = {"calls": 0, "undone": []}


@task(cache_policy=INPUTS, persist_result=True)
def costly(number, salt):
    counted["calls"] += 1
    return number


@task
def write(word):
    return word


@write.on_rollback
def undo(txn):
    counted["undone"].append("write")


@flow(name=unique_name("kept"))
def keep():
    costly(1, unique_name("salt"))
    costly(1, unique_name("salt"))
    create_markdown_artifact("# Done", key=unique_name("report"))
    create_table_artifact([{"a": 1}, {"a": 2}], key=unique_name("table"))
    create_link_artifact("https://example.com", key=unique_name("link"))
    return flow_run.id


@flow(name=unique_name("undone"))
def fail_within():
    with transaction():
        write("x")
        raise ValueError("no")


run_id = keep()
assert counted["calls"] == 1, counted
assert sorted(each["state"]["name"] for each in tasks_of(run_id, 2)) == ["Cached", "Completed"]
report = request("GET", f"/artifacts/{unique_name('report')}/latest")
assert report["data"] == "# Done" and report["flow_run_id"] == str(run_id), report

assert fail_within(return_state=True).is_failed()
assert counted["undone"] == ["write"], counted

name = unique_name("setting").replace("-", "_")
Variable.set(name, {"deep": [1, 2.5, None]})
assert Variable.get(name) == {"deep": [1, 2.5, None]}
Variable.set(name, "plain", overwrite=True)
assert Variable.get(name) == "plain"

Secret(value="s3cret").save(unique_name("secret"))
assert Secret.load(unique_name("secret")).get() == "s3cret"
shown = request("POST", "/block_documents/filter", {"block_documents": {"is_anonymous": {"eq_": False}}, "limit": 200})
assert "s3cret" not in str(shown), "a secret was shown"
wait_until(lambda: request("GET", f"/variables/name/{name}"), "the variable")
