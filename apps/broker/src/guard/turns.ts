import { performance } from "node:perf_hooks";

/**
 * Shares the event loop among addresses (GUARD-18). Work that comes while a turn has time left is done at once; what comes
 * beyond it waits for one of the next turns, in which the addresses that wait are served one after the other, a piece of work
 * each. So one address with a thousand connections holds up another by no more than a piece, whatever it sends.
 */
export interface Turns {
  /** Does a piece of an address's work, now or soon; what was given before for the same address comes first. */
  take(address: string, work: () => void): void;
  /** Drops what waits. */
  stop(): void;
}

/** Somebody's call takes several turns, of which each may be as much longer under a flood. */
const usualMs = 1;

/** @param turnMs - how long work is done in one turn before other things are */
export function createTurns(turnMs = usualMs): Turns {
  /** Whose turn is next stands first. */
  const waiting = new Map<string, (() => void)[]>();
  let turnEnds: number | null = null;
  let next: NodeJS.Immediate | undefined;

  /** What is done from here to the next time this runs is one turn. */
  function beginTurn(): void {
    turnEnds = performance.now() + turnMs;
    next = setImmediate(endTurn);
  }

  function endTurn(): void {
    turnEnds = null;
    if (waiting.size === 0) return;
    beginTurn();
    for (const [address, works] of waiting) {
      waiting.delete(address);
      const work = works.shift();
      if (works.length > 0) waiting.set(address, works);
      work?.();
      if (isOver()) return;
    }
  }

  function isOver(): boolean {
    return turnEnds !== null && performance.now() >= turnEnds;
  }

  return {
    take(address, work) {
      const works = waiting.get(address);
      if (works) {
        works.push(work);
        return;
      }
      if (isOver()) {
        waiting.set(address, [work]);
        return;
      }
      if (turnEnds === null) beginTurn();
      work();
    },
    stop() {
      clearImmediate(next);
      waiting.clear();
    },
  };
}
