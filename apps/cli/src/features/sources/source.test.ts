import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { createCleanup } from "../../../../../tests/kit/cleanup.js";
import {
  guide,
  type StagedRepository,
  stageRepository,
} from "../../../../../tests/sources/staged-repository.js";
import { callBroker } from "../../test-kit/api.js";
import type { TestMerkle } from "../../test-kit/merkle.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";

/**
 * A script that replaces Claude Code. It reads the file and proposes a new text, with the job's credential.
 */
const script = `#!/usr/bin/env node
const prompt = require("node:fs").readFileSync(0, "utf8");
const told = (name) => new RegExp("^" + name + ": (.+)$", "m").exec(prompt)[1];
const ask = async (path, body) => {
  const headers = { "Content-Type": "application/json", Authorization: "Bearer " + process.env.MERKLE_JOB_TOKEN };
  const answer = await fetch(process.env.MERKLE_URL + path, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
};
ask("/api/sources/text?source_path=" + encodeURIComponent(told("Source path"))).then(({ text }) =>
  ask("/api/proposals", {
    topic_id: Number(told("Topic ID")),
    base_sha: told("Base source SHA"),
    content: text.replace("an hour", "a day"),
    note: "A day.",
  }),
);
`;

const cleanup = createCleanup();
let at: StagedRepository;
const merkle = setUpSharedMerkle(stageHome, joinAsFirst);

async function stageHome(home: string): Promise<void> {
  at = await stageRepository(cleanup);
  await mkdir(home, { recursive: true });
  const claude_bin = join(dirname(home), "claude-that-proposes");
  await writeFile(claude_bin, script);
  await chmod(claude_bin, 0o755);
  const agent = {
    claude_bin,
    roots: { docs: at.folder, gone: join(at.top, "gone") },
    author_name: "Docs agent",
    author_email: "agent@example.com",
  };
  await writeFile(join(home, "config.json"), JSON.stringify({ agent }));
}

/**
 * Makes the test's home join with the invite that `up` prints, because a broker that serves files admits only
 * members.
 */
async function joinAsFirst(broker: TestMerkle, printed: string): Promise<void> {
  const [, link = ""] = /first admin (\S+)/.exec(printed) ?? [];
  expect(await broker.run(["join", "-", "--name", "Ana"], { input: link })).toMatchObject({ code: 0 });
}

const source = (...args: readonly string[]) => merkle.run(["source", ...args], { env: { USER: "nobody" } });
const file = "docs/docs/guide.md";

it("[SOURCE-20] [SOURCE-21] files under Git are listed, printed and commented on", async () => {
  const listed = await source("list");
  expect(listed).toMatchObject({ code: 0, stdout: `docs/README.md\n${file}\n` });
  expect(listed.stderr).toContain("root gone: There is no folder");
  const [none, shown, refused, lost] = await Promise.all([
    source("list", "nothing"),
    source("show", file),
    source("show", "docs/.git/config"),
    source("comment", file, "Where?", "--quote", "nowhere"),
  ]);
  expect(none).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("no files") });
  expect(shown).toMatchObject({ stdout: guide, stderr: expect.stringMatching(/ is \w{8}\n$/) });
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(lost).toMatchObject({ code: 6, stdout: "" });
});

it("[SOURCE-22] [SOURCE-23] what an agent makes of a comment is refused with 6 when it is stale, and committed after a rebase", async () => {
  const commented = await source("comment", file, "How long, and why?", "--quote", "Tokens live");
  expect(commented).toMatchObject({ code: 0, stdout: "✓ topic 1\n" });
  expect(commented.stderr).toContain(`merkle source incorporate ${file} 1`);
  expect(await source("incorporate", file, "1")).toMatchObject({ code: 0, stdout: "job 1 queued\n" });
  expect(await merkle.run(["jobs", "show", "1", "-f"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`incorporate topic 1 of ${file}`),
  });
  expect((await source("proposals", file)).stdout).toMatch(
    new RegExp(`^1 +open +${file}, topic 1 +\\+1 −1 +agent .*A day\\.\n$`),
  );
  await at.write("docs/guide.md", `Read this first.\n\n${guide}`);
  await at.git("commit", "-q", "-a", "-m", "Theirs");
  const stale = await source("accept", "1", "-y");
  expect(stale).toMatchObject({ code: 6, stdout: "" });
  expect(stale.stderr).toMatch(/Proposal 1 is based on \w{8}, but docs\/docs\/guide.md is \w{8}\. Nothing/);
  expect(stale.stderr).toContain(`merkle source show ${file}   ·   merkle source rebase 1`);
  expect(await source("rebase", "1")).toMatchObject({ stdout: "✓ now proposal 2\n" });
  const accepted = await source("accept", "2", "-y", "--hunks", "1");
  expect(accepted.stderr).toContain(
    "@@ 1: line 5, # Guide @@\n-Tokens live for an hour.\n+Tokens live for a day.\n",
  );
  expect(accepted).toMatchObject({ code: 0, stdout: `✓ commit ${await at.git("rev-parse", "HEAD")}\n` });
  expect(await at.git("log", "-1", "--format=%an|%s|%(trailers:separator=%x2C)")).toMatch(
    /^Docs agent\|Incorporate topic 1: How long, and why\?\|Approved-by: Ana,Merkle-Topic: 1,Merkle-Proposal: 2$/,
  );
  expect(await at.read("docs/guide.md")).toContain("Tokens live for a day.");
});

