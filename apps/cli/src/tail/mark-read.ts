export interface ReadMarker {
  /** Everything up to this message has been printed. */
  printed(sequence: number): void;
  /** Says the last of it, and resolves when it is said or cannot be. */
  finish(): Promise<void>;
}

const onceInMs = 500;

/**
 * Tells the broker how far a person has read: at most twice a second, and at the end. One that fails is made up for by the
 * next; only the last failure matters, since what is not marked is shown again.
 */
export function startMarkingRead(acknowledge: (cursor: number) => Promise<unknown>): ReadMarker {
  let printed = 0;
  let marked = 0;
  let timer: NodeJS.Timeout | undefined;
  let marking: Promise<void> = Promise.resolve();

  function mark(): Promise<void> {
    timer = undefined;
    marking = marking.then(async () => {
      if (printed <= marked) return;
      const cursor = printed;
      await acknowledge(cursor);
      marked = cursor;
    });
    return marking;
  }

  return {
    printed(sequence) {
      printed = sequence;
      timer ??= setTimeout(() => {
        mark().catch(() => {
          marking = Promise.resolve();
        });
      }, onceInMs);
    },
    async finish() {
      clearTimeout(timer);
      await marking.catch(() => undefined);
      marking = Promise.resolve();
      await mark();
    },
  };
}
