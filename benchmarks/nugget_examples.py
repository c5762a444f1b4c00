"""Labelled examples for fitting and measuring the matcher: physicians' labels, and our own minimal pairs."""

import gzip
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from medassay.models.nuggets.evidence import ClaimText, Entailment, MatchSettings, Role
from medassay.models.nuggets.pairing import pairs_to_entail
from medassay.models.nuggets.windows import window_vectors
from medassay.models.records import Answer
from medassay.models.text.claims.decomposition import decompose
from medassay.models.text.claims.non_claims import LEADING

if TYPE_CHECKING:
    import numpy as np

Label = Literal["entailment", "neutral", "contradiction"]
Encode = Callable[[Sequence[str]], "np.ndarray"]
ROLES: tuple[Role, ...] = ("forward", "reverse", "window")
PAIRS = Path(__file__).parent / "data" / "contrast_pairs.jsonl"
FLUENT = PAIRS.with_name("fluent_pairs.jsonl")
SHARED = Path(__file__).parents[2] / "shared" / "data"


@dataclass(frozen=True)
class Example:
    """One nugget beside one answer, ready to match; `group` is the unit of resampling and of folds.

    As in a run, the nugget is matched with the others of its question: `nuggets` holds them all, `place` says which
    is meant.
    """

    name: str
    group: str
    kind: str
    question: str
    nuggets: tuple[str, ...]
    place: int
    claims: tuple[ClaimText, ...]
    label: Label
    similarity: "np.ndarray"
    window_similarity: "np.ndarray"
    entailment: Entailment = field(default_factory=dict)

    @property
    def nugget(self) -> str:
        """Return the nugget that is meant."""
        return self.nuggets[self.place]


def physicians(encode: Encode, shared: Path = SHARED) -> list[Example]:
    """Read the physicians' labels on K-QA (development part), one example a labelled nugget."""
    questions = {
        row["question_id"]: row["question"] for row in gzipped(shared / "kqa" / "questions.jsonl.gz")
    }
    rows = gzipped(labels_file(shared))
    together: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        together.setdefault((row["question_id"], row["system"]), []).append(row["nugget"])
    examples = []
    for number, row in enumerate(rows):
        nuggets = tuple(together[row["question_id"], row["system"]])
        question = questions[row["question_id"]]
        texts = answer_claims(row["question_id"], row["system"], row["answer"], question)
        name = f"{row['question_id']}/{row['system']}/{number}"
        examples.append(
            example(
                name,
                row["question_id"],
                "kqa",
                question,
                nuggets,
                nuggets.index(row["nugget"]),
                texts,
                row["label"],
                encode,
            )
        )
    return examples


def own_pairs(encode: Encode, held_out: bool) -> list[Example]:
    """Read our minimal pairs: the third that is held out by a hash of the nugget, or the rest."""
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    return [
        example(
            row["id"],
            row["nugget"],
            row["kind"],
            "",
            (row["nugget"],),
            0,
            (ClaimText(0, row["text"]),),
            row["relation"],
            encode,
        )
        for row in rows
        if is_held_out(row["nugget"]) == held_out
    ]


def fluent_pairs(encode: Encode) -> list[Example]:
    """Read our fluent pairs: short answers whose turned sentence leans on the one before it."""
    examples = []
    for row in (json.loads(line) for line in FLUENT.read_text(encoding="utf-8").splitlines()):
        claims = answer_claims(row["id"], "", row["answer"], row["question"])
        where = row["id"], row["nugget"], row["kind"], row["question"], (row["nugget"],), 0, claims
        examples.append(example(*where, row["relation"], encode))
    return examples


def physicians_own(encode: Encode, shared: Path = SHARED) -> list[Example]:
    """Read the physicians' answers of K-QA beside the nuggets drawn from them, one example an answer.

    Nothing there is turned around, so every contradiction found is a false alarm.
    """
    examples = []
    for row in gzipped(shared / "kqa" / "questions.jsonl.gz"):
        nuggets = tuple(nugget["text"] for nugget in row["nuggets"])
        claims = answer_claims(row["question_id"], "physician", row["reference_answer"], row["question"])
        where = row["question_id"], row["question_id"], "own answer", row["question"], nuggets, 0, claims
        examples.append(example(*where, "entailment", encode))
    return examples


def answer_claims(question_id: str, system: str, text: str, question: str) -> tuple[ClaimText, ...]:
    """Split an answer as a run does."""
    found = decompose(Answer(question_id, system, text), question).claims
    return tuple(
        ClaimText(claim.position, claim.text, claim.kind, claim.kind_reason in LEADING) for claim in found
    )


def is_held_out(nugget: str) -> bool:
    """Tell whether a nugget's pairs are kept for reporting; all pairs of a nugget go the same way."""
    return int(hashlib.sha256(nugget.encode()).hexdigest(), 16) % 3 == 0


def example(
    name: str,
    group: str,
    kind: str,
    question: str,
    nuggets: tuple[str, ...],
    place: int,
    claims: tuple[ClaimText, ...],
    label: Label,
    encode: Encode,
) -> Example:
    """Embed one example."""
    vectors, target = encode([claim.text for claim in claims]), encode(nuggets)
    return Example(
        name,
        group,
        kind,
        question,
        nuggets,
        place,
        claims,
        label,
        vectors @ target.T,
        window_vectors(claims, vectors) @ target.T,
    )


def read_by(model: Any, examples: Sequence[Example], settings: MatchSettings) -> list[Example]:
    """Add the entailment model's verdicts on each example's short list."""
    wanted: dict[tuple[str, str], None] = {}
    for one in examples:
        for request in pairs_to_entail(one.claims, one.nuggets, one.similarity, settings, ROLES):
            wanted[(request.premise, request.hypothesis)] = None
    verdicts = dict(zip(wanted, model.score(list(wanted), None), strict=True))
    return [
        Example(**{name: getattr(one, name) for name in one.__dataclass_fields__} | {"entailment": verdicts})
        for one in examples
    ]


def labels_file(shared: Path = SHARED) -> Path:
    """Return where the physicians' labels are."""
    return shared / "kqa" / "nugget_labels_dev.jsonl.gz"


def gzipped(path: Path) -> list[dict[str, Any]]:
    """Read gzipped JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def remembering(encode: Encode) -> Encode:
    """Embed every distinct text once."""
    import numpy as np

    known: dict[str, np.ndarray] = {}

    def lookup(texts: Sequence[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, encode(new), strict=True))
        width = len(next(iter(known.values()))) if known else 0
        return np.stack([known[text] for text in texts]) if texts else np.zeros((0, width), dtype=np.float32)

    return lookup
