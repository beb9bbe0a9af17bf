"""What should be in the cluster for a Memcached; pure, so that it can be tested without one."""

import json

from opgen.k8s.core.v1 import ConfigMap
from opgen.meta import Object, ObjectMeta

from memcached_operator.api.cache_example_com.v1alpha1 import Memcached


def children(obj: Memcached) -> list[Object]:
    """Return the children of an object. They are owned by it and deleted with it."""
    return [config_map(obj)]


def config_map(obj: Memcached) -> ConfigMap:
    """Return a ConfigMap with the spec, as a start: replace it by what your Memcached needs."""
    spec = obj.to_wire().get("spec", {})
    return ConfigMap(
        metadata=ObjectMeta(
            name=obj.metadata.name,
            labels={"app.kubernetes.io/managed-by": "memcached_operator"},
        ),
        data={"spec.json": json.dumps(spec, sort_keys=True)},
    )
