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
    base_url: addresses.base(),
    mcp_url: addresses.mcp(),
    websocket_url: addresses.webSocket(),
    instructions_url: `${addresses.base()}/agents.md`,
    key_pin: addresses.keyPin(),
    toolsets: [...new Set(operations.map((each) => each.toolset))],
    limits: { ...limits },
  };
}
