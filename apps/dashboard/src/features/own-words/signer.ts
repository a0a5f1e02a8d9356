import type { OwnSignature, Peer } from "@merkle/wire";
import { signOwnWords, toAnswerWords } from "@merkle/wire/identity";
import type { Signer } from "@/parts/feature";
import { formatPeerAddress } from "@/sessions/roster-rows";
import { findDeviceKey } from "./device-key";

/** Opens what signs with the key of this device. Returns null if the device has no key. */
export async function openSigner(): Promise<Signer | null> {
  const key = await findDeviceKey();
  if (key === null) return null;
  let last: { readonly retryKey: string; readonly own: OwnSignature } | null = null;
  return {
    findOwnAgent(peers, recipient) {
      const agent = selectOwnAgent(peers, recipient, key.device);
      return agent && formatPeerAddress(agent.team, agent.name);
    },
    async sign(input, peers, recipient) {
      const agent = selectOwnAgent(peers, recipient, key.device);
      if (!agent?.own_words || agent.session_key === null) return input;
      const { session_id, content, reply_to = null, idempotency_key: retryKey } = input;
      const words = { purpose: "message" as const, session_id, reply_to, content };
      const { peer_id, own_words } = agent;
      // A retry must be the same message, with the same signature.
      const own =
        last !== null && last.retryKey === retryKey
          ? last.own
          : await signOwnWords(words, { ...own_words, peer_id }, { key, now: new Date() });
      last = retryKey === undefined ? null : { retryKey, own };
      // Unlike a name, a key cannot pass to another peer before the message is posted.
      return { ...input, to: [agent.session_key], own };
    },
    async signAnswer(answer, peers, askedBy) {
      const agent = selectOwnAgent(peers, askedBy, key.device);
      if (!agent?.own_words) return undefined;
      const recipient = { ...agent.own_words, peer_id: agent.peer_id };
      return signOwnWords(toAnswerWords(answer), recipient, { key, now: new Date() });
    },
  };
}

/** Returns the agent that a recipient means, if it means only that peer, and the peer recognises the device. */
function selectOwnAgent(peers: readonly Peer[], recipient: string, device: string): Peer | null {
  const present = peers.filter(({ left_at }) => left_at === null);
  const named = present.filter(({ team, name }) => name !== null && `${team}/${name}` === recipient);
  const [peer, another] = named.length > 0 ? named : present.filter(({ team }) => team === recipient);
  const recognises = peer?.kind === "agent" && peer.connected && peer.own_words?.devices.includes(device);
  return recognises && !another ? peer : null;
}
