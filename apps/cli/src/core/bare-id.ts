import { parseTeamCredential } from "@merkle/wire";

/** Returns the id at the beginning of a credential that the broker returned. The id is not secret. */
export function toBareId(credential: string): string {
  const parsed = parseTeamCredential(credential);
  if (!parsed) throw new Error("The broker returned a credential in an unknown format.");
  return parsed.teamId;
}
