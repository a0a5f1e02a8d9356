import { type BrokerClient, createBrokerClient } from "./broker-client.js";
import { toReach } from "./reach.js";

/** The mesh in which the demo's room is. */
const demoMesh = "demo";

/** The slug of the open session in a broker's demo mesh; undefined where there is none, or this user may not see it. */
export async function findDemoRoom(
  { address }: Pick<BrokerClient, "address">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { reach } = address;
  // If the caller named a mesh, look in no other.
  if (!reach || reach.mesh !== undefined) return undefined;
  const inDemo = { ...toReach(reach), mesh: demoMesh, token: undefined };
  try {
    const page = await createBrokerClient({ ...address, reach: inDemo }, signal).call("list_sessions", {
      status: "open",
      limit: 1,
    });
    return page.sessions[0]?.slug;
  } catch {
    // No such mesh.
    return undefined;
  }
}

/** Names the demo's room, with the command that shows it. */
export function describeDemoRoom(slug: string): string {
  return `the demo's session is still open: merkle tail ${slug} --mesh ${demoMesh}`;
}
