"""The embedded Kubernetes API server: one deterministic in-memory store behind two doors.

In process, `ApiServer.handle(Request)` answers with a `Response`; over HTTP, `opgen.apiserver.http.serve` feeds the same objects.
"""

from __future__ import annotations

from opgen.apiserver.request import Request, Response, Watch

__all__ = ["Request", "Response", "Watch"]
