import { randomUUID } from "node:crypto";
import { insertMesh, lockDemoRoom } from "@merkle/db";
import { createCall } from "../../transports/call-inside.js";
import type { Meshes, Services } from "../../transports/services.js";
import { type DemoMesh, demoMeshName } from "./demo-rooms.js";

/** Opens the demo mesh, creating it on first use, with access for any caller. */
export async function enterDemo(meshes: Meshes): Promise<DemoMesh> {
  const services = (await meshes.find(demoMeshName)) ?? (await createDemoMesh(meshes));
  const hasOtherNodes = services.nodes.others.size > 0;
  return {
    call: createCall(services),
    hasOtherNodes,
    runAlone: (work) =>
      services.database.transaction(async (tx) => {
        await lockDemoRoom(tx);
        return work();
      }),
    // This node does not know about readers on other nodes, so it assumes that each session has some.
    isWatched: (sessionId) => hasOtherNodes || (services.channels.find(sessionId)?.readers ?? 0) > 0,
  };
}

async function createDemoMesh({ main, find }: Meshes): Promise<Services> {
  const { database, seedMesh: furnishMesh } = main;
  await database.transaction(async (tx) => {
    const meshId = randomUUID();
    // Another node may have created the mesh first.
    if (await insertMesh(tx, { meshId, name: demoMeshName, createdAt: new Date() }))
      await furnishMesh(tx, meshId);
  });
  const mesh = await find(demoMeshName);
  if (!mesh) throw new TypeError("The mesh that was just created was not found.");
  return mesh;
}
