import type { BrokerFrame, NudgeFrame, WakePath } from "@merkle/wire";

/** The nudges that a client was sent and has not answered yet. */
export interface PendingNudges {
  /** Sends one; resolves with the wake paths that the client says it has run, with none when its connection ends. */
  send(nudge: NudgeFrame): Promise<readonly WakePath[]>;
  /** Takes the client's answer; one that nobody waits for any more is passed over. */
  answer(id: string, reached: readonly WakePath[]): void;
  end(): void;
}

export function createPendingNudges(send: (frame: BrokerFrame) => void): PendingNudges {
  // Few connections are ever nudged, and each of the many idle ones would pay for an empty map.
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
