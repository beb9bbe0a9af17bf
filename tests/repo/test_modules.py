"""Each module of the library is short, says what it is for, and lists what it offers.

A test lists every offender at once, so that one run shows all there is to do.
"""

from __future__ import annotations

import ast

from tests.repo.tree import ROOT, library_modules, parsed

MOST_LINES = 500


def exported(tree: ast.Module) -> list[str] | None:
    """Return the value of `__all__`, None if there is none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
        ):
            return list(ast.literal_eval(node.value))
    return None


def bound(tree: ast.Module) -> set[str]:
    """Return every name that the module binds at its top level, by whatever means."""
    names: set[str] = set()
    for node in tree.body:
        inner = ast.walk(node) if isinstance(node, (ast.If, ast.Try)) else [node]
        for one in inner:
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                names.add(one.name)
            elif isinstance(one, (ast.Import, ast.ImportFrom)):
                names |= {alias.asname or alias.name.partition(".")[0] for alias in one.names}
            elif isinstance(one, (ast.Assign, ast.AnnAssign)):
                targets = one.targets if isinstance(one, ast.Assign) else [one.target]
                names |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return names


def defined(tree: ast.Module) -> set[str]:
    """Return the public functions and classes; an alias or a type variable may stay a module's own affair.

    Hooks are not counted: pytest calls them by name.
    """
    return {
        node.name
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        and not node.name.startswith(("_", "pytest_"))
    }


def futures(tree: ast.Module) -> set[str]:
    """Return what the module imports from `__future__`."""
    return {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        for alias in node.names
    }


def test_a_module_is_at_most_500_lines_long() -> None:
    lengths = {str(p): len((ROOT / p).read_text("utf-8").splitlines()) for p in library_modules()}
    assert not {path: lines for path, lines in lengths.items() if lines > MOST_LINES}


def test_a_module_says_what_it_is_for() -> None:
    assert not [str(path) for path in library_modules() if not ast.get_docstring(parsed(path))]


def test_all_is_sorted_by_casefold() -> None:
    wrong = []
    for path in library_modules():
        names = exported(parsed(path)) or []
        if names != sorted(names, key=str.casefold):
            wrong.append(str(path))
    assert not wrong


def test_all_names_every_public_function_and_class() -> None:
    wrong = {}
    for path in library_modules():
        tree = parsed(path)
        missing = defined(tree) - set(exported(tree) or ())
        if missing:
            wrong[str(path)] = sorted(missing)
    assert not wrong


def test_all_names_nothing_that_is_not_there() -> None:
    wrong = {}
    for path in library_modules():
        tree = parsed(path)
        names = bound(tree)
        unknown = set(exported(tree) or ()) - names
        if unknown and "__getattr__" not in names:
            wrong[str(path)] = sorted(unknown)
    assert not wrong


def test_annotations_are_not_evaluated_at_import() -> None:
    wrong = []
    for path in library_modules():
        tree = parsed(path)
        annotated = any(isinstance(node, (ast.AnnAssign, ast.arg)) for node in ast.walk(tree))
        if annotated and "annotations" not in futures(tree):
            wrong.append(str(path))
    assert not wrong
