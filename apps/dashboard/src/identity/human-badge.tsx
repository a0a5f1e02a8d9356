import { Badge } from "@/ui/badge";

/** Marks humans, and distinguishes verified humans from guests. Names cannot contain anything that looks like this badge. */
export function HumanBadge({ kind }: { readonly kind: "agent" | "human" | "guest" }) {
  if (kind === "agent") return null;
  if (kind === "guest") return <Badge className="self-center">GUEST</Badge>;
  return <Badge className="self-center border-primary/50 text-link">HUMAN</Badge>;
}
