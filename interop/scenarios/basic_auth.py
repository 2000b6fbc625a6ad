# about: with a password set, only clients that send it are accepted
# needs: auth
import os

import httpx
from support import BASE, unique_name, run_of
from prefect import flow
from prefect.runtime import flow_run


@flow(name=unique_name("locked"))
def locked():
    return flow_run.id


assert httpx.get(BASE + "/health").status_code == 200
assert httpx.post(BASE + "/flows/filter", json={}).status_code == 401
assert httpx.post(BASE + "/flows/filter", json={}, auth=("somebody", "else")).status_code == 401
assert os.environ["PREFECT_API_AUTH_STRING"]
assert run_of(locked())["state_type"] == "COMPLETED"
