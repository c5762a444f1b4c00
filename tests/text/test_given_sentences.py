"""Sentences that were given as such: one claim each, neither split nor joined, each with its own citations."""

from medassay.models.intake.records import to_answer
from medassay.models.text.claims.decomposition import decompose

EXAMPLE = {
    "question_id": "q1",
    "system": "a",
    "sentences": [
        {
            "text": "Metformin commonly causes gastrointestinal issues such as diarrhea and nausea",
            "citations": ["PMID:1"],
        },
        {"text": "Lactic acidosis is a serious but rare complication", "citations": ["PMID:2"]},
        {"text": "Metformin can cause weight gain in some patients"},
    ],
}


def test_sentences_without_full_stops_stay_three_claims() -> None:
    answer = to_answer(EXAMPLE)
    claims = decompose(answer, "What are the side effects of metformin?").claims
    assert [(c.text, [x.source_id for x in c.citations]) for c in claims] == [
        (EXAMPLE["sentences"][0]["text"], ["pmid:1"]),
        (EXAMPLE["sentences"][1]["text"], ["pmid:2"]),
        (EXAMPLE["sentences"][2]["text"], []),
    ]
    assert [answer.text[c.start : c.end] for c in claims] == [c.text for c in claims]


def test_a_given_sentence_of_two_sentences_is_one_claim() -> None:
    text = "Aspirin lowers the risk [1]. It also irritates the stomach, and it thins the blood."
    answer = to_answer(EXAMPLE | {"sentences": [text], "references": [{"marker": "1", "pmid": "7"}]})
    (claim,) = decompose(answer, "").claims
    assert claim.text == "Aspirin lowers the risk. It also irritates the stomach, and it thins the blood."
    assert [citation.source_id for citation in claim.citations] == ["pmid:7"]


def test_a_greeting_among_given_sentences_is_no_claim() -> None:
    answer = to_answer(EXAMPLE | {"sentences": ["Hello!", "Aspirin thins the blood"]})
    assert [claim.kind for claim in decompose(answer, "").claims] == ["non_claim", "claim"]
