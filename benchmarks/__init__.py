"""How opgen compares with its peers: the same work, the same machine, the same run."""
