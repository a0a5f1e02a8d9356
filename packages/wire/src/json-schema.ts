import * as z from "zod";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A schema in JSON Schema's own words, and those that it shares with others, by the id of their `.meta`. */
export interface DescribedSchema {
  readonly schema: JsonSchema;
  readonly shared: Readonly<Record<string, JsonSchema>>;
}

/**
 * Describes what a caller may send (`input`: defaults are optional, unknown fields refused) or what it gets back (`output`:
 * defaults are there, and a later version may add fields). Shared schemas are referred to as `<prefix><id>`.
 */
export function describeSchema(schema: z.ZodType, io: "input" | "output", prefix: string): DescribedSchema {
  const { $schema, $defs, ...described } = z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    override: ({ jsonSchema }) => simplify(jsonSchema, io),
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

function withPrefix(described: DescribedSchema, prefix: string): DescribedSchema {
  return JSON.parse(JSON.stringify(described).replaceAll('"$ref":"#/$defs/', `"$ref":"${prefix}`));
}
