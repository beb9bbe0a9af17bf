"""Time decode, encode and deep copy of opgen's models, plain pydantic models and dicts in one process.

The argument is {file, opgen: {folder, module, kind}, plain: the same or null, rounds}; prints microseconds by name.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.workers.objects import decoder
from benchmarks.workers.timing import alternate

__all__ = ["main"]


def main() -> None:
    """Time everything that can be done with one object."""
    task = json.loads(sys.argv[1])
    text = Path(task["file"]).read_text(encoding="utf-8")
    wire = json.loads(text)
    kind: Any = decoder(task["opgen"])
    model = kind.from_wire(wire)
    assert model.to_wire() == wire
    assert model.deepcopy() == model
    works: dict[str, Callable[[], Any]] = {
        "opgen.from_json": lambda: kind.from_json(text),
        "opgen.from_wire": lambda: kind.from_wire(wire),
        "opgen.to_json": lambda: model.to_json(),
        "opgen.to_wire": lambda: model.to_wire(),
        "opgen.deepcopy": lambda: model.deepcopy(),
        "json.loads": lambda: json.loads(text),
        "json.dumps": lambda: json.dumps(wire, separators=(",", ":")),
        "copy.deepcopy": lambda: copy.deepcopy(wire),
    }
    if task["plain"]:
        other: Any = decoder(task["plain"])
        plain = other.model_validate(wire)
        works |= {
            "plain.model_validate_json": lambda: other.model_validate_json(text),
            "plain.model_validate": lambda: other.model_validate(wire),
            "plain.model_dump_json": lambda: plain.model_dump_json(
                by_alias=True, exclude_unset=True
            ),
            "plain.model_dump": lambda: plain.model_dump(
                mode="json", by_alias=True, exclude_unset=True
            ),
            "plain.model_copy": lambda: plain.model_copy(deep=True),
        }
    json.dump(alternate(works, task["rounds"]), sys.stdout)


if __name__ == "__main__":
    main()
