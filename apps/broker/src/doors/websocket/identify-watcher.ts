import { authorize } from "../../access/authorize.js";
import type { Services } from "../../context.js";

/**
 * Says which person watches the mesh; null for everybody else, who may watch it as they may read it.
 *
 * @throws unauthorized for a credential that proves nobody
 */
export async function identifyWatcher(
  { credentials }: Services,
  credential: string | undefined,
): Promise<string | null> {
  const caller = credential === undefined ? null : await credentials.verifyInMesh(credential);
  authorize({
    operation: { name: "watch_mesh", access: "reader", readOnly: true, afterClosing: "allowed" },
    session: null,
    caller,
    credentialGiven: credential !== undefined,
  });
  return caller?.person?.personId ?? null;
}
