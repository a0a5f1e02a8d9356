import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { createCleanup } from "../../../../../tests/kit/cleanup.js";
import { type ModelServer, replyWithText, startModelServer } from "../../../../../tests/kit/model-server.js";
import { startStdioServer } from "../../../../../tests/kit/stdio.js";
import { createTestDatabase } from "../../../../../tests/kit/test-database.js";
import { trustFile } from "../../settings/foreign-file.js";
import { type TestMerkle, testMerkle } from "../../test-kit/merkle.js";
import { findForeignSettings } from "./progress-settings.js";

const apiKey = "sk-test-5up3r-s3cr3t";

let merkle: TestMerkle;
let model: ModelServer;
const cleanup = createCleanup();
beforeAll(async () => {
  model = await startModelServer(cleanup);
  model.answer = replyWithText("Tables exist; tests pass.");
  const databaseUrl = await createTestDatabase(cleanup);
  merkle = await testMerkle(cleanup);
  const openai = { apiKey: `$${"{OPENAI_API_KEY}"}`, baseUrl: model.url, model: "small" };
  const config = { openai, dbPath: "./progress.db" };
  await writeFile(join(merkle.home, "agent-progress.config.json"), JSON.stringify(config));
  const env = { OPENAI_API_KEY: apiKey };
  const foreign = findForeignSettings({ environment: env, cwd: merkle.home });
  if (foreign) trustFile(merkle.home, foreign);
  const { code, stderr } = await merkle.run(["up", "--port", "0", "--detach"], {
    env: { ...env, DATABASE_URL: databaseUrl },
  });
  if (code !== 0) throw new Error(stderr);
});

/** Creates a Git repository to work in. */
async function makeRepository(name: string, origin?: string): Promise<string> {
  const folder = join(merkle.home, "work", name);
  await mkdir(join(folder, "src"), { recursive: true });
  execFileSync("git", ["init", "-q", folder]);
  if (origin !== undefined) execFileSync("git", ["-C", folder, "remote", "add", "origin", origin]);
  return folder;
}

it("[PROGRESS-12] logs, finds and shows what was done in the project of the git repository", async () => {
  const cwd = await makeRepository("clone-7", "git@example.com:acme/mobile-app.git");
  const logged = await merkle.run(
    ["progress", "log", "Issuer tables done", "-", "--tag", "auth,db", "--agent", "atlas"],
    { cwd: join(cwd, "src"), input: "Migration 12 adds them.\nSee src/issuers.\n" },
  );
  expect(logged).toMatchObject({ code: 0, stdout: expect.stringMatching(/^✓ [0-9a-z]{12}\n$/) });
  expect(logged.stderr).toContain("in project mobile-app");
  const id = logged.stdout.slice(2, 14);

  const found = await merkle.run(["progress", "search", "ISSUER", "--tag", "db", "--since", "2026-01-31"], {
    cwd,
  });
  expect(found.stdout).toMatch(/^\d\d:\d\d +Issuer tables done +atlas \(\w+\) +auth, db +[0-9a-z]{12}\n$/);
  const text = ["progress", "search", "--text", "migrations", "--json", "--project", "mobile-app"];
  expect(JSON.parse((await merkle.run(text)).stdout)).toMatchObject({ total: 1, entries: [{ id }] });

  const shown = await merkle.run(["progress", "show", id], { cwd });
  expect(shown.stdout).toMatch(/^Issuer tables done\natlas .*auth, db\n/);
  expect(shown.stdout).toContain(
    "\n\n  Tables exist; tests pass.\n\n  Migration 12 adds them.\n  See src/issuers.\n",
  );
  expect(model.requests).toMatchObject([
    { body: { model: "small" }, headers: { authorization: `Bearer ${apiKey}` } },
  ]);
});

it("[PROGRESS-12] outside of a repository the project must be named; an unknown entry is not found", async () => {
  const nowhere = await merkle.run(["progress", "search"], { cwd: "/" });
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("--project") });
  const unknown = await merkle.run(["progress", "show", "x7k9m2p4q1w3", "--project", "mobile-app"]);
  expect(unknown).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("Entry not found: x7k9m2p4q1w3 in project mobile-app"),
  });
});

it("[PROGRESS-10] over stdio the project is that of the repository, or of a worktree's, unless one is named", async () => {
  const folder = await makeRepository("web-shop");
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  git("commit", "-q", "--allow-empty", "-m", "first");
  const worktree = join(merkle.home, "work", "elsewhere");
  git("worktree", "add", "-q", worktree);
  const { url } = await merkle.readRunFile();
  const env = { CLAUDE_PROJECT_DIR: worktree };
  const server = await startStdioServer({ url, args: ["--tools", "progress"], env }, cleanup);
  const listed = await server.request("tools/list");
  const { tools } = Object(listed.result);
  const schemas = Object.fromEntries(
    tools.map((each: { name: string; inputSchema: object }) => [each.name, each.inputSchema]),
  );
  expect(schemas).toMatchObject({
    log_progress: { required: ["title", "content"] },
    get_context: { required: ["id"] },
  });
  await server.call("create_session", { title: "Shop", creator_team_name: "Atlas" });
  const said = await server.call("log_progress", { title: "Cart: done", content: "c" });
  expect(said).toMatch(/^Logged: Cart: done \(ID: [0-9a-z]{12}\) in project web-shop$/);
  expect(await server.call("search_logs", {})).toMatch(
    /^Found 1 entry in web-shop:\n1\. [0-9a-z]{12} - Cart: done \(/,
  );
  expect(await server.call("search_logs", { projectId: "other" })).toBe("Found 0 entries in other");
});

it("[PROGRESS-8] merkle up says that a path of a database is not used, and keeps the key to itself", async () => {
  const log = await readFile(join(merkle.home, "logs", "broker.log"), "utf8");
  expect(log).not.toContain(apiKey);
  expect(log).toContain("dbPath in agent-progress.config.json is not used");
});
