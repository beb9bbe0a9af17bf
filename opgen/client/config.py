"""Where the API server is and how to prove who asks: kubeconfig files, or the service account of a pod.

Our own module: the official clients load over a thousand modules to read one YAML file.
"""

from __future__ import annotations

import base64
import os
import ssl
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from opgen.errors import ConfigError, Location

__all__ = ["ClientConfig", "from_environment", "in_cluster", "load_kubeconfig"]

_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_TOKEN_AGE = 60.0
"""Seconds after which a token file is read again: projected tokens are rotated."""


@dataclass
class ClientConfig:
    """One way to reach one server; secrets never show in its repr."""

    server: str
    namespace: str = "default"
    ca_data: bytes | None = field(default=None, repr=False)
    insecure: bool = False
    token: str | None = field(default=None, repr=False)
    token_file: Path | None = None
    certificate: bytes | None = field(default=None, repr=False)
    key: bytes | None = field(default=None, repr=False)
    impersonate: str | None = None
    _read_at: float = field(default=0.0, repr=False)

    def headers(self) -> dict[str, str]:
        """Return the headers of every request; a token file is read again after a minute."""
        if self.token_file is not None and (
            self.token is None or time.monotonic() - self._read_at > _TOKEN_AGE
        ):
            try:
                self.token = self.token_file.read_text("utf-8").strip()
            except OSError as error:
                raise ConfigError(
                    "OPG501",
                    f'token file "{self.token_file}" can\'t be read: {error.strerror}',
                    location=Location(str(self.token_file)),
                ) from None
            self._read_at = time.monotonic()
        out = {"User-Agent": "opgen"}
        if self.token:
            out["Authorization"] = f"Bearer {self.token}"
        if self.impersonate:
            out["Impersonate-User"] = self.impersonate
        return out

    def ssl_context(self) -> ssl.SSLContext | None:
        """Return the TLS settings, None for plain HTTP."""
        if not self.server.startswith("https://"):
            return None
        context = ssl.create_default_context(cadata=self.ca_data.decode() if self.ca_data else None)
        if self.insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if self.certificate and self.key:
            # the ssl module reads certificates from files only
            with tempfile.TemporaryDirectory() as folder:
                pair = Path(folder, "pair.pem")
                pair.touch(mode=0o600)
                pair.write_bytes(self.certificate + b"\n" + self.key)
                context.load_cert_chain(pair)
        return context


def from_environment(context: str | None = None) -> ClientConfig:
    """Return the configuration as kubectl would find it: KUBECONFIG, `~/.kube/config`, the pod's own account.

    Raises ConfigError (OPG501) if there is none, or what there is makes no sense.
    """
    named = [Path(path) for path in os.environ.get("KUBECONFIG", "").split(os.pathsep) if path]
    files = named or [Path.home() / ".kube" / "config"]
    if any(path.is_file() for path in files):
        return load_kubeconfig(files, context)
    if os.environ.get("KUBERNETES_SERVICE_HOST"):
        return in_cluster()
    raise ConfigError(
        "OPG501",
        f'there is no kubeconfig at "{files[0]}" and this is no pod',
        hint="set KUBECONFIG, or start an embedded server",
    )


def in_cluster(folder: Path = _SERVICE_ACCOUNT) -> ClientConfig:
    """Return the configuration of the pod this runs in. Raises ConfigError (OPG501) outside of one."""
    host, port = (
        os.environ.get("KUBERNETES_SERVICE_HOST"),
        os.environ.get("KUBERNETES_SERVICE_PORT", "443"),
    )
    try:
        ca = (folder / "ca.crt").read_bytes()
        namespace = (folder / "namespace").read_text("utf-8").strip()
    except OSError as error:
        raise ConfigError(
            "OPG501",
            f"no service account of a pod: {error.strerror}",
            location=Location(str(folder)),
        ) from None
    if not host:
        raise ConfigError("OPG501", "KUBERNETES_SERVICE_HOST is not set, so this is no pod")
    host = f"[{host}]" if ":" in host else host
    return ClientConfig(f"https://{host}:{port}", namespace, ca, token_file=folder / "token")


def load_kubeconfig(files: list[Path], context: str | None = None) -> ClientConfig:
    """Return a context of kubeconfig files, the current one unless named; the first file that sets a name wins.

    Raises ConfigError: OPG501 if the context is not there or a file can't be read, OPG502 for ways to authenticate that
    this version does not know.
    """
    merged: dict[str, dict[str, Any]] = {"clusters": {}, "contexts": {}, "users": {}}
    current = context
    for path in files:
        if not path.is_file():
            continue
        try:
            data = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader) or {}
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise ConfigError(
                "OPG501", f"a kubeconfig can't be read: {error}", location=Location(str(path))
            ) from None
        if not isinstance(data, dict):
            raise ConfigError("OPG501", "a kubeconfig is a mapping", location=Location(str(path)))
        current = current or data.get("current-context") or None
        for kind, entries in merged.items():
            for entry in data.get(kind) or ():
                if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                    value = entry.get(kind[:-1])
                    entries.setdefault(
                        entry["name"],
                        {**(value if isinstance(value, dict) else {}), "": path.parent},
                    )
    if not current or current not in merged["contexts"]:
        there = ", ".join(sorted(merged["contexts"])) or "none"
        raise ConfigError(
            "OPG501",
            f'context "{current or ""}" is not in the kubeconfig',
            hint=f"contexts that are there: {there}",
        )
    chosen = merged["contexts"][current]
    cluster = merged["clusters"].get(str(chosen.get("cluster")))
    user = merged["users"].get(str(chosen.get("user")), {"": Path()})
    if cluster is None or not isinstance(cluster.get("server"), str):
        raise ConfigError("OPG501", f'context "{current}" names no cluster with a server')
    for key in ("auth-provider", "exec"):
        if key in user:
            raise ConfigError(
                "OPG502",
                f'user of context "{current}" authenticates by "{key}", which is not supported yet',
                hint="use a token or a client certificate: kubectl create token NAME",
            )
    token_file = user.get("tokenFile")
    return ClientConfig(
        server=cluster["server"].rstrip("/"),
        namespace=str(chosen.get("namespace") or "default"),
        ca_data=_bytes(cluster, "certificate-authority"),
        insecure=cluster.get("insecure-skip-tls-verify") is True,
        token=user.get("token") if isinstance(user.get("token"), str) else None,
        token_file=user[""] / token_file if isinstance(token_file, str) else None,
        certificate=_bytes(user, "client-certificate"),
        key=_bytes(user, "client-key"),
        impersonate=user.get("as") if isinstance(user.get("as"), str) else None,
    )


def _bytes(entry: Mapping[str, Any], key: str) -> bytes | None:
    """Return what stands under `key-data` as base64, or in the file that `key` names, relative to the kubeconfig."""
    data = entry.get(f"{key}-data")
    try:
        if isinstance(data, str) and data:
            return base64.b64decode(data, validate=True)
        name = entry.get(key)
        return (entry[""] / name).read_bytes() if isinstance(name, str) and name else None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not base64"
        raise ConfigError("OPG501", f'"{key}" of the kubeconfig can\'t be read: {reason}') from None
