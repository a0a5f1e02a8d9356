import { PassThrough, Transform } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { expect, it, onTestFinished, vi } from "vitest";
import { backUp, restoreInPlace } from "../../../../tests/kit/restore.js";
import { createTestSession } from "../../../../tests/kit/session.js";
import { makeAgentHome } from "../../../../tests/kit/stdio.js";
import { startTestBroker } from "../../../../tests/kit/test-broker.js";
import { transports } from "../../../../tests/kit/transports.js";
import type { Io } from "../command/io.js";
import { run } from "../run.js";
import * as inboxes from "./inbox-state.js";
import * as peers from "./peer-state.js";
import { createStdioTransport } from "./stdio-transport.js";

it("[WAKE-4] [STDIO-5] the events of a real run with lost answers, restarts and a restore, replayed, lead to the same states", async () => {
  const advanceInbox = vi.spyOn(inboxes, "advanceInbox");
  const advancePeer = vi.spyOn(peers, "advancePeer");
  // A server ends its process, which is this one.
  const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
  onTestFinished(() => {
    for (const spy of [advanceInbox, advancePeer, exit]) spy.mockRestore();
  });
  const until: Until = (isExpected) =>
    expect.poll(() => advanceInbox.mock.calls.some(([, event]) => isExpected(event))).toBe(true);

  await deliverThroughLossesAndRestore(until);

  const inboxRuns = toRuns(advanceInbox.mock);
  const peerRuns = toRuns(advancePeer.mock);
  expect(toTypes(inboxRuns)).toEqual(
    new Set([
      "pushed",
      "filled",
      "offered",
      "settled",
      "proved",
      "recorded",
      "conversationEnded",
      "passed",
      "restarted",
      "reset",
    ]),
  );
  expect([...toTypes(peerRuns)]).toEqual(
    expect.arrayContaining([
      "connected",
      "waitAnswered",
      "acknowledged",
      "conversationStarted",
      "restored",
      "cursorRead",
      "rejoined",
      "left",
    ]),
  );
  expectSameStates(inboxRuns, inboxes.advanceInbox);
  expectSameStates(peerRuns, peers.advancePeer);
});

/** What happened to one inbox or peer. */
interface Run<State, Event> {
  readonly start: State;
  readonly events: Event[];
  end: State;
}

/** Splits the recorded calls into runs: a call continues the run whose last state it begins with. */
function toRuns<State, Event>({
  calls,
  results,
}: {
  readonly calls: readonly (readonly [State, Event])[];
  readonly results: readonly { readonly value?: { readonly state: State } | undefined }[];
}): Run<State, Event>[] {
  const runs: Run<State, Event>[] = [];
  for (const [index, [state, event]] of calls.entries()) {
    let current = runs.find(({ end }) => end === state);
    if (!current) {
      current = { start: state, events: [], end: state };
      runs.push(current);
    }
    current.events.push(event);
    current.end = results[index]?.value?.state ?? state;
  }
  return runs;
}

function toTypes(runs: readonly Run<unknown, { readonly type: string }>[]): Set<string> {
  return new Set(runs.flatMap(({ events }) => events.map(({ type }) => type)));
}

function expectSameStates<State, Event>(
  runs: readonly Run<State, Event>[],
  advance: (state: State, event: Event) => { readonly state: State },
): void {
  for (const { start, events, end } of runs) {
    const recorded: Event[] = JSON.parse(JSON.stringify(events));
    expect(recorded.reduce((state, event) => advance(state, event).state, start)).toEqual(end);
  }
}

/** Resolves once an inbox has had such an event. */
type Until = (isExpected: (event: inboxes.InboxEvent) => boolean) => Promise<void>;

