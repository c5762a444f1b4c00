"""How widely facts are spread over the code, counted by program: python -m benchmarks.house.

A revision (`--at`) is unpacked by `git archive` and measured by this file: figures of two are counted alike. `--trace`
evaluates one answer, too: it needs the embedded models, and some time.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from statistics import median

from benchmarks.house_trace import environment, followed

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("flows", "tasks", "models", "sql", "medassay", "deployments")
FORMAT = r"\b(?:ndjson|tsv|xlsx)\b"
OPTION = "criteria_per_call"
"""An option that one stage uses."""
PROVIDER = (
    r"chat/completions|\bopenai\b|\bfinish_reason\b|\bresponse_format\b|\b(?:prompt|completion)_tokens\b"
)
"""Words of OpenAI's API."""
NATIVE = r"\bgemini:|\bproviders\.gemini\b|\bGemini\(|class Gemini\b"
"""What names a provider whose API is another."""
NUMBERS = ("citation_verdicts", "new_citation", "leaderboard", "new_system_score")
"""Views of a citation's state, and of the metrics made of it that the report shows."""


def files(root: Path, ending: str, rooms: Iterable[str] = ROOMS) -> Iterator[Path]:
    """Yield the files of these folders; links to folders are not followed, nor what is built or hidden."""
    for room in rooms:
        for folder, inside, names in os.walk(root / room):
            inside[:] = [name for name in inside if name != "build" and not name.startswith(".")]
            yield from (Path(folder) / name for name in sorted(names) if name.endswith(ending))


def n_lines(paths: Iterable[Path]) -> int:
    """Count the lines of files."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def naming(root: Path, pattern: str, ending: str = ".py") -> list[Path]:
    """Return the files outside tests and docs in which a pattern is found."""
    return [path for path in files(root, ending) if re.search(pattern, path.read_text(encoding="utf-8"))]


def imports(root: Path) -> dict[str, list[str]]:
    """Return the modules that each module imports, inside functions as well."""
    code = (
        "import grimp, json; graph = grimp.build_graph('medassay', cache_dir=None);"
        "print(json.dumps({m: sorted(graph.find_modules_directly_imported_by(m)) for m in graph.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(root),
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    graph: dict[str, list[str]] = json.loads(done.stdout)
    return graph


def circles(graph: dict[str, list[str]]) -> list[list[str]]:
    """Return the largest sets of two modules or more that import each other, directly or through others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    names = sorted(graph)
    at = {name: place for place, name in enumerate(names)}
    edges = [(at[one], at[other]) for one in names for other in graph[one]]
    rows, columns = zip(*edges, strict=True)
    matrix = coo_array(([1] * len(edges), (rows, columns)), shape=(len(names), len(names)))
    n, labels = connected_components(matrix, connection="strong")
    parts = [[name for name, label in zip(names, labels, strict=True) if label == part] for part in range(n)]
    return [part for part in parts if len(part) > 1]


def first_columns(page: Path, n: int) -> list[list[str]]:
    """Return the names between back ticks in each row of a page's tables, by cell."""
    rows = (line.split("|")[1:] for line in page.read_text(encoding="utf-8").splitlines())
    return [
        [",".join(re.findall(r"`(\w+)`", cell)) for cell in row]
        for row in rows
        if len(row) > n and "`" in row[0]
    ]


def option_places(root: Path) -> dict[str, int]:
    """Count for each option the places that spell it other than by reading it from the record (`.name`).

    Only names of two words, which mean nothing else. SQL is left out.
    """
    names = [row[0] for row in first_columns(root / "docs" / "settings.md", 3) if "_" in row[0]]
    texts = [path.read_text(encoding="utf-8") for path in files(root, ".py")]
    return {name: sum(len(re.findall(rf"(?<![.\w]){name}\b", text)) for text in texts) for name in names}


