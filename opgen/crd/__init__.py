"""Text to CRDs: kubectl's YAML dialect, loading, and the rules of structural schemas."""

from opgen.crd.load import from_objects, load, load_texts
from opgen.crd.model import Crd, CrdVersion, Loaded, OpenApiDocument

__all__ = ["Crd", "CrdVersion", "from_objects", "load", "load_texts", "Loaded", "OpenApiDocument"]
