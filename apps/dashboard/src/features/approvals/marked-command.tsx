import { findRisks, type RiskKind, splitAtRisks } from "@merkle/wire/text";
import { CircleAlert } from "lucide-react";
import { cn } from "@/core/utils";
import { Badge } from "@/ui/badge";
import { boxClassName } from "./prose";

const kindNames: Readonly<Record<RiskKind, string>> = {
  destructive: "Destructive",
  network: "Network access",
  production: "Production",
};

/**
 * A tool call as text, in which known words for deletion, network access and production stand out. It never says that the
 * rest is harmless.
 */
export function MarkedCommand({ text }: { readonly text: string }) {
  const risks = findRisks(text);
  return (
    <>
      <pre className={cn(boxClassName, "font-mono")}>
        <code>
          {splitAtRisks(text, risks).map(({ text: part, from, isMarked }) =>
            isMarked ? (
              <mark key={from} className="rounded-xs bg-highlight font-semibold text-warning">
                {part}
              </mark>
            ) : (
              part
            ),
          )}
        </code>
      </pre>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted-foreground">
        {Object.entries(kindNames).map(
          ([kind, name]) =>
            risks.some((risk) => risk.kind === kind) && (
              <Badge key={kind} variant="warning">
                <CircleAlert aria-hidden /> {name}
              </Badge>
            ),
        )}
        <span>Only well-known patterns are marked. Read the whole command.</span>
      </p>
    </>
  );
}
