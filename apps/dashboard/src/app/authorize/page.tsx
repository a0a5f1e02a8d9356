import type { Metadata } from "next";
import { Suspense } from "react";
import { PageSkeleton } from "@/components/page-skeleton";
import { AuthorizeView } from "@/features/oauth/authorize-view";

export const metadata: Metadata = { title: "Authorise a client" };

export default function AuthorizePage() {
  return (
    <Suspense fallback={<PageSkeleton title="Authorise a client" />}>
      <AuthorizeView />
    </Suspense>
  );
}
