"""The schema is honest: whatever is drawn from it, the server answers as it says, and never with a failure of ours."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, settings
from running import LIMITS, Running

from causewise.web.application import create_application
from causewise.web.jobs import JobManager

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed: make test-browser brings it")

DRAWN = settings(max_examples=12, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))


schema = schemathesis.openapi.from_dict(create_application(JobManager(LIMITS)).app.openapi())


@pytest.mark.browser
@schema.parametrize()
@DRAWN
def test_what_is_drawn_is_answered_as_documented(case: Any, server: Running) -> None:
    response = case.call(base_url=f"http://127.0.0.1:{server.port}", timeout=120)
    assert response.status_code < 500, response.text
    case.validate_response(
        response,
        checks=(
            schemathesis.checks.not_a_server_error,
            schemathesis.checks.status_code_conformance,
            schemathesis.checks.content_type_conformance,
            schemathesis.checks.response_schema_conformance,
        ),
    )


def test_every_path_documents_its_refusals(client: httpx.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/api/infer", "/api/scan", "/api/jobs/{name}", "/api/tables", "/api/answers"} <= set(paths)
    for path in paths.values():
        for asked in path.values():
            assert {"400", "403", "421", "422"} <= set(asked["responses"])


def test_the_examples_of_the_schema_are_answered(client: httpx.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    tried = 0
    for path, methods in paths.items():
        body = methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {})
        for example in body.get("schema", {}).get("examples", []):
            tried += 1
            assert client.post(path, json=json.loads(json.dumps(example))).status_code == 200
    assert tried >= 2


def test_no_page_of_documentation_is_loaded_from_elsewhere(client: httpx.Client) -> None:
    assert [client.get(path).status_code for path in ("/docs", "/redoc")] == [404, 404]
