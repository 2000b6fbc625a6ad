import { useEffect, useState } from 'react'
import { typingPauseSeconds } from './use-optimistic-value.ts'

/** A text as it was when the typing last paused: what to ask the server about. */
export function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), typingPauseSeconds * 1000)
    return () => window.clearTimeout(timer)
  }, [text])
  return settled
}
