/** Namespaces that the stack creates: each has one owner, since a removed section takes its namespace along. */
import type { Draft } from "../schema/draft.ts";
import { type Location, within } from "../errors/location.ts";
import { type Problem, problem } from "../errors/problems.ts";
import type { DataApiDraft } from "../sections/dataApi/dataApi.ts";
import type { GatewayDraft } from "../sections/gateway.ts";
import type { IdentityProviderDraft } from "../sections/identityProvider/identityProvider.ts";
import type { ObservabilityDraft } from "../sections/observability.ts";
import { OPERATOR_NAMESPACE, type PostgresDraft } from "../sections/postgres/postgres.ts";
import type { VerificationDraft } from "../sections/verification.ts";

interface Drafts {
  readonly identityProvider: IdentityProviderDraft | undefined;
  readonly dataApi: DataApiDraft | undefined;
  readonly postgres: PostgresDraft | undefined;
  readonly verification: VerificationDraft | undefined;
  readonly gateway: GatewayDraft | undefined;
  readonly observability: ObservabilityDraft | undefined;
}

interface Created {
  readonly section: string;
  readonly namespace: string;
  readonly location: Location;
}

/** Namespaces of every cluster. */
const SYSTEM = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Checks that each namespace that the stack creates is that of one section, and exists nowhere else. */
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
  return found;
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
