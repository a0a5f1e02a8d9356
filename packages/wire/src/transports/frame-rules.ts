import * as z from "zod";
import { SessionRef, TeamCredential } from "../core/values.js";
import type { AccessRule } from "../operations/operation.js";

/** A request that is not an operation: a WebSocket frame, an MCP method or the metrics page. */
export type FrameRule = AccessRule & { readonly transport: "websocket" | "mcp" | "http" };

const nothing = z.object({});
const ofSession = z.object({ session_id: SessionRef, team_id: TeamCredential.optional() });
const looks = { readOnly: true, afterClosing: "allowed", rate: "read" } as const;

/**
 * Access rules for frames and requests that are not operations, in the same terms as operations, so that one
 * function admits both (AUTH-12). `ping` and `cancel` affect only their own connection, and `nudged` answers
 * a request by the broker.
 */
export const frameRules = {
  /** Checked after the proof. A client without a valid proof has been refused by then. */
  hello: { ...looks, name: "hello", transport: "websocket", access: "public", input: nothing },
  follow: { ...looks, name: "subscribe", transport: "websocket", access: "reader", input: ofSession },
  inbox: { ...looks, name: "subscribe", transport: "websocket", access: "team", input: ofSession },
  unsubscribe: {
    ...looks,
    name: "unsubscribe",
    transport: "websocket",
    access: "reader",
    whileArchived: true,
    input: z.object({ session_id: SessionRef }),
  },
  watch_mesh: {
    ...looks,
    name: "watch_mesh",
    transport: "websocket",
    access: "reader",
    input: z.object({ team_id: TeamCredential.optional() }),
  },
  unwatch_mesh: { ...looks, name: "unwatch_mesh", transport: "websocket", access: "reader", input: nothing },
  /** Creates an MCP session, which is stored. */
  initialize: {
    ...looks,
    name: "initialize",
    transport: "mcp",
    access: "open",
    rate: "create",
    forOnlookers: true,
    input: nothing,
  },
  /** All other MCP requests and streams. Tool calls are operations. */
  mcp: { ...looks, name: "MCP", transport: "mcp", access: "open", forOnlookers: true, input: nothing },
  /** The metrics cover all meshes, so they are for admins of the main mesh. */
  metrics: { ...looks, name: "/metrics", transport: "http", access: "admin", input: nothing },
} as const satisfies Readonly<Record<string, FrameRule>>;
