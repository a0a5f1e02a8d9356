import { createHash, randomUUID } from "node:crypto";
import type { InputOf, KeyCard, Message, OutputOf, Peer } from "@merkle/wire";
import { makeKeyCard, seal } from "@merkle/wire/identity";
import { limits, MerkleError, messageIdFrom } from "@merkle/wire/plain";
import type { BrokerLink } from "../mcp/broker-link.js";
import type { Fields } from "../mcp/membership.js";
import type { Team } from "../mcp/teams.js";
import { seedOf } from "../teams/key-card.js";
import { checkCard } from "./check-card.js";
import { addressOf, findRecipient } from "./find-recipient.js";
import { openMessage } from "./open-message.js";
import { isTrusted } from "./pins.js";
import { openPlaceKeys, type PlaceKeys } from "./place-keys.js";

/** Private messages of the places that this server acts in: the keys never leave this machine, and no tool shows them. */
export interface Sealing {
  /** Shows the others what the place is written to with, unless they see it already. */
  publish(team: Team): void;
  /** Seals a message for the one peer it is for, and sends it. */
  send(input: Fields, team: Team, signal: AbortSignal): Promise<OutputOf<"send_message">>;
  /** Opens what is private for the place; everything else stays as it is. */
  open(team: KeyHolder & Pick<Team, "sessionId" | "name" | "peerName" | "epoch">, message: Message): Message;
}

type KeyHolder = Pick<Team, "placeId" | "sessionKey">;

interface SealingOptions {
  readonly link: BrokerLink;
  readonly home: string;
  readonly log: (text: string) => void;
}

/** A place with its keys, as far as they are known: the broker says which peer it is. */
interface Place {
  readonly keys: PlaceKeys;
  readonly card: KeyCard;
}

export function createSealing({ link, home, log }: SealingOptions): Sealing {
  const places = new Map<string, Place>();
  /** So that the same call again is the same message: a box is never made twice alike. */
  const sealedBefore = new Map<
    string,
    { readonly asked: string; readonly sealed: string; readonly to: string }
  >();

  /** Keys are opened where they are needed first, and are the same for as long as this server runs. */
  function placeOf({ placeId, sessionKey }: KeyHolder): Place {
    const known = places.get(placeId);
    if (known) return known;
    const keys = openPlaceKeys(home, placeId, sessionKey ? seedOf(sessionKey) : undefined);
    const place = { keys, card: makeKeyCard(keys.seed) };
    places.set(placeId, place);
    return place;
  }

  async function publishNow(
    team: Team,
    signal?: AbortSignal,
  ): Promise<{ place: Place; peers: readonly Peer[] }> {
    const place = placeOf(team);
    const who = { session_id: team.sessionId, team_id: team.credential };
    const { peers } = await link.call("list_peers", who, signal && { signal });
    const own = peers.find((peer) => peer.team_id === team.teamId && peer.name === team.peerName);
    if (!own) throw new MerkleError("not_found", `${team.address} is not in this session any more.`);
    place.keys.notePeer(own.peer_id);
    if (!isSameCard(own.key_card, place.card) && !team.closed) {
      const { card: key_card } = place;
      const session_key = Buffer.from(key_card.session_key, "base64url").toString("base64");
      await link.call("join_session", { ...who, team_name: team.name, session_key, key_card });
    }
    return { place, peers };
  }

  return {
    publish(team) {
      publishNow(team).catch((error: unknown) => {
        log(`${team.address} cannot be written to in private: ${String(error)}`);
      });
    },
    async send(input, team, signal) {
      const { to, text } = readWanted(input);
      const { place, peers } = await publishNow(team, signal);
      const { keys, card } = place;
      const peerId = keys.peerId ?? "";
      const idempotencyKey =
        typeof input["idempotency_key"] === "string" ? input["idempotency_key"] : randomUUID();
      const asked = JSON.stringify([to, text]);
      const before = sealedBefore.get(idempotencyKey);
      const { sealed, to: recipient } = before?.asked === asked ? before : sealAnew();
      sealedBefore.set(idempotencyKey, { asked, sealed, to: recipient });
      if (sealedBefore.size > keysKeptMax) sealedBefore.delete(sealedBefore.keys().next().value ?? "");
      return link.call(
        "send_message",
        // What else there is, the broker checks.
        {
          ...input,
          to: recipient,
          message: sealed,
          private: true,
          idempotency_key: idempotencyKey,
        } as InputOf<"send_message">,
        { signal },
      );

      function sealAnew() {
        const peer = findRecipient(peers, to, peerId);
        const theirs = requireKeys(home, team, peer);
        const message_id = messageIdFrom(
          { sessionId: team.sessionId, peerId, operation: "send_message", idempotencyKey },
          sha256,
        );
        const header = {
          session_id: team.sessionId,
          message_id,
          from: { peer_id: peerId, address: ownAddress(team), session_key: card.session_key },
          to: {
            peer_id: peer.peer_id,
            address: addressOf(peer),
            session_key: theirs.sessionKey,
          },
          counter: keys.nextCounter(theirs.sessionKey),
          time: new Date().toISOString(),
        };
        const made = seal({ header, text }, { card, own: keys.box, theirs: theirs.boxKey });
        if (made.length > limits.messageTextBytesMax) throw tooLarge(made.length);
        return { sealed: made, to: peer.session_key ?? addressOf(peer) };
      }
    },
    open(team, message) {
      if (message.content["private"] !== true) return message;
      const { keys, card } = placeOf(team);
      return openMessage(message, {
        home,
        keys,
        sessionId: team.sessionId,
        address: ownAddress(team),
        sessionKey: card.session_key,
        epoch: team.epoch ?? "",
      });
    },
  };
}

