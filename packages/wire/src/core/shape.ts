/**
 * Parses an untrusted value, or throws a ShapeError. The pages that verify records contain no schema library,
 * and a bundle may come from anyone, so this code checks every field by hand.
 */
export type Shape<T> = (value: unknown, place: string) => T;

/**
 * Thrown if a value does not have the expected form. The message is a sentence that says where the value is.
 */
export class ShapeError extends Error {
  override readonly name = "ShapeError";
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type Read<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]> };

/** Creates a shape for objects with exactly these fields. */
export function object<F extends Fields>(fields: F): Shape<Read<F>> {
  return (value, place) => {
    const given = anyObject(value, place);
    const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
    if (unknown !== undefined) throw new ShapeError(`${place} has the unknown field ${quote(unknown)}.`);
    return readFields(fields, given, place);
  };
}

/** Reads the given fields of an object. The object may have other fields. */
export function readFields<F extends Fields>(
  fields: F,
  given: Readonly<Record<string, unknown>>,
  place: string,
): Read<F> {
  const read = Object.entries(fields).map(([name, shape]) => [name, shape(given[name], `${place}.${name}`)]);
  // Each field was parsed by its own shape, so the result has this type.
  return Object.fromEntries(read) as Read<F>;
}

export function anyObject(value: unknown, place: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ShapeError(`${place} must be an object, got ${quote(value)}.`);
  }
  return Object.fromEntries(Object.entries(value));
}

export function list<T>(shape: Shape<T>): Shape<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) throw new ShapeError(`${place} must be a list, got ${quote(value)}.`);
    return value.map((item: unknown, index) => shape(item, `${place}[${index}]`));
  };
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return (value, place) => (value === null ? null : shape(value, place));
}

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value, place) => (value === undefined ? undefined : shape(value, place));
}

export function oneOf<const T extends string>(...values: readonly T[]): Shape<T> {
  return (value, place) => {
    const match = values.find((each) => each === value);
    if (match === undefined)
      throw new ShapeError(`${place} must be ${values.join(" or ")}, got ${quote(value)}.`);
    return match;
  };
}

export const text: Shape<string> = (value, place) => {
  if (typeof value !== "string") throw new ShapeError(`${place} must be text, got ${quote(value)}.`);
  return value;
};

export const trueOrFalse: Shape<boolean> = (value, place) => {
  if (typeof value !== "boolean")
    throw new ShapeError(`${place} must be true or false, got ${quote(value)}.`);
  return value;
};

export const count: Shape<number> = (value, place) => {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    throw new ShapeError(`${place} must be a whole number from 0, got ${quote(value)}.`);
  }
  return value;
};

export const uuid = matching(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/, "a uuid in lower case");
export const instant = matching(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  "a time like 2026-05-02T14:05:00.000Z",
);
export const hash = matching(/^[0-9a-f]{64}$/, "a hash of 64 hexadecimal digits");
export const salt = matching(/^[0-9a-f]{32}$/, "a salt of 32 hexadecimal digits");
export const keyId = matching(/^[0-9a-f]{32}$/, "a key's id of 32 hexadecimal digits");
/** A public key (32 bytes) and a signature (64 bytes), both in base64url. */
export const publicKey = matching(/^[A-Za-z0-9_-]{43}$/, "a public key in base64url");
export const signature = matching(/^[A-Za-z0-9_-]{86}$/, "a signature in base64url");

function matching(form: RegExp, description: string): Shape<string> {
  return (value, place) => {
    if (typeof value !== "string" || !form.test(value)) {
      throw new ShapeError(`${place} must be ${description}, got ${quote(value)}.`);
    }
    return value;
  };
}

/** Formats a value for an error message, short and on one line. */
function quote(value: unknown): string {
  const written = JSON.stringify(value) ?? "nothing";
  return written.length > 60 ? `${written.slice(0, 60)}…` : written;
}
