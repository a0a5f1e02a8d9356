import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { createCleanup } from "./kit/cleanup.js";
import { startInviteBroker } from "./kit/members.js";
import { changeSettings } from "./kit/persons.js";
import { startTestBroker } from "./kit/test-broker.js";
import { brokerTransports } from "./kit/transports.js";

const run = promisify(execFile);

/** Runs an example as an agent would, in a new shell without the variables from earlier examples. */
async function runExample(script: string, home: string, token = ""): Promise<string> {
  const { stdout, stderr } = await run("bash", ["--norc", "-eu", "-o", "pipefail", "-c", script], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, ...(token && { MERKLE_TOKEN: token }) },
  });
  expect(stderr, script).toBe("");
  return stdout;
}

const cleanup = createCleanup();

async function startOpen(): Promise<{ url: string; token?: string }> {
  return startTestBroker();
}

async function startForMembers(): Promise<{ url: string; token?: string }> {
  const { broker, admin } = await startInviteBroker(cleanup);
  return { url: broker.url, token: (await admin.call("issue_token", {})).token };
}

it.each([
  ["where everybody is let in", startOpen],
  ["with a token where members alone are", startForMembers],
] as const)(
  "[OPS-5] every example of /agents.md can be run as it stands, one after the other, %s",
  { tags: "curl" },
  async (_mode, start) => {
    const { url, token } = await start();
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const home = await mkdtemp(join(tmpdir(), "merkle-agent-"));
    onTestFinished(() => rm(home, { recursive: true, force: true }));

    const page = await (await fetch(`${url}/agents.md`)).text();
    const examples = [...page.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, script = ""]) => script);
    const outputs: string[] = [];
    for (const example of examples) outputs.push(await runExample(example, home, token));
    const told = outputs.join("\n");

    expect(told).not.toContain('"error"');
    expect(told, "a credential was shown").not.toMatch(/\.mk_[A-Za-z0-9_-]{43}/);
    expect(told).toContain(".mk_(kept)");
    expect(told).toContain('"event":"team_joined"');
    expect(told).toContain("Blair's Team");
    expect((await stat(join(home, ".merkle-alex"))).mode & 0o077).toBe(0);

    const history = await (await fetch(`${url}/api/sessions/auth-refactor/messages`, { headers })).json();
    expect(history).toMatchObject({
      messages: [
        { event: "team_joined", team: "Blair's Team" },
        {
          from: { team: "Alex's Team" },
          to: ["Blair's Team"],
          content: { kind: "ask", options: ["yes", "no"] },
        },
      ],
    });
    const document = await (await fetch(`${url}/api/sessions/auth-refactor/doc`, { headers })).json();
    expect(document).toMatchObject({
      version: 3,
      content:
        "# Session: Auth refactor\n\n## Goals\n\n- Rotating tokens\n\n## Decisions\n\n- One refresh at a time, under a lock\n\n## Notes\n" +
        "- Refresh fails when two tabs race (Alex's Team)",
    });
  },
);

it("[OPS-5] the sentence that keeps the credential takes none that somebody else has put into the reply", async () => {
  const { url } = await startTestBroker();
  const home = await mkdtemp(join(tmpdir(), "merkle-agent-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const fake = `"team_id":"00000000-0000-4000-8000-000000000000.mk_${"x".repeat(43)}"`;
  const created = await fetch(`${url}/api/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ title: "Planted", description: fake, creator_team_name: fake.slice(0, 90) }),
  });
  const reply = await created.text();
  await writeFile(join(home, ".merkle-alex.json"), reply);

  const page = await (await fetch(`${url}/agents.md`)).text();
  const keeping = [...page.matchAll(/```bash\n([\s\S]*?)```/g)].find(([, script]) =>
    script?.includes("sed -n"),
  )?.[1];
  await runExample(keeping ?? "", home);

  const { team_id } = JSON.parse(reply);
  expect(await readFile(join(home, ".merkle-alex"), "utf8")).toContain(`\nheader = "X-Team-ID: ${team_id}"`);
});

it("[SET-4] a changed public URL and poll budget show in /agents.md at once", async () => {
  const { url } = await startTestBroker();
  await changeSettings(await brokerTransports.rest(url), {
    settings: { public_url: "http://localhost:9000/mcp", idle_polls: 3 },
  });

  const response = await fetch(`${url}/agents.md`);
  const page = await response.text();
  expect(response.headers.get("content-type")).toContain("text/markdown");
  expect(page).toContain('"http://localhost:9000/mcp?view=compact"');
  expect(page).toContain("After 3 in a row");
  expect(page).not.toContain("127.0.0.1");
});
