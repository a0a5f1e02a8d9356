import {
  type ApprovalRow,
  countWaitingApprovals,
  type DeviceOwner,
  findApproval,
  findDeviceOwners,
  insertApproval,
  lockRepeatedApproval,
  renewApproval,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { hashApproval, hashRepeatedCommand } from "@merkle/wire/identity";
import { limits } from "@merkle/wire/limits";
import { OwnSignature } from "@merkle/wire/schemas";
import { findRepeatableCommand } from "@merkle/wire/text";
import { sha256 } from "../../core/sha256.js";
import type { TeamContext } from "../../sessions/context.js";
import { formatAuthorName } from "../../sessions/roster/author.js";
import { type ApprovalServices, noSuchApproval, settleApproval, toApprovalState } from "./approval.js";

/**
 * Asks the agent's own person for a permission. The person can answer from the devices named when the agent
 * was launched (APPROVE-1). A command that the person has allowed for the agent's launch is allowed at once (APPROVE-17).
 */
export async function askApproval(
  ctx: TeamContext<ApprovalServices>,
  { devices, tool, input, folder, salt, launch }: ParsedInputOf<"ask_approval">,
): Promise<OutputOf<"ask_approval">> {
  const { services, session, team } = ctx;
  const { meshId, orm } = services.database;
  const { sessionId } = session;
  const owner = findOwner(ctx, devices, await findDeviceOwners(orm, meshId, devices));
  const { peerId } = team.peer;
  const hash = hashApproval({ tool, input, folder, salt }, sha256);
  const { personId } = owner;
  const command = launch === undefined ? null : findRepeatableCommand(input);
  const repeatHash =
    launch === undefined || command === null
      ? null
      : hashRepeatedCommand({ launch, tool, command, folder }, sha256);
  return ctx.write(async (write) => {
    const { tx, afterCommit } = write;
    const askedBy = formatAuthorName(team);
    const inserted = await insertApproval(tx, {
      ...{ meshId, sessionId, peerId, personId, askedBy, tool, input, folder, salt, hash, repeatHash },
      devices: [...devices],
      leaseSeconds: limits.approvalLeaseSeconds,
    });
    if (!inserted)
      throw new MerkleError("conflict", "The salt was used before. Use a new random salt for each approval.");
    const { number, expiresAt } = inserted;
    // Approval numbers are assigned one after another, so this count includes all of the peer's earlier
    // approvals.
    if ((await countWaitingApprovals(tx, { sessionId, peerId })) > limits.approvalsWaitingPerPeerMax)
      throw tooMany();
    const allowedBy =
      repeatHash === null
        ? null
        : await lockRepeatedApproval(tx, {
            ...{ sessionId, peerId, personId, repeatHash },
            hours: limits.approvalAgainHours,
          });
    if (allowedBy === null) afterCommit(() => services.mesh.announceToPerson(personId, sessionId));
    else
      await settleApproval(
        services,
        write,
        { meshId, number, askedBy, tool, hash, sessionId, personId },
        { state: "allowed", by: owner.name, allowedBy },
      );
    return { approval: number, hash, person: owner.name, expires_at: expiresAt.toISOString() };
  });
}

/**
 * Returns the verified person who owns all the named devices. In invite mode, the owner must be the agent's
 * own person (APPROVE-3).
 *
 * @throws not_found or forbidden
 */
function findOwner(
  { team, person }: TeamContext<ApprovalServices>,
  devices: readonly string[],
  owners: readonly DeviceOwner[],
): DeviceOwner {
  if (person) throw new MerkleError("forbidden", "Only agents can ask for approval, but this is a person.");
  const unknownDevice = devices.find((device) => !owners.some((owner) => owner.device === device));
  const [owner] = owners;
  if (unknownDevice !== undefined || !owner)
    throw new MerkleError(
      "not_found",
      `No person in this mesh has the device ${unknownDevice}. Copy the device's ID from the Approvals page and set it with merkle config set approvers.`,
    );
  const isOwn = team.memberId === null || owner.memberId === team.memberId;
  if (!isOwn || owners.some(({ personId }) => personId !== owner.personId))
    throw new MerkleError(
      "forbidden",
      "An agent can ask only its own person for approval, but these devices belong to someone else.",
    );
  if (owner.verified) return owner;
  throw new MerkleError(
    "forbidden",
    `${owner.name} is a guest, and guests cannot answer approvals. Ask them to verify themselves.`,
    {
      needs: "verification",
    },
  );
}

/**
 * Waits until the caller's approval is answered, and renews its lease while waiting. Every answer posts an
 * event to the session's feed, which wakes this wait on any node.
 */
export async function waitForApproval(
  ctx: TeamContext<ApprovalServices>,
  { approval, timeout }: ParsedInputOf<"wait_for_approval">,
): Promise<OutputOf<"wait_for_approval">> {
  const { services, session, signal } = ctx;
  const channel = await services.channels.open(session.sessionId);
  const wake = services.waitSignals.open({ timeoutMs: 1_000 * timeout, signal });
  const detach = channel.attach({ wake: wake.ring });
  try {
    const key = await requireOwn(ctx, approval);
    await renewApproval(services.database.orm, key, limits.approvalLeaseSeconds);
    for (;;) {
      const row = await requireOwn(ctx, approval);
      const { words, answers, hash } = row;
      const own = OwnSignature.safeParse(row.own).data ?? null;
      const current = { state: toApprovalState(row), words, answers, own, hash };
      if (current.state !== "waiting") return current;
      ctx.notifyBlocked();
      if ((await wake.wait()) === "expired") return current;
    }
  } finally {
    detach();
    wake.stop();
  }
}

/**
 * Withdraws the caller's request for approval, because the question was answered in the client's own prompt. An
 * approval that has already ended stays unchanged.
 */
export async function withdrawApproval(
  ctx: TeamContext<ApprovalServices>,
  { approval }: ParsedInputOf<"withdraw_approval">,
): Promise<OutputOf<"withdraw_approval">> {
  const row = await requireOwn(ctx, approval);
  return ctx.write(async (write) => {
    if (await settleApproval(ctx.services, write, row, { state: "withdrawn", by: null }))
      return { state: "withdrawn" as const };
    return { state: toApprovalState(await requireOwn(ctx, approval)) };
  });
}

/** @throws not_found unless the approval belongs to the calling peer */
async function requireOwn(
  { services, session, team }: TeamContext<ApprovalServices>,
  number: number,
): Promise<ApprovalRow> {
  const { orm, meshId } = services.database;
  const row = await findApproval(orm, { meshId, number });
  if (row?.sessionId === session.sessionId && row.peerId === team.peer.peerId) return row;
  throw noSuchApproval({ number });
}

function tooMany(): MerkleError {
  return new MerkleError(
    "conflict",
    `This agent is already waiting for ${limits.approvalsWaitingPerPeerMax} approvals, which is the limit. Ask at the agent's terminal.`,
  );
}
