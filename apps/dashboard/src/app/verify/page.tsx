import type { Metadata } from "next";
import { VerifyView } from "@/features/verify/verify-view";

export const metadata: Metadata = { title: "Verify" };

export default function VerifyPage() {
  return <VerifyView />;
}
