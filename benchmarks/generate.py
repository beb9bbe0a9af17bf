"""Compare generators on the same CRDs in one run: CPU, memory, lines, import, failures."""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import inputs
from benchmarks.measure import Spread, Usage, run, spread
from benchmarks.peers import CLOUDCOIL, DCG, cache, ensure
from benchmarks.report import absent, machine, publish, say, table
from benchmarks.tools import Cloudcoil, Dcg, Opgen, Tool, Unit, lines, module_of, parse, split

__all__ = ["main"]


def fresh(folder: Path) -> Path:
    """Return the folder, emptied."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


class OneByOne:
    """Each tool on each CRD, a process each, turn and turn about."""

    def __init__(
        self, tools: Sequence[Tool], crds: Sequence[inputs.Input], units: dict[str, list[Unit]]
    ) -> None:
        self.tools, self.crds, self.units = tools, crds, units
        self.work = cache() / "work" / "generate"
        self.used: dict[str, dict[str, list[Usage]]] = {
            tool.name: defaultdict(list) for tool in tools
        }
        self.imports: dict[str, dict[str, list[dict[str, float]]]] = {
            tool.name: defaultdict(list) for tool in tools
        }
        self.why_no_import: dict[str, dict[str, str]] = {tool.name: {} for tool in tools}

    def folder(self, tool: Tool, crd: inputs.Input) -> Path:
        """Return where a tool's output of a CRD goes."""
        return self.work / tool.name / crd.name

    def round(self, number: int) -> None:
        """Run every tool on every CRD once; which tool is first changes from CRD to CRD and round to round."""
        for index, crd in enumerate(self.crds):
            for step in range(len(self.tools)):
                tool = self.tools[(index + number + step) % len(self.tools)]
                out = fresh(self.folder(tool, crd))
                self.used[tool.name][crd.name].append(tool.generate(crd, self.units[crd.name], out))
            say(f"round {number + 1}: {index + 1} of {len(self.crds)} CRDs")

    def import_round(self, number: int) -> None:
        """Import what each tool made of each CRD it managed; the first round only warms the bytecode caches."""
        for index, crd in enumerate(self.crds):
            if not self.units[crd.name]:
                continue
            served = [unit for unit in self.units[crd.name] if unit.served]
            unit = (served or self.units[crd.name])[-1]
            for step in range(len(self.tools)):
                tool = self.tools[(index + number + step) % len(self.tools)]
                if not self.managed(tool, crd.name):
                    continue
                folder = self.folder(tool, crd)
                module = module_of(folder, unit)
                if module is None:
                    self.why_no_import[tool.name][crd.name] = f"no class {unit.kind}"
                    continue
                worker = [tool.python, "-m", "benchmarks.workers.importing"]
                done = run([*worker, str(folder), module, unit.kind])
                if not done.ok:
                    self.why_no_import[tool.name][crd.name] = done.why
                elif number:
                    self.imports[tool.name][crd.name].append(json.loads(done.out))

    def managed(self, tool: Tool, crd: str) -> bool:
        """Return whether the tool ended well on this CRD each time."""
        return all(usage.ok for usage in self.used[tool.name][crd])

    def both(self, one: Tool, other: Tool) -> list[str]:
        """Return the CRDs that both tools manage."""
        return [
            c.name for c in self.crds if self.managed(one, c.name) and self.managed(other, c.name)
        ]

    def cpu(self, tool: Tool, crds: Iterable[str]) -> Spread:
        """Return the CPU seconds for these CRDs in all, over the rounds."""
        columns = [[usage.cpu for usage in self.used[tool.name][crd]] for crd in crds]
        return spread([sum(column) for column in zip(*columns, strict=True)])

    def imported(self, tool: Tool, crds: Iterable[str], what: str) -> float:
        """Return the CPU seconds to import what was made of these CRDs, the sum of the medians over the rounds."""
        found = self.imports[tool.name]
        return sum(statistics.median(one[what] for one in found[crd]) for crd in crds)


