"""CPU seconds to import a generated module once pydantic is imported, and to make its kind ready to decode.

pydantic may leave building a model's validator until it is first used; `ready` has both, so nothing hides there.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module

from pydantic import BaseModel, Field

__all__ = ["main"]


class _Warm(BaseModel):
    """Makes pydantic load all that any model needs."""

    number: int = Field(ge=0)


def main() -> None:
    """Import from the folder of argument 1 the module of argument 2 and ready its class of argument 3.

    Argument 4, if there is one, is a runtime library to import before the clock starts; argument 5 says not to write
    bytecode.
    """
    folder, module, name, runtime, cold = (*sys.argv[1:], "", "")[:5]
    assert _Warm(number=1).number
    if runtime:
        import_module(runtime)
    sys.dont_write_bytecode = bool(cold)
    sys.path.insert(0, folder)
    started = time.process_time()
    kind = getattr(import_module(module), name)
    imported = time.process_time() - started
    kind.model_rebuild()
    ready = time.process_time() - started
    json.dump({"imported": imported, "ready": ready}, sys.stdout)


if __name__ == "__main__":
    main()
