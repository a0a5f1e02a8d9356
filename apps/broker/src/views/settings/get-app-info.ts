import { buildNumber, type OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { operations, protocolVersion } from "@merkle/wire/schemas";
import type { Context } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";

export async function getAppInfo({ services }: Context<ViewServices>): Promise<OutputOf<"get_app_info">> {
  const { addresses, database, meshName, version } = services;
  return {
    name: "merkle",
    version,
    build: buildNumber,
    protocol: protocolVersion,
    epoch: database.epoch,
    broker_id: database.brokerId,
    mesh: meshName,
    mesh_id: database.meshId,
    auth: services.auth,
    base_url: addresses.getBaseUrl(),
    mcp_url: addresses.getMcpUrl(),
    websocket_url: addresses.getWebSocketUrl(),
    instructions_url: `${addresses.getBaseUrl()}/agents.md`,
    key_pin: addresses.findKeyPin(),
    toolsets: [...new Set(operations.map((each) => each.toolset))],
    limits: { ...limits },
  };
}
