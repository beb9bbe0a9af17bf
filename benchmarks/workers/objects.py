"""Write objects of a kind, of several sizes, that each of several models takes.

The argument is {crd, version, sizes, models: [{folder, module, kind}], out}; prints [{file, size}].
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from benchmarks.synth import Growth, path_of, sized, synthesise
from benchmarks.workers.split import Loader

__all__ = ["decoder", "main"]

_META = {
    "name": "example",
    "namespace": "default",
    "uid": "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
    "resourceVersion": "123456",
    "generation": 3,
    "creationTimestamp": "2026-03-04T05:06:07Z",
    "labels": {"app.kubernetes.io/name": "example"},
    "annotations": {"example.com/note": "synthesised"},
}


def decoder(model: dict[str, str]) -> Any:
    """Return the class of a model."""
    if model["folder"] not in sys.path:
        sys.path.insert(0, model["folder"])
    return getattr(import_module(model["module"]), model["kind"])


def _refused(kinds: list[Any], value: dict[str, Any]) -> list[tuple[str | int, ...]]:
    for kind in kinds:
        try:
            getattr(kind, "from_wire", kind.model_validate)(value)
        except ValidationError as error:
            return [
                tuple(one["loc"]) for one in error.errors(include_url=False, include_input=False)
            ]
    return []


def main() -> None:
    """Write the objects."""
    task = json.loads(sys.argv[1])
    with open(task["crd"], encoding="utf-8") as stream:
        crd = yaml.load(stream, Loader=Loader)
    spec = crd["spec"]
    schema = next(
        version["schema"]["openAPIV3Schema"]
        for version in spec["versions"]
        if version["name"] == task["version"]
    )
    kind = spec["names"]["kind"]
    head = {"apiVersion": f"{spec['group']}/{task['version']}", "kind": kind, "metadata": _META}
    kinds = [decoder(model) for model in task["models"]]
    skip: frozenset[tuple[str, ...]] = frozenset()
    for _ in range(200):
        value = {**synthesise(schema, Growth(items=2), skip), **head}
        bad = frozenset(path_of(schema, location) for location in _refused(kinds, value)) - {()}
        if not bad:
            break
        skip |= bad
    written = []
    for target in task["sizes"]:
        value = sized(schema, target, skip, head)
        if _refused(kinds, value):
            continue
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        if not 0.6 < len(text) / target < 1.6:
            continue
        file = Path(task["out"]) / f"{kind.lower()}-{target}.json"
        file.write_text(text, encoding="utf-8")
        written.append({"file": str(file), "size": len(text)})
    json.dump({"objects": written, "skipped": sorted(".".join(path) for path in skip)}, sys.stdout)


if __name__ == "__main__":
    main()
