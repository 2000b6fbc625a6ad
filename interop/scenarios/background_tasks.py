# about: tasks submitted with `delay` and run by a task server in another process
# timeout: 150
import importlib
import sys
from pathlib import Path

from support import request, unique_name, python, wait_until

sys.path.insert(0, str(Path.cwd()))
Path("adding.py").write_text(
    f"""
from prefect import task

@task(name="{unique_name("add")}", persist_result=True)
def add(a: int, b: int):
    return a + b
"""
)
add = importlib.import_module("adding").add
serving = python("serving.py", "from adding import add\n\nif __name__ == '__main__':\n    add.serve()\n")
serving.wait_for_output("Starting task worker")
futures = [add.delay(number, 1) for number in range(3)]


def ended():
    found = request("POST", "/task_runs/filter", {"task_runs": {"id": {"any_": [str(future.task_run_id) for future in futures]}}})
    return len(found) == 3 and all(each["state_type"] == "COMPLETED" for each in found)


wait_until(ended, "the delayed tasks", 90)
