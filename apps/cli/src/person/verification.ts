import { readFile } from "node:fs/promises";
import type { OutputOf } from "@merkle/wire";
import type { BrokerClient } from "../broker/broker-client.js";
import { placeOf } from "../broker/reach.js";
import type { Config } from "../config.js";
import { homeFiles } from "../core/merkle-home.js";

export type VerificationCode = OutputOf<"create_verification_code">;

/**
 * A link that verifies a person, where the broker runs on this home (CLI-90); null for any other broker, and in the shell of an
 * agent. The home's key goes to the process alone that wrote it.
 */
export async function getVerificationCode(
  broker: Pick<BrokerClient, "base" | "call">,
  { home, agentShell }: Pick<Config, "home" | "agentShell">,
): Promise<VerificationCode | null> {
  if (agentShell !== undefined) return null;
  if ((await placeOf(broker.base, home)) !== "home") return null;
  const home_key = await readFile(homeFiles.homeKey(home), "utf8").catch(() => null);
  return home_key === null ? null : broker.call("create_verification_code", { home_key });
}
