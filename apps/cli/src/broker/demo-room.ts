import { type BrokerClient, createBrokerClient } from "./broker-client.js";
import { toReach } from "./reach.js";

/** The name of the mesh that contains the demo's session. */
const demoMesh = "demo";

/**
 * Returns the slug of the open session in the broker's demo mesh. Undefined if there is no such session, or
 * if this user has no access to it.
 */
export async function findDemoSession(
  { address }: Pick<BrokerClient, "address">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { reach } = address;
  // If the user named a mesh, do not search the demo mesh.
  if (!reach || reach.mesh !== undefined) return undefined;
  const demoReach = { ...toReach(reach), mesh: demoMesh, token: undefined };
  try {
    const page = await createBrokerClient({ ...address, reach: demoReach }, signal).call("list_sessions", {
      status: "open",
      limit: 1,
    });
    return page.sessions[0]?.slug;
  } catch {
    // The broker has no demo mesh.
    return undefined;
  }
}

/** Returns a sentence about the demo's open session with the command that shows it. */
export function describeDemoSession(slug: string): string {
  return `the demo's session is still open: merkle tail ${slug} --mesh ${demoMesh}`;
}
