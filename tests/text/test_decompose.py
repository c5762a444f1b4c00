"""From an answer to claims: data that comes beside the text, what needs a citation, odd and long texts."""

import gzip
import json
from pathlib import Path

import pytest

from medassay.models.records import Answer, Citation, CitedSource, CitedSpan, Decomposition, Reference
from medassay.models.text.claims.decomposition import decompose

SHARED = Path(__file__).parents[2].parent / "shared" / "data"


def read(text: str, *, question: str = "", references: tuple[Reference, ...] = ()) -> Decomposition:
    return decompose(Answer("q", "s", text, references), question)


def cited(found: Decomposition) -> list[str | None]:
    return [c.source_id for claim in found.claims for c in claim.citations]


def test_nothing_said_is_no_claim() -> None:
    assert read("") == Decomposition((), (), 0, 0, False)
    assert read(" \r\n\t ") == Decomposition((), (), 0, 0, False)


def test_spans_index_into_the_text_as_it_came() -> None:
    text = "\ufeffIntro:\r\n\r\n- A β-blocker\x00 slows the heart [1].\r\n- It may cause fatigue.\r\n"
    spans = [text[c.start : c.end] for c in read(text).claims]
    assert spans == ["\ufeffIntro:", "A β-blocker\x00 slows the heart [1].", "It may cause fatigue."]


def test_a_citation_has_its_place() -> None:
    (claim,) = read("Aspirin treats pain [1, 22014867].").claims
    assert claim.citations == (
        Citation(0, "[1]", None, 21, 22),
        Citation(1, "[22014867]", "pmid:22014867", 24, 32),
    )


def test_citations_given_as_data_go_to_the_claims_they_overlap() -> None:
    text = "Aspirin treats pain. Insulin lowers glucose."
    spans = (
        CitedSpan(0, 20, ("PMID:0011", "d-1")),
        CitedSpan(21, 44, ("doi:10.1000/ABC", "[2]", "PMC7", "nonsense")),
    )
    answer = Answer("q", "s", text, (Reference(marker="2", nct="nct01234567"),), spans)
    found = decompose(answer, "", ["D-1"])
    assert [[c.source_id for c in claim.citations] for claim in found.claims] == [
        ["pmid:11", "document:D-1"],
        ["doi:10.1000/abc", "nct:NCT01234567", "pmcid:PMC7", None],
    ]


def test_a_source_cited_twice_by_a_claim_counts_once() -> None:
    answer = Answer("q", "s", "Aspirin treats pain (PMID: 11).", (), (CitedSpan(0, 31, ("PMID:11",)),))
    assert cited(decompose(answer, "")) == ["pmid:11"]


def test_references_as_data_win_over_the_list_in_the_text() -> None:
    text = "Aspirin treats pain [1].\n\nReferences\n1. Smith J. Aspirin in adults. BMJ. 2020. PMID: 11"
    found = read(text, references=(Reference(marker="[1]", pmid="22"),))
    assert found.sources == (CitedSource("pmid:22", title="Aspirin in adults"),)


def test_references_without_markers_are_numbered_in_order() -> None:
    found = read("Aspirin treats pain [2].", references=(Reference(pmid="11"), Reference(pmid="22")))
    assert cited(found) == ["pmid:22"]


