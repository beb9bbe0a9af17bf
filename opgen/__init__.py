"""opgen turns Kubernetes CustomResourceDefinitions into typed Python.

Importing this package is cheap: it defines the version and where the packaged data lies, nothing else.
Start at `opgen.meta` for what generated models inherit, `opgen.client` to talk to an API server,
`opgen.controller` to write an operator and `opgen.testing` to test one; `opgen.cli` is the command line.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["DATA", "__version__"]

__version__ = "0.1.0"


def _data() -> Path:
    """Return the folder that holds `templates/`, `docs/errors/` and `cookiecutter.json`.

    A wheel carries them under `opgen/_data`; a checkout (also an editable install) has them at its root.
    """
    packaged = Path(__file__).parent / "_data"
    return packaged if (packaged / "cookiecutter.json").is_file() else Path(__file__).parent.parent


DATA = _data()
