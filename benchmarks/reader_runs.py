"""Readers by name, and what each decides: a letter a pair, a state a nugget, by the project's own code."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.reader_answers import Answer
from benchmarks.reader_cache import Remembering
from benchmarks.reader_sets import Pair
from medassay.models.nli import EntailmentModel
from medassay.models.nli.settings import says
from medassay.models.nuggets.evidence import ClaimText, Held, MatchedBy, MatchSettings
from medassay.models.nuggets.matching import match, pairs_to_entail, read_further
from medassay.models.records import Answer as GivenAnswer
from medassay.models.settings import Settings
from medassay.models.text.claims.decomposition import decompose
from medassay.models.text.claims.non_claims import LEADING

if TYPE_CHECKING:
    import numpy as np

ENCODER, LANGUAGE_MODEL, CASCADE, TRIVIAL = "encoder", "language model", "cascade", "always yes"
STATE_OF = {"entailment": "covered", "contradiction": "contradicted", "neutral": "missing"}
Encode = Callable[[Sequence[str]], "np.ndarray"]


@dataclass(frozen=True)
class Reader:
    """A reader of pairs, and the matcher that turns its verdicts into states of nuggets.

    `parts_of` names whose training decides what the reader has seen.
    """

    name: str
    model: EntailmentModel | None
    matcher: MatchedBy
    parts_of: tuple[str, ...]

    def probabilities(self, pairs: Sequence[Pair]) -> "np.ndarray":
        """Return probabilities of (entailment, contradiction, neutral), shape (n, 3); without a verdict neutral."""
        import numpy as np

        if self.model is None:
            return np.tile([1.0, 0.0, 0.0], (len(pairs), 1))
        rows = [
            (0.0, 0.0, 1.0) if v.entailment is None else (v.entailment, v.contradiction, v.neutral)
            for v in self.model.score([pair.texts for pair in pairs])
        ]
        return np.array(rows, dtype=float)

    def spent(self) -> float:
        """Return the processor seconds of all that was asked of it so far, whenever it was read."""
        parts = (getattr(self.model, "encoder", None), getattr(self.model, "reader", None), self.model)
        return sum(part.spent for part in parts if isinstance(part, Remembering))

    def labels(self, pairs: Sequence[Pair]) -> list[str]:
        """Return each pair's label by the cut-offs that a run has."""
        if self.model is None:
            return ["entailment"] * len(pairs)
        settings = Settings(data=".")
        names = {"supports": "entailment", "contradicts": "contradiction"}
        return [
            names.get(says(v, settings.supports_at, settings.contradicts_at) or "", "neutral")
            for v in self.model.score([pair.texts for pair in pairs])
        ]


def readers(names: Sequence[str], *, may_read: bool = True) -> list[Reader]:
    """Return the readers of these names; their models are loaded when they first have to read, where they may."""
    from medassay.models.nli.cascade import Cascade
    from medassay.models.nli.loading import describe_entailment, load_entailment

    encoder = Remembering(lambda: load_entailment("embedded"), describe_entailment("embedded"))
    language_model = Remembering(lambda: load_entailment("llm"), describe_entailment("llm"))
    encoder.may_read = language_model.may_read = may_read
    every = {
        ENCODER: Reader(ENCODER, encoder, "reader", (ENCODER,)),
        LANGUAGE_MODEL: Reader(LANGUAGE_MODEL, language_model, "reader", (LANGUAGE_MODEL,)),
        CASCADE: Reader(CASCADE, Cascade(encoder, language_model), "reader", (ENCODER, LANGUAGE_MODEL)),
        TRIVIAL: Reader(TRIVIAL, None, "reader", ()),
    }
    return [every[name] for name in names]


@dataclass(frozen=True)
class Prepared:
    """An answer's claims and their cosines with its nuggets, as the matcher takes them."""

    answer: Answer
    claims: tuple[ClaimText, ...]
    similarity: "np.ndarray"


def answer_claims(question_id: str, system: str, text: str, question: str) -> tuple[ClaimText, ...]:
    """Split an answer as a run does."""
    found = decompose(GivenAnswer(question_id, system, text), question).claims
    return tuple(
        ClaimText(claim.position, claim.text, claim.kind, claim.kind_reason in LEADING) for claim in found
    )


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


def prepared(answers: Sequence[Answer], encode: Encode) -> list[Prepared]:
    """Split answers as a run does, and embed claims and nuggets."""
    found = []
    for number, answer in enumerate(answers):
        claims = answer_claims(answer.group, str(number), answer.text, answer.question)
        vectors, target = encode([claim.text for claim in claims]), encode(answer.nuggets)
        found.append(Prepared(answer, claims, vectors @ target.T))
    return found


def states(reader: Reader, prepared_answers: Sequence[Prepared], **chosen: Any) -> list[tuple[str, ...]]:
    """Return the states of every answer's nuggets, as `medassay evaluate` would have them.

    Args:
        reader: who reads.
        prepared_answers: what to match.
        chosen: fields of `MatchSettings` other than their defaults.
    """
    from medassay.models.nli.cascade import Cascade

    if reader.model is None:
        return [("covered",) * len(one.answer.nuggets) for one in prepared_answers]
    settings = MatchSettings(**{"matcher": reader.matcher, **chosen})
    wanted = [
        (request.premise, request.hypothesis)
        for one in prepared_answers
        for request in pairs_to_entail(one.claims, one.answer.nuggets, one.similarity, settings)
    ]
    wanted = list(dict.fromkeys(wanted))
    verdicts = dict(zip(wanted, reader.model.score(wanted), strict=True))
    if reader.matcher == "reader":
        # What is read further is about the nugget: there the cascade's encoder has nothing to settle.
        model = reader.model.reader if isinstance(reader.model, Cascade) else reader.model
        held = [
            Held(one.claims, one.answer.nuggets, one.similarity, one.answer.question)
            for one in prepared_answers
        ]
        verdicts = read_further(
            held, verdicts, settings, lambda pairs: dict(zip(pairs, model.score(pairs), strict=True))
        )
    found = []
    for one in prepared_answers:
        result = match(
            one.claims, one.answer.nuggets, one.similarity, verdicts, settings, one.answer.question
        )
        found.append(tuple(row.state for row in result.nuggets))
    return found


def as_answers(pairs: Sequence[Pair]) -> list[Answer]:
    """Turn pairs into answers of one nugget each."""
    return [
        Answer(pair.group, "", pair.passage, (pair.statement,), (pair.label,), (pair.name or pair.label,))
        for pair in pairs
    ]
