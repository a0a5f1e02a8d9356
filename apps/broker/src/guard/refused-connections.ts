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
  /** When each is ended. */
  const held = new Map<() => void, number>();
  let timer: NodeJS.Timeout | undefined;

  function sweep(): void {
    const now = performance.now();
    for (const [close, endsAt] of held) if (endsAt <= now) endNow(close);
    timer = held.size === 0 ? undefined : setTimeout(sweep, sweepMs).unref();
  }

  function endNow(close: () => void): void {
    held.delete(close);
    close();
  }

  return {
    end(close) {
      if (held.size >= countMax) return close();
      held.set(close, performance.now() + (0.5 + Math.random()) * heldMs);
      timer ??= setTimeout(sweep, sweepMs).unref();
    },
    endAll() {
      clearTimeout(timer);
      timer = undefined;
      for (const close of held.keys()) endNow(close);
    },
  };
}
