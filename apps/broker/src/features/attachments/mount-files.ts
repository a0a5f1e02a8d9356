import { ReadableStream } from "node:stream/web";
import type { HttpBindings } from "@hono/node-server";
import { findFileOfMessage } from "@merkle/db";
import { MerkleError, type MessageFile, type Operation } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { downloadFile as downloadOperation, uploadFile as uploadOperation } from "@merkle/wire/schemas";
import type { Hono } from "hono";
import { toMerkleError } from "../../core/to-merkle-error.js";
import type { OperationSlot } from "../../identity/limits/shares.js";
import { refuseUnauthenticated } from "../../sessions/access/authorize.js";
import type { SessionContext, TeamContext } from "../../sessions/context.js";
import { type OpenedCall, openCall } from "../../transports/dispatch.js";
import { createCallerSignal, type HttpContext } from "../../transports/http/admit.js";
import { cancelIfStalled } from "../../transports/http/cancel-if-stalled.js";
import { toJsonResponse } from "../../transports/http/http-error.js";
import type { MountParts } from "../../transports/http/mount.js";
import { readQuery, toSearchParams } from "../../transports/http/read-query.js";
import type { Services } from "../../transports/services.js";
import { parseRange, parseSentRange } from "./content-range.js";
import { getMessageFiles } from "./find-message-files.js";
import { shownTypes } from "./images/inspect-file.js";
import { receiveUpload, type UploadRequest } from "./receive-upload.js";
import { createChunkReader, readRange } from "./stored-bytes.js";

/** Adds the routes over which files are sent and fetched, as streams and outside of the limit of other bodies. */
export function mountFiles(app: Hono<{ Bindings: HttpBindings }>, { admit }: MountParts<Services>): void {
  app.put("/api/sessions/:session_id/files", (c) => {
    const query = readQuery(toSearchParams(c.env.incoming.url), uploadOperation);
    return inSlot(c, uploadOperation, query, async (opened, slot) => {
      const response = await upload(c, opened);
      slot.release();
      return response;
    });
  });
  app.get("/api/sessions/:session_id/messages/:message/files/:digest", (c) => {
    const input = { message: Number(c.req.param("message")), digest: c.req.param("digest") };
    return inSlot(c, downloadOperation, input, (opened, slot) => download(c, opened, slot));
  });

  /** Admits a call as all others are, and limits how many files one caller transfers at once (GUARD-24). */
  async function inSlot(
    c: HttpContext,
    operation: Operation,
    input: Readonly<Record<string, unknown>>,
    run: (opened: OpenedCall<Services>, slot: OperationSlot) => Promise<Response>,
  ): Promise<Response> {
    const { principal, services, address } = await admit(c);
    refuseUnauthenticated(operation, principal);
    const opened = await openCall(services, {
      operation,
      principal,
      address,
      input: { ...input, session_id: c.req.param("session_id") },
      transport: "rest",
      view: "json",
      signal: createCallerSignal(c),
      credential: c.req.header("x-team-id"),
    });
    const slot = services.shares.take("file", opened.holder);
    try {
      return await run(opened, slot);
    } catch (error) {
      slot.release();
      throw toMerkleError(error, services.log, { operation: operation.name, transport: "rest" });
    }
  }
}

async function upload(c: HttpContext, { ctx, input }: OpenedCall<Services>): Promise<Response> {
  const { incoming } = c.env;
  try {
    const sent = parseSentRange({
      contentRange: c.req.header("content-range"),
      contentLength: c.req.header("content-length"),
    });
    // openCall has parsed the input with the operation's schema, and found the session and the team.
    const reply = await receiveUpload(ctx as TeamContext<Services>, input as unknown as UploadRequest, {
      sent,
      incoming,
    });
    const response = toJsonResponse(reply);
    return "received" in reply
      ? new Response(response.body, { status: 202, headers: response.headers })
      : response;
  } catch (error) {
    // The client sends the rest of the body before it reads the reply.
    incoming.resume();
    throw error;
  }
}

async function download(
  c: HttpContext,
  { ctx, input }: OpenedCall<Services>,
  slot: OperationSlot,
): Promise<Response> {
  // openCall has parsed the input with the operation's schema, and found the session.
  const context = ctx as SessionContext<Services>;
  const { message, digest } = input as { readonly message: number; readonly digest: string };
  const { orm } = context.services.database;
  const { messageId, files } = await getMessageFiles(context, message);
  const named = files.find((file) => file.digest === digest);
  if (!named) throw new MerkleError("not_found", `Message ${message} carries no file with this digest.`);
  const key = { sessionId: context.session.sessionId, messageId };
  const file = await findFileOfMessage(orm, key, Buffer.from(digest, "hex"));
  if (!file)
    throw new MerkleError(
      "not_found",
      `Message ${message} names this file, but its bytes are not here: the session was imported from a bundle without them.`,
    );
  const headers = describeFile(named, file.type);
  const range = parseRange(c.req.header("range"), file.size);
  if (range === "unsatisfiable") {
    slot.release();
    return new Response(null, {
      status: 416,
      headers: { ...headers, "content-range": `bytes */${file.size}` },
    });
  }
  const { from, to } = range ?? { from: 0, to: file.size };
  const body = cancelIfStalled(ReadableStream.from(readRange(createChunkReader(orm, file), from, to)), {
    bytesPerSecondMin: limits.transferBytesPerSecondMin,
    windowMs: limits.transferWindowMs,
    runWork: slot.run,
    onEnd: slot.release,
    onError: (error) =>
      context.services.log.error("a download failed", { session: context.session.slug, error }),
  });
  return new Response(body as globalThis.ReadableStream<Uint8Array>, {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      "content-length": String(to - from),
      ...(range && { "content-range": `bytes ${from}-${to - 1}/${file.size}` }),
    },
  });
}

/**
 * Returns the headers of a file. Its type is what its bytes are, and a browser shows only types that can run nothing
 * (ATTACH-9). The policy keeps any other from loading or running anything, should it be opened all the same.
 */
function describeFile({ name, digest }: MessageFile, type: string): Record<string, string> {
  const isShown = shownTypes.has(type);
  return {
    "content-type":
      type === "text/plain" ? "text/plain; charset=utf-8" : isShown ? type : "application/octet-stream",
    "content-disposition": `${isShown ? "inline" : "attachment"}; filename*=UTF-8''${encodeFileName(name)}`,
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "accept-ranges": "bytes",
    "cache-control": "private, no-store",
    etag: `"${digest}"`,
  };
}

/** Encodes a name as RFC 8187 requires: `encodeURIComponent` leaves some characters that it does not allow. */
function encodeFileName(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
