"""OpenAI's evals package: the events that `oaieval` records, of which an answer takes two, sampled and matched."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from medassay.models.intake.adapters.adapter import Adapter, Found, Record, listed
from medassay.models.intake.adapters.log_records import LogForm, LogRecords, held
from medassay.models.intake.rows import Place

_FORM = LogForm(
    "OpenAI evals", (), ("prompt",), ("said",), ("expected",), (), ("sample_id",), ("model",), ("error",),
    unread=("match", "metrics", "sampling"),
)  # fmt: skip


def _recognises(record: Record) -> bool:
    """Return whether a record is an event, the description of the run before the events, or its report after them."""
    event = {"run_id", "event_id", "sample_id", "type", "data"} <= record.keys()
    return event or held(record, "spec.eval_name") is not None or {"final_report"} <= record.keys() <= _REPORT


_REPORT = {"final_report", "run_id"}


@dataclass
class Events:
    """The reading of a record file: each sample's first sampling is its answer, what came later is of a grader."""

    stem: str
    samples: dict[str, tuple[Record, Place]] = field(default_factory=dict)
    system: Any = None

    def feed(self, record: Record, place: Place) -> Iterator[Found]:
        """Take up an event; nothing is complete before the last one."""
        if "event_id" not in record:
            self.system = self.system or held(record, "spec.completion_fns.0")
            return iter(())
        kind, data = record["type"], record["data"]
        sample, _ = self.samples.setdefault(str(record["sample_id"]), ({}, place))
        if kind == "sampling" and "prompt" not in sample:
            said = data["sampled"]
            answer = next(iter(listed(said)), None) if isinstance(said, list) else said
            sample |= {"prompt": data["prompt"], "said": answer, "model": data.get("model")}
        elif kind == "error":
            sample["error"] = f"{data.get('type')}: {data.get('message')}"
        elif isinstance(data, dict):
            sample[kind] = True
            if data.get("expected") is not None:
                sample["expected"] = data["expected"]
        return iter(())

    def rest(self) -> Iterator[Found]:
        """Yield each sample's question and answer."""
        reading = LogRecords(_FORM, self.stem)
        for identity, (sample, place) in self.samples.items():
            if "prompt" in sample:
                model = sample["model"] or self.system
                yield from reading.feed({**sample, "sample_id": identity, "model": model}, place)


ADAPTER = Adapter(_FORM.tool, _recognises, Events, is_log=True)
