import { randomUUID } from "node:crypto";
import {
  type InputOf,
  type KeyCard,
  MerkleError,
  type Message,
  type OutputOf,
  type Peer,
} from "@merkle/wire";
import { addressOf } from "../private-messages/find-recipient.js";
import { openMessage } from "../private-messages/open-message.js";
import { openPlaceKeys, type PeerKeys } from "../private-messages/peer-keys.js";
import { makeCard, seedOf } from "../sessions/key-card.js";
import { readPrivateText, type SealedMessage, sealMessage } from "./box-message.js";
import type { BrokerLink } from "./broker-link.js";
import type { Fields } from "./membership.js";
import type { PeerSession } from "./peer-sessions.js";

/** Private messages of the places that this server acts in: the keys never leave this machine, and no tool shows them. */
export interface Sealing {
  /** Shows the others what the place is written to with, unless they see it already. */
  publish(team: PeerSession): void;
  /** Seals a message for the one peer it is for, and sends it. */
  send(input: Fields, team: PeerSession, signal: AbortSignal): Promise<OutputOf<"send_message">>;
  /** Opens what is private for the place; everything else stays as it is. */
  open(
    team: KeyHolder & Pick<PeerSession, "sessionId" | "name" | "peerName" | "epoch">,
    message: Message,
  ): Message;
}

type KeyHolder = Pick<PeerSession, "placeId" | "teamId" | "sessionKey">;

interface SealingOptions {
  readonly link: BrokerLink;
  readonly home: string;
  readonly log: (text: string) => void;
}

interface Place {
  readonly keys: PeerKeys;
  /** Its card; made when it is shown first, since by then the mesh is known. */
  card: KeyCard | undefined;
  /** Ends when what was sent last is answered. */
  sending: Promise<unknown>;
}

interface Met {
  readonly peers: readonly Peer[];
  readonly card: KeyCard;
  readonly human: boolean;
}

export function createSealing({ link, home, log }: SealingOptions): Sealing {
  const places = new Map<string, Place>();
  /** So that the same call again is the same message: a box is never made twice alike. */
  const sealedBefore = new Map<string, SealedMessage & { readonly asked: string }>();

  /** Keys are opened where they are needed first, and are the same for as long as this server runs. */
  function placeOf({ placeId, teamId, sessionKey }: KeyHolder): Place {
    const known = places.get(placeId);
    if (known) return known;
    const keys = openPlaceKeys(home, placeId, sessionKey ? seedOf(sessionKey) : undefined);
    const place: Place = { keys, card: undefined, sending: Promise.resolve() };
    // A named peer's place has its id; of the unnamed one only the broker knows that.
    if (placeId !== teamId) keys.notePeer(placeId);
    places.set(placeId, place);
    return place;
  }

  /** The roster, and the place's own card, where the broker does not show it yet. */
  async function meet(team: PeerSession, place: Place, signal?: AbortSignal): Promise<Met> {
    const { mesh_id: meshId } = await link.call("get_app_info", {}, signal && { signal });
    const { keys } = place;
    place.card ??= await makeCard(keys.seed, { home, meshId });
    const { card } = place;
    const who = { session_id: team.sessionId, team_id: team.credential };
    const { peers } = await link.call("list_peers", who, signal && { signal });
    const own = peers.find((peer) => peer.team_id === team.teamId && peer.name === team.peerName);
    if (!own) throw new MerkleError("not_found", `${team.address} has left this session.`);
    if (team.placeId === team.teamId) keys.notePeer(own.peer_id);
    if (!isSameCard(own.key_card, card) && !team.closed) {
      const session_key = Buffer.from(card.session_key, "base64url").toString("base64");
      await link.call("join_session", { ...who, team_name: team.name, session_key, key_card: card });
    }
    return { peers, card, human: own.kind === "human" };
  }

  async function sendNow(
    input: Fields,
    team: PeerSession,
    signal: AbortSignal,
  ): Promise<OutputOf<"send_message">> {
    const wanted = readPrivateText(input, randomUUID());
    const place = placeOf(team);
    const { peers, card, human } = await meet(team, place, signal);
    const { keys } = place;
    const { sessionId, slug } = team;
    const address = ownAddress(team);
    const writer = { home, keys, card, sessionId, slug, address, peerId: keys.peerId ?? "", human };
    const asked = JSON.stringify([wanted.to, wanted.text, wanted.priority, wanted.replyTo]);
    const before = sealedBefore.get(wanted.idempotencyKey);
    const { sealed, to } = before?.asked === asked ? before : sealMessage(wanted, peers, writer);
    sealedBefore.set(wanted.idempotencyKey, { asked, sealed, to });
    if (sealedBefore.size > keysKeptMax) sealedBefore.delete(sealedBefore.keys().next().value ?? "");
    const message = { ...input, to, message: sealed, idempotency_key: wanted.idempotencyKey };
    // The broker checks the other fields of the input.
    return link.call("send_message", message as InputOf<"send_message">, { signal });
  }

  return {
    publish(team) {
      meet(team, placeOf(team)).catch((error: unknown) => {
        log(`${team.address} cannot be written to in private: ${String(error)}`);
      });
    },
    send(input, team, signal) {
      const place = placeOf(team);
      // One after the other: their counters must grow as their numbers in the feed do.
      const sent = place.sending.then(() => sendNow(input, team, signal));
      place.sending = sent.catch(() => undefined);
      return sent;
    },
    open(team, message) {
      if (message.content["private"] !== true) return message;
      const { keys } = placeOf(team);
      return openMessage(message, {
        home,
        keys,
        sessionId: team.sessionId,
        address: ownAddress(team),
        epoch: team.epoch ?? "",
      });
    },
  };
}

/** Calls whose key may come again. */
const keysKeptMax = 64;

function ownAddress({ name, peerName }: Pick<PeerSession, "name" | "peerName">): string {
  return addressOf({ team: name, name: peerName });
}

function isSameCard(shown: KeyCard | null, own: KeyCard): boolean {
  return (
    shown?.session_key === own.session_key &&
    shown.box_key === own.box_key &&
    shown.member?.certificate.member_key === own.member?.certificate.member_key
  );
}
