import { MerkleError } from "@merkle/wire";
import { frameRules } from "@merkle/wire/schemas";
import type { ServerEventBus } from "@modelcontextprotocol/server";
import type { SessionChannel } from "../../feed/delivery/channel.js";
import { countUnread, watchMail } from "../../feed/watch-mail.js";
import { admitCaller } from "../../sessions/access/admit-caller.js";
import type { LivePeer } from "../../sessions/peers/peer.js";
import type { Exchange } from "./exchange.js";

/** A team's unread messages in a session, as an MCP resource to which clients can subscribe (MCP-18). */
export const mailTemplate = {
  name: "mail",
  uriTemplate: "merkle://sessions/{session_id}/mail",
  description:
    "Number of unread messages of the team in X-Team-ID. Subscribe to it: it changes when messages arrive. Read them with wait_for_messages or check_messages.",
  mimeType: "application/json",
};

interface Mailbox {
  readonly channel: SessionChannel;
  readonly peer: LivePeer;
}

/** Reads the resource. Reading acknowledges nothing. */
export async function readMailResource(exchange: Exchange, uri: string): Promise<string> {
  const { channel, peer } = await openMailbox(exchange, uri);
  const { unread, upTo } = await countUnread(channel, peer);
  return JSON.stringify({ session_id: channel.sessionId, unread, up_to: upTo });
}

/**
 * Creates an event bus that notifies a listening client about messages in the given sessions.
 *
 * @throws the errors of any call; bad_request for too many resources
 */
export async function openMailBus(
  exchange: Exchange,
  { uris, onEnded }: { uris: readonly string[]; onEnded: () => void },
): Promise<ServerEventBus> {
  if (uris.length > urisMax) {
    throw new MerkleError("bad_request", `A stream can subscribe to at most ${urisMax} resources.`);
  }
  const { services } = exchange.admission;
  const mailboxes = await Promise.all(
    [...new Set(uris)].map(async (uri) => ({ uri, ...(await openMailbox(exchange, uri)) })),
  );
  return {
    publish: () => undefined,
    subscribe(listener) {
      const stops = mailboxes.map(({ uri, channel, peer }) =>
        watchMail({
          services,
          channel,
          peer,
          // Authorises the client again: a client whose team has left, or whose credential was replaced, gets
          // no more notifications.
          onMail: () =>
            void openMailbox(exchange, uri).then(() => listener({ kind: "resource_updated", uri }), onEnded),
          onReplaced: onEnded,
        }),
      );
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

const urisMax = 16;

async function openMailbox({ admission, headers }: Exchange, uri: string): Promise<Mailbox> {
  const [, session] = /^merkle:\/\/sessions\/([\w-]+)\/mail$/.exec(uri) ?? [];
  if (session === undefined) {
    throw new MerkleError(
      "not_found",
      `There is no resource "${uri.slice(0, 100)}". The only resource is ${mailTemplate.uriTemplate}.`,
    );
  }
  const { services, principal, connection } = admission;
  const credential = headers.get("x-team-id") ?? undefined;
  const { caller, session: identity } = await admitCaller(
    services,
    { operation: frameRules.inbox, principal, credential, connection },
    { session_id: session },
  );
  if (!identity || !caller?.team) throw new TypeError("Only a team has messages to read.");
  return { channel: await services.channels.open(identity.sessionId), peer: caller.team.peer };
}
