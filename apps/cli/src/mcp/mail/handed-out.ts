import { readFileSync, writeFileSync } from "node:fs";
import type { Message } from "@merkle/wire";
import { readTranscript, type Transcript, type TranscriptFormat } from "../../clients/transcript.js";
import { findStoredPeer, handedOutFile } from "../../home/stored-peers.js";
import type { Earlier, InboxOptions } from "../inbox.js";

/** Knowledge of messages that outlives this server: which were handed out for a place, and which the client recorded. */
export interface HandedOut {
  /** The client's record of the conversation that reads, or undefined when nothing is known of it. */
  readTranscript(): Promise<Transcript | undefined>;
  /** Another conversation of the client reads from now on. */
  moveTo(conversation: string): void;
  /** How a place's inbox begins, and what it notes for the server after this one. */
  openPlace(placeId: string, epoch: string | undefined): Promise<InboxOptions>;
}

interface HandedOutOptions {
  readonly home: string;
  /** How the client records conversations; undefined where that is not known, or messages are handed out in a form that is not looked for. */
  readonly format: TranscriptFormat | undefined;
  /** Some clients name it with their first call only. */
  readonly conversation?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The process that shows what is handed out to a model. */
  readonly client: number;
}

interface Note {
  /** The database whose number it is. */
  readonly epoch: string;
  /** The last message that was handed out. */
  readonly sequence: number;
  /** The client to which it was. */
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
    // A client that still runs may show what it has not recorded yet, and take back what the model has not answered.
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
        // At once: when it has been handed out, this process may be killed.
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
    // Nothing was handed out, as far as anybody knows.
    return undefined;
  }
}

function writeNote(path: string, note: Note): void {
  try {
    writeFileSync(path, JSON.stringify(note), { mode: 0o600 });
  } catch {
    // A home that cannot be written to keeps no place either; then a repeat is not said to be one.
  }
}
