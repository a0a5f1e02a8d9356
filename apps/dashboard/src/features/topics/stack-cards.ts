/** A card in a column, with its preferred position and its height. */
export interface Card {
  readonly id: number;
  readonly wanted: number;
  readonly height: number;
}

export interface Stack {
  /** The top position of each card. */
  readonly tops: ReadonlyMap<number, number>;
  /** The bottom edge of the last card. */
  readonly height: number;
}

const gap = 8;

/**
 * Stacks cards without overlap, each at its preferred position or as close below as possible. The `first` card gets exactly its
 * position, if the cards above it fit.
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
