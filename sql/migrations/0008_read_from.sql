-- Whom a verdict's text was had from, and when; NULL in runs from before, and where nothing was read.
alter table mart.citation add column origin varchar;

alter table mart.citation add column fetched_at timestamptz;

-- Of what was read: its title, passages and standing. The same digest is the same evidence.
alter table mart.citation add column digest varchar;

-- Why nothing is known of how good a map is, or what to know of its interval.
alter table mart.calibration add column map_reason varchar;
