import * as z from "zod";
import { SessionRef, TeamCredential } from "../core/values.js";
import type { AccessRule } from "../operations/operation.js";

/** Something that a client can ask for beside the operations: a frame of the WebSocket, a method of MCP, a page of numbers. */
export type FrameRule = AccessRule & { readonly transport: "websocket" | "mcp" | "http" };

const nothing = z.object({});
const ofSession = z.object({ session_id: SessionRef, team_id: TeamCredential.optional() });
const looks = { readOnly: true, afterClosing: "allowed", rate: "read" } as const;

/**
 * The rules for frames and requests that are no operations, in the terms of the operations, so that one function admits both
 * (AUTH-12). `ping` and `cancel` concern nothing but their own connection, and `nudged` answers what the broker drew for it.
 */
export const frameRules = {
  /** Once its proof holds; who proves nobody is refused before. */
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
  /** It makes an MCP session, which is kept. */
  initialize: {
    ...looks,
    name: "initialize",
    transport: "mcp",
    access: "open",
    rate: "create",
    forOnlookers: true,
    input: nothing,
  },
  /** Whatever else is sent or listened to over MCP; calls of tools are operations. */
  mcp: { ...looks, name: "MCP", transport: "mcp", access: "open", forOnlookers: true, input: nothing },
  /** Its numbers are of all meshes together, so that it is for admins of the main one. */
  metrics: { ...looks, name: "/metrics", transport: "http", access: "admin", input: nothing },
} as const satisfies Readonly<Record<string, FrameRule>>;
