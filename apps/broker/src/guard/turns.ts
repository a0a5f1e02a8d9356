import { performance } from "node:perf_hooks";
import { limits, type RateLimit } from "@merkle/wire";
import { createTokenBuckets } from "./token-buckets.js";

/**
 * Shares the event loop among addresses (GUARD-18). Work that comes while a turn has time left is done at once; what comes
 * beyond it waits for one of the next turns, in which the addresses that wait are served one after the other, a piece of work
 * each. So one address with a thousand connections holds up another by no more than a piece, whatever it sends.
 */
export interface Turns {
  /** Does a piece of an address's work, now or soon; what was given before for the same address comes first. */
  take(address: string, work: () => void): void;
  /** Does at once what waits, and whatever comes from now on. */
  stop(): void;
}

export interface TurnsOptions {
  /** How long work is done in one turn before other things are; 1 ms unless given. */
  readonly turnMs?: number;
  /** How much of the time it may take; all that there is unless given. */
  readonly share?: Share | undefined;
}

/** Milliseconds of work. Turns alone leave no time for other processes: a broker that is never idle takes turns with them, too. */
export interface Share extends RateLimit {
  /** Whether each address has so much, or all of them together. */
  readonly of: "address" | "all";
  /** What a piece counts for at least: more is to come of some than their turn takes. Nothing unless given. */
  readonly pieceMin?: number;
}

/** Somebody's call takes several turns, of which each may be as much longer under a flood. */
const usualMs = 1;

export function createTurns({ turnMs = usualMs, share }: TurnsOptions = {}): Turns {
  /** Whose turn is next stands first. */
  const waiting = new Map<string, (() => void)[]>();
  const left = share && createTokenBuckets({ limit: share, countMax: limits.rateBucketsMax });
  let turnEnds: number | null = null;
  let next: NodeJS.Immediate | undefined;
  let rest: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** What is done from here to the next time this runs is one turn. */
  function beginTurn(): void {
    turnEnds = performance.now() + turnMs;
    next = setImmediate(endTurn);
  }

  function endTurn(): void {
    turnEnds = null;
    if (waiting.size === 0) return;
    const restMs = soonestMs();
    if (restMs > 0) {
      clearTimeout(rest);
      rest = setTimeout(endRest, restMs);
      return;
    }
    beginTurn();
    for (const [address, works] of waiting) {
      if (missingMs(address) > 0) {
        if (share?.of === "all") return;
        continue;
      }
      waiting.delete(address);
      const work = works.shift();
      if (works.length > 0) waiting.set(address, works);
      if (work) doOne(address, work);
      if (isOver()) return;
    }
  }

  /** Another turn may have begun meanwhile, whose end looks after what waits. */
  function endRest(): void {
    if (turnEnds === null) endTurn();
  }

  function doOne(address: string, work: () => void): void {
    const began = performance.now();
    work();
    if (!share) return;
    const took = Math.max(performance.now() - began, share.pieceMin ?? 0);
    // However long it took: the process may have been held up meanwhile, or the whole machine.
    left?.spend(keyOf(address), Math.min(took, share.burst));
  }

  /** How long it is until somebody who waits may go on. */
  function soonestMs(): number {
    let soonest = Number.POSITIVE_INFINITY;
    for (const address of waiting.keys()) {
      soonest = Math.min(soonest, missingMs(address));
      if (soonest === 0 || share?.of === "all") break;
    }
    return soonest;
  }

  function missingMs(address: string): number {
    return left?.look(keyOf(address)) ?? 0;
  }

  function keyOf(address: string): string {
    return share?.of === "all" ? "" : address;
  }

  function isOver(): boolean {
    return turnEnds !== null && performance.now() >= turnEnds;
  }

  return {
    take(address, work) {
      if (isStopped) return work();
      const works = waiting.get(address);
      if (works) {
        works.push(work);
        return;
      }
      const mustWait = missingMs(address) > 0 || isOver();
      if (mustWait) waiting.set(address, [work]);
      if (turnEnds === null) mustWait ? endTurn() : beginTurn();
      if (!mustWait) doOne(address, work);
    },
    stop() {
      clearImmediate(next);
      clearTimeout(rest);
      isStopped = true;
      for (const works of waiting.values()) for (const work of works) work();
      waiting.clear();
    },
  };
}
