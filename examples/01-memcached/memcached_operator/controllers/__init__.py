"""One module a kind; each Reconciler class here is found and run by itself."""
