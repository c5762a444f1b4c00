"""JUnit XML of a gate's record: a test case an answer, and one a check of the whole run."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from medassay.models.gate.record import AnswerResult, Check, GateRecord, place_of

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAGS = {"failed": "failure", "unjudged": "error", "insufficient_evidence": "error"}


def junit_xml(record: GateRecord) -> str:
    """Return the record as JUnit XML.

    A broken rule or bound is a failure, what could not be judged an error, what has no value by its nature skipped.
    Scores are properties of the test cases, as pytest, GitLab and Playwright have them.
    """
    cases = [(_case_of_answer(record, answer), answer.outcome) for answer in record.answers]
    checks = [(_case_of_check(record, check), check.outcome) for check in record.checks]
    root = ET.Element("testsuites", {"name": "medassay gate"})
    counts = [_add_suite(root, record, "answers", cases), _add_suite(root, record, "checks", checks)]
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(count[name] for count in counts)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _add_suite(
    root: ET.Element, record: GateRecord, name: str, cases: Sequence[tuple[ET.Element, str]]
) -> dict[str, int]:
    tags = [_TAGS.get(outcome, outcome) for _, outcome in cases]
    counts = {"tests": len(cases), "failures": tags.count("failure"), "errors": tags.count("error")}
    skipped = tags.count("skipped") + tags.count("not_applicable")
    suite = ET.SubElement(
        root, "testsuite", {"name": name, **{k: str(n) for k, n in counts.items()}, "skipped": str(skipped)}
    )
    _add_properties(
        suite,
        {
            "verdict": record.verdict,
            "run_id": record.run_id,
            "dataset": record.dataset,
            "baseline": record.baseline.run_id if record.baseline else "none",
        },
    )
    suite.extend(case for case, _ in cases)
    return counts


def _case_of_answer(record: GateRecord, answer: AnswerResult) -> ET.Element:
    case = _case(record, answer.system, f"{answer.question_id} · {answer.system}")
    if answer.file and answer.line:
        case.set("file", _legal(answer.file))
        case.set("line", str(answer.line))
    scores = {name: f"{value:.6g}" for name, value in answer.scores.items()}
    _add_properties(case, {**scores, **{name: f"NULL: {reason}" for name, reason in answer.nulls.items()}})
    errors = [one for one in answer.findings if one.level == "error"]
    if errors:
        lines = [f"{one.rule}{place_of(answer, one)}: {one.message}" for one in errors]
        lines += [f"  {one.evidence}" for one in errors if one.evidence]
        _add(
            case,
            "failure",
            ", ".join(dict.fromkeys(one.rule for one in errors)),
            errors[0].message,
            "\n".join(lines),
        )
    elif answer.outcome == "unjudged":
        _add(case, "error", "unjudged", answer.reason or "")
    elif answer.outcome == "skipped":
        _add(case, "skipped", "not_applicable", answer.reason or "")
    told = [
        f"{one.rule}{place_of(answer, one)}: {one.message}" for one in answer.findings if one.level == "warn"
    ]
    _add_output(case, told)
    return case


def _case_of_check(record: GateRecord, check: Check) -> ET.Element:
    case = _case(record, check.kind, check.name)
    numbers = (
        "value",
        "low",
        "high",
        "bound",
        "n",
        "n_null",
        "p_adjusted",
        "family_size",
        "questions_needed",
    )
    values = {name: getattr(check, name) for name in numbers}
    _add_properties(case, {name: f"{value:.6g}" for name, value in values.items() if value is not None})
    if check.outcome == "failed":
        _add(case, "failure", check.kind, check.message)
    elif check.outcome == "insufficient_evidence":
        _add(case, "error", "insufficient_evidence", check.message)
    elif check.outcome == "not_applicable":
        _add(case, "skipped", "not_applicable", check.message)
    _add_output(case, [check.message] if check.outcome == "warned" else [])
    return case


def _case(record: GateRecord, group: str, name: str) -> ET.Element:
    return ET.Element(
        "testcase", {"classname": _legal(f"{record.dataset}.{group}"), "name": _legal(name), "time": "0"}
    )


def _add(case: ET.Element, tag: str, kind: str, message: str, text: str = "") -> None:
    """Add why a case did not pass, as an attribute and as text: viewers show the one or the other."""
    child = ET.SubElement(case, tag, {"type": kind, "message": _legal(message)})
    child.text = _legal(text or message)


def _add_output(case: ET.Element, lines: Sequence[str]) -> None:
    if lines:
        ET.SubElement(case, "system-out").text = _legal("\n".join(f"warning: {line}" for line in lines))


def _add_properties(element: ET.Element, values: dict[str, str]) -> None:
    parent = ET.SubElement(element, "properties")
    for name, value in values.items():
        ET.SubElement(parent, "property", {"name": name, "value": _legal(value)})


def _legal(text: str) -> str:
    """Spell out the characters that XML has no form for."""
    return _NOT_IN_XML.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
