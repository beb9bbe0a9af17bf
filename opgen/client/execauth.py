"""Credentials that a program makes: kubeconfig's exec plugins (KEP-541, client.authentication.k8s.io v1 and v1beta1).

What the program says is kept until it expires, or the server says 401. It gets no terminal, since an operator has none.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

from opgen.client.auth import Headers
from opgen.errors import ConfigError

__all__ = ["ExecAuth", "ExecPlugin"]

_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_SECONDS = 60.0
"""How long a plugin may take: it may talk to a cloud, but nobody is there to answer a question."""

_EARLY = timedelta(seconds=10)
"""A credential is made anew this long before it expires, so that none expires on its way."""


@dataclass(frozen=True)
class ExecPlugin:
    """Which program to run, from the `exec` of a kubeconfig user."""

    label: str
    api_version: str
    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    install_hint: str = ""
    cluster_info: bool = False

    @classmethod
    def of(cls, value: Any, label: str, folder: Path) -> Self:
        """Read the settings; `folder` is what a relative command starts from.

        Raises ConfigError: OPG501 where they make no sense, OPG502 where the plugin needs a terminal.
        """
        if not isinstance(value, dict) or not isinstance(value.get("command"), str):
            raise ConfigError("OPG501", f'"exec" of {label} has no command')
        version = value.get("apiVersion")
        if version not in _VERSIONS:
            raise ConfigError(
                "OPG502",
                f'"exec" of {label} speaks "{version}", expected {" or ".join(_VERSIONS)}',
                hint="a newer release of the plugin speaks one of these",
            )
        if value.get("interactiveMode") == "Always":
            raise ConfigError("OPG502", f'"exec" of {label} asks for a terminal, and there is none')
        command = value["command"]
        if "/" in command and not os.path.isabs(command):
            command = str(folder / command)
        return cls(
            label=label,
            api_version=version,
            command=command,
            args=tuple(str(one) for one in value.get("args") or ()),
            env=tuple((str(one["name"]), str(one["value"])) for one in value.get("env") or ()),
            install_hint=str(value.get("installHint") or ""),
            cluster_info=value.get("provideClusterInfo") is True,
        )


class ExecAuth:
    """Credentials of an exec plugin; one run at a time, however many requests wait for it."""

    def __init__(
        self,
        plugin: ExecPlugin,
        cluster: Mapping[str, Any],
        more: Headers = (),
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Take the plugin, what it may be told of the cluster, and other headers to send."""
        self._plugin, self._cluster, self._more, self._now = plugin, cluster, tuple(more), now
        self._headers: Headers | None = None
        self._expires: datetime | None = None
        self._runs = 0
        self._lock = asyncio.Lock()
        self.certificate: tuple[bytes, bytes] | None = None

    async def headers(self) -> Headers:
        """Return the headers to send; runs the plugin where nothing is kept that is still good. Raises ConfigError."""
        if self._headers is None or self._expired():
            await self._run(self._runs)
        return self._headers or ()

    async def renew(self) -> bool:
        """Run the plugin again: the server did not take what it said. Raises ConfigError."""
        await self._run(self._runs)
        return True

    def _expired(self) -> bool:
        return self._expires is not None and self._now() >= self._expires - _EARLY

    async def _run(self, seen: int) -> None:
        """Run the plugin, unless another request did since this one looked."""
        async with self._lock:
            if self._runs == seen:
                self._take(await self._output())
                self._runs += 1

    async def _output(self) -> bytes:
        plugin = self._plugin
        spec: dict[str, Any] = {"interactive": False}
        if plugin.cluster_info:
            spec["cluster"] = dict(self._cluster)
        info = {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec}
        env = {**os.environ, **dict(plugin.env), "KUBERNETES_EXEC_INFO": json.dumps(info)}
        try:
            process = await asyncio.create_subprocess_exec(
                plugin.command,
                *plugin.args,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=env,
            )
        except OSError as error:
            raise self._failed(f"can't be run: {error.strerror}") from None
        try:
            async with asyncio.timeout(_SECONDS):
                out, err = await process.communicate()
        except TimeoutError:
            raise self._failed(f"did not end within {_SECONDS:.0f} s") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            said = err.decode("utf-8", "replace").strip()[-500:]
            raise self._failed(f"failed with {process.returncode}: {said}")
        return out

    def _take(self, output: bytes) -> None:
        """Keep what the plugin said; what it said is never quoted, since it is a secret."""
        try:
            credential = json.loads(output)
            version, status = credential["apiVersion"], credential["status"]
            token = status.get("token")
            certificate, key = status.get("clientCertificateData"), status.get("clientKeyData")
            stamp = status.get("expirationTimestamp")
            expires = datetime.fromisoformat(stamp) if stamp else None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise self._failed("printed no ExecCredential with a status") from None
        if version != self._plugin.api_version:
            raise self._failed(f'answered in "{version}", expected "{self._plugin.api_version}"')
        if not token and not (certificate and key):
            raise self._failed("gave neither a token nor a certificate with its key")
        bearer = (("Authorization", f"Bearer {token}"),) if token else ()
        self._headers = (*bearer, *self._more)
        self._expires = expires
        if certificate and key:
            pair = (certificate.encode(), key.encode())
            if pair != self.certificate:
                self.certificate = pair

    def _failed(self, what: str) -> ConfigError:
        hint = self._plugin.install_hint or "run it by hand to see what it says"
        return ConfigError(
            "OPG503",
            f'the plugin "{self._plugin.command}" of {self._plugin.label} {what}',
            hint=hint,
        )

    def __repr__(self) -> str:
        """Name the program, never what it said."""
        return f"ExecAuth({self._plugin.command!r})"
