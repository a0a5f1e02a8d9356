import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import type { ModelUsage } from "@merkle/wire";
import { type Carried, sumByModel, type UsageRecord, type UsedTokens } from "../../clients/usage-record.js";
import { reportedFile } from "../../home/stored-peers.js";
import type { BrokerLink } from "../../mcp/broker-link.js";
import type { HookCall } from "../../mcp/hook-call.js";
import type { PeerSession } from "../../mcp/peer-sessions.js";

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
  /** How far each of its files is read. */
  readonly files: Readonly<Record<string, ReadSoFar>>;
  /** A report that was read and is not known to be stored; sent again under the same key. */
  readonly due?: Due | undefined;
}

interface ReadSoFar {
  readonly offset: number;
  readonly carried?: Carried | undefined;
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
    const { files } = await readFiles(conversation, {}, Number.POSITIVE_INFINITY);
    writeNote(home, team.placeId, { conversation, files });
  }

  async function report(team: PeerSession, conversation: string): Promise<void> {
    let note = readNote(home, team.placeId);
    if (note?.conversation !== conversation) return;
    if (note.due) note = await tell(team, note, note.due);
    const { files, usage } = await readFiles(conversation, note.files);
    const next = { conversation, files };
    if (usage.length === 0) return writeNote(home, team.placeId, next);
    const due = { key: keyOf(team, next), usage: usage.slice(0, modelsMax) };
    writeNote(home, team.placeId, { ...next, due });
    await tell(team, next, due);
  }

  /** Goes on in each file from where it was read before; one that is new is read from its beginning. */
  async function readFiles(
    conversation: string,
    before: Note["files"],
    bytesMax?: number,
  ): Promise<{ files: Note["files"]; usage: readonly ModelUsage[] }> {
    const files: Record<string, ReadSoFar> = { ...before };
    const used: UsedTokens[] = [];
    for (const path of await record.find(conversation, env)) {
      const { offset: from, carried: state } = before[path] ?? { offset: 0 };
      const { text, offset } = await readOn(path, from, bytesMax);
      const { usage, carried } = record.read(text, state);
      files[path] = { offset, carried };
      used.push(...usage);
    }
    return { files, usage: sumByModel(used) };
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
      .catch((error: unknown) => log(`could not report token usage: ${String(error)}`));
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

function keyOf({ placeId }: PeerSession, { conversation, files }: Note): string {
  const offsets = Object.entries(files).map(([path, { offset }]) => [path, offset]);
  return createHash("sha256")
    .update(JSON.stringify([placeId, conversation, offsets]))
    .digest("hex");
}

/** The whole lines of a file from a place on, and where they end. */
async function readOn(
  path: string,
  from: number,
  bytesMax = readBytesMax,
): Promise<{ text: string; offset: number }> {
  const file = await open(path).catch(() => undefined);
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
    const { conversation, files, due } = note;
    return typeof conversation === "string" && typeof files === "object" && files !== null
      ? { conversation, files, due }
      : undefined;
  } catch {
    return undefined;
  }
}

/** A home that cannot be written to has nothing reported: it would be twice. @throws what writing a file throws */
function writeNote(home: string, placeId: string, note: Note): void {
  writeFileSync(reportedFile(home, placeId), JSON.stringify(note), { mode: 0o600 });
}
