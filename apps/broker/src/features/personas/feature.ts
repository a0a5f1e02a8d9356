import { addShippedPersonas } from "@merkle/db";
import type { Feature, StartParts } from "../../feature.js";
import { putPersona } from "./put-persona.js";
import { getPersona, listPersonas } from "./read-personas.js";
import { shippedPersonas } from "./shipped-personas.js";

export { requirePersona, toPersonaKey } from "./read-personas.js";

/** Personas: points of view that agents take on when they read. */
export const personasFeature = {
  name: "personas",
  needs: [],
  handlers: {
    list_personas: listPersonas,
    get_persona: getPersona,
    put_persona: putPersona,
  },
  async start({ database }: StartParts): Promise<object> {
    await addShippedPersonas(database.orm, shippedPersonas);
    return {};
  },
  seedMesh: (tx, meshId) => addShippedPersonas(tx, shippedPersonas, meshId),
} satisfies Feature;
