import { join } from "node:path";
import { drawSeed, fromBase64url, toBase64url } from "@merkle/wire/identity";
import { type BoxKey, deriveBoxKey, deriveSigningKey } from "@merkle/wire/keys";
import * as z from "zod";
import { homeFiles } from "../../core/merkle-home.js";
import { readPrivateJson, writePrivateJson } from "../../core/private-file.js";

const OpenedMessage = z.object({
  counter: z.int(),
  sequence: z.int(),
  message_id: z.string(),
  /** Identifies the database history that the sequence belongs to. */
  epoch: z.string(),
});
export type OpenedMessage = z.output<typeof OpenedMessage>;

const PeerKeysFile = z.object({
  seed: z.string(),
  peer_id: z.string().nullable(),
  sent: z.record(z.string(), z.int()),
  opened: z.record(z.string(), z.array(OpenedMessage)),
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
  setPeerId(peerId: string): void;
  /**
   * Returns the counter for the next message to this session key. The counter is saved before use, so that no
   * value is used twice.
   */
  reserveCounter(sessionKey: string): number;
  /** Returns the last messages from this session key that were decrypted. */
  listOpened(sessionKey: string): readonly OpenedMessage[];
  recordOpened(sessionKey: string, opened: OpenedMessage): void;
}

/** Returns the seed of a peer's keys if this machine has stored one. Never creates a seed. */
export function readPeerSeed(home: string, storedPeerId: string): Uint8Array | undefined {
  const stored = PeerKeysFile.safeParse(readPrivateJson(toKeysPath(home, storedPeerId))).data;
  return (stored && fromBase64url(stored.seed, 32)) ?? undefined;
}

function toKeysPath(home: string, storedPeerId: string): string {
  return join(homeFiles.sealed(home), `${storedPeerId}.json`);
}

/** Maximum number of decrypted messages to remember for each sender. */
const openedMax = 256;

/**
 * Opens the keys of a peer. If no keys are stored, creates them from the session key that the peer joined
 * with, or else from a random seed.
 */
export function openPeerKeys(
  home: string,
  storedPeerId: string,
  sessionSeed: Uint8Array | undefined,
): PeerKeys {
  const path = toKeysPath(home, storedPeerId);
  const stored = PeerKeysFile.safeParse(readPrivateJson(path)).data;
  const seed = (stored && fromBase64url(stored.seed, 32)) ?? sessionSeed ?? drawSeed();
  const file = { peer_id: null, sent: {}, opened: {}, ...stored, seed: toBase64url(seed) };
  const save = () => writePrivateJson(path, file);
  if (stored?.seed !== file.seed) save();
  return {
    seed,
    sessionKey: deriveSigningKey(seed).publicKey,
    box: deriveBoxKey(seed),
    get peerId() {
      return file.peer_id;
    },
    setPeerId(peerId) {
      if (file.peer_id === peerId) return;
      file.peer_id = peerId;
      save();
    },
    reserveCounter(sessionKey) {
      const counter = (file.sent[sessionKey] ?? 0) + 1;
      file.sent[sessionKey] = counter;
      save();
      return counter;
    },
    listOpened: (sessionKey) => file.opened[sessionKey] ?? [],
    recordOpened(sessionKey, opened) {
      file.opened[sessionKey] = [...(file.opened[sessionKey] ?? []), opened].slice(-openedMax);
      save();
    },
  };
}
