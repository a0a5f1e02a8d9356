import { type PersonDataPosition, readPersonData } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { PersonContext } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";
import { getNamedPerson } from "./named-person.js";

/**
 * Number of rows per page. A document version has at most half a megabyte, and few are that large.
 */
const rowsPerPage = 100;

/** Reads a person's stored data, one page at a time (PERSON-13). */
export async function exportPerson(
  ctx: PersonContext<ViewServices>,
  { person: wanted, after }: ParsedInputOf<"export_person">,
): Promise<OutputOf<"export_person">> {
  const person = await getNamedPerson(ctx, { operation: "export_person", wanted });
  const { rows, next } = await readPersonData(
    ctx.services.database.orm,
    person,
    parsePlace(after),
    rowsPerPage,
  );
  return {
    person_id: person.personId,
    name: person.name,
    rows,
    next: next && `${next.kind}.${next.rows}`,
  };
}

function parsePlace(text = "0.0"): PersonDataPosition {
  const [, kind, rows] = /^(\d{1,3})\.(\d{1,12})$/.exec(text) ?? [];
  if (kind !== undefined && rows !== undefined) return { kind: Number(kind), rows: Number(rows) };
  throw new MerkleError("bad_request", "after must be the value of next in the previous page, unchanged.", {
    field: "after",
  });
}
