# about: the command line: pools, queues, deployments, runs, variables, blocks, limits, events, profiles
# timeout: 300
from support import request, unique_name, prefect

pool, variable = unique_name("cli-pool"), unique_name("cli").replace("-", "_")


prefect("work-pool", "create", pool, "--type", "process")
flow_id = request("POST", "/flows/", {"name": unique_name("cli-flow")})["id"]
schema = {"type": "object", "properties": {}}
request("POST", "/deployments/", {"name": "told", "flow_id": flow_id, "work_pool_name": pool, "parameter_openapi_schema": schema})

assert pool in prefect("work-pool", "ls")
prefect("work-pool", "pause", pool)
assert request("GET", f"/work_pools/{pool}")["is_paused"]
prefect("work-pool", "resume", pool)
prefect("work-pool", "set-concurrency-limit", pool, "3")
assert request("GET", f"/work_pools/{pool}")["concurrency_limit"] == 3
assert pool in prefect("work-pool", "inspect", pool)
prefect("work-queue", "create", "fast", "--pool", pool, "--priority", "1")
assert "fast" in prefect("work-queue", "ls", "--pool", pool)

full = f"{unique_name('cli-flow')}/told"
assert "told" in prefect("deployment", "ls")
assert pool in prefect("deployment", "inspect", full)
prefect("deployment", "run", full)
prefect("deployment", "schedule", "create", full, "--interval", "3600")
assert len(request("GET", f"/deployments/name/{full}")["schedules"]) == 1
run = request("POST", "/flow_runs/filter", {"flows": {"name": {"any_": [unique_name("cli-flow")]}}})[0]
prefect("flow-run", "ls")
assert run["id"] in prefect("flow-run", "inspect", run["id"])
prefect("flow-run", "delete", run["id"], given="y\n")
request("GET", f"/flow_runs/{run['id']}", status=404)

prefect("variable", "set", variable, "12")
assert "12" in prefect("variable", "get", variable)
prefect("variable", "unset", variable, given="y\n")
assert "secret" in prefect("block", "type", "ls")
prefect("gcl", "create", unique_name("cli"), "--limit", "4")
assert unique_name("cli") in prefect("gcl", "ls")
prefect("gcl", "delete", unique_name("cli"), given="y\n")
assert "Version" in prefect("version")
prefect("deployment", "delete", full, given="y\n")
prefect("work-pool", "delete", pool, given="y\n")
request("GET", f"/work_pools/{pool}", status=404)
