import { MerkleError } from "../core/errors.js";
import { limits } from "../core/limits.js";
import type { BrokerFrame } from "../transports/frames.js";

export type Reply = Extract<BrokerFrame, { type: "reply" }>;
export type Answer = { readonly output: unknown } | { readonly error: MerkleError };

/** A request to the broker. Its text is created only once, so that a retry is byte-for-byte identical. */
export interface OutgoingRequest {
  readonly id: number;
  readonly text: string;
  onAnswered(answer: Answer): void;
  /** Called each time the request is sent. */
  onSent?(): void;
}

/**
 * A request that controls a subscription. Requests with the same `subject` are sent one at a time, each after
 * the reply to the previous one.
 */
export interface ControlRequest extends OutgoingRequest {
  readonly subject: string;
}

/**
 * Maximum number of calls that wait in the client, not counting those already sent. Further calls are
 * refused.
 */
export const waitingCallsMax = 10_000;

/** Maximum number of cancelled requests that count as unanswered. */
const cancelledMax = 16;

/**
 * The unanswered requests. At most `limits.unansweredRequestsPerConnectionMax` are sent to the broker at a
 * time (CLIENT-7). All other requests wait here in the order in which they were made. If a connection ends,
 * its unanswered calls are sent again on the next one, before later calls. Control requests end with their
 * connection.
 */
export class Requests {
  #send: ((text: string) => void) | undefined;
  #lastId = 0;
  #calls: OutgoingRequest[] = [];
  #controls: ControlRequest[] = [];
  readonly #unansweredCalls = new Map<number, OutgoingRequest>();
  readonly #unansweredControls = new Map<number, ControlRequest>();
  readonly #busySubjects = new Set<string>();
  readonly #cancelled = new Set<number>();

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Queues a call in the order of ids, so that a retried call goes before later calls. */
  addCall(call: OutgoingRequest): void {
    if (this.#calls.length >= waitingCallsMax) {
      const error = new MerkleError(
        "too_many_requests",
        `${waitingCallsMax} calls are already waiting in the client. Wait for their replies before you call again.`,
      );
      call.onAnswered({ error });
      return;
    }
    const before = this.#calls.findLastIndex((other) => other.id < call.id);
    this.#calls.splice(before + 1, 0, call);
    this.#flush();
  }

  addControl(control: ControlRequest): void {
    this.#controls.push(control);
    this.#flush();
  }

  /** Removes a call. If it was already sent, the broker is asked to cancel it. */
  cancelCall(call: OutgoingRequest): void {
    const index = this.#calls.indexOf(call);
    if (index !== -1) this.#calls.splice(index, 1);
    if (!this.#unansweredCalls.delete(call.id)) return;
    this.#send?.(JSON.stringify({ type: "cancel", id: call.id }));
    this.#addCancelled(call.id);
  }

  attach(send: (text: string) => void): void {
    this.#send = send;
    this.#flush();
  }

  detach(): void {
    this.#send = undefined;
    this.#calls = [...this.#unansweredCalls.values(), ...this.#calls].sort((a, b) => a.id - b.id);
    this.#controls = [];
    this.#unansweredCalls.clear();
    this.#unansweredControls.clear();
    this.#busySubjects.clear();
    this.#cancelled.clear();
  }

  receive(reply: Reply): void {
    const id = Number(reply.id);
    const request = this.#take(id);
    this.#cancelled.delete(id);
    request?.onAnswered("error" in reply ? { error: MerkleError.fromBody(reply) } : { output: reply.output });
    this.#flush();
  }

  #take(id: number): OutgoingRequest | undefined {
    const call = this.#unansweredCalls.get(id);
    this.#unansweredCalls.delete(id);
    const control = this.#unansweredControls.get(id);
    this.#unansweredControls.delete(id);
    if (control) this.#busySubjects.delete(control.subject);
    return call ?? control;
  }

  /** Control requests go first, so that a new subscription does not wait behind long polls. */
  #flush(): void {
    while (this.#send && this.#hasRoom()) {
      const control = this.#shiftControl();
      const request = control ?? this.#calls.shift();
      if (!request) return;
      if (control) this.#unansweredControls.set(control.id, control);
      else this.#unansweredCalls.set(request.id, request);
      request.onSent?.();
      this.#send(request.text);
    }
  }

  #shiftControl(): ControlRequest | undefined {
    const index = this.#controls.findIndex(({ subject }) => !this.#busySubjects.has(subject));
    const [control] = index === -1 ? [] : this.#controls.splice(index, 1);
    if (control) this.#busySubjects.add(control.subject);
    return control;
  }

  #hasRoom(): boolean {
    const unanswered = this.#unansweredCalls.size + this.#unansweredControls.size + this.#cancelled.size;
    return unanswered < limits.unansweredRequestsPerConnectionMax;
  }

  /**
   * Counts a cancelled request as unanswered until the broker replies. The number of such requests is
   * limited, so that calls can continue even if the broker never replies to cancelled requests.
   */
  #addCancelled(id: number): void {
    this.#cancelled.add(id);
    const [oldest] = this.#cancelled;
    if (oldest !== undefined && this.#cancelled.size > cancelledMax) this.#cancelled.delete(oldest);
    this.#flush();
  }
}
