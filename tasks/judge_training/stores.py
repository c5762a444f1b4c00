"""Knowledge stores in the warehouse: documents in, passages out by exact cosine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medassay.models.embedding import Embedder, load_embedder
from medassay.models.intake.rows import IntakeError, refuse_unreadable
from medassay.models.judge_training.documents import LONGEST_CHUNK, Chunk, Page, chunks_of, read_pages
from medassay.models.judge_training.knowledge import FaissIndex, SearchMethod
from medassay.models.judge_training.records import Passage, StoreKind
from medassay.models.keys import content_key
from medassay.models.weights.storing import digest_of
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.progress import watcher

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STAGE = "knowledge"
EMBED_BATCH = 256
STORES: tuple[StoreKind, ...] = ("medicine", "guidelines")


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one file."""

    name: str
    n_pages: int | None
    n_chunks: int
    was_there: bool


def readable(files: Sequence[Path]) -> list[tuple[Path, list[Page]]]:
    """Return the files with their pages.

    Raises:
        IntakeError: a line for each file that cannot be read.
    """
    read: list[tuple[Path, list[Page]]] = []
    errors = []
    for path in files:
        try:
            read.append((path, read_pages(path)))
        except IntakeError as error:
            errors.append(error)
    refuse_unreadable(errors)
    return read


def add_documents(
    warehouse: Warehouse,
    store: StoreKind,
    read: Sequence[tuple[Path, list[Page]]],
    embedder: str = "embedded",
) -> list[Added]:
    """Put documents into a store, with their vectors; one that is there already is left alone."""
    added = [_add(warehouse, store, path, pages) for path, pages in read]
    complete_vectors(warehouse, load_embedder(embedder))
    return added


def _add(warehouse: Warehouse, store: StoreKind, path: Path, pages: Sequence[Page]) -> Added:
    chunks: list[Chunk] = [chunk for page in pages for chunk in chunks_of(page)]
    n_pages = len(pages) if pages[0].number is not None else None
    digest = digest_of(path)
    key = content_key([store, digest, LONGEST_CHUNK])
    document: Row = {
        "document_key": key,
        "store": store,
        "name": path.name,
        "digest": digest,
        "n_pages": n_pages,
        "n_chunks": len(chunks),
        "n_characters": sum(len(chunk.text) for chunk in chunks),
        "added_at": datetime.now(UTC),
    }
    with warehouse.transaction():
        is_new = warehouse.insert("knowledge_document", [document]) > 0
        if is_new:
            n_before = int(warehouse.value("select count(*) from knowledge_chunk"))
            warehouse.append(
                "knowledge_chunk",
                [
                    {
                        "chunk_no": n_before + position,
                        "document_key": key,
                        "position": position,
                        "page": chunk.page,
                        "span_start": chunk.start,
                        "span_end": chunk.end,
                        "text": chunk.text,
                    }
                    for position, chunk in enumerate(chunks)
                ],
            )
    return Added(path.name, n_pages, len(chunks), not is_new)


def complete_vectors(warehouse: Warehouse, embedder: Embedder) -> int:
    """Embed the chunks that this embedder has not embedded yet, a batch a transaction; return how many."""
    table, fingerprint = _vector_table(warehouse, embedder.dimension), content_key(embedder.fingerprint)
    missing = warehouse.rows(
        "select chunk_no, store, text from knowledge_chunk join knowledge_document using (document_key)"
        f" anti join (select chunk_no from {table} where fingerprint = ?) using (chunk_no) order by chunk_no",
        [fingerprint],
    )
    if not missing:
        return 0
    watcher().begin(STAGE, len(missing), len(missing))
    for start in range(0, len(missing), EMBED_BATCH):
        batch = missing[start : start + EMBED_BATCH]
        vectors = embedder.encode([row["text"] for row in batch])
        warehouse.append(
            table,
            [
                {
                    "chunk_no": row["chunk_no"],
                    "store": row["store"],
                    "fingerprint": fingerprint,
                    "vector": vector,
                }
                for row, vector in zip(batch, vectors, strict=True)
            ],
        )
        watcher().advance(STAGE, len(batch))
    watcher().end(STAGE, "")
    return len(missing)


