import type { Evidence } from "./evidence.ts";
import type { Observation } from "../observation.ts";

const NOT_REQUESTED = "hosts were not checked within a minute; pass one of them: npx gatehouse diagnose CONTEXT HOST";
const NOT_SIGNED_IN =
  "no user's password is known, so there was no sign-in: a redirect loop after the login is found only by comparing with the plan";

/** Returns one line for each failed observation, with the checks that it prevents. */
export function unchecked(evidence: Evidence): string[] {
  const { identity, ownOrigin, engine, names, answers, notRequested, plan } = evidence;
  const others: [Observation<unknown>, string][] = [
    [identity, "providers, applications, outposts and groups are not compared with the plan"],
    [ownOrigin, "its trusted origin is not checked"],
    [engine, "the result of the last deployment is not known"],
  ];
  const [name] = [...names.values()].flatMap((one) => ("unavailable" in one ? [one.unavailable] : []));
  const protectedHosts = plan.exposures.filter(
    ({ authentication, url }) => authentication === "forward-auth" && answers.has(url),
  );
  const isSignedOut = protectedHosts.every(({ url }) => answers.get(url)?.withSession === undefined);
  return [
    ...clusterLimits(evidence),
    ...others.flatMap(lineOf),
    ...(notRequested > 0 ? [`${notRequested} ${NOT_REQUESTED}`] : []),
    ...(name === undefined ? [] : [`${name}; DNS resolution is not checked`]),
    ...(protectedHosts.length > 0 && isSignedOut ? [NOT_SIGNED_IN] : []),
  ];
}

function clusterLimits({ cluster }: Evidence): string[] {
  const { objects, secrets, rewrite } = cluster;
  const parts: [Observation<unknown>, string][] = [
    [objects, "routes, middlewares, pods and records are not compared with the plan"],
    [secrets, "Secrets of basic auth are not checked"],
    [rewrite, "names inside the cluster are not checked"],
  ];
  if ("unavailable" in objects && parts.every(([part]) => "unavailable" in part)) {
    const reason = objects.unavailable.replace(/^[^:]*: /, "");
    return [`the cluster: ${reason}; so ${parts[0]?.[1]}`];
  }
  const unread = "value" in objects ? [...objects.value.unread] : [];
  const kinds = unread.map(([kind, reason]) => `every ${kind}: ${reason}; so it is not compared with the plan`);
  return [...kinds, ...parts.flatMap(lineOf)];
}

function lineOf([observation, limit]: [Observation<unknown>, string]): string[] {
  return "unavailable" in observation ? [`${observation.unavailable}; so ${limit}`] : [];
}
