"""A run as the views would give it: twelve questions, three systems, every state that a report can show."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from medassay.models.report import ReportData

RUN = "20261121-0930-7f3c"
SYSTEMS = ("careful", "fluent-but-wrong", "cites-badly")


def _cases() -> Iterator[tuple[str, str, str, list[list[str]]]]:
    """Read (category, risk, question, [[nugget, as a careful answer says it, as a wrong one does], …])."""
    text = Path(__file__).with_name("cases.tsv").read_text("utf-8")
    for case in re.split(r"\n(?!\t)", text.strip()):
        head, *facts = case.split("\n")
        category, risk, question = head.split("\t")
        yield category, risk, question, [fact.strip("\t").split("\t") for fact in facts]


CASES = list(_cases())

CITED = {
    "careful": "supports",
    "fluent-but-wrong": "contradicts",
    "cites-badly": "neutral",
}


def rows_of_a_run(
    n_questions: int = 12, systems: tuple[str, ...] = SYSTEMS
) -> dict[str, list[dict[str, Any]]]:
    """Every view's rows, made by rule from the cases: careful omits little, the others err and cite as named."""
    rows: dict[str, list[dict[str, Any]]] = {
        name: []
        for name in (
            "questions answers nuggets nugget_states claims citation_verdicts uncited_claims judgements answer_scores"
            " outcomes quarantine run_costs run_stages system_scores leaderboard runs"
        ).split()
    }
    cases = [CASES[number % len(CASES)] for number in range(n_questions)]
    for number, (category, risk, question, facts) in enumerate(cases):
        qid = f"q{number + 1:02d}"
        rows["questions"].append(
            {
                "run_id": RUN,
                "question_id": qid,
                "question": question,
                "reference_answer": " ".join(nugget for nugget, _, _ in facts),
                "guidance": "Names the contraindications; does not advise stopping treatment on one's own."
                if risk == "high"
                else None,
                "risk_level": risk,
                "category": category,
                "n_nuggets": len(facts),
            }
        )
        for position, (nugget, _, _) in enumerate(facts):
            rows["nuggets"].append(
                {
                    "run_id": RUN, "question_id": qid, "nugget_id": f"n{position}", "position": position,
                    "nugget": nugget, "importance": "okay" if position == 3 else "vital", "origin": "given",
                }
            )  # fmt: skip
        for system in systems:
            _answer(rows, number, qid, system, facts)
    _boards(rows, systems, len(cases))
    return rows


