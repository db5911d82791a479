"""The schema documents what the server refuses, and its examples are answered."""

import json

import httpx


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
