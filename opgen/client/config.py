"""Where the API server is and how to prove who asks: a kubeconfig, or the service account of a pod."""

from __future__ import annotations

import os
import ssl
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from opgen.client.auth import Anonymous, Auth, TokenFile
from opgen.errors import ConfigError, Location

__all__ = ["ClientConfig", "from_environment", "in_cluster"]

_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@dataclass
class ClientConfig:
    """One way to reach one server; secrets never show in its repr.

    `auth` proves who asks in the headers of each request; a client certificate does it within TLS.
    """

    server: str
    namespace: str = "default"
    ca_data: bytes | None = field(default=None, repr=False)
    insecure: bool = False
    auth: Auth = field(default_factory=Anonymous)
    certificate: bytes | None = field(default=None, repr=False)
    key: bytes | None = field(default=None, repr=False)
    tls_server_name: str = ""
    proxy: str = field(default="", repr=False)

    def ssl_context(self) -> ssl.SSLContext | None:
        """Return the TLS settings, None for plain HTTP; a certificate of `auth` goes before the one given.

        Raises ConfigError (OPG501) for certificates that are none.
        """
        if not self.server.startswith("https://"):
            return None
        try:
            context = ssl.create_default_context(
                cadata=self.ca_data.decode() if self.ca_data else None
            )
            if self.insecure:
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
            pair = self.auth.certificate or (self.certificate, self.key)
            if pair[0] and pair[1]:
                # the ssl module reads certificates from files only
                with tempfile.TemporaryDirectory() as folder:
                    file = Path(folder, "pair.pem")
                    file.touch(mode=0o600)
                    file.write_bytes(pair[0] + b"\n" + pair[1])
                    context.load_cert_chain(file)
        except (ssl.SSLError, UnicodeDecodeError) as error:
            reason = getattr(error, "reason", None) or "not PEM"
            raise ConfigError(
                "OPG501", f'the certificates for "{self.server}" can\'t be used: {reason}'
            ) from None
        return context


def from_environment(context: str | None = None) -> ClientConfig:
    """Return the configuration as kubectl would find it: KUBECONFIG, `~/.kube/config`, the pod's own account.

    Files that KUBECONFIG lists are merged. Raises ConfigError (OPG501) if there is none, or one makes no sense.
    """
    named = [Path(path) for path in os.environ.get("KUBECONFIG", "").split(os.pathsep) if path]
    files = named or [Path.home() / ".kube" / "config"]
    if any(path.is_file() for path in files):
        from opgen.client.kubeconfig import load_kubeconfig

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
    return ClientConfig(f"https://{host}:{port}", namespace, ca, auth=TokenFile(folder / "token"))
