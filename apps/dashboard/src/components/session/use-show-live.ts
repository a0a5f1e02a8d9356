import { usePathname, useRouter } from "next/navigation";
import { useCallback } from "react";
import { setQuery } from "@/lib/query/address";

/** Shows the feed and the document of a session, with parameters of the address changed, from whichever tab one is at. */
export function useShowLive(slug: string): (values: Readonly<Record<string, string | null>>) => void {
  const pathname = usePathname();
  const router = useRouter();
  const isLive = pathname.split("/").length === 3;
  return useCallback(
    (values) => {
      if (isLive) return setQuery(values);
      const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
      const query = new URLSearchParams(given).toString();
      router.push(`/sessions/${slug}${query === "" ? "" : `?${query}`}`);
    },
    [isLive, router, slug],
  );
}
