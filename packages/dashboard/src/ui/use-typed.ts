import { useEffect, useState } from 'react'

const pauseSeconds = 0.3

/** What stands in a field, and what stood there when the typing last paused: what to ask the server about. */
export function useTyped(start: string): [text: string, settled: string, set: (text: string) => void] {
  const [text, setText] = useState(start)
  const [settled, setSettled] = useState(start)
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), pauseSeconds * 1000)
    return () => window.clearTimeout(timer)
  }, [text])
  return [text, settled, setText]
}
