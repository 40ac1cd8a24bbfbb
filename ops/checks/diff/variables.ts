import type { Environment } from "../../../config/variables.ts";
import { ciVariable } from "../../context/ci.ts";

/**
 * Where `${NAME}` in a stack file is looked up, when the file does not set it. In CI these are GATEHOUSE_VARIABLES, the repository's own
 * variables as JSON, and nothing else: a proposed stack file could name any variable of the process.
 */
export function templateVariables(environment: Environment): Environment {
  const json = environment["GATEHOUSE_VARIABLES"];
  if (json === undefined) return ciVariable(environment) === undefined ? environment : {};
  const variables: unknown = JSON.parse(json);
  const texts = Object.entries(typeof variables === "object" && variables !== null ? variables : {});
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
