import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { changeSettings } from "../kit/persons.js";
import { type HookIds, makeAgentHome, type StdioServer } from "../kit/stdio.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { transports } from "../kit/transports.js";
import { type Correspondent, startAgent, startSession } from "./agents.js";

const cleanup = createCleanup();
let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  await changeSettings(await transports.rest(broker.url), { settings: { brief_after: 3 } });
});

async function sayMuch(alder: Correspondent): Promise<void> {
  await alder.post("Keep v1 tokens", { content: { text: "Keep v1 tokens", kind: "decision" } });
  for (const n of [1, 2, 3, 4]) await alder.post(`chatter ${n}`);
  await alder.post("Birch, mind the tests", { to: "Birch" });
}

/** Calls a tool like a client with hooks: a hook announces the call first. */
async function call(
  birch: StdioServer,
  name: string,
  ids: HookIds = {},
  input: object = {},
): Promise<string> {
  const tool_use_id = randomUUID();
  await birch.hook("PreToolUse", { tool_use_id, ...ids });
  return birch.call(name, input, tool_use_id);
}

/**
 * Waits until a message has reached the agent's server. Reads as a subagent, because reads by subagents acknowledge
 * nothing.
 */
async function untilArrived(birch: StdioServer, text: string, ids: HookIds = {}): Promise<void> {
  let seen = "";
  const read = async () => {
    seen += await call(birch, "check_messages", { agent_id: "a1", ...ids });
    return seen;
  };
  await expect.poll(read).toContain(text);
}

describe("the brief of a launched agent", () => {
  it("[BRIEF-4] stands before its first prompt in a conversation, and tells what was before", async () => {
    const alder = await startSession(broker);
    await alder.post("Keep v1 tokens", { content: { text: "Keep v1 tokens", kind: "decision" } });
    const birch = await startAgent(broker, alder);
    expect(await birch.hook("UserPromptSubmit", { prompt_id: "p1" })).toMatch(
      /^Merkle brief of \S+, #1 to #\d, not from your user.*\n- #1 decision by Alder [\d:]+: Keep v1 tokens\n(?:- .*\n)*End of the Merkle brief\.$/,
    );
    expect(await birch.hook("UserPromptSubmit", { prompt_id: "p2" })).not.toContain("Merkle brief");
    const other = { session_id: "s2", prompt_id: "p3" };
    expect(await birch.hook("UserPromptSubmit", other)).toContain("decision by Alder");
  });

  it("[BRIEF-4] says nothing of a session in which nothing stands", async () => {
    const alder = await startSession(broker);
    const birch = await startAgent(broker, alder);
    expect(await birch.hook("UserPromptSubmit")).toBe("");
  });

  it("[BRIEF-5] comes instead of much mail, acknowledges none of it, and says how to get it or pass over it", async () => {
    const alder = await startSession(broker);
    const birch = await startAgent(broker, alder);
    await birch.hook("UserPromptSubmit");
    const read = async () => (await alder.findRosterEntry("Birch"))["last_read"];
    const before = Number(await read());
    await sayMuch(alder);
    const direct = before + 6;
    await untilArrived(birch, "mind the tests");
    const given = await birch.hook("Stop", { prompt_id: "p2" });
    expect(given).toContain(`Merkle brief of ${alder.slug}, #${before + 1} to #${direct}`);
    expect(given).toContain("decision by Alder");
    expect(given).toContain(`ack with cursor ${direct} skips them`);
    expect(given).toContain(`#${direct} Alder to Birch: Birch, mind the tests`);
    expect(given).not.toContain("chatter");

    await alder.post("something new");
    await untilArrived(birch, "something new");
    expect(await birch.hook("PostToolBatch", { prompt_id: "p2" })).toMatch(/: something new$/);
    // The model already has the messages that it was shown. All other messages still count as unread.
    expect(await birch.hook("Stop", { prompt_id: "p2" })).toBe("");
    expect(await read()).toBe(before);
    const status = await alder.ask("GET", `/messages/status?message=${before + 2}`);
    expect(status).toMatchObject({ delivered: 0 });

    const ids = { prompt_id: "p2" };
    expect(await call(birch, "check_messages", ids)).toMatch(
      /^#\d+ Alder.* Keep v1 tokens(?:\n#\d+ Alder: chatter \d){4}$/,
    );
    await call(birch, "list_peers", ids);
    await expect.poll(read).toBe(direct + 1);
  });

  it("[BRIEF-5] sets aside what it stands for until the agent acknowledges it", async () => {
    const alder = await startSession(broker);
    const birch = await startAgent(broker, alder);
    await sayMuch(alder);
    await untilArrived(birch, "mind the tests");
    const given = await birch.hook("UserPromptSubmit");
    const [, cursor] = /ack with cursor (\d+)/.exec(given) ?? [];
    await call(birch, "ack", {}, { cursor: Number(cursor) });
    expect(await call(birch, "check_messages")).toBe("nothing new");
    expect(await alder.findRosterEntry("Birch")).toMatchObject({ last_read: Number(cursor) });
  });

  it("[BRIEF-5] comes again where the client's record has lost it", async () => {
    const alder = await startSession(broker);
    const home = await makeAgentHome();
    const session_id = randomUUID();
    const env = { CLAUDE_CODE_SESSION_ID: session_id, CLAUDE_CONFIG_DIR: home };
    const birch = await startAgent(broker, alder, { home, env });
    await sayMuch(alder);
    await untilArrived(birch, "mind the tests", { session_id });
    const hook = (prompt_id: string) => birch.hook("UserPromptSubmit", { session_id, prompt_id });
    const given = await hook("p1");
    expect(given).toContain("Merkle brief");
    const record = async (content: readonly string[]) => {
      const entry = { uuid: "1", parentUuid: null, attachment: { type: "hook_additional_context", content } };
      await mkdir(join(home, "projects", "-here"), { recursive: true });
      await writeFile(join(home, "projects", "-here", `${session_id}.jsonl`), `${JSON.stringify(entry)}\n`);
    };
    await record([]);
    const again = await hook("p2");
    expect(again).toContain("Merkle brief");
    await record([again]);
    expect(await hook("p3")).not.toContain("Merkle brief");
  });
});
