import { Overview } from "@/components/overview";

export default function HomePage() {
  return <Overview />;
}
