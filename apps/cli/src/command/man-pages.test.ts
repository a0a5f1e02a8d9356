import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { environmentVariables } from "../command-descriptions.js";
import { commandGroups, commands } from "../commands.js";
import { listManPages, renderManPages } from "./man-pages.js";
import { globalFlags } from "./program.js";

const run = promisify(execFile);
const pages = renderManPages({
  groups: commandGroups,
  flags: globalFlags,
  variables: environmentVariables,
  version: "0.1.0",
});

it("[INSTALL-13] each command is on a page with its summary, flags and examples, and the package lists each page", () => {
  expect(Object.keys(pages).map((name) => `./man/${name}`)).toEqual(listManPages(commandGroups));
  for (const { name, flags = [], examples } of commands) {
    const page = (pages[`merkle-${name.split(" ")[0]}.1`] ?? "").replaceAll("\\-", "-");
    expect(page).toContain(`merkle ${name}`);
    for (const each of flags) if (!each.hidden) expect(page).toContain(each.flags.replaceAll('"', '""'));
    expect(page.split("\n").length).toBeGreaterThan(examples.length + 8);
    expect(pages["merkle.1"]?.replaceAll("\\-", "-")).toContain(`"merkle ${name}"`);
  }
});

it("[INSTALL-13] a page has the sections of a man page in order, and no line is taken for a request", () => {
  for (const [name, text] of Object.entries(pages)) {
    const requests = text.split("\n").filter((line) => /^[.']/.test(line));
    for (const line of requests)
      expect(line, name).toMatch(/^\.(?:TH|nh|ad|SH|SS|TP|PP|B|BR|br|nf|fi)(?: |$)/);
    const sections = requests.filter((line) => line.startsWith(".SH ")).map((line) => line.slice(4));
    expect(sections.slice(0, 3), name).toEqual(["NAME", "SYNOPSIS", "DESCRIPTION"]);
    expect(text, name).toMatch(/^[ -~\n]*$/);
  }
});

it("[INSTALL-13] groff renders every page without a warning", async ({ skip }) => {
  const hasGroff = await run("groff", ["--version"]).then(
    () => true,
    () => false,
  );
  if (!hasGroff) skip("groff is not installed");
  const folder = await mkdtemp(join(tmpdir(), "merkle-man-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(pages)) await writeFile(join(folder, name), text);
  for (const name of Object.keys(pages)) {
    const { stdout, stderr } = await run("groff", ["-man", "-ww", "-Tutf8", "-rLL=80n", join(folder, name)]);
    expect(stderr, name).toBe("");
    expect(stdout, name).toContain("merkle");
  }
});
