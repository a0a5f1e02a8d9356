import { readFileSync, writeFileSync } from "node:fs";
import type { Message } from "@merkle/wire";
import { readTranscript, type Transcript, type TranscriptFormat } from "../../clients/transcript.js";
import { findStoredPeer, toDeliveryRecordPath } from "../../home/stored-peers.js";
import type { EarlierDelivery, PeerInboxOptions } from "../inbox.js";

/**
 * Keeps data about delivered messages beyond the life of this server: which messages were offered to a peer,
 * and which of them the client recorded.
 */
export interface DeliveryRecord {
  /** Returns the client's record of the current conversation, or undefined if it cannot be found. */
  readTranscript(): Promise<Transcript | undefined>;
  /** Switches to a different conversation of the client. */
  moveTo(conversation: string): void;
  /**
   * Returns the options for a peer's inbox. They report what an earlier server offered, and record offers for
   * the next server.
   */
  readInboxOptions(storedPeerId: string, epoch: string | undefined): Promise<PeerInboxOptions>;
}

interface DeliveryRecordOptions {
  readonly home: string;
  /**
   * The format of the client's transcripts. Undefined if it is unknown, or if messages are delivered in a
   * form that cannot be found in a transcript.
   */
  readonly format: TranscriptFormat | undefined;
  /** The conversation's id. Undefined for clients that send the id only with their first call. */
  readonly conversation?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The process id of the client that shows offered messages to a model. */
  readonly client: number;
}

interface OfferNote {
  /** The epoch of the database that numbered the message. */
  readonly epoch: string;
  /** The sequence of the last message that was offered. */
  readonly sequence: number;
  /** The process id of the client to which the message was offered. */
  readonly client: number;
}

export function createDeliveryRecord({
  home,
  env,
  client,
  format,
  ...options
}: DeliveryRecordOptions): DeliveryRecord {
  let { conversation } = options;

  async function read(): Promise<Transcript | undefined> {
    return format && conversation !== undefined ? readTranscript(format, conversation, env) : undefined;
  }

  async function findEarlier(
    storedPeerId: string,
    epoch: string | undefined,
  ): Promise<EarlierDelivery | undefined> {
    const note = readNote(toDeliveryRecordPath(home, storedPeerId));
    if (!note || note.epoch !== epoch) return undefined;
    // A client that is still running may show messages that it has not recorded yet, and may discard messages
    // that the model has not answered.
    const isLive = note.client === client;
    if (isLive) conversation ??= (await findStoredPeer(home, storedPeerId))?.claude_session_id ?? undefined;
    const transcript = await read();
    const find = (message: Message) => {
      const isHeld = isLive ? transcript?.isAnswered(message) : transcript?.contains(message);
      if (isHeld) return "held";
      return transcript && !isLive ? "lost" : "perhaps";
    };
    return { upTo: note.sequence, classify: find };
  }

  return {
    readTranscript: read,
    moveTo(next) {
      conversation = next;
    },
    async readInboxOptions(storedPeerId, epoch) {
      const earlier = await findEarlier(storedPeerId, epoch);
      return {
        isRecorded: format !== undefined,
        ...(earlier && { earlier }),
        // Writes synchronously, because the process may be killed as soon as the messages are offered.
        onOffer(sequence) {
          if (epoch !== undefined)
            writeNote(toDeliveryRecordPath(home, storedPeerId), { epoch, sequence, client });
        },
      };
    },
  };
}

function readNote(path: string): OfferNote | undefined {
  try {
    const { epoch, sequence, client }: Partial<Record<keyof OfferNote, unknown>> = JSON.parse(
      readFileSync(path, "utf8"),
    );
    const isNote = typeof epoch === "string" && typeof sequence === "number" && typeof client === "number";
    return isNote ? { epoch, sequence, client } : undefined;
  } catch {
    // If the file cannot be read, assume that no messages were offered.
    return undefined;
  }
}

function writeNote(path: string, note: OfferNote): void {
  try {
    writeFileSync(path, JSON.stringify(note), { mode: 0o600 });
  } catch {
    // The home is not writable, so repeated messages will not be marked as repeated.
  }
}
