-- Documents that an evaluator's questions are answered from while data for a judge is built.
-- Vectors lie in `knowledge_vector_<n>`, one table a dimension, made when the first vector of it is stored.

create table knowledge_document (
    document_key varchar primary key,
    store varchar not null check (store in ('medicine', 'guidelines')),
    name varchar not null,
    -- SHA-256 of the file.
    digest varchar not null,
    n_pages integer,
    n_chunks integer not null,
    n_characters integer not null,
    added_at timestamptz not null
);

create table knowledge_chunk (
    -- Counts all chunks of all documents, in the order in which they were added.
    chunk_no bigint primary key,
    document_key varchar not null,
    position integer not null,
    -- From 1; NULL in files without pages.
    page integer,
    -- In characters of the page, of the whole file where it has no pages.
    span_start integer not null,
    span_end integer not null,
    text varchar not null
);
