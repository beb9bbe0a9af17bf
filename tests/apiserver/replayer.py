"""Replays recorded scenarios against a server and says where the answers differ.

Written from the description of the recordings' format; goes through either door.
"""

from __future__ import annotations

import copy
import datetime
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

__all__ = ["Answer", "Replay", "differences", "without_managed_fields"]

_VAR = re.compile(r"\$\{([A-Za-z0-9_]+)\}")
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_KEPT = (
    "content-type",
    "warning",
    "retry-after",
    "location",
    "allow",
    "etag",
    "deprecation",
    "cache-control",
)


class Answer:
    """One answer: status, the headers worth comparing, and a body of one kind (`body`, `text` or `events`)."""

    def __init__(self, status: int, headers: dict[str, Any], kind: str, body: Any) -> None:
        """Keep the parts."""
        self.status, self.headers, self.kind, self.body = status, headers, kind, body

    @classmethod
    def of(cls, status: int, headers: list[tuple[str, str]], body: bytes) -> Answer:
        """Make one from a body that is not a watch."""
        text = body.decode("utf-8", "replace")
        kept = cls.keep(headers)
        if text.strip()[:1] in ("{", "["):
            try:
                return cls(status, kept, "body", json.loads(text))
            except ValueError:
                pass
        return cls(status, kept, "text", text)

    @classmethod
    def watch(cls, status: int, headers: list[tuple[str, str]], lines: list[bytes]) -> Answer:
        """Make one from the lines of a watch."""
        events = [json.loads(line) for line in lines if line.strip()]
        if len(events) == 1 and "object" not in events[0]:
            return cls(status, cls.keep(headers), "body", events[0])
        return cls(status, cls.keep(headers), "events", events)

    @staticmethod
    def keep(headers: list[tuple[str, str]]) -> dict[str, Any]:
        """Return the headers that are compared."""
        out: dict[str, Any] = {}
        for name, value in headers:
            low = name.lower()
            if low == "warning":
                out.setdefault(low, []).append(value)
            elif low in _KEPT:
                out.setdefault(low, value)
        return out


def pointer(document: Any, path: str) -> Any:
    """Follow a JSON pointer; raises LookupError or TypeError."""
    for part in path.strip("/").split("/") if path.strip("/") else []:
        name = part.replace("~1", "/").replace("~0", "~")
        document = document[int(name)] if isinstance(document, list) else document[name]
    return document


def substitute(value: Any, env: dict[str, Any]) -> Any:
    """Fill in `${...}`."""
    if isinstance(value, str):
        whole = _VAR.fullmatch(value)
        if whole and whole.group(1) in env:
            return env[whole.group(1)]
        return _VAR.sub(lambda m: str(env.get(m.group(1), m.group(0))), value)
    if isinstance(value, list):
        return [substitute(v, env) for v in value]
    if isinstance(value, dict):
        return {substitute(k, env): substitute(v, env) for k, v in value.items()}
    return value


def headers_of(request: dict[str, Any], token: str) -> tuple[dict[str, str], bytes | None]:
    """Return the headers and body that a recorded request is sent with."""
    headers: dict[str, str] = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json",
        "User-Agent": "golden/1.0",
    }
    for name, value in (request.get("headers") or {}).items():
        if value is None:
            headers.pop(name, None)
        else:
            headers[name] = value
    data: bytes | None = None
    if "raw" in request:
        data = request["raw"].encode()
    elif "raw_repeat" in request:
        parts = request["raw_repeat"]
        data = (parts["prefix"] + parts["text"] * parts["times"] + parts["suffix"]).encode()
    elif "body" in request:
        data = json.dumps(request["body"]).encode()
    if data is not None:
        headers.setdefault("Content-Type", "application/json")
    return headers, data


def is_watch(request: dict[str, Any]) -> bool:
    """Whether a recorded request asks for a watch."""
    return (request.get("query") or {}).get("watch", "false") not in ("false", "0")