def stage_files(root: Path) -> dict[str, int]:
    """Count for each stage the files of Python and SQL that name a table which it alone fills, or its items."""
    rows = [row for row in first_columns(root / "docs" / "architecture.md", 5) if row[3] and row[4] == ""]
    filled = {row[0]: row[3].split(",") for row in rows}
    counts = {}
    for stage, tables in filled.items():
        others = {table for other, theirs in filled.items() if other != stage for table in theirs}
        own = [table for table in tables if "_" in table and table not in others]
        pattern = rf"\b(?:{'|'.join([*own, f'{stage}_items', f'{stage}_pending'])})\b"
        counts[stage] = len(naming(root, pattern)) + len(naming(root, pattern, ".sql"))
    return counts


def view_files(root: Path) -> set[Path]:
    """Return the files of SQL from which a citation's state and its metrics come, through whatever views."""
    made: dict[str, Path] = {}
    for path in files(root, ".sql", [f"sql/{layer}" for layer in ("staging", "intermediate", "marts")]):
        for name in re.findall(r"create or replace (?:view|macro) (\w+)", path.read_text(encoding="utf-8")):
            made[name] = path
    reached: set[Path] = set()
    left = [made[name] for name in NUMBERS]
    while left:
        path = left.pop()
        if path not in reached:
            reached.add(path)
            left += [
                made[word] for word in set(re.findall(r"\w+", path.read_text(encoding="utf-8"))) & made.keys()
            ]
    return reached


def measure(root: Path, *, trace: bool) -> list[tuple[str, str]]:
    """Return the rows of the table: what is counted, and the figure."""
    graph = imports(root)
    importers = {name: sum(name in used for used in graph.values()) for name in graph}
    outside = [path for path in files(root, ".py", ["."]) if not path.is_relative_to(root / "tests")]
    rows = []
    if trace:
        ran, views = followed(root), view_files(root)
        paths = [root / file for file in ran]
        functions = sum(map(len, ran.values()))
        rows = [
            ("files of Python whose functions run; their lines", f"{len(paths)}; {n_lines(paths):,}"),
            ("lines of these functions", f"{functions:,}"),
            (
                "files of views behind the verdict and its metrics; their lines",
                f"{len(views)}; {n_lines(views):,}",
            ),
        ]
    options, stages = option_places(root), stage_files(root)
    return [
        *rows,
        (f"places that spell the option `{OPTION}`; median of options",
         f"{options[OPTION]}; {median(options.values()):g}"),
        ("files that name a stage's own tables, median of stages; most",
         f"{median(stages.values()):g}; {max(stages.values())}"),
        ("files that name endings of files (.ndjson, .tsv, .xlsx)", str(len(naming(root, FORMAT)))),
        ("files that know OpenAI's requests and replies; a native provider (Gemini)",
         f"{len(naming(root, PROVIDER))}; {len(naming(root, NATIVE))}"),
        ("circles of imports; modules that import themselves",
         f"{len(circles(graph))}; {sum(name in used for name, used in graph.items())}"),
        ("modules; imported by one module alone", f"{len(graph)}; {list(importers.values()).count(1)}"),
        ("lines of Python outside tests; tests", f"{n_lines(outside):,}; {n_lines(files(root, '.py', ['tests'])):,}"),
    ]  # fmt: skip


def main() -> None:
    """Print the table of the checkout, or of a revision."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--at", metavar="REVISION", help="measure this revision in place of the checkout")
    parser.add_argument("--trace", action="store_true", help="evaluate one answer and count what runs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = ROOT
        if given.at:
            packed = subprocess.run(
                ["git", "-C", str(ROOT), "archive", given.at], check=True, stdout=subprocess.PIPE
            )
            with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
                archive.extractall(scratch, filter="tar")
            root = Path(scratch).resolve()
        print("| counted | figure |", "|---|---|", sep="\n")
        for what, figure in measure(root, trace=given.trace):
            print(f"| {what} | {figure} |")


if __name__ == "__main__":
    main()
