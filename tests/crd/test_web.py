"""CRDs from the web, from a server of our own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from opgen.crd import load, web
from opgen.crd.web import fetch
from opgen.errors import CrdError, Problems
from tests.crd.crds import TEXT

PAGES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/crd.yaml": (200, {}, TEXT.encode()),
    "/moved": (302, {"Location": "/crd.yaml"}, b""),
    "/to-file": (302, {"Location": "file:///etc/passwd"}, b""),
    "/to-ftp": (302, {"Location": "ftp://127.0.0.1/x"}, b""),
    "/circle": (302, {"Location": "/circle"}, b""),
    "/page": (200, {}, b"\n<!DOCTYPE html><html></html>"),
    "/latin": (200, {}, b"a: \xe9"),
    "/broken": (200, {"Content-Length": "100"}, b"a: 1"),
    "/large": (200, {}, b"#" * 2000),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, headers, body = PAGES.get(self.path, (404, {}, b"nothing"))
        self.send_response(status)
        for key, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("no_proxy", "*")


def refused(url: str, limit: int = 1 << 20) -> str:
    with pytest.raises(CrdError) as caught:
        fetch(url, limit)
    assert caught.value.problem.code == "OPG100"
    return caught.value.problem.text


@pytest.mark.parametrize("path", ["/crd.yaml", "/moved"])
def test_a_url_is_loaded_and_is_the_source(server: str, path: str, tmp_path: Path) -> None:
    loaded = load([server + path], cwd=tmp_path)
    assert [(crd.kind, crd.source) for crd in loaded.crds] == [("Teapot", server + path)]
    assert str(loaded.crds[0].locate(("spec", "group"))) == f"{server}{path}:6:3"


def test_a_scheme_in_capitals_is_one(server: str) -> None:
    assert fetch("HTTP" + server[4:] + "/crd.yaml", 1 << 20)[1] == TEXT.encode()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/nothing", "was answered with 404 Not Found"),
        ("/to-file", "was answered with 302 Found"),
        ("/to-ftp", 'is redirected to "ftp://127.0.0.1/x", expected http or https'),
        ("/circle", "was answered with 302"),
        ("/page", "is a web page, expected YAML or JSON"),
        ("/broken", "can't be fetched: the answer broke off"),
    ],
)
def test_a_bad_answer_is_told(server: str, path: str, expected: str) -> None:
    assert refused(server + path).startswith(f'"{server}{path}" {expected}')


def test_too_many_bytes_are_refused(server: str) -> None:
    assert (
        refused(server + "/large", 1024) == f'"{server}/large" is too large, expected at most 0 MiB'
    )
    assert len(fetch(server + "/large", 2000)[1]) == 2000


def test_an_answer_that_trickles_is_given_up(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "_WHOLE", -1.0)
    assert refused(server + "/crd.yaml").endswith("took more than -1 seconds")


def test_bytes_that_are_no_text_have_their_place(server: str, tmp_path: Path) -> None:
    with pytest.raises(Problems) as caught:
        load([server + "/latin"], cwd=tmp_path)
    assert str(caught.value.problem.location) == f"{server}/latin:1:4"


def test_a_password_is_neither_sent_nor_shown() -> None:
    with pytest.raises(CrdError) as caught:
        fetch("https://user:secret@127.0.0.1:1/x.yaml", 1)
    assert "secret" not in str(caught.value.problem)
    assert caught.value.problem.location is not None
    assert caught.value.problem.location.file == "https://127.0.0.1:1/x.yaml"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:1/x", "can't be fetched: Connection refused"),
        ("http://[::1", "is no URL: "),
        ("http:///x", "names no host"),
        ("http://127.0.0.1:port/x", ""),
        ("http://127.0.0.1:99999/x", ""),
        ("http://127.0.0.1/a b\n", ""),
        ("http://" + "a" * 70 + ".example/x", ""),
        ("gopher://x/y", 'has the scheme "gopher", expected http or https'),
    ],
)
def test_a_bad_url_is_told(url: str, expected: str) -> None:
    assert expected in refused(url)
