"""`opgen` and `python -m opgen`."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; without the extra that it needs, say so in one line and exit with 2."""
    try:
        import click  # noqa: F401
    except ImportError:
        sys.stderr.write("error: the command line needs more packages: pip install 'opgen[cli]'\n")
        sys.exit(2)
    from opgen.cli import run

    sys.exit(run())


if __name__ == "__main__":
    main()
