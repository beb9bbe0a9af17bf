"""Files in memory to files on disk: the manifest, the plan, and the one module that writes."""
