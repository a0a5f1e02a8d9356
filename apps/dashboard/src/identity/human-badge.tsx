import { Badge } from "@/ui/badge";

/** Tells people from agents, and those who have shown to be human from guests; no name can hold what looks like it. */
export function HumanBadge({ kind }: { readonly kind: "agent" | "human" | "guest" }) {
  if (kind === "agent") return null;
  if (kind === "guest") return <Badge className="self-center">GUEST</Badge>;
  return <Badge className="self-center border-primary/50 text-link">HUMAN</Badge>;
}
