"""What tests ask a server."""

import time
from typing import Any

import httpx
import numpy as np

Record = dict[str, Any]


def columns(rows: int = 200, seed: int = 0) -> dict[str, list[float]]:
    """A pair with a direction, and a column that has nothing to do with it."""
    rng = np.random.default_rng(seed)
    dose = rng.uniform(-2, 2, rows)
    response = np.sin(2 * dose) + (0.1 + 0.2 * np.abs(dose)) * rng.normal(size=rows)
    return {"dose": dose.tolist(), "response": response.tolist(), "other": rng.normal(size=rows).tolist()}


def write_csv(table: dict[str, list[Any]]) -> bytes:
    return "\n".join(
        [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    ).encode()


def upload(client: httpx.Client, content: bytes, name: str = "table.csv", **fields: str) -> httpx.Response:
    return client.post("/api/tables", files={"file": (name, content)}, data=fields)


def keep_table(client: httpx.Client, content: bytes) -> str:
    response = upload(client, content)
    assert response.status_code == 200, response.text
    return response.json()["table"]


def wait_for_job(client: httpx.Client, response: httpx.Response) -> Record:
    """A job, once it has ended."""
    assert response.status_code == 202, response.text
    job = response.json()
    while job["state"] in ("waiting", "working"):
        time.sleep(0.05)
        job = client.get(f"/api/jobs/{job['id']}").json()
    return job


def read_sentence(response: httpx.Response, *statuses: int) -> str:
    """The one sentence of an error."""
    assert response.status_code in statuses, (response.status_code, response.text)
    record = response.json()
    assert set(record) <= {"detail", "choices"}
    assert record["detail"].endswith((".", "?", ")"))
    assert "Traceback" not in response.text
    return record["detail"]
