import type { InputOf, OutputOf } from "../catalogue.js";
import { MerkleError } from "../core/errors.js";
import { limits } from "../core/limits.js";
import { createIdempotencyKey } from "../feed/message-id.js";
import { getOperationRules, type OperationName } from "../rules.js";
import { toRetryPauseMs } from "./backoff.js";
import type { Answer, OutgoingRequest, Requests } from "./requests.js";

export interface CallOptions {
  /** Cancels the call. The broker is notified, and the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * How long to keep trying, including reconnects, in milliseconds. `Infinity` means forever. Default:
   * 60,000.
   */
  readonly timeoutMs?: number;
}

const utf8 = new TextEncoder();

const timeoutMsDefault = 60_000;
/** The longest delay that a timer supports. Any longer timeout counts as forever. */
const timerMsMax = 2 ** 31 - 1;

/**
 * The calls in progress. Each call settles exactly once: with its reply, or because of its signal, its
 * timeout or the client's end.
 */
export class Calls {
  readonly #requests: Requests;
  readonly #unsettled = new Set<Call>();
  #end: MerkleError | undefined;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  make<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options: CallOptions,
  ): Promise<OutputOf<Name>> {
    return new Promise((resolve, reject) => {
      options.signal?.throwIfAborted();
      if (this.#end) throw this.#end;
      const id = this.#requests.nextId();
      const call = new Call(
        this.#requests,
        { id, name, text: toText(id, name, input), ...options },
        (outcome) => {
          this.#unsettled.delete(call);
          // The broker replies with the operation's output, and the catalogue defines the type of that
          // output.
          if ("output" in outcome) resolve(outcome.output as OutputOf<Name>);
          else reject(outcome.reason);
        },
      );
      this.#unsettled.add(call);
      call.start();
    });
  }

  /** Rejects all current and future calls. */
  end(error: MerkleError): void {
    this.#end = error;
    for (const call of [...this.#unsettled]) call.fail(error);
  }
}

interface CallDefinition extends CallOptions {
  readonly id: number;
  readonly name: OperationName;
  readonly text: string;
}

type Outcome = { readonly output: unknown } | { readonly reason: unknown };

class Call implements OutgoingRequest {
  readonly id: number;
  readonly text: string;
  readonly #definition: CallDefinition;
  readonly #requests: Requests;
  readonly #onSettled: (outcome: Outcome) => void;
  readonly #timeoutMs: number;
  readonly #deadline: number;
  #deadlineTimer: ReturnType<typeof setTimeout> | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #refusal: MerkleError | undefined;
  #wasSent = false;
  #isSettled = false;

  constructor(requests: Requests, definition: CallDefinition, onSettled: (outcome: Outcome) => void) {
    this.id = definition.id;
    this.text = definition.text;
    this.#definition = definition;
    this.#requests = requests;
    this.#onSettled = onSettled;
    this.#timeoutMs = definition.timeoutMs ?? timeoutMsDefault;
    this.#deadline = performance.now() + this.#timeoutMs;
  }

  start(): void {
    this.#definition.signal?.addEventListener("abort", this.#abort);
    if (this.#timeoutMs <= timerMsMax) {
      this.#deadlineTimer = setTimeout(() => this.#giveUp(this.#timedOut()), this.#timeoutMs);
    }
    this.#requests.addCall(this);
  }

  onSent(): void {
    this.#wasSent = true;
  }

  onAnswered(answer: Answer): void {
    const pauseMs = "error" in answer ? toRetryPauseMs(answer.error) : undefined;
    if ("output" in answer) this.#settle(answer);
    else if (pauseMs === undefined || performance.now() + pauseMs >= this.#deadline) {
      this.#settle({ reason: answer.error });
    } else {
      this.#refusal = answer.error;
      this.#retryTimer = setTimeout(() => this.#requests.addCall(this), pauseMs);
    }
  }

  /**
   * Rejects the call because the client is ending. If the broker may have made the change, the error's
   * details contain `outcome: "unknown"`.
   */
  fail(error: MerkleError): void {
    const failure = new MerkleError(error.code, error.message, {
      ...error.details,
      ...this.#toOutcomeDetails(),
    });
    this.#giveUp(failure);
  }

  readonly #abort = (): void => this.#giveUp(this.#definition.signal?.reason);

  #giveUp(reason: unknown): void {
    this.#requests.cancelCall(this);
    this.#settle({ reason });
  }

  #settle(outcome: Outcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#deadlineTimer);
    clearTimeout(this.#retryTimer);
    this.#definition.signal?.removeEventListener("abort", this.#abort);
    this.#onSettled(outcome);
  }

  #timedOut(): MerkleError {
    if (this.#refusal) return this.#refusal;
    return new MerkleError(
      "unavailable",
      `The broker did not answer ${this.#definition.name} within ${this.#timeoutMs} ms.`,
      { timeout_ms: this.#timeoutMs, ...this.#toOutcomeDetails() },
    );
  }

  #toOutcomeDetails(): { outcome?: "unknown" } {
    return this.#wasSent && !getOperationRules(this.#definition.name).readOnly ? { outcome: "unknown" } : {};
  }
}

/**
 * Returns the request's JSON text. A request that changes something gets an idempotency key, so that a retry
 * has no further effect.
 */
function toText(id: number, operation: OperationName, input: object): string {
  const keyed = getOperationRules(operation).readOnly
    ? input
    : { ...input, idempotency_key: findIdempotencyKey(input) ?? createIdempotencyKey(randomUuid()) };
  const text = JSON.stringify({ type: "request", id, operation, input: keyed });
  // Refuses a frame that is too large. If it were sent, the broker would close the connection that all other
  // calls also use.
  const bytes = utf8.encode(text).length;
  if (bytes <= limits.frameBytesMax) return text;
  throw new MerkleError(
    "payload_too_large",
    `The request is too large: it has ${bytes} bytes, and the limit is ${limits.frameBytesMax}.`,
    { bytes_max: limits.frameBytesMax, bytes },
  );
}

function findIdempotencyKey(input: object): unknown {
  return "idempotency_key" in input ? input.idempotency_key : undefined;
}

/**
 * Returns a random UUID. `crypto.randomUUID` is not available on a page that a browser has loaded over plain
 * http from another machine, such as a dashboard in a local network.
 */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
