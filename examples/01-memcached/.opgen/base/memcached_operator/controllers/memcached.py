"""What the operator does about Memcached."""

from opgen.controller import Context, Controller, Reconciler, Result
from opgen.k8s.core.v1 import ConfigMap

from memcached_operator.api.cache_example_com.v1alpha1 import Memcached
from memcached_operator.controllers.memcached_desired import children


class MemcachedReconciler(Reconciler[Memcached]):
    """Keeps the children of each Memcached as `children` describes them."""

    def setup(self, controller: Controller[Memcached]) -> None:
        """Say what else to watch: a change of a child brings us back to its owner."""
        controller.owns(ConfigMap)

    async def reconcile(self, obj: Memcached, ctx: Context) -> Result:
        """Make the cluster have the children; runs again after every change, and may run at any time."""
        await ctx.apply(*children(obj))
        obj.set_condition(
            "Ready", True, reason="Applied", message="every child is as described"
        )
        return Result.done()
