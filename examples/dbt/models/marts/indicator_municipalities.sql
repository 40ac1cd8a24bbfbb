select fylke_nr, count(*)::integer as value, 2024 as year
from {{ ref('dim_municipality') }}
group by fylke_nr
