import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { messageOf, proxy, report, sections, shell, stack } from "../stacks.ts";

const cases = [
  {
    title: "a gateway without labels",
    raw: stack({ gateway: { version: "3.7.13", pod_labels: {} } }),
    lines: [
      "gateway.pod_labels: found a section, expected at least one label. Without labels, NetworkPolicies would admit every pod of the namespace.",
    ],
  },
  {
    title: "an unknown section",
    raw: stack({ protected_service: [] }),
    lines: ['gatehouse:protected_service: unknown key. Did you mean "gatehouse:protected_services"?'],
  },
  {
    title: "an unknown key that resembles nothing",
    raw: stack({ postgres: { ...sections.postgres, colour: "red" } }),
    lines: [
      "postgres.colour: unknown key. Remove it, or use one of host, port, user, superuser, password, sslmode, sslrootcert, install.",
    ],
  },
  {
    title: "a list that is a section",
    raw: stack({ protected_services: { wiki: proxy({}) } }),
    lines: ["protected_services: expected a list. Begin each entry with a dash."],
  },
  {
    title: "a protocol that is none",
    raw: stack({ domains: { localhost: { protocol: "htps" } } }),
    lines: ['domains.localhost.protocol: found "htps", expected http or https. Did you mean "https"?'],
  },
  {
    title: "an address that is none",
    raw: stack({ domains: { mesh: { enabled: true, base_domain: "example.org", targets: ["10.0.0.300"] } } }),
    lines: [
      "domains.mesh.targets: contains a value that no DNS record can have. Use an IP address without a zone or ::ffff:, or a DNS name.",
    ],
  },
  {
    title: "no identity provider",
    raw: stack({ identity_provider: undefined }),
    lines: ["identity_provider: missing. Add gatehouse:identity_provider."],
  },
  {
    title: "an installation without what it needs",
    raw: stack({ identity_provider: { token: "${TOKEN}" }, postgres: undefined, data_api: undefined }),
    lines: [
      "identity_provider.admin_password: missing, but install: true requires it. Add it, or set install: false.",
      "identity_provider.secret_key: missing, but install: true requires it. Add it, or set install: false.",
      "identity_provider.database: missing, but install: true requires it. Add it, or set install: false.",
      "identity_provider.install: requires gatehouse:postgres. Add it, or set install: false.",
    ],
  },
  {
    title: "an identity provider that is there, but where",
    raw: stack({ identity_provider: { install: false, token: "${TOKEN}" } }),
    lines: [
      "identity_provider.url: missing, but install: false requires it. Add the address of the identity provider to use.",
    ],
  },
  {
    title: "sample users where others can reach them",
    raw: stack({
      identity_provider: {
        ...sections.identity_provider,
        sample_users: [{ username: "alice", name: "Alice", email: "a@example.org", password: "${SECRET}" }],
      },
    }),
    lines: [
      'identity_provider.sample_users: requires that only localhost is enabled, but domain "mesh" is enabled, too. Remove them, or disable the other domains.',
    ],
  },
  {
    title: "a name of a label that Kubernetes refuses",
    raw: stack({ gateway: { version: "3.7.13", pod_labels: { "bad key!": "x", "a..b/x": "y", "a.b/x": "y" } } }),
    lines: [
      'gateway.pod_labels.bad key!: found "bad key!", expected the key of a Kubernetes label. Write it like release.',
      'gateway.pod_labels.a..b/x: found "a..b/x", expected the key of a Kubernetes label. Write it like release.',
    ],
  },
];

describe("Wrong sections", () => {
  test.each(cases)("are reported: $title", ({ raw, lines }) => {
    expect(messageOf(() => parseStack(raw, shell))).toBe(report(lines));
  });
});
