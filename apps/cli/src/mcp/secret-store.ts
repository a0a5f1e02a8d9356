import { parseTeamCredential } from "@merkle/wire";

/**
 * The credentials that this server was given. They never reach the model (STDIO-4): it sees the bare uuid of each, which
 * authorises nothing, and may name by it the one that it means.
 */
export interface SecretStore {
  /** Takes up what an operation gave out: its `team_id`, `peer_id` or `person_id`. */
  keepFrom(output: unknown): void;
  keep(credential: string): void;
  /** The credential whose uuid this is. */
  find(uuid: string): string | undefined;
  /** The text with the uuid in the place of each credential. */
  hide(text: string): string;
}

export function createSecretStore(): SecretStore {
  const credentials = new Map<string, string>();
  /** Also those that were replaced: an output that comes late must not show one either. */
  const secrets = new Map<string, string>();

  function keep(credential: string): void {
    const parsed = parseTeamCredential(credential);
    if (!parsed) return;
    credentials.set(parsed.teamId, credential);
    secrets.set(credential, parsed.teamId);
  }

  return {
    keep,
    keepFrom(output) {
      for (const name of ["team_id", "peer_id", "person_id"]) {
        const value: unknown =
          typeof output === "object" && output !== null ? Reflect.get(output, name) : null;
        if (typeof value === "string") keep(value);
      }
    },
    find: (uuid) => credentials.get(uuid.toLowerCase()),
    hide(text) {
      if (!text.includes(".mk_")) return text;
      return [...secrets].reduce((hidden, [secret, uuid]) => hidden.replaceAll(secret, uuid), text);
    },
  };
}
