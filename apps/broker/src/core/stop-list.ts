import type { Log } from "./log.js";

/** The started parts of the broker, which are stopped once, in reverse order. */
export interface StopList {
  add(name: string, stop: () => void | Promise<void>): void;
  /** Stops everything. If one part fails to stop, the remaining parts are still stopped. */
  stop(reason?: Error): Promise<void>;
  /** Resolves once everything has stopped. The value is the error that caused the stop, or null. */
  readonly stopped: Promise<Error | null>;
}

export function createStopList(log: Log): StopList {
  const parts: { name: string; stop: () => void | Promise<void> }[] = [];
  let stopping: Promise<void> | null = null;
  let announce: (reason: Error | null) => void = () => undefined;
  const stopped = new Promise<Error | null>((resolve) => {
    announce = resolve;
  });

  async function stopAll(reason: Error | null): Promise<void> {
    for (const { name, stop } of parts.reverse()) {
      try {
        await stop();
      } catch (error) {
        log.error(`stopping ${name} failed`, { error });
      }
    }
    announce(reason);
  }

  return {
    add(name, stop) {
      parts.push({ name, stop });
    },
    stop(reason) {
      stopping ??= stopAll(reason ?? null);
      return stopping;
    },
    stopped,
  };
}
