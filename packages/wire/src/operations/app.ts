import * as z from "zod";
import { lines } from "../compact.js";
import { operation } from "../operation.js";
import { Epoch, jobKinds, Uuid } from "../values.js";

export const getAppInfo = operation({
  name: "get_app_info",
  toolset: "core",
  summary: "Read which broker this is: version, how agents connect, who may enter, and its limits.",
  access: "open",
  route: "GET /api/app-info",
  input: z.strictObject({}),
  output: z.object({
    name: z.literal("merkle"),
    version: z.string(),
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
    toolsets: z.array(z.string()),
    limits: z.record(z.string(), z.number()),
  }),
  errors: [],
  kind: "call",
  readOnly: true,
  afterClosing: "allowed",
  rate: "read",
  forJobs: jobKinds,
  forOnlookers: true,
  compact: (app) =>
    lines(
      `merkle ${app.version}, mesh ${app.mesh}, ${app.auth}`,
      `MCP ${app.mcp_url}`,
      `instructions ${app.instructions_url}`,
    ),
});
