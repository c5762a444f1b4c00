"""`models/text` on real answers: (sentence, source) F1, the share of its statements that run, answers a second.

ExpertQA's answers come with their claims and the sources of each; a pair is (claim, source). A claim's sources are
found where what `decompose` cites for any of its parts is one of them. The references are given once as data and once
as a list in the answer's text. K-QA and MedAESQA have no citations: counted are claims and citations of nothing.
Questions are split by hash of their ids; rules may be made for the open half only.

    python benchmarks/text_real.py [FOLDER OF DATA]
"""

import ast
import gzip
import hashlib
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from medassay.models import text
from medassay.models.folding import folded
from medassay.models.records import Answer, Decomposition, Reference
from medassay.models.text.claims.decomposition import decompose
from medassay.models.text.claims.parts import claim_parts
from medassay.models.text.identifiers.reading import url_source_id
from medassay.models.text.references.placeholders import leads_nowhere
from medassay.models.text.sentences.answer_sentences import answer_sentences

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
CITED = ("expertqa/answers_medical_dev", "expertqa/answers_other_dev")
UNCITED = ("medaesqa/answers", "kqa/questions", "kqa/nugget_labels_dev", "kqa/nugget_labels_dev2")


def rows(data: Path, name: str) -> list[dict[str, Any]]:
    """Read a gzipped file of JSON lines; each row gets `id`, question and system."""
    with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines]
    found = {}
    for row in read:
        row["answer"] = row.get("answer") or row.get("reference_answer")
        row["id"] = f"{row['question_id']}/{row.get('system', 'reference')}"
        found.setdefault(row["id"], row)
    return list(found.values())


def half(question_id: str) -> str:
    """Return the half of a question, `open` or `held out`."""
    return "held out" if hashlib.sha256(question_id.encode()).digest()[0] % 2 else "open"


def references(row: dict[str, Any]) -> list[Reference]:
    """Return the references of an answer that have an address."""
    return [Reference(marker=r["marker"], url=r["url"]) for r in row["references"] if r["url"]]


def as_data(row: dict[str, Any]) -> Answer:
    """Return the answer with its references as data."""
    return Answer("", "", row["answer"], tuple(references(row)))


def as_text(row: dict[str, Any]) -> Answer:
    """Return the answer with its references as a list below it, in one of three styles."""
    style = ("[{}] {}", "{}. {}", "[{}]: {}")[int(hashlib.sha256(row["id"].encode()).hexdigest(), 16) % 3]
    listed = "\n".join(style.format(r.marker, r.url) for r in references(row))
    return Answer("", "", f"{row['answer']}\n\nReferences:\n{listed}" if listed else row["answer"])


def gold(row: dict[str, Any]) -> Iterator[tuple[int, int, set[str]]]:
    """Yield where each claim stands in the answer, and the sources whose marks stand in it.

    Left out are claims with marks such as `[1,2]`, which ExpertQA did not read, and sources that are a search's page.
    """
    at = 0
    for claim in row["claims"]:
        words = claim["claim"].split()
        found = re.compile(r"\s+".join(map(re.escape, words))).search(row["answer"], at) if words else None
        if found is None:
            continue
        at = found.end()
        if re.search(r"\[\d+\s*[,–-]", found[0]):
            continue
        marked = [e["url"] for e in claim["evidence"] if e["url"] and f"[{e['marker']}]" in found[0]]
        yield found.start(), found.end(), {url_source_id(url) for url in marked if not leads_nowhere(url)}


