import { randomUUID } from "node:crypto";
import {
  type AlertTargetFacts,
  deleteAlertTarget,
  listAlertTargets,
  lockPerson,
  type PersonKey,
  saveAlertTarget,
  syncAlerts,
} from "@merkle/db";
import {
  type AlertKind,
  type AlertTarget,
  type AlertTo,
  alertReasons,
  MerkleError,
  type OutputOf,
  type ParsedInputOf,
} from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { InnerAddressError } from "../../core/inner-addresses.js";
import type { PersonContext } from "../../sessions/context.js";
import type { ViewServices } from "../../views/services.js";
import { UnreachableError } from "../../views/settings/ask-address.js";
import { readAlertItems, selectAlerts } from "./alert-items.js";
import { decryptTarget, encryptTarget, refuseAddress, sendAlert, toAddress } from "./send-alert.js";

type Ctx = PersonContext<ViewServices>;

/** Lists the caller's targets without their secrets (ALERT-7). */
export async function listTargets(ctx: Ctx): Promise<OutputOf<"list_alert_targets">> {
  const rows = await listAlertTargets(ctx.services.database.orm, toPersonKey(ctx));
  return {
    targets: rows.map((row) => toTarget(ctx.services, row)),
    push_key: ctx.services.alertKey.vapid.publicKey,
  };
}

/**
 * Creates or changes one of the caller's targets (ALERT-1). Items that are already waiting trigger no alerts
 * for the target.
 *
 * @throws bad_request for an address that alerts may not be sent to; conflict if the caller has too many
 *   targets
 */
export async function putTarget(
  ctx: Ctx,
  input: ParsedInputOf<"put_alert_target">,
): Promise<OutputOf<"put_alert_target">> {
  const { services } = ctx;
  const person = toPersonKey(ctx);
  if (input.to) requireAddress(services, input.to);
  const now = new Date();
  const { allIds, items } = await readAlertItems(services, person.personId, now);
  return ctx.write(async ({ tx, afterCommit }) => {
    await lockPerson(tx, person.meshId, person.personId);
    const old = input.target_id === undefined ? null : await requireTarget(tx, person, input.target_id);
    if (!old) await refuseTooMany(tx, person);
    const targetId = old?.targetId ?? randomUUID();
    const about = input.about ?? toKinds(old);
    await saveAlertTarget(tx, {
      ...person,
      targetId,
      kind: input.to?.kind ?? old?.kind ?? "webhook",
      name: input.name ?? old?.name ?? "",
      sealed: input.to ? encryptTarget(services, targetId, input.to) : (old?.sealed ?? Buffer.alloc(0)),
      about: [...new Set(about)],
      quiet: input.quiet === undefined ? (old?.quiet ?? null) : input.quiet,
      createdAt: old?.createdAt ?? now,
      changedAt: now,
    });
    const subscribedIds = selectAlerts(items, about).map(({ id }) => id);
    await syncAlerts(
      tx,
      { meshId: person.meshId, targetId },
      { currentItems: allIds, itemsToSend: subscribedIds, state: "known", dueAt: now },
    );
    afterCommit(() => services.mesh.announceToPerson(person.personId, null));
    return toTarget(services, await requireTarget(tx, person, targetId));
  });
}

export async function removeTarget(
  ctx: Ctx,
  { target_id }: ParsedInputOf<"delete_alert_target">,
): Promise<OutputOf<"delete_alert_target">> {
  const { mesh } = ctx.services;
  const person = toPersonKey(ctx);
  return ctx.write(async ({ tx, afterCommit }) => {
    if (!(await deleteAlertTarget(tx, person, target_id))) throw noSuchTarget();
    afterCommit(() => mesh.announceToPerson(person.personId, null));
    return { removed: true as const };
  });
}

/** Sends a test alert immediately, even in quiet hours, and returns the outcome (ALERT-5). */
export async function testTarget(
  ctx: Ctx,
  { target_id }: ParsedInputOf<"test_alert">,
): Promise<OutputOf<"test_alert">> {
  const { services, signal } = ctx;
  const target = await requireTarget(services.database.orm, toPersonKey(ctx), target_id);
  const content = {
    id: `test:${randomUUID()}`,
    kind: "test" as const,
    title: "Merkle",
    body: `A test of "${target.name}". Alerts will look like this.`,
    path: "/settings#alerts",
  };
  const {
    isDelivered: arrived,
    status,
    answer,
  } = await sendAlert(services, target, { content, now: new Date(), signal });
  return { arrived, status, answer };
}

function toPersonKey({ services, person }: Ctx): PersonKey {
  return { meshId: services.database.meshId, personId: person.personId };
}

function requireAddress(services: ViewServices, to: AlertTo): void {
  try {
    refuseAddress(services, toAddress(to));
  } catch (error) {
    if (!(error instanceof InnerAddressError) && !(error instanceof UnreachableError)) throw error;
    const field = to.kind === "push" ? "to.endpoint" : "to.url";
    throw new MerkleError("bad_request", `Alerts cannot be sent to this address. ${error.message}`, {
      fields: [{ field, problem: "must be an https address outside of the broker's network" }],
    });
  }
}

type Db = Parameters<typeof listAlertTargets>[0];

async function requireTarget(db: Db, person: PersonKey, targetId: string): Promise<AlertTargetFacts> {
  const [row] = await listAlertTargets(db, person, targetId);
  if (!row) throw noSuchTarget();
  return row;
}

async function refuseTooMany(db: Db, person: PersonKey): Promise<void> {
  if ((await listAlertTargets(db, person)).length < limits.alertTargetsMax) return;
  throw new MerkleError(
    "conflict",
    `You already have ${limits.alertTargetsMax} alert destinations. Remove one of them first.`,
  );
}

function noSuchTarget(): MerkleError {
  return new MerkleError("not_found", "You have no such alert destination.");
}

function toKinds(row: Pick<AlertTargetFacts, "about"> | null): AlertTarget["about"] {
  // Leaves out kinds that a later version has stored and this version does not support.
  return (Object.keys(alertReasons) as AlertKind[]).filter((kind) => row?.about.includes(kind));
}

function toTarget(services: ViewServices, row: AlertTargetFacts): AlertTarget {
  const to = decryptTarget(services, row);
  return {
    target_id: row.targetId,
    kind: row.kind,
    name: row.name,
    host: to && toAddress(to).host,
    about: toKinds(row),
    quiet: row.quiet,
    created_at: row.createdAt.toISOString(),
    last_sent_at: row.lastSentAt?.toISOString() ?? null,
    problem: row.problem,
    waiting: row.waiting,
    given_up: row.givenUp,
    ended: row.endedAt !== null,
  };
}
