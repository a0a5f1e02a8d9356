import { useAdmitted } from "@/broker/use-admitted";

/** Whether this browser may do what concerns everybody: an admin's, or anyone's where everybody is let in. */
export function useIsAdmin(): boolean {
  const admitted = useAdmitted();
  return admitted === null || (admitted.as.kind === "member" && admitted.as.role === "admin");
}
