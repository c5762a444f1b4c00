-- What each source said by itself when a claim's sources were read together: it decides what has to be read.
alter table joint_claim add column states varchar;
