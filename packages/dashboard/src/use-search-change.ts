import { useMatch, useRouter } from '@tanstack/react-router'

/** Some keys anew, or all of them from what they are. */
export type SearchChange<S> = (change: Partial<S> | ((present: S) => S)) => void

/** Changes what stands behind the `?` of the page shown. */
export function useSearchChange<S extends object>(): SearchChange<S> {
  const router = useRouter()
  const { pathname } = useMatch({ strict: false })
  return (change) => {
    // What was typed just before a link was followed must not lead back here.
    if (normalizePath(router.latestLocation.pathname) !== normalizePath(pathname)) return
    // From what the address is by now, not from what is shown: two changes may be under way at once.
    const search = (present: S) => (typeof change === 'function' ? change(present) : { ...present, ...change })
    void router.navigate({ to: '.', search: search as never, replace: true })
  }
}

/** A match spells its path in another way than a location: encoded, and with a slash behind the first page of a place. */
const normalizePath = (path: string): string => decodeURI(path).replace(/\/$/, '')
