"""The pytest plugin: a cluster, a client, a clock and the project's operator as fixtures.

It is there as soon as opgen is installed. `cluster` is an embedded API server with the CRDs of the project that the
tests belong to (the nearest opgen.toml above pytest's root); `operator` runs the controllers of that project's package.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from opgen.apiserver import ApiServer
from opgen.client import Client, InProcess
from opgen.config import find_project, read_config
from opgen.crd import load
from opgen.testing.clock import VirtualClock
from opgen.testing.operator import Operator

__all__ = ["client", "clock", "cluster", "operator", "update_golden"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update-golden`."""
    group = parser.getgroup("opgen")
    group.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite expected output instead of comparing it",
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether expected output is to be rewritten."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture
def clock() -> VirtualClock:
    """A clock that stands still until it is moved."""
    return VirtualClock()


@pytest.fixture
def cluster(clock: VirtualClock, pytestconfig: pytest.Config) -> ApiServer:
    """An embedded API server with the project's CRDs, a garbage collector and workloads that become ready."""
    server = ApiServer(clock=clock.now, controllers=True)
    project = _project(pytestconfig)
    if project is not None:
        for crd in load(read_config(project).crds, cwd=project).crds:
            server.install(crd.raw)
    return server


@pytest.fixture
def client(cluster: ApiServer) -> Client:
    """A client of the cluster."""
    return Client(InProcess(cluster))


@pytest_asyncio.fixture
async def operator(
    cluster: ApiServer, clock: VirtualClock, pytestconfig: pytest.Config
) -> AsyncIterator[Operator]:
    """The project's operator, running; `await operator.settle()` lets it come to rest."""
    project = _project(pytestconfig)
    if project is None:
        pytest.fail("the fixture `operator` needs a project: there is no opgen.toml here or above")
    package = f"{read_config(project).package}.controllers"
    async with Operator(cluster, package=package, clock=clock) as running:
        yield running


def _project(config: pytest.Config) -> Path | None:
    return find_project(Path(config.rootpath))
