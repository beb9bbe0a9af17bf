"""What runs in a process of its own, often in a peer's environment; prints one JSON value."""
