import type { AlertTo } from "@merkle/wire";

type PushAddress = Extract<AlertTo, { kind: "push" }>;

/** Thrown if this browser cannot receive push messages. The message explains the reason to the user. */
export class PushRefused extends Error {
  override readonly name = "PushRefused";
}

/**
 * True if this browser can receive push messages without an open page. Over plain HTTP this works only on the broker's machine.
 */
export function canReceivePush(): boolean {
  return "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
}

/**
 * Asks for permission, then subscribes this browser to the broker's push messages.
 *
 * @param pushKey - the broker's public key, in base64url
 * @throws PushRefused if permission is denied, or the browser has no push service
 */
export async function subscribeToPush(pushKey: string): Promise<PushAddress> {
  if ((await Notification.requestPermission()) !== "granted") {
    throw new PushRefused("Notifications are blocked. Allow them for this site in the browser's settings.");
  }
  const registration = await navigator.serviceWorker.register("/push-worker.js", { updateViaCache: "none" });
  await navigator.serviceWorker.ready;
  // The push service would refuse this broker's messages for a subscription that was made with a different key.
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
