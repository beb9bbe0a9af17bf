"""Events that people see with `kubectl describe`: what a controller did, and what it could not do."""

from __future__ import annotations

import logging
from typing import Literal

from opgen.client import Client
from opgen.client.errors import ApiError, Unreachable
from opgen.controller.clock import Clock
from opgen.k8s.core.v1 import ObjectReference
from opgen.k8s.events_k8s_io.v1 import Event
from opgen.meta import MicroTime, Object, ObjectMeta

__all__ = ["Recorder"]

_LOG = logging.getLogger("opgen.controller")
_NOTE_LIMIT = 1024


class Recorder:
    """Writes events.k8s.io/v1 events; one that can't be written is logged and counted, never raised."""

    def __init__(self, client: Client, controller: str, clock: Clock) -> None:
        """Take who reports."""
        self._client, self._controller, self._clock = client, controller, clock
        self._counter = 0
        self.dropped = 0

    async def event(
        self,
        obj: Object,
        type: Literal["Normal", "Warning"],
        reason: str,
        note: str,
        *,
        action: str = "Reconcile",
    ) -> None:
        """Report on an object; `reason` is one CamelCase word."""
        moment = MicroTime.now(self._clock.now)
        self._counter += 1
        name = f"{obj.metadata.name}.{int(moment.datetime.timestamp() * 1e6):x}{self._counter:x}"
        made = Event(
            metadata=ObjectMeta(name=name, namespace=obj.metadata.namespace or "default"),
            type=type,
            reason=reason,
            note=note[:_NOTE_LIMIT],
            action=action,
            event_time=moment,
            reporting_controller=self._controller,
            reporting_instance=self._controller,
            regarding=ObjectReference(
                api_version=obj.RESOURCE.api_version,
                kind=obj.RESOURCE.kind,
                name=obj.metadata.name,
                namespace=obj.metadata.namespace,
                uid=obj.metadata.uid,
                resource_version=obj.metadata.resource_version,
            ),
        )
        try:
            await self._client.create(made)
        except (ApiError, Unreachable) as error:
            self.dropped += 1
            _LOG.warning("event %s of %s was not written: %s", reason, obj.metadata.name, error)
