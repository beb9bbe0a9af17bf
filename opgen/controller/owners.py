"""Ownership: what makes a child go with its owner, and what Kubernetes does not allow."""

from __future__ import annotations

from opgen.meta import Object, OwnerReference

__all__ = ["controller_of", "OwnershipError", "set_controller_reference"]


class OwnershipError(ValueError):
    """An owner that the garbage collector would not accept, or a child that has another one."""


def controller_of(obj: Object) -> OwnerReference | None:
    """Return the reference to the controller that owns an object."""
    return next((one for one in obj.metadata.owner_references or () if one.controller), None)


def set_controller_reference(owner: Object, child: Object) -> None:
    """Make `owner` the controller of `child`, as controller-runtime's SetControllerReference.

    Raises OwnershipError for a child in another namespace, for a cluster-scoped child of a namespaced owner (the
    garbage collector deletes both as orphans, weeks later), or if another controller owns it; ValueError for an owner
    that was never stored.
    """
    kind = owner.RESOURCE.kind
    what = f'{child.RESOURCE.kind} "{child.metadata.name}"'
    if not owner.metadata.uid or not owner.metadata.name:
        raise ValueError(f"the owning {kind} has no uid: read it from the server first")
    if owner.metadata.namespace:
        if not child.RESOURCE.namespaced:
            raise OwnershipError(
                f"{what} is cluster-scoped and can't be owned by a {kind}, which is namespaced"
            )
        if child.metadata.namespace != owner.metadata.namespace:
            raise OwnershipError(
                f'{what} is in namespace "{child.metadata.namespace}" and can\'t be owned by a {kind} in '
                f'"{owner.metadata.namespace}": owners and dependents share a namespace'
            )
    reference = OwnerReference(
        api_version=owner.RESOURCE.api_version,
        kind=kind,
        name=owner.metadata.name,
        uid=owner.metadata.uid,
        controller=True,
        block_owner_deletion=True,
    )
    current = controller_of(child)
    if current is not None and current.uid != reference.uid:
        raise OwnershipError(f'{what} is owned by {current.kind} "{current.name}" already')
    others = [one for one in child.metadata.owner_references or () if one.uid != reference.uid]
    child.metadata.owner_references = [*others, reference]
