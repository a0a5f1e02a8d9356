import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { loadModule } from "./load-module";

type AnyComponent = (props: never) => ReactNode;
type PropsOf<Part extends AnyComponent> =
  Parameters<Part> extends [infer Props extends object] ? Props : object;
type Modules<Name extends string> = Readonly<Record<Name, AnyComponent>>;

/**
 * Returns a component that loads when it is first shown, or once the broker can be reached again. `name` is the
 * component's export in its module.
 *
 * @param fallback - shown while the component loads
 */
export function lazyPart<Name extends string, Module extends Modules<Name>>(
  load: () => Promise<Module>,
  name: Name,
  fallback: ReactNode = null,
): ComponentType<PropsOf<Module[Name]>> {
  type Props = PropsOf<Module[Name]>;
  // React cannot type a lazy component whose props are a type parameter.
  const loadPart = async () => ({ default: (await loadModule(load))[name] as unknown as ComponentType });
  const Part = lazy(loadPart) as unknown as ComponentType<Props>;
  return (props: Props) => (
    <Suspense fallback={fallback}>
      <Part {...props} />
    </Suspense>
  );
}

/** Returns a lazy component for an optional part of the page. If it fails to load, nothing is shown. */
export function lazyHelper<Name extends string, Module extends Modules<Name>>(
  load: () => Promise<Module>,
  name: Name,
): ComponentType<PropsOf<Module[Name]>> {
  const loadOrSkip = () => loadModule(load).catch(() => ({ [name]: () => null }) as unknown as Module);
  return lazyPart(loadOrSkip, name);
}
