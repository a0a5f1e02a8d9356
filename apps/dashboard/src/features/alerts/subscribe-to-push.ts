import type { AlertTo } from "@merkle/wire";

type PushTo = Extract<AlertTo, { kind: "push" }>;

/** This browser does not take pushes; the message says why, for people. */
export class PushRefused extends Error {
  override readonly name = "PushRefused";
}

/**
 * Whether this browser can receive push messages without an open page. Over plain HTTP that works only on the broker's
 * machine.
 */
export function canBePushedTo(): boolean {
  return "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
}

/**
 * Subscribes this browser to what the broker pushes, having asked for permission.
 *
 * @param pushKey - the broker's public key, in base64url
 * @throws PushRefused when permission is not given, or the browser has no push service
 */
export async function subscribeToPush(pushKey: string): Promise<PushTo> {
  if ((await Notification.requestPermission()) !== "granted") {
    throw new PushRefused("Notifications are blocked. Allow them for this site in the browser's settings.");
  }
  const registration = await navigator.serviceWorker.register("/push-worker.js", { updateViaCache: "none" });
  await navigator.serviceWorker.ready;
  // One that was made for another key of the broker would be refused by the push service.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const subscription = await registration.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: pushKey })
    .catch((error: unknown) => {
      throw new PushRefused(`This browser couldn't reach its push service: ${String(error)}`);
    });
  const { endpoint, keys } = subscription.toJSON();
  return {
    kind: "push",
    endpoint: endpoint ?? "",
    p256dh: keys?.["p256dh"] ?? "",
    auth: keys?.["auth"] ?? "",
  };
}
