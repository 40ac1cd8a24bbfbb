import type { Evidence, Observation } from "./evidence.ts";

/** What could not be looked at, and how that limits the answer; one line each, equal reasons once. */
export function limits({ cluster, identity, ownOrigin, engine, names, answers, notAsked, plan }: Evidence): string[] {
  const parts: [Observation<unknown>, string][] = [
    [cluster.routes, "routes are not compared with the plan"],
    [cluster.middlewares, "what stands in front of services is not compared with the plan"],
    [cluster.services, "whether applications and the identity provider run is not known"],
    [cluster.dns, "records and names inside the cluster are not looked at"],
    [cluster.serverSettings, "the list of trusted proxies is not read"],
    [cluster.traefik, "the version of Traefik is not read"],
  ];
  const blind = parts.filter(([look]) => "unseen" in look);
  const lines =
    blind.length === parts.length
      ? [
          `the cluster: ${reason(cluster.routes)}; so routes, middlewares, pods and records are not compared with the plan`,
        ]
      : blind.map(([look, limit]) => line(look, limit));
  const [first] = [...names.values()].flatMap((look) => ("unseen" in look ? [look.unseen] : []));
  const protectedOnes = plan.exposures.filter(
    ({ authentication, url }) => authentication === "forward-auth" && answers.has(url),
  );
  const isSignedOut = protectedOnes.every(({ url }) => answers.get(url)?.withSession === undefined);
  return [
    ...lines,
    ...("unseen" in identity
      ? [line(identity, "providers, applications, outposts and groups are not compared with the plan")]
      : []),
    ...("unseen" in ownOrigin ? [line(ownOrigin, "whether it trusts the origin of its logins is not known")] : []),
    ...("unseen" in engine ? [line(engine, "whether the last deployment run came to its end is not known")] : []),
    ...(notAsked > 0
      ? [`${notAsked} hosts were not asked within a minute; name one of them: npm run diagnose -- CONTEXT HOST`]
      : []),
    ...(first === undefined ? [] : [`${first}; whether it resolves is not known`]),
    ...(protectedOnes.length > 0 && isSignedOut
      ? ["nobody's password is known here, so nobody signed in: a loop after the login shows only in what is compared"]
      : []),
  ];
}

function line(look: Observation<unknown>, limit: string): string {
  return `${"unseen" in look ? look.unseen : ""}; so ${limit}`;
}

function reason(look: Observation<unknown>): string {
  return "unseen" in look ? look.unseen.replace(/^[^:]*: /, "") : "";
}
