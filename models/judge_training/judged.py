"""The test cases as each checkpoint judges them; kept beside the checkpoint, and read back where nothing changed."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from medassay.models.judge_training.fitting import input_of
from medassay.models.judge_training.folders import folder_digest, read_json, write_json
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judge_training.replies import Speaker, judge_of
from medassay.models.judges.listwise.judge import Ranking
from medassay.models.keys import content_key

RANKINGS_FILE = "rankings.json"


def judged(
    stage: Path, base: Path, cases: Sequence[EvaluationCase], on_done: Callable[[int], None] = lambda _: None
) -> list[Ranking]:
    """Return how a stage's model ranks the cases, in every balanced order."""
    model = stage / "model"
    inputs = [input_of(case) for case in cases]
    key = content_key({"model": folder_digest(model), "inputs": [one.input_key for one in inputs]})
    kept = stage / RANKINGS_FILE
    if kept.is_file() and (read := read_json(kept))["key"] == key:
        return [ranking_of(row) for row in read["rankings"]]
    judge = judge_of(Speaker(model, base))
    found = judge.compare(inputs, on_done=lambda _: on_done(1))
    write_json(kept, {"key": key, "rankings": [asdict(ranking) for ranking in found]})
    return found


def ranking_of(row: dict[str, object]) -> Ranking:
    """Build a ranking from its fields as JSON holds them."""
    lists = ("systems", "points", "n_left_out")
    return Ranking(**{n: tuple(v) if n in lists and isinstance(v, list) else v for n, v in row.items()})  # type: ignore[arg-type]
