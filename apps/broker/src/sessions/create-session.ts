import { randomUUID } from "node:crypto";
import { insertPeer, insertSession, insertTeam } from "@merkle/db";
import { sessionSettingsDefault } from "@merkle/wire";
import { makeCredential } from "../access/credentials.js";
import type { Context, OutputOf, ParsedInputOf } from "../context.js";
import { takeSlug } from "./slug.js";

/** Makes a session with its convener in it. It posts no event: the feed begins empty (SES-1). */
export async function createSession(
  ctx: Context,
  input: ParsedInputOf<"create_session">,
): Promise<OutputOf<"create_session">> {
  const { meshId } = ctx.services.database;
  return ctx.write(async ({ tx }) => {
    const sessionId = randomUUID();
    const teamId = randomUUID();
    const at = new Date();
    const { credential, secretHash } = makeCredential(teamId);
    const { title, description } = input;
    const slug = await takeSlug(tx, { meshId, sessionId, title, wanted: input.slug });
    await insertSession(tx, {
      sessionId,
      meshId,
      slug,
      title,
      description,
      createdByTeamId: teamId,
      settings: { ...sessionSettingsDefault, ...input.settings },
      at,
    });
    await insertTeam(tx, { sessionId, teamId, name: input.creator_team_name, secretHash, joinedAt: at });
    await insertPeer(tx, { sessionId, teamId, peerId: randomUUID(), cursor: 0, documentVersion: 0 });
    return { session_id: sessionId, slug, team_id: credential, cursor: 0, title, description };
  });
}
