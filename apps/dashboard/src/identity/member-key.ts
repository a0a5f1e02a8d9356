import { createStoredValue } from "@/core/preferences/stored-value";

/** A membership created in this browser. Its key signs the browser in again without a link. */
export interface BrowserMember {
  readonly broker_id: string;
  readonly mesh_id: string;
  readonly mesh: string;
  readonly member_id: string;
  readonly name: string;
  /** The key's 32-byte seed, in base64url. Anyone who has it can act as the member. */
  readonly seed: string;
}

/** Local storage belongs to this origin. Scripts of other origins cannot read it. */
const stored = createStoredValue("merkle.member", parseMember);

export const findBrowserMember: () => BrowserMember | null = stored.get;
export const onBrowserMemberChange: (listener: () => void) => () => void = stored.onChange;

export function storeBrowserMember(member: BrowserMember): void {
  stored.set(JSON.stringify(member));
}

export function clearBrowserMember(): void {
  stored.set(null);
}

const fields = ["broker_id", "mesh_id", "mesh", "member_id", "name", "seed"] as const;

function parseMember(text: string | null): BrowserMember | null {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isMember(value) ? value : null;
  } catch {
    return null; // Another program or version wrote this item.
  }
}

function isMember(value: unknown): value is BrowserMember {
  if (typeof value !== "object" || value === null) return false;
  const candidate = value as Partial<Record<(typeof fields)[number], unknown>>;
  return fields.every((field) => typeof candidate[field] === "string");
}
