-- Every metric that MedAssay knows, from its registry: what it means, its range and its direction.
-- One row per metric.
create or replace view metrics as
select * from (values
    {% for metric in metrics %}
    (
        {{ metric.name | quoted }}, {{ metric.label | quoted }}, {{ metric.means | quoted }},
        {{ metric.formula | quoted }}, {{ metric.group.name | quoted }}, {{ metric.unit | quoted }}, {{ metric.high }}::double,
        {{ metric.lower_is_better | lower }}, {{ metric.paper | quoted }}
    ){{ "," if not loop.last }}
    {% endfor %}
) as metric (metric, label, meaning, formula, metric_group, unit, largest, lower_is_better, paper);
