import type { ChangedKind, MeshChangedKind } from "@merkle/wire";
import type { HintKind, Hints, SentHint } from "./hints.js";

type TypeGuard<Value> = (value: unknown) => value is Value;
type Checks<Hint> = { readonly [Field in keyof Hint]-?: TypeGuard<Hint[Field]> };

/** The broker refuses longer names when they are written, so no row contains a longer name. */
const nameCharsMax = 1_000;

const isId: TypeGuard<string> = (value): value is string =>
  typeof value === "string" && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(value);
const isName: TypeGuard<string> = (value): value is string =>
  typeof value === "string" && value.length <= nameCharsMax;
const isCount: TypeGuard<number> = (value): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;
const isFlag: TypeGuard<boolean> = (value): value is boolean => typeof value === "boolean";

function orNull<Value>(check: TypeGuard<Value>): TypeGuard<Value | null> {
  return (value): value is Value | null => value === null || check(value);
}

function optional<Value>(check: TypeGuard<Value>): TypeGuard<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || check(value);
}

function oneOf<Word extends string>(words: Record<Word, true>): TypeGuard<Word> {
  return (value): value is Word => typeof value === "string" && Object.hasOwn(words, value);
}

const isMeshRead = oneOf<MeshChangedKind>({
  ...{
    sessions: true,
    attention: true,
    memory: true,
    progress: true,
    audit: true,
    jobs: true,
    personas: true,
  },
  ...{ perspectives: true, topics: true, proposals: true, settings: true, members: true, person: true },
});
const isSessionRead = oneOf<ChangedKind>({
  ...{ document: true, roster: true, session: true, tasks: true, usage: true, delivery: true },
});
const areMeshReads: TypeGuard<readonly MeshChangedKind[]> = (value): value is readonly MeshChangedKind[] =>
  Array.isArray(value) && value.every(isMeshRead);

const checks: { readonly [Kind in HintKind]: Checks<Hints[Kind]> } = {
  feed: { session: isId, sequence: isCount, changes: areMeshReads, closed: optional(isFlag) },
  changed: { session: isId, kind: isSessionRead },
  presence: { session: isId },
  mesh: { kind: isMeshRead, mesh: orNull(isId), session: orNull(isId), person: orNull(isId) },
  state: { mesh: isId, session: orNull(isId), key: isName },
  credential: { session: orNull(isId), id: isId },
  revoked: { mesh: isId, member: optional(isId), token: optional(isCount) },
  settings: {},
  held: { session: isId, peer: isId },
  left: { session: isId },
  unsaved: { peer: isId },
  nudge: { id: isId },
  nudged: { id: isId },
  mcp: { session: isName },
  jobs: { mesh: orNull(isId), job: orNull(isCount) },
  settle: { id: isId },
  settled: { id: isId, node: isId },
  here: {},
  nodes: {},
  lost: {},
};

/**
 * Parses a hint from a signed message. Returns `unknown` for a kind that only another version uses, and
 * `malformed` for an invalid hint. Both are ignored.
 */
export function parseHint(value: unknown): SentHint | "unknown" | "malformed" {
  if (!Array.isArray(value) || typeof value[0] !== "string") return "malformed";
  const [kind, hint] = value as [string, unknown];
  if (!Object.hasOwn(checks, kind)) return "unknown";
  if (typeof hint !== "object" || hint === null) return "malformed";
  const ofKind: Readonly<Record<string, TypeGuard<unknown>>> = checks[kind as HintKind];
  const isValid = Object.entries(ofKind).every(([field, check]) => check(Reflect.get(hint, field)));
  // Every field that a listener reads has just been checked.
  return isValid ? ([kind, hint] as unknown as SentHint) : "malformed";
}