@pytest.mark.parametrize(
    ("reference", "source"),
    [
        (
            Reference(marker="1", url="https://pubmed.ncbi.nlm.nih.gov/11/"),
            CitedSource("pmid:11", url="https://pubmed.ncbi.nlm.nih.gov/11/"),
        ),
        (Reference(marker="1", doi="https://doi.org/10.1000/ABC"), CitedSource("doi:10.1000/abc")),
        (Reference(marker="1", pmcid="7"), CitedSource("pmcid:PMC7")),
        (Reference(marker="1", pmid="PMID: 0011", doi="10.1000/abc"), CitedSource("pmid:11")),
        (Reference(marker="1", document="d1"), CitedSource("document:d1")),
        (
            Reference(marker="1", source="Perplexity", url="https://www.who.int/a#b"),
            CitedSource("url:https://www.who.int/a", url="https://www.who.int/a#b", origin="Perplexity"),
        ),
        (
            Reference(
                marker="1",
                source="Perplexity",
                url="https://www.perplexity.ai/search?q=https://doi.org/10.1000/abc",
            ),
            CitedSource(
                "doi:10.1000/abc",
                url="https://www.perplexity.ai/search?q=https://doi.org/10.1000/abc",
                origin="Perplexity",
            ),
        ),
        (
            Reference(marker="1", source="NihAI", url="/search/nihai/objects/0a-1"),
            CitedSource("url:/search/nihai/objects/0a-1", url="/search/nihai/objects/0a-1", origin="NihAI"),
        ),
    ],
)
def test_a_reference_leads_to_its_source(reference: Reference, source: CitedSource) -> None:
    found = read("Aspirin treats pain [1].", references=(reference,))
    assert found.sources == (source,)
    assert found.has_references


def test_a_reference_with_content_can_be_checked_against_it() -> None:
    faq = Reference(
        marker="1", source="NihAI", url="/search/nihai/objects/0a-1", content="Aspirin treats pain in adults."
    )
    (source,) = read("Aspirin treats pain [1].", references=(faq,)).sources
    assert source.source_id.startswith("reference:")
    assert (source.content, source.origin) == ("Aspirin treats pain in adults.", "NihAI")


def test_an_aggregator_alone_leads_nowhere() -> None:
    found = read("Aspirin treats pain [1].", references=(Reference(marker="1", source="Perplexity"),))
    assert (cited(found), found.sources, found.has_references) == ([None], (), False)


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("Aspirin treats pain [1].", False),
        ("Aspirin treats pain (Smith et al., 2020).", True),
        ("Aspirin treats pain (PMID: 11).", True),
        ("Aspirin treats pain.\n\nReferences\n1. Smith J. Aspirin in adults. BMJ. 2020;1:2.", True),
        ("Aspirin treats pain (Source: Mayo Clinic).", True),
        ("Aspirin treats pain https://www.nhs.uk/a.", True),
        ("Aspirin treats pain (Smith et al., Lancet 2020).", True),
        ("Aspirin treats pain.\n\n*Source: ADA Standards of Care, 2024*", True),
        ("Aspirin treats pain.\n\nSource: Protein.", False),
    ],
)
def test_has_references_asks_for_one_that_leads_somewhere(text: str, has: bool) -> None:
    assert read(text).has_references is has


@pytest.mark.parametrize(
    ("text", "question", "reason"),
    [
        ("Asthma is a chronic disease of the airways.", "What helps asthma?", "a definition"),
        ("Dyspnea refers to shortness of breath.", "", "a definition"),
        ("Metformin is a biguanide.", "", "a definition"),
        ("You asked about aspirin in pregnancy.", "", "restates the question"),
        (
            "Warfarin lowers stroke risk more than aspirin.",
            "Which lowers stroke risk more, aspirin or warfarin?",
            None,
        ),
        (
            "Warfarin is better for stroke prevention.",
            "What is better for stroke prevention, aspirin or warfarin?",
            None,
        ),
        (
            "Side effects of metformin treatment include",
            "What are the side effects of metformin treatment?",
            "restates the question",
        ),
        (
            "Natural treatments of sleep apnea are many.",
            "What are natural treatments for sleep apnea?",
            "restates the question",
        ),
        ("Aspirin reduces the risk of stroke.", "Does aspirin reduce the risk of stroke?", None),
        ("Aspirin is an effective drug for pain.", "", None),
        ("Asthma is a common disease.", "", None),
        ("Anaemia (anemia) is a lack of red blood cells.", "What is anemia, and is it bad?", "a definition"),
        ("A stroke is the sudden loss of blood supply to the brain.", "What's a stroke?", "a definition"),
        ("Sepsis is the body's reaction to an infection.", "What does sepsis mean?", "a definition"),
        ("Sepsis is fatal.", "What is sepsis?", None),
        ("Hypertension is a leading cause of stroke.", "What is hypertension?", None),
        ("The treatment of asthma is inhaled steroids.", "What is the treatment of asthma?", None),
        ("The cause is a virus.", "What is the cause?", None),
        ("The usual dose of the drug is 75 mg.", "What is the usual dose of the drug?", None),
    ],
)
def test_what_needs_no_citation_says_why(text: str, question: str, reason: str | None) -> None:
    (claim,) = read(text, question=question).claims
    assert (claim.needs_reason, claim.needs_citation) == (reason, reason is None)


