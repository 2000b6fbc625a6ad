import type { ServerContext } from './server-context.ts'

/** Makes a thing once for each server, so that the lane sees one and the same batch whoever submits to it. */
export function perServer<T>(make: (context: ServerContext) => T): (context: ServerContext) => T {
  const made = new WeakMap<ServerContext, T>()
  return (context) => {
    const known = made.get(context) ?? make(context)
    made.set(context, known)
    return known
  }
}
