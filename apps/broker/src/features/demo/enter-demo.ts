import { randomUUID } from "node:crypto";
import { insertMesh } from "@merkle/db";
import { createCall } from "../../transports/call-inside.js";
import type { Meshes, Services } from "../../transports/services.js";
import { type DemoRoomsOptions, demoMeshName } from "./demo-rooms.js";

/** Opens the demo mesh, creating it on first use, with access for any caller. */
export async function enterDemo(meshes: Meshes): Promise<Awaited<ReturnType<DemoRoomsOptions["enter"]>>> {
  const services = (await meshes.find(demoMeshName)) ?? (await makeDemoMesh(meshes));
  return {
    call: createCall(services),
    // This node does not know about readers on other nodes, so it assumes that each session has some.
    isLookedAt: (sessionId) =>
      (services.channels.find(sessionId)?.readers ?? 0) > 0 || services.nodes.others.size > 0,
  };
}

async function makeDemoMesh({ main, find }: Meshes): Promise<Services> {
  const { database, furnishMesh } = main;
  await database.transaction(async (tx) => {
    const meshId = randomUUID();
    // Another node may have created the mesh first.
    if (await insertMesh(tx, { meshId, name: demoMeshName, createdAt: new Date() }))
      await furnishMesh(tx, meshId);
  });
  const made = await find(demoMeshName);
  if (!made) throw new TypeError("The mesh that was just created was not found.");
  return made;
}
