"""CPU seconds of datamodel-code-generator's own parse of schemas, without its start, its input and its formatting."""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["main"]


def main() -> None:
    """Parse each schema file of the arguments; print {file: {cpu, lines}} or {file: {why}}."""
    warnings.simplefilter("ignore")
    parser: Any = import_module("datamodel_code_generator.parser.jsonschema").JsonSchemaParser
    texts = {file: Path(file).read_text(encoding="utf-8") for file in json.loads(sys.argv[1])}
    found: dict[str, dict[str, Any]] = {}
    for file, text in texts.items():
        started = time.process_time()
        try:
            made = parser(text).parse(format_=False)
        except Exception as error:
            found[file] = {"why": f"{type(error).__name__}: {error}"[:200]}
            continue
        cpu = time.process_time() - started
        found[file] = {"cpu": cpu, "lines": made.count("\n") + 1}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
