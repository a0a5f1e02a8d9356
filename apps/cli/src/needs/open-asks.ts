import type { Message } from "@merkle/wire";

/** The asks of a feed that nobody has answered, of the messages that were added, in whatever order these came. */
export class OpenAsks {
  readonly #asks = new Map<number, Message>();
  readonly #answered = new Set<number>();

  add(message: Message): void {
    if (message.type !== "chat") return;
    const { content, reply_to: replyTo, sequence } = message;
    if (content["kind"] === "ask" && !this.#answered.has(sequence)) this.#asks.set(sequence, message);
    if (content["answer"] === undefined || replyTo === undefined) return;
    this.#answered.add(replyTo);
    this.#asks.delete(replyTo);
  }

  /** The oldest first. */
  list(): Message[] {
    return [...this.#asks.values()].sort((a, b) => a.sequence - b.sequence);
  }

  /** The feed was restored: its numbers may mean other messages. */
  clear(): void {
    this.#asks.clear();
    this.#answered.clear();
  }
}
