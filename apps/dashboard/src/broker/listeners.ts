export class Listeners<T> {
  readonly #listeners = new Set<{ readonly tell: (value: T) => void }>();

  get size(): number {
    return this.#listeners.size;
  }

  /** Adds a listener and returns a function that removes it. The same function may be added twice. */
  add(tell: (value: T) => void): () => void {
    const listener = { tell };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(value: T): void {
    for (const { tell } of [...this.#listeners]) tell(value);
  }
}
