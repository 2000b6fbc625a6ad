# about: tasks create assets; their upstream assets are recorded as events
# since: 3.4.25
from support import request, unique_name, wait_until
from prefect import flow
from prefect.assets import Asset, AssetProperties, add_asset_metadata, materialize

raw = Asset(key=f"s3://orders/{unique_name('raw')}")
clean = Asset(key=f"s3://orders/{unique_name('clean')}", properties=AssetProperties(name="Clean orders", owners=["ada"]))
report = Asset(key=f"s3://orders/{unique_name('report')}")


@materialize(clean, asset_deps=[raw], by="duckdb")
def tidied():
    add_asset_metadata(clean, {"rows": 3})
    # The client cannot trace a plain number back to the task that returned it.
    return {"rows": 3}


@materialize(report)
def summed(rows):
    return rows


@materialize(f"s3://orders/{unique_name('broken')}")
def broken():
    raise ValueError("no")


@flow(name=unique_name("assets"))
def making():
    summed(tidied())
    broken(return_state=True)
    return "made"


assert making() == "made"


def events_of(key, event):
    found = request("POST", "/events/filter", {"filter": {"event": {"name": [event]}, "resource": {"id": [key]}}})
    return found["events"]


made = wait_until(lambda: events_of(clean.key, "prefect.asset.materialization.succeeded"), "the first asset")[0]
assert made["payload"] == {"rows": 3} and made["resource"]["prefect.resource.name"] == "Clean orders", made
roles = {each["prefect.resource.role"]: each["prefect.resource.id"] for each in made["related"]}
assert roles["asset"] == raw.key and roles["asset-materialized-by"] == "duckdb", roles
wait_until(lambda: events_of(raw.key, "prefect.asset.referenced"), "what it was made from")
made = wait_until(lambda: events_of(report.key, "prefect.asset.materialization.succeeded"), "the second asset")[0]
assert clean.key in [each["prefect.resource.id"] for each in made["related"]], made
wait_until(lambda: events_of(f"s3://orders/{unique_name('broken')}", "prefect.asset.materialization.failed"), "the one that failed")
