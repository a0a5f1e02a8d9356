import type { ReactNode } from "react";
import { Logo } from "@/components/logo";
import { cn } from "@/core/utils";

/** The frame of pages for people who are not signed in. Shows no data of the mesh. */
export function SignInFrame({
  isWide = false,
  children,
}: {
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex min-h-dvh flex-col items-center gap-6 bg-surface px-4 py-8 sm:py-16">
      <p className="flex items-center gap-2 text-lg font-semibold">
        <Logo /> merkle
      </p>
      <div
        className={cn(
          "grid w-full min-w-0 gap-6 rounded-lg border bg-background p-5 sm:p-8",
          isWide ? "max-w-2xl" : "max-w-lg",
        )}
      >
        {children}
      </div>
    </div>
  );
}
