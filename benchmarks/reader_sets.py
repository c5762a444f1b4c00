"""The sets that readers are measured on, in one shape, and which reader has seen which of them.

A pair is a passage, a statement and a label. Samples are drawn with a fixed seed: every reader reads the same pairs.
"""

import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Seen = Literal["seen", "other rows", "left out"]
"""`seen`: trained or fitted on these rows; `other rows`: on others of the same set; `left out`: on none of it."""

FIVE = ("scifact", "check_covid", "citation_integrity", "clinifact", "evidence_inference")
SEED = 20261127


@dataclass(frozen=True)
class Pair:
    """One statement beside one passage; `group` is the unit of resampling and of folds (a question, a document)."""

    group: str
    passage: str
    statement: str
    label: str
    name: str = ""

    @property
    def texts(self) -> tuple[str, str]:
        """Return (premise, hypothesis)."""
        return self.passage, self.statement


@dataclass(frozen=True)
class LabelledSet:
    """Pairs of one set; `n_all` counts those that the sample was drawn from."""

    name: str
    pairs: tuple[Pair, ...]
    n_all: int
    seen: dict[str, Seen]


def gzipped(path: Path) -> list[dict[str, Any]]:
    """Read gzipped JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def tabbed(path: Path) -> list[list[str]]:
    """Read the rows of a file of columns between tabs."""
    return [
        line.split("\t") for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")
    ]


LONG = 3
"""Of sets with whole abstracts or pages as passages so many times fewer pairs are drawn."""


def sampled(rows: Sequence[Pair], most: int) -> tuple[Pair, ...]:
    """Draw at most so many rows, in their own order."""
    chance = random.Random(SEED)
    places = sorted(chance.sample(range(len(rows)), min(most, len(rows))))
    return tuple(rows[i] for i in places)


def pairs_of(rows: Sequence[dict[str, Any]]) -> list[Pair]:
    """Turn rows with premise, hypothesis, label and document into pairs."""
    return [
        Pair(
            str(r.get("doc", i)) if r.get("doc") not in ("hvs", "conj", "fever") else str(i),
            r["premise"],
            r["hypothesis"],
            r["label"],
        )
        for i, r in enumerate(rows)
    ]


def five_sets(data: Path, most: int) -> Iterator[LabelledSet]:
    """Yield the development parts; of SciFact, which has none, the documents that the encoder's training leaves out."""
    from medassay.models.nli.encoder.training.pairs import held_out, read_set

    for name in FIVE:
        folder = data / "nli" / name
        if (folder / "dev.jsonl.gz").exists():
            rows = pairs_of(gzipped(folder / "dev.jsonl.gz"))
        else:
            kept = {(p.premise, p.hypothesis) for p in read_set(folder, "train") if held_out(p)}
            rows = [p for p in pairs_of(gzipped(folder / "train.jsonl.gz")) if p.texts in kept]
        if name == "check_covid":
            rows = [row for row in rows if row.label != "neutral"]
        yield LabelledSet(
            name,
            sampled(rows, most // LONG),
            len(rows),
            {"encoder": "other rows", "language model": "other rows"},
        )


def more_sets(data: Path, most: int) -> Iterator[LabelledSet]:
    """Yield HealthVer's development part beside abstracts and beside single sentences."""
    for name in ("healthver_dev", "healthver_sentences_dev"):
        rows = pairs_of(gzipped(data / "nli_more" / f"{name}.jsonl.gz"))
        drawn = sampled(rows, most if "sentences" in name else most // LONG)
        yield LabelledSet(name, drawn, len(rows), {"encoder": "other rows", "language model": "other rows"})


def expert_pairs(data: Path, most: int) -> LabelledSet:
    """Return ExpertQA's medical claims beside the text of the pages they cite; what is not Complete is not entailed."""
    rows = []
    for answer in gzipped(data / "expertqa/answers_medical_dev.jsonl.gz"):
        for claim in answer["claims"]:
            text = " ".join(e["text"] for e in claim["evidence"] if len(e["text"]) > 100)
            if text and claim["support"] in ("Complete", "Partial", "Incomplete"):
                label = "entailment" if claim["support"] == "Complete" else "not_entailment"
                rows.append(Pair(answer["question_id"], text, claim["claim"].strip(), label))
    seen: dict[str, Seen] = {"encoder": "other rows", "language model": "other rows"}
    return LabelledSet("expertqa_medical", sampled(rows, most // LONG), len(rows), seen)


def own_pairs(name: str) -> LabelledSet:
    """Return the project's own pairs (`contrast_pairs`, `fluent_pairs`), which nothing is trained on."""
    path = Path(__file__).parent / "data" / f"{name}.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    pairs = tuple(
        Pair(r["nugget"], r.get("text") or r["answer"], r["nugget"], r["relation"], r["kind"]) for r in rows
    )
    return LabelledSet(name, pairs, len(pairs), {"encoder": "left out", "language model": "left out"})


NUGGETS, EFFECTS = 60, 60


def beside(data: Path) -> Iterator[LabelledSet]:
    """Yield statements about one subject that are both true, beside one another, and statements turned around.

    The project's own ones, of which `two_facts_dev` was looked at in development; and those of the trials and K-QA
    questions that the encoder's training keeps apart.
    """
    from medassay.models.nli.encoder.training.beside import (
        QUESTIONS,
        TRIALS,
        effects_beside,
        is_left_out,
        nuggets_beside,
    )

    lines = (Path(__file__).parent / "data/two_facts.jsonl").read_text("utf-8").splitlines()
    for half, name in enumerate(("two_facts_dev", "two_facts")):
        rows = [
            Pair(row["fact"], f"{premise}.", hypothesis, label, row["kind"])
            for row in map(json.loads, lines[half::2])
            for premise, hypothesis, label in (
                (row["fact"], row["other"], "neutral"),
                (row["other"], row["fact"], "neutral"),
                (row["against"], row["fact"], "contradiction"),
            )
        ]
        yield LabelledSet(name, tuple(rows), len(rows), {"encoder": "left out", "language model": "left out"})
    chance = random.Random(SEED)
    trials = effects_beside((r for r in gzipped(data / TRIALS) if is_left_out(str(r["doc"]))), chance)
    answers = nuggets_beside((r for r in gzipped(data / QUESTIONS) if is_left_out(r["question_id"])), chance)
    for name, found, most in (("effects_beside", trials, EFFECTS), ("nuggets_beside", answers, NUGGETS)):
        labels = ("entailment", "neutral", "contradiction")
        rows = [Pair(p.doc, p.premise, p.hypothesis, labels[p.label or 0], name) for p in found]
        yield LabelledSet(
            name,
            sampled(rows, most),
            len(rows),
            {"encoder": "other rows", "language model": "other rows"},
        )


def inversions(cases: Path) -> LabelledSet:
    """Return nuggets beside a true paraphrase and beside an answer that says the opposite."""
    pairs = []
    for nugget, true, opposite in tabbed(cases / "inversions_dev.tsv"):
        pairs += [Pair(nugget, true, nugget, "entailment"), Pair(nugget, opposite, nugget, "contradiction")]
    return LabelledSet(
        "inversions_dev", tuple(pairs), len(pairs), {"encoder": "left out", "language model": "left out"}
    )


def half_truths(cases: Path) -> LabelledSet:
    """Return sources beside claims of which one half is invented, and beside the true halves alone.

    The file holds the whole claims; the true half is what stands before the word that joins the halves.
    """
    pairs = []
    for source, claim in tabbed(cases / "half_true_dev.tsv"):
        pairs.append(Pair(source, source, claim, "not_entailment", "half true"))
        true = re.split(r",? (?:and|but) |, ", claim, maxsplit=1)[0].rstrip(".") + "."
        pairs.append(Pair(source, source, true, "entailment", "true half"))
    return LabelledSet(
        "half_true_dev", tuple(pairs), len(pairs), {"encoder": "left out", "language model": "left out"}
    )
