"""Configuration: every setting of a kubeconfig is honoured or refused, and no secret is shown."""

from __future__ import annotations

import base64
import json
import os
import stat
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from opgen.client.auth import Anonymous, TokenFile
from opgen.client.config import ClientConfig, from_environment, in_cluster
from opgen.client.execauth import ExecAuth, ExecPlugin
from opgen.client.kubeconfig import load_kubeconfig
from opgen.errors import ConfigError

SECRET = "s3cret-t0ken"


def write(path: Path, *, user: Any = None, cluster: Any = None, **top: Any) -> Path:
    """Write a kubeconfig with one context, `main`."""
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "main",
        "contexts": [
            {"name": "main", "context": {"cluster": "c", "user": "u", "namespace": "web"}}
        ],
        "clusters": [
            {"name": "c", "cluster": {"server": "https://k.example:6443/", **(cluster or {})}}
        ],
        "users": [{"name": "u", "user": user or {}}],
        **top,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(content), "utf-8")
    return path


def load(path: Path, **options: Any) -> ClientConfig:
    return load_kubeconfig([write(path, **options)])


async def headers(config: ClientConfig) -> list[tuple[str, str]]:
    return list(await config.auth.headers())


def fails(code: str, *words: str) -> Any:
    """Expect a ConfigError of a code that says all words and no secret."""

    class Expect:
        def __enter__(self) -> None: ...

        def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
            assert isinstance(error, ConfigError), error
            text = str(error)
            assert error.problem.code == code
            assert all(word in text for word in words), text
            assert SECRET not in text
            return True

    return Expect()


@pytest.mark.asyncio
async def test_the_current_context_gives_server_namespace_and_token(tmp_path: Path) -> None:
    config = load(tmp_path / "config", user={"token": SECRET})
    assert (config.server, config.namespace) == ("https://k.example:6443", "web")
    assert await headers(config) == [("Authorization", f"Bearer {SECRET}")]
    assert SECRET not in repr(config)


def test_another_context_may_be_named_and_a_missing_one_names_those_there(tmp_path: Path) -> None:
    path = write(
        tmp_path / "config",
        contexts=[{"name": n, "context": {"cluster": "c", "user": "u"}} for n in ("main", "other")],
    )
    assert load_kubeconfig([path], "other").namespace == "default"
    with fails("OPG501", 'context "third" is not in the kubeconfig', "main, other"):
        load_kubeconfig([path], "third")
    empty = write(tmp_path / "empty", **{"current-context": ""})
    with fails("OPG501", "no context is current", "main"):
        load_kubeconfig([empty])


def test_files_are_merged_and_the_first_that_sets_a_name_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = write(tmp_path / "a" / "config", **{"current-context": ""}, users=[])
    second = write(
        tmp_path / "b" / "config",
        cluster={"server": "https://shadowed"},
        user={"tokenFile": "token"},
        **{"current-context": "main"},
    )
    (tmp_path / "b" / "token").write_text(SECRET)
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path / 'none'}{os.pathsep}{first}{os.pathsep}{second}")
    config = from_environment()
    assert config.server == "https://k.example:6443"
    # a relative path starts from the file that has it
    assert repr(config.auth) == f"TokenFile({str(tmp_path / 'b' / 'token')!r})"


def test_no_configuration_at_all_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with fails("OPG501", "there is no kubeconfig at", "KUBECONFIG"):
        from_environment()


@pytest.mark.asyncio
async def test_a_pod_uses_its_service_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("ca.crt", "pem"), ("namespace", "ops\n"), ("token", f"{SECRET}\n")):
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "6443")
    config = in_cluster(tmp_path)
    assert (config.server, config.namespace) == ("https://[fd00::1]:6443", "ops")
    assert await headers(config) == [("Authorization", f"Bearer {SECRET}")]
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST")
    with fails("OPG501", "KUBERNETES_SERVICE_HOST"):
        in_cluster(tmp_path)
    with fails("OPG501", "no service account"):
        in_cluster(tmp_path / "elsewhere")


