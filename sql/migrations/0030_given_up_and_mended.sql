-- What was set aside once and done since, by a run with `--retry`: later runs say nothing of it any more.
create table mended_item (
    stage varchar not null,
    fingerprint varchar not null,
    item_key varchar not null,
    mended_at timestamptz not null,
    primary key (stage, fingerprint, item_key)
);

-- Why a claim stands as the rules cut it where a language model was asked to.
alter table claim add column split_reason varchar;
alter table mart.claim add column split_reason varchar;