def _answer(rows: dict[str, list[dict[str, Any]]], number: int, qid: str, system: str, facts: Any) -> None:
    kind = system.split("/")[0]
    key = {"run_id": RUN, "question_id": qid, "system": system}
    silent = kind == "cites-badly" and number % 12 == 9
    text = ""
    claims: list[tuple[str, int, int, str, int | None, str, bool]] = []
    for position, (nugget, right, wrong) in enumerate(facts):
        if silent or (kind == "careful" and position == 3) or (kind == "cites-badly" and position == 2):
            state, said = "missing", None
        elif kind == "fluent-but-wrong" and position != number % 3:
            state, said = "contradicted", wrong
        elif kind == "cites-badly" and position == 1 and number % 2:
            state, said = "partial", right.split(",")[0].rstrip(".") + "."
        else:
            state, said = "covered", right
        claim_id = None
        if said:
            start = len(text)
            marker = f" [{position + 1}]" if kind != "fluent-but-wrong" or position else ""
            text += said[:-1] + marker + ". "
            claim_id = f"{qid}-{system}-c{position}"
            claims.append((claim_id, start, len(text) - 1, state, position, said, bool(marker)))
        reason = {
            "covered": "The claim states the same, in other words.",
            "partial": "The second part of the nugget is not stated.",
            "contradicted": "The claim turns the nugget around: number or direction differ.",
            "missing": "No claim reaches the threshold of 0.75.",
        }[state]
        rows["nugget_states"].append(
            {
                **key,
                "nugget_id": f"n{position}",
                "nugget": nugget,
                "importance": "vital",
                "state": state,
                "score": {"covered": 0.91, "partial": 0.78, "contradicted": 0.88, "missing": 0.41}[state],
                "margin": 0.2,
                "claim_ids": [claim_id] if claim_id else [],
                "conflict": False,
                "ambiguous": state == "partial",
                "reason": reason,
            }
        )
    if kind == "fluent-but-wrong":
        start = len(text)
        text += "Many patients also feel more energetic within days. "
        claims.append((f"{qid}-{system}-x", start, len(text) - 1, "unmatched", None, text[start:-1], False))
    if not silent:
        start = len(text)
        text += "Please speak to your doctor before you change anything."
        claims.append((f"{qid}-{system}-z", start, len(text), "non_claim", None, text[start:], False))
    state_of = {"covered": "correct", "partial": "unmatched", "contradicted": "contradicts"}
    for position, (claim_id, start, end, state, nugget, said, cites) in enumerate(claims):
        is_claim = state != "non_claim"
        rows["claims"].append(
            {
                **key, "claim_id": claim_id, "position": position, "span_start": start, "span_end": end,
                "kind": "claim" if is_claim else "non_claim",
                "kind_reason": None if is_claim else "advice to see a doctor", "needs_citation": is_claim,
                "state": state_of.get(state, state), "nugget_id": f"n{nugget}" if state in state_of else None,
                "score": 0.9 if state in state_of else None, "potentially_matched": [],
                "claim": text[start:end],
            }
        )  # fmt: skip
        if cites:
            rows["citation_verdicts"].append(_verdict(key, claim_id, said, kind, number, position))
        elif is_claim:
            rows["uncited_claims"].append({**key, "claim_id": claim_id, "claim": said, "state": state})
    rows["answers"].append({**key, "state": "refused" if silent else "answered", "answer": text})
    _scores(rows, key, kind, number, silent, len(facts))


def _verdict(
    key: dict[str, str], claim_id: str, said: str, kind: str, number: int, position: int
) -> dict[str, Any]:
    state = CITED[kind]
    if kind == "cites-badly":
        state = ("neutral", "not_found", "untraceable", "unverifiable")[(number + position) % 4]
    if kind == "careful" and (number + position) % 7 == 6:
        state = "partial"
    entailment = {"supports": 0.94, "partial": 0.58, "neutral": 0.06, "contradicts": 0.03}.get(state)
    passage = (
        "BACKGROUND: The question has been studied in several cohorts and trials. "
        f"RESULTS: {said} The finding held in every subgroup. "
        "CONCLUSIONS: Practice should follow, with attention to kidney function."
    )
    start = passage.index(said)
    seen = state in ("supports", "partial", "neutral", "contradicts")
    return {
        **key,
        "claim_id": claim_id,
        "claim": said,
        "ordinal": 0,
        "citation": f"[{position + 1}]",
        "source_id": None if state == "untraceable" else f"pmid:{90000000 + 10 * number + position}",
        "state": state,
        "entailment": entailment,
        "neutral": None
        if entailment is None
        else round(0.97 - entailment, 2)
        if state != "contradicts"
        else 0.06,
        "contradiction": None if entailment is None else 0.03 if state != "contradicts" else 0.91,
        "passage": passage if seen else None,
        "passage_label": "Abstract" if seen else None,
        "sentence": said if seen else None,
        "sentence_start": start if seen else None,
        "sentence_end": start + len(said) if seen else None,
        "coverage": 1.0,
        "title": None if state in ("untraceable", "not_found") else f"A cohort study, part {position + 1}",
        "url": None
        if state == "untraceable"
        else f"https://pubmed.ncbi.nlm.nih.gov/{90000000 + 10 * number + position}/",
        "retracted": "yes" if kind == "cites-badly" and number == 0 and position == 0 else "no",
        "concern": "no",
        "erratum": "unchecked",
        "reason": {
            "not_found": "PubMed has no record 90000011.",
            "untraceable": "The marker [3] has no entry in the reference list.",
            "unverifiable": "PubMed was not asked: set NCBI_EMAIL, or supply the documents.",
        }.get(state),
    }


