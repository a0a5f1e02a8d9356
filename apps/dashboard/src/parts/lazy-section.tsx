import type { ReactNode } from "react";
import { lazyPart } from "@/core/lazy-part";
import { Skeleton } from "@/ui/skeleton";

/** Returns a loader for the content of a settings section. */
export function lazySection<Name extends string>(
  load: () => Promise<Readonly<Record<Name, () => ReactNode>>>,
  name: Name,
) {
  const loadContent = async () => {
    const Content: () => ReactNode = (await load())[name];
    return { Content };
  };
  return lazyPart(loadContent, "Content", <Skeleton className="h-24" />);
}
