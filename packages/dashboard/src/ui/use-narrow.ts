import { useSyncExternalStore } from 'react'

/** Below this width the sidebar is hidden. Equals `md` in the styles. */
const query = matchMedia('(width < 56rem)')

const subscribe = (listener: () => void) => {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches)
