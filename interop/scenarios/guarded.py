# about: with protection against forged requests on, the client fetches tokens and all goes on
# needs: csrf
from kit import http, own, run_of
from prefect import flow
from prefect.runtime import flow_run


@flow(name=own("guarded"))
def guarded():
    return flow_run.id


assert http.post("/flows/", json={"name": own("raw")}).status_code == 403
wrong = {"Prefect-Csrf-Token": "wrong", "Prefect-Csrf-Client": "interop"}
assert http.post("/flows/", json={"name": own("raw")}, headers=wrong).status_code == 403
assert run_of(guarded())["state_type"] == "COMPLETED"
