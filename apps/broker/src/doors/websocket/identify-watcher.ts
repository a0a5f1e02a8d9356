import { authorize } from "../../access/authorize.js";
import type { Admission } from "../../identity/entrance.js";

/**
 * Says which person watches the mesh; null for everybody else, who may watch it as they may read it.
 *
 * @throws unauthorized for a credential that proves nobody
 */
export async function identifyWatcher(
  { principal, services }: Admission,
  credential: string | undefined,
): Promise<string | null> {
  const caller = credential === undefined ? null : await services.credentials.verifyInMesh(credential);
  authorize({
    operation: { name: "watch_mesh", access: "reader", readOnly: true, afterClosing: "allowed" },
    principal,
    session: null,
    caller,
    credentialGiven: credential !== undefined,
  });
  return caller?.person?.personId ?? null;
}
