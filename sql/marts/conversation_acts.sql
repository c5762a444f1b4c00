-- Whether what must be asked was asked and red flags were raised, in which turn, by which sentence, and in time.
-- One row per run, question, system and act.
create or replace view conversation_acts as
from mart.conversation_act;