def holds(condition: dict[str, Any], answer: Answer) -> bool:
    """Whether an answer meets a `poll` condition."""
    body = answer.body
    if "status" in condition and answer.status != condition["status"]:
        return False
    if "pointer" in condition:
        try:
            value = pointer(body, condition["pointer"])
        except (LookupError, TypeError, ValueError):
            value = None
        if "equals" in condition and value != condition["equals"]:
            return False
        if condition.get("absent") and value is not None:
            return False
    if "condition" in condition:
        status = body.get("status") if isinstance(body, dict) else None
        found = (status.get("conditions") or []) if isinstance(status, dict) else []
        if "reason" in condition and condition["reason"] not in [c["reason"] for c in found]:
            return False
        states = {c["type"]: c["status"] for c in found}
        if states.get(condition["condition"]) != condition.get("value", "True"):
            return False
    return not ("length" in condition and len(body.get("items", [])) != condition["length"])


class Placeholders:
    """Puts placeholders where values differ from run to run; the same value gets the same one."""

    def __init__(self, namespace: str, now: float, generated: list[str]) -> None:
        """`generated` are the generateNames that the scenario uses."""
        self.namespace, self.now = namespace, now
        self.versions: dict[str, str] = {}
        self.uids: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.generated = [g for g in generated if g]

    def collect(self, value: Any) -> None:
        """Note the UIDs and generated names in a body."""
        if isinstance(value, dict):
            uid = value.get("uid")
            if (
                isinstance(uid, str)
                and re.fullmatch(r"[0-9a-f]{8}-[0-9a-f-]{27}", uid)
                and not uid.startswith("0" * 8)
            ):
                self.uids.setdefault(uid, f"<uid:{len(self.uids) + 1}>")
            meta = value.get("metadata")
            if isinstance(meta, dict) and meta.get("generateName"):
                prefix = meta["generateName"][:58]
                if meta.get("name", "").startswith(prefix):
                    self.names.setdefault(meta["name"], prefix + "<generated>")
            for item in value.values():
                self.collect(item)
        elif isinstance(value, list):
            for item in value:
                self.collect(item)

    def recent(self, text: str) -> bool:
        """Whether a text is a time near the run's."""
        if not _STAMP.fullmatch(text):
            return False
        try:
            moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
        except ValueError:
            return False
        return abs(moment.timestamp() - self.now) < 7200

    def text(self, text: str) -> str:
        """Return a string with placeholders in it."""
        if self.recent(text):
            return "<microtime>" if "." in text else "<time>"
        for uid, instead in self.uids.items():
            text = text.replace(uid, instead)
        for name, instead in self.names.items():
            text = text.replace(name, instead)
        text = text.replace(self.namespace, "<ns>")
        text = re.sub(
            r"too old resource version: \d+ \(\d+\)", "too old resource version: <rv> (<rv>)", text
        )
        text = re.sub(
            r"Too large resource version: \d+, current: \d+",
            "Too large resource version: <rv>, current: <rv>",
            text,
        )
        text = re.sub(r"storage is \(re\)initializing: .*", "storage is (re)initializing", text)
        text = re.sub(r"hash=[0-9A-F]{32,}", "hash=<hash>", text)
        text = re.sub(r"127\.0\.0\.1:\d{4,5}", "<server>", text)
        for prefix in self.generated:
            text = re.sub(
                re.escape(prefix[:58]) + r"[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])",
                prefix[:58] + "<generated>",
                text,
            )
        text = re.sub(r"(resourceVersion\\*\"?: ?\\*\")\d+", r"\1<rv>", text)
        text = re.sub(r"(ResourceVersion in record \()\d+", r"\1<rv>", text)
        return re.sub(
            r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
            lambda m: "<time>" if self.recent(m.group(0)) else m.group(0),
            text,
        )

    def walk(self, value: Any, list_meta: bool = False, bookmark: bool = False) -> Any:
        """Return a body with placeholders in it."""
        if isinstance(value, list):
            return [self.walk(v) for v in value]
        if isinstance(value, str):
            return self.text(value)
        if not isinstance(value, dict):
            return value
        value = _sorted(value)
        bookmark = bookmark or value.get("type") == "BOOKMARK"
        out: dict[str, Any] = {}
        for key, item in value.items():
            if key == "resourceVersion" and isinstance(item, str):
                item = self._version(item, list_meta, bookmark)
            elif key == "clusterIP" and isinstance(item, str) and re.fullmatch(r"[0-9.]+", item):
                item = "<clusterIP>"
            elif key == "clusterIPs" and isinstance(item, list):
                item = ["<clusterIP>" if re.fullmatch(r"[0-9.]+", i) else i for i in item]
            elif key == "continue" and list_meta and item:
                item = "<continue>"
            else:
                item = self.walk(item, key == "metadata" and _is_list(value), bookmark)
            out[self.text(key)] = item
        return out

    def _version(self, text: str, list_meta: bool, bookmark: bool) -> str:
        if bookmark:
            return "<rv:bookmark>"
        if list_meta:
            return "<rv:list>" if text else text
        if re.fullmatch(r"\d+", text):
            return self.versions.setdefault(text, f"<rv:{len(self.versions) + 1}>")
        return text


