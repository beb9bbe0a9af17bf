"""The embedded Kubernetes API server: one deterministic in-memory store behind two doors.

In process, `ApiServer.handle(Request)` answers with a `Response`; over HTTP, `opgen.apiserver.http.serve` feeds
the same objects.
"""

from __future__ import annotations

from opgen.apiserver.request import Request, Response, Watch
from opgen.apiserver.server import ApiServer
from opgen.apiserver.status import StatusError

__all__ = ["ApiServer", "Request", "Response", "StatusError", "Watch"]