@pytest.mark.parametrize(
    "question",
    [
        "Does metformin cause lactic acidosis?",
        "I have diabetes. Does metformin cause lactic acidosis?",
        "My mother, who has diabetes, takes it. Doesn't metformin cause lactic acidosis?",
        "In diabetes, does metformin cause lactic acidosis?",
        "I would like to know whether metformin causes lactic acidosis.",
        "Please tell me if metformin causes lactic acidosis",
        "12. Does metformin cause lactic acidosis?",
        "(b) does metformin cause lactic acidosis?",
        "Question 3: Does metformin cause lactic acidosis?",
        "Can you tell me, does metformin cause lactic acidosis?",
        "Is it true that metformin causes lactic acidosis?",
        "Metformin causes lactic acidosis, right?",
        "Metformin causes lactic acidosis. True or false?",
        "My doctor says metformin causes lactic acidosis. Is that correct?",
        "Metformin causes lactic acidosis?",
        "Metformin causes lactic acidosis",
        "Verify: metformin causes lactic acidosis.",
        "What is metformin, and does it cause lactic acidosis?",
        "How commonly does metformin cause lactic acidosis?",
    ],
)
@pytest.mark.parametrize(
    "answer",
    [
        "Metformin causes lactic acidosis.",
        "Yes, metformin causes lactic acidosis.",
        "Metformin does not cause lactic acidosis.",
        "To answer your question, metformin causes lactic acidosis.",
        "Metformin commonly causes lactic acidosis.",
    ],
)
def test_the_answer_to_a_yes_or_no_question_needs_a_citation(question: str, answer: str) -> None:
    (claim,) = read(answer, question=question).claims
    assert (claim.kind, claim.needs_citation) == ("claim", True)


@pytest.mark.parametrize(
    ("text", "question", "reason"),
    [
        # Answers of ExpertQA that only lead up to what they say.
        (
            "Relying solely on community-based interventions for addressing systemic inequalities can have several"
            " potential negative consequences.",
            "What are some potential negative consequences of relying solely on community-based interventions for"
            " addressing systemic inequalities?",
            "restates the question",
        ),
        (
            "There can be several reasons why an Emergency Brake Assist Algorithm performs better in a simulated"
            " environment compared to a real-life scenario:",
            "Say you are testing an Emergency Brake Assist Algorithm in a simulated environment and in real-life"
            " scenario. You notice that your algorithm performs much better in a simulated environment. Can you"
            " provide a list of reasons on why that could be?",
            "restates the question",
        ),
        # One of them that answers.
        (
            "In conclusion, if Russia were to use nuclear bombs in the conflict in Ukraine, the radiological damages"
            " to confining states could be considered armed aggression and in violation of Article 2.4 of the UN"
            " Charter.",
            "If Russia were to use Nuclear bombs in the conflict in Ukraine, would the radiological damages to"
            " confining States be deemd as armed aggression and in violation of article 2.4 of the UN Charter?",
            None,
        ),
        ("You asked whether metformin is safe.", "Is metformin safe?", "restates the question"),
        ("Metformin is a biguanide.", "Is metformin a biguanide?", None),
        ("Metformin is a biguanide.", "What is metformin?", "a definition"),
        ("Metformin is safe in pregnancy.", "How safe is metformin in pregnancy?", None),
        (
            "Metformin does not lower vitamin B12 levels in adults with diabetes, obesity or liver disease.",
            "Why does metformin lower vitamin B12 levels in adults with diabetes, obesity or liver disease?",
            None,
        ),
    ],
)
def test_only_what_the_question_takes_for_granted_is_a_restatement(
    text: str, question: str, reason: str | None
) -> None:
    claim = read(text, question=question).claims[0]
    assert claim.needs_reason in (reason, "introduces a list" if reason else None)
    assert claim.needs_citation is (reason is None)


