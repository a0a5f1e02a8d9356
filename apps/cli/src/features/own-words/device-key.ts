import { type DeviceKey, drawSeed, fromBase64url, toBase64url, toDeviceKey } from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import * as z from "zod";
import { explainHomeErrors, homeFiles } from "../../core/merkle-home.js";
import { readPrivateJson, writePrivateJson } from "../../core/private-file.js";

const DeviceKeyFile = z.object({ seed: z.string() });

/** Returns the key with which this home signs, or undefined if no launch has needed one yet. */
export function findDeviceKey(home: string): DeviceKey | undefined {
  const stored = DeviceKeyFile.safeParse(readPrivateJson(homeFiles.deviceKey(home))).data;
  const seed = stored && fromBase64url(stored.seed, 32);
  return seed ? toDeviceKey(deriveSigningKey(seed)) : undefined;
}

/** Returns the key with which this home signs. Creates it on first use. */
export async function getDeviceKey(home: string): Promise<DeviceKey> {
  const known = findDeviceKey(home);
  if (known) return known;
  const seed = drawSeed();
  await explainHomeErrors(home, async () =>
    writePrivateJson(homeFiles.deviceKey(home), { seed: toBase64url(seed) }),
  );
  return toDeviceKey(deriveSigningKey(seed));
}
