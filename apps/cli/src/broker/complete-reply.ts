import type { OperationName, OutputOf } from "@merkle/wire";
import type { describeSchema } from "@merkle/wire/schemas";
import { isObject } from "../core/is-object.js";

type SchemaDescription = ReturnType<typeof describeSchema>;
type Schema = SchemaDescription["schema"];
type SharedSchemas = SchemaDescription["shared"];

/**
 * Adds the fields that an older broker's reply lacks: null for nullable fields, otherwise an empty value.
 * Commands can then rely on a complete reply. Loads the schemas on demand, because most commands start
 * without them.
 */
export async function completeReply<Name extends OperationName>(
  name: Name,
  reply: unknown,
): Promise<OutputOf<Name>> {
  const { describeSchema, findOperation } = await import("@merkle/wire/schemas");
  const operation = findOperation(name);
  if (!operation) return reply as OutputOf<Name>; // Unreachable: the catalogue has an operation for every name.
  const { schema, shared } = describeSchema(operation.output, "output", "");
  // Every missing field has been filled in from the schema of this output.
  return complete(operation.older?.fromOutput(reply) ?? reply, schema, shared) as OutputOf<Name>;
}

function complete(value: unknown, schemaOrRef: Schema, shared: SharedSchemas): unknown {
  const schema = chooseSchema(value, schemaOrRef, shared);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (typeof items !== "object" || Array.isArray(items)) return value;
    return value.map((each) => complete(each, items, shared));
  }
  if (!isObject(value)) return value;
  const { additionalProperties: others } = schema;
  const known = Object.entries(value).map(([key, field]) => {
    const property = schema.properties?.[key] ?? others;
    return [key, typeof property === "object" ? complete(field, property, shared) : field];
  });
  return { ...createEmptyFields(schema, shared, value), ...Object.fromEntries(known) };
}

/** Returns empty values for the required fields that `present` lacks. */
function createEmptyFields(schema: Schema, shared: SharedSchemas, present: object): Record<string, unknown> {
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(present, name));
  const fields = missing.flatMap((name): [string, unknown][] => {
    const property = schema.properties?.[name];
    return typeof property === "object" ? [[name, createEmptyValue(property, shared)]] : [];
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/**
 * Returns null for a nullable field, otherwise an empty value. Returns undefined if no value makes sense, for
 * example for an enumeration.
 */
function createEmptyValue(schemaOrRef: Schema, shared: SharedSchemas): unknown {
  const schema = resolve(schemaOrRef, shared);
  const options = toAlternatives(schema);
  if (options.some(({ type }) => type === "null")) return null;
  const [option] = options;
  if (option !== undefined) return createEmptyValue(option, shared);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return undefined;
  switch (schema.type) {
    case "array":
      return [];
    case "object":
      return createEmptyFields(schema, shared, {});
    case "boolean":
      return false;
    case "integer":
    case "number":
      return 0;
    case "string":
      return "";
    default:
      return undefined;
  }
}

/**
 * Returns the part of the schema that matches the value. Among several options, prefers one whose constant
 * fields match, then the first with the value's type.
 */
function chooseSchema(value: unknown, schemaOrRef: Schema, shared: SharedSchemas): Schema {
  const schema = resolve(schemaOrRef, shared);
  const options = toAlternatives(schema).map((option) => resolve(option, shared));
  if (options.length === 0) return schema;
  const type = Array.isArray(value) ? "array" : typeof value;
  const ofType = options.filter((option) => option.type === type || toAlternatives(option).length > 0);
  const chosen = ofType.find((option) => isObject(value) && hasConstants(value, option)) ?? ofType[0];
  return chosen === undefined ? {} : chooseSchema(value, chosen, shared);
}

function hasConstants(value: Readonly<Record<string, unknown>>, { properties = {} }: Schema): boolean {
  return Object.entries(properties).every(
    ([name, property]) =>
      typeof property !== "object" || property.const === undefined || property.const === value[name],
  );
}

function toAlternatives({ anyOf, oneOf }: Schema): readonly Schema[] {
  return (anyOf ?? oneOf ?? []).filter((option) => typeof option === "object");
}

function resolve(schema: Schema, shared: SharedSchemas): Schema {
  return schema.$ref === undefined ? schema : (shared[schema.$ref] ?? {});
}