def test_what_asserts_nothing_says_why() -> None:
    text = (
        "Hello! Is it safe? I hope this helps! Please consult your doctor. As an AI, I cannot judge. Yes. 👍"
    )
    assert [c.kind_reason for c in read(text).claims] == [
        "greeting",
        "a question",
        "a phrase of courtesy",
        "advice to see a doctor",
        "a disclaimer",
        "a bare reply",
        "no words",
    ]


HOSTILE = (
    "[1] ",
    "¹",
    "^1",
    ".",
    ". ",
    "1. ",
    "- nausea\n",
    "https://",
    "10.1000/",
    "](http://a",
    "| a | b |\n",
    "|-",
    "-",
    "*",
    "_",
    "\x00",
    "<sup>",
    "(Smith et al., 2020; ",
    "; it is ",
    "糖尿病。",
    "U.S. ",
    "[1] PMID 1\n",
    "References:\n1. a\n",
    "and the drug is good ",
)


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_texts_lose_nothing(unit: str) -> None:
    text = unit * (8_000 // len(unit))
    found = read(text, question="What helps?")
    assert found.n_characters_covered == found.n_characters == len("".join(text.split()))
    ends = [(c.start, c.end) for c in found.claims]
    assert ends == sorted(ends)


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("path", "column"),
    [("medaesqa/answers.jsonl.gz", "answer"), ("kqa/questions.jsonl.gz", "reference_answer")],
)
def test_real_answers_are_covered(path: str, column: str) -> None:
    if not (SHARED / path).exists():
        pytest.skip("the shared data is not beside this checkout")
    with gzip.open(SHARED / path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    found = [read(row[column], question=row["question"]) for row in rows]
    assert all(f.n_characters_covered == f.n_characters for f in found)


@pytest.mark.shared_data
def test_real_bracketed_pmids_are_all_read() -> None:
    path = SHARED / "medaesqa" / "raw_excerpt_q116_M1-M3.json"
    if not path.exists():
        pytest.skip("the shared data is not beside this checkout")
    for record in json.loads(path.read_text(encoding="utf-8")):
        for answer in record["machine_generated_answers"].values():
            found = read(answer["answer"], question=record["question"])
            expected = [
                {f"pmid:{c['cited_pmid']}" for c in sentence["citation_assessment"] or ()}
                for sentence in answer["answer_sentences"]
            ]
            assert [{c.source_id for c in claim.citations} for claim in found.claims] == expected


def test_a_work_that_the_list_has_is_cited_by_its_entry() -> None:
    text = (
        "Aspirin treats pain (Smith J, Lancet 2020;395:1-9).\n\n"
        "References\nSmith J. Aspirin in adults. Lancet. 2020;395:1-9. PMID: 11"
    )
    assert cited(read(text)) == ["pmid:11"]


def test_a_source_without_identifier_is_shown_by_its_name() -> None:
    (source,) = read("Aspirin treats pain (see NICE guideline NG28, 2022).").sources
    assert source.source_id.startswith("reference:")
    assert (source.title, source.url) == ("NICE guideline NG28, 2022", None)
