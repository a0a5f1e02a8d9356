/** Lets one wait for something to be so; whoever makes a difference says `changed`. */
export interface Watch {
  changed(): void;
  /** Resolves as soon as it is so. @throws at the deadline of the whole run, or when it was given up, naming what it waited for */
  until(isSo: () => boolean, what: () => string): Promise<void>;
  /** Fails everything that is waited for, now and later. */
  giveUp(reason: string): void;
  stop(): void;
}

interface Waiting {
  isSo(): boolean;
  what(): string;
  resolve(): void;
  reject(error: Error): void;
}

export function createWatch(deadlineMs: number): Watch {
  const waiting = new Set<Waiting>();
  let givenUp: string | null = null;
  const timer = setTimeout(() => giveUp(`${deadlineMs} ms are over`), deadlineMs);

  function changed(): void {
    for (const each of waiting) {
      if (!each.isSo()) continue;
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
    changed,
    until(isSo, what) {
      return new Promise((resolve, reject) => {
        if (givenUp !== null) return reject(new Error(`${givenUp}, before waiting for ${what()}.`));
        if (isSo()) return resolve();
        waiting.add({ isSo, what, resolve, reject });
      });
    },
    giveUp,
    stop: () => clearTimeout(timer),
  };
}
