import { findMesh, mergeMeshQuotas } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { retryWhileLost } from "../core/retry-while-lost.js";
import type { IdentityContext, IdentityServices } from "./context.js";
import { quotaKinds } from "./limits/quotas.js";
import { requireMainMesh } from "./require-main-mesh.js";

/**
 * Sets the quotas of a mesh. Existing data is kept, even if it exceeds a new limit (QUOTA-1).
 *
 * @throws forbidden in any mesh other than the main mesh, if the broker admits only members
 */
export async function setQuotas(
  ctx: IdentityContext<IdentityServices>,
  { mesh: name, ...given }: ParsedInputOf<"set_quotas">,
): Promise<OutputOf<"set_quotas">> {
  const { bus, database, log, meshChannels, quotas } = ctx.services;
  requireMainMesh(ctx.services, "set_quotas");
  const mesh = await findMesh(database.orm, { name });
  if (!mesh) throw new MerkleError("not_found", `There is no mesh ${JSON.stringify(name)} on this broker.`);
  const bounds = quotaKinds.flatMap((kind) =>
    given[kind] === undefined ? [] : [[kind, given[kind] || null]],
  );
  const hasBytes = quotas.list(mesh.meshId).some(({ kind }) => kind === "bytes");
  if (given.bytes ?? hasBytes) await quotas.countBytes(mesh.meshId);
  const reply = await ctx.write(async ({ tx }) => {
    const stored = await mergeMeshQuotas(tx, mesh.meshId, Object.fromEntries(bounds));
    return { mesh: mesh.name, quotas: await quotas.count(tx, mesh.meshId, stored) };
  });
  // The quotas are already stored, so a failure from here on must not fail the call.
  await retryWhileLost(quotas.measure).catch((error: unknown) =>
    log.warn("quotas were changed and not measured; that is tried again within 30 s", { error }),
  );
  bus.publish("settings", {});
  meshChannels.announceEverywhere("attention");
  return reply;
}
