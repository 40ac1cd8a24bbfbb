select kommune_nr, kommune_navn, fylke_nr, orgnr
from {{ ref('stg_municipality') }}
