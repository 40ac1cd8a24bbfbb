const byCounty = { tags: ["cadence:yearly", "eu_theme:regi", "geo:fylke", "layer:marts"], type: "table" };
const TOPIC = "topic:administrative-divisions";
/** What the catalog shows of the models of examples/dbt. */
export const CATALOG = [
  {
    schema: "api_v1",
    relation: "county_summary",
    type: "table",
    kind: "fact",
    title: "Municipalities by county",
    description: "Counties with the number of their municipalities",
    tags: ["cadence:yearly", "eu_theme:regi", "geo:fylke", "layer:api_v1", "provider:ssb", TOPIC],
    source_ids: ["ssb-klass-131"],
    columns: {
      fylke_nr: "County number, two digits",
      fylke_navn: "Name of the county",
      municipalities: "Number of municipalities in the county",
    },
  },
  {
    schema: "marts",
    relation: "dim_county",
    kind: "dim",
    title: "Counties",
    description: "Counties of Norway, 2024",
    ...byCounty,
    tags: [...byCounty.tags, TOPIC],
    source_ids: [],
    columns: {
      fylke_nr: "County number, two digits",
      fylke_navn: "Name of the county",
    },
  },
  {
    schema: "marts",
    relation: "dim_municipality",
    type: "table",
    kind: "dim",
    title: "Municipalities",
    description: "Municipalities of Norway, 2024",
    tags: ["cadence:yearly", "eu_theme:regi", "geo:kommune", "layer:marts", "provider:ssb", TOPIC],
    source_ids: ["ssb-klass-131"],
    columns: {
      kommune_nr: "Municipality number, four digits",
      kommune_navn: "Name of the municipality",
      fylke_nr: "Number of the county that contains the municipality",
      orgnr: "Organisation number of the municipality, nine digits",
    },
  },
  {
    schema: "marts",
    relation: "indicator_municipalities",
    kind: "indicator",
    title: "Number of municipalities",
    ...byCounty,
    tags: [...byCounty.tags, "provider:ssb", TOPIC],
    source_ids: ["ssb-klass-131"],
    description: "Municipalities by county",
    columns: {
      fylke_nr: "County number, two digits",
      value: "Number of municipalities in the county",
      year: "Year of the division into municipalities",
    },
  },
];
