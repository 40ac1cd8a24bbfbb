import { UserError } from "../../config/errors/userError.ts";
import type { Environment } from "../../config/variables/variables.ts";

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
 * Returns where `${NAME}` in a stack file is looked up, when the file does not set it, by a command that runs without secrets. In CI these are the
 * repository's own variables and nothing else: a proposed stack file could name any variable of the process.
 */
export function templateVariables(environment: Environment): Environment {
  const variables = repositoryVariables(environment);
  return variables ?? (ciVariable(environment) === undefined ? environment : {});
}

/**
 * Returns the environment of a command, with those variables of the repository (`GATEHOUSE_VARIABLES`) that the process does not have.
 * @throws UserError if GATEHOUSE_VARIABLES is no JSON
 */
export function commandEnvironment(environment: Environment): Environment {
  return { ...repositoryVariables(environment), ...environment };
}

/** Returns the texts in GATEHOUSE_VARIABLES, a JSON object such as GitHub's `toJSON(vars)`; undefined if it is not set or empty. */
function repositoryVariables(environment: Environment): Environment | undefined {
  const json = environment["GATEHOUSE_VARIABLES"];
  if (!json) return undefined;
  const variables = parseJson(json);
  const texts = Object.entries(typeof variables === "object" && variables !== null ? variables : {});
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** Returns the value of a JSON text. The error does not quote it: a secret may be in the variable by mistake. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new UserError("GATEHOUSE_VARIABLES is not valid JSON", "in a GitHub workflow, set it to ${{ toJSON(vars) }}");
  }
}
