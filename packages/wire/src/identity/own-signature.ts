import * as z from "zod";
import { ownDevicesMax } from "../core/limits.js";
import { Timestamp, Uuid } from "../core/values.js";
import { Bytes64 } from "./hello-proof.js";

/**
 * Names a device of a person: the public part of its ed25519 key (RFC 8032), in hexadecimal. The key is made on the
 * device and never leaves it.
 */
export const OwnDevice = z.string().regex(/^[0-9a-f]{64}$/, { error: "must be 64 hexadecimal digits" });

const Random = z.string().regex(/^[0-9a-f]{32}$/, { error: "must be 32 hexadecimal digits" });

/** A launch of an agent whose person's words count, as the agent publishes it (OWN-2). */
export const OwnLaunch = z
  .strictObject({
    launch: Random.meta({ description: "Random, made when the agent was launched." }),
    // The home from which the agent was launched is a device, too.
    devices: z
      .array(OwnDevice)
      .min(1)
      .max(ownDevicesMax + 1),
  })
  .meta({ description: "Devices whose text this launch shows as its user's words." });
export type OwnLaunch = z.output<typeof OwnLaunch>;

/** The signature by which a device of a person vouches for a text to one agent (OWN-3). */
export const OwnSignature = z.strictObject({
  device: OwnDevice,
  peer_id: Uuid.meta({ description: "The agent for which the text is." }),
  launch: Random,
  nonce: Random,
  at: Timestamp,
  signature: Bytes64,
});
export type OwnSignature = z.output<typeof OwnSignature>;
