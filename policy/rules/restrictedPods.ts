import { type Pod, podsOf } from "../pods.ts";
import {
  at,
  type Fields,
  fieldsOf,
  listOf,
  manifestsOf,
  textAt,
  UNKNOWN,
  type Value,
} from "../../manifests/resource.ts";
import type { Rule, Violation } from "../rule.ts";

/** Kubernetes' Pod Security Standard "restricted", and in addition a read-only root file system, no token and a memory limit. */
export const restrictedPods: Rule = {
  name: "pods-are-restricted",
  description:
    "Every pod complies with the restricted Pod Security Standard, and has a read-only root file system, no token and a memory limit.",
  scope: "resource",
  check: (resources) => manifestsOf(resources).flatMap(podsOf).flatMap(violationsOf),
};

/** Volumes that reach nothing of the node (Pod Security Standards, "Volume Types"). */
const VOLUMES = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
  "name",
]);

interface Requirement {
  readonly message: string;
  readonly hint: string;
  readonly isSatisfied: boolean;
}

function violationsOf(pod: Pod): Violation[] {
  const own = podRequirements(pod);
  const inside = pod.containers.flatMap((container) =>
    containerRequirements(container, pod).map((requirement) => ({
      ...requirement,
      message: `container ${textAt(container, "name") ?? "?"} ${requirement.message}`,
    })),
  );
  return [...own, ...inside]
    .filter(({ isSatisfied }) => !isSatisfied)
    .map(({ message, hint }) => ({ rule: restrictedPods.name, subject: pod.label, message, hint }));
}

function podRequirements({ spec, isPart }: Pod): Requirement[] {
  const context = at(spec, "securityContext");
  const volumes = listOf(spec["volumes"]).flatMap((volume) => Object.keys(fieldsOf(volume)));
  const sources = listOf(spec["volumes"]).flatMap((volume) => listOf(at(volume, "projected", "sources")));
  const absent = isPart ? [undefined] : [];
  return [
    ...["hostNetwork", "hostPID", "hostIPC"].map((key) => ({
      message: `shares the node's ${key.slice("host".length)}`,
      hint: `remove ${key}`,
      isSatisfied: spec[key] !== true,
    })),
    {
      message: `mounts ${volumes.find((kind) => !VOLUMES.has(kind)) ?? ""} of the node`,
      hint: "mount a volume claim, a ConfigMap, a Secret or an emptyDir",
      isSatisfied: volumes.every((kind) => VOLUMES.has(kind)),
    },
    {
      message: "sets kernel parameters",
      hint: "remove securityContext.sysctls",
      isSatisfied: listOf(at(context, "sysctls")).length === 0,
    },
    {
      message: "has a token for the Kubernetes API",
      hint: "set automountServiceAccountToken: false",
      isSatisfied: isOneOf(spec["automountServiceAccountToken"], false, ...absent),
    },
    {
      message: "mounts a token for the Kubernetes API",
      hint: "remove serviceAccountToken from the sources of the volume",
      isSatisfied: sources.every((source) => isOneOf(at(source, "serviceAccountToken"), undefined)),
    },
  ];
}

function containerRequirements(container: Fields, { spec, isPart }: Pod): Requirement[] {
  const own = at(container, "securityContext");
  const inherited = (...keys: string[]): Value => at(own, ...keys) ?? at(spec, "securityContext", ...keys);
  // A patch adds a container with a new name, which has an image; of one that exists, the other fields are in the object.
  const isPartial = isPart && container["image"] === undefined;
  const absent = isPartial ? [undefined] : [];
  const dropped = known(at(own, "capabilities", "drop"));
  const added = known(at(own, "capabilities", "add"));
  const set = (key: string, value: boolean): string => `set securityContext.${key}: ${value}`;
  return [
    { message: "is privileged", hint: "remove privileged", isSatisfied: at(own, "privileged") !== true },
    {
      message: "allows privilege escalation",
      hint: set("allowPrivilegeEscalation", false),
      isSatisfied: isOneOf(at(own, "allowPrivilegeEscalation"), false, ...absent),
    },
    {
      message: "keeps capabilities",
      hint: 'set securityContext.capabilities: { drop: ["ALL"] }, and add at most NET_BIND_SERVICE',
      isSatisfied:
        (dropped.includes("ALL") || dropped.includes(UNKNOWN) || (isPartial && dropped.length === 0)) &&
        added.every((name) => isOneOf(name, "NET_BIND_SERVICE")),
    },
    {
      message: "may run as root",
      hint: set("runAsNonRoot", true),
      isSatisfied: isOneOf(inherited("runAsNonRoot"), true, ...absent),
    },
    { message: "runs as root", hint: "set another runAsUser than 0", isSatisfied: inherited("runAsUser") !== 0 },
    {
      message: "has no seccomp profile",
      hint: "set securityContext.seccompProfile: { type: RuntimeDefault }",
      isSatisfied: isOneOf(inherited("seccompProfile", "type"), "RuntimeDefault", "Localhost", ...absent),
    },
    {
      message: "has a writable root file system",
      hint: `${set("readOnlyRootFilesystem", true)}, and mount an emptyDir where it writes`,
      isSatisfied: isOneOf(at(own, "readOnlyRootFilesystem"), true, ...absent),
    },
    {
      message: "unmasks /proc",
      hint: "remove procMount",
      isSatisfied: isOneOf(at(own, "procMount"), undefined, "Default"),
    },
    {
      message: "uses a port of the node",
      hint: "remove hostPort",
      isSatisfied: listOf(container["ports"]).every((port) => isOneOf(at(port, "hostPort"), undefined, 0)),
    },
    {
      message: "has no memory limit",
      hint: "set resources.limits.memory",
      isSatisfied: isPartial || at(container, "resources", "limits", "memory") !== undefined,
    },
  ];
}

/** Returns the items of a list; of one that is not known yet, one unknown item. */
function known(value: Value): readonly Value[] {
  return value === UNKNOWN ? [UNKNOWN] : listOf(value);
}

/** Returns whether a value is one of these, or not known yet, which breaks nothing. */
function isOneOf(value: Value, ...wanted: readonly Value[]): boolean {
  return value === UNKNOWN || wanted.includes(value);
}
