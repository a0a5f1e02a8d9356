import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { installTestClaude } from "../apps/cli/src/test-kit/claude.js";
import { type TestMerkle, testMerkle } from "../apps/cli/src/test-kit/merkle.js";
import { buildSite, listSitePages } from "../scripts/site/build-site.mjs";
import { createCleanup } from "./kit/cleanup.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
const cleanup = createCleanup();
let merkle: TestMerkle;
beforeAll(async () => {
  merkle = await testMerkle(cleanup);
  expect(await merkle.run(["up", "--port", "0", "--detach"])).toMatchObject({ code: 0 });
});

interface Block {
  readonly script: string;
  /** The reason why no test runs this block, as stated on the page. */
  readonly reason: string | undefined;
}

/**
 * Returns the shell blocks on a page. The page gives a reason in an HTML comment before each block that no test runs.
 */
function blocksOf(text: string): Block[] {
  const blocks = text.matchAll(/(?:<!-- not run: ([^>]*?) -->\n)?^```(?:sh|bash)\n([\s\S]*?)^```/gm);
  return [...blocks].map(([, reason, script = ""]) => ({ script, reason }));
}

const read = (page: string) => readFile(join(root, page), "utf8");

/** AGENTS.md is excluded, because agents-page.test.ts runs the examples on that page as the broker serves them. */
const pages = listSitePages(root)
  .flatMap((group) => group.pages)
  .filter((page) => page !== "AGENTS.md")
  .concat("README.md", "apps/cli/README.md");
const withCommands = await Promise.all(
  pages.map(async (page) => ({ page, blocks: blocksOf(await read(page)) })),
).then((all) => all.filter(({ blocks }) => blocks.some(({ reason }) => reason === undefined)));

/**
 * Runs the commands as written, without a terminal. `merkle` and `npx merkle` run the built command. Commands that run until stopped (`watch`,
 * `tail`) are stopped after their first output.
 */
const asTyped = `
exec < /dev/null
merkle() {
  case "$1 $*" in
    watch*|tail*) until_heard "$@" ;;
    *) "$NODE" "$PROGRAM" "$@" ;;
  esac
}
npx() { shift; merkle "$@"; }
until_heard() {
  heard=$(mktemp)
  "$NODE" "$PROGRAM" "$@" > "$heard" 2>&1 &
  until [ -s "$heard" ] || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
  kill -TERM $! 2>/dev/null || true
  wait $! || [ $? = 130 ]
  cat "$heard"
}
`;

for (const shown of withCommands) {
  const calls = (program: string) => shown.blocks.some(({ script }) => script.includes(program));
  const tags = [...(shown.page === "README.md" ? [] : ["long"]), ...(calls("curl ") ? ["curl"] : [])];
  it(`the commands of ${shown.page} run as they stand there, one after the other`, { tags }, () =>
    runCommands(shown),
  );
}

async function runCommands(shown: (typeof withCommands)[number]): Promise<void> {
  const { url } = await merkle.readRunFile();
  const folder = await mkdtemp(join(tmpdir(), "merkle-docs-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const claude = await installTestClaude(folder);
  const script = shown.blocks
    .filter(({ reason }) => reason === undefined)
    .map((block) => block.script)
    .join("\n")
    .replaceAll("http://localhost:7423", url);
  const { stdout } = await run("bash", ["--norc", "-eu", "-c", `${asTyped}\n${script}`], {
    cwd: folder,
    env: {
      PATH: [claude, process.env["PATH"]].join(delimiter),
      TMPDIR: folder,
      HOME: merkle.home,
      MERKLE_HOME: merkle.home,
      NODE: process.execPath,
      PROGRAM: inject("program"),
      TEST_RECORD: join(folder, "claude.json"),
      TEST_END: "0",
      LANG: "C.UTF-8",
    },
  });
  if (shown.page.endsWith("any-client.md")) {
    // The replies to the wait and to the post can be printed in either order (WAIT-1).
    expect(stdout).toContain('"next_cursor":2');
    expect(stdout).toContain('"text":"I take the token refresh."');
    expect(stdout).toMatch(/"message_id":"[^"]+","cursor":2/);
  }
}

it("what is not run says why", async () => {
  const reasons = (await Promise.all(pages.map(read)))
    .flatMap(blocksOf)
    .flatMap(({ reason }) => reason ?? []);
  for (const reason of reasons) expect(reason.length, reason).toBeGreaterThan(20);
});

it("the README fits into 110 lines, and both commands are on its first screen", async () => {
  const lines = (await read("README.md")).trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(110);
  const firstScreen = lines.slice(0, 20).join("\n");
  expect(firstScreen).toContain("\nnpm start ");
  expect(firstScreen).toContain("\nnpm test ");
});

describe("the site", () => {
  it("has every page, no link that leads nowhere, and nothing inline that a policy would have to allow", async () => {
    const folder = await mkdtemp(join(tmpdir(), "merkle-site-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "old.html"), "of an earlier build");
    const count = await buildSite({ root, folder, base: "/docs/" });
    const files = await readdir(folder, { recursive: true });
    const html = files.filter((name) => name.endsWith(".html"));
    expect(html.length).toBe(count);
    const landing = await readFile(join(folder, "index.html"), "utf8");
    expect(landing.indexOf("guide/first-session.html")).toBeLessThan(landing.indexOf("reference/"));
    expect(landing).not.toContain("npm start");
    for (const name of html) {
      const page = await readFile(join(folder, name), "utf8");
      expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|<[^>]+\son\w+=/);
      for (const [, address = ""] of page.matchAll(/(?:href|src)="\/docs\/([^"#]*)/g)) {
        expect(files, `${name} links to ${address}`).toContain(address === "" ? "index.html" : address);
      }
    }
    const entries: { url: string; text: string }[] = JSON.parse(
      await readFile(join(folder, "search.json"), "utf8"),
    );
    expect(entries.find(({ url }) => url.startsWith("/docs/guide/records.html"))?.text).toContain(
      "Merkle root",
    );
  });
});
