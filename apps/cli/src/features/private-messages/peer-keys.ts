import { join } from "node:path";
import {
  type BoxKey,
  boxKeyFrom,
  drawSeed,
  fromBase64url,
  signingKeyFrom,
  toBase64url,
} from "@merkle/wire/identity";
import * as z from "zod";
import { homeFiles } from "../../core/merkle-home.js";
import { readPrivateJson, writePrivateJson } from "../../core/private-file.js";

const Opened = z.object({
  counter: z.int(),
  sequence: z.int(),
  message_id: z.string(),
  /** Identifies the database history that the sequence belongs to. */
  epoch: z.string(),
});
export type Opened = z.output<typeof Opened>;

const PlaceFile = z.object({
  seed: z.string(),
  peer_id: z.string().nullable(),
  sent: z.record(z.string(), z.int()),
  opened: z.record(z.string(), z.array(Opened)),
});

/**
 * The keys of a peer on this machine, and a record of the messages that were encrypted and decrypted with
 * these keys.
 */
export interface PeerKeys {
  readonly seed: Uint8Array;
  /** The public session key in base64url. */
  readonly sessionKey: string;
  readonly box: BoxKey;
  /** The peer's id at the broker, or null while it is unknown. */
  readonly peerId: string | null;
  notePeer(peerId: string): void;
  /**
   * Returns the counter for the next message to this session key. The counter is saved before use, so that no
   * value is used twice.
   */
  nextCounter(sessionKey: string): number;
  /** Returns the last messages from this session key that were decrypted. */
  openedOf(sessionKey: string): readonly Opened[];
  noteOpened(sessionKey: string, opened: Opened): void;
}

/** Returns the seed of a peer's keys if this machine has stored one. Never creates a seed. */
export function readPeerSeed(home: string, placeId: string): Uint8Array | undefined {
  const kept = PlaceFile.safeParse(readPrivateJson(pathOf(home, placeId))).data;
  return (kept && fromBase64url(kept.seed, 32)) ?? undefined;
}

function pathOf(home: string, placeId: string): string {
  return join(homeFiles.sealed(home), `${placeId}.json`);
}

/** Maximum number of decrypted messages to remember for each sender. */
const openedMax = 256;

/**
 * Opens the keys of a peer. If no keys are stored, creates them from the session key that the peer joined
 * with, or else from a random seed.
 */
export function openPeerKeys(home: string, placeId: string, sessionSeed: Uint8Array | undefined): PeerKeys {
  const path = pathOf(home, placeId);
  const kept = PlaceFile.safeParse(readPrivateJson(path)).data;
  const seed = (kept && fromBase64url(kept.seed, 32)) ?? sessionSeed ?? drawSeed();
  const file = { peer_id: null, sent: {}, opened: {}, ...kept, seed: toBase64url(seed) };
  const save = () => writePrivateJson(path, file);
  if (kept?.seed !== file.seed) save();
  return {
    seed,
    sessionKey: signingKeyFrom(seed).publicKey,
    box: boxKeyFrom(seed),
    get peerId() {
      return file.peer_id;
    },
    notePeer(peerId) {
      if (file.peer_id === peerId) return;
      file.peer_id = peerId;
      save();
    },
    nextCounter(sessionKey) {
      const counter = (file.sent[sessionKey] ?? 0) + 1;
      file.sent[sessionKey] = counter;
      save();
      return counter;
    },
    openedOf: (sessionKey) => file.opened[sessionKey] ?? [],
    noteOpened(sessionKey, opened) {
      file.opened[sessionKey] = [...(file.opened[sessionKey] ?? []), opened].slice(-openedMax);
      save();
    },
  };
}
