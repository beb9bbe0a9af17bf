"""The typed client of Kubernetes API servers."""
