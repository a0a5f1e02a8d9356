import type { HttpBindings } from "@hono/node-server";
import { MerkleError } from "@merkle/wire";
import { catalogue } from "@merkle/wire/schemas";
import type { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import * as z from "zod";
import { toMerkleError } from "../../core/to-merkle-error.js";
import { dispatch } from "../../transports/dispatch.js";
import {
  type Admit,
  createCallerSignal,
  type HttpAdmission,
  type HttpContext,
  onResponseWritten,
} from "../../transports/http/admit.js";
import { toJsonResponse, toRetryAfterHeader } from "../../transports/http/http-error.js";
import type { MountParts } from "../../transports/http/mount.js";
import type { BodyReader } from "../../transports/http/read-json-body.js";
import type { Services } from "../../transports/services.js";
import { a2aPath, describeAgent } from "./agent-card.js";
import { type A2aRevision, type A2aTask, methods } from "./revisions.js";
import {
  type CallOperation,
  followTask,
  GetParams,
  postTask,
  readTask,
  SendParams,
  withHistory,
} from "./tasks.js";

const RpcRequest = z.object({
  jsonrpc: z.literal("2.0"),
  id: z
    .union([z.string().max(200), z.number()])
    .nullable()
    .default(null),
  method: z.string().max(100),
  params: z.unknown().optional(),
});
type RpcRequest = z.output<typeof RpcRequest>;

/**
 * Maximum duration of a stream without an answer. The client can then call GetTask or send the message again.
 */
const streamSecondsMax = 60 * 60;
const keepAliveMs = 10_000;

/**
 * Mounts the A2A transport (A2A-1). Like every transport, it translates requests to the shared operations.
 */
export function mountA2a(
  app: Hono<{ Bindings: HttpBindings }>,
  { services, admit, bodies }: MountParts<Services>,
): void {
  app.get("/.well-known/agent-card.json", () => toJsonResponse(describeAgent(services, null)));
  app.get(`${a2aPath}/:session/.well-known/agent-card.json`, (c) =>
    toJsonResponse(describeAgent(services, c.req.param("session"))),
  );
  for (const path of [a2aPath, `${a2aPath}/:session`] as const) {
    app.post(path, (c) => serve(c, services, { admit, bodies }, c.req.param("session") ?? null));
  }
}

async function serve(
  c: HttpContext,
  { log, settings }: Services,
  { admit, bodies }: { readonly admit: Admit; readonly bodies: BodyReader },
  session: string | null,
): Promise<Response> {
  let id: RpcRequest["id"] = null;
  const toResponse = (error: unknown) => {
    const merkleError = toMerkleError(error, log, { path: a2aPath });
    const headers = {
      "content-type": "application/json",
      ...toRetryAfterHeader(merkleError),
      ...toChallengeHeaders(merkleError),
    };
    return new Response(JSON.stringify(toRpcError(id, merkleError)), {
      status: toHttpStatus(merkleError),
      headers,
    });
  };
  try {
    const admission = await admit(c);
    const request = parse(RpcRequest, await bodies.readJson(c.env.incoming), -32600);
    id = request.id;
    const call = createCall(c, admission);
    const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
    if (!method) throw noSuchMethod(request.method);
    requireVersion(c.req.header("a2a-version"));
    const { revision } = method;
    const answer = (result: object) => toJsonResponse({ jsonrpc: "2.0", id, result });
    if (method.action === "get") {
      const params = parse(GetParams, request.params, -32602);
      return answer(revision.toTask(withHistory(await readTask(call, params.id), params.historyLength)));
    }
    const params = parse(SendParams, request.params, -32602);
    const task = await postTask(call, params, session);
    if (method.action === "stream")
      return stream(c, {
        call,
        task,
        revision,
        toError: (error) => toRpcError(id, toMerkleError(error, log, { path: a2aPath })),
        id,
      });
    const { returnImmediately, blocking, historyLength } = params.configuration ?? {};
    let last = task;
    if (returnImmediately !== true && blocking !== false) {
      for await (const next of followTask(call, task, settings.current.mcp_wait_s)) last = next;
    }
    return answer(revision.toSendResult(withHistory(last, historyLength)));
  } catch (error) {
    return toResponse(error);
  }
}

/** Calls operations as the REST transport would with the same headers. */
function createCall(
  c: HttpContext,
  { principal, services, address, connection }: HttpAdmission,
): CallOperation {
  const signal = createCallerSignal(c);
  return async (name, input) => {
    const reply = await dispatch(services, {
      operation: catalogue[name],
      principal,
      address,
      connection,
      input,
      transport: "rest",
      view: "json",
      signal,
      credential: c.req.header("x-team-id"),
    });
    if (reply.confirmWritten) onResponseWritten(c, reply.confirmWritten);
    // The output of a handler has the type that its operation declares.
    return reply.output as never;
  };
}

interface TaskStream {
  readonly call: CallOperation;
  readonly task: A2aTask;
  readonly revision: A2aRevision;
  readonly id: RpcRequest["id"];
  readonly toError: (error: unknown) => object;
}

/** Streams the current task, followed by an update for each message to the team until the answer arrives. */
function stream(c: HttpContext, { call, task, revision, id, toError }: TaskStream): Response {
  const response = streamSSE(c, async (events) => {
    const keepAlive = setInterval(() => void events.write(": waiting\n\n"), keepAliveMs);
    const send = (message: object) => events.writeSSE({ data: JSON.stringify(message) });
    try {
      await send({ jsonrpc: "2.0", id, result: revision.toSendResult(task) });
      for await (const next of followTask(call, task, streamSecondsMax)) {
        await send({ jsonrpc: "2.0", id, result: revision.toStatusUpdate(next) });
      }
    } catch (error) {
      await send(toError(error));
    } finally {
      clearInterval(keepAlive);
    }
  });
  response.headers.set("cache-control", "no-cache, no-transform");
  response.headers.set("x-accel-buffering", "no");
  return response;
}

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown, code: number): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new MerkleError("bad_request", `${issue?.path.join(".") || "The request"}: ${issue?.message}.`, {
    a2a: code,
  });
}

