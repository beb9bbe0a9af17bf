"""What should be in the cluster for a Memcached; pure, so that it can be tested without one."""

from opgen.k8s.apps.v1 import Deployment, DeploymentSpec
from opgen.k8s.core.v1 import (
    Container,
    ContainerPort,
    PodSpec,
    PodTemplateSpec,
    ResourceRequirements,
    Service,
    ServicePort,
    ServiceSpec,
)
from opgen.meta import LabelSelector, Object, ObjectMeta, Quantity

from memcached_operator.api.cache_example_com.v1alpha1 import Memcached

_OVERHEAD = Quantity("32Mi")
"""What a memcached process needs besides its items."""


def children(obj: Memcached) -> list[Object]:
    """Return the children of an object. They are owned by it and deleted with it."""
    return [deployment(obj), service(obj)]


def labels(obj: Memcached) -> dict[str, str]:
    """Return what the pods of an object are found by."""
    return {
        "app.kubernetes.io/name": "memcached",
        "app.kubernetes.io/instance": str(obj.metadata.name),
    }


def deployment(obj: Memcached) -> Deployment:
    """Return the pods that serve the cache."""
    spec = obj.spec
    mebibytes = int(spec.memory) // 2**20
    container = Container(
        name="memcached",
        image=spec.image,
        args=["-m", str(mebibytes), "-p", str(spec.port)],
        ports=[ContainerPort(name="memcached", container_port=spec.port)],
        resources=ResourceRequirements(limits={"memory": spec.memory + _OVERHEAD}),
    )
    return Deployment(
        metadata=ObjectMeta(name=obj.metadata.name, labels=labels(obj)),
        spec=DeploymentSpec(
            replicas=spec.size,
            selector=LabelSelector(match_labels=labels(obj)),
            template=PodTemplateSpec(
                metadata=ObjectMeta(labels=labels(obj)),
                spec=PodSpec(containers=[container]),
            ),
        ),
    )


def service(obj: Memcached) -> Service:
    """Return the name that clients find the pods under."""
    return Service(
        metadata=ObjectMeta(name=obj.metadata.name, labels=labels(obj)),
        spec=ServiceSpec(
            selector=labels(obj),
            ports=[ServicePort(name="memcached", port=obj.spec.port)],
        ),
    )
