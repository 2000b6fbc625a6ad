"""Fills a server with data of each kind that `millrace adopt` copies: python fill_server.py URL (set PREFECT_API_URL to the same URL)."""

import asyncio
import datetime
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Optional

import httpx
from prefect import flow, get_run_logger, tags, task
from prefect.artifacts import create_link_artifact, create_markdown_artifact, create_progress_artifact, create_table_artifact
from prefect.blocks.core import Block
from prefect.blocks.system import Secret
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
from prefect.concurrency.sync import concurrency, rate_limit
from prefect.events import emit_event
from prefect.filesystems import LocalFileSystem
from prefect.schedules import Cron, Interval, RRule
from prefect.tasks import task_input_hash
from prefect.variables import Variable
from pydantic import SecretStr

BIG = 12345678901234567890
HERE = Path(__file__).parent
http = httpx.Client(base_url=sys.argv[1], timeout=300)


def post(path: str, body: dict):
    answer = http.post(path, json=body)
    # On SQLite a busy server responds with 503.
    while answer.status_code == 503:
        time.sleep(1)
        answer = http.post(path, json=body)
    assert answer.status_code < 300, (path, answer.status_code, answer.text)
    return answer.json() if answer.text else None


class Login(Block):
    _block_type_slug = "example-login"
    token: SecretStr
    port: int = 5432


class Store(Block):
    _block_type_slug = "example-store"
    login: Login
    label: str = "x"
    headers: Optional[dict] = None


@task(tags=["limited"])
def add(a, b):
    get_run_logger().info("adding %s and %s – ünïcode ✓", a, b)
    return a + b


@task(retries=2, retry_delay_seconds=0)
def flaky(state={"n": 0}):
    state["n"] += 1
    if state["n"] < 2:
        raise ValueError("the first time fails")
    return state["n"]


@task(cache_key_fn=task_input_hash, persist_result=True)
def cached(x):
    return {"x": x, "big": BIG, "float": 1.0}


@flow(name="child")
def child(n: int):
    return add(n, 1)


@flow(name="parent", retries=1)
def parent(n: int = 3, options: dict = {"ratio": 1.0, "big": BIG}):
    get_run_logger().warning("the parent begins")
    sums = add.map([1, 2, 3], 10)
    add(sums[0], sums[1])
    cached(5)
    cached(5)
    flaky()
    child(n)
    create_markdown_artifact("# hello", key="a-text", description="a description")
    create_table_artifact([{"a": 1, "b": None}], key="a-table")
    create_link_artifact("https://example.com", key="a-link")
    create_progress_artifact(40.0, key="some-progress")
    emit_event(
        "example.custom",
        resource={"prefect.resource.id": "example.thing.1", "prefect.resource.name": "thing"},
        related=[{"prefect.resource.id": "example.friend", "prefect.resource.role": "friend"}],
        payload={"x": 1.0, "n": BIG},
    )
    return [one.result() for one in sums]


@flow(name="fails")
def fails():
    raise RuntimeError("broken")


@flow(name="limited", persist_result=True)
def limited():
    with concurrency("slots", occupy=1):
        pass
    rate_limit("rate", occupy=1)
    return 1


@task
def background(x):
    return x


async def make_limits():
    async with get_client() as client:
        await client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name="slots", limit=3, active=True))
        await client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name="rate", limit=5, active=True, slot_decay_per_second=0.5))
        await client.create_concurrency_limit("limited", 4)


def make_settings():
    Variable.set("a_text", "hello", tags=["t1"])
    Variable.set("some_json", {"a": [1.0, None, {"b": "c"}]})
    Secret(value="s3cr3t").save("a-secret")
    login = Login(token="tok-123")
    login.save("a-login")
    Store(login=login, headers={"k": "v"}).save("a-store")
    LocalFileSystem(basepath="/srv/results").save("results")
    http.put("/saved_searches/", json={"name": "mine", "filters": [{"object": "flow_run", "property": "name", "type": "string", "operation": "equals", "value": "x"}]})
    documents = post("/block_documents/filter", {})
    results = next(document for document in documents if document["name"] == "results")
    http.put("/admin/storage", json={"default_result_storage_block_id": results["id"]}).raise_for_status()


def run_flows():
    with tags("team-a", "prod"):
        parent()
    parent(n=7)
    fails(return_state=True)
    limited()
    background.delay(1)
    background.delay(2)


