"""From a CRD to a running operator, on an embedded API server; `make demo` runs it. Nothing outside is touched."""

import asyncio
import json
import logging
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
CRD = HERE / "crds" / "cache.example.com_memcacheds.yaml"
STARTED = time.monotonic()


def say(text: str) -> None:
    print(f"{time.monotonic() - STARTED:6.2f} s  {text}", flush=True)


def generate(folder: Path) -> None:
    """Make typed Python of the CRD, as `opgen generate` does for any."""
    command = [
        sys.executable,
        "-m",
        "opgen",
        "-q",
        "generate",
        str(CRD),
        "-o",
        str(folder / "demo_types"),
    ]
    subprocess.run(command, check=True)
    text = (folder / "demo_types/cache_example_com/v1alpha1/memcached.py").read_text(
        "utf-8"
    )
    say(
        f"opgen generate: {CRD.name} became {text.count(chr(10))} lines of typed Python, among them"
    )
    start = text.index("class MemcachedSpec(")
    for line in text[start : text.index("def deepcopy", start)].rstrip().splitlines():
        print(f"            {line}".rstrip())


async def operate() -> None:
    """Run the example's operator against an API server over HTTP, and use it as its users would."""
    from opgen.apiserver import ApiServer
    from opgen.apiserver.http import serve
    from opgen.client import Client, ClientConfig
    from opgen.client.errors import Invalid
    from opgen.controller import Manager, is_converged
    from opgen.crd import load
    from opgen.k8s.apps.v1 import Deployment
    from opgen.k8s.core.v1 import Service
    from opgen.meta import ObjectMeta

    from memcached_operator.api.cache_example_com.v1alpha1 import (
        Memcached,
        MemcachedClient,
        MemcachedSpec,
    )

    server = ApiServer(controllers=True)
    for crd in load([str(CRD)]).crds:
        server.install(crd.raw)
    async with await serve(server) as site:
        say(
            f"an API server listens at {site.url}; kubectl --server {site.url} get memcacheds works while this runs"
        )
        config = ClientConfig(site.url)
        async with (
            Client.from_config(config) as operators,
            Client.from_config(config) as client,
        ):
            manager = Manager(operators)
            manager.discover("memcached_operator.controllers")
            running = asyncio.create_task(manager.run())
            await manager.started.wait()
            say("the operator runs")
            memcacheds = MemcachedClient(client, namespace="default")

            async def converged(size: int) -> Memcached:
                async with asyncio.timeout(20):
                    while True:
                        obj = await memcacheds.get("sessions")
                        if (
                            is_converged(obj)
                            and obj.status
                            and obj.status.ready_replicas == size
                        ):
                            return obj
                        await asyncio.sleep(0.02)

            await memcacheds.create(
                Memcached(
                    metadata=ObjectMeta(name="sessions"), spec=MemcachedSpec(size=3)
                )
            )
            say("created Memcached sessions with size 3")
            obj = await converged(3)
            assert obj.status is not None
            say(f"its status: {json.dumps(obj.status.to_wire())}")
            for kind in (Deployment, Service):
                for child in await client.list(kind, namespace="default"):
                    say(
                        f"its child: {kind.__name__} {child.metadata.name}, owned by {owner(child)}"
                    )

            await memcacheds.scale("sessions", replicas=5)
            await converged(5)
            say("scaled to 5 through the scale subresource: 5 pods are ready")

            try:
                await memcacheds.patch("sessions", {"spec": {"size": 99}})
            except Invalid as error:
                say(f"size 99 is refused: {error}")

            await memcacheds.delete("sessions")
            async with asyncio.timeout(20):
                while len(await client.list(Deployment, namespace="default")):
                    await asyncio.sleep(0.02)
            say("deleted: its Deployment and Service are gone")
            manager.stop()
            await running
    say("stopped")


def owner(obj: object) -> str:
    references = obj.metadata.owner_references or []  # type: ignore[attr-defined]
    return ", ".join(f"{one.kind} {one.name}" for one in references)


def main() -> None:
    logging.basicConfig(level=logging.WARNING)
    sys.path.insert(0, str(HERE))
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
    asyncio.run(operate())


if __name__ == "__main__":
    main()
