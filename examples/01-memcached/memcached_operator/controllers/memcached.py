"""What the operator does about Memcached."""

from opgen.controller import Context, Controller, Reconciler, Result
from opgen.k8s.apps.v1 import Deployment
from opgen.k8s.core.v1 import Service

from memcached_operator.api.cache_example_com.v1alpha1 import Memcached, MemcachedStatus
from memcached_operator.controllers.memcached_desired import children


class MemcachedReconciler(Reconciler[Memcached]):
    """Keeps a Deployment and a Service for each Memcached, and says how many pods are ready."""

    def setup(self, controller: Controller[Memcached]) -> None:
        """Say what else to watch: a change of a child brings us back to its owner."""
        controller.owns(Deployment, Service)

    async def reconcile(self, obj: Memcached, ctx: Context) -> Result:
        """Make the cluster have the children, and the status say what there is."""
        await ctx.apply(*children(obj))
        deployment = await ctx.get(Deployment, str(obj.metadata.name))
        ready = (deployment.status.ready_replicas or 0) if deployment.status else 0

        obj.status = obj.status or MemcachedStatus()
        obj.status.ready_replicas = ready
        converged = ready == obj.spec.size
        message = f"{ready} of {obj.spec.size} pods are ready"
        reason = "Available" if converged else "RollingOut"
        obj.set_condition("Ready", converged, reason=reason, message=message)
        obj.set_condition("Progressing", not converged, reason=reason, message=message)
        return Result.done()
