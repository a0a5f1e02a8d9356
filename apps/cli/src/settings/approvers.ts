import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { toDeviceId } from "@merkle/wire/identity";
import { limits } from "@merkle/wire/limits";
import { usageError } from "../core/cli-error.js";
import { homeFiles } from "../core/merkle-home.js";
import { nodeCrypto } from "../core/node-crypto.js";

/**
 * Refuses invalid device ids, and devices whose credential is stored in this home, because an agent that asks
 * for approval could read that credential and approve its own request (APPROVE-3).
 *
 * @throws CliError `usage`
 */
export async function refuseBadDevices(devices: readonly string[], home: string): Promise<void> {
  if (devices.length === 0) return;
  if (devices.length > limits.approvalDevicesMax)
    throw usageError(
      `At most ${limits.approvalDevicesMax} devices can answer approval requests, got ${devices.length}.`,
    );
  const bad = devices.find((device) => !/^[0-9a-f]{32}$/.test(device));
  if (bad !== undefined)
    throw usageError(
      `Expected a device ID of 32 hexadecimal digits, got ${JSON.stringify(bad)}. Copy it from the Approvals page.`,
    );
  const own = await listOwnDevices(home);
  if (!devices.some((device) => own.includes(device))) return;
  throw usageError(
    "This is the device of this Merkle home, and the agents here can read its credential. Choose another device: a browser, your phone, or another machine.",
  );
}

async function listOwnDevices(home: string): Promise<readonly string[]> {
  const folder = homeFiles.persons(home);
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8").catch(() => "")));
  return texts.flatMap((text) => toDeviceId(parseCredential(text), nodeCrypto.sha256) ?? []);
}

function parseCredential(text: string): string {
  try {
    return String(Object(JSON.parse(text)).credential);
  } catch {
    // A file that cannot be read counts as containing no credential.
    return "";
  }
}
