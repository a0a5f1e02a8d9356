import * as z from "zod";
import { SessionRef, TeamCredential } from "../core/values.js";
import type { AccessRule } from "../operations/operation.js";

/**
 * The access rules of a request that is not an operation: a WebSocket frame, an MCP method or the metrics
 * page.
 */
export type FrameRule = AccessRule & { readonly transport: "websocket" | "mcp" | "http" };

const noInput = z.object({});
const ofSession = z.object({ session_id: SessionRef, team_id: TeamCredential.optional() });
const readOnlyRule = { readOnly: true, afterClosing: "allowed", rate: "read" } as const;

/**
 * Access rules for frames and other requests that are not operations. They have the same form as the rules of
 * operations, so that one function admits both (AUTH-12). `ping`, `cancel` and `nudged` need no rules: the
 * first two affect only their own connection, and `nudged` answers a request from the broker.
 */
export const frameRules = {
  /** Checked after the client's proof, so a client without a valid proof has already been refused. */
  hello: { ...readOnlyRule, name: "hello", transport: "websocket", access: "public", input: noInput },
  follow: { ...readOnlyRule, name: "subscribe", transport: "websocket", access: "reader", input: ofSession },
  inbox: { ...readOnlyRule, name: "subscribe", transport: "websocket", access: "team", input: ofSession },
  unsubscribe: {
    ...readOnlyRule,
    name: "unsubscribe",
    transport: "websocket",
    access: "reader",
    whileArchived: true,
    input: z.object({ session_id: SessionRef }),
  },
  watch_mesh: {
    ...readOnlyRule,
    name: "watch_mesh",
    transport: "websocket",
    access: "reader",
    input: z.object({ team_id: TeamCredential.optional() }),
  },
  unwatch_mesh: {
    ...readOnlyRule,
    name: "unwatch_mesh",
    transport: "websocket",
    access: "reader",
    input: noInput,
  },
  /** `initialize` creates an MCP session, which the broker stores. */
  initialize: {
    ...readOnlyRule,
    name: "initialize",
    transport: "mcp",
    access: "open",
    rate: "create",
    forObservers: true,
    input: noInput,
  },
  /** All other MCP requests and streams, except tool calls, which are operations. */
  mcp: { ...readOnlyRule, name: "MCP", transport: "mcp", access: "open", forObservers: true, input: noInput },
  /** The metrics cover all meshes, so only admins of the main mesh may read them. */
  metrics: { ...readOnlyRule, name: "/metrics", transport: "http", access: "admin", input: noInput },
} as const satisfies Readonly<Record<string, FrameRule>>;
