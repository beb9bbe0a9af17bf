"""All functions that rules may call."""

from __future__ import annotations

from opgen.apiserver.cel import conversions, kubernetes, operators, sequences, strings
from opgen.apiserver.cel.functions import FUNCTIONS, Function

__all__ = ["FUNCTIONS", "Function"]

for _module in (conversions, operators, sequences, strings):
    assert _module.__all__ == [], "these modules only register their functions"
kubernetes.register(FUNCTIONS)
