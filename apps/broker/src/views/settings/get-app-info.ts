import { limits, operations, protocolVersion } from "@merkle/wire";
import type { Context, OutputOf } from "../../context.js";

export async function getAppInfo({ services }: Context): Promise<OutputOf<"get_app_info">> {
  const { addresses, database, meshName, version } = services;
  return {
    name: "merkle",
    version,
    protocol: protocolVersion,
    epoch: database.epoch,
    broker_id: database.brokerId,
    mesh: meshName,
    mesh_id: database.meshId,
    auth: services.entrance().auth,
    base_url: addresses.base(),
    mcp_url: addresses.mcp(),
    websocket_url: addresses.webSocket(),
    instructions_url: `${addresses.base()}/agents.md`,
    toolsets: [...new Set(operations.map((each) => each.toolset))],
    limits: { ...limits },
  };
}
