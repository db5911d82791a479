"""The schema is honest: whatever is drawn from it, the server answers as it says, and never with a failure of ours."""

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from running import LIMITS, Running

from causewise.web.jobs import JobManager
from causewise.web.server import create_application

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
