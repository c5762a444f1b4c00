-- Where a landed row stands within its file: of a JSON file the line says little, it may be its only one.

alter table landing add column item bigint;
