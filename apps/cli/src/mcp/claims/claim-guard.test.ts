import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OutputOf, ScopeClaim } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { expect, it, onTestFinished } from "vitest";
import type { PeerSession } from "../peer-sessions.js";
import { createClaimGuard, toHookResult } from "./claim-guard.js";

type Known = OutputOf<"list_claims">;

const claimed = (scope: string, more: Partial<ScopeClaim> = {}): ScopeClaim => ({
  claim: 1,
  scope,
  shared: false,
  holder: "Cedar/elm",
  mine: false,
  reason: null,
  claimed_at: new Date(Date.now() - 12 * 60_000).toISOString(),
  expires_at: null,
  ...more,
});

/** A guard in a repository of its own that has been told what is claimed. */
async function startGuard(known: Known) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "merkle-claims-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const repository = join(folder, "repository");
  await mkdir(join(repository, ".git"), { recursive: true });
  await mkdir(join(repository, "src/auth"), { recursive: true });
  const team = { sessionId: "s", slug: "talk", credential: "x", closed: false } as PeerSession;
  let told = known;
  const guard = createClaimGuard({
    link: { call: async () => told as never },
    teams: () => ({ readers: () => [team] }),
    cwd: join(repository, "src"),
    log: () => undefined,
  });
  const tell = async (next: Known) => {
    told = next;
    guard.refresh(team);
    await new Promise(setImmediate);
  };
  await tell(known);
  return { folder, repository, guard, tell, team };
}

it("[CLAIM-5] an edit of what another holds is told with who, since when and why; one's own, shared and ended claims are in nobody's way", async () => {
  const { repository, guard, tell } = await startGuard({
    claims: [claimed("repo:src/auth/**", { reason: 'say "now"\nand go' })],
    edits: "warn",
  });
  const verdict = guard.judge([join(repository, "src/auth/new.ts")]);
  expect(verdict?.refuses).toBe(false);
  expect(verdict?.text).toContain(
    '"src/auth/new.ts" is claimed in the Merkle session talk: Cedar/elm has held "repo:src/auth/**" for 12m',
  );
  expect(verdict?.text).not.toContain("\n");
  expect(guard.judge(["auth/new.ts"])?.refuses).toBe(false);
  expect(guard.judge([join(repository, "README.md")])).toBeNull();
  for (const more of [{ mine: true }, { shared: true }, { expires_at: new Date(0).toISOString() }]) {
    await tell({ claims: [claimed("repo:**", more)], edits: "refuse" });
    expect(guard.judge(["auth/new.ts"])).toBeNull();
  }
});

it("[CLAIM-5] the session's setting decides whether it is refused, and a claim that ends is forgotten", async () => {
  const { guard, tell, team } = await startGuard({ claims: [claimed("repo:src/**")], edits: "refuse" });
  const verdict = guard.judge(["a.ts"]);
  expect(JSON.parse(toHookResult(verdict ?? { refuses: false, text: "" }))).toMatchObject({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" },
  });
  await tell({ claims: [claimed("repo:src/**")], edits: "off" });
  expect(guard.judge(["a.ts"])).toBeNull();
  await tell({ claims: [], edits: "refuse" });
  expect(guard.judge(["a.ts"])).toBeNull();
  await tell({ claims: [claimed("repo:src/**")], edits: "refuse" });
  team.closed = true;
  expect(guard.judge(["a.ts"])).toBeNull();
});

it("[CLAIM-5] outside of the repository nothing matches, nor in one within it; a link is the file that it leads to", async () => {
  const { folder, repository, guard } = await startGuard({ claims: [claimed("repo:**")], edits: "warn" });
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
  ].map((file) => guard.judge([file]) !== null);
  expect(judged).toEqual([false, false, false, false, true, true]);
});

it("[CLAIM-5] it judges right with as many claims as a session may have", async () => {
  const claims = Array.from({ length: limits.claimsPerSessionMax }, (_, index) =>
    claimed(`repo:packages/*/src/**/part-${index}-*/**/*.ts`),
  );
  const { repository, guard } = await startGuard({ claims, edits: "warn" });
  const inPart = (part: number) =>
    join(repository, `packages/wire/src/${"deep/".repeat(20)}part-${part}-x/y/z.ts`);
  expect(guard.judge([inPart(limits.claimsPerSessionMax - 1)])).not.toBeNull();
  expect(guard.judge([inPart(limits.claimsPerSessionMax)])).toBeNull();
});
