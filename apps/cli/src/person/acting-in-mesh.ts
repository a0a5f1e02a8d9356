import { type Acting, type Actor, actingAsPerson, actingIn } from "../identity/acting.js";
import { getSession } from "../sessions/find-session.js";

/** Who writes what belongs to the mesh: in the shell of a launched agent its place, anywhere else the person of this home. */
export async function actingInMesh(acting: Acting): Promise<Actor> {
  const { session, team } = acting.config;
  if (session === undefined || team === undefined) return actingAsPerson(acting);
  return actingIn(await getSession(acting.broker, undefined, acting.config), acting);
}
