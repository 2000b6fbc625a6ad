import { useEffect, useRef } from 'react'

/** Hands on what was typed when it has settled, unless it is what is known already: a page that opens pushes nothing. */
export function usePushed(settled: string, known: string, push: (text: string) => void): void {
  const latest = useRef({ known, push })
  latest.current = { known, push }
  useEffect(() => {
    if (settled !== latest.current.known) latest.current.push(settled)
  }, [settled])
}
