# about: a flow pauses for typed input and continues with it; suspended runs restart
# timeout: 150
import threading

from support import request, unique_name, run_of, get_or_none, wait_until, wait_for_state
from prefect import flow, pause_flow_run
from prefect.input import RunInput
from prefect.runtime import flow_run


class Approval(RunInput):
    verdict: str
    copies: int = 1


@flow(name=unique_name("asking"))
def asking():
    answer = pause_flow_run(wait_for_input=Approval, timeout=120)
    return flow_run.id, answer.verdict, answer.copies


result = {}
thread = threading.Thread(target=lambda: result.update(value=asking()))
thread.start()


def paused():
    found = request("POST", "/flow_runs/filter", {"flows": {"name": {"any_": [unique_name("asking")]}}})
    return found[0] if found and found[0]["state_type"] == "PAUSED" else None


run = wait_until(paused, "the pause")
keys = run["state"]["state_details"]["run_input_keyset"]
schema = wait_until(lambda: get_or_none(f"/flow_runs/{run['id']}/input/{keys['schema']}"), "the schema, which follows the pause")
assert "verdict" in str(schema), schema
refused = request("POST", f"/flow_runs/{run['id']}/resume", {"run_input": {"copies": "many"}})
assert refused["status"] == "REJECT", refused
assert run_of(run["id"])["state_type"] == "PAUSED"
accepted = request("POST", f"/flow_runs/{run['id']}/resume", {"run_input": {"verdict": "print", "copies": 3}})
assert accepted["status"] == "ACCEPT", accepted
thread.join(90)
assert result["value"][1:] == ("print", 3), result
wait_for_state(result["value"][0], "COMPLETED")
