"""What a language model and the signals see differently stands in the report, the gravest first."""

from dataclasses import replace

from medassay.models.report import ReportData, render
from medassay.models.report.close_calls import Dispute, disputes

ABOUT = {"question_id": "q2", "system": "careful"}
DATA = ReportData(
    questions=({"question_id": "q1", "question": "Why?"}, {"question_id": "q2", "question": "How?"}),
    nugget_states=(
        {**ABOUT, "nugget": "Same.", "signals_state": "covered", "model_state": "covered"},
        {**ABOUT, "nugget": "Not asked.", "signals_state": "covered", "model_state": None},
        {
            **ABOUT, "nugget": "Half.", "signals_state": "partial", "model_state": "missing",
            "reason": "the model says missing; the signals say partial: half of it is entailed",
        },
        {
            **ABOUT, "nugget": "Turned.", "signals_state": "contradicted", "model_state": "missing",
            "reason": "the model says missing; the signals say contradicted: nugget says 5 mg, answer says 50 mg",
        },
    ),
)  # fmt: skip


def test_disputes_are_listed_gravest_first() -> None:
    assert disputes(DATA) == [
        Dispute(
            1, "How?", "careful", "Turned.", "contradicted", "missing", "nugget says 5 mg, answer says 50 mg"
        ),
        Dispute(1, "How?", "careful", "Half.", "partial", "missing", "half of it is entailed"),
    ]


def test_the_page_shows_them_only_where_there_are_any(report: ReportData) -> None:
    states = [
        {**row, "signals_state": "missing", "model_state": "covered", "nugget": "Statins lower <LDL>."}
        for row in report.nugget_states[:1]
    ]
    page = render(replace(report, nugget_states=[*states, *report.nugget_states[1:]]))
    assert "Where the model and the signals differ" in page
    assert "Statins lower &lt;LDL&gt;." in page
    assert "Where the model and the signals differ" not in render(report)