def test_certificates_come_as_data_or_from_files(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_bytes(b"authority")
    (tmp_path / "key.pem").write_bytes(b"key")
    config = load(
        tmp_path / "config",
        cluster={"certificate-authority": "ca.pem", "tls-server-name": "inner.example"},
        user={
            "client-certificate-data": base64.b64encode(b"certificate").decode(),
            "client-key": str(tmp_path / "key.pem"),
        },
    )
    assert (config.ca_data, config.certificate, config.key) == (
        b"authority",
        b"certificate",
        b"key",
    )
    assert config.tls_server_name == "inner.example"
    assert "certificate" not in repr(config.certificate and config)
    with fails("OPG501", "certificates for"):
        config.ssl_context()


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ({"cluster": {"certificate-authority-data": "*"}}, "OPG501", ["is not base64"]),
        ({"cluster": {"certificate-authority": "none.pem"}}, "OPG501", ["can't be read"]),
        (
            {"cluster": {"proxy-url": "socks5://p:1080"}},
            "OPG502",
            ['"socks5" proxy', "http or https"],
        ),
        (
            {"cluster": {"insecure-skip-tls-verify": True, "certificate-authority-data": "YQ=="}},
            "OPG501",
            ["told not to verify"],
        ),
        ({"user": {"auth-provider": {"name": "gcp"}}}, "OPG502", ['"gcp"', "removed in 1.26"]),
        ({"user": {"as-groups": ["admins"]}}, "OPG501", ['"as" names no user']),
        ({"user": {"token": 5}}, "OPG501", ['"token" of user "u" is no text']),
        ({"user": {"exec": {"args": []}}}, "OPG501", ["has no command"]),
        (
            {
                "user": {
                    "exec": {"command": "x", "apiVersion": "client.authentication.k8s.io/v1alpha1"}
                }
            },
            "OPG502",
            ["v1alpha1", "v1beta1"],
        ),
        (
            {
                "user": {
                    "exec": {
                        "command": "x",
                        "apiVersion": "client.authentication.k8s.io/v1",
                        "interactiveMode": "Always",
                    }
                }
            },
            "OPG502",
            ["asks for a terminal"],
        ),
        ({"users": []}, "OPG501", ['names user "u", who is not there']),
        ({"clusters": []}, "OPG501", ["names no cluster"]),
        ({"users": [{"user": {}}]}, "OPG501", ['an entry of "users" has no name']),
    ],
)
def test_what_cannot_be_honoured_is_refused(
    tmp_path: Path, options: Any, code: str, words: list[str]
) -> None:
    with fails(code, *words):
        load(tmp_path / "config", **options)


def test_a_file_that_is_no_yaml_is_refused_without_quoting_it(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(f"users:\n- token: {SECRET}: [", "utf-8")
    with fails("OPG501", "no YAML", "config:2"):
        load_kubeconfig([path])
    path.write_text("- a", "utf-8")
    with fails("OPG501", "is a mapping"):
        load_kubeconfig([path])
    path.write_bytes(b"\xff\xfe\xfa")
    with fails("OPG501", "not UTF-8"):
        load_kubeconfig([path])


def test_proxies_and_the_insecure_flag_are_honoured(tmp_path: Path) -> None:
    config = load(
        tmp_path / "config",
        cluster={"proxy-url": "http://me:pw@proxy:3128", "insecure-skip-tls-verify": True},
    )
    assert config.proxy == "http://me:pw@proxy:3128"
    assert "pw" not in repr(config)
    context = config.ssl_context()
    assert context is not None
    assert not context.check_hostname
    assert ClientConfig("http://plain").ssl_context() is None


@pytest.mark.asyncio
async def test_impersonation_and_basic_authentication_are_headers(tmp_path: Path) -> None:
    config = load(
        tmp_path / "config",
        user={
            "username": "me",
            "password": SECRET,
            "as": "jane",
            "as-uid": "7",
            "as-groups": ["a", "b"],
            "as-user-extra": {"scopes": ["x", "y"]},
        },
    )
    basic = base64.b64encode(f"me:{SECRET}".encode()).decode()
    assert await headers(config) == [
        ("Authorization", f"Basic {basic}"),
        ("Impersonate-User", "jane"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Extra-scopes", "x"),
        ("Impersonate-Extra-scopes", "y"),
    ]
    assert basic not in repr(config)
    assert repr(config.auth).startswith("Static(Authorization, Impersonate-User")


@pytest.mark.asyncio
async def test_a_token_file_is_read_again_after_a_minute_and_on_refusal(tmp_path: Path) -> None:
    path, now = tmp_path / "token", [0.0]
    path.write_text("old\n")
    auth = TokenFile(path, monotonic=lambda: now[0])
    assert await auth.headers() == (("Authorization", "Bearer old"),)
    path.write_text("new\n")
    now[0] = 59
    assert await auth.headers() == (("Authorization", "Bearer old"),)
    now[0] = 61
    assert await auth.headers() == (("Authorization", "Bearer new"),)
    path.write_text("newer\n")
    assert await auth.renew()
    assert not await auth.renew()
    assert await auth.headers() == (("Authorization", "Bearer newer"),)
    # between two tokens the file may be missing for a moment
    path.unlink()
    now[0] = 200
    assert await auth.headers() == (("Authorization", "Bearer newer"),)
    assert "newer" not in repr(auth)


@pytest.mark.asyncio
async def test_a_token_file_that_is_missing_or_empty_from_the_start_is_an_error(
    tmp_path: Path,
) -> None:
    with fails("OPG501", "can't be read"):
        await TokenFile(tmp_path / "none").headers()
    (tmp_path / "empty").write_text(" \n")
    with fails("OPG501", "is empty"):
        await TokenFile(tmp_path / "empty").headers()


def plugin(tmp_path: Path, body: str, **settings: Any) -> dict[str, Any]:
    """Write an exec plugin in Python and return the kubeconfig's `exec` for it."""
    script = tmp_path / "bin" / "plugin"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f"#!{sys.executable} -S\nimport json, os, sys\n{body}\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "./bin/plugin",
        "interactiveMode": "IfAvailable",
        **settings,
    }


SAY = """
counter = os.path.join(os.path.dirname(__file__), "runs")
runs = int(open(counter).read()) + 1 if os.path.exists(counter) else 1
open(counter, "w").write(str(runs))
info = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
status = {"token": f"token-{runs}-{os.environ['EXTRA']}-{sys.argv[1]}"}
status.update(json.loads(os.environ.get("MORE", "{}")))
json.dump(info, open(os.path.join(os.path.dirname(__file__), "info"), "w"))
print(json.dumps({"apiVersion": info["apiVersion"], "kind": "ExecCredential", "status": status}))
"""


@pytest.mark.asyncio
@pytest.mark.parametrize("version", ["v1", "v1beta1"])
async def test_an_exec_plugin_is_run_told_of_the_cluster_and_its_token_kept(
    tmp_path: Path, version: str
) -> None:
    settings = plugin(
        tmp_path,
        SAY,
        apiVersion=f"client.authentication.k8s.io/{version}",
        args=["--x"],
        env=[{"name": "EXTRA", "value": "e"}],
        provideClusterInfo=True,
    )
    config = load(
        tmp_path / "config",
        user={"exec": settings},
        cluster={
            "certificate-authority-data": "YQ==",
            "tls-server-name": "inner",
            "extensions": [
                {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "a"}}
            ],
        },
    )
    assert await headers(config) == [("Authorization", "Bearer token-1-e---x")]
    assert await headers(config) == [("Authorization", "Bearer token-1-e---x")]
    told = json.loads((tmp_path / "bin" / "info").read_text())
    assert told["spec"] == {
        "interactive": False,
        "cluster": {
            "server": "https://k.example:6443/",
            "tls-server-name": "inner",
            "certificate-authority-data": "YQ==",
            "config": {"audience": "a"},
        },
    }
    assert await config.auth.renew()
    assert await headers(config) == [("Authorization", "Bearer token-2-e---x")]
    assert "token" not in repr(config.auth)


