/** Exports of a table: its request in four languages, and its rows as files. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { sendRequest, rowsOf, until } from "../apiClient.ts";
import { texts, useBrowser } from "./browser.ts";
import { shownRows, formatRows } from "./table.ts";

const visit = useBrowser();
const run = promisify(execFile);

/** A view with filter, order, columns and a later page, with special characters of shells and string literals. */
const VIEW =
  "/data/marts/dim_kommune?col=kommune_nr&col=kommune_navn&sort=kommune_navn.desc&page=2&size=25" +
  `&${new URLSearchParams({ "where.kommune_navn": "neq.a'b\"c\\d$HOME`id`&x=1#%" })}`;
const NOT_DEFAULT = { headers: { "Accept-Profile": "marts" } };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-snippets-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Begins a download that gets no response, and waits until an action cancels its request. */
async function cancelDownload(page: Page, act: () => Promise<void>): Promise<void> {
  await page.route(/ref_number\?.*offset=0$/, () => undefined);
  await page.getByText("Download", { exact: true }).click();
  const isBatch = (request: { url(): string }): boolean => request.url().endsWith("offset=0");
  const batch = page.waitForEvent("request", isBatch);
  await page.getByRole("button", { name: "CSV" }).click();
  await batch;
  await Promise.all([page.waitForEvent("requestfailed", isBatch), act()]);
}

async function snippet(page: Page, language: string): Promise<string> {
  await page.getByRole("button", { name: language, exact: true }).click();
  return page.getByRole("region", { name: `The exact request, ${language}` }).innerText();
}

/** Runs Python with a fake of the library `requests` that returns its arguments. */
async function runPython(program: string): Promise<{ url: string; headers: Record<string, string> }> {
  const library = `class Response:
    def raise_for_status(self): pass
    def json(self): return self.arguments
def get(url, headers={}, timeout=None):
    response = Response()
    response.arguments = {"url": url, "headers": headers}
    return response
`;
  writeFileSync(join(folder, "requests.py"), library);
  writeFileSync(join(folder, "program.py"), `${program}\nimport json\nprint(json.dumps(rows))\n`);
  const { stdout } = await run("python3", [join(folder, "program.py")]);
  return JSON.parse(stdout) as { url: string; headers: Record<string, string> };
}

describe("the exact request", () => {
  test("returns the shown rows with curl, JavaScript and Python, and R sends the same request", async () => {
    await visit(VIEW, async (page) => {
      const shown = await shownRows(page);
      expect(shown.length).toBe(25);
      const { stdout } = await run("sh", ["-c", await snippet(page, "curl")]);
      expect(formatRows(JSON.parse(stdout) as Record<string, unknown>[])).toEqual(shown);

      const javaScript = await snippet(page, "JavaScript");
      // Runs in a function, since the snippet uses `await` at the top level of a module.
      const answered = await page.evaluate<Record<string, unknown>[]>(
        `(async () => { ${javaScript}; return rows; })()`,
      );
      expect(formatRows(answered)).toEqual(shown);

      const { url, headers } = await runPython(await snippet(page, "Python"));
      expect(headers).toEqual({ "Accept-Profile": "marts" });
      const rows = await rowsOf(`GET ${url.slice(inject("data").url.length)}`, { headers });
      expect(formatRows(rows)).toEqual(shown);
      expect(javaScript).toContain(JSON.stringify(url));

      const r = await snippet(page, "R");
      expect(r).toBe(
        `library(httr2)\n\nrows <- request(${JSON.stringify(url)}) |>\n  req_headers("Accept-Profile" = "marts") |>\n` +
          "  req_perform() |>\n  resp_body_json(simplifyVector = TRUE)\n",
      );
    });
  });

  test("is copied by a button, or selected if the browser does not allow copying", async () => {
    const context = { permissions: ["clipboard-read", "clipboard-write"] };
    await visit(
      "/data/api_v1/distrikt_summary",
      async (page) => {
        const text = await snippet(page, "curl");
        expect(text).toBe(
          `curl --fail --globoff '${inject("data").url}/distrikt_summary?order=fylke_nr,fylke_navn,kommuner&limit=100'\n`,
        );
        const copy = page.locator("[aria-labelledby=request]").getByRole("button", { name: "Copy" });
        await copy.click();
        await page.getByText("Copied", { exact: true }).waitFor();
        expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
        await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
        await copy.click();
        await page.getByText("The text is selected").waitFor();
        expect(await page.evaluate(() => String(getSelection()).trim())).toBe(text.trim());
      },
      { context },
    );
  });
});

describe("a download", () => {
  async function save(page: Page, format: "CSV" | "JSON"): Promise<{ name: string; text: string }> {
    const summary = page.getByText("Download", { exact: true });
    if (!(await page.getByRole("button", { name: format }).isVisible())) await summary.click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: format }).click(),
    ]);
    const file = join(folder, download.suggestedFilename());
    await download.saveAs(file);
    return { name: download.suggestedFilename(), text: readFileSync(file, "utf8") };
  }

  test("contains the chosen columns and all matching rows as CSV", async () => {
    await visit("/data/marts/ref_number?where.number=gt.100&sort=number.desc&size=25&page=3", async (page) => {
      const { name, text } = await save(page, "CSV");
      expect(name).toBe("marts.ref_number.csv");
      const numbers = Array.from({ length: 1400 }, (_, index) => 1500 - index);
      expect(text).toBe(`\uFEFF"number"\r\n${numbers.map((number) => `"${number}"\r\n`).join("")}`);
      await until(["Saved 1,400 rows."], () => texts(page, ".tools details [role=status]"));
    });
  });

  test("is cancelled when the user opens another page", async () => {
    await visit("/data/marts/ref_number", async (page) => {
      await cancelDownload(page, () => page.getByRole("link", { name: "All data" }).first().click());
      await page.getByRole("heading", { name: "All data" }).waitFor();
    });
  });

  test("is cancelled when the filters change", async () => {
    await visit("/data/marts/ref_number?where.number=gt.100", async (page) => {
      await cancelDownload(page, () => page.getByRole("button", { name: "Remove all filters" }).click());
      await page.getByText("Download", { exact: true }).click();
      expect(await texts(page, ".tools details [role=status]")).toEqual([""]);
      expect(await page.getByRole("button", { name: "CSV" }).isEnabled()).toBe(true);
    });
  });

  test("quotes values in CSV (RFC 4180), and equals the API's response as JSON", async () => {
    await visit("/data/marts/fact_observation?col=label&col=doc&col=amount&col=tags", async (page) => {
      const { text } = await save(page, "CSV");
      expect(text.slice(1).split("\r\n")).toEqual([
        "label,doc,amount,tags",
        'Grey heron,"{""a"":{""b"":[1,2]},""n"":1}",1.5,"[""bird"",""water""]"',
        'grey seal,"{""a"":{""b"":[]},""n"":2}",2,"[""mammal"",""water""]"',
        'Red fox,"{""n"":3}",-3,"[""mammal""]"',
        '"100% sure, ""maybe"" (not)",,1000000000000000000000,[]',
        'Blåbær,[],0,"[""plant"",""two words""]"',
        ",,,[]",
        "",
      ]);
      const json = await save(page, "JSON");
      const target = "GET /fact_observation?select=label,doc,amount,tags&order=id";
      const { body } = await sendRequest(target, NOT_DEFAULT);
      expect(json).toEqual({ name: "marts.fact_observation.json", text: `${body}\n` });
      expect(json.text).toContain("1000000000000000000000");
    });
  });
});
