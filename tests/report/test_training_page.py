"""The page of a training: its charts, its ablations, and what it leaves out where there is nothing."""

import re
from typing import Any

from medassay.models.report.training_page import training_page

NONE = {"value": None, "low": None, "high": None}
MEASURES = ("accuracy_2tuple", "accuracy_triple", "accuracy_untied", "spearman", "pearson", "icc")


def row(judge: str, checkpoint: str | None, value: float | None) -> dict[str, Any]:
    flat: dict[str, Any] = {"judge": judge, "checkpoint": checkpoint, "format_valid": value}
    for name in MEASURES:
        low, high = (None, None) if value is None else (value - 0.1, value + 0.1)
        flat |= {name: value, f"{name}_low": low, f"{name}_high": high, f"{name}_reason": None}
    return {**flat, "n_steps": 12, "n_tokens": 3456, "note": None if value is None else "a note of it"}


def found(*, ablations: bool) -> dict[str, Any]:
    stages = [{"stage": "stage 1", "n_steps": 10, "losses": [[5, 2.0], [10, 0.5]]}]
    paper = {
        "refitted_at_six": 50.65,
        "published_at_six_by_equation": 52.13,
        "published_at_six_by_text": 52.21,
    }
    without = {"ablation": "vanilla", "judge": "stage 1"}
    for name in MEASURES[:2]:
        without |= {name: 0.05, f"{name}_low": -0.02, f"{name}_high": 0.12}  # type: ignore[dict-item]
    return {
        "name": "mine", "preset": "tiny", "judge": "stage 1", "n_questions": 9, "gold": "gold scores",
        "majority_2tuple": 0.4, "majority_triple": 0.1,
        "table": [
            row("stage 1", "stage 1", 0.5),
            *([row("vanilla", "vanilla", 0.45)] if ablations else []),
            row("all tied", None, None),
        ],
        "courses": {"stage 1": stages, **({"vanilla": stages} if ablations else {})},
        "ablations": [without] if ablations else [],
        "rounds": [],
        "convergence": {"ours": {"limit": None, "reason": "1 point"}, "paper": paper},
        "card": {"licensed": False, "licence": "unlicensed"},
    }  # fmt: skip


def test_a_training_of_one_checkpoint_shows_its_points() -> None:
    page = training_page(found(ablations=False))
    assert "<h2>Ablations</h2>" not in page
    assert "<tr><td>stage 1 <small>the judge</small></td>" in page
    assert "<li>stage 1: a note of it</li>" in page and page.count("<li>") == 1
    losses, shares = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert "the judge</text>" in losses
    assert "stage 1</text>" in shares and "commonest order, 2-tuple</text>" in shares


def test_ablations_stand_beside_the_judge_with_steps_and_differences() -> None:
    page = training_page(found(ablations=True))
    lines = re.findall(r"<tr>(.*?)</tr>", page.partition("<h2>Ablations</h2>")[2])
    cells = [re.sub("<[^>]+>", "|", line).strip("|").replace("||", "|") for line in lines]
    assert cells == [
        "steps|tokens|2-tuple|the judge has more|triple|the judge has more",
        "the judge (stage 1)|12|3,456|0.500||0.500",
        "vanilla|12|3,456|0.450|+0.050 |-0.02 to +0.12||0.450|+0.050 |-0.02 to +0.12",
    ]
    losses, shares = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert "vanilla</text>" in losses
    assert "vanilla" not in shares
