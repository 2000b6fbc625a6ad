import { useEffect, useState } from 'react'
import { typingPauseSeconds } from './use-optimistic-value.ts'

/** Text as of the last pause in typing, for queries. */
export function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), typingPauseSeconds * 1000)
    return () => window.clearTimeout(timer)
  }, [text])
  return settled
}
