"""Whom the server speaks to: foreign hosts, origins and sites are refused, and every answer has its headers."""

import asyncio

import httpx
import pytest
from asking import read_sentence
from hypothesis import given
from hypothesis import strategies as st
from running import LIMITS, Running
from starlette.datastructures import Headers

from causewise.web.jobs import JobManager
from causewise.web.server import LOOPBACK, Hosts, check_request, create_application, is_loopback

OURS = Hosts("127.0.0.1")
FOREIGN = [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:80",
    "10.0.0.1",
    "0.0.0.0",
    "[::2]",
    "",
    "a b",
    "localhost:80@evil.example",
    "localhost:",
    "localhost:999999",
    "[::1",
]


def headers(**fields: str) -> list[tuple[bytes, bytes]]:
    return [(key.replace("_", "-").encode(), value.encode()) for key, value in fields.items()]


def status(method: str = "GET", **fields: str) -> int:
    error = check_request(method, Headers(raw=headers(**({"host": "127.0.0.1:80"} | fields))), OURS)
    return error.status if error else 200


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8000", "LOCALHOST:1", "localhost", "[::1]:9", "[::1]"])
def test_this_machine_answers_to_its_own_names(host: str) -> None:
    assert status(host=host) == 200


@pytest.mark.parametrize("host", FOREIGN)
def test_a_foreign_host_is_refused(host: str) -> None:
    assert status(host=host) == 421


@given(st.from_regex(r"[a-z0-9.-]{1,30}(:[0-9]{1,5})?", fullmatch=True))
def test_any_other_name_is_refused(host: str) -> None:
    assert (host in OURS) == (host.partition(":")[0] in LOOPBACK)


def test_an_open_server_answers_to_addresses_and_still_not_to_any_name() -> None:
    for everywhere in ("0.0.0.0", "::"):
        assert "192.168.1.7:8000" in Hosts(everywhere)
        assert "evil.example" not in Hosts(everywhere)
        assert "127.0.0.1:x" not in Hosts(everywhere)
    assert "192.168.1.7" in Hosts("192.168.1.7")
    assert "192.168.1.8" not in Hosts("192.168.1.7")


@pytest.mark.parametrize(
    ("host", "expected"), [("127.0.0.1", 1), ("127.9.9.9", 1), ("::1", 1), ("0.0.0.0", 0), ("a", 0)]
)
def test_loopback_is_known(host: str, expected: int) -> None:
    assert is_loopback(host) == bool(expected)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:81", "file://"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_a_foreign_origin_is_refused(method: str, origin: str) -> None:
    assert status(method, origin=origin) == 403


def test_a_page_of_another_site_can_send_nothing() -> None:
    json = {"content_type": "application/json"}
    for site in ("cross-site", "same-site"):
        assert status("POST", sec_fetch_site=site, **json) == 403
        assert status("DELETE", sec_fetch_site=site) == 403
        assert status("GET", sec_fetch_site=site) == 403
        assert status("GET", sec_fetch_site=site, sec_fetch_mode="navigate") == 200  # a link to the page
    assert status("POST", sec_fetch_site="same-origin", origin="http://127.0.0.1:80", **json) == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_what_a_plain_form_could_send_is_no_question(kind: str) -> None:
    assert status("POST", content_type=kind) == 415


def test_two_hosts_are_none() -> None:
    both = Headers(raw=[*headers(host="localhost"), *headers(host="evil.example")])
    error = check_request("GET", both, OURS)
    assert error is not None
    assert error.status == 400


def test_refusals_come_over_the_wire(client: httpx.Client) -> None:
    assert "does not answer to" in read_sentence(client.get("/", headers={"host": "evil.example"}), 421)
    assert "another site" in read_sentence(client.get("/", headers={"origin": "http://evil.example"}), 403)
    assert "expected application/json" in read_sentence(client.post("/api/infer", content="x=1"), 415)


@pytest.mark.parametrize("path", ["/", "/openapi.json", "/static/page.js", "/nowhere", "/api/jobs/x"])
def test_every_answer_has_its_headers_and_says_nothing_of_the_server(server: Running, path: str) -> None:
    response = server.client.get(path)
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"
    assert "server" not in response.headers
    text = (response.text + str(response.headers)).lower()
    assert not [word for word in ("uvicorn", "starlette", "python/", "site-packages", "/home/") if word in text]


@pytest.mark.parametrize("path", ["/", "/teach", "/static/page.js", "/openapi.json", "/answers/gone", "/static/x.js"])
def test_the_head_of_a_page_is_what_get_would_say(client: httpx.Client, path: str) -> None:
    whole, head = client.get(path), client.head(path)
    assert head.content == b""
    answers = [{**each.headers, "date": "", "status": each.status_code} for each in (whole, head)]
    assert answers[0] == answers[1]


def test_pages_load_nothing_from_elsewhere_and_have_no_inline_script(client: httpx.Client) -> None:
    page = client.get("/").text
    assert "://" not in page
    assert "<script>" not in page
    assert "<style" not in page
    assert " style=" not in page
    assert " onclick" not in page


def test_a_failure_of_ours_has_the_headers_and_no_traceback() -> None:
    application = create_application(JobManager(LIMITS))

    @application.app.get("/fail")
    def fail() -> None:
        raise RuntimeError("the secret of /home/somebody")

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(application, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get("/fail")

    response = asyncio.run(ask())
    assert "not by a fault of yours" in read_sentence(response, 500)
    assert "secret" not in response.text
    assert response.headers["x-content-type-options"] == "nosniff"
