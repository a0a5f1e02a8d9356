import { type RefObject, useEffect, useRef, useState } from "react";

/** Whether an element has been in view, or nearly. */
export function useInView<T extends Element>(): { ref: RefObject<T | null>; wasInView: boolean } {
  const ref = useRef<T>(null);
  const [wasInView, setInView] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element || wasInView) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setInView(true);
      },
      { rootMargin: "200px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [wasInView]);
  return { ref, wasInView };
}
