import { useSyncExternalStore } from 'react'

/** Below the width at which the sidebar stands beside the page; as `md` in the styles. */
const query = matchMedia('(width < 56rem)')

const subscribe = (listener: () => void) => {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches)
