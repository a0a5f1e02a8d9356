import type { Message } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { limits } from "@merkle/wire/plain";

/** Where a restored feed parts from the one that was read. */
export interface Parting {
  /** The last message that both have. */
  readonly sequence: number;
  /** How many messages were read that the restored feed does not have. */
  readonly gone: number;
}

/** The last messages that were read. Their ids outlive a restore, which gives their numbers a second time. */
export interface ReadMessages {
  add(message: Message): void;
  /** Compares them with the feed as it is after a restore, and forgets those that it does not have. */
  findParting(client: Pick<MerkleClient, "call">, sessionId: string): Promise<Parting>;
}

/** A restore that takes away more than these is taken to have taken away just these. */
const rememberedMax = 1_000;

export function createReadMessages(after: number): ReadMessages {
  const idBySequence = new Map<number, string>();
  let last = after;

  /** The last message that the feed and we have; what was read before the first that we remember is taken to be there. */
  async function findLastKept(client: Pick<MerkleClient, "call">, sessionId: string): Promise<number> {
    const [first = last + 1] = idBySequence.keys();
    let before = last + 1;
    while (before > first) {
      const { messages } = await client.call("get_history", {
        session_id: sessionId,
        before_cursor: before,
        limit: limits.pageMessagesMax,
      });
      const kept = messages.findLast(({ sequence, id }) => idBySequence.get(sequence) === id);
      if (kept) return kept.sequence;
      before = messages[0]?.sequence ?? 0;
    }
    const { last_sequence } = await client.call("get_session", { session_id: sessionId });
    return Math.min(first - 1, last_sequence);
  }

  return {
    add({ sequence, id }) {
      idBySequence.set(sequence, id);
      last = sequence;
      const [first] = idBySequence.keys();
      if (first !== undefined && idBySequence.size > rememberedMax) idBySequence.delete(first);
    },
    async findParting(client, sessionId) {
      const sequence = await findLastKept(client, sessionId);
      const gone = [...idBySequence.keys()].filter((each) => each > sequence);
      for (const each of gone) idBySequence.delete(each);
      last = sequence;
      return { sequence, gone: gone.length };
    },
  };
}
