"""The operator as a whole."""

from opgen.testing import Operator


async def test_operator_writes_nothing_when_nothing_changed(operator: Operator) -> None:
    assert operator.manager.controllers
    assert await operator.writes_when_forced() == 0
