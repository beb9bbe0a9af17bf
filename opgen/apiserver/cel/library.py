"""All functions that rules may call: importing the modules that define them registers them."""

from __future__ import annotations

from opgen.apiserver.cel import conversions as _conversions
from opgen.apiserver.cel import kubernetes as _kubernetes
from opgen.apiserver.cel import operators as _operators
from opgen.apiserver.cel import sequences as _sequences
from opgen.apiserver.cel import strings as _strings
from opgen.apiserver.cel.functions import FUNCTIONS, Function

__all__ = ["Function", "FUNCTIONS"]

_REGISTERED = (_conversions, _operators, _sequences, _strings)
_kubernetes.register(FUNCTIONS)
