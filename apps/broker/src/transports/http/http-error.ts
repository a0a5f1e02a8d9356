import type { Duplex } from "node:stream";
import { buildNumber, MerkleError, parseBuild } from "@merkle/wire";

/**
 * Converts an error to an HTTP response. The body is always JSON and never contains a stack trace (ERR-3).
 */
export function toErrorResponse(error: MerkleError): Response {
  const headers = new Headers({ "content-type": "application/json", ...toRetryAfterHeader(error) });
  // A 401 response must name the authentication scheme (RFC 9110, section 11.6.1).
  if (error.status === 401) headers.set("www-authenticate", "Bearer");
  return new Response(JSON.stringify(error.toBody()), { status: error.status, headers });
}

/** Adds a hint to an error whose cause may be that the client is older than this broker (BUILD-4). */
export function adviseOlderClient(error: MerkleError, build: string | undefined): MerkleError {
  const isMisunderstood = error.code === "bad_request" || error.code === "not_found";
  if (!isMisunderstood || build === undefined || parseBuild(build) >= buildNumber) return error;
  const advice = `This client is older (build ${parseBuild(build)}; the broker is build ${buildNumber}): upgrade it.`;
  return new MerkleError(error.code, `${error.message} ${advice}`, error.details);
}

/**
 * Returns a Retry-After header, for programs that do not read `details`. Empty if the error has no retry
 * delay.
 */
export function toRetryAfterHeader({ details }: MerkleError): Record<string, string> {
  const seconds = details["retry_after_s"];
  return typeof seconds === "number" ? { "retry-after": String(Math.ceil(seconds)) } : {};
}

export function toJsonResponse(output: unknown): Response {
  return new Response(JSON.stringify(output), { headers: { "content-type": "application/json" } });
}

export function noSuchRoute(method: string, path: string): MerkleError {
  return new MerkleError(
    "not_found",
    `There is no route ${method} ${path.slice(0, 200)}. /openapi.json lists the routes, and /agents.md explains them.`,
  );
}

/** Sends an error as the reply to an upgrade request and closes the connection. */
export function refuseUpgrade(socket: Duplex, error: MerkleError): void {
  const body = JSON.stringify(error.toBody());
  const head = [
    `HTTP/1.1 ${error.status} Refused`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "X-Content-Type-Options: nosniff",
    ...Object.entries(toRetryAfterHeader(error)).map(([name, value]) => `${name}: ${value}`),
    "Connection: close",
  ].join("\r\n");
  // A client that does not close its side could otherwise keep the half-open connection indefinitely.
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
}
