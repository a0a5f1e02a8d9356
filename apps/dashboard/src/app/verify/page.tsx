import type { Metadata } from "next";
import { VerifyView } from "@/components/record/verify-view";

export const metadata: Metadata = { title: "Verify" };

export default function VerifyPage() {
  return <VerifyView />;
}
