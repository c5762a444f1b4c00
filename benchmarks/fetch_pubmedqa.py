"""What it takes to fetch abstracts that answers cite by PMID: requests, seconds, states; online, again, offline.

Run from the checkout:
    python -m benchmarks.fetch_pubmedqa ../shared/data/pubmedqa/labeled_dev.jsonl.gz [--json]

Each article becomes an answer, its conclusion, that cites it; a PMID nobody has is cited beside them. A PubMed on
loopback serves the articles (`tests/sources/eutils_server.py`), at NCBI's own pace of 3 requests a second.
"""

import argparse
import gzip
import importlib.util
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from medassay.models.settings import Settings
from medassay.sql.warehouse import close_warehouse
from medassay.tasks.citations.carrying import export_sources, import_sources
from medassay.tasks.citations.pubmed_files import add_file
from medassay.tasks.ingest import ingest
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.stages.decompose import decompose
from medassay.tasks.stages.fetch import BATCH, fetch, prepare
from medassay.tasks.stages.stage import Unfinished
from medassay.tasks.validate import validate

SERVER = Path(__file__).parent.parent / "tests" / "sources" / "eutils_server.py"
NOBODY_HAS = "99999999"
FAULTS = ("rate_limited", "error_500", "cut", "json_error", "drop")
COLUMNS = ("run", "requests", "seconds", "found", "not_found", "unverifiable", "retracted", "passages")


def eutils() -> Any:
    """Load the tests' server, which is in no package."""
    spec = importlib.util.spec_from_file_location("eutils_server", SERVER)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def write_answers(articles: list[Any], conclusions: list[str], folder: Path) -> None:
    """Write a data set in which each article's conclusion cites the article."""
    with (
        open(folder / "questions.jsonl", "w", encoding="utf-8") as questions,
        open(folder / "answers.jsonl", "w", encoding="utf-8") as answers,
    ):
        for article, conclusion in zip(articles, conclusions, strict=True):
            text = f"{conclusion.strip().rstrip('.')} (PMID: {article.pmid})."
            if article is articles[0]:
                text += f" This was seen before (PMID: {NOBODY_HAS})."
            answer = {"question_id": article.pmid, "system": "authors", "answer": text}
            questions.write(json.dumps({"question_id": article.pmid, "question": article.title}) + "\n")
            answers.write(json.dumps(answer) + "\n")


def fetched(run: RunRef) -> float:
    """Take a run as far as its citations, with the flow's further attempts; return the fetching's seconds."""
    ingest(run)
    validate(run)
    decompose.run(run)
    began = time.monotonic()
    prepare(run)
    for attempt in range(fetch.retries + 1):
        try:
            fetch.run(run, last_attempt=attempt == fetch.retries)
            break
        except Unfinished:
            continue
    return time.monotonic() - began


def measured(
    name: str,
    home: Path,
    data: Path,
    server: Any,
    offline: bool,
    before: Callable[[RunRef], Any] | None = None,
) -> dict[str, Any]:
    """Run once and say what it took and what came of it."""
    requests = len(server.requests)
    with started_run(home, Settings(str(data), offline=offline)) as run:
        if before is not None:
            before(run)
        seconds = fetched(run)
        (counts,) = run.warehouse.rows(
            "select count(*) filter (state = 'found') as found,"
            " count(*) filter (state = 'not_found') as not_found,"
            " (select count(*) from fetch_items) - found - not_found as unverifiable,"
            " count(*) filter (retracted = 'yes') as retracted,"
            " (select count(*) from current_passage) as passages,"
            " (select bit_xor(md5_number(source_id || position || text_key))::varchar from current_passage) as texts"
            " from current_source"
        )
    return {"run": name, "requests": len(server.requests) - requests, "seconds": round(seconds, 2), **counts}


def runs(articles: list[Any], conclusions: list[str], module: Any, folder: Path) -> list[dict[str, Any]]:
    """Fetch online, again, against a PubMed that misbehaves, then offline from a file and from an export."""
    data = folder / "data"
    data.mkdir()
    write_answers(articles, conclusions, data)
    baseline, exported = folder / "pubmed26n0001.xml.gz", folder / "sources.jsonl.gz"
    baseline.write_bytes(gzip.compress(module.pubmed_xml(articles), mtime=0))
    online, faulty, filed, carried = (folder / name for name in ("online", "faulty", "filed", "carried"))
    rows = []
    with module.EUtilsServer(articles) as server:
        os.environ.update(NCBI_EMAIL="benchmark@example.org", MEDASSAY_NCBI_URL=server.url)
        os.environ.pop("NCBI_API_KEY", None)
        rows.append(measured("online", online, data, server, False))
        rows.append(
            measured(
                "online again",
                online,
                data,
                server,
                False,
                lambda run: export_sources(run.warehouse, exported),
            )
        )
        server.behaviour.queue.extend(FAULTS)
        rows.append(measured("online, " + ", ".join(FAULTS), faulty, data, server, False))
        rows.append(
            measured(
                "offline, from the file",
                filed,
                data,
                server,
                True,
                lambda run: add_file(run.warehouse, baseline),
            )
        )
        rows.append(
            measured(
                "offline, from an export",
                carried,
                data,
                server,
                True,
                lambda run: import_sources(run.warehouse, exported),
            )
        )
    for home in (online, faulty, filed, carried):
        close_warehouse(home)
    return rows


def main() -> None:
    """Print a table, and whether all runs read the same texts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", type=Path, help="PubMedQA rows, .jsonl.gz")
    parser.add_argument("--json", action="store_true", dest="machine", help="print one JSON array")
    chosen = parser.parse_args()
    module = eutils()
    articles = module.articles_of_pubmedqa(chosen.rows)
    with gzip.open(chosen.rows, "rt", encoding="utf-8") as lines:
        conclusions = [json.loads(line)["conclusion"] for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        rows = runs(articles, conclusions, module, Path(folder))
    if chosen.machine:
        print(json.dumps(rows))
        return
    least = -(-(len(articles) + 1) // BATCH)
    print(
        f"{len(articles)} articles and a PMID that nobody has: {least} requests at the least,"
        " and two to be sure of the latter\n"
    )
    widths = [max(len(name), *(len(str(row[name])) for row in rows)) for name in COLUMNS]
    for cells in (COLUMNS, *([row[name] for name in COLUMNS] for row in rows)):
        print(
            "  ".join(
                f"{cell!s:<{w}}" if i == 0 else f"{cell!s:>{w}}"
                for i, (cell, w) in enumerate(zip(cells, widths, strict=True))
            )
        )
    print("\nthe same texts in every run" if len({row["texts"] for row in rows}) == 1 else "\nTEXTS DIFFER")


if __name__ == "__main__":
    main()
