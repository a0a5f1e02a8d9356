import { randomUUID } from "node:crypto";
import { appendFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makeAgentHome, startStdioServer } from "../kit/stdio.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { startAgent, startSession } from "./agents.js";

const cleanup = createCleanup();
let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
});

/** Returns the totals reported for a session: input, output, cache reads and cache writes. */
async function readReportedUsage(slug: string): Promise<number[]> {
  const response = await fetch(new URL(`/api/usage?session_id=${slug}&by=model`, broker.url));
  const { total } = await response.json();
  return ["input", "output", "cache_read", "cache_write"].map((kind) => total[`${kind}_tokens`]);
}

/** Returns a model's reply as a line of Claude Code's transcript. */
function answer(id: string, output_tokens: number): string {
  const usage = {
    ...{ input_tokens: 10, output_tokens },
    ...{ cache_read_input_tokens: 1_000, cache_creation_input_tokens: 50, service_tier: "standard" },
  };
  const message = {
    id,
    model: "claude-opus",
    role: "assistant",
    content: [{ type: "text", text: "hm" }],
    usage,
  };
  return `${JSON.stringify({ type: "assistant", uuid: randomUUID(), parentUuid: null, message })}\n`;
}

/** Waits until the server has stored the position in the transcript from which usage counts for the session. */
async function untilTrackingBegins(home: string): Promise<void> {
  const notes = async () => (await readdir(join(home, "teams"))).filter((name) => name.endsWith(".usage"));
  await expect.poll(notes).toHaveLength(1);
}

describe("what a client's models used", () => {
  it("[USAGE-2] is read from Claude Code's transcript at the end of a turn, each answer once, also by the next server", {
    tags: "long",
  }, async () => {
    const alder = await startSession(broker);
    const home = await makeAgentHome();
    const session_id = randomUUID();
    const env = { CLAUDE_CODE_SESSION_ID: session_id, CLAUDE_CONFIG_DIR: home };
    const folder = join(home, "projects", "-here");
    const transcript = join(folder, `${session_id}.jsonl`);
    await mkdir(folder, { recursive: true });
    // Usage from before the agent joined does not count for the session.
    await writeFile(transcript, answer("m0", 500));
    const birch = await startAgent(broker, alder, { home, env });
    await birch.hook("UserPromptSubmit", { session_id });
    await untilTrackingBegins(home);
    // One reply that spans two lines, the first of which has an incomplete count, and then some lines that cannot be
    // parsed.
    await appendFile(
      transcript,
      `${answer("m1", 3)}${answer("m1", 20)}{"type":"assistant","usage":7}\nnonsense "usage"\n`,
    );
    const ofSubagents = join(folder, session_id, "subagents");
    await mkdir(ofSubagents, { recursive: true });
    await writeFile(join(ofSubagents, "agent-a1.jsonl"), answer("s1", 7));
    await birch.hook("Stop", { session_id });
    await expect.poll(() => readReportedUsage(alder.slug)).toEqual([20, 27, 2_000, 100]);
    await birch.stop();

    await appendFile(transcript, answer("m2", 5));
    const next = await startStdioServer({ url: broker.url, home, env });
    await next.call("list_peers");
    await next.hook("Stop", { session_id });
    await expect.poll(() => readReportedUsage(alder.slug)).toEqual([30, 32, 3_000, 150]);
  });

  it("[USAGE-2] is read from Codex's rollout, which counts what was used in all", async () => {
    const alder = await startSession(broker);
    const home = await makeAgentHome();
    const session_id = randomUUID();
    const folder = join(home, "sessions", "2026", "05", "02");
    const rollout = join(folder, `rollout-2026-05-02T10-00-00-${session_id}.jsonl`);
    await mkdir(folder, { recursive: true });
    const birch = await startAgent(broker, alder, {
      ...{ home, env: { CODEX_HOME: home }, client: "codex-mcp-client" },
    });
    await birch.hook("UserPromptSubmit", { session_id });
    await untilTrackingBegins(home);
    const line = (type: string, payload: object) => `${JSON.stringify({ type, payload })}\n`;
    const count = (input_tokens: number, output_tokens: number) => {
      const total_token_usage = {
        input_tokens,
        cached_input_tokens: 60,
        cache_write_input_tokens: 30,
        output_tokens,
        total_tokens: 1,
      };
      return line("event_msg", { type: "token_count", info: { total_token_usage } });
    };
    const turn = line("turn_context", { model: "gpt-codex" });
    await writeFile(rollout, `${turn}${count(100, 5)}${count(100, 5)}${count(160, 9)}`);
    await birch.hook("Stop", { session_id });
    await expect.poll(() => readReportedUsage(alder.slug)).toEqual([70, 9, 60, 30]);
  });

  it("[USAGE-2] stays on the machine where its user says so", { tags: "long" }, async () => {
    const alder = await startSession(broker);
    const agents = await Promise.all(
      [false, true].map(async (report_usage) => {
        const home = await makeAgentHome();
        const session_id = randomUUID();
        await writeFile(join(home, "config.json"), JSON.stringify({ report_usage }));
        const env = { CLAUDE_CODE_SESSION_ID: session_id, CLAUDE_CONFIG_DIR: home };
        const folder = join(home, "projects", "-here");
        const agent = await startAgent(broker, alder, { home, env, team: report_usage ? "Birch" : "Cedar" });
        await agent.hook("UserPromptSubmit", { session_id });
        if (report_usage) await untilTrackingBegins(home);
        await mkdir(folder, { recursive: true });
        return async () => {
          await writeFile(join(folder, `${session_id}.jsonl`), answer("m1", 20));
          await agent.hook("Stop", { session_id });
        };
      }),
    );
    for (const endTurn of agents) await endTurn();
    await expect.poll(() => readReportedUsage(alder.slug)).toEqual([10, 20, 1_000, 50]);
  });
});
