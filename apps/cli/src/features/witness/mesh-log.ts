import { MerkleError } from "@merkle/wire";
import type { Consistency, SeenCheckpoint } from "@merkle/wire/record";
import type { Actor } from "../../identity/actors.js";

/** Reads a mesh's log from a broker. */
export interface MeshLog {
  readCheckpoint(): Promise<SeenCheckpoint>;
  /** Returns the proof that leads from one size of the log to a larger one. Null if the broker has none. */
  readConsistency(fromSize: number, size: number): Promise<Consistency | null>;
  /** Returns some of the entries that begin at an index. */
  readEntries(from: number): Promise<readonly string[]>;
  /** Returns the proof for the feed or the document of a session. Null if the broker has none. */
  readSessionConsistency(range: SessionRange): Promise<Consistency | null>;
  addCosignature(note: string): Promise<void>;
}

export interface SessionRange {
  readonly sessionId: string;
  readonly log: "feed" | "document";
  readonly fromSize: number;
  readonly size: number;
}

/** Number of entries to read at once. */
const pageEntries = 200;

export function openMeshLog(actor: Actor): MeshLog {
  return {
    async readCheckpoint() {
      const { note, keys } = await actor.call("get_checkpoint", {});
      return { note, keys };
    },
    async readConsistency(from_size, size) {
      const proof = await refusedAsNull(actor.call("get_log_proof", { from_size, size }));
      return proof?.consistency ?? null;
    },
    async readEntries(from) {
      return (await actor.call("get_log_entries", { from, limit: pageEntries })).entries;
    },
    async readSessionConsistency({ sessionId, log, fromSize, size }) {
      const input = { session_id: sessionId, log, from_size: fromSize, size };
      return (await refusedAsNull(actor.call("session_proof", input)))?.consistency ?? null;
    },
    async addCosignature(note) {
      await actor.call("add_cosignature", { note });
    },
  };
}

/** Resolves to null if the broker refuses, because it does not have the sizes or the session. */
async function refusedAsNull<Output>(reply: Promise<Output>): Promise<Output | null> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof MerkleError && (error.code === "conflict" || error.code === "not_found"))
      return null;
    throw error;
  }
}
