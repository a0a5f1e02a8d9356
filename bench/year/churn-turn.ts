import { randomUUID } from "node:crypto";
import { type Caller, openCaller } from "../caller.js";
import type { TeamInSession } from "../places.js";
import type { BenchBroker } from "../stage.js";

/** A client that changes existing rows in its sessions by calling operations. */
export interface Changer {
  /**
   * Performs one turn in one of the sessions: posts a message that everyone reads, and lets an agent change its status
   * and other rows. One turn in four also changes a task, and one turn in four changes the document.
   */
  turn(): Promise<void>;
  close(): void;
}

interface Room {
  readonly readers: readonly Reader[];
  /** The document's version, which is known because only this changer writes the document. */
  version: number;
  /** Sequence of the last message. */
  cursor: number;
}

interface Reader {
  readonly own: Pick<TeamInSession, "session_id" | "team_id">;
  /** The next wait acknowledges everything up to this sequence. */
  cursor: number;
}

const keysPerSession = 5;

/** @param sessions - the agents of each session. No other changer uses these sessions. */
export async function openChanger(
  { url, socketUrl, homeKey }: BenchBroker,
  sessions: readonly (readonly TeamInSession[])[],
): Promise<Changer> {
  const caller = await openCaller(socketUrl);
  const rooms = sessions.map(
    (agents): Room => ({
      readers: agents.map(({ session_id, team_id, end }) => ({ own: { session_id, team_id }, cursor: end })),
      version: 0,
      cursor: 0,
    }),
  );
  const human = await openHuman(caller, homeKey, sessions);
  let turns = 0;
  return {
    async turn() {
      const room = rooms[turns % rooms.length];
      const round = Math.floor(turns / rooms.length);
      turns += 1;
      const agent = room?.readers[round % room.readers.length];
      if (!room || !agent) throw new Error("There is no session to change.");
      await changeOnce(caller, room, agent.own, turns);
      await human(agent.own.session_id, room.cursor);
      if (turns % 8 === 2) await callOverMcp(url);
    },
    close: caller.close,
  };
}

async function changeOnce({ call }: Caller, room: Room, own: Reader["own"], turn: number): Promise<void> {
  const keyed = () => ({ ...own, idempotency_key: randomUUID() });
  const posted = await call("post_message", { ...keyed(), content: { text: `Turn ${turn} is done.` } });
  room.cursor = Number(posted["cursor"]);
  await Promise.all(
    room.readers.map(async (reader) => {
      const waited = await call("wait_for_messages", {
        ...reader.own,
        since_cursor: reader.cursor,
        timeout: 0,
      });
      reader.cursor = Number(waited["next_cursor"]);
    }),
  );
  await call("set_status", { ...own, status: turn % 2 ? "working" : "idle" });
  await call("set_summary", { ...own, summary: `Works on step ${turn}.` });
  await call("set_state", { ...keyed(), key: `step ${turn % keysPerSession}`, value: { turn, by: "bench" } });
  await call("report_usage", { ...own, usage: [{ model: "model", input_tokens: 10, output_tokens: 2 }] });
  if (turn % 4 === 0) await changeTask(call, own, keyed, turn);
  if (turn % 4 === 1) await changeDocument(call, room, keyed(), turn);
  if (turn % 4 === 2) await call("join_group", { ...own, name: "backend" });
  if (turn % 4 === 3) await call("leave_group", { ...own, name: "backend" });
  await call(turn % 2 ? "watch_state" : "unwatch_state", { ...own, key: "step 1" });
}

async function changeTask(
  call: Caller["call"],
  own: object,
  keyed: () => object,
  turn: number,
): Promise<void> {
  const scope = `repo:src/part-${turn}/**`;
  await call("claim", { ...own, scope });
  const created = await call("create_task", { ...keyed(), title: `Part ${turn}` });
  const task = Number(created["task"]);
  await call("claim_task", { ...own, task });
  await call("update_task", { ...own, task, text: `It is done in ${turn} steps.` });
  await call("finish_task", { ...own, task, result: "Done." });
  await call("release", { ...own, scope });
}

async function changeDocument(call: Caller["call"], room: Room, own: object, turn: number): Promise<void> {
  const content = `# Notes\n\n${`What turn ${turn} found out, in a line of the length of a line.\n`.repeat(30)}`;
  const written = await call("update_session_doc", { ...own, content, expected_version: room.version });
  room.version = Number(written["version"]);
}

/** Adds a person who reads the messages to all of the sessions. */
async function openHuman(
  { call }: Caller,
  home_key: string,
  sessions: readonly (readonly TeamInSession[])[],
): Promise<(session_id: string, cursor: number) => Promise<unknown>> {
  const { code } = await call("create_verification_code", { home_key });
  const { person_id: team_id } = await call("create_person", { name: "Reader", code });
  for (const [first] of sessions)
    await call("join_session", { session_id: first?.session_id, team_name: "Reader", team_id });
  return (session_id, cursor) => call("mark_read", { session_id, team_id, cursor });
}

/** Performs the calls of a short-lived MCP client, which opens an MCP session, uses it once and ends it. */
async function callOverMcp(url: string): Promise<void> {
  const endpoint = `${url}/api/mcp`;
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = (body: object, session: Record<string, string> = {}) =>
    fetch(endpoint, { method: "POST", headers: { ...headers, ...session }, body: JSON.stringify(body) });
  const begun = await post({
    ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
  });
  await begun.text();
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
  await (await post({ jsonrpc: "2.0", id: 2, method: "tools/list" }, session)).text();
  await (await fetch(endpoint, { method: "DELETE", headers: { ...headers, ...session } })).text();
}
