-- What was found in the texts before they went to a model outside this machine, by kind and never by text.
-- One row per run, stage and input; what `answer` sent belongs to no run.
create or replace view phi_checks as
from phi_audit;
