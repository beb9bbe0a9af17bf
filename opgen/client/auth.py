"""Who asks: bearer tokens given, read from a file, or made by a plugin, as headers of each request.

A token file is read again after a minute and when the server says 401: the tokens that Kubernetes projects into a pod
are rotated (KEP-1205). A token never appears in a repr, a log or an error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from opgen.errors import ConfigError, Location

__all__ = ["Anonymous", "Auth", "Headers", "Static", "TokenFile"]

Headers = Sequence[tuple[str, str]]
"""Names and values; a name may come more than once, as Impersonate-Group does."""


_AGE = 60.0
"""Seconds after which a token file is read again; client-go's number."""


class Auth(Protocol):
    """Proves who asks."""

    @property
    def certificate(self) -> tuple[bytes, bytes] | None:
        """A client certificate and its key, PEM, where they come from here; another object when they have changed."""
        ...

    async def headers(self) -> Headers:
        """Return the headers that authenticate a request. Raises ConfigError."""
        ...

    async def renew(self) -> bool:
        """Get credentials anew after a 401; return whether there may be others now. Raises ConfigError."""
        ...


class Static:
    """Headers that never change: a token from a kubeconfig, impersonation."""

    certificate = None

    def __init__(self, headers: Headers) -> None:
        """Take the headers."""
        self._headers = tuple(headers)

    async def headers(self) -> Headers:
        """Return them."""
        return self._headers

    async def renew(self) -> bool:
        """Say that there are no others."""
        return False

    def __repr__(self) -> str:
        """Name the headers, never their values."""
        return f"{type(self).__name__}({', '.join(name for name, _ in self._headers)})"


class Anonymous(Static):
    """No credentials beyond those of the connection."""

    def __init__(self) -> None:
        """Have none."""
        super().__init__(())


class TokenFile:
    """A bearer token that a file holds."""

    certificate = None

    def __init__(
        self,
        path: Path,
        more: Headers = (),
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the file, and other headers to send."""
        self._path, self._more, self._monotonic = path, tuple(more), monotonic
        self._headers: Headers = ()
        self._token, self._read_at = "", 0.0

    async def headers(self) -> Headers:
        """Return the token as a header; one that is older than a minute is read again. Raises ConfigError (OPG501)."""
        if not self._headers or self._monotonic() - self._read_at > _AGE:
            self._read()
        return self._headers

    async def renew(self) -> bool:
        """Read the file; return whether it holds another token now."""
        before = self._token
        self._read()
        return self._token != before

    def _read(self) -> None:
        try:
            token = self._path.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            if (
                self._headers
            ):  # rotation swaps files: the token that we have may do for another minute
                self._read_at = self._monotonic()
                return
            reason = getattr(error, "strerror", None) or "not text"
            raise ConfigError(
                "OPG501",
                f'token file "{self._path}" can\'t be read: {reason}',
                location=Location(str(self._path)),
            ) from None
        if not token:
            raise ConfigError(
                "OPG501", f'token file "{self._path}" is empty', location=Location(str(self._path))
            )
        self._token, self._read_at = token, self._monotonic()
        self._headers = (("Authorization", f"Bearer {token}"), *self._more)

    def __repr__(self) -> str:
        """Name the file, never what is in it."""
        return f"TokenFile({str(self._path)!r})"
