import { type Paint, signOf } from "../../terminal/paint.ts";
import { counted } from "../../text.ts";
import type { Finding } from "../finding.ts";
import { TITLES } from "./symptom.ts";
import type { Diagnosis, HostDiagnosis } from "./diagnosis.ts";

/** Returns whether a host has a symptom or a cause of one, or the stack has a finding. */
export function isAnythingWrong({ hosts, stackFindings }: Diagnosis): boolean {
  return stackFindings.length > 0 || hosts.some(isWrong);
}

function isWrong({ symptom, cause }: HostDiagnosis): boolean {
  return symptom.kind !== "none" || cause !== undefined;
}

/** Returns one line for each host, and the details of those with a symptom. */
export function describe(diagnosis: Diagnosis, paint: Paint): string {
  const { context, stack, hosts, stackFindings, warnings, limits } = diagnosis;
  const wrong = hosts.filter(isWrong);
  const blocks = [
    paint("bold", `${context} (stack ${stack})`),
    hosts.map((host) => line(host, paint)).join("\n"),
    ...wrong.map((host) => details(host, paint)),
    ...stackFindings.map((finding) => [paint("bold", "Stack"), ...findingLines(finding, paint)].join("\n")),
    list("Skipped by the plan", warnings),
    list("Not checked", limits),
    summary(wrong, stackFindings),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function line(host: HostDiagnosis, paint: Paint): string {
  const { url, symptom, cause } = host;
  if (!isWrong(host)) return `${signOf("passed", paint)} ${url}  ${paint("dim", symptom.observed)}`;
  const title = symptom.kind === "none" ? "not as planned" : TITLES[symptom.kind];
  return `${signOf("failed", paint)} ${url}  ${title}: ${cause?.subject ?? "no known cause"}`;
}

function details({ url, symptom, cause, also }: HostDiagnosis, paint: Paint): string {
  const lines = [paint("bold", url), `  Symptom   ${TITLES[symptom.kind]}: ${symptom.observed}`];
  if (cause === undefined) {
    const none = "unknown; read the log of the application, and see below what was not checked";
    return [...lines, `  Cause     ${none}`].join("\n");
  }
  const others = also.map((finding) => `  Also      ${finding.subject}: ${finding.message}`);
  return [...lines, ...findingLines(cause, paint), ...others].join("\n");
}

function findingLines({ subject, message, evidence, hint }: Finding, paint: Paint): string[] {
  return [
    `  Cause     ${paint("red", subject)}: ${message}`,
    ...evidence.map((one, index) => `  ${index === 0 ? "Evidence " : "         "} ${one}`),
    `  Hint      ${paint("yellow", hint)}`,
  ];
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [title, ...lines.map((one) => `  ${one}`)].join("\n");
}

function summary(wrong: readonly HostDiagnosis[], stackFindings: readonly Finding[]): string {
  if (wrong.length === 0 && stackFindings.length === 0) return "No symptom.";
  const causes = new Set(
    [...wrong.flatMap(({ cause }) => cause ?? []), ...stackFindings].map(({ subject }) => subject),
  );
  const hosts = `${counted(wrong.length, "host")} with a symptom`;
  return `${hosts}; ${causes.size === 0 ? "no known cause" : `cause: ${[...causes].join(", ")}`}.`;
}
