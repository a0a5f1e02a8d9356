/** A card in a column: where it would like to begin, and how much room it takes. */
export interface Card {
  readonly id: number;
  readonly wanted: number;
  readonly height: number;
}

export interface Stack {
  /** Where each card begins. */
  readonly tops: ReadonlyMap<number, number>;
  /** The bottom edge of the last card. */
  readonly height: number;
}

const gap = 8;

/**
 * Stacks cards from top to bottom so that none covers another, each at the place it wants or as near below it as it can. The
 * one that is looked at has its place for certain, as long as those above it have room.
 */
export function stackCards(
  cards: readonly Card[],
  { from, first }: { readonly from: number; readonly first: unknown },
): Stack {
  const lead = cards.findIndex(({ id }) => id === first);
  const above =
    lead > 0 ? stackUpwards(cards.slice(0, lead), cards[lead]?.wanted ?? 0) : new Map<number, number>();
  const hasRoom = [...above.values()].every((top) => top >= from);
  return stackDownwards(cards, from, hasRoom ? above : new Map());
}

function stackDownwards(cards: readonly Card[], from: number, given: ReadonlyMap<number, number>): Stack {
  const tops = new Map<number, number>();
  let free = from;
  for (const { id, wanted, height } of cards) {
    const top = given.get(id) ?? Math.max(wanted, free);
    tops.set(id, top);
    free = top + height + gap;
  }
  return { tops, height: free };
}

function stackUpwards(cards: readonly Card[], until: number): Map<number, number> {
  const tops = new Map<number, number>();
  let free = until;
  for (const { id, wanted, height } of cards.toReversed()) {
    const top = Math.min(wanted, free - gap - height);
    tops.set(id, top);
    free = top;
  }
  return tops;
}
