"""What tests ask a server."""

import time
from typing import Any

import httpx
import numpy as np

Said = dict[str, Any]


def columns(rows: int = 200, seed: int = 0) -> dict[str, list[float]]:
    """A pair with a direction, and a column that has nothing to do with it."""
    rng = np.random.default_rng(seed)
    dose = rng.uniform(-2, 2, rows)
    response = np.sin(2 * dose) + (0.1 + 0.2 * np.abs(dose)) * rng.normal(size=rows)
    return {"dose": dose.tolist(), "response": response.tolist(), "other": rng.normal(size=rows).tolist()}


def csv_of(table: dict[str, list[Any]]) -> bytes:
    return "\n".join(
        [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    ).encode()


def upload(client: httpx.Client, content: bytes, name: str = "table.csv", **fields: str) -> httpx.Response:
    return client.post("/api/tables", files={"file": (name, content)}, data=fields)


def kept(client: httpx.Client, content: bytes) -> str:
    response = upload(client, content)
    assert response.status_code == 200, response.text
    return response.json()["table"]


def ended(client: httpx.Client, begun: httpx.Response) -> Said:
    """A job, once it has ended."""
    assert begun.status_code == 202, begun.text
    job = begun.json()
    while job["state"] in ("waiting", "working"):
        time.sleep(0.05)
        job = client.get(f"/api/jobs/{job['id']}").json()
    return job


def sentence(response: httpx.Response, *statuses: int) -> str:
    """The one sentence of a refusal."""
    assert response.status_code in statuses, (response.status_code, response.text)
    said = response.json()
    assert set(said) <= {"detail", "choices"}
    assert said["detail"].endswith((".", "?", ")"))
    assert "Traceback" not in response.text
    return said["detail"]
