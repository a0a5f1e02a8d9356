import { readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import type { ModelUsage } from "@merkle/wire";
import {
  type ModelTokenCounts,
  sumByModel,
  type UsageReadState,
  type UsageRecord,
} from "../../clients/usage-record.js";
import { sha256 } from "../../core/sha256.js";
import { toUsageRecordPath } from "../../home/stored-peers.js";
import type { BrokerLink } from "../../mcp/broker-link.js";
import type { HookCall } from "../../mcp/hook-call.js";
import type { PeerSession } from "../../mcp/peer-sessions.js";

/**
 * Reports the token usage of the client's models to the broker, from the client's own record of the
 * conversation (USAGE-2).
 */
export interface UsageReporter {
  /**
   * Handles a hook of the main agent. The first hook in a conversation starts the count, and the hook at the
   * end of a turn reports it.
   */
  handleHook(call: HookCall): void;
}

interface UsageReporterOptions {
  readonly link: Pick<BrokerLink, "call">;
  /**
   * Returns the peer session for which usage is reported, which is also the session in which the model's
   * calls act.
   */
  readonly findTeam: () => PeerSession | undefined;
  readonly record: UsageRecord;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (text: string) => void;
}

/** How far the record of a conversation has been read. Saved for the next server of the same peer. */
interface UsageNote {
  readonly conversation: string;
  /** The position up to which each file has been read. */
  readonly files: Readonly<Record<string, ReadPosition>>;
  /** A report that the broker may not have stored. It is sent again with the same idempotency key. */
  readonly due?: PendingReport | undefined;
}

interface ReadPosition {
  readonly offset: number;
  readonly carried?: UsageReadState | undefined;
}

interface PendingReport {
  readonly key: string;
  readonly usage: readonly ModelUsage[];
}

/**
 * How long to wait after a turn before reading the client's files. The client records the end of a turn while
 * its hook runs, or just after.
 */
const afterStopMs = 1_000;
/**
 * The maximum number of bytes to read at once, which is more than one turn writes. The rest is read after the
 * next turn.
 */
const readBytesMax = 16 * 1024 * 1024;
const modelsMax = 20;

export function createUsageReporter(options: UsageReporterOptions): UsageReporter {
  const { link, record, home, env, log } = options;
  let currentConversation: string | undefined;
  /**
   * Settles when the last step is done. Steps run one at a time, because each continues from the saved
   * position.
   */
  let working: Promise<void> = Promise.resolve();

  /** Skips the tokens that were used before the peer joined, which do not count for the session. */
  async function begin(team: PeerSession, conversation: string): Promise<void> {
    if (readNote(home, team.storedPeerId)?.conversation === conversation) return;
    const { files } = await readFiles(conversation, {}, Number.POSITIVE_INFINITY);
    writeNote(home, team.storedPeerId, { conversation, files });
  }

  async function report(team: PeerSession, conversation: string): Promise<void> {
    let note = readNote(home, team.storedPeerId);
    if (note?.conversation !== conversation) return;
    if (note.due) note = await sendReport(team, note, note.due);
    const { files, usage } = await readFiles(conversation, note.files);
    const next = { conversation, files };
    if (usage.length === 0) return writeNote(home, team.storedPeerId, next);
    const due = { key: toReportKey(team, next), usage: usage.slice(0, modelsMax) };
    writeNote(home, team.storedPeerId, { ...next, due });
    await sendReport(team, next, due);
  }

  /** Reads each file from its saved position. New files are read from the beginning. */
  async function readFiles(
    conversation: string,
    before: UsageNote["files"],
    bytesMax?: number,
  ): Promise<{ files: UsageNote["files"]; usage: readonly ModelUsage[] }> {
    const files: Record<string, ReadPosition> = { ...before };
    const used: ModelTokenCounts[] = [];
    for (const path of await record.find(conversation, env)) {
      const { offset: from, carried: state } = before[path] ?? { offset: 0 };
      const { text, offset } = await readNewLines(path, from, bytesMax);
      const { usage, carried } = record.read(text, state);
      files[path] = { offset, carried };
      used.push(...usage);
    }
    return { files, usage: sumByModel(used) };
  }

  async function sendReport(
    team: PeerSession,
    note: UsageNote,
    { key, usage }: PendingReport,
  ): Promise<UsageNote> {
    const input = { session_id: team.sessionId, team_id: team.credential, usage: [...usage] };
    await link.call("report_usage", { ...input, idempotency_key: key });
    const { due: _, ...sent } = note;
    writeNote(home, team.storedPeerId, sent);
    return sent;
  }

  function enqueue(task: (team: PeerSession) => Promise<void>): void {
    working = working
      .then(async () => {
        const team = options.findTeam();
        if (team?.state.membership === "member") await task(team);
      })
      // The report is retried at the end of the next turn.
      .catch((error: unknown) => log(`could not report token usage: ${String(error)}`));
  }

  return {
    handleHook({ event, agentId, sessionId: conversation }) {
      if (agentId !== "" || conversation === "") return;
      if (currentConversation !== conversation) enqueue((team) => begin(team, conversation));
      currentConversation = conversation;
      if (event === "Stop")
        setTimeout(() => enqueue((team) => report(team, conversation)), afterStopMs).unref();
    },
  };
}

function toReportKey({ storedPeerId }: PeerSession, { conversation, files }: UsageNote): string {
  const offsets = Object.entries(files).map(([path, { offset }]) => [path, offset]);
  return sha256(JSON.stringify([storedPeerId, conversation, offsets]));
}

/** Reads the complete lines of a file from an offset on. Returns their text and the offset after them. */
async function readNewLines(
  path: string,
  from: number,
  bytesMax = readBytesMax,
): Promise<{ text: string; offset: number }> {
  const file = await open(path).catch(() => undefined);
  if (!file) return { text: "", offset: from };
  try {
    const { size } = await file.stat();
    // The first read of a long file only has to find its end.
    const start = bytesMax === Number.POSITIVE_INFINITY ? Math.max(0, size - readBytesMax) : from;
    const length = Math.min(Math.max(0, size - start), readBytesMax);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
    const end = buffer.subarray(0, bytesRead).lastIndexOf("\n") + 1;
    return { text: buffer.toString("utf8", 0, end), offset: start + end };
  } finally {
    await file.close();
  }
}

function readNote(home: string, storedPeerId: string): UsageNote | undefined {
  try {
    const note: Partial<UsageNote> = JSON.parse(readFileSync(toUsageRecordPath(home, storedPeerId), "utf8"));
    const { conversation, files, due } = note;
    return typeof conversation === "string" && typeof files === "object" && files !== null
      ? { conversation, files, due }
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Saves how far the files have been read. If the home is not writable, this throws and nothing is reported,
 * because the usage would be counted twice.
 *
 * @throws file system errors
 */
function writeNote(home: string, storedPeerId: string, note: UsageNote): void {
  writeFileSync(toUsageRecordPath(home, storedPeerId), JSON.stringify(note), { mode: 0o600 });
}
