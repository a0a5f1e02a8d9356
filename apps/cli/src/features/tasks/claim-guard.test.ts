import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OutputOf, ScopeClaim } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { expect, it, onTestFinished } from "vitest";
import { toHookRefusal } from "../../mcp/hooks/answer-hooks.js";
import type { PeerSession } from "../../mcp/peer-sessions.js";
import { findRepository, toRepositoryKey } from "../../sessions/repository.js";
import { createClaimGuard } from "./claim-guard.js";

type ListedClaims = OutputOf<"list_claims">;

const claimed = (scope: string, more: Partial<ScopeClaim> = {}): ScopeClaim => ({
  claim: 1,
  scope,
  read_as: "files",
  repository: null,
  shared: false,
  holder: "Cedar/elm",
  mine: false,
  reason: null,
  claimed_at: new Date(Date.now() - 12 * 60_000).toISOString(),
  expires_at: null,
  ...more,
});

/** Starts a guard in a new repository, with the given claims loaded. */
async function startGuard(known: ListedClaims) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "merkle-claims-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const repository = join(folder, "repository");
  await mkdir(join(repository, ".git"), { recursive: true });
  await mkdir(join(repository, "src/auth"), { recursive: true });
  const session = { closed: false };
  const team = {
    ...{ sessionId: "s", slug: "talk", credential: "x" },
    get isClosed() {
      return session.closed;
    },
  } as PeerSession;
  let told = known;
  const guard = createClaimGuard({
    link: { call: async () => told as never },
    teams: () => ({ readers: () => [team] }),
    cwd: join(repository, "src"),
    log: () => undefined,
  });
  const tell = async (next: ListedClaims) => {
    told = next;
    guard.refresh(team);
    await new Promise(setImmediate);
  };
  await tell(known);
  const judge = (files: string[], content: unknown = "", agentId = "", conversation = "") =>
    guard.judge({ files, content, conversation, agentId });
  return { folder, repository, judge, tell, session };
}

it("[CLAIM-5] an edit of what another holds is told with who, since when and why; one's own, shared and ended claims are in nobody's way", async () => {
  const { repository, judge, tell } = await startGuard({
    claims: [claimed("repo:src/auth/**", { reason: 'say "now"\nand go' })],
    edits: "warn",
  });
  const reason = judge([join(repository, "src/auth/new.ts")]);
  expect(reason).toContain(
    '"src/auth/new.ts" is claimed in the Merkle session talk: Cedar/elm has held "repo:src/auth/**" for 12m',
  );
  expect(reason).not.toContain("\n");
  expect(judge([join(repository, "README.md")])).toBeNull();
  for (const more of [{ mine: true }, { shared: true }, { expires_at: new Date(0).toISOString() }]) {
    await tell({ claims: [claimed("repo:**", more)], edits: "refuse" });
    expect(judge(["auth/new.ts"])).toBeNull();
  }
});

it("[CLAIM-5] the session's setting decides whether it is refused, and a claim that ends is forgotten", async () => {
  const { judge, tell, session } = await startGuard({ claims: [claimed("repo:src/**")], edits: "refuse" });
  const reason = judge(["a.ts"]);
  expect(reason).toContain("does not allow editing claimed files");
  expect(judge(["a.ts"])).toBe(reason);
  expect(JSON.parse(toHookRefusal(reason ?? ""))).toMatchObject({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" },
  });
  await tell({ claims: [claimed("repo:src/**")], edits: "off" });
  expect(judge(["a.ts"])).toBeNull();
  await tell({ claims: [], edits: "refuse" });
  expect(judge(["a.ts"])).toBeNull();
  await tell({ claims: [claimed("repo:src/**")], edits: "refuse" });
  session.closed = true;
  expect(judge(["a.ts"])).toBeNull();
});

it("[CLAIM-5] outside of the repository nothing matches, nor in one within it; a link is the file that it leads to", async () => {
  const { folder, repository, judge } = await startGuard({ claims: [claimed("repo:**")], edits: "warn" });
  await mkdir(join(repository, "vendor/other/.git"), { recursive: true });
  await mkdir(join(folder, "elsewhere"));
  await symlink(join(folder, "elsewhere"), join(repository, "out"));
  await symlink(join(repository, "src"), join(folder, "in"));
  const judged = [
    join(folder, "elsewhere/a.ts"),
    join(repository, "vendor/other/a.ts"),
    join(repository, "out/a.ts"),
    join(repository, "../a.ts"),
    join(folder, "in/auth/a.ts"),
    join(repository, "not/there/yet.ts"),
  ].map((file) => judge([file]) !== null);
  expect(judged).toEqual([false, false, false, false, true, true]);
});

it("[CLAIM-5] it judges right with as many claims as a session may have", async () => {
  const claims = Array.from({ length: limits.claimsPerSessionMax }, (_, index) =>
    claimed(`repo:packages/*/src/**/part-${index}-*/**/*.ts`),
  );
  const { repository, judge } = await startGuard({ claims, edits: "warn" });
  const inPart = (part: number) =>
    join(repository, `packages/wire/src/${"deep/".repeat(20)}part-${part}-x/y/z.ts`);
  expect(judge([inPart(limits.claimsPerSessionMax - 1)])).not.toBeNull();
  expect(judge([inPart(limits.claimsPerSessionMax)])).toBeNull();
});

it("[CLAIM-5] a warning refuses the first edit once: the identical second one passes, and then the others of that file", async () => {
  const { judge, tell } = await startGuard({ claims: [claimed("repo:src/**")], edits: "warn" });
  const first = judge(["a.ts"], "one");
  expect(first).toContain("Nothing was changed.");
  expect(judge(["a.ts"], "two")).toBe(first);
  expect(judge(["b.ts"], "one")).toContain("Nothing was changed.");
  expect(judge(["a.ts"], "one", "a subagent")).toBe(first);
  expect(judge(["a.ts"], "one")).toBeNull();
  expect(judge(["a.ts"], "three")).toBeNull();
  expect(judge(["a.ts"], "three", "", "after /clear")).toBe(first);
  await tell({ claims: [claimed("repo:src/**", { claim: 2 })], edits: "warn" });
  expect(judge(["a.ts"], "one")).not.toBeNull();
  expect(judge(["c.ts", "d.ts"], "patch")).not.toBeNull();
  expect(judge(["c.ts", "d.ts"], "patch")).toBeNull();
});

it("[CLAIM-7] a claim on another repository is in nobody's way, and one on this repository counts in all its worktrees", async () => {
  const { repository, judge, tell } = await startGuard({ claims: [], edits: "refuse" });
  const own = toRepositoryKey(findRepository(repository) ?? "", "s");
  const other = toRepositoryKey("github.com/acme/other", "s");
  await tell({ claims: [claimed("repo:src/**", { repository: other })], edits: "refuse" });
  expect(judge(["a.ts"])).toBeNull();
  await tell({ claims: [claimed("repo:src/**", { repository: own })], edits: "refuse" });
  expect(judge(["a.ts"])).not.toBeNull();
  const worktree = join(repository, ".claude/worktrees/one");
  await mkdir(join(repository, ".git/worktrees/one"), { recursive: true });
  await writeFile(join(repository, ".git/worktrees/one/commondir"), "../..\n");
  await mkdir(worktree, { recursive: true });
  await writeFile(join(worktree, ".git"), `gitdir: ${join(repository, ".git/worktrees/one")}\n`);
  expect(judge([join(worktree, "src/a.ts")])).not.toBeNull();
});
