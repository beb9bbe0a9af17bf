"""kubeconfig files: merged as kubectl does, and read to the last setting or refused.

Our own module: the official clients load over a thousand modules to read one YAML file, and pass over settings that
they do not know, so that a proxy or a server name is left out in silence. A setting that can't be honoured here is an
error.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from opgen.client.auth import Anonymous, Auth, Headers, Static, TokenFile
from opgen.client.config import ClientConfig
from opgen.errors import ConfigError, Location

__all__ = ["load_kubeconfig"]


@dataclass(frozen=True)
class _Entry:
    """A cluster, context or user, and the folder that its relative paths start from."""

    label: str
    value: Mapping[str, Any]
    folder: Path = Path()

    def text(self, key: str) -> str:
        """Return a setting that is text, empty where it is not set."""
        value = self.value.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise ConfigError("OPG501", f'"{key}" of {self.label} is no text')
        return value

    def path(self, key: str) -> Path | None:
        """Return a setting that names a file, relative to the kubeconfig that has it."""
        name = self.text(key)
        return self.folder / name if name else None

    def data(self, key: str) -> bytes | None:
        """Return what stands under `key-data` as base64, or in the file that `key` names."""
        try:
            if data := self.text(f"{key}-data"):
                return base64.b64decode(data, validate=True)
            file = self.path(key)
            return file.read_bytes() if file else None
        except OSError as error:
            raise ConfigError(
                "OPG501", f'"{key}" of {self.label} can\'t be read: {error.strerror}'
            ) from None
        except ValueError:
            raise ConfigError("OPG501", f'"{key}-data" of {self.label} is not base64') from None


def load_kubeconfig(files: list[Path], context: str | None = None) -> ClientConfig:
    """Return a context of kubeconfig files, the current one unless named; the first file that sets a name wins.

    Raises ConfigError: OPG501 if the context is not there or a file can't be read, OPG502 for a setting that can't be
    honoured.
    """
    contexts, clusters, users, current = _merged(files)
    current = context or current
    if not current or current not in contexts:
        what = (
            f'context "{current}" is not in the kubeconfig' if current else "no context is current"
        )
        there = ", ".join(sorted(contexts)) or "none"
        raise ConfigError("OPG501", what, hint=f"contexts that are there: {there}")
    chosen = contexts[current]
    cluster = clusters.get(chosen.text("cluster"))
    if cluster is None or not cluster.text("server"):
        raise ConfigError("OPG501", f'context "{current}" names no cluster with a server')
    name = chosen.text("user")
    user = users.get(name) or _Entry(f'user "{name}"', {})
    if name and name not in users:
        raise ConfigError("OPG501", f'context "{current}" names user "{name}", who is not there')
    insecure = cluster.value.get("insecure-skip-tls-verify") is True
    authority = cluster.data("certificate-authority")
    if insecure and authority:
        raise ConfigError(
            "OPG501", f"{cluster.label} has a certificate authority and is told not to verify"
        )
    return ClientConfig(
        server=cluster.text("server").rstrip("/"),
        namespace=chosen.text("namespace") or "default",
        ca_data=authority,
        insecure=insecure,
        auth=_auth(user, cluster, authority),
        certificate=user.data("client-certificate"),
        key=user.data("client-key"),
        tls_server_name=cluster.text("tls-server-name"),
        proxy=_proxy(cluster),
    )


def _merged(
    files: list[Path],
) -> tuple[dict[str, _Entry], dict[str, _Entry], dict[str, _Entry], str]:
    """Return contexts, clusters and users by name, and the current context, of all files that are there."""
    merged: dict[str, dict[str, _Entry]] = {"contexts": {}, "clusters": {}, "users": {}}
    current = ""
    for path in files:
        if not path.is_file():
            continue
        where = Location(str(path))
        try:
            data = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader) or {}
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8"
            raise ConfigError(
                "OPG501", f"the kubeconfig can't be read: {reason}", location=where
            ) from None
        except yaml.YAMLError as error:
            # what the parser quotes may be a secret: say where, not what
            line = getattr(getattr(error, "problem_mark", None), "line", -1) + 1
            raise ConfigError(
                "OPG501", "the kubeconfig is no YAML", location=Location(str(path), line)
            ) from None
        if not isinstance(data, dict):
            raise ConfigError("OPG501", "a kubeconfig is a mapping", location=where)
        current = current or str(data.get("current-context") or "")
        for kind, entries in merged.items():
            for entry in data.get(kind) or ():
                if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
                    raise ConfigError("OPG501", f'an entry of "{kind}" has no name', location=where)
                name, value = entry["name"], entry.get(kind[:-1])
                label = f'{kind[:-1]} "{name}"'
                made = _Entry(label, value if isinstance(value, dict) else {}, path.parent)
                entries.setdefault(name, made)
    return merged["contexts"], merged["clusters"], merged["users"], current


def _proxy(cluster: _Entry) -> str:
    url = cluster.text("proxy-url")
    scheme = url.partition("://")[0].lower()
    if url and scheme not in ("http", "https"):
        raise ConfigError(
            "OPG502",
            f'{cluster.label} is reached through a "{scheme}" proxy, expected http or https',
            hint="run an HTTP proxy in front of it, or reach the server directly",
        )
    return url


def _auth(user: _Entry, cluster: _Entry, authority: bytes | None) -> Auth:
    """Return how a user proves who asks."""
    if "auth-provider" in user.value:
        provider = user.value["auth-provider"]
        name = provider.get("name") if isinstance(provider, dict) else provider
        raise ConfigError(
            "OPG502",
            f'{user.label} authenticates by "auth-provider" "{name}", which Kubernetes removed in 1.26',
            hint="use the exec plugin of your cloud, or a token: kubectl create token NAME",
        )
    more = _impersonation(user)
    if file := user.path("tokenFile"):
        return TokenFile(file, more)
    if token := user.text("token"):
        return Static((("Authorization", f"Bearer {token}"), *more))
    if name := user.text("username"):
        pair = base64.b64encode(f"{name}:{user.text('password')}".encode()).decode()
        return Static((("Authorization", f"Basic {pair}"), *more))
    if "exec" in user.value:
        from opgen.client.execauth import ExecAuth, ExecPlugin

        plugin = ExecPlugin.of(user.value["exec"], user.label, user.folder)
        return ExecAuth(plugin, _cluster_info(cluster, authority), more)
    return Static(more) if more else Anonymous()


def _impersonation(user: _Entry) -> Headers:
    """Return the headers that make the server take the user for another (Kubernetes: user impersonation)."""
    headers: list[tuple[str, str]] = []
    groups, extra = user.value.get("as-groups") or (), user.value.get("as-user-extra") or {}
    if name := user.text("as"):
        headers.append(("Impersonate-User", name))
    elif groups or extra or user.text("as-uid"):
        raise ConfigError("OPG501", f'{user.label} impersonates groups, but "as" names no user')
    if uid := user.text("as-uid"):
        headers.append(("Impersonate-Uid", uid))
    headers += [("Impersonate-Group", str(group)) for group in groups]
    for key, values in sorted(extra.items()):
        headers += [(f"Impersonate-Extra-{key}", str(value)) for value in values]
    return tuple(headers)


def _cluster_info(cluster: _Entry, authority: bytes | None) -> dict[str, Any]:
    """Return what an exec plugin is told of the cluster, if it asks (client.authentication.k8s.io Cluster)."""
    info: dict[str, Any] = {"server": cluster.text("server")}
    for key in ("tls-server-name", "proxy-url"):
        if value := cluster.text(key):
            info[key] = value
    if cluster.value.get("insecure-skip-tls-verify") is True:
        info["insecure-skip-tls-verify"] = True
    if authority:
        info["certificate-authority-data"] = base64.b64encode(authority).decode()
    for extension in cluster.value.get("extensions") or ():
        if (
            isinstance(extension, dict)
            and extension.get("name") == "client.authentication.k8s.io/exec"
        ):
            info["config"] = extension.get("extension")
    return info
