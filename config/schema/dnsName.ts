import { DNS_LABEL } from "./fields.ts";

/** Returns whether a name has lower case, labels of at most 63 characters, and a last label that no address has (RFC 1123, 2.1). */
export function isDnsName(name: string): boolean {
  const labels = name.split(".");
  return name.length <= 253 && labels.every((label) => DNS_LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? "");
}

/** Domains whose names are nodes: `<tailnet>.ts.net`. */
const TAILNET = /(^|\.)ts\.net$/;

/** Returns whether each name on a base domain is a node of a tailnet. */
export function isTailnet(baseDomain: string): boolean {
  return TAILNET.test(baseDomain);
}