/** Accepts version 1.0, version 0.3, or a missing version, because A2A 0.3 clients send none. */
function requireVersion(version: string | undefined): void {
  if (version === undefined || version === "" || /^(?:1|0\.3)(?:\.|$)/.test(version)) return;
  throw new MerkleError(
    "bad_request",
    `A2A ${version.slice(0, 20)} is not supported. Supported versions: 1.0 and 0.3.`,
    {
      a2a: -32009,
    },
  );
}

function noSuchMethod(method: string): MerkleError {
  return new MerkleError(
    "bad_request",
    `There is no method ${JSON.stringify(method)}. Known methods: ${Object.keys(methods).join(", ")}.`,
    { a2a: -32601 },
  );
}

const usualCodes: Partial<Record<MerkleError["code"], number>> = { bad_request: -32602, not_found: -32001 };

function toRpcError(id: RpcRequest["id"], { code, message, details }: MerkleError): object {
  const { a2a = usualCodes[code] ?? -32603 } = details;
  const data = [
    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: code.toUpperCase(), domain: "merkle" },
  ];
  return { jsonrpc: "2.0", id, error: { code: a2a, message, data } };
}

/**
 * Returns the HTTP status of an error. JSON-RPC errors use 200, except for statuses that HTTP clients and
 * proxies act on.
 */
function toHttpStatus({ status }: MerkleError): number {
  return [401, 413, 429, 503].includes(status) ? status : 200;
}

function toChallengeHeaders({ status }: MerkleError): Record<string, string> {
  return status === 401 ? { "www-authenticate": "Bearer" } : {};
}
