"""Write the schema of each version of each CRD as a JSON file of its own: what datamodel-code-generator takes.

In a process of its own, so that the one which starts and measures the others stays small.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import yaml

__all__ = ["Loader", "split"]


class Loader(yaml.CSafeLoader):
    """Reads a bare `=` as a string, as kubectl does; PyYAML has a type of its own for it, and can't make one."""


Loader.yaml_implicit_resolvers = {
    first: rules
    for first, rules in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    if first != "="
}


def split(crd: dict[str, Any], stem: str, folder: Path) -> list[dict[str, Any]]:
    """Write the schemas of one CRD; return what each is of."""
    spec, out = crd["spec"], []
    for version in spec["versions"]:
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        if not schema:
            continue
        file = folder / f"{stem}-{version['name']}.json"
        file.write_text(json.dumps(schema), encoding="utf-8")
        out.append(
            {
                "file": str(file),
                "group": spec["group"],
                "version": version["name"],
                "kind": spec["names"]["kind"],
                "served": version["served"],
            }
        )
    return out


def main() -> None:
    """Split the files of argument 2 (a JSON list of path and stem) into the folder of argument 1."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[dict[str, Any]]] = {}
    for path, stem in json.loads(sys.argv[2]):
        units = found[stem] = []
        with open(path, encoding="utf-8") as stream:
            for document in yaml.load_all(stream, Loader=Loader):
                if document and document.get("kind") == "CustomResourceDefinition":
                    units += split(document, stem, folder)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
