/** The exposed schemas; the first is the default. */
export const SCHEMAS = ["api_v1", "marts", "raw"];
const META = ["/meta_dimensions", "/meta_endpoints", "/meta_sources"];
/** Every relation of sample and fixtures, by schema. */
export const RELATIONS: Readonly<Record<string, readonly string[]>> = {
  api_v1: ["/distrikt_summary", "/indicator_summary", ...META, "/observation", "/shared"],
  marts: ["/dim_enhet", "/dim_fylke", "/dim_kommune", "/fact_observation", "/ref_number", "/shared"],
  raw: ["/readings", "/shared", "/ssb_kommuner"],
};
