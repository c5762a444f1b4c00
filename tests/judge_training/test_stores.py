"""Knowledge stores: real PDF files in, passages with page and place out."""

from pathlib import Path

import pytest

from medassay.models.embedding import load_embedder
from medassay.models.intake.rows import IntakeError
from medassay.models.judge_training.documents import Chunk, Page, chunks_of, read_pages
from medassay.models.judge_training.knowledge import SearchMethod
from medassay.models.judge_training.records import Passage
from medassay.sql.warehouse import Warehouse
from medassay.tasks.judge_training.stores import (
    Added,
    StoredLibrary,
    add_documents,
    complete_vectors,
    list_stores,
    readable,
)
from tests.rows import write_pdf

WARFARIN = "Ibuprofen raises the risk of bleeding in people who take warfarin."
GOUT = "Colchicine relieves an acute attack of gout within a day."


def test_pages_of_a_pdf_keep_their_numbers_and_empty_ones_are_left_out(tmp_path: Path) -> None:
    assert read_pages(write_pdf(tmp_path / "a.pdf", GOUT, "", WARFARIN)) == [Page(1, GOUT), Page(3, WARFARIN)]


def test_chunks_end_with_sentences_and_say_where_they_stand() -> None:
    text = f"{GOUT} {WARFARIN}\n\n  {GOUT}"
    chunks = list(chunks_of(Page(4, text), longest=80))
    assert [chunk.text for chunk in chunks] == [GOUT, WARFARIN, GOUT]
    assert all(text[chunk.start : chunk.end] == chunk.text and chunk.page == 4 for chunk in chunks)
    assert list(chunks_of(Page(None, "x" * 25), longest=10)) == [
        Chunk(None, 0, 10, "x" * 10),
        Chunk(None, 10, 20, "x" * 10),
        Chunk(None, 20, 25, "x" * 5),
    ]


def test_files_that_cannot_be_read_are_named_each_in_a_line(tmp_path: Path) -> None:
    broken, scan, other, latin = (tmp_path / name for name in ("b.pdf", "s.pdf", "o.docx", "l.txt"))
    broken.write_bytes(b"%PDF-1.4 nothing")
    write_pdf(scan, "")
    other.write_text("x")
    latin.write_bytes("Übel".encode("latin1"))
    with pytest.raises(IntakeError) as caught:
        readable([broken, scan, other, tmp_path / "gone.pdf", latin, write_pdf(tmp_path / "good.pdf", GOUT)])
    lines = str(caught.value).split("\n")
    assert [line.partition(": ")[2].partition(" (")[0].partition(";")[0] for line in lines] == [
        "cannot be read as PDF",
        "no text in it",
        "neither PDF nor text",
        "no such file",
        "not UTF-8",
    ]


@pytest.mark.parametrize("method", ["duckdb", "faiss"])
def test_a_question_finds_its_passage_of_each_store(
    warehouse: Warehouse, tmp_path: Path, method: SearchMethod
) -> None:
    if method == "faiss":
        pytest.importorskip("faiss")
    medicine = write_pdf(tmp_path / "drugs.pdf", GOUT, WARFARIN)
    guide = tmp_path / "guide.md"
    guide.write_text("Weigh safety before completeness.", "utf-8")
    assert add_documents(warehouse, "medicine", readable([medicine])) == [Added("drugs.pdf", 2, 2, False)]
    assert add_documents(warehouse, "guidelines", readable([guide])) == [Added("guide.md", None, 1, False)]
    library = StoredLibrary(warehouse, load_embedder("embedded"), method=method)
    first, second = library.passages("Is it dangerous to take ibuprofen with warfarin?")
    assert first == Passage("medicine", "drugs.pdf", 2, 0, len(WARFARIN), first.score, WARFARIN)
    assert (second.store, second.source, second.page) == ("guidelines", "guide.md", None)
    assert first.score > 0.6 > second.score
    medical, other = library.relevance(["What helps in gout?", "Who won the match?"])
    assert medical > 0.5 > other


def test_a_document_is_added_once_a_store(warehouse: Warehouse, tmp_path: Path) -> None:
    one, same = write_pdf(tmp_path / "one.pdf", GOUT), write_pdf(tmp_path / "same.pdf", GOUT)
    add_documents(warehouse, "medicine", readable([one]))
    assert add_documents(warehouse, "medicine", readable([same])) == [Added("same.pdf", 1, 1, True)]
    add_documents(warehouse, "guidelines", readable([one]))
    assert [(row["store"], row["name"]) for row in list_stores(warehouse)] == [
        ("guidelines", "one.pdf"),
        ("medicine", "one.pdf"),
    ]
    assert warehouse.value("select typeof(vector) from knowledge_vector_384 limit 1") == "FLOAT[384]"
    warehouse.execute("delete from knowledge_vector_384 where chunk_no = 1")
    embedder = load_embedder("embedded")
    assert (complete_vectors(warehouse, embedder), complete_vectors(warehouse, embedder)) == (1, 0)
