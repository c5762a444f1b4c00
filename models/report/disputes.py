"""Nuggets of which a language model and the embedded signals say different things: for a person to decide."""

from dataclasses import dataclass

from medassay.models.report.rows import ReportData, text_of

MOST_SHOWN = 25


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
