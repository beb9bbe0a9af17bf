"""What CRDs mean, free of any language: frozen types, the builder, and the one place that makes Python names."""
