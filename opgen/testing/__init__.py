"""What tests of operators and of generated code use; the pytest plugin is `opgen.testing.plugin`."""

from opgen.testing.clock import VirtualClock
from opgen.testing.contract import read_sample
from opgen.testing.golden import compare_tree, read_tree
from opgen.testing.operator import NotQuiescent, Operator

__all__ = ["compare_tree", "NotQuiescent", "Operator", "read_sample", "read_tree", "VirtualClock"]
