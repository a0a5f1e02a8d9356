import { useAdmitted } from "@/broker/use-admitted";

/** True if this browser may change mesh-wide settings: as an admin, or as anyone on an open broker. */
export function useIsAdmin(): boolean {
  const admitted = useAdmitted();
  return admitted === null || (admitted.as.kind === "member" && admitted.as.role === "admin");
}
