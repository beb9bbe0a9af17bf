"""Runs the operator: every Reconciler found in `memcached_operator.controllers`."""

import asyncio
import logging

from opgen.client import Client
from opgen.controller import Manager


async def main() -> None:
    async with Client.from_environment() as client:
        manager = Manager(client)
        manager.discover("memcached_operator.controllers")
        await manager.run()


if __name__ == "__main__":
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s"
    )
    asyncio.run(main())