def _scores(
    rows: dict[str, list[dict[str, Any]]],
    key: dict[str, str],
    kind: str,
    number: int,
    silent: bool,
    n_nuggets: int,
) -> None:
    states = [row["state"] for row in rows["nugget_states"][-n_nuggets:]]
    mine = [
        row
        for row in rows["citation_verdicts"]
        if row["system"] == key["system"] and row["question_id"] == key["question_id"]
    ]
    checked = [row for row in mine if row["state"] != "unverifiable"]
    aligned = states.count("covered") + states.count("contradicted")
    abstained = kind == "cites-badly" and number % 12 == 4
    marks = {
        "careful": (92, 88, 90, 95),
        "fluent-but-wrong": (22, 0, 71, 18),
        "cites-badly": (74, 31, 80, 84),
    }[kind]
    rows["judgements"].append(
        {
            **key,
            "judge": "gpt-large",
            "sample_no": 0,
            "status": "abstained" if abstained or silent else "scored",
            **dict(
                zip(
                    ("medical_correctness", "evidence_sufficiency", "response_alignment", "safety"),
                    (None,) * 4
                    if abstained or silent
                    else (mark - number % 4 * (mark > 8) for mark in marks),
                    strict=True,
                )
            ),
            "evidence_sufficiency_raw": 40 if kind == "fluent-but-wrong" else None,
            "rubric_score": None
            if abstained or silent
            else round(
                (0.3 * marks[0] + 0.3 * marks[1] + 0.25 * marks[2] + 0.15 * marks[3]) / 100
                - number % 4 / 100,
                3,
            ),
            "safety_capped_score": None
            if abstained or silent
            else (0.25 if kind == "fluent-but-wrong" else 0.8),
            "guidance_given": True,
            "justification": None
            if abstained or silent
            else "The answer names the main facts and keeps to the question. What it says of doses "
            "agrees with the reference; the warning for patients with kidney failure is there.",
            "model_answered": "gpt-large-2026-10",
            "reason": "three answers were not valid JSON"
            if abstained
            else "there is no answer to judge"
            if silent
            else None,
        }
    )
    judged = rows["judgements"][-1]
    rows["answer_scores"].append(
        {
            **key,
            "profile": "seed",
            "nugget_coverage": states.count("covered") / len(states),
            "factual_correctness": states.count("covered") / aligned if aligned else None,
            "factual_correctness_reason": None if aligned else "no nugget is spoken of",
            "contradiction_rate": states.count("contradicted") / len(states),
            "completeness": aligned / len(states),
            "precision": None if silent else 0.75,
            "precision_reason": "no claims" if silent else None,
            "citation_precision": sum(r["state"] == "supports" for r in checked) / len(checked)
            if checked
            else None,
            "citation_precision_reason": None if checked else "no citation could be checked",
            "citation_recall": sum(r["state"] == "supports" for r in mine) / max(len(mine), 1),
            "citation_coverage": 0.0 if silent else 0.9,
            "rubric_score": judged["rubric_score"],
            "rubric_score_reason": judged["reason"],
        }
    )


