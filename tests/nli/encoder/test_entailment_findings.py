"""What tells a finding from an aim or a method: learnt from headings, read off words."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from medassay.flows.commands.training import train
from medassay.models.nli.encoder.tokenisation import reports_finding
from medassay.models.nli.encoder.training.headings import (
    is_finding,
    labelled_sentences,
    read_sections,
    sections_of,
)

MARKED = (
    "TITLE: \nAspirin\n\nABSTRACT.METHODS:\nAdults were asked.\n\nABSTRACT.RESULTS:\nStrokes fell (P < .01)."
)
WRITTEN = (
    "OBJECTIVE: To ask whether strokes fall. RESULTS: Strokes fell. They rose later. CONCLUSIONS: They vary."
)


def test_an_abstract_is_cut_at_headings_marked_or_written() -> None:
    assert sections_of(MARKED) == [
        ("METHODS", "Adults were asked.\n\n"),
        ("RESULTS", "Strokes fell (P < .01)."),
    ]
    assert [heading for heading, _ in sections_of(WRITTEN)] == ["OBJECTIVE", "RESULTS", "CONCLUSIONS"]
    assert sections_of("Strokes fell in adults. Results: none were seen.") == []


@pytest.mark.parametrize(
    ("heading", "finding"),
    [
        ("RESULTS", True),
        ("Conclusions", True),
        ("METHODS", False),
        ("Aim", False),
        ("FUNDING", None),
        ("METHODS AND FINDINGS", None),
    ],
)
def test_a_heading_says_what_stands_under_it(heading: str, finding: bool | None) -> None:
    assert is_finding(heading) is finding


def test_sentences_are_labelled_by_their_section_and_keep_its_heading_now_and_then() -> None:
    sections = [
        ("RESULTS", "Strokes fell by half. Deaths did not change."),
        ("FUNDING", "Nobody paid for it."),
    ]
    made = list(labelled_sentences(sections * 40, 1))
    assert {label for _, label in made} == {True}
    assert {text for text, _ in made} == {
        "Strokes fell by half.",
        "RESULTS: Strokes fell by half.",
        "Deaths did not change.",
    }


@pytest.mark.parametrize(
    ("found", "asked"),
    [
        (
            "Transendocardial injection of cells did not improve left ventricular volume compared with placebo.",
            "To determine whether injection of cells improves left ventricular volume compared with placebo.",
        ),
        (
            "Mortality was significantly lower with the drug (12% vs 18%, P = .02).",
            "The primary outcome was mortality, measured in patients who received the drug or placebo.",
        ),
        (
            "Vitamin D had no effect on fractures.",
            "Previous studies have investigated vitamin D and fractures.",
        ),
    ],
)
def test_what_was_shipped_tells_what_was_found_from_what_was_asked(found: str, asked: str) -> None:
    assert reports_finding(found) > 0.5 > reports_finding(asked)


def test_training_writes_what_it_learnt_and_how_far_it_is_right(tmp_path: Path) -> None:
    words = ["alpha", "beta", "gamma", "delta"]
    rows = [
        {
            "id": f"PMC{i}",
            "text": f"TITLE: \nT\n\nABSTRACT.METHODS:\nWe measured {words[i % 4]} in all adults.\n\n"
            f"ABSTRACT.RESULTS:\nThe {words[i % 4]} fell significantly in adults.\n\n\nBODY\nMore.",
        }
        for i in range(90)
    ]
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "articles.jsonl").write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    assert len(list(read_sections(corpus))) == 180
    out = tmp_path / "findings.json"
    ran = CliRunner().invoke(train, ["findings", "--corpus", str(corpus), "--out", str(out)])
    assert ran.exit_code == 0, ran.output
    assert "from 180 sentences; right on 100.0%" in ran.output
    learnt = json.loads(out.read_text("utf-8"))["words"]
    assert learnt["significantly"] > 0 > learnt["measured"]


def test_training_on_too_little_says_what_is_needed(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "1", "text": MARKED}), "utf-8")
    ran = CliRunner().invoke(
        train, ["findings", "--corpus", str(tmp_path), "--out", str(tmp_path / "f.json")]
    )
    assert ran.exit_code == 2
    assert "2 sentences stand under a heading" in ran.output
    assert not (tmp_path / "f.json").exists()
