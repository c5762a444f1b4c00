-- Which citations lead nowhere? Sources that no library knows (not found) and markers with nothing behind them.
select
    system,
    state,
    citation,
    source_id,
    claim,
    reason
from citation_verdicts
semi join latest_run using (run_id)
where state in ('not_found', 'untraceable')
order by system, state, question_id, claim_id, ordinal;
