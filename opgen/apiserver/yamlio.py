"""YAML bodies: parsed as the API server does, through JSON's types."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from opgen.apiserver.status import bad_request

__all__ = ["dump", "load"]


def load(body: bytes) -> Any:
    """Return the value of a YAML document; raises a 400 `StatusError`."""
    import yaml

    try:
        documents = list(yaml.load_all(body, Loader=_loader()))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}: " if mark is not None and mark.line else ""
        text = f"yaml: {where}{error.problem}"
        raise bad_request(f"error decoding YAML: error converting YAML to JSON: {text}") from None
    except yaml.YAMLError as error:
        raise bad_request(
            f"error decoding YAML: error converting YAML to JSON: yaml: {error}"
        ) from None
    return documents[0] if documents else None


@cache
def _loader() -> Any:
    """A loader without timestamps, which JSON does not have."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {
            key: [(tag, rx) for tag, rx in pairs if tag != "tag:yaml.org,2002:timestamp"]
            for key, pairs in base.yaml_implicit_resolvers.items()
        }

    return Loader


@cache
def _dumper() -> Any:
    """A dumper that writes no anchors and quotes as Go's encoder does."""
    import yaml

    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class Dumper(base):  # type: ignore[misc]
        def ignore_aliases(self, data: Any) -> bool:
            return True

    resolve: Any = yaml.SafeDumper("").resolve  # type: ignore[arg-type]

    def text(dumper: Any, data: str) -> Any:
        tag = resolve(yaml.ScalarNode, data, (True, False))
        plain = tag == "tag:yaml.org,2002:str" and data != ""
        return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=None if plain else '"')

    Dumper.add_representer(str, text)
    return Dumper


def dump(value: Any) -> bytes:
    """Return `value` as YAML with sorted keys, quoted as Go's encoder quotes."""
    import yaml

    out: str = yaml.dump(
        value,
        Dumper=_dumper(),
        sort_keys=True,
        allow_unicode=True,
        default_flow_style=False,
        width=10**9,
    )
    return out.encode()
