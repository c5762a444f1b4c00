"""SARIF 2.1.0 of a gate's record, for code scanning: a result at each claim that breaks a rule."""

import json
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from medassay.models.gate.record import AnswerResult, Check, Finding, GateRecord
from medassay.models.gate.rules import RULES
from medassay.models.keys import content_key

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_CHECKS = {
    "bound": "a metric is beyond its bound",
    "nulls": "a metric has no value for too many questions",
    "baseline": "a metric got worse than the baseline",
    "questions": "a question or an answer is missing",
    "unjudged": "too many answers could not be judged",
    "run": "the run is not complete",
}
_HELP = (
    "Look at the answer and its source. What a person has looked at and accepts is committed with the baseline;"
    " rules and bounds stand in the gate's configuration (docs/gate.md)."
)


def sarif(record: GateRecord) -> str:
    """Return the record as SARIF; checks of the whole run stand at the gate's configuration."""
    found = [
        *(_of_finding(record, answer, one) for answer in record.answers for one in answer.findings),
        *(
            _of_check(record, check)
            for check in record.checks
            if check.outcome not in ("passed", "not_applicable")
        ),
    ]
    used = sorted({result["ruleId"] for result in found})
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "MedAssay",
                        "version": record.medassay,
                        "rules": [_rule(name) for name in used],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {
                    "SRCROOT": {"description": {"text": "the folder that the gate ran in"}}
                },
                "invocations": [{"executionSuccessful": True, "exitCode": record.exit_code}],
                "properties": {"verdict": record.verdict, "run_id": record.run_id, "dataset": record.dataset},
                "results": [{**result, "ruleIndex": used.index(result["ruleId"])} for result in found],
            }
        ],
    }
    return json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _rule(rule: str) -> dict[str, Any]:
    """Describe a rule with all that GitHub's code scanning asks for."""
    means = RULES[rule].means if rule in RULES else _CHECKS[rule]
    return {
        "id": rule,
        "shortDescription": {"text": means},
        "fullDescription": {"text": means},
        "help": {"text": _HELP},
    }


def _of_finding(record: GateRecord, answer: AnswerResult, one: Finding) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": one.rule,
        "level": "error" if one.level == "error" else "warning",
        "message": {"text": f"{answer.question_id}, {answer.system}: {one.message}"},
        "partialFingerprints": {
            "answerRule/v1": content_key([answer.question_id, answer.system, one.rule, one.message])
        },
        "properties": {"question_id": answer.question_id, "system": answer.system, "evidence": one.evidence},
    }
    if answer.file and one.line:
        places = {
            "startLine": one.line,
            "startColumn": one.column,
            "endLine": one.end_line,
            "endColumn": one.end_column,
        }
        region: dict[str, Any] = {name: value for name, value in places.items() if value is not None}
        if one.claim and one.column:
            region["snippet"] = {"text": one.claim}
        result["locations"] = [_location(answer.file, region)]
    else:
        result["locations"] = [_of_whole(answer.file or record.dataset)]
    return result


def _of_check(record: GateRecord, check: Check) -> dict[str, Any]:
    return {
        "ruleId": check.kind,
        "level": "warning" if check.outcome == "warned" else "error",
        "message": {"text": check.message},
        "partialFingerprints": {"check/v1": content_key([check.kind, check.name])},
        "locations": [_of_whole(record.config or record.dataset)],
    }


def _of_whole(name: str) -> dict[str, Any]:
    """Return the place of what has no line: the file's first, since GitHub takes no result without a place."""
    return _location(name, {"startLine": 1})


def _location(file: str, region: dict[str, Any]) -> dict[str, Any]:
    path = PurePath(file)
    artifact = {"uri": path.as_uri()} if path.is_absolute() else {"uri": quote(file), "uriBaseId": "SRCROOT"}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}