const keysKeptMax = 64;

function ownAddress({ name, peerName }: Pick<Team, "name" | "peerName">): string {
  return addressOf({ team: name, name: peerName });
}

function isSameCard(shown: KeyCard | null, own: KeyCard): boolean {
  return (
    shown?.session_key === own.session_key && shown.box_key === own.box_key && !shown.member === !own.member
  );
}

/** @throws bad_request for what is not one recipient and a text */
function readWanted({ to, message }: Fields): { to: string; text: string } {
  const [recipient, another]: unknown[] = Array.isArray(to) ? to : [to];
  if (typeof recipient !== "string" || another !== undefined || /^[@*]/.test(recipient.trim())) {
    throw new MerkleError(
      "bad_request",
      "A private message is for exactly one peer: name it in `to`. Nothing was sent.",
    );
  }
  if (typeof message !== "string" || message.trim() === "") {
    throw new MerkleError("bad_request", "message: must be a text that is not blank. Nothing was sent.");
  }
  return { to: recipient, text: message };
}

/** @throws bad_request when the peer shows no keys, key_changed when those that it shows are not to be trusted */
function requireKeys(home: string, team: Team, peer: Peer) {
  const address = addressOf(peer);
  if (peer.key_card === null) {
    throw new MerkleError(
      "bad_request",
      `${address} shows no keys, so nothing private can be sent to it: it takes part over REST, MCP over HTTP or the dashboard. Nothing was sent; without private everybody here can read it.`,
      { to: address },
    );
  }
  const card = checkCard(peer.key_card);
  if (card && isTrusted(home, { sessionId: team.sessionId, address }, card)) return card;
  throw new MerkleError(
    "key_changed",
    `The key of ${address} is not the one that it had before; nothing was sent. It may run anew on another machine, or somebody is in between. Tell your human, who can compare numbers with ${address}'s and accept the new key: merkle verify-peer ${JSON.stringify(address)} --session ${team.slug}`,
    { to: address },
  );
}

function tooLarge(bytes: number): MerkleError {
  const max = limits.messageTextBytesMax;
  return new MerkleError(
    "payload_too_large",
    `Sealed, this message has ${bytes} bytes, and ${max} is the most: about ${Math.floor((max * 3) / 4 / 1024) - 1} KiB of text. Nothing was sent.`,
    { bytes, bytes_max: max },
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
