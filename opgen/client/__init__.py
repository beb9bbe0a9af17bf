"""The typed client of Kubernetes API servers.

`Client` talks, `SyncClient` does so without an event loop, `opgen.client.typed` has the bases of generated clients,
`opgen.client.errors` what can go wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opgen.client.client import Client
    from opgen.client.clock import Clock, SystemClock
    from opgen.client.config import ClientConfig
    from opgen.client.limit import RateLimit
    from opgen.client.model import ObjectList, Preconditions
    from opgen.client.patch import diff
    from opgen.client.transport import HttpTransport, InProcess
    from opgen.client.watch import Event

__all__ = [
    "Client",
    "ClientConfig",
    "Clock",
    "diff",
    "Event",
    "HttpTransport",
    "InProcess",
    "ObjectList",
    "Preconditions",
    "RateLimit",
    "SystemClock",
]

_MODULES = {
    "Client": "client",
    "ClientConfig": "config",
    "Clock": "clock",
    "diff": "patch",
    "Event": "watch",
    "HttpTransport": "transport",
    "InProcess": "transport",
    "ObjectList": "model",
    "Preconditions": "model",
    "RateLimit": "limit",
    "SystemClock": "clock",
}


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: a types package needs none of this."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
