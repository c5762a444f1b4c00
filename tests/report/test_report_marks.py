from typing import Any

from medassay.models.report.calibrations import Marks, MarksOfJudge, marks
from medassay.models.report.rows import ReportData


def judged(**changes: Any) -> dict[str, Any]:
    given = {
        "judge": "a",
        "status": "scored",
        "medical_correctness": 80,
        "evidence_sufficiency": 60,
        "evidence_sufficiency_raw": 60,
        "response_alignment": 90,
        "safety": 100,
        "has_references": True,
        "reason": None,
    }
    return {**given, **changes}


def test_marks_are_shown_by_sub_metric_and_what_is_missing_is_said() -> None:
    unmarked = dict.fromkeys(
        (
            "medical_correctness",
            "evidence_sufficiency",
            "evidence_sufficiency_raw",
            "response_alignment",
            "safety",
        )
    )
    rows = (
        judged(),
        judged(
            medical_correctness=40, evidence_sufficiency=0, evidence_sufficiency_raw=70, has_references=False
        ),
        judged(**unmarked, status="abstained", reason="the model refused to answer"),
    )
    assert marks(ReportData(judgements=rows)) == Marks(
        ("medical correctness", "evidence sufficiency", "response alignment", "safety"),
        (MarksOfJudge("a", (("60", "40–80"), ("30", "0–60"), ("90", "90–90"), ("100", "100–100"))),),
        (
            "evidence counts 0 in 1 answer that lists no traceable reference, though the judge gave up to 70.",
            "1 answer has no marks: the model refused to answer.",
        ),
    )
