import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import type { ModelUsage } from "@merkle/wire";
import type { Carried, UsageRecord } from "../../clients/usage-record.js";
import { reportedFile } from "../../sessions/stored-peers.js";
import type { BrokerLink } from "../broker-link.js";
import type { HookCall } from "../hook-call.js";
import type { PeerSession } from "../peer-sessions.js";

/** Tells the broker what the client's models have used, from the client's own record of the conversation (USAGE-2). */
export interface UsageReporter {
  /** Notes a hook of the main agent's: the first of a conversation begins the count, the end of a turn has it reported. */
  hook(call: HookCall): void;
}

interface UsageReporterOptions {
  readonly link: Pick<BrokerLink, "call">;
  /** The place for which it is reported: the one that calls of the model go to. */
  readonly team: () => PeerSession | undefined;
  readonly record: UsageRecord;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (text: string) => void;
}

/** The state of reading a conversation's record, also for the next server of the same peer session. */
interface Note {
  readonly conversation: string;
  /** Up to here it is read. */
  readonly offset: number;
  readonly carried?: Carried | undefined;
  /** A report that was read and is not known to be stored; sent again under the same key. */
  readonly due?: Due | undefined;
}

interface Due {
  readonly key: string;
  readonly usage: readonly ModelUsage[];
}

/** The client writes the end of a turn down while its hook runs, or just after. */
const afterStopMs = 1_000;
/** More than a turn writes; what is beyond is read after the next one. */
const readBytesMax = 16 * 1024 * 1024;
const modelsMax = 20;

export function createUsageReporter(options: UsageReporterOptions): UsageReporter {
  const { link, record, home, env, log } = options;
  let begun: string | undefined;
  /** One after the other: each goes on from what the one before noted. */
  let working: Promise<void> = Promise.resolve();

  /** Tokens used before the peer joined are not its session's. */
  async function begin(team: PeerSession, conversation: string): Promise<void> {
    if (readNote(home, team.placeId)?.conversation === conversation) return;
    const read = await readOn(await record.find(conversation, env), 0, Number.POSITIVE_INFINITY);
    const { carried } = record.read(read.text, undefined);
    writeNote(home, team.placeId, { conversation, offset: read.offset, carried });
  }

  async function report(team: PeerSession, conversation: string): Promise<void> {
    let note = readNote(home, team.placeId);
    if (note?.conversation !== conversation) return;
    if (note.due) note = await tell(team, note, note.due);
    const { text, offset } = await readOn(await record.find(conversation, env), note.offset);
    const { usage, carried } = record.read(text, note.carried);
    const next = { conversation, offset, carried };
    if (usage.length === 0) return writeNote(home, team.placeId, next);
    const due = { key: keyOf(team, conversation, offset), usage: usage.slice(0, modelsMax) };
    writeNote(home, team.placeId, { ...next, due });
    await tell(team, next, due);
  }

  async function tell(team: PeerSession, note: Note, { key, usage }: Due): Promise<Note> {
    const input = { session_id: team.sessionId, team_id: team.credential, usage: [...usage] };
    await link.call("report_usage", { ...input, idempotency_key: key });
    const { due: _, ...told } = note;
    writeNote(home, team.placeId, told);
    return told;
  }

  function work(what: (team: PeerSession) => Promise<void>): void {
    working = working
      .then(async () => {
        const team = options.team();
        if (team && !team.left && !team.replaced) await what(team);
      })
      // The next end of a turn tries again.
      .catch((error: unknown) => log(`what was used could not be reported: ${String(error)}`));
  }

  return {
    hook({ event, agentId, sessionId: conversation }) {
      if (agentId !== "" || conversation === "") return;
      if (begun !== conversation) work((team) => begin(team, conversation));
      begun = conversation;
      if (event === "Stop") setTimeout(() => work((team) => report(team, conversation)), afterStopMs).unref();
    },
  };
}

function keyOf({ placeId }: PeerSession, conversation: string, offset: number): string {
  return createHash("sha256")
    .update(JSON.stringify([placeId, conversation, offset]))
    .digest("hex");
}

/** The whole lines of a file from a place on, and where they end. */
async function readOn(
  path: string | undefined,
  from: number,
  bytesMax = readBytesMax,
): Promise<{ text: string; offset: number }> {
  const file = path === undefined ? undefined : await open(path).catch(() => undefined);
  if (!file) return { text: "", offset: from };
  try {
    const { size } = await file.stat();
    // A long record that is only begun with is read from near its end, which says enough.
    const start = bytesMax === Number.POSITIVE_INFINITY ? Math.max(0, size - readBytesMax) : from;
    const length = Math.min(Math.max(0, size - start), readBytesMax);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
    const end = buffer.subarray(0, bytesRead).lastIndexOf("\n") + 1;
    return { text: buffer.toString("utf8", 0, end), offset: start + end };
  } finally {
    await file.close();
  }
}

function readNote(home: string, placeId: string): Note | undefined {
  try {
    const note: Partial<Note> = JSON.parse(readFileSync(reportedFile(home, placeId), "utf8"));
    const { conversation, offset, carried, due } = note;
    return typeof conversation === "string" && typeof offset === "number"
      ? { conversation, offset, carried, due }
      : undefined;
  } catch {
    return undefined;
  }
}

/** A home that cannot be written to has nothing reported: it would be twice. @throws what writing a file throws */
function writeNote(home: string, placeId: string, note: Note): void {
  writeFileSync(reportedFile(home, placeId), JSON.stringify(note), { mode: 0o600 });
}
