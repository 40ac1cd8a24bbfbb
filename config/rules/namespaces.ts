/** Namespaces that the stack creates: each has one owner, and nothing else in it, since a removed section takes its namespace along. */
import type { Draft } from "../schema/draft.ts";
import { type Location, within } from "../errors/location.ts";
import { type Problem, problem } from "../errors/problems.ts";
import { OPERATOR_NAMESPACE } from "../sections/postgres/postgres.ts";
import type { Drafts } from "../sections/sections.ts";

interface Named {
  readonly namespace: string | undefined;
  readonly location: Location;
}

interface Created extends Named {
  readonly section: string;
  readonly namespace: string;
}

/** Namespaces of every cluster. */
const SYSTEM = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Checks that each namespace that the stack creates is that of one section, exists nowhere else, and contains no applications and accounts. */
export function namespaceRules(drafts: Drafts): Problem[] {
  const existing = new Map(SYSTEM.map((name) => [name, "the cluster"]));
  for (const [section, draft] of Object.entries({
    gateway: drafts.gateway,
    observability: drafts.observability,
  })) {
    if (draft?.fields.namespace !== undefined) existing.set(draft.fields.namespace, section);
  }
  const server = drafts.postgres?.fields.install;
  if (server?.kind === "cloudnativepg")
    existing.set(server.operator_namespace ?? OPERATOR_NAMESPACE, "the operator of Postgres");
  if (server?.monitoring !== undefined) existing.set(server.monitoring, "postgres.install.monitoring");
  const { install, service, namespace: authentik } = drafts.identityProvider?.fields ?? {};
  if (install === false && service !== undefined && authentik !== undefined)
    existing.set(authentik, "identity_provider");
  const found: Problem[] = [];
  const owners = new Map<string, string>();
  for (const { section, namespace, location } of createdNamespaces(drafts)) {
    const owner = owners.get(namespace) ?? existing.get(namespace);
    owners.set(namespace, section);
    if (owner === undefined) continue;
    found.push(problem(location, `namespace "${namespace}" is already used by ${owner}`, "set another namespace"));
  }
  for (const { namespace, location } of namespacesOfApplications(drafts)) {
    const owner = owners.get(namespace ?? "");
    if (owner === undefined || existing.has(namespace ?? "")) continue;
    const message = `the stack creates namespace "${namespace}" for ${owner}, and deletes it with that section`;
    found.push(problem(location, message, "use another namespace"));
  }
  return found;
}

/** Returns the namespaces in which backends and the Secrets of service accounts are, without accounts in that of the verification job. */
function namespacesOfApplications({ services, identityProvider, testEnvironments, verification }: Drafts): Named[] {
  const backend = (location: Location, service: { readonly namespace: string } | undefined): Named => {
    return { namespace: service?.namespace, location: within(location, "service", "namespace") };
  };
  const { enabled, service: echo } = testEnvironments.fields;
  return [
    ...services.map(({ location, fields }) => backend(location, fields.service)),
    ...(enabled === true ? [backend(testEnvironments.location, echo)] : []),
    ...(identityProvider?.fields.service_accounts ?? []).flatMap(({ namespace }, index) => {
      const location = within({ path: "identity_provider.service_accounts" }, index, "namespace");
      return namespace === verification?.fields.namespace ? [] : [{ namespace, location }];
    }),
  ];
}

function createdNamespaces({ identityProvider, dataApi, postgres, verification }: Drafts): Created[] {
  const of = (
    section: string,
    draft: Draft<unknown> | undefined,
    namespace: string | undefined,
    ...path: string[]
  ): Created[] =>
    draft === undefined || namespace === undefined
      ? []
      : [{ section, namespace, location: within(draft.location, ...path, "namespace") }];
  const installs = identityProvider?.fields.install === true;
  return [
    ...of("identity_provider", identityProvider, installs ? identityProvider.fields.namespace : undefined),
    ...of("data_api", dataApi, dataApi?.fields.namespace),
    ...of("postgres", postgres, postgres?.fields.install?.namespace, "install"),
    ...of("verification", verification, verification?.fields.namespace),
  ];
}
