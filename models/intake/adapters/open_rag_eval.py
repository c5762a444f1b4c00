"""open-rag-eval: a CSV with one row a passage, its query's answer in the first of them; or whole records."""

from collections.abc import Iterator
from typing import Any

from medassay.models.intake.adapters.adapter import Adapter, Found, Record, listed
from medassay.models.intake.rows import Place


def recognises(record: Record) -> bool:
    """Return whether a record is a row of its connectors' CSV, or a whole answer with numbered passages."""
    return "query" in record and (
        {"query_id", "generated_answer"} <= record.keys() or {"passage_id", "passage"} <= record.keys()
    )


class Passages:
    """Gathers the rows of one query's run: its answer, and its passages as references by their number."""

    def __init__(self, stem: str) -> None:
        self.stem = stem
        self.group: tuple[Any, Any] | None = None
        self.answer: Record = {}
        self.place = Place(0)

    def feed(self, record: Record, place: Place) -> Iterator[Found]:
        """Yield the query before, once another begins."""
        references = _references(record)
        group = (record.get("query_id", record["query"]), record.get("query_run"))
        if group != self.group:
            yield from self.rest()
            self.group, self.place = group, place
            yield "question", {"question_id": group[0], "question": record["query"]}, place
            run = "" if group[1] in (None, "", "1", 1) else f" run {group[1]}"
            system = record.get("system") or f"{self.stem}{run}"
            self.answer = {"question_id": group[0], "system": system, "references": []}
        if record.get("generated_answer"):
            self.answer.setdefault("answer", _joined(record["generated_answer"]))
        elif "generated_answer" in record and "passage_id" not in record:
            self.answer.setdefault("answer", record["generated_answer"])
        self.answer["references"] += references

    def rest(self) -> Iterator[Found]:
        """Yield the query that is being gathered; one for which no row holds words was answered by silence."""
        if self.group is not None:
            yield "answer", {"answer": ""} | self.answer, self.place
        self.group = None


def _references(record: Record) -> list[Record]:
    if "passage_id" in record:
        return [{"marker": str(record["passage_id"]).strip("[] "), "content": record.get("passage")}]
    passages = record.get("passages")
    passages = [passages] if isinstance(passages, str) else passages
    numbered = passages.items() if isinstance(passages, dict) else enumerate(listed(passages), 1)
    return [
        {"marker": str(n).strip("[] "), "content": p.get("text") if isinstance(p, dict) else p}
        for n, p in numbered
    ]


def _joined(answer: Any) -> Any:
    """Write an answer in cited parts as the text they came from."""
    if not isinstance(answer, list):
        return answer
    parts = [part if isinstance(part, dict) else {"text": str(part)} for part in answer]
    return " ".join(" ".join([str(p.get("text", "")), *map(str, p.get("citations") or ())]) for p in parts)


ADAPTER = Adapter("open-rag-eval", recognises, Passages)
