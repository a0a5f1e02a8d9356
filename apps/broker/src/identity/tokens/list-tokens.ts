import { listTokenRows } from "@merkle/db";
import { limits, type OutputOf } from "@merkle/wire";
import type { Context, IdentityServices } from "../context.js";
import { onlyOf } from "../require-member.js";
import { toToken } from "./token-output.js";

/** Lists tokens in force, the newest first: all of the mesh to an admin or where everybody is let in, else one's own (TOKEN-6). */
export async function listTokens(ctx: Context<IdentityServices>): Promise<OutputOf<"list_tokens">> {
  const { database } = ctx.services;
  const rows = await listTokenRows(database.orm, database.meshId, {
    memberId: onlyOf(ctx.principal),
    limit: limits.tokensListedMax,
  });
  return { tokens: rows.flatMap((row) => toToken(row) ?? []) };
}
