"""Decisions for a person's look: close calls, and nuggets on which language model and reader disagree."""

from dataclasses import dataclass

from medassay.models.report.rows import ReportData, number_of, object_of, text_of

NEAR = 0.05
MOST_SHOWN = 15
_MOST_PLACES = 17

MOST_DISPUTES = 25


@dataclass(frozen=True, slots=True)
class CloseCall:
    """One decision near its line; `number` is the question's place in the report, `distance` how near it was."""

    number: int
    question: str
    system: str
    kind: str
    text: str
    decided: str
    why: str
    distance: float


def close_calls(data: ReportData) -> list[CloseCall]:
    """Return ambiguous nuggets, and citations whose probability lies within 0.05 of its cut-off, the nearest first."""
    settings = object_of(data.run.get("settings"))
    cuts = {
        "entailment": number_of(settings.get("supports_at")),
        "contradiction": number_of(settings.get("contradicts_at")),
    }
    places = {
        text_of(row.get("question_id")): (n, text_of(row.get("question")))
        for n, row in enumerate(data.questions)
    }
    found = []
    for row in data.nugget_states:
        place = places.get(text_of(row.get("question_id")))
        if row.get("ambiguous") and place:
            margin = number_of(row.get("margin"))
            why = "several nuggets are about as near to the claim"
            found.append(
                CloseCall(
                    *place, text_of(row.get("system")), "nugget", text_of(row.get("nugget")), text_of(row.get("state")),
                    why if margin is None else f"{why}: {margin:.2f} between them", margin or 0.0,
                )
            )  # fmt: skip
    for row in data.citation_verdicts:
        place = places.get(text_of(row.get("question_id")))
        near = [
            (abs(value - cut), f"{name} {apart(value, cut)}, the cut-off is {apart(cut, value)}")
            for name, cut in cuts.items()
            if cut is not None
            and (value := number_of(row.get(name))) is not None
            and abs(value - cut) <= NEAR
        ]
        if near and place:
            distance, why = min(near)
            found.append(
                CloseCall(
                    *place,
                    text_of(row.get("system")),
                    "citation",
                    text_of(row.get("claim")),
                    text_of(row.get("state")),
                    why,
                    distance,
                )
            )
    return sorted(found, key=lambda call: (call.distance, call.number, call.system))


def apart(value: float, other: float) -> str:
    """Write a number with two decimal places, or as many more as tell it from the other one."""
    places = next((n for n in range(2, _MOST_PLACES) if f"{value:.{n}f}" != f"{other:.{n}f}"), 2)
    return f"{value:.{places}f}"


@dataclass(frozen=True, slots=True)
class Dispute:
    """One nugget in one answer; `number` is the question's place in the report."""

    number: int
    question: str
    system: str
    nugget: str
    signals: str
    model: str
    why: str


def disputes(data: ReportData) -> list[Dispute]:
    """Return every dispute, the gravest first: one sees a contradiction, then one sees it covered."""
    places = {
        text_of(row.get("question_id")): (n, text_of(row.get("question")))
        for n, row in enumerate(data.questions)
    }
    found = []
    for row in data.nugget_states:
        signals, model = text_of(row.get("signals_state")), text_of(row.get("model_state"))
        place = places.get(text_of(row.get("question_id")))
        if place and signals and model and signals != model:
            # Both states have their own cells; what is left of the reason is what the signals saw.
            said = text_of(row.get("reason"))
            why = said.partition(f"; the signals say {signals}: ")[2] or said
            found.append(
                Dispute(*place, text_of(row.get("system")), text_of(row.get("nugget")), signals, model, why)
            )
    return sorted(found, key=gravity)


def gravity(dispute: Dispute) -> tuple[bool, bool, int, str]:
    """Order disputes: contradictions first, then what one calls covered, then as the report is ordered."""
    states = {dispute.signals, dispute.model}
    return "contradicted" not in states, "covered" not in states, dispute.number, dispute.system
