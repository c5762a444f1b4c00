"""Labelled sets of the reader, as prompt rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from medassay.models.nli.encoder.training.pairs import LabelledPair, held_out, read_rows
from medassay.models.nli.encoder.training.unlabelled import abstracts_of, unlabelled_pairs
from medassay.models.nli.encoder.training.written import written_pairs
from medassay.models.nli.labels import LABELS as ENCODERS_LABELS
from medassay.models.nli.language_model.adapter import file_digest
from medassay.models.usage import UsageError

Form = Literal["pairs", "nuggets", "cited_claims", "own_nuggets", "foreign", "written"]
LABELS = ("entailment", "contradiction", "neutral", "not_entailment")
"""In the order of the letters; the last one is B or C, and nobody said which."""
SHORTEST_EVIDENCE = 100
"""Characters under which a cited page's text is a headline or an error."""


class LabelledSet(BaseModel):
    """One set of a recipe.

    `licence` is None where its owner states none. `form`: `pairs` are rows of premise, hypothesis and label, `nuggets`
    of answer, nugget and label, `cited_claims` answers with their claims, evidence and an expert's word on the support,
    `own_nuggets` questions whose reference answer states its nuggets. `foreign` are abstracts: three sentences of one
    beside a sentence of another, alone or joined to one of the three, are neutral. `written` are the statements of the
    package, which have no file. At most `at_most` rows are drawn by the seed, and each is read `times` times. What is
    kept to be measured: of `pairs` with `keep_fold` the documents of one fold of five (`held_out`), and rows whose
    `question_id` is in `keep_questions`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[\w-]+$")
    files: tuple[str, ...]
    licence: str | None
    form: Form = "pairs"
    at_most: int | None = Field(None, ge=1)
    times: int = Field(1, ge=1)
    keep_fold: bool = False
    keep_questions: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _has_files(self) -> Self:
        if bool(self.files) == (self.form == "written"):
            raise ValueError("name its files; the form `written` alone has none")
        return self


@dataclass(frozen=True, slots=True)
class Pair:
    """A passage, a statement and the label's place in `LABELS`."""

    passage: str
    statement: str
    label: int


@dataclass(frozen=True, slots=True)
class ReadSet:
    """A set and its rows: `pairs` are those drawn, each once; `n_rows` were in its files."""

    named: LabelledSet
    pairs: tuple[Pair, ...]
    n_rows: int
    files_sha256: dict[str, str]


def read_recipe(path: Path | None = None) -> tuple[LabelledSet, ...]:
    """Read a recipe, a JSON array of sets; None is the one of the packaged adapter.

    Raises:
        UsageError: saying what is wrong with it.
    """
    packaged = files("medassay.models.nli.language_model.training").joinpath("recipe.json")
    text = packaged.read_text("utf-8") if path is None else path.read_text("utf-8")
    try:
        sets = TypeAdapter(tuple[LabelledSet, ...]).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise UsageError(f"{path}: {where}: {first['msg']}; docs/reader_training.md has the form") from None
    names = [one.name for one in sets]
    if len(set(names)) < len(names) or not sets:
        raise UsageError(f"{path}: name at least one set, and each once")
    return sets


def read_set(named: LabelledSet, data: Path, seed: int) -> ReadSet:
    """Read a set's files below `data`; what is drawn of it depends on its name and the seed alone.

    Raises:
        UsageError: at a file that is not there, a row that cannot be read, and a set without rows.
    """
    paths = [data / file for file in named.files]
    if absent := [path for path in paths if not path.is_file()]:
        raise UsageError(f"the set {named.name} is not all there: no file {absent[0]}")
    if named.form == "written":
        pairs = [Pair(p.premise, p.hypothesis, _LETTERS[p.label or 0]) for p in written_pairs(seed)]
        return ReadSet(
            named, tuple(drawn(pairs, named.at_most or len(pairs), named.name, seed)), len(pairs), {}
        )
    pairs = []
    for path in paths:
        if named.form == "foreign":
            rows = _foreign(path, seed)
        else:
            rows = _FORMS[named.form](row for row in read_rows(path) if not _is_kept(row, named))
        try:
            pairs += [Pair(passage, statement, LABELS.index(label)) for passage, statement, label in rows]
        except (KeyError, ValueError, TypeError) as error:
            raise UsageError(
                f"{path}: a row without the fields of the form {named.form}, or with a label that is none of"
                f" {', '.join(LABELS)} ({error!r})"
            ) from None
    n_rows = len(pairs)
    if not pairs:
        raise UsageError(f"the set {named.name} holds no rows")
    if named.at_most is not None and named.at_most < n_rows:
        pairs = drawn(pairs, named.at_most, named.name, seed)
    return ReadSet(named, tuple(pairs), n_rows, {file: file_digest(data / file) for file in named.files})


def drawn(pairs: Sequence[Pair], n: int, name: str, seed: int) -> list[Pair]:
    """Draw n of a set's pairs, in their order."""
    return [pairs[i] for i in sorted(Random(f"{seed} {name}").sample(range(len(pairs)), min(n, len(pairs))))]


def _is_kept(row: dict[str, Any], named: LabelledSet) -> bool:
    if row.get("question_id") in named.keep_questions:
        return True
    if not named.keep_fold:
        return False
    return held_out(
        LabelledPair(row["premise"], row["hypothesis"], None, named.name, str(row.get("doc", "")))
    )


_LETTERS = tuple(LABELS.index(label) for label in ENCODERS_LABELS)


def _pairs(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    for row in rows:
        yield row["premise"], row["hypothesis"], row["label"]


def _nuggets(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    for row in rows:
        yield row["answer"], row["nugget"], row["label"]


def _cited_claims(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """Put a claim beside the text of all pages that it cites; anything but complete support is no entailment."""
    for row in rows:
        for claim in row["claims"]:
            texts = [one["text"] for one in claim["evidence"] if len(one["text"]) > SHORTEST_EVIDENCE]
            if texts and claim["support"] in ("Complete", "Partial", "Incomplete"):
                label = "entailment" if claim["support"] == "Complete" else "not_entailment"
                yield " ".join(texts), claim["claim"], label


def _own_nuggets(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    for row in rows:
        for nugget in row["nuggets"]:
            if nugget["text"].strip():
                yield row["reference_answer"], nugget["text"], "entailment"


def _foreign(path: Path, seed: int) -> Iterator[tuple[str, str, str]]:
    """Put sentences of an abstract beside what stands in another one, alone or joined to something that they state."""
    abstracts = list(abstracts_of(path))
    for pair in unlabelled_pairs(abstracts, len(abstracts), seed):
        if pair.kind in ("near", "joined"):
            yield pair.premise, pair.hypothesis, "neutral"


_FORMS = {"pairs": _pairs, "nuggets": _nuggets, "cited_claims": _cited_claims, "own_nuggets": _own_nuggets}
