import { useQueryParam } from "@/core/address/use-query-param";

/** Stands in the address for the persona that is to be chosen by itself; no persona can be called that. */
export const anyPersona = "*";

/** As whom the document is looked at beside its text: a persona's name, `anyPersona`, or null. */
export function usePerspectiveParam(): string | null {
  const [name] = useQueryParam("perspective");
  return name;
}
