import type { Feature } from "../../feature.js";
import { putPersona } from "./put-persona.js";
import { getPersona, listPersonas } from "./read-personas.js";

export { requirePersona, toPersonaKey } from "./read-personas.js";
export { shippedPersonas } from "./shipped-personas.js";

/** Readers with a point of view. */
export const personasFeature = {
  name: "personas",
  needs: [],
  handlers: {
    list_personas: listPersonas,
    get_persona: getPersona,
    put_persona: putPersona,
  },
} satisfies Feature;
