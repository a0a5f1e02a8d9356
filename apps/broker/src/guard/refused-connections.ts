import { performance } from "node:perf_hooks";

/**
 * Ends connections of which nothing is to be read, each after a while (GUARD-8): to accept one costs most of what refusing it
 * does, and whoever opens another as soon as one has ended would have thousands accepted in a second.
 */
export interface RefusedConnections {
  /** Ends a connection that has just been accepted with what closes it; at once where enough are held already. */
  end(close: () => void): void;
  /** Ends those that are held now. */
  endAll(): void;
}

export interface RefusedBounds {
  /** About how long one is held: some half as long, some half as long again, so that they do not all come back at once. */
  readonly heldMs: number;
  readonly countMax: number;
}

const sweepMs = 50;

export function createRefusedConnections({ heldMs, countMax }: RefusedBounds): RefusedConnections {
  /** What closes them, by the sweep that does. */
  const held = new Map<number, (() => void)[]>();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  function sweep(): void {
    const current = sweepAt(performance.now());
    for (const due of held.keys()) if (due <= current) endThose(due);
    timer = count === 0 ? undefined : setTimeout(sweep, sweepMs).unref();
  }

  function endThose(due: number): void {
    const closes = held.get(due) ?? [];
    held.delete(due);
    count -= closes.length;
    for (const close of closes) close();
  }

  return {
    end(close) {
      if (count >= countMax) return close();
      const due = sweepAt(performance.now() + (0.5 + Math.random()) * heldMs) + 1;
      const closes = held.get(due);
      if (closes) closes.push(close);
      else held.set(due, [close]);
      count += 1;
      timer ??= setTimeout(sweep, sweepMs).unref();
    },
    endAll() {
      clearTimeout(timer);
      timer = undefined;
      for (const due of held.keys()) endThose(due);
    },
  };
}

function sweepAt(ms: number): number {
  return Math.floor(ms / sweepMs);
}