@pytest.mark.asyncio
async def test_an_exec_token_is_kept_until_shortly_before_it_expires(tmp_path: Path) -> None:
    expires = datetime(2030, 1, 1, 1, tzinfo=UTC)
    more = json.dumps(
        {
            "expirationTimestamp": expires.isoformat(),
            "clientCertificateData": "C",
            "clientKeyData": "K",
        }
    )
    env = [{"name": "EXTRA", "value": "e"}, {"name": "MORE", "value": more}]
    now = [expires - timedelta(minutes=5)]
    settings = ExecPlugin.of(plugin(tmp_path, SAY, args=["x"], env=env), "user", tmp_path)
    auth = ExecAuth(settings, {}, now=lambda: now[0])
    assert (await auth.headers())[0][1] == "Bearer token-1-e-x"
    first = auth.certificate
    assert first == (b"C", b"K")
    assert (await auth.headers())[0][1] == "Bearer token-1-e-x"
    now[0] = expires - timedelta(seconds=5)
    assert (await auth.headers())[0][1] == "Bearer token-2-e-x"
    assert auth.certificate is first  # connections stay


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("sys.exit('no login')", ["failed with 1", "no login", "ask ops"]),
        ("print('{')", ["printed no ExecCredential"]),
        (
            "print(json.dumps({'apiVersion': 'client.authentication.k8s.io/v1', 'status': {}}))",
            ["neither"],
        ),
        (
            f"print(json.dumps({{'apiVersion': 'other', 'status': {{'token': '{SECRET}'}}}}))",
            ["answered in"],
        ),
        (
            f"print(json.dumps({{'apiVersion': 'client.authentication.k8s.io/v1', "
            f"'status': {{'token': '{SECRET}', 'expirationTimestamp': 'x'}}}}))",
            ["printed no ExecCredential"],
        ),
    ],
)
async def test_a_plugin_that_fails_says_why_and_never_what_it_printed(
    tmp_path: Path, body: str, words: list[str]
) -> None:
    settings = plugin(tmp_path, body, installHint="ask ops")
    with fails("OPG503", *words):
        await ExecAuth(ExecPlugin.of(settings, "user", tmp_path), {}).headers()


@pytest.mark.asyncio
async def test_a_plugin_that_is_not_installed_gives_the_hint_of_the_kubeconfig(
    tmp_path: Path,
) -> None:
    settings = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "surely-not-installed",
        "installHint": "install it",
    }
    with fails("OPG503", "can't be run", "install it"):
        await ExecAuth(ExecPlugin.of(settings, "user", tmp_path), {}).headers()


@pytest.mark.asyncio
async def test_no_credentials_is_no_header() -> None:
    assert await Anonymous().headers() == ()
    assert not await Anonymous().renew()
