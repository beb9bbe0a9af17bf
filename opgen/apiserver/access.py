"""Who may do what: bearer tokens, administrators who may do all, and everybody else who may look at discovery only.

There is no RBAC; see docs/fidelity-server.md.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Final

from opgen.apiserver.request import Request
from opgen.apiserver.routes import Place
from opgen.apiserver.status import StatusError, qualified, quote

__all__ = ["Access", "verb_of"]

_ANYBODY: Final = ("/healthz", "/livez", "/readyz", "/version")
_KNOWN_USERS: Final = (*_ANYBODY, "/api", "/apis", "/openapi")


def verb_of(request: Request, named: bool) -> str:
    """Return the verb of a request as authorization names it."""
    method = request.method
    if method in ("GET", "HEAD"):
        if request.flag("watch"):
            return "watch"
        return "get" if named else "list"
    if method == "DELETE":
        return "delete" if named else "deletecollection"
    return {"POST": "create", "PUT": "update", "PATCH": "patch"}.get(method, "")


class Access:
    """Checks the bearer token of each request; without `tokens` everybody is an administrator."""

    def __init__(self, tokens: Mapping[str, str] | None, admins: Container[str]) -> None:
        """Know `tokens` (token to user) and which users are administrators."""
        self._tokens = tokens
        self._admins = admins

    def user(self, request: Request) -> str:
        """Return who makes the request; raises a 401 `StatusError` for a token that is not known."""
        if self._tokens is None:
            return "admin"
        given = request.header("Authorization")
        if not given:
            return "system:anonymous"
        user = self._tokens.get(given.removeprefix("Bearer ").strip())
        if user is None:
            raise StatusError(401, "Unauthorized", "Unauthorized")
        return user

    def check(self, request: Request, place: Place | None) -> None:
        """Let a request pass that may be made; raises a 401 or 403 `StatusError`."""
        user = self.user(request)
        if self._tokens is None or user in self._admins:
            return
        if place is None or not place.plural:
            open_to = _ANYBODY if user == "system:anonymous" else _KNOWN_USERS
            path = request.path
            if request.method in ("GET", "HEAD") and any(
                path == p or path.startswith(p + "/") for p in open_to
            ):
                return
            verb = request.method.lower()
            raise StatusError(
                403,
                "Forbidden",
                f"forbidden: User {quote(user)} cannot {verb} path {quote(path)}",
                {},
            )
        raise _forbidden(user, verb_of(request, bool(place.name)), place)


def _forbidden(user: str, verb: str, place: Place) -> StatusError:
    resource = place.plural + (f"/{place.subresource}" if place.subresource else "")
    name = f" {quote(place.name)}" if place.name else ""
    where = (
        f"in the namespace {quote(place.namespace)}" if place.namespace else "at the cluster scope"
    )
    message = (
        f"{qualified(place.plural, place.group)}{name} is forbidden: User {quote(user)} cannot {verb} resource "
        f"{quote(resource)} in API group {quote(place.group)} {where}"
    )
    pairs = {"name": place.name, "group": place.group, "kind": place.plural}
    return StatusError(403, "Forbidden", message, {k: v for k, v in pairs.items() if v})
