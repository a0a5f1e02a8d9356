import type { AlertTargetRow } from "@merkle/db";
import type { AlertContent, AlertTo } from "@merkle/wire";
import { decrypt, encrypt } from "../../core/encrypt.js";
import { InnerAddressError, lookUpOutside, refuseInnerHost } from "../../core/inner-addresses.js";
import type { ViewServices } from "../../views/services.js";
import { type AddressResponse, askAddress, UnreachableError } from "../../views/settings/ask-address.js";
import { toAlertRequest } from "./alert-request.js";

export type AlertServices = Pick<ViewServices, "alertKey" | "settings"> & {
  readonly addresses: Pick<ViewServices["addresses"], "getBaseUrl">;
};

/** The result of one attempt to send an alert. */
export interface AlertOutcome {
  readonly isDelivered: boolean;
  /** Whether the receiver reports that the address no longer exists. */
  readonly isGone: boolean;
  readonly status: number | null;
  /** A description of the outcome, as a sentence to show to people. */
  readonly answer: string;
}

type EncryptedTarget = Pick<AlertTargetRow, "targetId" | "sealed">;

export function encryptTarget(
  { alertKey }: Pick<AlertServices, "alertKey">,
  targetId: string,
  to: AlertTo,
): Buffer {
  return encrypt(alertKey.secret, formatPurpose(targetId), JSON.stringify(to));
}

/**
 * Returns a target's decrypted address, or null if it was encrypted with a key that this home no longer has.
 */
export function decryptTarget(
  { alertKey }: Pick<AlertServices, "alertKey">,
  { targetId, sealed }: EncryptedTarget,
): AlertTo | null {
  try {
    const to: AlertTo = JSON.parse(decrypt(alertKey.secret, formatPurpose(targetId), sealed));
    return to;
  } catch {
    return null;
  }
}

function formatPurpose(targetId: string): string {
  return `alert target ${targetId}`;
}

export function toAddress(to: AlertTo): URL {
  return new URL(to.kind === "push" ? to.endpoint : to.url);
}

/**
 * Refuses an address that alerts may not be sent to (ALERT-6). Checks only the URL itself, because the host
 * name is resolved and checked when the alert is sent.
 *
 * @throws InnerAddressError, UnreachableError
 */
export function refuseAddress({ settings }: Pick<AlertServices, "settings">, address: URL): void {
  if (settings.current.alert_inner_addresses) return;
  refuseInnerHost(address);
  if (address.protocol !== "https:") throw new UnreachableError("The address must begin with https://.");
}

interface AlertAttempt {
  readonly content: AlertContent;
  readonly now: Date;
  readonly signal: AbortSignal;
  /** Response timeout in milliseconds. Default: 10 s. */
  readonly silentMs?: number | undefined;
}

/** Sends an alert once, without following redirects. Never throws: failures are part of the result. */
export async function sendAlert(
  services: AlertServices,
  target: EncryptedTarget,
  { content, now, signal, silentMs = 10_000 }: AlertAttempt,
): Promise<AlertOutcome> {
  const { settings, addresses, alertKey } = services;
  const to = decryptTarget(services, target);
  if (!to)
    return createFailure(
      "Its settings were encrypted with a key that is lost. Set this destination up again.",
      true,
    );
  try {
    const { vapid } = alertKey;
    const { url, headers, body } = toAlertRequest(to, content, { vapid, base: addresses.getBaseUrl(), now });
    const address = new URL(url);
    refuseAddress(services, address);
    const answer = await askAddress(address, {
      signal,
      post: { headers, body },
      lookup: settings.current.alert_inner_addresses ? undefined : lookUpOutside,
      silentMs,
    });
    return judge(to.kind, answer, !settings.current.alert_inner_addresses);
  } catch (error) {
    if (error instanceof UnreachableError || error instanceof InnerAddressError)
      return createFailure(error.message);
    return createFailure(
      signal.aborted ? "The broker stopped." : "The alert could not be prepared for this address.",
    );
  }
}

/** Maximum length of the response text shown to people. */
const answerCharsMax = 200;

function createFailure(answer: string, isGone = false): AlertOutcome {
  return { isDelivered: false, isGone, status: null, answer };
}

/**
 * @param isOutside - whether the address is outside this machine and its networks; if not, the response text
 * is hidden
 */
function judge(kind: AlertTo["kind"], { status, text }: AddressResponse, isOutside: boolean): AlertOutcome {
  const isDelivered = status >= 200 && status < 300;
  // A self-hosted webhook may be missing only temporarily. For the other kinds of target, a 404 means that
  // the address was deleted.
  const isGone = status === 410 || (status === 404 && kind !== "webhook" && kind !== "ntfy");
  const excerpt = isOutside ? (text ?? "").trim().slice(0, answerCharsMax).toWellFormed() : "";
  const redirectNote = status >= 300 && status < 400 ? " Redirects are not followed." : "";
  return {
    isDelivered,
    isGone,
    status,
    answer: `The server answered ${status}.${redirectNote}${excerpt === "" ? "" : ` ${excerpt}`}`,
  };
}