it("[SOURCE-21] [SOURCE-23] [CLI-74] a proposal is returned and rejected, and its topic tells so, is closed and reopened", {
  tags: "long",
}, async () => {
  await at.write("README.md", "# Read me\n\nFor an hour.\n");
  await at.git("commit", "-q", "-a", "-m", "More");
  const path = "docs/README.md";
  const { topic_id } = JSON.parse((await source("comment", path, "Longer.", "--json")).stdout);
  const proposed = async (count: number) => {
    const { proposals } = await callBroker(merkle, "list_proposals", { source_path: path });
    return proposals.length === count ? String(proposals[0]?.proposal_id) : undefined;
  };
  const nextProposal = (count: number) => vi.waitUntil(() => proposed(count), { timeout: 120_000 });
  const queued = await source("incorporate", path, String(topic_id));
  // Wait for the first job to end, because the proposal can be returned only after that.
  await merkle.run(["jobs", "show", /job (\d+)/.exec(queued.stdout)?.[1] ?? "", "-f"]);
  const returned = await source("return", await nextProposal(1), "Say why.");
  expect(returned.stdout).toMatch(/^✓ job \d+ works on it\n$/);
  const revised = await nextProposal(2);
  expect(await source("reject", revised, "Too long.")).toMatchObject({ code: 0 });
  const [said, open, elsewhere] = await Promise.all([
    source("topics", path, String(topic_id)),
    source("topics", path),
    source("topics", file, String(topic_id)),
  ]);
  for (const text of ["open", "Longer.", "A day.", "Say why.", "Too long."]) {
    expect(said.stdout).toContain(text);
  }
  expect(open.stdout).toMatch(new RegExp(`^${topic_id} +open .* messages +Longer\\.\n$`));
  expect(elsewhere).toMatchObject({ code: 5 });
  const number = String(topic_id);
  expect(await source("reply", path, number, "No.", "--close")).toMatchObject({
    stdout: `✓ topic ${number} is closed\n`,
  });
  // When a topic is reopened, its passage is searched for in the current text of the file.
  await at.write("README.md", "# Read me\n\nSee below.\n\nFor a day.\n");
  await at.git("commit", "-q", "-a", "-m", "Longer");
  expect(await source("reply", path, number, "Yes, it is.", "--reopen")).toMatchObject({
    stdout: `✓ topic ${number} is open\n`,
  });
  expect((await source("topics", path)).stdout).toContain(`${number}  open`);
});

it("[CLI-80] ls --needs lists files behind the sessions, with what waits and the command that decides", {
  tags: "long",
}, async () => {
  const commented = await source("comment", file, "And when it is lost?", "--json");
  const { topic_id } = JSON.parse(commented.stdout);
  const { source_sha: base_sha, text } = await callBroker(merkle, "read_source", { source_path: file });
  const proposing = { topic_id, base_sha, content: `${text}\nAsk Ana.\n` };
  const { person_id } = await callBroker(merkle, "create_person", { name: "whoever" });
  const { proposal_id } = await callBroker(merkle, "insert_proposal", proposing, person_id);
  const needs = (...args: readonly string[]) => merkle.run(["ls", "--needs", ...args]);
  const [shown, json, found, other, closed] = await Promise.all([
    needs(),
    needs("--json"),
    needs("--query", "GUIDE"),
    needs("--query", "nothing"),
    needs("--state", "closed"),
  ]);
  expect(shown.stdout).toMatch(
    new RegExp(`^${file}\n {2}◆ {2}proposal ${proposal_id} from Ana, \\+2 −0 to the file, waits \\d+s\n$`),
  );
  expect(shown.stderr).toBe(`  next: merkle source accept ${proposal_id}\n`);
  expect(JSON.parse(json.stdout)).toMatchObject({
    sessions: [],
    files: [{ source_path: file, needs: [{ kind: "proposal", proposal: proposal_id, from: "Ana" }] }],
    all_files: true,
  });
  const withoutAge = (text: string) => text.replace(/\d+s ago/g, "");
  expect(withoutAge(found.stdout)).toBe(withoutAge(shown.stdout));
  for (const none of [other, closed])
    expect(none).toMatchObject({ stdout: "", stderr: "nothing needs you\n" });
  expect((await merkle.run(["status"])).stdout).toMatch(/ 1 needs you\n$/);
});
