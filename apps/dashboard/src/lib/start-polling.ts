export interface Polling {
  /** Reads at once, whatever is under way. */
  refresh(): void;
  stop(): void;
}

export interface PollingOptions<T> {
  readonly everyMs: number;
  readonly read: (signal: AbortSignal) => Promise<T>;
  readonly onRead: (data: T) => void;
  readonly onError: (error: unknown) => void;
}

/** Reads again and again while the page is in view, and at once when it comes back into view. */
export function startPolling<T>({ everyMs, read, onRead, onError }: PollingOptions<T>): Polling {
  let current = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function run({ signal }: AbortController): Promise<void> {
    try {
      const data = await read(signal);
      if (!signal.aborted) onRead(data);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    if (!signal.aborted) timer = setTimeout(refresh, everyMs);
  }

  function pause(): void {
    clearTimeout(timer);
    current.abort();
  }

  function refresh(): void {
    pause();
    if (document.visibilityState === "hidden") return;
    current = new AbortController();
    void run(current);
  }

  document.addEventListener("visibilitychange", refresh);
  refresh();
  return {
    refresh,
    stop() {
      document.removeEventListener("visibilitychange", refresh);
      pause();
    },
  };
}
