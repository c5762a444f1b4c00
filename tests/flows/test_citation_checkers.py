"""`--entailment` by a language model on loopback, and by Hugging Face folders of two and three classes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medassay.flows.plain import measure
from medassay.models.entailment.known_answers import KNOWN
from medassay.models.entailment.labels import CONTRADICTION, ENTAILMENT
from medassay.models.registry import ModelMissing, ensure
from medassay.models.settings import Settings
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.stages.entail import entail
from medassay.tasks.stages.stage import Report

Tables = dict[str, list[dict[str, Any]]]
Write = Callable[[Tables], Path]
ANSWER = (
    "Metformin causes nausea [doc-1]. Metformin causes gout [doc-1]. Metformin prevents nausea [doc-1]. "
    "Metformin is blue [doc-1]. Metformin is new [doc-1]."
)
LABELS = {
    "nausea [": "Neutral",
    "causes nausea": "Supports",
    "prevents": "Contradicts",
    "gout": "not relevant",
    "blue": "Neutral",
    "new": "Perhaps",
}
QUOTE = "Metformin often causes nausea and diarrhoea."


@pytest.fixture(autouse=True)
def needs_the_embedder() -> None:
    try:
        ensure("all-MiniLM-L6-v2")
    except ModelMissing as missing:
        pytest.skip(str(missing))


def check(body: dict[str, Any]) -> str:
    """Judge by the claim's words; a nugget beside a claim is neutral."""
    material = json.loads(body["messages"][1]["content"])
    said = next((label for words, label in LABELS.items() if words in material["claim"]), "Neutral")
    return json.dumps({"sentence": QUOTE, "label": said})


def citations(run: RunRef) -> list[tuple[str, str, str | None, str | None]]:
    rows = run.warehouse.rows(
        "select claim_id, state, sentence, reason from citation_verdicts where run_id = ? order by claim_id",
        [run.run_id],
    )
    return [(row["claim_id"], row["state"], row["sentence"], row["reason"]) for row in rows]


def evaluated(home: Path, data: Path, spec: str, **more: Any) -> tuple[RunRef, Report]:
    settings = Settings(str(data), judge="none", entailment=spec, **{"matcher": "cosine", **more})
    with started_run(home, settings) as run:
        measure(run)
    (report,) = run.warehouse.rows("from run_stage where run_id = ? and stage = 'entail'", [run.run_id])
    return run, report


def test_a_language_model_checks_every_citation_once(
    home: Path, tables: Tables, write: Write, judge_server: Any
) -> None:
    judge_server.behaviour.text = check
    tables["answers"][0]["answer"] = ANSWER
    data = write(tables)
    spec = f"{judge_server.base_url}#checker"
    run, report = evaluated(home, data, spec)
    assert citations(run) == [
        ("c1", "supports", QUOTE, None),
        ("c2", "neutral", QUOTE, "the model calls the source not relevant to the claim"),
        ("c3", "contradicts", QUOTE, None),
        ("c4", "neutral", QUOTE, None),
        ("c5", "unverifiable", None, _abstained(run)),
    ]
    assert report["n_abstained"] >= 1
    n_asked = len(judge_server.bodies)
    passages = [json.loads(body["messages"][1]["content"])["passage"] for body in judge_server.bodies]
    assert tables["documents"][0]["title"] not in passages
    body = judge_server.bodies[0]
    assert body["response_format"]["json_schema"]["schema"]["properties"]["label"]["enum"] == [
        "Supports", "Contradicts", "Neutral", "Not relevant",
    ]  # fmt: skip
    evaluated(home, data, spec)
    assert len(judge_server.bodies) == n_asked
    calls = run.warehouse.value("select count(*) from model_call where stage = 'entail'")
    assert calls == n_asked


def _abstained(run: RunRef) -> str:
    reason = str(run.warehouse.value("select reason from outcome where stage = 'entail' limit 1"))
    assert "\"label\" is 'Perhaps' and must be one of Supports, Contradicts, Neutral, Not relevant" in reason
    return reason


def test_a_server_that_is_down_is_asked_again_by_the_next_run(
    home: Path, tables: Tables, write: Write, judge_server: Any
) -> None:
    data = write(tables)
    spec = f"{judge_server.base_url}#checker"
    judge_server.behaviour.faults, judge_server.behaviour.faulty_share = ("error_400",), 1.0
    run, report = evaluated(home, data, spec)
    assert report["n_failed"] == report["n_pending"] > 0
    assert [(state, "HTTP 400" in str(why)) for _, state, _, why in citations(run)][0] == (
        "unverifiable",
        True,
    )
    judge_server.behaviour.faulty_share, judge_server.behaviour.text = 0.0, check
    run, report = evaluated(home, data, spec)
    assert (report["n_failed"], report["n_done"]) == (0, report["n_pending"])