/** Lets two servers, one after the other, deliver messages in every way, until the database is restored. */
async function deliverThroughLossesAndRestore(until: Until): Promise<void> {
  const broker = await startTestBroker({}, onTestFinished, "the database is restored in place");
  const session = await createTestSession(await transports.rest(broker.url), "Lost and restored");
  const at = { url: broker.url, home: await makeAgentHome(), session: session.slug };
  async function post(text: string): Promise<void> {
    await session.post(session.convener, text);
    await until((event) => event.type === "pushed" && event.arrival.message.content["text"] === text);
  }
  // With its conversation, the client names a record, which it has not written yet.
  vi.stubEnv("CLAUDE_CODE_SESSION_ID", "c1");
  vi.stubEnv("CLAUDE_CONFIG_DIR", at.home);
  onTestFinished(() => void vi.unstubAllEnvs());

  const first = await startServer(at);
  await first.call("list_participants");
  await post("one");
  expect(await first.call("wait_for_messages")).toMatch(/^#2 .*: one$/);
  await post("two");
  expect(await first.hook("UserPromptSubmit", "p1")).toMatch(/^#3 .*: two$/m);
  expect(await first.hook("UserPromptSubmit", "p2")).toMatch(/^\(again\) #3 .*: two$/m);
  expect(await first.hook("Stop", "p2")).toBe("");
  await until(({ type }) => type === "recorded");
  await post("three");
  expect(await first.hook("UserPromptSubmit", "p3")).toMatch(/^#4 .*: three$/m);
  expect(await first.hook("UserPromptSubmit", "p4", "c2")).toMatch(/^\(again\) #4 .*: three$/m);
  await post("four");
  await first.exitBeforeAnswer("wait_for_messages");

  const second = await startServer(at);
  expect(await second.call("wait_for_messages")).toMatch(/#5 .*: four$/);
  await broker.restart();
  await post("five");
  await second.call("ack", { cursor: 6 });
  expect(await second.call("wait_for_messages", { timeout: 0 })).toBe("nothing new");
  const file = await backUp(broker);
  await post("lost by the restore");
  expect(await second.call("wait_for_messages")).toMatch(/#7 .*: lost by the restore$/);
  await restoreInPlace(broker, file);
  await post("takes its number");
  await expect.poll(() => second.call("wait_for_messages")).toMatch(/#7 .*: takes its number$/);
  await second.call("join_session", { session_id: session.slug, team_name: "Birch", replay_from: 2 });
  expect(await second.call("wait_for_messages")).toMatch(/#3 .*: two\n/);
  await second.call("leave_session");
  await second.exit();
}

interface AgentServer {
  call(name: string, args?: Record<string, unknown>): Promise<string>;
  /** Runs a hook, and returns the text that it adds to the conversation. */
  hook(event: string, prompt: string, conversation?: string): Promise<string>;
  /** Calls a tool, and ends the client while the answer is being written. */
  exitBeforeAnswer(name: string): Promise<void>;
  /** Ends the client, and with it the server. */
  exit(): Promise<void>;
}

/** Runs `merkle mcp` in this process, where its events can be recorded. */
async function startServer(at: { url: string; home: string; session: string }): Promise<AgentServer> {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  // Nothing is buffered: what has not been read has not been written.
  const stdout = new PassThrough({ highWaterMark: 1 });
  // As between processes, the server learns that an answer was written before the client reads it.
  const answers = new Transform({ transform: (chunk, _, done) => void setImmediate(done, null, chunk) });
  const env = { HOME: at.home, MERKLE_HOME: at.home, MERKLE_URL: at.url };
  const io: Io = { stdin, stdout, stderr, env, cwd: at.home };
  const ended = run(["mcp", "--session", at.session, "--team", "Birch"], io, new AbortController().signal);
  onTestFinished(exit);
  const client = new Client({ name: "claude-code", version: "1" });
  await client.connect(createStdioTransport(stdout.pipe(answers), stdin));

  async function call(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { content } = await client.callTool({ name, arguments: args });
    const [part] = content as { readonly text: string }[];
    return part?.text ?? "";
  }

  async function exit(): Promise<void> {
    if (stdin.destroyed) return;
    const { calls } = vi.mocked(process.exit).mock;
    const before = calls.length;
    for (const stream of [stdin, stdout, answers]) stream.destroy();
    await ended;
    await expect.poll(() => calls.length).toBe(before + 1);
  }

  return {
    call,
    async hook(event, prompt, conversation = "c1") {
      const ids = { session_id: conversation, prompt_id: prompt, agent_id: "", tool_use_id: "" };
      const answer = JSON.parse(await call("hook", { event, ...ids }));
      return answer.hookSpecificOutput?.additionalContext ?? "";
    },
    async exitBeforeAnswer(name) {
      stdout.unpipe(answers);
      const lost = call(name).catch(() => undefined);
      await expect.poll(() => stdout.readableLength).toBeGreaterThan(0);
      await exit();
      await client.close();
      await lost;
    },
    exit,
  };
}
