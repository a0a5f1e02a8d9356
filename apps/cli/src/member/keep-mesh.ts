import type { OutputOf } from "@merkle/wire";
import type { ReachableAddress } from "../broker/broker-client.js";
import type { Config } from "../config.js";
import { keepMember, listMembers } from "../identity/members.js";
import { requireKnown } from "../trust/require-known.js";
import { chooseMember } from "./choose-member.js";

/** Who made a mesh is an admin there by the same key, which this home keeps. */
export async function keepMesh(
  { mesh_id, name, member_id }: OutputOf<"create_mesh">,
  { address, config }: { readonly address: ReachableAddress; readonly config: Pick<Config, "home" | "mesh"> },
): Promise<void> {
  if (member_id === null) return;
  const members = await listMembers(config.home);
  const maker = chooseMember(members, { broker: { url: address.base }, mesh: config.mesh });
  if (!maker) return;
  await requireKnown({ mesh_id, broker_id: maker.broker_id }, { ...address, home: config.home });
  await keepMember(config.home, {
    ...maker,
    mesh_id,
    mesh: name,
    member_id,
    role: "admin",
    joined_at: new Date().toISOString(),
    token: null,
  });
}
