-- What an answer carries of its own sources is read for that answer alone, where nobody else has a text of them.
create table run_own_text (
    run_id varchar not null,
    answer_key varchar not null,
    source_id varchar not null,
    fetch_no integer not null,
    primary key (run_id, answer_key, source_id)
);
