-- What a claim and all that it cites are called together, as `outcome` names them; NULL where that was never asked about.
alter table mart.claim add column evidence_key varchar;
