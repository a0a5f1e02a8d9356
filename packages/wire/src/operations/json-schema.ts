import * as z from "zod";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A schema in JSON Schema's own words, and those that it shares with others, by the id of their `.meta`. */
export interface DescribedSchema {
  readonly schema: JsonSchema;
  readonly shared: Readonly<Record<string, JsonSchema>>;
}

/**
 * `full` says all that is checked; `listed` what clients over HTTP check and show; `lean` what a model needs to call it, since it
 * pays for every byte (MCP-10).
 */
export type SchemaDetail = "full" | "listed" | "lean";

/**
 * Describes what a caller may send (`input`: defaults are optional, unknown fields refused) or what it gets back (`output`:
 * defaults are there, and a later version may add fields). Shared schemas are referred to as `<prefix><id>`.
 */
export function describeSchema(
  schema: z.ZodType,
  io: "input" | "output",
  prefix: string,
  detail: SchemaDetail = "full",
): DescribedSchema {
  const { $schema, $defs, ...described } = z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    override: ({ jsonSchema }) => {
      simplify(jsonSchema, io);
      if (detail !== "full") leaveOut(jsonSchema, detail === "lean" ? saidElsewhere : forPrograms);
      if (detail === "lean") leaveOutConstants(jsonSchema);
    },
  });
  return withPrefix({ schema: described, shared: $defs ?? {} }, prefix);
}

/** Leaves out what says nothing to a reader: bounds of JavaScript's integers, and the pattern of a named format. */
function simplify(schema: JsonSchema, io: "input" | "output"): void {
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (io === "output" && schema.additionalProperties === false) delete schema.additionalProperties;
}

/**
 * The keywords that lean schemas leave out: a value beyond its bounds is refused with a sentence, and a default that
 * matters is in the description.
 */
const saidElsewhere = [
  "default",
  "examples",
  "maxItems",
  "maxLength",
  "maximum",
  "minItems",
  "minLength",
  "minimum",
  "pattern",
] as const;

const forPrograms = ["examples", "pattern"] as const;

/** That other fields are refused goes without saying: a client that went by it could not give a message as `text` (MCP-22). */
function leaveOut(schema: JsonSchema, keywords: typeof saidElsewhere | typeof forPrograms): void {
  declareOnlyList(schema);
  for (const each of keywords) delete schema[each];
  if (schema.additionalProperties === false) delete schema.additionalProperties;
}

function leaveOutConstants(schema: JsonSchema): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isOptional = !schema.required?.includes(name);
    // A single value leaves nothing to choose.
    if (isOptional && typeof property === "object" && property.const !== undefined)
      delete schema.properties?.[name];
  }
}

/** Of a schema that takes one value or a list of them, a model sees the list. */
function declareOnlyList(schema: JsonSchema): void {
  const list = schema.anyOf?.find((each) => typeof each === "object" && each.type === "array");
  const others = schema.anyOf?.filter((each) => each !== list);
  if (!list || JSON.stringify(others) !== JSON.stringify([Object(list).items])) return;
  delete schema.anyOf;
  Object.assign(schema, list);
}

function withPrefix(described: DescribedSchema, prefix: string): DescribedSchema {
  return JSON.parse(JSON.stringify(described).replaceAll('"$ref":"#/$defs/', `"$ref":"${prefix}`));
}
