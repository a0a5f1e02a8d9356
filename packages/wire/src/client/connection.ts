import { type ErrorCode, errorCodes, MerkleError } from "../core/errors.js";
import type { HelloResult } from "../identity/hello-proof.js";
import { packageName } from "../text/package-name.js";
import { mayReconnect } from "../transports/close-codes.js";
import type { BrokerFrame, ClientFrame, protocolVersion } from "../transports/frames.js";
import {
  type ConnectionEnd,
  type Hello,
  type Introduction,
  introductionId,
  isSilent,
  readAdmission,
  toConnectionEnd,
  toHelloFrame,
} from "./introduction.js";
import { type SilenceWatch, watchSilence } from "./silence-watch.js";
import type { WebSocketClass, WebSocketLike } from "./web-socket.js";

/**
 * Protocol revision of this client. The type ties it to the constant in the frames module, which is not
 * imported, because importing it would load the schemas.
 */
const clientProtocol: typeof protocolVersion = 1;

const closingHandshakeMsMax = 1_000;
const probeMsMax = 5_000;
/** Id of the ping that checks the connection. No request has this id, so its reply is ignored. */
const probeId = "probe";

export type FrameAfterHello = Exclude<BrokerFrame, { type: "hello" }>;

export interface ConnectionEvents {
  /**
   * Called before all other events and only once: after the broker's hello or, if the client introduces
   * itself, after the broker has admitted it.
   */
  onOpen(hello: Hello, admitted: HelloResult | null): void;
  onFrame(frame: FrameAfterHello): void;
  /** Called after all other events and only once, unless the client itself closed the connection. */
  onEnd(end: ConnectionEnd): void;
}

export interface Connection {
  send(text: string): void;
  /** Sends a ping. The connection ends if the broker does not respond soon. */
  probe(): void;
  /**
   * Starts the closing handshake. Resolves once the socket is closed. No event is reported after this call.
   */
  close(): Promise<void>;
}

interface ConnectionOptions {
  readonly url: string;
  readonly WebSocket: WebSocketClass;
  /** Timeout for the broker's hello. The same timeout then applies to the client's admission. */
  readonly connectTimeoutMs: number;
  readonly introduction: Introduction;
}

type Phase =
  | { readonly name: "waiting" | "greeted" | "open" }
  | { readonly name: "introduced"; readonly hello: Hello };

/**
 * Opens a WebSocket and monitors it until it ends. If the broker is silent for too long, the connection
 * counts as lost.
 */
