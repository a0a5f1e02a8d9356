import { useQueryParam } from "@/core/address/use-query-param";

/** URL value that selects a persona automatically. No persona can have this name. */
export const anyPersona = "*";

/** Returns the persona whose reading is shown next to the text: a name, `anyPersona`, or null. */
export function usePerspectiveParam(): string | null {
  const [name] = useQueryParam("perspective");
  return name;
}
