"""Input of matching: claims of an answer and nuggets of its question, with cosines."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from medassay.models.nli.choosing import nothing_reads
from medassay.models.nuggets.evidence import ClaimText, Held, MatchedBy, MatchSettings
from medassay.models.settings import Settings
from medassay.models.text.claims.non_claims import LEADING
from medassay.sql.warehouse import Row, Warehouse

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Board(Held):
    """One answer against one nugget set, with the keys of both."""

    answer_key: str
    nugget_set_key: str


def match_settings(settings: Settings) -> MatchSettings:
    """Return the matcher's part of a run's choices: `combined` is the reader, or cosine where nothing reads."""
    unread = nothing_reads(settings.reader, elsewhere=settings.on != "here")
    matcher: MatchedBy = "cosine" if unread or settings.matcher == "cosine" else "reader"
    return MatchSettings(matcher=matcher, threshold=settings.threshold, margin=settings.margin)


def boards(warehouse: Warehouse, batch: list[Row]) -> Iterator[Board]:
    """Yield a board for each (answer_key, nugget_set_key) of the batch, in its order.

    A non-claim has no vector; its cosines are 0 and the matcher never asks for them.
    """
    import numpy as np

    claims, nuggets = defaultdict(list), defaultdict(list)
    keys = {"answers": [row["answer_key"] for row in batch], "sets": [row["nugget_set_key"] for row in batch]}
    for row in warehouse.rows(
        "from current_claim where answer_key in (select unnest($answers)) order by answer_key, position",
        {"answers": keys["answers"]},
    ):
        claims[row["answer_key"]].append(row)
    for row in warehouse.rows(
        "from current_nugget where nugget_set_key in (select unnest($sets)) order by nugget_set_key, position",
        {"sets": keys["sets"]},
    ):
        nuggets[row["nugget_set_key"]].append(row)
    wanted = {row["text_key"] for rows in (*claims.values(), *nuggets.values()) for row in rows}
    stored = warehouse.rows(
        "select text_key, vector from embedding"
        " where fingerprint = pinned('embed') and text_key in (select unnest($wanted))",
        {"wanted": sorted(wanted)},
    )
    vectors = {row["text_key"]: np.asarray(row["vector"], dtype=np.float32) for row in stored}
    width = len(next(iter(vectors.values()))) if vectors else 1
    nothing = np.zeros(width, dtype=np.float32)

    def matrix(rows: list[Row]) -> "np.ndarray":
        return (
            np.stack([vectors.get(row["text_key"], nothing) for row in rows])
            if rows
            else np.zeros((0, width))
        )

    questions = questions_of(warehouse, keys["answers"])
    for row in batch:
        of_answer, of_set = claims[row["answer_key"]], nuggets[row["nugget_set_key"]]
        texts = [
            ClaimText(claim["position"], claim["text"], claim["kind"], claim["kind_reason"] in LEADING)
            for claim in of_answer
        ]
        claim_vectors, nugget_vectors = matrix(of_answer), matrix(of_set)
        yield Board(
            texts,
            [nugget["text"] for nugget in of_set],
            claim_vectors @ nugget_vectors.T,
            questions[row["answer_key"]],
            answer_key=row["answer_key"],
            nugget_set_key=row["nugget_set_key"],
        )


def questions_of(warehouse: Warehouse, answer_keys: list[str]) -> dict[str, str]:
    """Return the question that each answer is to."""
    rows = warehouse.rows(
        "select answer_key, question from answer where answer_key in (select unnest($answers))",
        {"answers": answer_keys},
    )
    return {row["answer_key"]: row["question"] for row in rows}
