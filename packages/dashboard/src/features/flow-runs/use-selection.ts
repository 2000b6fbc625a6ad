import { useCallback, useState } from 'react'

/** Which rows are ticked. */
export function useSelection() {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const set = useCallback((id: string, selected: boolean) => {
    setIds((known) => {
      const next = new Set(known)
      if (selected) next.add(id)
      else next.delete(id)
      return next
    })
  }, [])
  const setAll = useCallback((all: readonly string[]) => setIds(new Set(all)), [])
  return { ids, set, setAll }
}
