import { isObject } from "@merkle/wire";
import type * as z from "zod";

/** Returns a value as its schema would parse it, or undefined if only the schema itself can decide. */
type FastParser = (value: unknown) => unknown;

interface FieldParser {
  readonly name: string;
  /** The fast parser. Null for a schema that parseQuickly does not support. */
  readonly parse: FastParser | null;
  readonly whenAbsent: "refused" | "left out" | "default";
  readonly default: unknown;
}

/**
 * Parses common inputs and allocates only the result. The schema's own parser allocates ten objects per field,
 * or two kilobytes per post. The fast parser is derived from the schema, so the two cannot diverge.
 *
 * @returns the same result as the schema, or undefined for invalid and unsupported inputs, which the schema
 * must then parse
 */
export function parseQuickly<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
): z.output<Schema> | undefined {
  let parse = parsers.get(schema);
  if (parse === undefined) {
    parse = compileObject(schema) ?? deferToSchema;
    parsers.set(schema, parse);
  }
  // The fast parser has run the schema's checks on every part of the value.
  return parse(value) as z.output<Schema> | undefined;
}

const parsers = new WeakMap<z.ZodObject, FastParser>();

function deferToSchema(): undefined {
  return undefined;
}

/** The part of zod's schema definitions that is supported here. */
interface SchemaDefinition {
  readonly type: string;
  readonly checks?: readonly z.core.$ZodCheck[];
  readonly format?: string;
  readonly coerce?: boolean;
  readonly innerType?: z.core.$ZodType;
  readonly defaultValue?: unknown;
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly catchall?: z.core.$ZodType;
}

function getDefinition(schema: z.core.$ZodType): SchemaDefinition {
  return schema._zod.def as SchemaDefinition;
}

function compileSchema(schema: z.core.$ZodType): FastParser | null {
  const { type, format, coerce, innerType, entries, values } = getDefinition(schema);
  if (coerce) return null;
  switch (type) {
    case "string":
      return format === undefined ? compileChecked(schema, (value) => typeof value === "string") : null;
    case "number":
      if (format === "safeint") return compileChecked(schema, Number.isSafeInteger);
      return format === undefined ? compileChecked(schema, Number.isFinite) : null;
    case "boolean":
      return compileChecked(schema, (value) => typeof value === "boolean");
    case "enum":
      return compileOneOf(schema, Object.values(entries ?? {}));
    case "literal":
      return compileOneOf(schema, values ?? []);
    case "optional":
    case "default":
      return innerType && !isWrapped(innerType) ? compileSchema(innerType) : null;
    case "object":
      return compileObject(schema);
    default:
      return null;
  }
}

function isWrapped(schema: z.core.$ZodType): boolean {
  return ["optional", "default"].includes(getDefinition(schema).type);
}

function compileOneOf(schema: z.core.$ZodType, values: readonly unknown[]): FastParser | null {
  return compileChecked(schema, (value) => values.includes(value));
}

function compileChecked(schema: z.core.$ZodType, isOfType: (value: unknown) => boolean): FastParser | null {
  const checks = compileChecks(schema);
  return checks && ((value) => (isOfType(value) ? applyChecks(checks, value) : undefined));
}

function applyChecks(checks: readonly FastParser[], value: unknown): unknown {
  let result = value;
  for (const check of checks) {
    result = check(result);
    if (result === undefined) return undefined;
  }
  return result;
}

/** Returns fast forms of all the schema's checks, or null if any of them is not supported. */
function compileChecks(schema: z.core.$ZodType): readonly FastParser[] | null {
  const checks = (getDefinition(schema).checks ?? []).map(({ _zod }) => compileCheck(_zod.def));
  return checks.every((pass) => pass !== null) ? checks : null;
}

/**
 * Returns the fast form of a check. The type has already been checked, so a length check always gets a string
 * or list, and a range check always gets a number.
 */
function compileCheck(check: z.core.$ZodCheckDef): FastParser | null {
  const {
    check: kind,
    fn,
    tx,
    minimum,
    maximum,
    value,
    inclusive,
  } = check as unknown as {
    readonly check: string;
    readonly fn?: (value: unknown) => unknown;
    readonly tx?: (value: unknown) => unknown;
    readonly minimum: number;
    readonly maximum: number;
    readonly value: number;
    readonly inclusive: boolean;
  };
  switch (kind) {
    case "min_length":
      // zod counts code points, each of which has at most two UTF-16 units.
      return (text) => ((text as string).length >= (minimum > 1 ? 2 * minimum : minimum) ? text : undefined);
    case "max_length":
      return (text) => ((text as string).length <= maximum ? text : undefined);
    case "greater_than":
      return (number) => ((number as number) > value || (inclusive && number === value) ? number : undefined);
    case "less_than":
      return (number) => ((number as number) < value || (inclusive && number === value) ? number : undefined);
    case "overwrite":
      return tx ?? null;
    case "custom":
      return fn ? (tried) => (fn(tried) === true ? tried : undefined) : null;
    default:
      return null;
  }
}

function compileObject(schema: z.core.$ZodType): FastParser | null {
  const checks = compileChecks(schema);
  const { shape, catchall } = getDefinition(schema);
  const isStrict = catchall !== undefined && getDefinition(catchall).type === "never";
  if (!checks || !shape || !isStrict) return null;
  const fields = Object.entries(shape).map(([name, of]) => toField(name, of));
  return (value) => {
    const object = isObject(value) ? parseFields(fields, value) : undefined;
    return object && applyChecks(checks, object);
  };
}

function toField(name: string, schema: z.core.$ZodType): FieldParser {
  const { type, innerType, defaultValue } = getDefinition(schema);
  const field = { name, parse: compileSchema(schema), default: defaultValue };
  const isSimple = innerType !== undefined && !isWrapped(innerType);
  if (type === "optional" && isSimple) return { ...field, whenAbsent: "left out" };
  // A default object would be shared between callers.
  if (type === "default" && isSimple && Object(defaultValue) !== defaultValue)
    return { ...field, whenAbsent: "default" };
  return { ...field, whenAbsent: "refused" };
}

function parseFields(
  fields: readonly FieldParser[],
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const result: Record<string, unknown> = {};
  let unknown = 0;
  for (const _name in value) unknown += 1;
  for (const field of fields) {
    const raw = value[field.name];
    if (raw !== undefined) {
      unknown -= 1;
      const parsed = field.parse?.(raw);
      if (parsed === undefined) return undefined;
      result[field.name] = parsed;
    } else if (field.whenAbsent === "refused") {
      return undefined;
    } else if (field.whenAbsent === "default") {
      result[field.name] = field.default;
    }
  }
  return unknown === 0 ? result : undefined;
}
