import {
  type AuditKey,
  fromHex,
  isSignedBy,
  type SignedHead,
  trustIn,
  verifyConsistency,
  verifySignatureHere,
} from "@merkle/wire/record";
import type { Broker } from "../broker/broker";
import { getSeenHeads, rememberHead, type SeenHead } from "./seen-heads";
import { sha256 } from "./sha256";

/** How what the broker signs of a record now stands to what this browser saw of it before. */
export type Comparison = { readonly is: "first" | "same" } | Different;

export interface Different {
  readonly is: "different";
  readonly recordId: string;
  readonly seen: SeenHead | null;
  readonly later: SignedHead;
  /** In a sentence for people. */
  readonly why: string;
}

/**
 * Asks the broker for its word on a session as it is now, compares it with what was seen, and keeps it when it goes on from
 * there.
 *
 * @throws MerkleError when the broker does not answer
 */
export async function compareHead(
  broker: Broker,
  sessionId: string,
  signal: AbortSignal,
): Promise<Comparison> {
  const { head, keys } = await broker.call("session_seal", { session_id: sessionId }, { signal });
  const recordId = head.session_id;
  const seen = getSeenHeads()[recordId] ?? null;
  const why =
    (await whyNotSigned(head, keys)) ??
    (seen && (await whyNotLater({ broker, sessionId, signal }, seen, { head, keys })));
  if (why !== null) return { is: "different", recordId, seen, later: head, why };
  signal.throwIfAborted();
  rememberHead({ head, keys });
  return { is: seen === null ? "first" : "same" };
}

async function whyNotSigned(head: SignedHead, keys: readonly AuditKey[]): Promise<string | null> {
  const key = keys.find(({ key_id }) => key_id === head.key_id);
  if (key && (await isSignedBy(head, key, verifySignatureHere))) return null;
  return "What the broker says of it now is not signed with a key that the broker has.";
}

interface Asked {
  readonly broker: Broker;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** Why the later head does not go on from the one that was seen; null where it does, whatever happened in between. */
async function whyNotLater(
  asked: Asked,
  seen: SeenHead,
  { head, keys }: { readonly head: SignedHead; readonly keys: readonly AuditKey[] },
): Promise<string | null> {
  const then = new Date(seen.head.at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  if (head.size < seen.head.size) {
    return `It had ${seen.head.size} messages on ${then}, and has ${head.size} now: its end is missing.`;
  }
  if (head.document.version < seen.head.document.version) {
    return `Its document was at version ${seen.head.document.version} on ${then}, and is at ${head.document.version} now.`;
  }
  const trust = await trustIn(head.key_id, keys, { known: seen.keys, verifySignature: verifySignatureHere });
  if (trust === "other than the known one") {
    return `It is signed with the key ${head.key_id}, which none of the keys from ${then} vouches for.`;
  }
  if (!(await goesOn(asked, "feed", sizesOf(seen.head, "feed"), sizesOf(head, "feed")))) {
    return `Its first ${seen.head.size} messages are not those that it had on ${then}: something among them was changed, removed or added.`;
  }
  if (!(await goesOn(asked, "document", sizesOf(seen.head, "document"), sizesOf(head, "document")))) {
    return `The first ${seen.head.document.version} versions of its document are not those that it had on ${then}.`;
  }
  return null;
}

interface Root {
  readonly size: number;
  readonly root: string;
}

function sizesOf(head: SignedHead, log: "feed" | "document"): Root {
  return log === "feed" ? head : { size: head.document.version, root: head.document.root };
}

/** Whether the log under the later root begins with what the earlier one was over, by hashes that the broker has to give. */
async function goesOn(
  { broker, sessionId, signal }: Asked,
  log: "feed" | "document",
  earlier: Root,
  later: Root,
): Promise<boolean> {
  if (earlier.size === later.size) return earlier.root === later.root;
  if (earlier.size === 0) return true;
  const { consistency } = await broker.call(
    "session_proof",
    { session_id: sessionId, log, size: later.size, from_size: earlier.size },
    { signal },
  );
  const [fromRoot, root] = [fromHex(earlier.root, 32), fromHex(later.root, 32)];
  const path = consistency?.path.map((hash) => fromHex(hash, 32)) ?? [null];
  if (fromRoot === null || root === null || !path.every((hash) => hash !== null)) return false;
  return verifyConsistency({ from: earlier.size, fromRoot, size: later.size, root, path }, sha256);
}
