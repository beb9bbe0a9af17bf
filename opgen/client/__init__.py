"""The typed client of Kubernetes API servers.

`Client` talks, `opgen.client.typed` has the bases of generated clients, `opgen.client.errors` what can go wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opgen.client.client import Client, Event, ObjectList, Preconditions
    from opgen.client.config import ClientConfig
    from opgen.client.transport import HttpTransport, InProcess

__all__ = [
    "Client",
    "ClientConfig",
    "Event",
    "HttpTransport",
    "InProcess",
    "ObjectList",
    "Preconditions",
]

_MODULES = {
    "Client": "client",
    "ClientConfig": "config",
    "Event": "client",
    "HttpTransport": "transport",
    "InProcess": "transport",
    "ObjectList": "client",
    "Preconditions": "client",
}


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: a types package needs none of this."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
