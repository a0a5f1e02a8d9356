import type { Message } from "@merkle/wire";
import { authorOf, describeExpected, describeMessage, failure, isExpected } from "./expected.js";
import { cast, type Expected } from "./story.js";

const names: ReadonlySet<string> = new Set(Object.values(cast));

/** Compares a feed, message by message, with what the story expects. */
export class FeedCheck {
  readonly messages: Message[] = [];
  #left: readonly Expected[];
  #failed = false;

  constructor(feed: readonly Expected[]) {
    this.#left = feed;
  }

  /** The message that must come next; undefined when everything has come. */
  get next(): Expected | undefined {
    return this.#left[0];
  }

  /** Whether a message came that was not to come. */
  get failed(): boolean {
    return this.#failed;
  }

  /**
   * Takes the next message. Guests may join and talk while the demo runs; only when they end it is the story over.
   *
   * @throws the demo's failure, when it is not the one that must come
   */
  take(message: Message): void {
    const sequence = (this.messages.at(-1)?.sequence ?? 0) + 1;
    if (message.sequence !== sequence) this.#fail(`message #${sequence}`, message);
    this.messages.push(message);
    const isGuest = !names.has(authorOf(message));
    if (isGuest && message.event !== "session_concluded") return;
    const [next, ...left] = this.#left;
    if (!next || !isExpected(next, message))
      this.#fail(next ? describeExpected(next) : "nothing more", message);
    this.#left = left;
  }

  #fail(expected: string, message: Message): never {
    this.#failed = true;
    throw failure(expected, `came ${describeMessage(message)}`);
  }
}
