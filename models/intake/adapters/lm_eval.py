"""lm-evaluation-harness: `samples_*.jsonl`, a row for each document and filter, with the task's name in the file's."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from medassay.models.intake.adapters.adapter import Adapter, Found, Record, Unusable, first_of, listed
from medassay.models.intake.adapters.log_records import OF_ROWS, LogForm, LogRecords, held
from medassay.models.intake.headings import renamed
from medassay.models.intake.names import IDENTITY
from medassay.models.intake.rows import Place

_NAME = re.compile(r"samples_(?P<task>.+?)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl(?:\.gz)?", re.IGNORECASE)
_FORM = LogForm(
    "lm-evaluation-harness", ("doc", "resps"), ("asked",), ("said",), ("expected",), ("contexts",), ("id",),
    ("model",), repeat=("repeat",), unread=("metrics",),
)  # fmt: skip


class Samples:
    """Takes up each document once, whatever filters it went through, with each of the answers that were generated."""

    def __init__(self, path: Path) -> None:
        name = _NAME.fullmatch(path.name)
        self.task = name["task"] if name else ""
        self.records = LogRecords(_FORM, _model(path, name["date"] if name else ""))
        self.seen: set[str] = set()

    def feed(self, record: Record, place: Place) -> Iterator[Found]:
        """Yield a document's question and answers, at the first of its filters.

        Raises:
            Unusable: where the responses are log-likelihoods of given choices, not texts.
        """
        number = str(record.get("doc_id", record.get("doc_hash")))
        if number in self.seen:
            return
        self.seen.add(number)
        responses = listed(record["resps"])
        texts = [
            text for request in responses for text in (request if isinstance(request, list) else [request])
        ]
        if not texts or not all(isinstance(text, str) for text in texts):
            what = "log-likelihoods of given choices, not answers"
            raise Unusable(
                what, f"task {self.task}, doc_id {number}", "run a task that generates (generate_until)"
            )
        doc = record["doc"] if isinstance(record["doc"], dict) else {"question": record["doc"]}
        fields, _ = renamed(doc, None)
        row = {
            "doc": doc, "resps": responses, "asked": fields.get("question") or fields.get("query") or _prompt(record),
            "id": first_of(doc, *IDENTITY) or f"{self.task} {number}".strip(), "contexts": fields.get("contexts"),
            "expected": fields.get("reference_answer") or record.get("target"), "metrics": record.get("metrics"),
            **{name: fields.get(name) for name in OF_ROWS},
        }  # fmt: skip
        for repeat, text in enumerate(texts, 1):
            yield from self.records.feed({**row, "said": text, "repeat": repeat}, place)

    def rest(self) -> Iterator[Found]:
        """Yield nothing: no record waits."""
        return iter(())


def _prompt(record: Record) -> Any:
    """Return what the model was shown, few-shot examples included."""
    given = record.get("arguments")
    return held(given, "gen_args_0.arg_0") if isinstance(given, dict) else held(given, "0.0")


def _model(path: Path, date: str) -> str:
    """Return the model's name by the results that lie beside the samples, else that of their folder."""
    for beside in (path.with_name(f"results_{date}.json"),) if date else ():
        try:
            results = json.loads(beside.read_text("utf-8"))
            if name := results.get("model_name") or held(results, "config.model"):
                return str(name)
        except (OSError, ValueError, AttributeError):
            pass
    return path.resolve().parent.name if date else path.name.partition(".")[0]


ADAPTER = Adapter(_FORM.tool, _FORM.recognises, lambda stem: Samples(Path(stem)), Samples, is_log=True)
