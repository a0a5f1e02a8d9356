/** Says that a session's feed has reached a sequence. A hint only: losing one costs time, never a message. */
export interface Hint {
  readonly sessionId: string;
  readonly sequence: number;
}

/** Carries hints between the channels of a broker and, where there are several nodes, between them. */
export interface Bus {
  publish(hint: Hint): void;
  subscribe(listener: (hint: Hint) => void): () => void;
  stop(): Promise<void>;
}

/** The bus of a broker that is alone on its database. */
export function startInProcessBus(): Bus {
  const listeners = new Set<(hint: Hint) => void>();
  return {
    publish(hint) {
      for (const listener of listeners) listener(hint);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stop() {
      listeners.clear();
    },
  };
}
