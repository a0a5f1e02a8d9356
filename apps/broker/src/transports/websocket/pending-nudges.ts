import type { BrokerFrame, NudgeFrame, WakePath } from "@merkle/wire";

/** The nudges that were sent to a client and not answered yet. */
export interface PendingNudges {
  /**
   * Sends a nudge. Resolves with the wake paths that the client has run, or with an empty list if its
   * connection ends.
   */
  send(nudge: NudgeFrame): Promise<readonly WakePath[]>;
  /** Handles a client's answer to a nudge. Ignores an answer to an unknown nudge. */
  answer(id: string, reached: readonly WakePath[]): void;
  end(): void;
}

export function createPendingNudges(send: (frame: BrokerFrame) => void): PendingNudges {
  // Created only when needed: few connections are ever nudged, and an empty map for each idle connection
  // would cost memory.
  let pending: Map<string, (reached: readonly WakePath[]) => void> | undefined;

  function answer(id: string, reached: readonly WakePath[]): void {
    pending?.get(id)?.(reached);
    pending?.delete(id);
  }

  return {
    send(nudge) {
      send(nudge);
      const answers = pending ?? new Map<string, (reached: readonly WakePath[]) => void>();
      pending = answers;
      return new Promise((resolve) => answers.set(nudge.id, resolve));
    },
    answer,
    end() {
      for (const id of pending?.keys() ?? []) answer(id, []);
    },
  };
}
