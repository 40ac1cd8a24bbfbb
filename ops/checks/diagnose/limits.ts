import type { Evidence, Observation } from "./evidence.ts";

/** Returns one line for each failed observation, with the checks that it prevents. */
export function limits({ cluster, identity, ownOrigin, engine, names, answers, notAsked, plan }: Evidence): string[] {
  const parts: [Observation<unknown>, string][] = [
    [cluster.routes, "routes are not compared with the plan"],
    [cluster.middlewares, "middlewares are not compared with the plan"],
    [cluster.services, "pods of applications and of the identity provider are not checked"],
    [cluster.dns, "DNS records and names inside the cluster are not checked"],
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
    ...("unseen" in ownOrigin ? [line(ownOrigin, "its trusted origin is not checked")] : []),
    ...("unseen" in engine ? [line(engine, "the result of the last deployment is not known")] : []),
    ...(notAsked > 0
      ? [`${notAsked} hosts were not checked within a minute; pass one of them: npm run diagnose -- CONTEXT HOST`]
      : []),
    ...(first === undefined ? [] : [`${first}; DNS resolution is not checked`]),
    ...(protectedOnes.length > 0 && isSignedOut
      ? [
          "no user's password is known, so there was no sign-in: a redirect loop after the login is found only by comparing with the plan",
        ]
      : []),
  ];
}

function line(look: Observation<unknown>, limit: string): string {
  return `${"unseen" in look ? look.unseen : ""}; so ${limit}`;
}

function reason(look: Observation<unknown>): string {
  return "unseen" in look ? look.unseen.replace(/^[^:]*: /, "") : "";
}