def make_deployments() -> dict:
    post("/work_pools/", {"name": "a-pool", "type": "process", "concurrency_limit": 5, "description": "a pool"})
    post("/work_pools/a-pool/queues", {"name": "fast", "priority": 1, "concurrency_limit": 2, "description": "quick ones"})

    def deploy(entrypoint: str, name: str, **more):
        source = flow.from_source(source=str(HERE), entrypoint=f"flows.py:{entrypoint}")
        source.deploy(name=name, work_pool_name="a-pool", build=False, print_next_steps=False, ignore_warnings=True, **more)

    crons = [Cron("0 9 * * 1-5", timezone="Europe/Berlin", slug="weekdays"), Cron("*/30 * * * *", timezone="UTC")]
    deploy("worked", "by-cron", schedules=crons, parameters={"greeting": "cron"}, tags=["d1"], description="with cron", version="1.2", concurrency_limit=2)
    anchor = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    deploy("worked", "by-interval", work_queue_name="fast", schedule=Interval(3600, anchor_date=anchor, timezone="America/New_York"), paused=True)
    deploy("worked", "by-rrule", schedule=RRule("FREQ=DAILY;BYHOUR=9", timezone="Asia/Tokyo"), job_variables={"env": {"A": "1"}})
    deploy("asks", "asks")
    deploy("sleeps", "sleeps", concurrency_limit=3)
    return {deployment["name"]: deployment["id"] for deployment in post("/deployments/filter", {})}


def make_automations(deployments: dict):
    failed = {"type": "event", "posture": "Reactive", "expect": ["prefect.flow-run.Failed"], "match": {"prefect.resource.id": "prefect.flow-run.*"}, "for_each": ["prefect.resource.id"], "threshold": 2, "within": 60}
    rerun = {"type": "run-deployment", "source": "selected", "deployment_id": deployments["by-cron"], "parameters": {"greeting": "{{ event.id }}"}}
    post("/automations/", {"name": "again", "description": "d", "tags": ["x"], "trigger": failed, "actions": [rerun, {"type": "do-nothing"}]})
    one = {"type": "event", "posture": "Reactive", "threshold": 1, "within": 0}
    both = {"type": "compound", "require": "all", "within": 30, "triggers": [{**one, "expect": ["example.a"]}, {**one, "expect": ["example.custom"]}]}
    post("/automations/", {"name": "both", "trigger": both, "actions": [{"type": "pause-deployment", "source": "inferred"}]})
    stuck = {"type": "event", "posture": "Proactive", "after": ["prefect.flow-run.Running"], "expect": ["prefect.flow-run.Completed"], "for_each": ["prefect.resource.id"], "threshold": 1, "within": 600}
    post("/automations/", {"name": "stuck", "enabled": False, "trigger": stuck, "actions": [{"type": "cancel-flow-run"}]})


def work(deployments: dict):
    wanted = [("by-cron", {}), ("by-rrule", {"idempotency_key": "k1"}), ("asks", {}), ("sleeps", {}), ("by-cron", {"job_variables": {"env": {"B": "2"}}})]
    runs = [post(f"/deployments/{deployments[name]}/create_flow_run", {"parameters": {}, "tags": ["by-hand"], **more})["id"] for name, more in wanted]
    worker = subprocess.Popen([str(Path(sys.executable).parent / "prefect"), "worker", "start", "--pool", "a-pool", "--name", "a-worker"], start_new_session=True)
    try:
        until = time.time() + 400
        states = []
        while time.time() < until and states != ["COMPLETED", "COMPLETED", "PAUSED", "RUNNING", "COMPLETED"]:
            time.sleep(2)
            states = [http.get(f"/flow_runs/{run}").json()["state_type"] for run in runs]
        print("runs of the worker:", states)
    finally:
        # SIGKILL for the worker and its processes, so that the sleeping run stays Running.
        os.killpg(worker.pid, signal.SIGKILL)
        for run in runs:
            process = http.get(f"/flow_runs/{run}").json()["infrastructure_pid"]
            try:
                os.kill(int(process.split(":")[-1]), signal.SIGKILL)
            except (AttributeError, ProcessLookupError):
                pass


asyncio.run(make_limits())
make_settings()
run_flows()
deployments = make_deployments()
make_automations(deployments)
work(deployments)
post("/v2/concurrency_limits/increment", {"names": ["slots"], "slots": 1, "mode": "concurrency"})
post("/v2/concurrency_limits/", {"name": "idle", "limit": 0, "active": False})
# The client sends events and logs with a delay.
time.sleep(5)
