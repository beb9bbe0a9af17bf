"""The level-based runtime of operators, with controller-runtime's vocabulary."""

from opgen.controller.clock import Clock, SystemClock
from opgen.controller.controller import Controller
from opgen.controller.manager import Manager
from opgen.controller.owners import OwnershipError, set_controller_reference
from opgen.controller.queue import Key
from opgen.controller.reconciler import Context, Reconciler, Result, TerminalError, is_converged

__all__ = [
    "Clock",
    "Context",
    "Controller",
    "is_converged",
    "Key",
    "Manager",
    "OwnershipError",
    "Reconciler",
    "Result",
    "set_controller_reference",
    "SystemClock",
    "TerminalError",
]
