import { randomUUID } from "node:crypto";
import {
  type InputOf,
  type KeyCard,
  MerkleError,
  type Message,
  type OutputOf,
  type Peer,
} from "@merkle/wire";
import type { JsonFields } from "../../core/is-object.js";
import type { BrokerLink } from "../../mcp/broker-link.js";
import type { PeerSession } from "../../mcp/peer-sessions.js";
import { createCard, toSeed } from "../../sessions/key-card.js";
import { parsePrivateMessage, type SealedMessage, sealMessage } from "./box-message.js";
import { formatAddress } from "./find-recipient.js";
import { openMessage } from "./open-message.js";
import { openPeerKeys, type PeerKeys } from "./peer-keys.js";

/**
 * Sends and opens private messages for the peers that this server acts for. Their keys never leave this
 * machine, and no tool shows the keys.
 */
interface PrivateMail {
  /** Publishes the peer's key card in the roster, unless the roster already has it. */
  publish(team: PeerSession): void;
  /** Encrypts a message for its recipient, and sends it. */
  send(input: JsonFields, team: PeerSession, signal: AbortSignal): Promise<OutputOf<"send_message">>;
  /** Decrypts a private message for the peer. Returns a message that is not private unchanged. */
  open(
    team: KeyHolder & Pick<PeerSession, "sessionId" | "name" | "peerName" | "state">,
    message: Message,
  ): Message;
}

type KeyHolder = Pick<PeerSession, "storedPeerId" | "teamId" | "sessionKey">;

interface PrivateMailOptions {
  readonly link: BrokerLink;
  readonly home: string;
  readonly log: (text: string) => void;
}

interface KeyedPeer {
  readonly keys: PeerKeys;
  /** The peer's key card. Created on first use, because it names the mesh. */
  card: KeyCard | undefined;
  /** Settles when the last message sent has been answered by the broker. */
  sending: Promise<unknown>;
}

interface PublishedPeer {
  readonly peers: readonly Peer[];
  readonly card: KeyCard;
  readonly human: boolean;
}

export function createPrivateMail({ link, home, log }: PrivateMailOptions): PrivateMail {
  const keyedPeers = new Map<string, KeyedPeer>();
  /**
   * Encrypted messages by idempotency key. A repeated call must send the same bytes, but encrypting the text
   * again would give different bytes.
   */
  const sealedMessages = new Map<string, SealedMessage & { readonly request: string }>();

  /** Returns the keys of a peer. Opens them on first use and keeps them while this server runs. */
  function getKeyedPeer({ storedPeerId, teamId, sessionKey }: KeyHolder): KeyedPeer {
    const known = keyedPeers.get(storedPeerId);
    if (known) return known;
    const keys = openPeerKeys(home, storedPeerId, sessionKey ? toSeed(sessionKey) : undefined);
    const keyed: KeyedPeer = { keys, card: undefined, sending: Promise.resolve() };
    // The id of a team's unnamed peer is known only to the broker, so this program stores it later.
    if (storedPeerId !== teamId) keys.setPeerId(storedPeerId);
    keyedPeers.set(storedPeerId, keyed);
    return keyed;
  }

  /** Reads the roster, and publishes the peer's key card if the roster does not have it yet. */
  async function publishCard(
    team: PeerSession,
    keyed: KeyedPeer,
    signal?: AbortSignal,
  ): Promise<PublishedPeer> {
    const { mesh_id: meshId } = await link.call("get_app_info", {}, signal && { signal });
    const { keys } = keyed;
    keyed.card ??= await createCard(keys.seed, { home, meshId });
    const { card } = keyed;
    const target = { session_id: team.sessionId, team_id: team.credential };
    const { peers } = await link.call("list_peers", target, signal && { signal });
    const own = peers.find((peer) => peer.team_id === team.teamId && peer.name === team.peerName);
    if (!own) throw new MerkleError("not_found", `${team.address} has left this session.`);
    if (team.storedPeerId === team.teamId) keys.setPeerId(own.peer_id);
    if (!isSameCard(own.key_card, card) && !team.isClosed) {
      const session_key = Buffer.from(card.session_key, "base64url").toString("base64");
      await link.call("join_session", { ...target, team_name: team.name, session_key, key_card: card });
    }
    return { peers, card, human: own.kind === "human" };
  }

  async function sendNow(
    input: JsonFields,
    team: PeerSession,
    signal: AbortSignal,
  ): Promise<OutputOf<"send_message">> {
    const privateText = parsePrivateMessage(input, randomUUID());
    const keyed = getKeyedPeer(team);
    const { peers, card, human } = await publishCard(team, keyed, signal);
    const { keys } = keyed;
    const { sessionId, slug } = team;
    const address = ownAddress(team);
    const writer = { home, keys, card, sessionId, slug, address, peerId: keys.peerId ?? "", human };
    const request = JSON.stringify([
      privateText.to,
      privateText.text,
      privateText.priority,
      privateText.replyTo,
    ]);
    const earlier = sealedMessages.get(privateText.idempotencyKey);
    const { sealed, to } = earlier?.request === request ? earlier : sealMessage(privateText, peers, writer);
    sealedMessages.set(privateText.idempotencyKey, { request, sealed, to });
    if (sealedMessages.size > sealedMessagesMax)
      sealedMessages.delete(sealedMessages.keys().next().value ?? "");
    const message = { ...input, to, message: sealed, idempotency_key: privateText.idempotencyKey };
    // The broker checks the other fields of the input.
    return link.call("send_message", message as InputOf<"send_message">, { signal });
  }

  return {
    publish(team) {
      publishCard(team, getKeyedPeer(team)).catch((error: unknown) => {
        log(`${team.address} cannot be written to in private: ${String(error)}`);
      });
    },
    send(input, team, signal) {
      const keyed = getKeyedPeer(team);
      // Send messages one after another, so that their counters grow in the order of their sequences.
      const sent = keyed.sending.then(() => sendNow(input, team, signal));
      keyed.sending = sent.catch(() => undefined);
      return sent;
    },
    open(team, message) {
      if (message.content["private"] !== true) return message;
      const { keys } = getKeyedPeer(team);
      return openMessage(message, {
        home,
        keys,
        sessionId: team.sessionId,
        address: ownAddress(team),
        epoch: team.state.epoch ?? "",
      });
    },
  };
}

/** Maximum number of encrypted messages to keep for repeated calls. */
const sealedMessagesMax = 64;

function ownAddress({ name, peerName }: Pick<PeerSession, "name" | "peerName">): string {
  return formatAddress({ team: name, name: peerName });
}

function isSameCard(shown: KeyCard | null, own: KeyCard): boolean {
  return (
    shown?.session_key === own.session_key &&
    shown.box_key === own.box_key &&
    shown.member?.certificate.member_key === own.member?.certificate.member_key
  );
}
