"""What a client tells of its requests, for metrics; the names of the moments are client-go's.

`opgen.controller.metrics` feeds these into `rest_client_requests_total` and its kin.
"""

from __future__ import annotations

from typing import Protocol

__all__ = ["Observer"]


class Observer(Protocol):
    """Is told of each request; must neither raise nor wait."""

    def on_request(
        self, method: str, host: str, code: str, seconds: float, sent: int, received: int
    ) -> None:
        """Be told that a request has ended: its status code, or `<error>` where no answer came; sizes in bytes."""
        ...

    def on_retry(self, method: str, host: str, code: str) -> None:
        """Be told that a request is sent again."""
        ...

    def on_wait(self, method: str, host: str, seconds: float) -> None:
        """Be told how long the client's own rate limit held a request back."""
        ...
