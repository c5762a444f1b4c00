-- What a claim and all that it cites are called together, as `outcome` names them; NULL where nothing that is cited was read.
alter table mart.claim add column evidence_key varchar;
