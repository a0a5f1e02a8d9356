/** Waits for conditions. Call `changed` after every change that may fulfil a condition. */
export interface Watch {
  notify(): void;
  /**
   * Resolves as soon as the condition is true. @throws at the run's deadline or after `giveUp`, naming the condition
   */
  until(isMet: () => boolean, what: () => string): Promise<void>;
  /** Rejects all current and future waits. */
  giveUp(reason: string): void;
  stop(): void;
}

interface PendingCondition {
  isMet(): boolean;
  what(): string;
  resolve(): void;
  reject(error: Error): void;
}

export function createWatch(deadlineMs: number): Watch {
  const waiting = new Set<PendingCondition>();
  let givenUp: string | null = null;
  const timer = setTimeout(() => giveUp(`${deadlineMs} ms are over`), deadlineMs);

  function changed(): void {
    for (const each of waiting) {
      if (!each.isMet()) continue;
      waiting.delete(each);
      each.resolve();
    }
  }

  function giveUp(reason: string): void {
    givenUp ??= reason;
    for (const each of waiting) each.reject(new Error(`${givenUp}, while waiting for ${each.what()}.`));
    waiting.clear();
  }

  return {
    notify: changed,
    until(isMet, what) {
      return new Promise((resolve, reject) => {
        if (givenUp !== null) return reject(new Error(`${givenUp}, before waiting for ${what()}.`));
        if (isMet()) return resolve();
        waiting.add({ isMet, what, resolve, reject });
      });
    },
    giveUp,
    stop: () => clearTimeout(timer),
  };
}
