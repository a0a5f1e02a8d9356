import { MerkleError, type Message } from "@merkle/wire";
import {
  type AuditKey,
  type Consistency,
  checkLaterHead,
  isSignedBy,
  parseHeadLine,
  type SeenHead,
  type SignedHead,
  toCanonicalJson,
} from "@merkle/wire/record";
import type { BrokerClient } from "../../broker/broker-client.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { findSeenHead, saveSeenHead, toSeenHead } from "./seen-heads.js";

interface HeadWithKeys {
  readonly head: SignedHead;
  readonly keys: readonly AuditKey[];
}

/**
 * Compares a head from the broker with the last head that this machine saw of the record, and saves the new
 * head if it continues the earlier one (CLI-72). A broker therefore cannot show different records to
 * different people, or withdraw entries that it has shown.
 *
 * @param sessionId - the session's id at that broker
 * @throws CliError `verification_failed` if the head does not continue the earlier one
 */
export async function checkSeen(
  record: HeadWithKeys,
  {
    home,
    broker,
    sessionId,
  }: {
    readonly home: string;
    readonly broker: Pick<BrokerClient, "call">;
    readonly sessionId: string;
  },
): Promise<void> {
  const { head, keys } = record;
  const seen = await findSeenHead(home, head.session_id);
  if (seen) {
    const proofs = await readProofs(seen.head, head, { broker, sessionId });
    const compared = await checkLaterHead(seen, { head, keys, ...proofs }, nodeCrypto);
    if (compared.outcome === "inconsistent") throw inconsistentRecord(compared.message, seen, sessionId);
    if (compared.outcome === "earlier") return;
  } else if (!(await isSigned(record))) {
    throw inconsistentRecord("The signature of its head is not valid.", null, sessionId);
  }
  await saveSeenHead(home, await toSeenHead({ manifest: { head }, keys }));
}

async function isSigned({ head, keys }: HeadWithKeys): Promise<boolean> {
  const key = keys.find(({ key_id }) => key_id === head.key_id);
  return key !== undefined && isSignedBy(head, key, nodeCrypto.verifySignature);
}

/** Asks the broker for proofs that one of two heads continues the other. A refusal counts as no proof. */
async function readProofs(
  from: SignedHead,
  to: SignedHead,
  { broker, sessionId }: { readonly broker: Pick<BrokerClient, "call">; readonly sessionId: string },
): Promise<{ consistency: Consistency | null; documentConsistency: Consistency | null }> {
  const read = async (log: "feed" | "document", from_size: number, size: number) => {
    if (from_size >= size) return null;
    try {
      const proof = await broker.call("session_proof", { session_id: sessionId, log, from_size, size });
      return proof.consistency;
    } catch (error) {
      if (error instanceof MerkleError && error.code === "conflict") return null;
      throw error;
    }
  };
  return {
    consistency: await read("feed", from.size, to.size),
    documentConsistency: await read("document", from.document.version, to.document.version),
  };
}

function inconsistentRecord(message: string, seen: SeenHead | null, sessionId: string): CliError {
  const warning = seen
    ? "THIS RECORD IS NOT THE ONE THAT WAS SEEN HERE BEFORE."
    : "Do not trust this record.";
  return new CliError(
    "verification_failed",
    `${warning} ${message} Keep your copy, and ask the person who runs the broker.`,
    {
      exitCode: exitCodes.verification_failed,
      next: [`merkle verify ${sessionId}`],
      details: { seen: seen?.head ?? null },
    },
  );
}

/**
 * Compares the seal in a conclusion with the head that this machine last saw of the record (CLI-73). Reports
 * nothing if the broker cannot be reached; verifying the session later makes the same comparison.
 *
 * @returns the error to show prominently, or null
 */
export async function checkConcluded(
  { event, content, session_id: sessionId }: Message,
  { home, broker }: { readonly home: string; readonly broker: Pick<BrokerClient, "call"> },
): Promise<CliError | null> {
  if (event !== "session_concluded" || content["head"] === undefined) return null;
  try {
    const head = parseHeadLine(toCanonicalJson(content["head"]));
    const { keys } = await broker.call("session_seal", { session_id: sessionId });
    await checkSeen({ head, keys }, { home, broker, sessionId });
    return null;
  } catch (error) {
    return error instanceof CliError && error.code === "verification_failed" ? error : null;
  }
}
