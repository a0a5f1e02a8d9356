import type { Duplex } from "node:stream";
import { buildNumber, MerkleError, parseBuild } from "@merkle/wire";

/** A failure as an HTTP answer: always JSON, never a stack (ERR-3). */
export function toErrorResponse(error: MerkleError): Response {
  const headers = new Headers({ "content-type": "application/json", ...retryAfter(error) });
  // RFC 9110, section 11.6.1: who is not known is told how to say who it is.
  if (error.status === 401) headers.set("www-authenticate", "Bearer");
  return new Response(JSON.stringify(error.toBody()), { status: error.status, headers });
}

/** Adds to a refusal that the client may have got it only because it is older than this broker (BUILD-4). */
export function adviseOlderClient(error: MerkleError, build: string | undefined): MerkleError {
  const isMisunderstood = error.code === "bad_request" || error.code === "not_found";
  if (!isMisunderstood || build === undefined || parseBuild(build) >= buildNumber) return error;
  const advice = `This client is older (build ${parseBuild(build)}; the broker is build ${buildNumber}): upgrade it.`;
  return new MerkleError(error.code, `${error.message} ${advice}`, error.details);
}

/** The header for programs that know nothing of our errors. */
export function retryAfter({ details }: MerkleError): Record<string, string> {
  const seconds = details["retry_after_s"];
  return typeof seconds === "number" ? { "retry-after": String(Math.ceil(seconds)) } : {};
}

export function jsonResponse(output: unknown): Response {
  return new Response(JSON.stringify(output), { headers: { "content-type": "application/json" } });
}

export function noSuchRoute(method: string, path: string): MerkleError {
  return new MerkleError(
    "not_found",
    `There is no route ${method} ${path.slice(0, 200)}. /openapi.json lists the routes, and /agents.md explains them.`,
  );
}

/** Answers an upgrade that is refused, and ends its connection. */
export function refuseUpgrade(socket: Duplex, error: MerkleError): void {
  const body = JSON.stringify(error.toBody());
  const head = [
    `HTTP/1.1 ${error.status} Refused`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "X-Content-Type-Options: nosniff",
    ...Object.entries(retryAfter(error)).map(([name, value]) => `${name}: ${value}`),
    "Connection: close",
  ].join("\r\n");
  // A client that does not end its side would hold what is left of the connection for as long as it likes.
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
}
