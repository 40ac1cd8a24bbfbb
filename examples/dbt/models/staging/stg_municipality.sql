select
  region_code as kommune_nr,
  region_name as kommune_navn,
  left(region_code, 2) as fylke_nr,
  orgnr
from {{ source('ssb', 'ssb_kommuner') }}
