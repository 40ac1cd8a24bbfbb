/**
 * A fake of GitHub's `gh` with the nine commands that the workflows use, on a JSON file instead of an account. It rejects every other
 * command and option.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

interface Pull {
  readonly number: number;
  readonly headRefOid: string;
  readonly baseRefName: string;
  labels: readonly { readonly name: string }[];
}

interface Viewed {
  readonly labels: Pull["labels"];
  readonly comments: readonly Comment[];
}

/** The fields of a request for a commit status. */
type Status = Readonly<Record<string, string>>;

interface Comment {
  /** Number of its pull request. */
  readonly number: number;
  readonly author: string;
  body: string;
}

interface Issue {
  readonly number: number;
  readonly title: string;
  readonly author: string;
  body: string;
  state: string;
  comment?: string;
}

export interface GitHub {
  readonly pulls: readonly Pull[];
  readonly comments: Comment[];
  readonly issues: Issue[];
  /** Commit statuses by path of the request, in order. */
  readonly statuses: (readonly [path: string, status: Status])[];
}

/** The account of a workflow's token. */
export const BOT = "app/github-actions";
/** GitHub's limit, in characters. */
const MAX_BODY = 65_536;

type Options = Readonly<Record<string, string | boolean | undefined>>;

/** The filters of the workflows, which a real `gh` runs as jq. */
const FILTERS: Readonly<Record<string, (list: never) => string>> = {
  '.[] | select(.headRefOid == env.HEAD_SHA) | "\\(.number) \\(.baseRefName)"': (pulls: readonly Pull[]) =>
    pulls
      .filter(({ headRefOid }) => headRefOid === process.env["HEAD_SHA"])
      .map(({ number, baseRefName }) => `${number} ${baseRefName}\n`)
      .join(""),
  '"\\(any(.labels[]; .name == "allow-public")) \\(([.comments[] | select(.viewerDidAuthor)] | last // {body: ""}).body | startswith("<!-- \\(env.COMPARED) -->"))"':
    ({ labels, comments }: Viewed) => {
      const labelled = labels.some(({ name }) => name === "allow-public");
      const own = comments.findLast(({ author }) => author === BOT)?.body ?? "";
      return `${labelled} ${own.startsWith(`<!-- ${process.env["COMPARED"]} -->`)}\n`;
    },
  '[.[] | select(.title == env.TITLE and .author.login == "app/github-actions") | .number][0] // ""': (
    issues: readonly Issue[],
  ) => `${issues.find(({ title, author }) => title === process.env["TITLE"] && author === BOT)?.number ?? ""}\n`,
};

const COMMANDS: Readonly<Record<string, (options: Options, number: number, state: GitHub) => void>> = {
  "pr list": (options, _, { pulls }) => print(options, pulls),
  "pr view": (options, number, { pulls, comments }) => {
    if (options["json"] !== "comments,labels") throw new Error(`unknown fields ${String(options["json"])}`);
    const labels = pulls.find((pull) => pull.number === number)?.labels ?? [];
    print(options, { labels, comments: comments.filter((comment) => comment.number === number) });
  },
  "pr comment": (options, number, { comments }) => {
    if (!options["edit-last"] || !options["create-if-none"]) throw new Error("a second run would add a second comment");
    const own = comments.findLast((comment) => comment.number === number && comment.author === BOT);
    if (own) own.body = bodyOf(options);
    else comments.push({ number, author: BOT, body: bodyOf(options) });
  },
  "issue list": (options, _, { issues }) => {
    if (options["json"] !== "number,title,author") throw new Error(`unknown fields ${String(options["json"])}`);
    const listed = issues.filter((issue) => issue.state === options["state"]);
    // GitHub's own filter does not find the issues of this app (https://github.com/cli/cli/issues/5888).
    print(options, options["app"] === undefined ? listed : []);
  },
  "issue create": (options, _, { issues }) => {
    const title = String(options["title"]);
    issues.push({ number: issues.length + 1, title, body: bodyOf(options), author: BOT, state: "open" });
  },
  "issue edit": (options, number, { issues }) => {
    Object.assign(issueOf(issues, number), { body: bodyOf(options) });
  },
  "issue close": ({ comment }, number, { issues }) => {
    Object.assign(issueOf(issues, number), { state: "closed", comment });
  },
};

function print({ jq }: Options, data: unknown): void {
  const filter = FILTERS[String(jq)];
  if (!filter) throw new Error(`unknown filter ${String(jq)}`);
  process.stdout.write(filter(data as never));
}

function bodyOf(options: Options): string {
  const body = readFileSync(String(options["body-file"]), "utf8");
  if (body === "" || body.length > MAX_BODY) throw new Error(`body of ${body.length} characters`);
  return body;
}

function issueOf(issues: readonly Issue[], number: number): Issue {
  const found = issues.find((issue) => issue.number === number);
  if (!found) throw new Error(`no issue ${number}`);
  return found;
}

/** `gh api --silent --method DELETE repos/…/issues/NUMBER/labels/NAME`, which GitHub refuses with 404 for another label. */
function removeLabel(path: string): void {
  const [, number, label] = /^repos\/[^/]+\/[^/]+\/issues\/(\d+)\/labels\/([\w-]+)$/.exec(path) ?? [];
  const file = process.env["GH_EMULATOR_STATE"] ?? "";
  const state = JSON.parse(readFileSync(file, "utf8")) as GitHub;
  const pull = state.pulls.find((one) => one.number === Number(number));
  if (!pull?.labels.some(({ name }) => name === label)) throw new Error(`HTTP 404: ${path}`);
  pull.labels = pull.labels.filter(({ name }) => name !== label);
  writeFileSync(file, JSON.stringify(state));
}

/** `gh api --silent PATH -f NAME=VALUE…`, which sends a POST. */
function setStatus(silent: string, [path = "", ...args]: readonly string[]): void {
  if (silent !== "--silent" || !/^repos\/[^/]+\/[^/]+\/statuses\/[0-9a-f]{40}$/.test(path))
    throw new Error(`unknown path ${path}`);
  const { values } = parseArgs({
    args: [...args],
    options: { field: { type: "string", short: "f", multiple: true, default: [] } },
  });
  const status = Object.fromEntries(values.field.map((field) => field.split(/=(.*)/s).slice(0, 2) as [string, string]));
  const file = process.env["GH_EMULATOR_STATE"] ?? "";
  const state = JSON.parse(readFileSync(file, "utf8")) as GitHub;
  state.statuses.push([path, status]);
  writeFileSync(file, JSON.stringify(state));
}

if (import.meta.main) {
  if (!process.env["GH_TOKEN"]) throw new Error("GH_TOKEN is not set");
  const [group = "", verb = "", ...args] = process.argv.slice(2);
  if (group === "api") {
    if (args[0] === "--method" && args[1] === "DELETE") removeLabel(args[2] ?? "");
    else setStatus(verb, args);
    process.exit();
  }
  const command = COMMANDS[`${group} ${verb}`];
  if (!command) throw new Error(`unknown command ${group} ${verb}`);
  const strings = ["state", "limit", "json", "jq", "app", "title", "comment", "body-file"];
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(strings.map((name) => [name, { type: "string" as const }])),
      "edit-last": { type: "boolean" },
      "create-if-none": { type: "boolean" },
    },
  });
  const file = process.env["GH_EMULATOR_STATE"] ?? "";
  const state = JSON.parse(readFileSync(file, "utf8")) as GitHub;
  command(values, Number(positionals[0]), state);
  writeFileSync(file, JSON.stringify(state));
}
