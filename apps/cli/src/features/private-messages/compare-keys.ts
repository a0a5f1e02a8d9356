import type { OutputOf, Session } from "@merkle/wire";
import type { OperationCaller } from "../../broker/reach.js";
import type { Output } from "../../command/output.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { listStoredPeers, type StoredPeer, toStoredPeerId } from "../../home/stored-peers.js";
import { createCard, toSeed } from "../../sessions/key-card.js";
import { toOneLine } from "../../text/one-line.js";
import { toShellWord } from "../../text/shell.js";
import { toMoment } from "../../text/time.js";
import { type CheckedCard, checkCard, computeSafetyNumber } from "./check-card.js";
import { findRecipient, formatAddress } from "./find-recipient.js";
import { readPeerSeed } from "./peer-keys.js";
import { findPin, savePin } from "./pins.js";

/** The state of a peer's key on this machine, and the numbers to compare with the other side. */
interface Comparison {
  readonly report: {
    readonly session: string;
    /** The owner of the key, as `team/peer`. */
    readonly peer: string;
    /**
     * `new`: this machine has exchanged no private message with the peer. `seen`: the key is unchanged since
     * the first message. `accepted`: a person has also compared the key. `changed`: the peer has a different
     * key now.
     */
    readonly key: "new" | "seen" | "accepted" | "changed";
    /** When this machine first saw the key that it trusts, or when a person accepted that key. */
    readonly since: string | null;
    readonly numbers: readonly { readonly you: string; readonly number: string }[];
  };
  readonly sessionId: string;
  readonly card: CheckedCard;
}

interface KeyOwner {
  readonly home: string;
  readonly session: Session;
  readonly name: string;
}

/**
 * Compares a peer's current key with the key that this machine trusts, and computes the safety numbers
 * between the peer and this machine's own peers in the session (SEALED-8).
 *
 * @throws CliError `not_found` if the peer has no keys, or this machine has no keys in the session
 */
export async function compareKeys(
  broker: OperationCaller,
  { home, session, name }: KeyOwner,
): Promise<Comparison> {
  const { session_id: sessionId, slug } = session;
  const { peers } = await broker.call("list_peers", { session_id: sessionId });
  const peer = findRecipient(peers, name, "");
  const address = formatAddress(peer);
  if (peer.key_card === null)
    throw noKeys(`${toOneLine(address)} has no keys, so you cannot send it private messages.`);
  const card = checkCard(peer.key_card);
  if (!card) {
    throw new CliError(
      "key_changed",
      `The keys that ${toOneLine(address)} shows contradict each other. Do not trust them.`,
      {
        exitCode: exitCodes.conflict,
      },
    );
  }
  const pin = findPin(home, { sessionId, address });
  const isSame = pin?.session_key === card.sessionKey && pin.member_key === card.memberKey;
  const known = pin?.accepted === true ? "accepted" : "seen";
  return {
    report: {
      session: slug,
      peer: address,
      key: pin === undefined ? "new" : isSame ? known : "changed",
      since: pin?.pinned_at ?? null,
      numbers: await listNumbers({ home, session, name }, peers, card),
    },
    sessionId,
    card,
  };
}

export function acceptKey(home: string, { report: { peer: address }, sessionId, card }: Comparison): void {
  savePin(home, { sessionId, address }, card, true);
}

async function listNumbers(
  { home, session: { session_id: sessionId, slug } }: KeyOwner,
  peers: OutputOf<"list_peers">["peers"],
  theirs: CheckedCard,
): Promise<Comparison["report"]["numbers"]> {
  const storedPeers = await listStoredPeers(home, null);
  const numbers: { you: string; number: string }[] = [];
  for (const stored of storedPeers.filter((each) => each.session_id === sessionId)) {
    const own = await findOwnCard(home, stored);
    const you = formatAddress({ team: stored.team_name, name: stored.peer_name });
    const isInRoster = peers.some((peer) => formatAddress(peer) === you);
    if (own && isInRoster) numbers.push({ you, number: computeSafetyNumber(own, theirs) });
  }
  if (numbers.length > 0) return numbers;
  throw noKeys(`This machine has no peer with keys in session ${slug}, so there is nothing to compare.`);
}

async function findOwnCard(home: string, stored: StoredPeer): Promise<CheckedCard | null> {
  const given = stored.session_key ? toSeed(stored.session_key) : undefined;
  const seed = readPeerSeed(home, toStoredPeerId(stored)) ?? given;
  return seed ? checkCard(await createCard(seed, { home, meshId: stored.mesh_id })) : null;
}

function noKeys(message: string): CliError {
  return new CliError("not_found", message, {
    exitCode: exitCodes.not_found,
    next: ["merkle peers", "merkle launch"],
  });
}

/**
 * Formats the comparison so that two people can read it out on the phone: the key's state, then the digits in
 * rows of four groups.
 */
export function formatComparison({ report }: Comparison, output: Output): string {
  const { key, peer, session, since, numbers } = report;
  const when = since === null ? "" : toMoment(since);
  const known = {
    new: `${output.mark.warn} no one here has sent a private message to ${toOneLine(peer)} yet`,
    seen: `${output.mark.warn} the key is unchanged since ${when}, but no one has compared it`,
    accepted: `${output.mark.ok} the key was accepted by a person, ${when}`,
    changed: `${output.mark.fail} the key has changed since ${when}: private messages to ${toOneLine(peer)} are refused`,
  }[key];
  const formatVerifyCommand = (you: string) =>
    `merkle verify-peer ${toShellWord(toOneLine(you))} --session ${session}`;
  return [
    known,
    ...numbers.flatMap(({ you, number }) => [
      "",
      `${toOneLine(you)} and ${toOneLine(peer)}:`,
      ...(number.match(/(?:\d{5} ?){4}/g) ?? []).map((row) => `  ${output.bold(row.trim())}`),
      output.dim(`  to show it on the other machine: ${formatVerifyCommand(you)}`),
    ]),
    "",
    key === "accepted"
      ? "If one of the keys changes, the number changes, too."
      : `Read the number to each other by voice. If it is the same: merkle verify-peer ${toShellWord(toOneLine(peer))} --session ${session} --accept`,
  ].join("\n");
}
