import { useQueryParam } from "@/core/address/use-query-param";

/** In the address: choose a persona automatically. No persona can have this name. */
export const anyPersona = "*";

/** The persona whose reading is shown beside the text: a name, `anyPersona`, or null. */
export function usePerspectiveParam(): string | null {
  const [name] = useQueryParam("perspective");
  return name;
}
