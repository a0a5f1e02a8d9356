import { shortHash } from "@merkle/wire/record";
import { cn } from "@/core/utils";

export interface HashTextProps {
  /** In hexadecimal. */
  readonly hash: string;
  /** Show the whole hash, wrapped if needed. Default: only its ends. */
  readonly whole?: boolean;
  readonly className?: string;
}

/** A hash, short enough to compare by eye. The tooltip has all of it. */
export function HashText({ hash, whole = false, className }: HashTextProps) {
  return (
    <code dir="ltr" title={hash} className={cn("font-mono text-[0.92em] break-all", className)}>
      {whole || hash.length <= 12 ? hash : shortHash(hash)}
    </code>
  );
}
