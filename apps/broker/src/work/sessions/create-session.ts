import { randomUUID } from "node:crypto";
import { insertMemory, insertPeer, insertSession, insertTeam, type NewTeam } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { makeCredential } from "../../identity/credential.js";
import { ownerOf } from "../../identity/principal.js";
import { toMemoryId } from "../../memory/memory-output.js";
import type { Context } from "../../sessions/context.js";
import { refuseSecondSession } from "../../sessions/roster/refuse-second-session.js";
import { toSessionSettings } from "../../sessions/session-settings.js";
import { takeSlug } from "../../sessions/slug.js";
import type { TopicServices } from "../topics/services.js";
import { readPredecessor, withNote } from "./read-predecessor.js";

/** Makes a session with its convener in it, a person perhaps. It posts no event: the feed begins empty (SES-1). */
export async function createSession(
  ctx: Context<TopicServices>,
  input: ParsedInputOf<"create_session">,
): Promise<OutputOf<"create_session">> {
  const { database, mesh } = ctx.services;
  const { meshId } = database;
  const predecessor =
    input.from_session === undefined ? null : await readPredecessor(ctx.services, input.from_session);
  const { title } = input;
  const description = predecessor ? withNote(input.description, predecessor.note) : input.description;
  return ctx.write(async (write) => {
    const { tx, afterCommit } = write;
    await refuseSecondSession(ctx, write, null);
    const sessionId = randomUUID();
    const teamId = randomUUID();
    const at = new Date();
    const { name, provedBy, credential } = nameConvener(ctx, input, teamId);
    const settings = toSessionSettings(input.settings);
    const slug = await takeSlug(tx, { meshId, sessionId, title, wanted: input.slug });
    await insertSession(tx, {
      sessionId,
      meshId,
      slug,
      title,
      description,
      createdByTeamId: teamId,
      settings,
      messageBudget: settings.message_budget,
      at,
    });
    const memberId = ownerOf(ctx.principal);
    await insertTeam(tx, { sessionId, teamId, name, provedBy, memberId, joinedAt: at });
    await insertPeer(tx, { sessionId, teamId, peerId: randomUUID(), cursor: 0, documentVersion: 0 });
    afterCommit(() => mesh.announce("sessions", sessionId));
    await ctx.givenOut(tx, sessionId, credential);
    const made = { session_id: sessionId, slug, team_id: credential, cursor: 0, title, description };
    if (!predecessor) return made;
    const memory = {
      meshId,
      sessionId,
      content: predecessor.memory,
      tags: ["conclusion"],
      rememberedBy: name,
    };
    const number = await insertMemory(tx, { ...memory, rememberedAt: at });
    afterCommit(() => mesh.announce("memory", null));
    return { ...made, memory_id: toMemoryId(number) };
  });
}

function nameConvener(
  { person }: Context<TopicServices>,
  { creator_team_name: name }: ParsedInputOf<"create_session">,
  teamId: string,
): Pick<NewTeam, "name" | "provedBy"> & { credential: string } {
  if (person) {
    const { personId, name, credential, verified } = person;
    return { name, provedBy: { personId, verified }, credential };
  }
  if (name === undefined) throw nameMissing();
  const { credential, secretHash } = makeCredential(teamId);
  return { name, provedBy: { secretHash }, credential };
}

function nameMissing(): MerkleError {
  const problem = "missing: your team's name, which only a person's credential can stand for";
  return new MerkleError("bad_request", `create_session cannot take this: creator_team_name: ${problem}.`, {
    fields: [{ field: "creator_team_name", problem }],
  });
}