def compared(row: dict[str, Any], parts: Decomposition) -> Counter[str]:
    """Count right, false and missing (claim, source) pairs of an answer."""
    count: Counter[str] = Counter()
    for start, end, wanted in gold(row):
        mine = [c for c in parts.claims if start <= (c.start + c.end) // 2 < end]
        cited = {one.source_id for claim in mine for one in claim.citations if one.source_id}
        count += Counter(right=len(cited & wanted), false=len(cited - wanted), missing=len(wanted - cited))
        count["sentences"] += 1
    return count


def f1(count: Counter[str]) -> str:
    """Write precision, recall and F1."""
    right = count["right"]
    precision, recall = right / max(1, right + count["false"]), right / max(1, right + count["missing"])
    return f"{precision:.3f}  {recall:.3f}  {2 * precision * recall / max(1e-9, precision + recall):.3f}"


class Lines:
    """Which lines of `models/text` run, by `sys.settrace`."""

    def __init__(self) -> None:
        self.ran: set[tuple[str, int]] = set()
        self.folder = str(Path(text.__file__).parent)
        sys.settrace(self._call)

    def _call(self, frame: FrameType, _event: str, _arg: object) -> Any:
        return self._line if frame.f_code.co_filename.startswith(self.folder) else None

    def _line(self, frame: FrameType, _event: str, _arg: object) -> Any:
        self.ran.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line

    def stop(self) -> None:
        """Stop watching."""
        sys.settrace(None)

    def share(self) -> tuple[int, int]:
        """Return how many statements in functions ran, and how many there are."""
        ran = total = 0
        for path in Path(self.folder).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
            inside = {
                _head(statement)
                for function in functions
                for node in function.body
                for statement in ast.walk(node)
                if isinstance(statement, ast.stmt)
                and not isinstance(statement, ast.FunctionDef)
                and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
            }
            total += len(inside)
            ran += sum(any((str(path), line) in self.ran for line in lines) for lines in inside)
        return ran, total


def _head(statement: ast.stmt) -> range:
    """Return the lines of a statement without those of its block: what runs first may not be on its first."""
    block = getattr(statement, "body", None)
    return range(
        statement.lineno, block[0].lineno if block else (statement.end_lineno or statement.lineno) + 1
    )


def read_through(answer: Answer, question: str) -> None:
    """Do with an answer what a run does: split it, and make its claims and their facts ready for the reader."""
    claims = decompose(answer, question).claims
    for claim in claims:
        for part in claim_parts(claim.text):
            folded(part)
    answer_sentences(answer.text, claims)


def main() -> None:
    """Print the tables."""
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    cited = [row for name in CITED for row in rows(data, name)]
    uncited = [row for name in UNCITED for row in rows(data, name)]
    decompose(as_data(cited[0]), "")
    began, n = time.process_time(), 0
    for way in (as_data, as_text):
        counts: dict[str, Counter[str]] = {"open": Counter(), "held out": Counter()}
        for row in cited:
            counts[half(row["question_id"])] += compared(row, decompose(way(row), row["question"]))
            n += 1
        for name, count in counts.items():
            print(f"{way.__name__:8} {name:9} {count['sentences']:5} sentences  P R F1  {f1(count)}")
    plain: Counter[str] = Counter()
    for row in uncited:
        claims = decompose(Answer("", "", row["answer"]), row["question"] if "question" in row else "").claims
        plain += Counter(
            claims=sum(c.kind == "claim" for c in claims), citations=sum(len(c.citations) for c in claims)
        )
        n += 1
    print(
        f"uncited answers {len(uncited)}: {plain['claims'] / len(uncited):.2f} claims each, "
        f"{plain['citations']} citations"
    )
    print(f"{n / (time.process_time() - began):.0f} answers a second of CPU")
    lines = Lines()
    for row in cited:
        read_through(as_data(row), row["question"])
        read_through(as_text(row), row["question"])
    for row in uncited:
        read_through(Answer("", "", row["answer"]), "")
    lines.stop()
    ran, total = lines.share()
    files = list(Path(lines.folder).rglob("*.py"))
    length = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    print(
        f"{ran} of {total} statements in functions run ({ran / total:.0%}); {length} lines in {len(files)} files"
    )


if __name__ == "__main__":
    main()
