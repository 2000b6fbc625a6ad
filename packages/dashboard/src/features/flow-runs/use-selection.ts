import { useCallback, useState } from 'react'

/** IDs of the selected rows. */
export function useSelection() {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const set = useCallback((id: string, selected: boolean) => {
    setIds((present) => {
      const next = new Set(present)
      if (selected) next.add(id)
      else next.delete(id)
      return next
    })
  }, [])
  const setAll = useCallback((all: readonly string[]) => setIds(new Set(all)), [])
  return { ids, set, setAll }
}
