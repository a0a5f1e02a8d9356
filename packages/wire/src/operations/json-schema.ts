import * as z from "zod";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * A JSON Schema, together with the schemas that it shares with others. The shared schemas are keyed by the id
 * in their `.meta`.
 */
export interface DescribedSchema {
  readonly schema: JsonSchema;
  readonly shared: Readonly<Record<string, JsonSchema>>;
}

/**
 * How much a schema describes. `full`: everything that is validated. `listed`: what clients over HTTP
 * validate and show. `lean`: only what a model needs for a call, because every byte costs tokens (MCP-10).
 */
export type SchemaDetail = "full" | "listed" | "lean";

/**
 * Describes the values that a caller may send (`input`) or receives (`output`) as a JSON Schema. In an input,
 * fields with defaults are optional, and unknown fields are refused. In an output, fields with defaults are
 * present, and later versions may add fields. References to shared schemas have the form `<prefix><id>`.
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
      if (detail !== "full")
        removeKeywords(jsonSchema, detail === "lean" ? redundantKeywords : programKeywords);
      if (detail === "lean") removeConstants(jsonSchema);
    },
  });
  return withPrefix({ schema: described, shared: $defs ?? {} }, prefix);
}

/**
 * Removes details that do not help readers: the limits of JavaScript's integers, and the pattern of a named
 * format.
 */
function simplify(schema: JsonSchema, io: "input" | "output"): void {
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (io === "output" && schema.additionalProperties === false) delete schema.additionalProperties;
}

/**
 * Keywords that lean schemas omit. A value out of range is refused with a clear message, and descriptions
 * mention important defaults.
 */
const redundantKeywords = [
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

const programKeywords = ["examples", "pattern"] as const;

/**
 * Removes the given keywords, and the rule that other fields are refused. A client that enforced that rule
 * could not send a message as `text` (MCP-22).
 */
function removeKeywords(
  schema: JsonSchema,
  keywords: typeof redundantKeywords | typeof programKeywords,
): void {
  declareOnlyList(schema);
  for (const each of keywords) delete schema[each];
  if (schema.additionalProperties === false) delete schema.additionalProperties;
}

function removeConstants(schema: JsonSchema): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isOptional = !schema.required?.includes(name);
    // A property with only one possible value leaves a model nothing to choose.
    if (isOptional && typeof property === "object" && property.const !== undefined)
      delete schema.properties?.[name];
  }
}

/** If a schema accepts either one value or a list, declares only the list. */
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
