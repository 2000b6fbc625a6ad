# about: concurrency contexts, rate limits and tag limits
# timeout: 150
import time
from concurrent.futures import ThreadPoolExecutor

from support import request, unique_name, prefect, tasks_of
from prefect import flow, task
from prefect.concurrency.sync import concurrency, rate_limit
from prefect.runtime import flow_run

limit, decaying, tag = unique_name("limit"), unique_name("decaying"), unique_name("tag")
prefect("gcl", "create", limit, "--limit", "2")
prefect("gcl", "create", decaying, "--limit", "1", "--slot-decay-per-second", "2")
prefect("concurrency-limit", "create", tag, "1")
inside = {"now": 0, "most": 0}


def hold(_):
    with concurrency(limit, occupy=1):
        inside["now"] += 1
        inside["most"] = max(inside["most"], inside["now"])
        time.sleep(0.4)
        inside["now"] -= 1


@task(tags=[tag])
def one_at_a_time():
    started = time.time()
    time.sleep(0.3)
    return started, time.time()


@flow(name=unique_name("limited"))
def limited():
    futures = [one_at_a_time.submit() for _ in range(3)]
    return flow_run.id, [future.result() for future in futures]


with ThreadPoolExecutor(6) as pool:
    list(pool.map(hold, range(6)))
assert inside["most"] == 2, inside
assert request("GET", f"/v2/concurrency_limits/{limit}")["active_slots"] == 0

began = time.monotonic()
for _ in range(3):
    rate_limit(decaying)
assert time.monotonic() - began > 0.8, "the rate was not limited"

run_id, spans = limited()
spans.sort()
assert all(first[1] <= second[0] + 0.05 for first, second in zip(spans, spans[1:])), spans
tasks_of(run_id, 3)
assert request("GET", f"/concurrency_limits/tag/{tag}")["active_slots"] == []
