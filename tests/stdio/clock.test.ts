import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { drawSeed, toBase64url } from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import { expect, it, onTestFinished } from "vitest";
import { saveMember } from "../../apps/cli/src/home/members.js";
import { joinMesh, startInviteBroker } from "../kit/members.js";
import { makeAgentHome, startStdioServer } from "../kit/stdio.js";

it("[HELLO-5] [HELLO-7] a server whose clock is 4 minutes off is let in, one that is 6 minutes off names the clock, and comes back once it is set", async () => {
  const { url, home } = await makeMemberHome();
  const clock = await makeClock(home);
  await clock.set(-4 * 60_000);
  const late = await startStdioServer({ url, home, env: clock.env });
  expect(await late.call("list_sessions", {})).not.toContain("unauthorized");
  await late.stop();

  await clock.set(6 * 60_000);
  const server = await startStdioServer({ url, home, env: clock.env });
  const refused = await server.call("list_sessions", {});
  expect(refused).toMatch(/^unauthorized: The broker rejects this server because of this machine's clock/);
  expect(refused).toMatch(/is (6 min|5 min 5\d s)( \d s)? ahead of the broker's/);
  expect(refused).not.toMatch(/revoked|stop calling/);
  await clock.set(0);
  await expect.poll(() => server.call("list_sessions", {})).not.toContain("unauthorized");
});

/** Creates a home with a member's key. */
async function makeMemberHome() {
  const { broker, admin } = await startInviteBroker(onTestFinished);
  const seed = drawSeed();
  const { link: invite } = await admin.call("create_invite", {});
  const wanted = { invite, name: "Birch", memberKey: deriveSigningKey(seed) };
  const { broker_id, mesh_id, mesh, member_id, name, role } = await joinMesh(
    broker.url,
    wanted,
    onTestFinished,
  );
  const home = await makeAgentHome();
  await saveMember(home, {
    ...{ broker_id, mesh_id, mesh, member_id, name, role },
    urls: [broker.url],
    seed: toBase64url(seed),
    joined_at: new Date().toISOString(),
    token: null,
  });
  return { url: broker.url, home };
}

/** Creates a clock for Node.js processes. Its current offset is read from a file. */
async function makeClock(folder: string) {
  const offset = join(folder, "clock-offset");
  const preload = join(folder, "clock.mjs");
  await writeFile(
    preload,
    `import { readFileSync } from "node:fs";
     const Real = Date;
     const now = () => Real.now() + Number(readFileSync(${JSON.stringify(offset)}, "utf8"));
     globalThis.Date = class extends Real {
       constructor(...given) { super(...(given.length === 0 ? [now()] : given)); }
       static now() { return now(); }
     };`,
  );
  return {
    env: { NODE_OPTIONS: `--import ${pathToFileURL(preload).href}` },
    set: (ms: number) => writeFile(offset, String(ms)),
  };
}
