"""The server judges objects of real CRDs as a real API server did: code, result, and the fields of the causes."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from functools import cache
from typing import Any

import pytest

from opgen.apiserver import ApiServer, Request
from opgen.crd.yaml import load_documents
from tests.shared import SHARED, needs_shared

pytestmark = needs_shared

# A whole float for an integer, where the real server's CEL stumbles: see docs/fidelity-server.md.
DIFFERING = 1


@cache
def verdicts() -> dict[str, list[dict[str, Any]]]:
    """Return the recorded verdicts by CRD."""
    assert SHARED is not None
    out: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(SHARED / "golden/verdicts/dev.jsonl.gz", "rt") as lines:
        for line in lines:
            verdict = json.loads(line)
            out[verdict["crd"]].append(verdict)
    return out


def prepared(file: str) -> dict[str, Any]:
    """Return a CRD as it was installed for the recording."""
    assert SHARED is not None
    crd: Any = load_documents((SHARED / "corpus/dev" / file).read_text(), file)[0].value
    meta: dict[str, Any] = {"name": crd["metadata"]["name"]}
    if crd["spec"]["group"].endswith(("k8s.io", "kubernetes.io")):
        meta["annotations"] = {"api-approved.kubernetes.io": "https://example.com/1"}
    spec = {**crd["spec"], "conversion": {"strategy": "None"}}
    return {k: v for k, v in crd.items() if k != "status"} | {"metadata": meta, "spec": spec}


def judged(server: ApiServer, spec: dict[str, Any], verdict: dict[str, Any], mode: str) -> Any:
    """Post a recorded object, dry."""
    place = "/namespaces/default" if spec["scope"] == "Namespaced" else ""
    api = f"{spec['group']}/{verdict['version']}"
    kind = spec["names"]["kind"]
    body = {"apiVersion": api, "kind": kind, "metadata": {"name": "x"}}
    if isinstance(verdict["sent"], dict):
        body |= verdict["sent"]
    response = server.handle(
        Request(
            "POST",
            f"/apis/{api}{place}/{spec['names']['plural']}",
            {"dryRun": "All", "fieldValidation": mode},
            {"Content-Type": "application/json"},
            json.dumps(body).encode(),
        )
    )
    return response.status, json.loads(response.body or b"")


def wrong(code: int, body: Any, verdict: dict[str, Any], want: int, result: str) -> str:
    """Return what differs from the recording, empty if nothing does."""
    if code != want:
        return f"{code}, not {want}: {body.get('message')}"
    if code < 400:
        have = {k: v for k, v in body.items() if k not in ("apiVersion", "kind", "metadata")}
        return "" if have == verdict.get(result, verdict["sent"]) else f"result {have}"
    causes = verdict.get("causes") or []
    fields = {c[0] for c in causes}
    found = {c["field"] for c in body.get("details", {}).get("causes", [])}
    same = fields == found if len(causes) < 8 else fields <= found
    return "" if same or not causes else f"fields {sorted(found)}, not {sorted(fields)}"


def differences(files: list[str]) -> list[str]:
    """Judge all recorded objects of some CRDs."""
    out = []
    for file in files:
        crd = prepared(file)
        server = ApiServer()
        server.install(crd)
        for verdict in verdicts()[file]:
            pairs = [("Strict", verdict["code"], "got")]
            if "looseCode" in verdict:
                pairs.append(("Ignore", verdict["looseCode"], "looseGot"))
            for mode, want, result in pairs:
                code, body = judged(server, crd["spec"], verdict, mode)
                found = wrong(code, body, verdict, want, result)
                if found:
                    out.append(f"{file} {verdict['version']} {verdict['label']}: {found}")
    return out


def test_a_sample_of_verdicts_agrees() -> None:
    assert differences(sorted(verdicts())[::40]) == []


@pytest.mark.corpus
def test_all_verdicts_agree() -> None:
    found = differences(sorted(verdicts()))
    assert len(found) <= DIFFERING, "\n".join(found[:50])
