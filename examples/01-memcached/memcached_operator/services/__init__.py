"""The world outside the cluster: one module a service, every call with a timeout.

Controllers call these instead of making requests themselves, so that tests can put others in their place. What blocks
goes through `asyncio.to_thread`.
"""
