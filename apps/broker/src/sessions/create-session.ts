import { randomUUID } from "node:crypto";
import { findSession, insertPeer, insertSession, insertTeam, type NewTeam, readDocument } from "@merkle/db";
import { formatSealSummary, MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { inputRefused } from "@merkle/wire/schemas";
import { makeCredential } from "../identity/credential.js";
import { findOwnerId } from "../identity/principal.js";
import { requireSession } from "../identity/session-directory.js";
import type { Context, SessionServices } from "./context.js";
import { type Predecessor, readFeatureFacts } from "./hooks.js";
import { refuseSecondSession } from "./roster/refuse-second-session.js";
import { toSessionSettings } from "./session-settings.js";
import { takeSlug } from "./slug.js";

/** Creates a session with its convener, which may be a person. Posts no event: the feed starts empty (SES-1). */
export async function createSession(
  ctx: Context<SessionServices>,
  input: ParsedInputOf<"create_session">,
): Promise<OutputOf<"create_session">> {
  const { database, mesh, quotas, hooks } = ctx.services;
  const { meshId } = database;
  const predecessor =
    input.from_session === undefined ? null : await readPredecessor(ctx.services, input.from_session);
  const { title } = input;
  const description = predecessor ? withNote(input.description, predecessor.note) : input.description;
  return ctx.write(async (write) => {
    const { tx, afterCommit } = write;
    await refuseSecondSession(ctx, write, null);
    await quotas.requireRoom(meshId, ["sessions"]);
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
    const memberId = findOwnerId(ctx.principal);
    await insertTeam(tx, { sessionId, teamId, name, provedBy, memberId, joinedAt: at });
    await insertPeer(tx, { sessionId, teamId, peerId: randomUUID(), cursor: 0, documentVersion: 0 });
    afterCommit(() => {
      quotas.add(meshId, "sessions", 1);
      mesh.announce("sessions", sessionId);
    });
    await ctx.storeIssuedCredential(tx, sessionId, credential);
    const reply = { session_id: sessionId, slug, team_id: credential, cursor: 0, title, description };
    const created = { sessionId, by: name, at, predecessor };
    for (const onCreate of hooks.onCreateSession)
      Object.assign(reply, await onCreate(ctx.services, write, created));
    return reply;
  });
}

function nameConvener(
  { person }: Context<SessionServices>,
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
  const problem = "is missing; expected your team's name, or a person's credential instead";
  return inputRefused([{ field: "creator_team_name", problem }]);
}

/**
 * Reads the conclusion of the session that the new session continues, and the note to add to the new
 * session's description (SES-30).
 *
 * @throws not_found; conflict if that session is not concluded
 */
async function readPredecessor(
  services: SessionServices,
  ref: string,
): Promise<Predecessor & { readonly note: string }> {
  const { orm, meshId } = services.database;
  const { sessionId, slug } = await requireSession(services, ref);
  const [session, document, { seal }] = await Promise.all([
    findSession(orm, meshId, sessionId),
    readDocument(orm, sessionId),
    readFeatureFacts(services, sessionId),
  ]);
  if (!session || document?.conclusion == null) throw notConcluded(slug);
  const name = `"${session.title}" (${slug})`;
  const source = [
    seal && `Sealed ${seal.at}: ${seal.size} messages, root ${seal.root}. Check it: merkle verify ${slug}`,
    `Full session: ${services.addresses.getBaseUrl()}/sessions/${slug}`,
  ];
  return {
    name,
    conclusion: document.conclusion.trim(),
    source: source.filter(Boolean).join("\n"),
    note: `Continues ${name}${seal ? `, ${formatSealSummary(seal)}` : ""}. Its conclusion is the first memory here.`,
  };
}

/** Appends to a description the note that names the earlier session. */
function withNote(description: string, note: string): string {
  const text = description === "" ? note : `${description}\n\n${note}`;
  if (text.length <= limits.descriptionCharsMax) return text;
  const max = limits.descriptionCharsMax - note.length - 2;
  const problem = `must have at most ${max} characters here, because a note about the earlier session is added; got ${description.length}`;
  throw inputRefused([{ field: "description", problem }]);
}

function notConcluded(slug: string): MerkleError {
  return new MerkleError(
    "conflict",
    `The session "${slug}" is not concluded, so there is no conclusion to continue from. Join it, or conclude it first.`,
    { session: slug, next: "join_session" },
  );
}
