export class Listeners<T> {
  readonly #listeners = new Set<{ readonly notify: (value: T) => void }>();

  get size(): number {
    return this.#listeners.size;
  }

  /** Adds a listener and returns a function that removes it. The same function may be added twice. */
  add(notify: (value: T) => void): () => void {
    const listener = { notify };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  notify(value: T): void {
    for (const { notify } of [...this.#listeners]) notify(value);
  }
}
