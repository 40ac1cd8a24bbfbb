select fylke_nr, fylke_navn, value as municipalities
from {{ ref('indicator_municipalities') }} join {{ ref('dim_county') }} using (fylke_nr)
