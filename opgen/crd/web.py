"""CRDs from the web: http and https only, with a limit of time and of bytes, and no secrets kept."""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from opgen import __version__
from opgen.crd.names import shown
from opgen.errors import CrdError, Location

__all__ = ["fetch"]

_STALL = 20.0
_WHOLE = 120.0
"""Seconds without a byte, and for all of it: a server that trickles must not hold a build for ever."""

_OFFLINE = "download it and give the file, if this machine has no way out"


class _OnlyWeb(urllib.request.HTTPRedirectHandler):
    """Follows redirects within the web, so that no server can point at local files."""

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        if urlsplit(newurl).scheme.lower() not in ("http", "https"):
            fp.close()
            raise _error(
                req.full_url, f'is redirected to "{shown(newurl)}", expected http or https'
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def fetch(url: str, limit: int) -> tuple[str, bytes]:
    """Return what to call a URL, and its bytes, of which there may be `limit`.

    Raises CrdError (OPG100): another scheme than http and https, a name or password within the URL (it would end up in
    generated files), no answer, an answer that is an error or a web page, too many bytes.
    """
    try:
        parts = urlsplit(url)
        scheme, host, secret = parts.scheme.lower(), parts.hostname, "@" in parts.netloc
    except ValueError as error:
        raise _error(url, f"is no URL: {error}") from None
    if scheme not in ("http", "https"):
        raise _error(
            url,
            f'has the scheme "{scheme}", expected http or https',
            "download it and give the file",
        )
    if secret:
        bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        hint = "fetch it with a tool that knows your credentials, and give `-`"
        raise _error(
            bare, "was given with a name or password in it, which opgen would write down", hint
        )
    if not host:
        raise _error(url, "names no host")
    opener = urllib.request.build_opener(_OnlyWeb)
    headers = {"Accept": "*/*", "User-Agent": f"opgen/{__version__}"}
    try:
        request = urllib.request.Request(url, headers=headers)
        with opener.open(request, timeout=_STALL) as answer:
            data = _all(answer, url, limit)
    except urllib.error.HTTPError as error:
        error.close()
        raise _error(
            url, f"was answered with {error.code} {shown(error.reason)}".rstrip()
        ) from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        reason = getattr(reason, "strerror", None) or str(reason) or type(error).__name__
        raise _error(url, f"can't be fetched: {shown(str(reason))}", _OFFLINE) from None
    if data.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html")):
        hint = "give the address of the raw file"
        raise _error(url, "is a web page, expected YAML or JSON", hint)
    return url, data


def _all(answer: Any, url: str, limit: int) -> bytes:
    until = time.monotonic() + _WHOLE
    data = bytearray()
    while chunk := answer.read1(1 << 16):
        data += chunk
        if len(data) > limit:
            raise _error(url, f"is too large, expected at most {limit >> 20} MiB")
        if time.monotonic() > until:
            raise _error(url, f"took more than {_WHOLE:.0f} seconds", _OFFLINE)
    if answer.length:
        raise _error(url, "can't be fetched: the answer broke off", _OFFLINE)
    return bytes(data)


def _error(url: str, text: str, hint: str | None = None) -> CrdError:
    return CrdError("OPG100", f'"{shown(url)}" {text}', location=Location(url), hint=hint)
