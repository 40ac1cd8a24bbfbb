/** A stack that uses existing systems and needs every kind of prerequisite, and what a cluster needs for it. */
import { expect } from "vitest";
import type { Check, Examination, Systems } from "./systems.ts";

export class Stack {
  readonly #systems: Systems;
  /** Everything that the command printed. */
  output = "";

  constructor(systems: Systems) {
    this.#systems = systems;
  }

  config(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    return {
      "gatehouse:domains": domains(),
      "gatehouse:protected_services": [service("wiki", ["staff"])],
      "gatehouse:identity_provider": this.identityProvider(),
      "gatehouse:postgres": this.postgres(),
      "gatehouse:data_api": { domains: "auto", authenticator_password: "${AUTHENTICATOR}", owner_password: "${OWNER}" },
      "gatehouse:images": { required: false },
      ...changes,
    };
  }

  identityProvider(fields: object = {}): object {
    return { install: false, url: this.#systems.authentikUrl, token: "${TOKEN}", ...fields };
  }

  postgres(fields: object = {}): object {
    const { host, port } = this.#systems.postgres;
    return { host, port, password: "${POSTGRES}", sslmode: "disable", ...fields };
  }

  /** Runs the command. @param changes replace sections of the stack file */
  async examine(
    changes: Readonly<Record<string, unknown>> = {},
    options?: Parameters<Systems["examine"]>[1],
  ): Promise<Examination> {
    const examination = await this.#systems.examine(this.config(changes), options);
    this.output += examination.output;
    return examination;
  }

  /** Creates the pod and the Service of a Traefik. */
  async deployTraefik(): Promise<void> {
    const [name, labels] = ["traefik", { "app.kubernetes.io/name": "traefik" }];
    const args = [
      "--entryPoints.web.address=:8000/tcp",
      "--entryPoints.websecure.address=:8443/tcp",
      ...["web", "websecure"].map((name) => `--entryPoints.${name}.http.maxHeaderBytes=65536`),
      "--providers.kubernetescrd",
      "--certificatesresolvers.letsencrypt.acme.email=ops@example.org",
    ];
    const containers = [{ name, image: "rancher/mirrored-library-traefik:3.7.13", args }];
    const pods = { metadata: { name, labels }, spec: { containers } };
    const services = { metadata: { name }, spec: { type: "LoadBalancer", selector: labels, ports: [{ port: 80 }] } };
    for (const [kind, object] of Object.entries({ pods, services })) {
      const path = `/api/v1/namespaces/kube-system/${kind}`;
      expect((await this.#systems.cluster.call("POST", path, object)).status).toBe(201);
    }
  }

  /** Creates or changes the Deployment of an ExternalDNS. */
  async deployExternalDns(args: readonly string[]): Promise<void> {
    const [name, labels] = ["external-dns", { app: "external-dns" }];
    const containers = [{ name, image: "registry.k8s.io/external-dns/external-dns:v0.19.0", args }];
    const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const { status } = await this.#systems.cluster.call("POST", path, { metadata: { name }, spec });
    if (status !== 409) return;
    expect((await this.#systems.cluster.call("PATCH", `${path}/${name}`, { spec })).status).toBe(200);
  }
}

export function domains(tls: unknown = { resolver: "letsencrypt" }): object {
  const external = { enabled: true, base_domain: "gatehouse-doctor.test", targets: ["203.0.113.7"] };
  return { localhost: {}, external: { ...external, tls } };
}

export function service(name: string, groups: readonly string[]): object {
  const backend = { name, namespace: "default", port: 80 };
  return { name, type: "proxy", description: name, domains: "auto", application_slug: name, service: backend, groups };
}

/** Returns the checks that failed, and what they printed. @param subjects only these; default: all */
export function failures({ checks }: Examination, ...subjects: readonly string[]): Record<string, Check> {
  const isAsked = (name: string) => subjects.length === 0 || subjects.includes(name.split(":")[0] ?? "");
  return Object.fromEntries(Object.entries(checks).filter(([name, { state }]) => state === "failed" && isAsked(name)));
}

export const fails = (detail: string, hint: string): Check => ({ state: "failed", detail, hint });
export const passes = (detail: string): Check => ({ state: "passed", detail });
