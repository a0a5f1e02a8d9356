import * as z from "zod";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A schema in JSON Schema, with the schemas that it shares with others, keyed by the id of their `.meta`. */
export interface DescribedSchema {
  readonly schema: JsonSchema;
  readonly shared: Readonly<Record<string, JsonSchema>>;
}

/**
 * `full` describes everything that is validated. `listed` is what clients over HTTP validate and show. `lean`
 * contains only what a model needs for a call, because every byte costs tokens (MCP-10).
 */
export type SchemaDetail = "full" | "listed" | "lean";

/**
 * Describes the values that a caller may send (`input`) or receives (`output`). In an input, defaults are
 * optional and unknown fields are refused. In an output, defaults are present, and later versions may add
 * fields. References to shared schemas have the form `<prefix><id>`.
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

/**
 * Removes details of no use to readers: the limits of JavaScript's integers, and the pattern of a named
 * format.
 */
function simplify(schema: JsonSchema, io: "input" | "output"): void {
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (io === "output" && schema.additionalProperties === false) delete schema.additionalProperties;
}

/**
 * Keywords that lean schemas omit. A value out of range is refused with a clear message, and important
 * defaults are in the description.
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

/**
 * Omits that other fields are refused. A client that enforced this could not send a message as `text`
 * (MCP-22).
 */
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

/** If a schema accepts one value or a list, shows a model only the list. */
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
