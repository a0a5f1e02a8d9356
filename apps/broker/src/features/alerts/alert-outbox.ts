import {
  type AlertTargetRow,
  type DueAlert,
  hasDueAlerts,
  listLiveAlertTargets,
  saveAlertOutcome,
  settleAlert,
  syncAlerts,
  takeDueAlerts,
} from "@merkle/db";
import type { AlertContent } from "@merkle/wire";
import type { FactServices } from "../../views/attention/facts.js";
import { readAlertIds, readAlertItems, selectAlerts } from "./alert-items.js";
import { deferPastQuietHours } from "./quiet-hours.js";
import { type AlertServices, sendAlert } from "./send-alert.js";

/** Delay before each further attempt, in seconds. Together they amount to less than two days. */
const delaysSeconds = [5, 30, 120, 300, 900, 3_600, 4 * 3_600, 12 * 3_600, 24 * 3_600];
/** If the broker stops before it records an alert's result, the alert is sent again after this time. */
const leaseMs = 60_000;
const alertsPerPassMax = 50;

type MeshServices = FactServices & AlertServices & { readonly stopping: AbortSignal };

/** Sends the due alerts of all meshes once. */
export type AlertPass = (now?: Date) => Promise<void>;

/**
 * Creates a function that sends alerts about new items waiting for people. Call the function regularly: each
 * call stores new alerts for each target, and sends the alerts that are due. All state is in the database, so
 * another broker can continue after a crash.
 *
 * @param findMeshes - returns the services of each mesh
 */
export function createAlertOutbox(
  findMeshes: () => Promise<readonly MeshServices[]>,
  { silentMs }: { readonly silentMs?: number } = {},
): AlertPass {
  const lastSnapshots = new Map<string, string>();
  let isRunning = false;

  async function runPass(now: Date): Promise<void> {
    const [main, ...others] = await findMeshes();
    if (!main) return;
    const targets = await listLiveAlertTargets(main.database.orm);
    if (targets.length === 0) return lastSnapshots.clear();
    for (const services of [main, ...others]) {
      const own = targets.filter(({ meshId }) => meshId === services.database.meshId);
      if (own.length > 0) await runMeshPass(services, own, now);
    }
  }

  async function runMeshPass(services: MeshServices, targets: AlertTargetRow[], now: Date): Promise<void> {
    const { orm, meshId } = services.database;
    const scope = { meshId, targetIds: targets.map(({ targetId }) => targetId) };
    // Reads people's items only if an item appeared or disappeared, or if an alert is due.
    const changed = targets.map(({ targetId, changedAt }) => `${targetId} ${changedAt.getTime()}`);
    const snapshot = JSON.stringify([await readAlertIds(services, now), changed]);
    if (snapshot === lastSnapshots.get(meshId) && !(await hasDueAlerts(orm, scope, now))) return;

    const contents = new Map<string, Map<string, AlertContent>>();
    for (const personId of new Set(targets.map((target) => target.personId))) {
      const { allIds, items } = await readAlertItems(services, personId, now);
      for (const target of targets.filter((each) => each.personId === personId)) {
        const alerts = selectAlerts(items, target.about);
        contents.set(target.targetId, new Map(alerts.map((alert) => [alert.id, alert])));
        const subscribedIds = alerts.map(({ id }) => id);
        await syncAlerts(orm, target, {
          currentItems: allIds,
          itemsToSend: subscribedIds,
          state: "waiting",
          dueAt: deferPastQuietHours(target.quiet, now),
        });
      }
    }
    lastSnapshots.set(meshId, snapshot);
    await sendDue(services, { targets, contents, now, silentMs });
  }

  return async (now = new Date()) => {
    // A receiver that never answers delays the whole pass. A new pass does not start while one is running.
    if (isRunning) return;
    isRunning = true;
    try {
      await runPass(now);
    } finally {
      isRunning = false;
    }
  };
}

interface AlertBatch {
  readonly targets: readonly AlertTargetRow[];
  /** The content of each alert, by target id and then by item id. */
  readonly contents: ReadonlyMap<string, ReadonlyMap<string, AlertContent>>;
  readonly now: Date;
  readonly silentMs: number | undefined;
}

async function sendDue(
  services: MeshServices,
  { targets, contents, now, silentMs }: AlertBatch,
): Promise<void> {
  const { orm, meshId } = services.database;
  const dueAlerts = await takeDueAlerts(
    orm,
    { meshId, targetIds: targets.map(({ targetId }) => targetId) },
    { now, leaseUntil: new Date(now.getTime() + leaseMs), limit: alertsPerPassMax },
  );
  const deliveries = dueAlerts.map(async (alert) => {
    const target = targets.find(({ targetId }) => targetId === alert.targetId);
    const content = contents.get(alert.targetId)?.get(alert.item);
    if (target && content) await sendOne(services, { alert, target, content, now, silentMs });
  });
  await Promise.all(deliveries);
}

interface TargetedAlert {
  readonly alert: DueAlert;
  readonly target: AlertTargetRow;
  readonly content: AlertContent;
  readonly now: Date;
  readonly silentMs: number | undefined;
}

async function sendOne(
  services: MeshServices,
  { alert, target, content, now, silentMs }: TargetedAlert,
): Promise<void> {
  const { orm } = services.database;
  const { stopping: signal } = services;
  const { isDelivered, isGone, answer } = await sendAlert(services, target, {
    content,
    now,
    signal,
    silentMs,
  });
  // A stopping broker aborts its requests, so the outcome is unknown. The lease expires and the alert is sent
  // again.
  if (signal.aborted && !isDelivered) return;
  const delay = delaysSeconds[alert.attempts - 1];
  if (isDelivered) await settleAlert(orm, alert, { state: "sent" });
  else if (isGone || delay === undefined) await settleAlert(orm, alert, { state: "given_up" });
  else {
    const next = new Date(now.getTime() + delay * 1000);
    await settleAlert(orm, alert, { dueAt: deferPastQuietHours(target.quiet, next) });
  }
  await saveAlertOutcome(orm, target, { at: now, problem: isDelivered ? null : answer, isGone });
}