def _vector_table(warehouse: Warehouse, dimension: int) -> str:
    """Return the table of vectors of a dimension, made when first asked for: DuckDB's arrays have a fixed size."""
    table = f"knowledge_vector_{int(dimension)}"
    warehouse.execute(
        f"create table if not exists {table} (chunk_no bigint not null, store varchar not null,"
        f" fingerprint varchar not null, vector float[{int(dimension)}] not null)"
    )
    return table


def list_stores(warehouse: Warehouse) -> list[Row]:
    """Return the documents of each store, in the order in which they were added."""
    return warehouse.rows(
        "select store, name, n_pages, n_chunks, n_characters, digest, added_at from knowledge_document"
        " order by store, added_at, name"
    )


class StoredLibrary:
    """The passages of the stores; made with every chunk embedded by the embedder that questions are embedded with."""

    def __init__(
        self,
        warehouse: Warehouse,
        embedder: Embedder,
        *,
        n_passages: int = 1,
        method: SearchMethod = "duckdb",
    ) -> None:
        """Complete the vectors of all stores.

        Args:
            warehouse: where the stores lie.
            embedder: of the questions, and of the chunks.
            n_passages: how many passages of each store a question is answered with.
            method: exact cosine in DuckDB, or in FAISS with all vectors in memory.
        """
        self._warehouse, self._embedder, self._n = warehouse, embedder, n_passages
        complete_vectors(warehouse, embedder)
        self._table = _vector_table(warehouse, embedder.dimension)
        self._fingerprint = content_key(embedder.fingerprint)
        present = warehouse.rows("select distinct store from knowledge_document")
        self.stores: tuple[StoreKind, ...] = tuple(store for store in STORES if {"store": store} in present)
        finders = {"duckdb": self._in_duckdb, "faiss": self._in_faiss}
        self._find: Callable[[StoreKind, Any, int], list[Row]] = finders[method]
        self._indexes: dict[StoreKind, tuple[FaissIndex, list[int]]] = {}

    def passages(self, question: str) -> tuple[Passage, ...]:
        """Return the passages nearest to a question: `n_passages` of each store, the stores in order."""
        (vector,) = self._embedder.encode([question])
        return tuple(passage for store in self.stores for passage in self.nearest(store, vector, self._n))

    def relevance(self, texts: Sequence[str]) -> list[float]:
        """Return how near each text comes to any passage of the store of medicine, as a cosine."""
        vectors = self._embedder.encode(texts)
        return [
            max((passage.score for passage in self.nearest("medicine", vector, 1)), default=0.0)
            for vector in vectors
        ]

    def nearest(self, store: StoreKind, vector: "NDArray[np.float32]", k: int) -> list[Passage]:
        """Return the `k` passages of a store nearest to a vector, nearest first."""
        return [self._passage(store, row) for row in self._find(store, vector, k)]

    def _passage(self, store: StoreKind, found: Row) -> Passage:
        (chunk,) = self._warehouse.rows(
            "select name, page, span_start, span_end, text"
            " from knowledge_chunk join knowledge_document using (document_key)"
            " where chunk_no = ?",
            [found["chunk_no"]],
        )
        return Passage(
            store,
            chunk["name"],
            chunk["page"],
            chunk["span_start"],
            chunk["span_end"],
            round(float(found["score"]), 4),
            chunk["text"],
        )

    def _in_duckdb(self, store: StoreKind, vector: Any, k: int) -> list[Row]:
        return self._warehouse.rows(
            f"select chunk_no, array_cosine_similarity(vector, $vector::float[{self._embedder.dimension}]) as score"
            f" from {self._table} where store = $store and fingerprint = $fingerprint"
            " order by score desc, chunk_no limit $k",
            {"vector": vector.tolist(), "fingerprint": self._fingerprint, "store": store, "k": k},
        )

    def _in_faiss(self, store: StoreKind, vector: Any, k: int) -> list[Row]:
        if store not in self._indexes:
            self._indexes[store] = self._index(store)
        index, chunk_nos = self._indexes[store]
        return [{"chunk_no": chunk_nos[row], "score": score} for row, score in index.nearest(vector, k)]

    def _index(self, store: StoreKind) -> tuple[FaissIndex, list[int]]:
        import numpy as np

        found = self._warehouse.columns(
            f"select chunk_no, vector from {self._table} where store = $store and fingerprint = $fingerprint"
            " order by chunk_no",
            {"fingerprint": self._fingerprint, "store": store},
        )
        return FaissIndex(np.stack(list(found["vector"])).astype(np.float32)), found["chunk_no"].tolist()