def one_by_one(run_: OneByOne) -> str:
    """Return the tables of what each tool costs, and of opgen against each."""
    rows, ratios = [], []
    own = run_.tools[0]
    for tool in run_.tools:
        done = [crd.name for crd in run_.crds if run_.managed(tool, crd.name)]
        if not done:
            continue
        each = [statistics.median(u.cpu for u in run_.used[tool.name][crd]) for crd in done]
        peaks = [statistics.median(u.peak for u in run_.used[tool.name][crd]) for crd in done]
        made = [lines(run_.work / tool.name / crd) for crd in done]
        rows.append(
            [
                tool.name,
                f"{len(done)} of {len(run_.crds)}",
                run_.cpu(tool, done).show("{:.1f}".format),
                f"{statistics.median(each):.2f} / {max(each):.2f}",
                f"{statistics.median(peaks):.0f} / {max(peaks):.0f}",
                f"{sum(made):,}",
            ]
        )
        if tool is own:
            continue
        both = run_.both(own, tool)
        rounds = zip(
            *([u.cpu for u in run_.used[t.name][c]] for t in (own, tool) for c in both), strict=True
        )
        total = spread([sum(row[: len(both)]) / sum(row[len(both) :]) for row in rounds])
        single = [
            statistics.median(u.cpu for u in run_.used[own.name][c])
            / statistics.median(u.cpu for u in run_.used[tool.name][c])
            for c in both
        ]
        loaded = [c for c in both if run_.imports[own.name][c] and run_.imports[tool.name][c]]
        ratios.append(
            [
                f"opgen / {tool.name}",
                str(len(both)),
                total.show("{:.2f}".format),
                spread(single).show("{:.2f}".format),
                f"{_lines(run_, own, both) / _lines(run_, tool, both):.2f}",
                _ratio(run_, own, tool, loaded, "imported"),
                _ratio(run_, own, tool, loaded, "ready"),
            ]
        )
    head = [
        "one process a CRD",
        "CRDs done",
        "CPU s in all",
        "CPU s a CRD, median / most",
        "peak MB, median / most",
        "lines",
    ]
    against = [
        "CRDs that both manage",
        "CRDs",
        "CPU in all",
        "CPU, each CRD",
        "lines",
        "import",
        "import, validator built",
    ]
    return f"{table(head, rows)}\n\n{table(against, ratios)}"


def _lines(run_: OneByOne, tool: Tool, crds: Iterable[str]) -> int:
    return sum(lines(run_.work / tool.name / crd) for crd in crds)


def _ratio(run_: OneByOne, one: Tool, other: Tool, crds: Sequence[str], what: str) -> str:
    return (
        f"{run_.imported(one, crds, what) / run_.imported(other, crds, what):.2f}" if crds else "-"
    )


def failures(run_: OneByOne) -> str:
    """Return a list of what each tool did not manage, and why in the tool's words."""
    out = []
    for tool in run_.tools:
        for crd in run_.crds:
            if not run_.managed(tool, crd.name):
                why = next(u.why for u in run_.used[tool.name][crd.name] if not u.ok)
                out.append(f"- {tool.name} does not generate `{crd.name}`: {_clean(why)}")
        for name, why in run_.why_no_import[tool.name].items():
            out.append(f"- what {tool.name} makes of `{name}` can't be used: {_clean(why)}")
    return "\n".join(out) or "Every tool managed every CRD."


def _clean(text: str) -> str:
    """Return a peer's message without folders, on one short line."""
    words = [Path(word).name if word.count("/") > 1 else word for word in text.split()]
    return " ".join(words)[:160]


