"""Compare models at decode, encode, deep copy and import, in one run; `python -m benchmarks.models`."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from benchmarks import inputs
from benchmarks.measure import Spread, run, spread
from benchmarks.peers import DCG, KUBERNETES, LIGHTKUBE, Env, cache, ensure
from benchmarks.pod import pod
from benchmarks.report import absent, machine, publish, say, table
from benchmarks.tools import Dcg, Opgen, Unit, module_of, split

__all__ = ["main"]

SIZES = (2_000, 40_000, 500_000)
Model = dict[str, str]
Times = dict[str, list[float]]


def ratio(times: Times, one: str, other: str) -> Spread:
    """Return one time over another, taken within each round."""
    return spread([a / b for a, b in zip(times[one], times[other], strict=True)])


def show(found: Spread) -> str:
    """Return a ratio as text."""
    return found.show("{:.2f}".format)


class Subject:
    """A kind, and its models by opgen and by plain datamodel-code-generator."""

    def __init__(self, crd: inputs.Input, unit: Unit, dcg: Dcg | None, work: Path) -> None:
        self.crd, self.unit = crd, unit
        self.folder = work / crd.name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        done = Opgen().generate(crd, [unit], self.folder)
        module = module_of(self.folder, unit) if done.ok else None
        if module is None:
            raise SystemExit(f"opgen did not generate {crd.name}: {done.why}")
        self.opgen = self._model(module)
        self.plain: Model | None = None
        self.skipped: list[str] = []
        if dcg and dcg.one(unit.file, self.folder / "made_plain.py", unit.kind).ok:
            self.plain = self._model("made_plain")

    def _model(self, module: str) -> Model:
        return {"folder": str(self.folder), "module": module, "kind": self.unit.kind}

    def objects(self, sizes: Sequence[int]) -> list[tuple[str, int]]:
        """Return files of objects that both models take, with their sizes in bytes."""
        models = [self.opgen, *([self.plain] if self.plain else [])]
        task = {
            "crd": str(self.crd.path),
            "version": self.unit.version,
            "sizes": sizes,
            "models": models,
            "out": str(self.folder),
        }
        done = run([sys.executable, "-m", "benchmarks.workers.objects", json.dumps(task)])
        if not done.ok:
            raise SystemExit(f"no object of {self.crd.name} could be made: {done.why}")
        found = json.loads(done.out)
        self.skipped = found["skipped"]
        return [(one["file"], one["size"]) for one in found["objects"]]

    def time(self, file: str, rounds: int) -> Times:
        """Return microseconds by name, of each round."""
        task = {"file": file, "opgen": self.opgen, "plain": self.plain, "rounds": rounds}
        done = run([sys.executable, "-m", "benchmarks.workers.models", json.dumps(task)])
        if not done.ok:
            raise SystemExit(f"the models of {self.crd.name} did not run: {done.why}")
        times: Times = json.loads(done.out)
        return times


def objects(subjects: Sequence[Subject], sizes: Sequence[int], rounds: int) -> str:
    """Return the tables of decode, encode and copy."""
    plain, dicts, absolute = [], [], []
    for subject in subjects:
        for file, size in subject.objects(sizes):
            times = subject.time(file, rounds)
            label = f"{subject.unit.kind} {size / 1000:.0f} KB"
            say(f"timed: {label}")
            dicts.append(
                [
                    label,
                    show(ratio(times, "opgen.from_json", "json.loads")),
                    show(ratio(times, "opgen.to_json", "json.dumps")),
                    show(ratio(times, "opgen.deepcopy", "copy.deepcopy")),
                ]
            )
            names = (
                "opgen.from_json",
                "opgen.from_wire",
                "opgen.to_json",
                "opgen.to_wire",
                "opgen.deepcopy",
            )
            absolute.append([label, *(f"{spread(times[name]).median:,.0f}" for name in names)])
            if subject.plain:
                plain.append(
                    [
                        label,
                        show(ratio(times, "opgen.from_json", "plain.model_validate_json")),
                        show(ratio(times, "opgen.from_wire", "plain.model_validate")),
                        show(ratio(times, "opgen.to_json", "plain.model_dump_json")),
                        show(ratio(times, "opgen.to_wire", "plain.model_dump")),
                        show(ratio(times, "plain.model_copy", "opgen.deepcopy")),
                    ]
                )
    head = [
        "opgen / plain pydantic models",
        "from_json / model_validate_json",
        "from_wire / model_validate",
    ]
    head += [
        "to_json / model_dump_json",
        "to_wire / model_dump",
        "deepcopy: times as fast as model_copy(deep=True)",
    ]
    parts = [table(head, plain)] if plain else []
    head = [
        "opgen / dict",
        "from_json / json.loads",
        "to_json / json.dumps",
        "deepcopy / copy.deepcopy",
    ]
    parts.append(table(head, dicts))
    head = ["opgen, microseconds", "from_json", "from_wire", "to_json", "to_wire", "deepcopy"]
    places = ", ".join(f"{one.unit.kind} {len(one.skipped)}" for one in subjects)
    note = f"Places of the schema that the objects leave out, since a model refuses what is made for them: {places}."
    return "\n\n".join([*parts, table(head, absolute), note])


def pods(envs: Sequence[Env], sizes: Sequence[int], rounds: int, work: Path) -> str:
    """Return the table of Pods: each client in its own environment, turn and turn about."""
    clients = {"opgen": sys.executable}
    clients |= {env.peer.name.split()[0]: env.python for env in envs if env.present}
    rows = []
    for target in sizes:
        file = work / f"pod-{target}.json"
        text = json.dumps(pod(target), separators=(",", ":"))
        file.write_text(text, encoding="utf-8")
        times: dict[str, Times] = {client: defaultdict(list) for client in clients}
        failed = set()
        for number in range(rounds):
            order = list(clients)[number % len(clients) :] + list(clients)[: number % len(clients)]
            for client in order:
                worker = [clients[client], "-m", "benchmarks.workers.pods", client, str(file), "1"]
                done = run(worker)
                if not done.ok:
                    failed.add(client)
                    say(f"{client}: {done.why}")
                    continue
                for name, found in json.loads(done.out).items():
                    times[client][name] += found
        say(f"timed: Pod {len(text) / 1000:.0f} KB")
        for client in clients:
            if client not in failed:
                against = [show(ratio(times[client], what, f"dict.{what}")) for what in _WHAT]
                micro = [f"{spread(times[client][what]).median:,.0f}" for what in _WHAT]
                rows.append([f"{client}, Pod {len(text) / 1000:.0f} KB", *against, *micro])
    head = [
        "a Pod, by client",
        "decode / json.loads",
        "encode / json.dumps",
        "deepcopy / that of a dict",
    ]
    return table([*head, "decode us", "encode us", "deepcopy us"], rows)


_WHAT = ("decode", "encode", "deepcopy")


def imports(subject: Subject, rounds: int) -> str:
    """Return what it costs to import a kind's models once pydantic is there."""
    sides: dict[str, tuple[Model, str, str]] = {
        "opgen, all of it": (subject.opgen, "", ""),
        "opgen, its runtime imported before": (subject.opgen, "opgen.meta", ""),
        "opgen, all of it, no bytecode of the models": (subject.opgen, "", "-cold"),
    }
    if subject.plain:
        sides["plain pydantic models"] = (subject.plain, "", "")
        sides["plain pydantic models, no bytecode of the models"] = (subject.plain, "", "-cold")
    # A copy that is only ever imported without writing bytecode, so that it is compiled each time.
    copied = Path(f"{subject.folder}-cold")
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(subject.folder, copied, ignore=shutil.ignore_patterns("__pycache__"))
    found: dict[str, list[dict[str, float]]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, (model, runtime, cold) in sides.items():
            worker = [sys.executable, "-m", "benchmarks.workers.importing", model["folder"] + cold]
            done = run([*worker, model["module"], model["kind"], runtime, cold])
            if not done.ok:
                raise SystemExit(f"{name} did not import: {done.why}")
            if number:
                found[name].append(json.loads(done.out))
    rows = [
        [
            name,
            spread([one["imported"] for one in each]).show("{:.3f}".format),
            spread([one["ready"] for one in each]).show("{:.3f}".format),
        ]
        for name, each in found.items()
    ]
    head = [f"{subject.unit.kind}, CPU s after pydantic", "import", "import and validator built"]
    return table(head, rows)


def main() -> None:
    """Run the comparison and write its section of RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="samples of everything (default 9)")
    parser.add_argument(
        "--limit", type=int, help="take only the first N kinds, and write nothing to RESULTS.md"
    )
    options = parser.parse_args()
    envs = ensure([DCG, KUBERNETES, LIGHTKUBE])
    dcg = Dcg(envs[DCG.name]) if envs[DCG.name].present else None
    work = cache() / "work" / "models"
    work.mkdir(parents=True, exist_ok=True)
    crds = inputs.kinds()[: options.limit]
    if not crds:
        raise SystemExit("there is no CRD to measure: no shared corpus, and none in examples/")
    units = split(crds, cache() / "work" / "model-schemas")
    subjects = [
        Subject(crd, next(unit for unit in units[crd.name] if unit.served), dcg, work)
        for crd in crds
    ]
    parts = [
        f"## Models\n\n{machine()}. Kinds of {inputs.corpus()}, {options.rounds} rounds, CPU time."
    ]
    parts.append(objects(subjects, SIZES, options.rounds))
    parts.append(pods([envs[KUBERNETES.name], envs[LIGHTKUBE.name]], SIZES, options.rounds, work))
    largest = max(
        subjects, key=lambda one: one.crd.path.stat().st_size if one.crd.path.exists() else 0
    )
    preferred = next((one for one in subjects if one.unit.kind == "Prometheus"), largest)
    parts.append(imports(preferred, options.rounds))
    publish("models", [*parts, *absent(envs)], options.limit)


if __name__ == "__main__":
    main()