def agree(body: dict[str, Any]) -> str:
    """Support whatever is asked."""
    return json.dumps({"sentence": "", "label": "Supports"})


def nugget_scores(run: RunRef) -> list[dict[str, Any]]:
    return run.warehouse.rows(
        "select question_id, system, metric, value, status from metric_scores"
        " where run_id = ? and metric in ('nugget_coverage', 'contradiction_rate', 'completeness', 'recall')"
        " order by all",
        [run.run_id],
    )


def nugget_states(run: RunRef) -> list[dict[str, Any]]:
    return run.warehouse.rows(
        "select question_id, system, nugget_id, state, score, reason from nugget_states where run_id = ? order by all",
        [run.run_id],
    )


def test_nuggets_are_matched_anew_when_a_retry_brings_verdicts(
    home: Path, tmp_path: Path, tables: Tables, write: Write, judge_server: Any
) -> None:
    tables["questions"][0]["nuggets"] = tables["questions"][0]["nuggets"][:2]
    data = write(tables)
    spec = f"{judge_server.base_url}#checker"
    judge_server.behaviour.text = lambda body: json.dumps({"sentence": "", "label": "Perhaps"})
    run, _ = evaluated(home, data, spec, matcher="combined")
    without = nugget_states(run)
    assert {row["reason"] for row in without} == {"the reader gave no verdict"}
    judge_server.behaviour.text = agree
    run, _ = evaluated(home, data, spec, matcher="combined")
    assert nugget_states(run) == without
    run, _ = evaluated(home, data, spec, matcher="combined", retry=True)
    fresh, _ = evaluated(tmp_path / "fresh", data, spec, matcher="combined")
    assert nugget_states(run) == nugget_states(fresh) != without


def test_a_checkpoint_is_read_by_its_own_labels(
    home: Path, tables: Tables, write: Write, tmp_path: Path
) -> None:
    folder = tmp_path / "checker"
    learnt_by_heart(folder, ("contradiction", "entailment", "neutral"))
    tables["answers"][0]["answer"] = f"{KNOWN[1][1][:-1]} [doc-1]. {KNOWN[4][1][:-1]} [doc-1]."
    tables["documents"][0]["text"] = KNOWN[1][0]
    tables["documents"][0].pop("title")
    run, report = evaluated(home, write(tables), f"hf:{folder}")
    assert [(claim, state) for claim, state, *_ in citations(run)] == [
        ("c1", "supports"),
        ("c2", "contradicts"),
    ]
    assert entail.spec(Settings("d", entailment=f"hf:{folder}"))["weights"] != ""


def learnt_by_heart(folder: Path, labels: tuple[str, ...]) -> None:
    """Train a tiny BERT on the known answers until it knows them: a real checkpoint whose labels are in any order."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    words = sorted({w for pair in KNOWN for text in pair[:2] for w in text.lower().replace(".", " .").replace(",", " ,").replace(":", " :").split()})  # fmt: skip
    vocabulary = {
        token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "blood", "heart", *words])
    }
    for i, token in enumerate(list(vocabulary)):
        vocabulary[token] = i
    plain = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    plain.normalizer = normalizers.Lowercase()
    plain.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    plain.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        model_max_length=128,
    )  # fmt: skip
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=128, hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0, id2label=dict(enumerate(labels)), label2id={n: i for i, n in enumerate(labels)},
    )  # fmt: skip
    network = BertForSequenceClassification(config)
    said = {ENTAILMENT: ("entailment", "supported"), CONTRADICTION: ("contradiction", "unsupported")}
    targets = torch.tensor(
        [next(i for i, name in enumerate(labels) if name in said.get(gold, ("neutral", "unsupported"))) for *_, gold in KNOWN]
    )  # fmt: skip
    inputs = tokenizer([p for p, *_ in KNOWN], [h for _, h, _ in KNOWN], padding=True, return_tensors="pt")
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    for _ in range(150):
        optimizer.zero_grad()
        loss = network(**inputs, labels=targets).loss
        loss.backward()
        optimizer.step()
    assert float(loss.detach()) < 0.05
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
