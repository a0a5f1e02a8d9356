import type { MessageRow, StoredMessage } from "@merkle/db";
import type { Bus } from "./bus/bus.js";
import { sha256 } from "./sha256.js";
import { StartError } from "./start-error.js";
import { withTimeout } from "./with-timeout.js";

/**
 * Traces each message with OpenTelemetry: its post, its commit, its hint to the other nodes and its
 * deliveries on each node (TRACE-1). The trace id is the message's id, so spans from different nodes join
 * without context propagation. Session ids appear only as hashes. If tracing is off, this object does not
 * exist and the SDK is not loaded.
 */
export interface Traces {
  /** Wraps the posting of a message in the first span of its trace. The span lasts from admission to reply. */
  post<Result>(row: MessageRow, posting: Promise<Result>): Promise<Result>;
  /** Wraps sending a batch to the database in one span per message. */
  commit<Result>(rows: readonly MessageRow[], sending: Promise<Result>): Promise<Result>;
  recordHints(posted: readonly StoredMessage[]): void;
  /**
   * Records the delivery of messages to a reader. The span starts when another node's hint arrived, if there
   * was such a hint.
   */
  recordDelivery(sessionId: string, messages: readonly DeliveredMessage[], path: string): void;
  stop(): Promise<void>;
}

export interface DeliveredMessage {
  readonly sequence: number;
  readonly message: { readonly id: string };
}

interface TracesOptions {
  /** URL to which spans are sent by OTLP over HTTP, such as `http://collector:4318/v1/traces`. */
  readonly url: string;
  readonly node: string;
  readonly version: string;
  readonly bus: Bus;
}

/** Maximum number of sessions for which the last hint is kept until the session's messages are delivered. */
const hintsMax = 1_000;
const flushMs = 2_000;

/** @throws StartError if the SDK, which is not part of Merkle, is not installed */
export async function startTraces({ url, node, version, bus }: TracesOptions): Promise<Traces> {
  const { sdk, api, OTLPTraceExporter } = await loadSdk();
  let root: { readonly traceId: string; readonly spanId: string } | null = null;
  const random = new sdk.RandomIdGenerator();
  const provider = new sdk.TracerProvider({
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
    idGenerator: {
      generateTraceId: () => root?.traceId ?? random.generateTraceId(),
      generateSpanId: () => root?.spanId ?? random.generateSpanId(),
    },
  });
  const tracer = provider.getTracer("merkle", version);
  const hints = new Map<string, { readonly sequence: number; readonly at: Date }>();
  const unsubscribe = bus.on("feed", ({ session, sequence }) => {
    hints.delete(session);
    hints.set(session, { sequence, at: new Date() });
    const [oldest] = hints.size > hintsMax ? hints.keys() : [];
    if (oldest !== undefined) hints.delete(oldest);
  });

  function toAttributes(sessionId: string): Record<string, string> {
    return { "merkle.node": node, "merkle.session": sha256(sessionId, "hex").slice(0, 16) };
  }

  /** Starts a child of the message's first span, which may have been recorded on another node. */
  function startChildSpan(
    name: string,
    id: string,
    sessionId: string,
    startTime: Date,
    more: Record<string, string> = {},
  ) {
    const parent = { ...toSpanIds(id), traceFlags: api.TraceFlags.SAMPLED, isRemote: true };
    const context = api.trace.setSpanContext(api.ROOT_CONTEXT, parent);
    const attributes = { ...toAttributes(sessionId), ...more };
    return tracer.startSpan(name, { startTime, attributes }, context);
  }

  return {
    async post(row, posting) {
      root = toSpanIds(row.id);
      const first = tracer.startSpan("post", { root: true, attributes: toAttributes(row.session_id) });
      root = null;
      return endSpanAfter(first, posting);
    },
    async commit(rows, sending) {
      const at = new Date();
      const rowCount = String(rows.length);
      const spans = rows.map((row) =>
        startChildSpan("commit", row.id, row.session_id, at, { "merkle.batch": rowCount }),
      );
      try {
        return await sending;
      } finally {
        for (const each of spans) each.end();
      }
    },
    recordHints(posted) {
      if (bus.kind === "local") return;
      for (const { id, session_id } of posted)
        startChildSpan("hint", id, session_id, new Date(), { "merkle.bus": bus.kind }).end();
    },
    recordDelivery(sessionId, messages, path) {
      const hint = hints.get(sessionId);
      for (const { sequence, message } of messages) {
        const at =
          hint && sequence <= hint.sequence && sequence > hint.sequence - messages.length
            ? hint.at
            : new Date();
        startChildSpan("deliver", message.id, sessionId, at, { "merkle.path": path }).end();
      }
    },
    async stop() {
      unsubscribe();
      // An unavailable collector does not keep the node from stopping.
      await withTimeout(provider.shutdown(), flushMs, "none").catch(() => undefined);
    },
  };

  async function endSpanAfter<Result>(
    first: ReturnType<typeof tracer.startSpan>,
    work: Promise<Result>,
  ): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      first.setStatus({ code: api.SpanStatusCode.ERROR });
      throw error;
    } finally {
      first.end();
    }
  }
}

/** Returns the ids of a message's trace and of its first span. */
export function toSpanIds(messageId: string): { readonly traceId: string; readonly spanId: string } {
  return { traceId: messageId.replaceAll("-", ""), spanId: sha256(messageId, "hex").slice(0, 16) };
}

/** The package names are values instead of literal imports, so that bundlers do not include the packages. */
const packages = {
  api: "@opentelemetry/api",
  sdk: "@opentelemetry/sdk-trace",
  exporter: "@opentelemetry/exporter-trace-otlp-http",
} as const;

async function loadSdk() {
  try {
    const api: typeof import("@opentelemetry/api") = await import(packages.api);
    const sdk: typeof import("@opentelemetry/sdk-trace") = await import(packages.sdk);
    const exporter: typeof import("@opentelemetry/exporter-trace-otlp-http") = await import(
      packages.exporter
    );
    return { api, sdk, OTLPTraceExporter: exporter.OTLPTraceExporter };
  } catch (cause) {
    throw new StartError(
      "bad_setting",
      "MERKLE_TRACES_URL is set, but the OpenTelemetry SDK is not installed. Unset it, or run: npm install -g @opentelemetry/api@1 @opentelemetry/sdk-trace@2 @opentelemetry/exporter-trace-otlp-http@0.223",
      { cause },
    );
  }
}