export function openConnection(options: ConnectionOptions, events: ConnectionEvents): Connection {
  const socket = new options.WebSocket(options.url);
  /**
   * `greeted`: the broker's hello has arrived. `introduced`: the client has sent its proof. `open`: requests
   * may be sent.
   */
  let phase: Phase = { name: "waiting" };
  let hasEnded = false;
  let fault = "";
  let probeWatch: SilenceWatch | undefined;
  let admissionWatch: SilenceWatch | undefined;
  let watch = watchSilence(options.connectTimeoutMs, () =>
    drop(`no connection after ${options.connectTimeoutMs} ms`),
  );

  // The listeners are never removed. In Node, an `error` event without a listener would end the process, and
  // such an event may arrive late.
  socket.addEventListener("message", ({ data }) => {
    if (!hasEnded) receive(parseFrame(data));
  });
  socket.addEventListener("error", (event) => {
    if ("message" in event && typeof event.message === "string") fault = event.message;
  });
  socket.addEventListener("close", ({ code, reason }) => end(toEndByCode(code, reason || fault)));

  function receive(frame: BrokerFrame | null): void {
    watch.reset();
    probeWatch?.stop();
    probeWatch = undefined;
    if (frame === null || (phase.name === "waiting") !== (frame.type === "hello")) dropUnexpected();
    else if (frame.type === "hello") greet(frame);
    else if (frame.type === "reply" && frame.id === introductionId) admit(readAdmission(frame));
    else if (frame.type === "reply" && frame.id === probeId) return;
    else if (phase.name === "open") events.onFrame(frame);
    else if (frame.type !== "heartbeat") dropUnexpected();
  }

  function greet(hello: Hello): void {
    if (hello.protocol !== clientProtocol) {
      drop({ canReconnect: false, error: otherProtocol(hello) });
      return;
    }
    watch.stop();
    watch = watchSilence(2 * hello.heartbeat_ms, () =>
      drop(`the broker was silent for ${2 * hello.heartbeat_ms} ms`),
    );
    if (isSilent(options.introduction)) return open(hello, null);
    phase = { name: "greeted" };
    admissionWatch = watchSilence(options.connectTimeoutMs, () =>
      drop(`the client was not authenticated after ${options.connectTimeoutMs} ms`),
    );
    introduce(hello).catch((error: unknown) => drop(toConnectionEnd(error)));
  }

  /**
   * Sends nothing over a closing socket, whose end will be reported soon. A browser would log a warning for
   * each frame.
   */
  function send(text: string): void {
    if (socket.readyState === openState) socket.send(text);
  }

  async function introduce(hello: Hello): Promise<void> {
    const frame = await toHelloFrame(options.introduction, hello);
    if (hasEnded) return;
    if (frame === null) return open(hello, null);
    phase = { name: "introduced", hello };
    send(JSON.stringify(frame));
  }

  function admit(answer: HelloResult | ConnectionEnd): void {
    if (phase.name !== "introduced") dropUnexpected();
    else if ("canReconnect" in answer) drop(answer);
    else open(phase.hello, answer);
  }

  function open(hello: Hello, admitted: HelloResult | null): void {
    admissionWatch?.stop();
    phase = { name: "open" };
    events.onOpen(hello, admitted);
  }

  function probe(): void {
    if (hasEnded || phase.name !== "open" || probeWatch) return;
    probeWatch = watchSilence(probeMsMax, () => drop("the broker did not answer after a pause"));
    send(JSON.stringify({ type: "ping", id: probeId } satisfies ClientFrame));
  }

  function dropUnexpected(): void {
    drop("the broker sent an unexpected frame");
  }

  function drop(cause: string | ConnectionEnd): void {
    terminate(socket);
    end(typeof cause === "string" ? { canReconnect: true, reason: cause } : cause);
  }

  function end(connectionEnd: ConnectionEnd): void {
    if (hasEnded) return;
    hasEnded = true;
    stopWatching();
    events.onEnd(connectionEnd);
  }

  function stopWatching(): void {
    watch.stop();
    probeWatch?.stop();
    admissionWatch?.stop();
  }

  /** Resolves once the socket is closed. Terminates it if that takes longer than `ms`. */
  function waitForClose(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        terminate(socket);
        resolve();
      }, ms);
      socket.addEventListener("close", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  return {
    send,
    probe,
    close: async () => {
      hasEnded = true;
      stopWatching();
      socket.close(1000);
      await waitForClose(closingHandshakeMsMax);
    },
  };
}

const openState = 1; // WebSocket.OPEN, in browsers and in Node.

/**
 * Ends a socket whose other side may not reply. Browsers have no `terminate`, but end such a socket after a
 * while.
 */
function terminate(socket: WebSocketLike): void {
  if (socket.terminate) socket.terminate();
  else socket.close();
}

function toEndByCode(code: number, text: string): ConnectionEnd {
  const reason = text === "" ? `closed with code ${code}` : `${text} (code ${code})`;
  if (mayReconnect(code)) return { canReconnect: true, reason };
  const error = new MerkleError(
    toErrorCode(code),
    `The broker closed the connection and accepts no new one: ${reason}.`,
    { close_code: code },
  );
  return { canReconnect: false, error };
}

/**
 * Converts a close code to an error code. A close code that forbids reconnecting is 4000 plus the HTTP status
 * of the error.
 */
function toErrorCode(closeCode: number): ErrorCode {
  const codes = Object.keys(errorCodes) as ErrorCode[]; // `errorCodes` has no other keys.
  return codes.find((code) => errorCodes[code].status + 4000 === closeCode) ?? "internal";
}

function otherProtocol({ protocol, version }: Hello): MerkleError {
  return new MerkleError(
    "bad_request",
    `The broker (${version}) speaks protocol ${protocol}, but this client speaks protocol ${clientProtocol}. Upgrade the older of the two (npm install -g ${packageName}), and reload open dashboard pages.`,
    { protocol },
  );
}

/**
 * Parses a frame from the broker. Returns null if the data is not a frame. The fields are not validated,
 * because the broker is trusted and validation would require loading the schemas in the browser.
 */
function parseFrame(data: unknown): BrokerFrame | null {
  if (typeof data !== "string") return null;
  try {
    const frame: unknown = JSON.parse(data);
    if (typeof frame !== "object" || frame === null || !("type" in frame)) return null;
    return frame as BrokerFrame;
  } catch {
    return null; // Invalid JSON is not a frame either.
  }
}
