import { parseTeamCredential } from "@merkle/wire";

/**
 * The credentials that this server has received. They are never shown to the model (STDIO-4). The model sees
 * only bare uuids, which grant no access but can select a credential.
 */
export interface SecretStore {
  /** Stores the credentials that an operation returned in `team_id`, `peer_id` and `person_id`. */
  addFrom(output: unknown): void;
  add(credential: string): void;
  /** Returns the credential that contains this uuid. */
  find(uuid: string): string | undefined;
  /** Returns the text with each credential replaced by its uuid. */
  hide(text: string): string;
}

export function createSecretStore(): SecretStore {
  const credentials = new Map<string, string>();
  /**
   * Also contains credentials that have since been replaced, because a late output must not reveal those
   * either.
   */
  const secrets = new Map<string, string>();

  function add(credential: string): void {
    const parsed = parseTeamCredential(credential);
    if (!parsed) return;
    credentials.set(parsed.teamId, credential);
    secrets.set(credential, parsed.teamId);
  }

  return {
    add,
    addFrom(output) {
      for (const name of ["team_id", "peer_id", "person_id"]) {
        const value: unknown =
          typeof output === "object" && output !== null ? Reflect.get(output, name) : null;
        if (typeof value === "string") add(value);
      }
    },
    find: (uuid) => credentials.get(uuid.toLowerCase()),
    hide(text) {
      if (!text.includes(".mk_")) return text;
      return [...secrets].reduce((hidden, [secret, uuid]) => hidden.replaceAll(secret, uuid), text);
    },
  };
}
