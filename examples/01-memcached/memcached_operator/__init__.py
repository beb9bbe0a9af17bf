"""An example: memcached as a Deployment and a Service."""