def _is_list(value: dict[str, Any]) -> bool:
    kind = str(value.get("kind", ""))
    return (
        "items" in value
        or kind in ("Table", "Status", "PartialObjectMetadataList")
        or kind.endswith("List")
    )


def _sorted(value: dict[str, Any]) -> dict[str, Any]:
    """Put what a real server orders at random in order."""
    out = dict(value)
    causes = (out.get("details") or {}).get("causes") or [] if out.get("kind") == "Status" else []
    if len(causes) > 1:
        texts = [f"{c.get('field')}: {c.get('message')}" for c in causes]
        joined = "[" + ", ".join(texts) + "]"
        details = dict(
            out["details"], causes=sorted(causes, key=lambda c: json.dumps(c, sort_keys=True))
        )
        out["details"] = details
        if out["message"].endswith(joined):
            out["message"] = out["message"][: -len(joined)] + "[" + ", ".join(sorted(texts)) + "]"
    if isinstance(out.get("managedFields"), list):
        out["managedFields"] = sorted(
            out["managedFields"],
            key=lambda m: json.dumps({k: v for k, v in m.items() if k != "time"}, sort_keys=True),
        )
    if out.get("kind") == "Table" and isinstance(out.get("rows"), list):
        aged = [
            i
            for i, c in enumerate(out.get("columnDefinitions") or [])
            if c["name"] in ("Age", "Created At") or c.get("type") == "date"
        ]
        out["rows"] = [
            dict(
                r,
                cells=[
                    "<age>" if i in aged and c != "<unknown>" else c
                    for i, c in enumerate(r["cells"])
                ],
            )
            for r in out["rows"]
        ]
    return out


Send = Callable[[dict[str, Any]], Awaitable[Answer]]
Background = Callable[[dict[str, Any], int], Awaitable[Callable[[], Awaitable[Answer]]]]