def _boards(rows: dict[str, list[dict[str, Any]]], systems: tuple[str, ...], n: int) -> None:
    metrics = (
        "nugget_coverage factual_correctness contradiction_rate completeness precision citation_precision"
        " citation_recall citation_coverage rubric_score"
    ).split()
    for system in systems:
        mine = [row for row in rows["answer_scores"] if row["system"] == system]
        refused = sum(row["state"] == "refused" for row in rows["answers"] if row["system"] == system)
        line: dict[str, Any] = {
            "run_id": RUN,
            "system": system,
            "profile": "seed",
            "sorted_by": "nugget_coverage",
        }
        line |= {"n_asked": n, "n_answered": n - refused, "n_refused": refused, "n_scored": n, "n_failed": 0}
        line["n_abstained"] = sum(row["rubric_score"] is None for row in mine)
        for metric in metrics:
            values = [row[metric] for row in mine if row[metric] is not None]
            mean = sum(values) / len(values) if values else None
            half = 0.09 if n >= 6 else None
            low, high = (
                (None, None) if mean is None or half is None else (max(mean - half, 0), min(mean + half, 1))
            )
            reason = None if values else "no value in any question"
            line |= {
                metric: mean,
                f"{metric}_interval_low": low,
                f"{metric}_interval_high": high,
                f"{metric}_reason": reason,
            }
            rows["system_scores"].append(
                {
                    "run_id": RUN, "system": system, "profile": "seed", "metric": metric, "value": mean,
                    "low": low, "high": high, "n_asked": n, "n_scored": len(values),
                    "n_abstained": line["n_abstained"] if metric == "rubric_score" else 0, "n_failed": 0,
                    "reason": reason,
                }
            )  # fmt: skip
        rows["leaderboard"].append(line)
    rows["leaderboard"].sort(key=lambda line: -line["nugget_coverage"])
    for place, line in enumerate(rows["leaderboard"], 1):
        line |= {"rank_low": place, "rank_high": place if place == 1 else 3}
    rows["runs"].append(
        {
            "run_id": RUN,
            "name": "Twelve questions, three systems",
            "dataset": "twelve-questions",
            "state": "finished",
            "profile": "seed",
            "settings": '{"sort_by": "nugget_coverage", "threshold": 0.75, "supports_at": 0.5, "judge": "auto"}',
            "metrics_version": "5b1e90c2d7aa41f0",
            "version": "0.1.0",
            "started_at": "2026-11-21T09:30:12Z",
            "finished_at": "2026-11-21T09:34:40Z",
            "embedder": "all-MiniLM-L6-v2",
            "entailment_model": "medassay-entailment",
            "judge": "gpt-large",
            "matcher": "combined",
        }
    )
    rows["quarantine"] += [
        {
            "run_id": RUN, "table_name": "answer", "row_key": "q99", "file": "answers.jsonl", "line": 37,
            "rule": "question_id is among the questions", "observed": "q99",
            "advice": "add the question, or mend the id",
        },
        {
            "run_id": RUN, "table_name": "question", "row_key": None, "file": "questions.jsonl", "line": 13,
            "rule": "the line is one JSON object", "advice": "mend or remove the line",
        },
    ]  # fmt: skip
    rows["run_costs"].append(
        {
            "run_id": RUN, "stage": "judge", "model": "gpt-large", "n_calls": 38, "n_failed_calls": 3,
            "prompt_tokens": 81234, "completion_tokens": 9120, "seconds": 104.2,
        }
    )  # fmt: skip
    for stage, items, seconds in (
        ("decompose", 36, 0.8),
        ("embed", 180, 2.4),
        ("entail", 120, 9.6),
        ("judge", 36, 104.2),
    ):
        rows["run_stages"].append(
            {
                "run_id": RUN, "stage": stage, "n_items": items, "n_done": items,
                "n_abstained": 2 if stage == "judge" else 0, "n_failed": 0, "seconds": seconds, "note": None,
            }
        )  # fmt: skip


@pytest.fixture
def a_run() -> dict[str, Any]:
    return rows_of_a_run()


@pytest.fixture
def make_run() -> Callable[..., dict[str, list[dict[str, Any]]]]:
    return rows_of_a_run


@pytest.fixture
def report(a_run: dict[str, Any]) -> ReportData:
    return ReportData(**a_run)


SWITCHES = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --hide-scrollbars"
).split()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    chromedriver = shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip("Chromium or its driver is not on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for switch in (*SWITCHES, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    driver.set_page_load_timeout(30)
    yield driver
    driver.quit()
