import * as z from "zod";
import { Epoch, Uuid } from "../core/values.js";
import { joinLines } from "../text/neutralise.js";
import { operation } from "./core-operation.js";

export const getAppInfo = operation("get_app_info", {
  summary: "Read which broker this is: version, how agents connect, who may enter, and its limits.",
  // Not listed over stdio, because the agent's human has already chosen the broker.
  unlistedOverStdio: true,
  input: z.strictObject({}),
  output: z.object({
    name: z.literal("merkle"),
    version: z.string(),
    build: z.int(),
    protocol: z.int(),
    epoch: Epoch,
    broker_id: Uuid,
    mesh: z.string(),
    mesh_id: Uuid,
    auth: z.enum(["open", "invite"]),
    base_url: z.string(),
    mcp_url: z.string(),
    websocket_url: z.string(),
    instructions_url: z.string(),
    // SHA-256 of the public key in the broker's TLS certificate, for `curl --pinnedpubkey`. Null if a public
    // authority signed the certificate.
    key_pin: z.string().nullable(),
    toolsets: z.array(z.string()),
    limits: z.record(z.string(), z.number()),
  }),
  errors: [],
  compact: (app) =>
    joinLines(
      `merkle ${app.version} (build ${app.build}), mesh ${app.mesh}, ${app.auth}`,
      `MCP ${app.mcp_url}`,
      `instructions ${app.instructions_url}`,
    ),
});
