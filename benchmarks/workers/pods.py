"""Time decode, encode and deep copy of one client's Pod, in that client's environment.

Arguments: client, file of the Pod, rounds. Prints microseconds by name.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.workers.timing import alternate

__all__ = ["main"]

Works = dict[str, Callable[[], Any]]


def _opgen(text: str) -> Works:
    kind: Any = import_module("opgen.k8s.core.v1").Pod
    pod = kind.from_json(text)
    return {
        "decode": lambda: kind.from_json(text),
        "encode": lambda: pod.to_json(),
        "deepcopy": lambda: pod.deepcopy(),
    }


def _kubernetes(text: str) -> Works:
    api: Any = import_module("kubernetes.client")
    client = api.ApiClient(api.Configuration())
    pod = client.deserialize(text, "V1Pod", "application/json")
    return {
        "decode": lambda: client.deserialize(text, "V1Pod", "application/json"),
        "encode": lambda: json.dumps(client.sanitize_for_serialization(pod)),
        "deepcopy": lambda: copy.deepcopy(pod),
    }


def _lightkube(text: str) -> Works:
    kind: Any = import_module("lightkube.resources.core_v1").Pod
    pod = kind.from_dict(json.loads(text), lazy=False)
    return {
        "decode": lambda: kind.from_dict(json.loads(text), lazy=False),
        "encode": lambda: json.dumps(pod.to_dict()),
        "deepcopy": lambda: copy.deepcopy(pod),
    }


def main() -> None:
    """Time one client, with json and copy.deepcopy of a dict as yardsticks in the same process."""
    client, file, rounds = sys.argv[1:]
    text = Path(file).read_text(encoding="utf-8")
    wire = json.loads(text)
    works = {"opgen": _opgen, "kubernetes": _kubernetes, "lightkube": _lightkube}[client](text)
    works |= {
        "dict.decode": lambda: json.loads(text),
        "dict.encode": lambda: json.dumps(wire),
        "dict.deepcopy": lambda: copy.deepcopy(wire),
    }
    json.dump(alternate(works, int(rounds)), sys.stdout)


if __name__ == "__main__":
    main()
