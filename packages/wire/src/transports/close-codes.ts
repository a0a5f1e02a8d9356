/**
 * The codes with which the broker closes a WebSocket. `reconnect` says whether reconnecting can help. It can
 * for codes from 4000 to 4099, but not for codes from 4400. All other codes are defined by the WebSocket
 * protocol (WS-5).
 */
export const closeCodes = {
  going_away: {
    code: 1001,
    reconnect: true,
    meaning: "the broker is shutting down; reconnect when it is running again",
  },
  restarting: { code: 1012, reconnect: true, meaning: "the broker restarts" },
  slow_consumer: {
    code: 4001,
    reconnect: true,
    meaning: "the client did not read for too long; resume by cursor",
  },
  heartbeat_missed: { code: 4002, reconnect: true, meaning: "the client did not answer a ping" },
  too_many_connections: {
    code: 4003,
    reconnect: true,
    meaning: "the broker has reached its connection limit",
  },
  no_hello: {
    code: 4004,
    reconnect: true,
    meaning: "the client did not authenticate in time",
  },
  unfinished_frame: {
    code: 4005,
    reconnect: true,
    meaning: "a frame did not end in time, or too many had begun",
  },
  unauthorized: {
    code: 4401,
    reconnect: false,
    meaning: "the client's membership or token has ended, or it continued without authenticating",
  },
  bad_frame: {
    code: 4400,
    reconnect: false,
    meaning: "a frame was malformed: not a JSON object with a type, or not as its type requires",
  },
  too_large: { code: 1009, reconnect: false, meaning: "a frame was larger than the limit" },
  replaced: {
    code: 4409,
    reconnect: false,
    meaning: "a newer connection holds the peer now",
  },
  too_many_requests: {
    code: 4429,
    reconnect: false,
    meaning: "too many unanswered requests or waiting frames on a connection",
  },
} as const satisfies Record<string, { code: number; reconnect: boolean; meaning: string }>;

export type CloseReason = keyof typeof closeCodes;

/**
 * Codes of the WebSocket protocol (RFC 6455, section 7.4.1) by which one side reports that the other has
 * violated the protocol.
 */
const brokenRules = new Set([1002, 1003, 1007, 1009, 1010]);

/**
 * Returns true if a client should reconnect after it was closed with this code. This includes codes for
 * network failures, such as 1006.
 */
export function mayReconnect(code: number): boolean {
  return code < 4400 && !brokenRules.has(code);
}
