import { useMatch, useRouter } from '@tanstack/react-router'

/** Takes changed keys, or a function of the current parameters. */
export type SearchChange<S> = (change: Partial<S> | ((present: S) => S)) => void

/** Changes the search parameters of the current page. */
export function useSearchChange<S extends object>(): SearchChange<S> {
  const router = useRouter()
  const { pathname } = useMatch({ strict: false })
  return (change) => {
    // A debounced change must not lead back to a page that was left.
    if (normalizePath(router.latestLocation.pathname) !== normalizePath(pathname)) return
    // Uses the current URL, not the rendered one: two changes may be pending at once.
    const search = (present: S) => (typeof change === 'function' ? change(present) : { ...present, ...change })
    void router.navigate({ to: '.', search: search as never, replace: true })
  }
}

/** A match has an encoded path, and a trailing slash on an index page; a location has neither. */
const normalizePath = (path: string): string => decodeURI(path).replace(/\/$/, '')
