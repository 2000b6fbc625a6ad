"""Flows that a worker runs."""

import time

from prefect import flow, get_run_logger, pause_flow_run, task
from prefect.input import RunInput


class Ask(RunInput):
    name: str = "you"
    age: int = 3


@task
def greet(whom: str) -> str:
    get_run_logger().info("good day, %s", whom)
    return f"good day, {whom}"


@flow(name="worked", log_prints=True)
def worked(greeting: str = "hi"):
    print("hello from", greeting)
    greet(greeting)


@flow(name="asks")
def asks():
    pause_flow_run(wait_for_input=Ask, timeout=3600)


@flow(name="sleeps")
def sleeps():
    time.sleep(900)
