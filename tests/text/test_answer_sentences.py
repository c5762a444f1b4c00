"""Whole sentences with the words that are judged, and BM25 over passages."""

from medassay.models.records import Answer
from medassay.models.sources.retrieval import Corpus, Hit
from medassay.models.text.claims.decomposition import decompose
from medassay.models.text.sentences.answer_sentences import answer_sentences

ANSWER = """# Ankle sprain
Hello there! Rest helps [1, 2], but ice does not [3]. Side effects include:
- nausea (PMID: 123)
- rash, and itching [2].

Please see your doctor.

References
[1] Smith J. Ankle. 2020. PMID 123
"""


def test_sentences_without_structure_markers_and_references() -> None:
    claims = decompose(Answer("q", "s", ANSWER), "What helps?").claims
    found = answer_sentences(ANSWER, claims)
    assert [sentence.text for sentence in found] == [
        "Hello there!",
        "Rest helps, but ice does not.",
        "Side effects include: nausea",
        "Side effects include: rash, and itching.",
        "Please see your doctor.",
    ]
    assert [sentence.position for sentence in found] == [0, 1, 2, 3, 4]
    assert ANSWER[found[2].start : found[2].end].startswith("nausea")


def test_nothing_said_is_no_sentence() -> None:
    assert answer_sentences("", ()) == []
    assert answer_sentences("# Heading", decompose(Answer("q", "s", "# Heading"), "?").claims) == []


def test_only_shared_words_are_hits_and_equal_scores_keep_their_order() -> None:
    corpus = Corpus(["Statins lower LDL.", "Rest helps.", "Statin therapy", "Rest helps."])
    assert [hit.place for hit in corpus.search("Does rest help?")] == [1, 3]
    first, second = corpus.search("statins")
    assert {first.place, second.place} == {0, 2}
    assert corpus.search("aspirin") == corpus.search("the of") == []
    assert len(corpus.search("rest", k=1)) == 1
    assert corpus.search("rest")[0] == Hit(1, corpus.search("rest")[1].score)


def test_an_empty_collection_has_nothing() -> None:
    assert Corpus([]).search("rest") == Corpus(["!"]).search("rest") == []