class Replay:
    """Runs scenarios through a door.

    `send` answers a request; `background` starts a watch, waits for some events, and returns what waits for its end;
    `advance` lets time pass (polls, sleeps).
    """

    def __init__(
        self,
        send: Send,
        background: Background,
        advance: Callable[[float], Awaitable[None]],
        now: Callable[[], float],
    ) -> None:
        """Keep the door's functions."""
        self.send, self.background, self.advance, self.now = send, background, advance, now
        self._count = 0

    async def run(self, scenario: dict[str, Any]) -> list[dict[str, Any] | None]:
        """Return the normalised response of each step (None for a `join`)."""
        self._count += 1
        letters = "".join("abcdefghij"[int(d)] for d in f"{self._count:04d}")
        namespace = f"g-{letters}zzzz"
        env: dict[str, Any] = {"ns": namespace}
        steps = scenario["steps"]
        if not scenario.get("no_namespace"):
            made = await self.send(
                {
                    "method": "POST",
                    "path": "/api/v1/namespaces",
                    "body": {"metadata": {"name": namespace}},
                }
            )
            assert made.status == 201, made.body
        results: list[Answer | None] = [None] * len(steps)
        waiting: dict[str, tuple[int, Callable[[], Awaitable[Answer]]]] = {}
        for index, step in enumerate(steps):
            if step.get("sleep"):
                await self.advance(step["sleep"])
            if "join" in step:
                at, end = waiting.pop(step["join"])
                results[at] = await end()
                continue
            request = substitute(step["request"], env)
            if step.get("background"):
                waiting[step["id"]] = (
                    index,
                    await self.background(request, step.get("await_events", 0)),
                )
                continue
            answer = await self.send(request)
            for _ in range(50):
                if not step.get("poll") or holds(step["poll"], answer):
                    break
                await self.advance(0.2)
                answer = await self.send(request)
            results[index] = answer
            for name, path in (step.get("capture") or {}).items():
                try:
                    env[name] = pointer(answer.body, path)
                except (LookupError, TypeError, ValueError):
                    env[name] = "CAPTURE-FAILED"
        for at, end in waiting.values():
            results[at] = await end()
        for path in scenario.get("cleanup", []):
            await self.send({"method": "DELETE", "path": substitute(path, env)})
        if not scenario.get("no_namespace"):
            await self.send({"method": "DELETE", "path": f"/api/v1/namespaces/{namespace}"})
        await self.advance(0.2)
        return self._normal(scenario, namespace, results)

    def _normal(
        self, scenario: dict[str, Any], namespace: str, results: list[Answer | None]
    ) -> list[dict[str, Any] | None]:
        bodies = [(s.get("request") or {}).get("body") for s in scenario["steps"]]
        generated = [
            (b.get("metadata") or {}).get("generateName") or ""
            for b in bodies
            if isinstance(b, dict)
        ]
        marks = Placeholders(namespace, self.now(), generated)
        for result in results:
            if result is not None:
                marks.collect(result.body)
        out: list[dict[str, Any] | None] = []
        for step, result in zip(scenario["steps"], results, strict=True):
            if result is None:
                out.append(None)
                continue
            kind, body = result.kind, result.body
            if step.get("select"):
                picked: dict[str, Any] = {}
                for path in step["select"]:
                    try:
                        picked[path] = pointer(body, path)
                    except (LookupError, TypeError, ValueError):
                        picked[path] = "<absent>"
                kind, body = "selected", picked
            body = marks.walk(copy.deepcopy(body))
            if kind == "events":
                body = [
                    e
                    for i, e in enumerate(body)
                    if i == 0 or e["type"] != "BOOKMARK" or e != body[i - 1]
                ]
            out.append({"status": result.status, "headers": marks.walk(result.headers), kind: body})
        return out


def without_managed_fields(value: Any) -> Any:
    """Return a document without any managedFields."""
    if isinstance(value, dict):
        return {k: without_managed_fields(v) for k, v in value.items() if k != "managedFields"}
    return [without_managed_fields(v) for v in value] if isinstance(value, list) else value


def differences(want: Any, have: Any, path: str = "") -> Iterator[str]:
    """Yield where two documents differ."""
    if type(want) is not type(have):
        yield f"{path}: recorded {json.dumps(want)[:200]}, now {json.dumps(have)[:200]}"
    elif isinstance(want, dict):
        for key in sorted({*want, *have}):
            if key not in want:
                yield f"{path}/{key}: not recorded, now {json.dumps(have[key])[:200]}"
            elif key not in have:
                yield f"{path}/{key}: recorded {json.dumps(want[key])[:200]}, now absent"
            else:
                yield from differences(want[key], have[key], f"{path}/{key}")
    elif isinstance(want, list):
        if len(want) != len(have):
            yield f"{path}: {len(want)} items recorded, now {len(have)}"
        for index, (a, b) in enumerate(zip(want, have, strict=False)):
            yield from differences(a, b, f"{path}/{index}")
    elif want != have:
        yield f"{path}: recorded {json.dumps(want)[:1500]}, now {json.dumps(have)[:1500]}"
