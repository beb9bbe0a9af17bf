"""What a Memcached becomes, without a cluster."""

from opgen.meta import Quantity
from opgen.testing import read_sample

from memcached_operator.api.cache_example_com.v1alpha1 import Memcached
from memcached_operator.controllers.memcached_desired import deployment, service


def test_memory_limit_leaves_room_for_the_process() -> None:
    obj = read_sample(Memcached)
    obj.spec.memory = Quantity("1Gi")
    pod = deployment(obj).to_wire()["spec"]["template"]["spec"]["containers"][0]
    assert pod["resources"]["limits"]["memory"] == "1056Mi"
    assert pod["args"][:2] == ["-m", "1024"]


def test_service_finds_the_pods_of_this_object_only() -> None:
    obj = read_sample(Memcached)
    selector = service(obj).to_wire()["spec"]["selector"]
    assert selector == deployment(obj).to_wire()["spec"]["selector"]["matchLabels"]
    assert selector["app.kubernetes.io/instance"] == obj.metadata.name