def together(own: Opgen, paths: Sequence[Path], files: Sequence[str], dcg: Dcg, rounds: int) -> str:
    """Return opgen's whole run over all CRDs against the sum of datamodel-code-generator's own parses of them."""
    runs: list[tuple[Usage, float]] = []
    failed: set[str] = set()
    for number in range(rounds):
        for step in (0, 1) if number % 2 else (1, 0):
            if step:
                used = own.generate_all(paths, fresh(cache() / "work" / "together"))
            else:
                found = parse(dcg.env, files)
        failed |= {file for file, one in found.items() if "cpu" not in one}
        runs.append((used, sum(one.get("cpu", 0.0) for one in found.values())))
        say(f"together: round {number + 1} of {rounds}")
    if not all(used.ok for used, _ in runs):
        return f"opgen failed: {next(used.why for used, _ in runs if not used.ok)}"
    rows = [
        [
            "opgen generate, whole command, all CRDs, CPU s",
            spread([u.cpu for u, _ in runs]).show("{:.2f}".format),
        ],
        [
            "datamodel-code-generator, its own parse, CPU s",
            spread([p for _, p in runs]).show("{:.2f}".format),
        ],
        ["ratio", spread([u.cpu / p for u, p in runs]).show("{:.2f}".format)],
        ["opgen, peak MB of a process", spread([u.peak for u, _ in runs]).show("{:.0f}".format)],
    ]
    if failed:
        rows.append(["schemas that its parse refuses", str(len(failed))])
    return table([f"{len(paths)} CRDs, {len(files)} schemas", "median (least-most)"], rows)


def everything(own: Opgen, folder: Path, rounds: int) -> str:
    """Return what the whole corpus costs from scratch, and again with nothing changed."""
    first: list[Usage] = []
    second: list[Usage] = []
    for number in range(rounds):
        out = fresh(cache() / "work" / "everything")
        first.append(own.generate_all([folder], out))
        second.append(own.generate_all([folder], out))
        say(f"whole corpus: round {number + 1} of {rounds}")
        if not (first[-1].ok and second[-1].ok):
            bad = first[-1] if not first[-1].ok else second[-1]
            return f"opgen failed: {_clean(bad.why)}"
    rows = [
        [
            name,
            spread([u.wall for u in used]).show("{:.2f}".format),
            spread([u.cpu for u in used]).show("{:.2f}".format),
            f"{max(u.peak for u in used):.0f}",
        ]
        for name, used in (("from scratch", first), ("again, nothing changed", second))
    ]
    files = sum(1 for _ in folder.rglob("*.yaml"))
    made = lines(cache() / "work" / "everything")
    return table(
        [f"{files} files, {made:,} lines", "wall s", "CPU s", "peak MB of a process"], rows
    )


def start(own: Opgen, rounds: int) -> str:
    """Return what it costs to ask for help."""
    used = [run([own.python, "-m", "opgen", "--help"]) for _ in range(rounds + 2)][1:]
    return f"`opgen --help`: {spread([u.cpu for u in used]).show('{:.3f}'.format)} CPU s."


def main() -> None:
    """Run the comparison and write its section of RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="runs of everything (default 3)")
    parser.add_argument(
        "--limit", type=int, help="take only the first N CRDs, and write nothing to RESULTS.md"
    )
    parser.add_argument("--skip-corpus", action="store_true", help="leave the whole corpus out")
    options = parser.parse_args()

    envs = ensure([DCG, CLOUDCOIL])
    crds = inputs.smoke(options.limit)
    if not crds:
        raise SystemExit("there is no CRD to measure: no shared corpus, and none in examples/")
    units = split(crds, cache() / "work" / "schemas")
    own = Opgen()
    tools: list[Tool] = [own]
    dcg, cloudcoil = envs[DCG.name], envs[CLOUDCOIL.name]
    tools += [Dcg(dcg)] if dcg.present else []
    tools += [Cloudcoil(cloudcoil)] if cloudcoil.present else []

    parts = [
        f"## Generating\n\n{machine()}. {len(crds)} CRDs of {inputs.corpus()}, {options.rounds} rounds."
    ]
    if dcg.present:
        files = [unit.file for crd in crds for unit in units[crd.name]]
        parts.append(together(own, [crd.path for crd in crds], files, Dcg(dcg), options.rounds + 2))
    singles = OneByOne(tools, crds, units)
    for number in range(options.rounds):
        singles.round(number)
    for number in range(options.rounds + 1):
        singles.import_round(number)
        say(f"imports: round {number} of {options.rounds}")
    parts.append(one_by_one(singles))
    folder = inputs.everything()
    if folder and not options.skip_corpus:
        parts.append(everything(own, folder, options.rounds))
    parts.append(start(own, options.rounds))
    parts.append("### Not managed\n\n" + "\n".join([failures(singles), *absent(envs)]))
    publish("generate", parts, options.limit)


if __name__ == "__main__":
    main()
