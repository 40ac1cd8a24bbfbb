import type { Environment } from "../../config/variables.ts";

/**
 * Variables that a CI system sets in each job: `CI` (GitHub, GitLab, CircleCI, Travis, Buildkite, Bitbucket and others), and the variable of each
 * system that does not set `CI`, or whose steps may unset it. From the list of the Pulumi CLI (sdk/go/common/util/ciutil).
 */
const VARIABLES = [
  "CI",
  "GITHUB_ACTIONS",
  "GITLAB_CI",
  "TF_BUILD",
  "JENKINS_URL",
  "TEAMCITY_VERSION",
  "CODEBUILD_BUILD_ARN",
  "GO_PIPELINE_LABEL",
  "bamboo_planKey",
  "PULUMI_CI_SYSTEM",
];

/** Returns the name of a set variable that only a job of a CI system has; undefined on a user's machine. The value is ignored. */
export function ciVariable(environment: Environment): string | undefined {
  return VARIABLES.find((name) => environment[name] !== undefined);
}

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
