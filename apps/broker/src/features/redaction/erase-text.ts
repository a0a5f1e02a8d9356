import type { PersonText } from "@merkle/db";
import type { SessionContext } from "../../sessions/context.js";
import type { SealServices } from "../seal/feature.js";
import { redactOne } from "./redact-message.js";
import { redactVersions } from "./redact-versions.js";
import type { Remover } from "./remover.js";

/**
 * Redacts text that belongs to a person who is being erased. Works like `redact_message`, so every proof stays
 * valid (PERSON-14).
 */
export async function eraseText(
  ctx: SessionContext<SealServices>,
  eraser: string,
  { sequence, version }: PersonText,
): Promise<void> {
  const remover: Remover = { name: eraser, peerId: null, onlyTeamId: null };
  if (sequence !== null) await redactOne(ctx, remover, { sequence, reason: null });
  else if (version !== null)
    await redactVersions(ctx, remover, { range: { from: version, to: version }, reason: null });
}
