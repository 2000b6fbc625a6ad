# about: with CSRF protection on, the client fetches tokens and works as before
# needs: csrf
from support import http, unique_name, run_of
from prefect import flow
from prefect.runtime import flow_run


@flow(name=unique_name("guarded"))
def guarded():
    return flow_run.id


assert http.post("/flows/", json={"name": unique_name("raw")}).status_code == 403
wrong = {"Prefect-Csrf-Token": "wrong", "Prefect-Csrf-Client": "interop"}
assert http.post("/flows/", json={"name": unique_name("raw")}, headers=wrong).status_code == 403
assert run_of(guarded())["state_type"] == "COMPLETED"
