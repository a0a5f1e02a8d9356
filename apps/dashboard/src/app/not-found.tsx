import type { Metadata } from "next";
import Link from "next/link";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <div className="mx-auto grid max-w-xl flex-1 place-items-center p-4">
      <Empty>
        <EmptyTitle asChild>
          <h1>Page not found</h1>
        </EmptyTitle>
        <EmptyDescription>Check the link, or go back to your sessions.</EmptyDescription>
        <Button asChild>
          <Link href="/">Go to sessions</Link>
        </Button>
      </Empty>
    </div>
  );
}
