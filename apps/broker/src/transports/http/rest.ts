import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { isStreamable, MerkleError, type Operation, parseTeamCredential } from "@merkle/wire";
import { newPersonHeader } from "@merkle/wire/identity";
import { operations } from "@merkle/wire/schemas";
import type { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { toAddressBlock } from "../../core/address-block.js";
import { toMerkleError } from "../../core/to-merkle-error.js";
import { toShareHolder } from "../../identity/limits/shares.js";
import { refuseUnauthenticated } from "../../sessions/access/authorize.js";
import { dispatch, type TransportCall } from "../dispatch.js";
import { readBuild, toOutputFor } from "../older-client.js";
import type { Services } from "../services.js";
import { type Admit, createCallerSignal, type HttpContext, onResponseWritten } from "./admit.js";
import type { BodyReader } from "./read-json-body.js";
import { readQuery, toSearchParams } from "./read-query.js";

/** Interval at which comments are sent on a waiting stream, so that no proxy closes it as idle. */
const keepAliveMs = 10_000;

/** Serves every operation at its route (REST-1). */
export function mountRest(app: Hono<{ Bindings: HttpBindings }>, admit: Admit, bodies: BodyReader): void {
  for (const operation of operations) {
    for (const route of [operation.route, operation.routeAlias ?? []].flat()) {
      const [method = "", path = ""] = route.split(" ");
      app.on(method, path, (c) => serve(c, { admit, bodies }, operation));
    }
  }
}

async function serve(
  c: HttpContext,
  { admit, bodies }: { readonly admit: Admit; readonly bodies: BodyReader },
  operation: Operation,
): Promise<Response> {
  const signal = createCallerSignal(c);
  const { principal, services, address, connection } = await admit(c);
  // Checked before the body is read, so that an unauthenticated client's body is never read.
  refuseUnauthenticated(operation, principal);
  const call: TransportCall = {
    operation,
    principal,
    address,
    connection,
    input: await readInput(c, bodies, operation),
    transport: "rest",
    view: "json",
    signal,
    credential: c.req.header("x-team-id"),
    newPerson: readNewPerson(c),
  };
  if (isStreamable(operation) && acceptsStream(c)) return stream(c, services, call);
  const reply = await dispatch(services, call);
  if (reply.confirmWritten) onResponseWritten(c, reply.confirmWritten);
  return sendJson(c, toOutputFor(readBuild(c.env.incoming.headers) ?? 0, operation, reply.output));
}

/**
 * Writes JSON in one piece to Node's own response. A `Response` would be a stream and be written in several
 * pieces.
 */
function sendJson({ env: { outgoing } }: HttpContext, output: unknown): Response {
  const body = JSON.stringify(output);
  outgoing.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  outgoing.end(body);
  return RESPONSE_ALREADY_SENT;
}

async function readInput(
  c: HttpContext,
  bodies: BodyReader,
  operation: Operation,
): Promise<Record<string, unknown>> {
  // Path parameters are strings, like query parameters, and take precedence over the same input elsewhere.
  const path = readQuery(Object.entries<string>(c.req.param()), operation);
  const query = readQuery(toSearchParams(c.env.incoming.url), operation);
  if (c.req.method === "GET") return { ...query, ...readLastEventId(c, operation), ...path };
  const body = (await bodies.readJson(c.env.incoming)) ?? {};
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new MerkleError("bad_request", "Expected a JSON object as the body.");
  }
  const key = c.req.header("idempotency-key");
  return { ...body, ...(key === undefined ? {} : { idempotency_key: key }), ...path };
}

function readNewPerson(c: HttpContext): TransportCall["newPerson"] {
  const header = c.req.header(newPersonHeader);
  return header === undefined ? undefined : Object.fromEntries(new URLSearchParams(header));
}

function acceptsStream(c: HttpContext): boolean {
  return /\btext\/event-stream\b/.test(c.req.header("accept") ?? "");
}

/**
 * Returns the cursor that a browser's EventSource sends when it reconnects: the id of the last event that it
 * received.
 */
function readLastEventId(c: HttpContext, operation: Operation): Record<string, unknown> {
  const id = c.req.header("last-event-id");
  if (operation.kind !== "wait" || id === undefined || !/^\d{1,15}$/.test(id)) return {};
  return { since_cursor: Number(id) };
}

/**
 * Serves a wait as an event stream: comments while the wait blocks, and then one event with the plain reply,
 * or with an error and its retry delay (WAIT-10).
 */
async function stream(c: HttpContext, services: Services, call: TransportCall): Promise<Response> {
  const blocked = createGate();
  // A call with an invalid credential is refused before its stream opens.
  const actor = parseTeamCredential(call.credential ?? "")?.teamId;
  const holder = toShareHolder(call.principal, actor, toAddressBlock(call.address));
  const slot = services.shares.take("stream", holder);
  c.env.outgoing.once("close", slot.release);
  const answer = dispatch(services, { ...call, onBlocked: blocked.open });
  // An invalid call fails before it blocks, and then gets a normal error reply instead of a stream.
  await Promise.race([answer, blocked.opened]);
  const response = streamSSE(c, async (events) => {
    const keepAlive = setInterval(() => void events.write(": waiting\n\n"), keepAliveMs);
    try {
      await events.write(": waiting\n\n");
      const reply = await answer;
      const cursor = formatNextCursor(reply.output);
      await events.writeSSE({ event: "messages", id: cursor, data: JSON.stringify(reply.output) });
      if (reply.confirmWritten) onResponseWritten(c, reply.confirmWritten);
    } catch (error) {
      const merkleError = toMerkleError(error, services.log, {
        operation: call.operation.name,
        transport: "rest",
      });
      const { retry_after_s: retryAfterS } = merkleError.details;
      await events.writeSSE({
        event: "error",
        data: JSON.stringify(merkleError.toBody()),
        ...(typeof retryAfterS === "number" && { retry: 1_000 * retryAfterS }),
      });
    } finally {
      clearInterval(keepAlive);
    }
  });
  response.headers.set("cache-control", "no-cache, no-transform");
  response.headers.set("x-accel-buffering", "no");
  return response;
}

function createGate(): { open(): void; opened: Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

function formatNextCursor(output: unknown): string {
  const cursor =
    typeof output === "object" && output !== null && "next_cursor" in output ? output.next_cursor : 0;
  return String(cursor);
}
