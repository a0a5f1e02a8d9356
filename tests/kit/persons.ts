import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { InputOf, OutputOf } from "@merkle/wire";
import { brokerTransports, type TransportClient } from "./transports.js";

/** Homes of the brokers in this process, keyed by port. The homes contain the keys that verify people. */
const homes = new Map<string, { readonly home: string; readonly url: string | undefined }>();

/** @param url - the broker's own address, if `port` belongs to a proxy */
export function noteHome(port: number, home: string, url?: string): void {
  homes.set(String(port), { home, url });
}

/**
 * Creates a verified person, as the operator of the broker could: over REST, in the mesh of the transport. Over stdio,
 * which is only for agents, creates a guest.
 */
export async function makePerson(
  { url, entry, name: transport, call }: Pick<TransportClient, "url" | "entry" | "name" | "call">,
  name: string,
): Promise<OutputOf<"create_person">> {
  if (transport === "stdio") return call("create_person", { name });
  const rest = await brokerTransports.rest(url, entry);
  if (entry.token !== undefined) return rest.call("create_person", { name });
  const home_key = await readHomeKey(url);
  const own = await brokerTransports.rest(homes.get(new URL(url).port)?.url ?? url, entry);
  const { code } = await own.call("create_verification_code", { home_key });
  return rest.call("create_person", { name, code });
}

export async function readHomeKey(url: string): Promise<string> {
  const home = homes.get(new URL(url).port)?.home;
  if (home === undefined) throw new Error(`No broker of this test is at ${url}.`);
  return readFile(join(home, "home-key"), "utf8");
}

/** Changes settings over REST as a verified person. Accepts values that the types would not allow. */
export async function changeSettings(
  transport: Pick<TransportClient, "url" | "entry" | "name" | "call">,
  change: InputOf<"update_settings">,
): Promise<OutputOf<"update_settings">> {
  const rest = await brokerTransports.rest(transport.url, transport.entry);
  const { person_id: team_id } = await makePerson({ ...transport, name: "rest" }, "Owner");
  return rest.call("update_settings", { ...change, team_id });
}
