import { readFileSync, writeFileSync } from "node:fs";
import type { Message } from "@merkle/wire";
import { readTranscript, type Transcript, type TranscriptFormat } from "../../clients/transcript.js";
import { findStoredPeer, handedOutFile } from "../../home/stored-peers.js";
import type { Earlier, InboxOptions } from "../inbox.js";

/**
 * Data about delivered messages that outlives this server: which were offered for a peer, and which the
 * client recorded.
 */
export interface HandedOut {
  /** Returns the client's record of the current conversation, or undefined if it cannot be found. */
  readTranscript(): Promise<Transcript | undefined>;
  /** Switches to another conversation of the client. */
  moveTo(conversation: string): void;
  /**
   * Returns the options of a peer's inbox. They include what an earlier server offered, and record offers for
   * the next server.
   */
  openPlace(placeId: string, epoch: string | undefined): Promise<InboxOptions>;
}

interface HandedOutOptions {
  readonly home: string;
  /**
   * The format of the client's conversation records. Undefined if unknown, or if messages are delivered in a
   * form that cannot be found there.
   */
  readonly format: TranscriptFormat | undefined;
  /** The conversation's id. Undefined for clients that send it only with their first call. */
  readonly conversation?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The process id of the client, which shows offered messages to a model. */
  readonly client: number;
}

interface Note {
  /** The epoch of the database that numbered the message. */
  readonly epoch: string;
  /** The last message that was offered. */
  readonly sequence: number;
  /** The process id of the client that received the offer. */
  readonly client: number;
}

export function createHandedOut({ home, env, client, format, ...options }: HandedOutOptions): HandedOut {
  let { conversation } = options;

  async function read(): Promise<Transcript | undefined> {
    return format && conversation !== undefined ? readTranscript(format, conversation, env) : undefined;
  }

  async function findEarlier(placeId: string, epoch: string | undefined): Promise<Earlier | undefined> {
    const note = readNote(handedOutFile(home, placeId));
    if (!note || note.epoch !== epoch) return undefined;
    // A running client may show messages that it has not recorded yet, and may discard messages that the
    // model has not answered.
    const isLive = note.client === client;
    if (isLive) conversation ??= (await findStoredPeer(home, placeId))?.claude_session_id ?? undefined;
    const transcript = await read();
    const find = (message: Message) => {
      const isHeld = isLive ? transcript?.isAnswered(message) : transcript?.holds(message);
      if (isHeld) return "held";
      return transcript && !isLive ? "lost" : "perhaps";
    };
    return { upTo: note.sequence, find };
  }

  return {
    readTranscript: read,
    moveTo(next) {
      conversation = next;
    },
    async openPlace(placeId, epoch) {
      const earlier = await findEarlier(placeId, epoch);
      return {
        isRecorded: format !== undefined,
        ...(earlier && { earlier }),
        // Write synchronously, because the process may be killed once the messages are offered.
        onOffer(sequence) {
          if (epoch !== undefined) writeNote(handedOutFile(home, placeId), { epoch, sequence, client });
        },
      };
    },
  };
}

function readNote(path: string): Note | undefined {
  try {
    const { epoch, sequence, client }: Partial<Record<keyof Note, unknown>> = JSON.parse(
      readFileSync(path, "utf8"),
    );
    const isNote = typeof epoch === "string" && typeof sequence === "number" && typeof client === "number";
    return isNote ? { epoch, sequence, client } : undefined;
  } catch {
    // Without a readable note, assume that nothing was offered.
    return undefined;
  }
}

function writeNote(path: string, note: Note): void {
  try {
    writeFileSync(path, JSON.stringify(note), { mode: 0o600 });
  } catch {
    // If the home is not writable, repeated messages are not marked as repeats.
  }
}
